// This file generates the history of demo requests as the service and its users write it: lines about the statuses, the approval, the marks of
// clocks and the person who gets the work, and notes of agents and callers and the replies of callers between them.
import { type Round, voteRecords } from './course/approvals.ts';
import { STATUS } from './course/courses.ts';
import {
  ASSIGNEE,
  assigneeLine,
  INTERNAL,
  inOrder,
  KIND,
  keysFrom,
  type Line,
  lineRecords,
  markKeys,
  markLines,
  noteAt,
  VISIBLE,
  writerOf,
} from './course/lines.ts';
import { afterWork, timeOf } from './course/story.ts';
import { roundAbout, storyLines, votingIn } from './course/work-story.ts';
import { type ClockDraft, withClocks } from './demo-clocks.ts';
import {
  convertedValues,
  type RequestMail,
  replyLine,
  requestMail,
  requestMailRecords,
} from './demo-emails.ts';
import type { ClockMoment, DemoPlan, SeedRecord, Values } from './demo-plan.ts';
import { Random } from './demo-random.ts';
import { type DraftedRequest, draftedRequests } from './demo-requests.ts';
import { LINES_PER_REQUEST } from './demo-sizes.ts';
import { MINUTE, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';

/** What the history of a request follows from. */
interface Subject {
  readonly plan: DemoPlan;
  readonly random: Random;
  readonly drafted: DraftedRequest;
  readonly round: Round | undefined;
  readonly mail: RequestMail | undefined;
}

/** The requests with their clocks, each before its votes, the lines of its history and its e-mails. */
export function* requestRecords(plan: DemoPlan): Generator<SeedRecord> {
  const nextLine = keysFrom(plan.ranges['ServiceRequests/HistoryLines'].first);
  const nextVote = keysFrom(plan.ranges['ServiceRequests/ApproverVotes'].first);
  for (const drafted of draftedRequests(plan)) {
    const mail = requestMail(plan, drafted);
    if (mail !== undefined) Object.assign(drafted.record.values, convertedValues(plan, mail));
    const voting = votingIn(plan, drafted, STATUS.awaitingApproval, STATUS.registered);
    const round = roundAbout(plan, drafted, voting, nextVote);
    const lines = linesOf(plan, drafted, round, mail);
    yield* requestWithLines(plan, drafted, lines, nextLine);
    if (round !== undefined) yield* voteRecords(plan, round);
    if (mail !== undefined) yield* requestMailRecords(plan, mail);
  }
}

/** The request with its clocks, and its lines with those about marks. */
function* requestWithLines(
  plan: DemoPlan,
  drafted: DraftedRequest,
  lines: readonly Line[],
  nextLine: () => number,
): Generator<SeedRecord> {
  const set = 'ServiceRequests/HistoryLines';
  const { record, created, steps, agent } = drafted;
  const moments = momentsOf(plan, drafted, lines);
  const followed = withClocks(plan, record, { start: created, moments });
  const authorAt = (at: number) =>
    steps.some((step) => step.at === at) ? { account: agent } : undefined;
  const marks = markLines(plan, drafted.set, followed.marks, authorAt);
  yield { ...record, values: Object.assign(record.values, markedValues(plan, record, marks)) };
  yield* lineRecords(set, record.uid, lines, nextLine);
  yield* lineRecords(set, record.uid, marks, markKeys(plan));
}

/** A mark changes the request. */
function markedValues(plan: DemoPlan, { values }: ClockDraft, marks: readonly Line[]): Values {
  const last = marks.at(-1);
  if (last === undefined || pointText(last.at) <= String(values['Registration/DateModified']))
    return {};
  return {
    'Registration/DateModified': pointText(last.at),
    'Registration/ModifiedBy': writerOf(plan, last),
  };
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

/** The lines of a request in the order of their times, without those about marks. */
function linesOf(
  plan: DemoPlan,
  drafted: DraftedRequest,
  round: Round | undefined,
  mail: RequestMail | undefined,
): readonly Line[] {
  const { index } = drafted;
  const random = new Random(plan.options.seed * 6007 + index * 15_485_863);
  const subject: Subject = { plan, random, drafted, round, mail };
  const changes = storyLines(plan, drafted, { first: STATUS.registered, person: null, round });
  const assigned = assigneeLines(subject);
  const room = LINES_PER_REQUEST - drafted.steps.length - assigned.length;
  const notes = Array.from({ length: room }, (_, place) => noteLine(subject, place));
  const replies = mail === undefined ? [] : [replyLine(plan, mail)];
  return inOrder([...changes, ...assigned, ...notes, ...replies]);
}

/** The line about the person who gets the work, if the number of lines permits it. */
function assigneeLines({ plan, drafted }: Subject): readonly Line[] {
  const { set, steps, agent, record } = drafted;
  const person = record.values[ASSIGNEE];
  const start = timeOf(steps, STATUS.assigned, STATUS.inProgress);
  if (start === undefined || typeof person !== 'number' || steps.length === LINES_PER_REQUEST)
    return [];
  return [assigneeLine(plan, set, start, person, { account: agent })];
}

// ---- notes ------------------------------------------------------------------------------------------------------------

/** A note after the registration or one of the changes, and before the end of the work. */
function noteLine(subject: Subject, place: number): Line {
  const { plan, random, drafted } = subject;
  const { steps, created } = drafted;
  const anchor = steps[random.below(steps.length)]?.at ?? created;
  const last = isEnded(drafted) ? (steps.at(-1)?.at ?? created) : plan.options.now;
  const later = afterWork(plan, anchor, (5 + random.below(120)) * MINUTE);
  return noteBy(subject, place, Math.min(later, Math.max(last, created)));
}

function isEnded({ course }: DraftedRequest): boolean {
  const { closed, cancelled, rejected } = STATUS;
  return [closed, cancelled, rejected].some((status) => status === course.status);
}

/** A note of the agent, or of the caller, which ends a wait for the caller. */
function noteBy({ plan, random, drafted }: Subject, place: number, at: number): Line {
  const { words } = plan;
  const { agent, course, record } = drafted;
  const isPublic = (place + random.below(2)) % 2 === 1;
  const mayAnswer = isPublic && !course.path.includes(STATUS.waitingForCaller);
  const caller = mayAnswer && random.happens(30) ? accountOfCaller(plan, record) : null;
  const note = {
    subject: random.pick(words.noteSubjects),
    kind: isPublic ? KIND.public : KIND.internal,
    text: random.pick(words.sentences),
    visibility: isPublic ? VISIBLE : INTERNAL,
    timeSpent: (1 + random.below(12)) * 5 * MINUTE_OF_NANOSECONDS,
  };
  return noteAt(at, note, { account: caller ?? agent });
}

/** The account of the caller, if there is one. The first persons have accounts. */
function accountOfCaller(plan: DemoPlan, request: ClockDraft): number | null {
  const { Persons: persons, Accounts: accounts } = plan.ranges;
  const index = Number(request.values.Caller ?? persons.first - 1) - persons.first;
  const account = plan.words.accounts[index];
  return account === undefined || account.login === 'integration' ? null : accounts.first + index;
}
