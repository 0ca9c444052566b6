// This file generates the history of demo requests as the service and its users write it: a line for each change of the status and for the
// assignment, with values as they are read, and notes and messages of agents and callers between them.
import { withClocks } from './demo-clocks.ts';
import { personNames } from './demo-people.ts';
import {
  type ClockMoment,
  type DemoPlan,
  keyAt,
  LINES_PER_REQUEST,
  perPlan,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import { Random } from './demo-random.ts';
import { type DraftedRequest, draftedRequests } from './demo-requests.ts';
import { afterWork, STATUS, type Step } from './demo-story.ts';
import { MINUTE, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';

const KIND = { change: 202001, internal: 202002, public: 202003, mailIn: 202004, mailOut: 202005 };
const INTERNAL = 203001;
const VISIBLE = 203002;
/** The member that shows who has got the work. */
const ASSIGNEE = 'Assignment/AssigneePerson';

/** A line and the time at which it was written. */
interface Line {
  readonly at: number;
  readonly values: Values;
}

interface Subject {
  readonly plan: DemoPlan;
  readonly random: Random;
  readonly request: SeedRecord;
  readonly steps: readonly Step[];
  readonly created: number;
  /** The account of the agent who does the work. */
  readonly agent: number;
}

/** The requests with their clocks, each before the lines of its history. */
export function* requestRecords(plan: DemoPlan): Generator<SeedRecord> {
  const set = 'ServiceRequests/HistoryLines';
  let uid = plan.ranges[set].first;
  for (const drafted of draftedRequests(plan)) {
    const { record, created } = drafted;
    const lines = linesOf(plan, drafted);
    yield withClocks(plan, record, { start: created, moments: momentsOf(plan, drafted, lines) });
    for (const { at, values } of lines)
      yield {
        set,
        uid: uid++,
        parent: record.uid,
        values: { ...values, CreatedAt: pointText(at) },
      };
  }
}

/** What the clocks depended on: the statuses, and whether an agent had written to the caller. */
function momentsOf(
  plan: DemoPlan,
  { record, created, steps }: DraftedRequest,
  lines: readonly Line[],
): readonly ClockMoment[] {
  const answered = lines.find(({ values }) => isAnswer(plan, record, values))?.at ?? Infinity;
  const statuses = [{ status: STATUS.registered, at: created }, ...steps];
  const moments = statuses.map((step) => ({ ...step, isAnswered: step.at > answered }));
  const before = moments.findLast(({ at }) => at <= answered);
  if (before === undefined || answered === Infinity) return moments;
  return moments.toSpliced(moments.indexOf(before) + 1, 0, {
    status: before.status,
    at: answered,
    isAnswered: true,
  });
}

/** A public line of somebody other than the caller. */
function isAnswer({ ranges }: DemoPlan, { values: { Caller: caller } }: SeedRecord, line: Values) {
  const isShown = line.Kind === KIND.public && line.Visibility === VISIBLE;
  const person = Number(line.CreatedBy) - ranges.Accounts.first + ranges.Persons.first;
  return isShown && line.CreatedBy !== null && person !== caller;
}

/** The lines of a request in the order of their times. */
function linesOf(
  plan: DemoPlan,
  { record: request, created, steps }: DraftedRequest,
): readonly Line[] {
  const index = request.uid - plan.ranges.ServiceRequests.first;
  const random = new Random(plan.options.seed * 6007 + index * 15_485_863);
  const agent = random.pick(agentsOf(plan));
  const subject: Subject = { plan, random, request, steps, created, agent };
  const changes = changeLines(subject);
  const notes = Array.from({ length: LINES_PER_REQUEST - changes.length }, (_, place) =>
    noteLine(subject, place),
  );
  return [...changes, ...notes].sort((one, other) => one.at - other.at);
}

/** The accounts that do the work. */
const agentsOf = perPlan(({ words, ranges }): readonly [number, ...number[]] => {
  const agents = words.accounts.flatMap(({ roles }, index) =>
    roles.includes('agent') ? [keyAt(ranges.Accounts, index)] : [],
  );
  const [first = ranges.Accounts.first, ...others] = agents;
  return [first, ...others];
});

// ---- changes ----------------------------------------------------------------------------------------------------------

function changeLines(subject: Subject): readonly Line[] {
  const { plan, steps, request } = subject;
  const { codes } = plan.options.terms;
  const textOf = (status: number) => codes[status] ?? String(status);
  let before: number = STATUS.registered;
  const lines = steps.map(({ status, at }) => {
    const line = changeLine(subject, at, ['Status', textOf(before), textOf(status)]);
    before = status;
    return line;
  });
  const person = request.values[ASSIGNEE];
  const start = steps.find(({ status }) => isAssigning(status));
  if (start === undefined || typeof person !== 'number' || lines.length === LINES_PER_REQUEST)
    return lines;
  const name = personNames(plan)[person - plan.ranges.Persons.first] ?? '';
  return [changeLine(subject, start.at, [ASSIGNEE, null, name]), ...lines];
}

function isAssigning(status: number): boolean {
  return status === STATUS.assigned || status === STATUS.inProgress;
}

/** `Status: Registered → Assigned`, as the service summarizes a change. */
function changeLine(
  { plan, agent }: Subject,
  at: number,
  [path, before, after]: readonly [string, string | null, string],
): Line {
  const label = plan.options.terms.labels[path] ?? path;
  const values = {
    Subject: `${label}: ${before ?? '–'} → ${after}`.slice(0, 255),
    Kind: KIND.change,
    Information: null,
    Attribute: path,
    OldValue: before,
    NewValue: after,
    CreatedBy: agent,
    Visibility: INTERNAL,
    TimeSpent: null,
  };
  return { at, values };
}

// ---- notes ------------------------------------------------------------------------------------------------------------

/** A note after the registration or one of the changes, and before the end of the work. */
function noteLine(subject: Subject, place: number): Line {
  const { plan, random, steps, created } = subject;
  const anchor = steps[random.below(steps.length)]?.at ?? created;
  const last = isEnded(subject) ? (steps.at(-1)?.at ?? created) : plan.options.now;
  const later = afterWork(plan, anchor, (5 + random.below(120)) * MINUTE);
  return { at: Math.min(later, Math.max(last, created)), values: noteValues(subject, place) };
}

function isEnded({ request: { values } }: Subject): boolean {
  const { closed, cancelled, rejected } = STATUS;
  return [closed, cancelled, rejected].some((status) => status === values.Status);
}

function noteValues(subject: Subject, place: number): Values {
  const { plan, random, agent } = subject;
  const { words } = plan;
  const kinds = [KIND.internal, KIND.public, KIND.mailIn, KIND.mailOut];
  const kind = kinds[(place + random.below(2)) % kinds.length] ?? KIND.internal;
  const isMail = kind === KIND.mailIn || kind === KIND.mailOut;
  const text = String(subject.request.values.Description);
  const author = isMail ? null : agent;
  const callerAccount =
    kind === KIND.public && random.happens(30) ? accountOfCaller(subject) : null;
  return {
    Subject: isMail ? `Re: ${text}`.slice(0, 255) : random.pick(words.noteSubjects),
    Kind: kind,
    Information: random.pick(words.sentences),
    Attribute: null,
    OldValue: null,
    NewValue: null,
    CreatedBy: callerAccount ?? author,
    Visibility: kind === KIND.internal ? INTERNAL : VISIBLE,
    TimeSpent: isMail ? null : (1 + random.below(12)) * 5 * MINUTE_OF_NANOSECONDS,
  };
}

/** The account of the caller, if there is one. The first persons have accounts. */
function accountOfCaller({ plan, request }: Subject): number | null {
  const { Persons: persons, Accounts: accounts } = plan.ranges;
  const index = Number(request.values.Caller ?? persons.first - 1) - persons.first;
  const account = plan.words.accounts[index];
  return account === undefined || account.login === 'integration' ? null : accounts.first + index;
}
