// This file holds what requests, incidents, problems, changes, work orders and projects have in common. Members that are the
// same for all belong to the abstract WorkItem; those that differ in their code list or in the way back are made for each type.
import {
  boolean,
  code,
  complex,
  dateTime,
  duration,
  entityType,
  many,
  one,
  text,
} from '../edm/define.ts';
import type { Member, NamedType, Property } from '../edm/model.ts';
import { defaultCode } from './code-list.ts';
import { runningNumber } from './common.ts';

/** The number of a code list and its name. */
export type ListName = readonly [number: number, name: string];

/** The code lists of one kind of work. */
export interface WorkLists {
  /** The first code is the status of new work. */
  readonly status: ListName;
  readonly closure: ListName;
  readonly category: ListName;
  /** Ordinal of the impact that new work has. */
  readonly impact?: number;
}

/** The options of a type of work. */
export const workItem = { base: 'WorkItem', alternateKeys: [['ID']] } as const;

export const workItemTypes: readonly NamedType[] = [
  entityType(
    'WorkItem',
    [
      runningNumber(),
      text('Information', { searchable: true, description: 'The whole story' }),
      text('Solution', { searchable: true }),
      text('Workaround', { searchable: true }),
      text('SourceID', {
        maxLength: 80,
        indexed: true,
        description: 'Identifier in the system that sent it',
      }),
      code('Priority', 'Priority'),
      code('Urgency', 'Urgency'),
      code('Classification', 'Classification'),
      dateTime('Deadline', { indexed: true }),
      boolean('DeadlineIsManual', { computed: true }),
      dateTime('ActualStart'),
      dateTime('ActualFinish'),
      dateTime('PlanStart'),
      dateTime('PlanFinish'),
      dateTime('LateFinish', { description: 'Latest allowed finish' }),
      dateTime('ClosedAt', { computed: true }),
      duration('PlanDuration'),
      duration('ActualDuration'),
      complex('Assignment', 'Assignment', { nullable: false }),
      one('Requestor', 'Person', { description: 'Who asked, where that is not the caller' }),
      one('Template', 'Template', {
        immutable: true,
        onDelete: 'set-null',
        description: 'What it was made from; given at creation only',
      }),
      one('Service', 'Service'),
      many('ConfigurationItems', 'ConfigurationItem', { description: 'Further items concerned' }),
      many('Relations', 'RecordRelation', { partner: 'Source' }),
      many('ApproverVotes', 'ApproverVote', { partner: 'Record' }),
      many('TimeEntries', 'TimeEntry', { partner: 'Record' }),
      many('KnowledgeLinks', 'KnowledgeLink', { partner: 'Record' }),
      many('Subscriptions', 'Subscription', { partner: 'Record' }),
    ],
    { base: 'Record', abstract: true, description: 'What all work has' },
  ),
];

/** The subject of a piece of work, which must be given at creation unless told otherwise. */
export function subject(options: { readonly nullable: boolean } = { nullable: false }): Property {
  return text('Description', {
    ...options,
    maxLength: 255,
    searchable: true,
    description: 'The subject in one line',
  });
}

/** Status, closure, category and impact, from the lists of that kind of work. */
export function workCodes({ status, closure, category, impact }: WorkLists): readonly Member[] {
  return [
    code('Status', status[1], { indexed: true, default: defaultCode(status[0], 1) }),
    code('ClosureCode', closure[1], { description: 'How it ended' }),
    code('Category', category[1]),
    code('Impact', 'Impact', impact === undefined ? {} : { default: defaultCode(111, impact) }),
  ];
}

/** The main item concerned, with the collection of the item that leads back, where it has one. */
export function mainItem(partner?: string): Member {
  return one('ConfigurationItem', 'ConfigurationItem', {
    ...(partner === undefined ? {} : { partner }),
    description: 'The main item concerned',
  });
}

/** How far the approval is, for work that can need one. */
export function approval(): Property {
  return complex('Approval', 'Approval', { nullable: false });
}

/** The clock of the service level, for work that somebody waits for. */
export function serviceClock(): Property {
  return complex('Sla', 'SlaClock', { nullable: false, computed: true });
}
