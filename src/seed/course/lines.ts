// This file provides the lines of demo histories as the service writes them: a line for each change, with the label of the member, the texts of
// codes and the names of persons, and with the account, or the part of the service and its reason.
import { personNames } from '../demo-people.ts';
import {
  type DemoPlan,
  keyAt,
  perPlan,
  type ReachedMark,
  type SeedRecord,
  type Values,
} from '../demo-plan.ts';
import type { DemoSet } from '../demo-sizes.ts';
import { pointText } from '../demo-time.ts';

export const KIND = {
  change: 202001,
  internal: 202002,
  public: 202003,
  mailIn: 202004,
  approval: 202006,
};
export const INTERNAL = 203001;
export const VISIBLE = 203002;

export const STATUS_MEMBER = 'Status';
/** The member that shows who has got the work. */
export const ASSIGNEE = 'Assignment/AssigneePerson';

const APPROVAL = ['Status', 'Round', 'NrOfApprovers', 'NrOfApproversApproved'].map(
  (name) => `Approval/${name}`,
);
const MARKS = ['Sla/Response/Mark', 'Sla/Resolution/Mark'];

/** The members whose changes demo histories show, by set. */
export const RECORDED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ServiceRequests: [STATUS_MEMBER, ASSIGNEE, ...APPROVAL, 'Approval/StatusBefore', ...MARKS],
  Incidents: [STATUS_MEMBER, ASSIGNEE, ...MARKS],
  Problems: [STATUS_MEMBER],
  Changes: [STATUS_MEMBER, ...APPROVAL, 'Approval/StatusBefore'],
  Workorders: [
    ...[STATUS_MEMBER, ASSIGNEE],
    ...[...APPROVAL, 'Approval/NrOfApproversRequired', 'Approval/Workgroup'],
  ],
  EmailServiceRequests: [STATUS_MEMBER, 'ServiceRequest'],
  ApproverVotes: ['Reason'],
};

/** A line and the time at which it was written. */
export interface Line {
  readonly at: number;
  readonly values: Values;
}

/** Who has written a line: an account, or a part of the service and why. */
export type Author =
  | { readonly account: number | null }
  | { readonly origin: string; readonly cause: string };

/** A member, and its readable values before and after a change. */
type Change = readonly [path: string, before: string | null, after: string | null];

/** The values that differ between notes and messages. */
interface Note {
  readonly subject: string | null;
  readonly kind: number;
  readonly text: string | null;
  readonly visibility: number;
  readonly timeSpent: number | null;
}

/** `Status: Registered → Assigned`, as the service summarizes a change. */
export function changeLine(
  { options }: DemoPlan,
  set: string,
  at: number,
  [path, before, after]: Change,
  author: Author,
  kind = KIND.change,
): Line {
  const label = options.terms.labels[`${set}/${path}`] ?? path;
  const subject = `${label}: ${before ?? '–'} → ${after ?? '–'}`;
  return lineAt(at, { subject, kind, path, before, after }, author);
}

/** A line about a change with its summary. */
export function lineAt(
  at: number,
  change: {
    readonly subject: string;
    readonly kind: number;
    readonly path: string;
    readonly before: string | null;
    readonly after: string | null;
  },
  author: Author,
): Line {
  const values = {
    Subject: change.subject.slice(0, 255),
    Kind: change.kind,
    Information: null,
    Attribute: change.path,
    OldValue: change.before,
    NewValue: change.after,
    ...authorValues(author),
    CreatedAt: pointText(at),
    Visibility: INTERNAL,
    TimeSpent: null,
  };
  return { at, values };
}

/** A line that changes nothing. */
export function noteAt(at: number, note: Note, author: Author): Line {
  const { subject, kind, text, visibility, timeSpent } = note;
  const values = {
    Subject: subject?.slice(0, 255) ?? null,
    Kind: kind,
    Information: text,
    Attribute: null,
    OldValue: null,
    NewValue: null,
    ...authorValues(author),
    CreatedAt: pointText(at),
    Visibility: visibility,
    TimeSpent: timeSpent,
  };
  return { at, values };
}

function authorValues(author: Author): Values {
  return 'origin' in author
    ? { Origin: author.origin, Cause: author.cause, CreatedBy: null }
    : { Origin: null, Cause: null, CreatedBy: author.account };
}

/** The text of a code. */
export function codeText({ options }: DemoPlan, code: number): string {
  return options.terms.codes[code] ?? String(code);
}

/** The line about a person who gets the work. */
export function assigneeLine(
  plan: DemoPlan,
  set: string,
  at: number,
  person: number,
  author: Author,
): Line {
  const name = personNames(plan)[person - plan.ranges.Persons.first] ?? '';
  return changeLine(plan, set, at, [ASSIGNEE, null, name], author);
}

/** What a write at the time of a mark is due to. */
const SCHEDULE = 'docket schedule';

/**
 * The lines about marks. The service writes them when they are reached, or with a change that reaches them.
 * @param authorAt the author of a change at a time
 */
export function markLines(
  plan: DemoPlan,
  set: string,
  marks: readonly ReachedMark[],
  authorAt: (time: number) => Author | undefined,
): readonly Line[] {
  const highest = new Map<string, string>();
  return marks.map(({ path, percent, at }) => {
    const before = highest.get(path) ?? null;
    const after = String(percent);
    highest.set(path, after);
    const due = { origin: SCHEDULE, cause: `Recalculate: Sla/NextMark ${pointText(at)}` };
    return changeLine(plan, set, at, [path, before, after], authorAt(at) ?? due);
  });
}

/** The account that wrote last, as the record shows it: its login name, or the part of the service. */
export function writerOf({ ranges, words }: DemoPlan, { values }: Line): string {
  if (typeof values.Origin === 'string') return values.Origin;
  return words.accounts[Number(values.CreatedBy) - ranges.Accounts.first]?.login ?? 'demo';
}

/** The records of lines, oldest first, with the next keys of a range. */
export function* lineRecords(
  set: DemoSet,
  parent: number,
  lines: readonly Line[],
  nextKey: () => number,
): Generator<SeedRecord> {
  for (const { values } of lines) yield { set, uid: nextKey(), parent, values };
}

/** The lines in the order of their times; those of one time stay as they are. */
export function inOrder(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort((one, other) => one.at - other.at);
}

/** Gives the keys of a range one after the other. */
export function keysFrom(first: number): () => number {
  let next = first;
  return () => next++;
}

/** Gives the keys of lines about marks. */
export const markKeys = perPlan(({ firstMark }) => keysFrom(firstMark));

/** The accounts that do the work. */
export const agentsOf = perPlan(({ words, ranges }): readonly [number, ...number[]] => {
  const agents = words.accounts.flatMap(({ roles }, index) =>
    roles.includes('agent') ? [keyAt(ranges.Accounts, index)] : [],
  );
  const [first = ranges.Accounts.first, ...others] = agents;
  return [first, ...others];
});
