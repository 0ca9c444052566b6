// This file generates the approvals of demo records as the service keeps them: rounds, votes, and the lines that it writes about both.

import { personNames } from '../demo-people.ts';
import { type DemoPlan, keyAt, perPlan, type SeedRecord, type Values } from '../demo-plan.ts';
import { pointText } from '../demo-time.ts';
import type { Course } from './courses.ts';
import { type Author, changeLine, codeText, KIND, type Line, lineAt } from './lines.ts';
import { type ApprovedSet, approversIn, type RoundPlan, roundOf } from './rounds.ts';

const OUTCOME = { notStarted: 170001, waiting: 170002, approved: 170003, rejected: 170004 };

const VOTES = 'docket votes';
const REASON = "Risk isn't described";

/** A round about a record. */
export interface Round extends RoundPlan {
  readonly set: ApprovedSet;
  readonly record: number;
  /** When it began, and when it was decided; for a round that waits, the present time. */
  readonly asked: number;
  readonly ends: number;
  /** The status of the record at the beginning; null if votes are given in any status. */
  readonly statusBefore: number | null;
  /** The status of the approval at the beginning. */
  readonly outcomeBefore: number | null;
  /** Who asked. */
  readonly author: Author;
  /** The keys of the votes. */
  readonly keys: readonly number[];
}

/** The accounts of the approvers, and the persons to whom they belong. */
const approversOf = perPlan(({ words, ranges }) =>
  approversIn(words).map((index) => ({
    account: keyAt(ranges.Accounts, index),
    person: keyAt(ranges.Persons, index),
  })),
);

/** The group whose members approve: the last one. */
export function approvalGroup({ ranges: { Workgroups: groups } }: DemoPlan): number {
  return groups.first + groups.count - 1;
}

/** The round that is planned for the record with that index. */
export function plannedRound(
  plan: DemoPlan,
  set: ApprovedSet,
  index: number,
  course: Course,
): RoundPlan | undefined {
  return roundOf(set, index, course, approversOf(plan).length);
}

/** The members of a record that show the approval. */
export function approvalValues(
  plan: DemoPlan,
  round: RoundPlan | undefined,
  { outcome = null, statusBefore = null }: ApprovalBefore = {},
): Values {
  return {
    'Approval/Status': round === undefined ? outcome : OUTCOME[round.outcome],
    'Approval/NrOfApprovers': round?.votes.length ?? null,
    'Approval/NrOfApproversRequired': round?.required ?? null,
    'Approval/NrOfApproversApproved': round?.votes.filter((vote) => vote === true).length ?? null,
    'Approval/Round': round === undefined ? null : 1,
    'Approval/StatusBefore': round === undefined ? null : statusBefore,
    'Approval/Workgroup': round === undefined ? null : approvalGroup(plan),
  };
}

/** The status of the approval, and that of the record, before a round. */
interface ApprovalBefore {
  readonly outcome?: number | null;
  readonly statusBefore?: number | null;
}

/** A change is created with an approval that has not started. */
export const NOT_STARTED = OUTCOME.notStarted;

/** When the votes are given; the last one decides. */
function timesOf({ asked, ends, votes, outcome }: Round): readonly number[] {
  const given = votes.filter((vote) => vote !== null).length;
  const share = (ends - asked) / (given + (outcome === 'waiting' ? 1 : 0));
  return votes.slice(0, given).map((_, index) => Math.round(asked + share * (index + 1)));
}

/** The votes of a round. They are open until the decision. */
export function* voteRecords(plan: DemoPlan, round: Round): Generator<SeedRecord> {
  const { keys, votes, asked, ends, outcome, record } = round;
  const times = timesOf(round);
  const isOpen = outcome === 'waiting';
  for (const [index, vote] of votes.entries()) {
    const person = approversOf(plan)[index]?.person ?? null;
    const votedAt = times[index];
    const changed = isOpen ? (votedAt ?? asked) : ends;
    yield {
      set: 'ApproverVotes',
      uid: keys[index] ?? 0,
      values: {
        Approved: vote,
        Reason: vote === false ? REASON : null,
        VotedAt: votedAt === undefined ? null : pointText(votedAt),
        Round: 1,
        IsOpen: isOpen,
        Record: record,
        Person: person,
        VotedBy: votedAt === undefined ? null : person,
        'Registration/DateCreated': pointText(asked),
        'Registration/DateModified': pointText(changed),
        'Registration/CreatedBy': VOTES,
        'Registration/ModifiedBy': VOTES,
      },
    };
  }
}

