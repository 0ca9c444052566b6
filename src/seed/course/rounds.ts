// This file plans the approvals of demo records: who votes, and how. Like courses, rounds of votes depend on nothing but the place of the
// record and the number of approvers.

import type { DemoVocabulary } from '../vocabulary.ts';
import { CHANGE, type Course, courseOf, STATUS, WORK, type WorkSet } from './courses.ts';

/** The sets whose records can be approved. */
export type ApprovedSet = Extract<WorkSet, 'ServiceRequests' | 'Changes' | 'Workorders'>;

export interface RoundPlan {
  readonly outcome: 'waiting' | 'approved' | 'rejected';
  readonly required: number;
  /** The votes in the order in which they are given; null for those that are not. */
  readonly votes: readonly (boolean | null)[];
}

/** The indexes of the accounts, and of their persons, that approve. */
export function approversIn({ accounts }: DemoVocabulary): readonly number[] {
  const found = accounts.flatMap(({ roles }, index) => (roles.includes('approver') ? [index] : []));
  return found.length === 0 ? [0] : found;
}

/** The round of a record; undefined if nobody has been asked. */
export function roundOf(
  set: WorkSet,
  index: number,
  course: Course,
  voters: number,
): RoundPlan | undefined {
  const outcome = OUTCOMES[set as ApprovedSet]?.(course, index);
  if (outcome === undefined) return undefined;
  const required = course.type === NORMAL_CHANGE ? Math.min(2, voters) : 1;
  const given = votesOf(outcome, index, required, voters);
  const open = Array<null>(voters - given.length).fill(null);
  return { outcome, required, votes: [...given, ...open] };
}

/** Normal changes need two approvals, others one. */
const NORMAL_CHANGE = 141002;

type OutcomeOf = (course: Course, index: number) => RoundPlan['outcome'] | undefined;

/** What follows on the status in which votes are given. */
const decisionIn =
  (waiting: number, rejected: number): OutcomeOf =>
  ({ path }) => {
    const asked = path.indexOf(waiting);
    if (asked < 0) return undefined;
    const next = path[asked + 1];
    return next === undefined ? 'waiting' : next === rejected ? 'rejected' : 'approved';
  };

const OUTCOMES: Readonly<Record<ApprovedSet, OutcomeOf>> = {
  ServiceRequests: decisionIn(STATUS.awaitingApproval, STATUS.rejected),
  Changes: decisionIn(CHANGE.awaitingApproval, CHANGE.rejected),
  // Every tenth work order that has been assigned is approved before it is accepted.
  Workorders: ({ path }, index) => {
    if (index % 10 !== 5 || path[0] !== WORK.assigned) return undefined;
    const next = path[1];
    return next === undefined ? 'waiting' : next === WORK.accepted ? 'approved' : 'rejected';
  },
};

/** As many as decide. Sometimes the first one is against the others. */
function votesOf(
  outcome: RoundPlan['outcome'],
  index: number,
  required: number,
  voters: number,
): readonly boolean[] {
  const lead = (vote: boolean, isPossible: boolean) =>
    isPossible && index % 2 === 1 ? [vote] : [];
  if (outcome === 'waiting') return lead(true, required > 1);
  if (outcome === 'approved')
    return [...lead(false, voters > required), ...Array<true>(required).fill(true)];
  return [...lead(true, required > 1), ...Array<false>(voters - required + 1).fill(false)];
}

/** The lines with which a round begins: its number, the numbers of approvers and approvals, and the status before it or who must approve. */
const OPENING_LINES: Readonly<Record<ApprovedSet, number>> = {
  ServiceRequests: 5,
  Changes: 5,
  Workorders: 6,
};

/** The number of lines about a round: its beginning, each vote with its reason or the new number of approvals, and the decision. */
function roundLines(set: ApprovedSet, { votes, outcome }: RoundPlan): number {
  const given = votes.filter((vote) => vote !== null).length;
  return OPENING_LINES[set] + given * 2 + (outcome === 'waiting' ? 0 : 1);
}

/** From this number of work orders, an installation has imported its older ones from another system, without their histories. */
const IMPORTING = 15_000;

/** Whether the record was imported. */
export function isImported(set: WorkSet, index: number, count: number): boolean {
  return set === 'Workorders' && count >= IMPORTING && index < count * 0.7;
}

/** The number of votes about the records of a set, and that of the lines about them. */
export function approvalSizes(
  set: ApprovedSet,
  count: number,
  voters: number,
): { readonly votes: number; readonly lines: number } {
  let [rounds, lines] = [0, 0];
  for (let index = 0; index < count; index++) {
    if (isImported(set, index, count)) continue;
    const round = roundOf(set, index, courseOf(set, index, count), voters);
    if (round === undefined) continue;
    rounds++;
    lines += roundLines(set, round);
  }
  return { votes: rounds * voters, lines };
}

/** The number of lines about the statuses of the records of a set, and about persons who get the work. */
export function statusLines(set: WorkSet, count: number): number {
  let lines = 0;
  for (let index = 0; index < count; index++) {
    if (isImported(set, index, count)) continue;
    const { path } = courseOf(set, index, count);
    lines += path.length + (path.includes(assigningStatus(set, index) ?? 0) ? 1 : 0);
  }
  return lines;
}

/** The status with which a person gets the work. Others have been created with their person. */
export function assigningStatus(set: WorkSet, index: number): number | undefined {
  if (set === 'Incidents') return INCIDENT_ASSIGNED;
  return set === 'Workorders' && index % 4 === 0 ? WORK.assigned : undefined;
}

const INCIDENT_ASSIGNED = 102002;
