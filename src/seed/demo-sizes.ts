// This file calculates the number of demo records in each set. It depends neither on the seed nor on the time.
import type { RoleDefinition } from '../edm/account-sets.ts';
import type { WorkSet } from './course/courses.ts';
import { mailLines } from './course/mailbox.ts';
import { approvalSizes, approversIn, statusLines } from './course/rounds.ts';
import type { DemoVocabulary } from './vocabulary.ts';

/** What the numbers depend on. */
export interface DemoScale {
  /** The number of service requests, which determines the size of all other sets. */
  readonly requests: number;
  readonly vocabulary: DemoVocabulary;
  readonly roles: readonly RoleDefinition[];
}

/** Sets, containments and navigations whose records have consecutive keys, in the order of the keys. */
export const DEMO_SETS = [
  'Calendars',
  'Calendars/Holidays',
  'Schedules',
  'Schedules/Windows',
  'ServiceLevels',
  'ServiceLevels/PriorityImpactSettings',
  'Locations',
  'Organizations',
  'Persons',
  'Roles',
  'Roles/EntityAccess',
  'Accounts',
  'Workgroups',
  'Services',
  'ServiceLevelAgreements',
  'MaintenanceContracts',
  'ConfigurationItems',
  'ConfigurationItems/ItemRelations',
  'Templates',
  'Templates/Values',
  'Projects',
  'Problems',
  'Changes',
  'Incidents',
  'ServiceRequests',
  'ServiceRequests/HistoryLines',
  'ServiceRequests/Attachments',
  'EmailServiceRequests',
  'Workorders',
  'RecordRelations',
  'ServiceRequests/ApproverVotes',
  'Changes/ApproverVotes',
  'Workorders/ApproverVotes',
  'Incidents/HistoryLines',
  'Problems/HistoryLines',
  'Changes/HistoryLines',
  'Workorders/HistoryLines',
  'EmailServiceRequests/HistoryLines',
] as const;

export type DemoSet = (typeof DEMO_SETS)[number];

/** Lines about the work on a request. Those about votes and replies are added. */
export const LINES_PER_REQUEST = 4;

/** From this number of requests, there are relatively more persons and work orders, as in a large installation. */
const LARGE = 10_000;

/** The number of records in each set and containment. */
export function demoSizes({
  requests,
  vocabulary,
  roles,
}: DemoScale): Readonly<Record<DemoSet, number>> {
  const isLarge = requests >= LARGE;
  const scaled = (countAt1500: number) => Math.max(1, Math.round((countAt1500 * requests) / 1500));
  const items = scaled(300);
  const work = {
    Problems: scaled(60),
    Changes: scaled(140),
    Incidents: scaled(350),
    ServiceRequests: requests,
    EmailServiceRequests: scaled(90),
    Workorders: isLarge ? Math.round(requests * 1.5) : scaled(700),
  };
  return {
    ...FIXED_SIZES,
    ...listedSizes(vocabulary),
    Roles: roles.length,
    'Roles/EntityAccess': sumOf(
      roles,
      ({ entities, attributes = [] }) => entities.length + attributes.length,
    ),
    Persons: isLarge ? Math.round(requests / 10) : Math.max(20, scaled(120)),
    ConfigurationItems: items,
    'ConfigurationItems/ItemRelations': items < 4 ? 0 : Math.round(items * 1.4),
    ...work,
    ...historySizes(work, approversIn(vocabulary).length),
    'ServiceRequests/Attachments': Math.min(requests, isLarge ? 400 : scaled(400)),
    RecordRelations: scaled(60),
  };
}

/** The numbers of votes and of history lines, apart from lines about marks of clocks. */
function historySizes(
  counts: Readonly<Record<WorkSet | 'EmailServiceRequests', number>>,
  voters: number,
) {
  const { ServiceRequests: requests, EmailServiceRequests: emails } = counts;
  const requested = approvalSizes('ServiceRequests', requests, voters);
  const changed = approvalSizes('Changes', counts.Changes, voters);
  const ordered = approvalSizes('Workorders', counts.Workorders, voters);
  const mail = mailLines(emails, requests);
  return {
    'ServiceRequests/ApproverVotes': requested.votes,
    'Changes/ApproverVotes': changed.votes,
    'Workorders/ApproverVotes': ordered.votes,
    'ServiceRequests/HistoryLines': requests * LINES_PER_REQUEST + requested.lines + mail.replies,
    'Incidents/HistoryLines': statusLines('Incidents', counts.Incidents),
    'Problems/HistoryLines': statusLines('Problems', counts.Problems),
    'Changes/HistoryLines': statusLines('Changes', counts.Changes) + changed.lines,
    'Workorders/HistoryLines': statusLines('Workorders', counts.Workorders) + ordered.lines,
    'EmailServiceRequests/HistoryLines': mail.own,
  };
}

const FIXED_SIZES = {
  Calendars: 1,
  ServiceLevelAgreements: 9,
  MaintenanceContracts: 12,
  Templates: 30,
  'Templates/Values': 60,
  Projects: 8,
} as const;

/** The sizes of the sets whose records the vocabulary lists. */
function listedSizes(words: DemoVocabulary) {
  return {
    // Two years.
    'Calendars/Holidays': 2 * words.holidays.length,
    Schedules: words.schedules.length,
    'Schedules/Windows': sumOf(words.schedules, ({ days }) => days),
    ServiceLevels: words.serviceLevels.length,
    'ServiceLevels/PriorityImpactSettings': sumOf(
      words.serviceLevels,
      ({ responseMinutes }) => responseMinutes.length,
    ),
    Locations: words.locations.length,
    Organizations: words.organizations.length,
    Accounts: words.accounts.length,
    Workgroups: words.workgroups.length,
    Services: words.services.length,
  };
}

function sumOf<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}