/** The lines with which a round begins. Without a status in which votes are given, somebody has asked for them by hand. */
export function openingLines(plan: DemoPlan, round: Round): readonly Line[] {
  const { set, asked, votes, statusBefore } = round;
  const byHand = statusBefore === null;
  const author = { origin: VOTES, cause: byHand ? 'Approval/Status' : 'Status' };
  const line = (member: string, before: string | null, after: string, by: Author = author) =>
    changeLine(plan, set, asked, [`Approval/${member}`, before, after], by);
  const opened = [
    line('Round', null, '1'),
    line('NrOfApprovers', null, String(votes.length)),
    line('NrOfApproversApproved', null, '0'),
  ];
  if (byHand)
    return [
      outcomeLine(plan, round, asked, OUTCOME.waiting, round.author),
      line('NrOfApproversRequired', null, String(round.required), round.author),
      line('Workgroup', null, groupName(plan), round.author),
      ...opened,
    ];
  return [
    ...opened,
    line('StatusBefore', null, codeText(plan, statusBefore)),
    outcomeLine(plan, round, asked, OUTCOME.waiting, author),
  ];
}

function groupName({ words }: DemoPlan): string {
  return words.workgroups.at(-1) ?? words.workgroups[0];
}

function outcomeLine(
  plan: DemoPlan,
  { set, outcomeBefore }: Round,
  at: number,
  after: number,
  author: Author,
): Line {
  const before = after === OUTCOME.waiting ? outcomeBefore : OUTCOME.waiting;
  const texts = [before === null ? null : codeText(plan, before), codeText(plan, after)] as const;
  return changeLine(plan, set, at, ['Approval/Status', ...texts], author, KIND.approval);
}

/** The lines about the votes, and about the decision. */
export function votingLines(plan: DemoPlan, round: Round): readonly Line[] {
  const { votes, outcome } = round;
  const times = timesOf(round);
  const lines = times.flatMap((at, index) => voteLines(plan, round, index, at));
  const last = times.length - 1;
  const decided = times[last];
  if (outcome === 'waiting' || decided === undefined || votes.length === 0) return lines;
  const author = decisionOf(round);
  return [...lines, outcomeLine(plan, round, decided, OUTCOME[outcome], author)];
}

/** The author of what follows from the decision: the last vote. */
export function decisionOf(round: Round): Author {
  return { origin: VOTES, cause: causeOf(round, timesOf(round).length - 1) };
}

function causeOf({ keys }: Round, index: number): string {
  return `ApproverVotes(${keys[index]})/Approved`;
}

/** A vote has a line, and another one for its reason, or for the number of approvals that it changes. */
function voteLines(plan: DemoPlan, round: Round, index: number, at: number): readonly Line[] {
  const { account = null, person = 0 } = approversOf(plan)[index] ?? {};
  const name = personNames(plan)[person - plan.ranges.Persons.first] ?? '–';
  const isApproved = round.votes[index] === true;
  const text = codeText(plan, isApproved ? OUTCOME.approved : OUTCOME.rejected);
  const path = `ApproverVotes(${round.keys[index]})`;
  const line = (member: string, label: string, after: string) =>
    lineAt(
      at,
      {
        subject: `${name}: ${label}– → ${after}`,
        kind: KIND.approval,
        path: `${path}/${member}`,
        before: null,
        after,
      },
      { account },
    );
  const vote = line('Approved', '', text);
  if (!isApproved) {
    const label = plan.options.terms.labels['ApproverVotes/Reason'] ?? 'Reason';
    return [vote, line('Reason', `${label}: `, REASON)];
  }
  const count = round.votes.slice(0, index).filter((one) => one === true).length;
  const author = { origin: VOTES, cause: causeOf(round, index) };
  const change = ['Approval/NrOfApproversApproved', String(count), String(count + 1)] as const;
  return [vote, changeLine(plan, round.set, at, change, author)];
}
