// This file generates demo service requests and their attachments. They cover eighteen months. Blocks of records with equal times simulate
// bulk imports and bulk changes.
import { approvalValues, plannedRound } from './course/approvals.ts';
import { STATUS } from './course/courses.ts';
import { afterWork, timeOf } from './course/story.ts';
import { statusBefore, textOf, type WorkStory, workStory } from './course/work-story.ts';
import type { ClockDraft } from './demo-clocks.ts';
import { organizationOf } from './demo-people.ts';
import {
  type DemoPlan,
  keyAt,
  loginAt,
  randomFor,
  randomKey,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { clockChanges, DAY, HOUR, MINUTE, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';
import { type DemoVocabulary, veryLongText } from './vocabulary.ts';

/** The number of consecutive records in a block. */
const BLOCK = 300;
const FIRST_ID = 1001;

/** A request with its story. */
export interface DraftedRequest extends WorkStory {
  readonly set: 'ServiceRequests';
  readonly record: ClockDraft;
}

/** The requests without their clocks, which depend on the history. */
export function* draftedRequests(plan: DemoPlan): Generator<DraftedRequest> {
  const set = 'ServiceRequests';
  const changes = clockChanges(plan.options.now);
  const { first, count } = plan.ranges[set];
  const random = randomFor(plan, set);
  for (let index = 0; index < count; index++) {
    const edge = random.pick(changes);
    const story = requestStory(plan, index);
    const lifecycle = lifecycleOf(plan, random, story);
    const values = requestValues(plan, { random, index, edge }, lifecycle);
    yield { ...story, set, record: { set, uid: first + index, values } };
  }
}

/** The creation time: evenly spread, but the same within every fifth block. */
function createdAt({ start, options }: DemoPlan, index: number): number {
  const block = Math.floor(index / BLOCK);
  const position = block % 5 === 1 ? block * BLOCK : index;
  return start + Math.floor(((options.now - HOUR - start) * position) / options.requests);
}

/** The time of the last change: that of the last step, or a later one at which a whole block was changed. */
function modifiedAt(plan: DemoPlan, index: number, { created, steps }: Lifecycle): number {
  const block = Math.floor(index / BLOCK);
  const last = steps.at(-1)?.at ?? created;
  if (block % 5 !== 3) return last;
  const newest = Math.min(plan.options.requests, (block + 1) * BLOCK) - 1;
  return Math.max(last, Math.min(plan.options.now, createdAt(plan, newest) + 60 * DAY));
}

function descriptionOf({ words }: DemoPlan, random: Random, index: number): string {
  if (index % 29 === 17) return random.pick(words.oddSubjects);
  const text = `${random.pick(words.things)} ${random.pick(words.complaints)}`;
  if (index % 100 === 42) return `${text} (${words.frequentWord} closing)`;
  return index % 19_997 === 11 ? `${text}, ${words.rareWord}` : text;
}

function informationOf(plan: DemoPlan, random: Random, index: number): string | null {
  if (index % 500 === 250) return plan.veryLongText;
  if (index % 50 === 25) return plan.longText;
  if (index % 12 === 11) return null;
  const { sentences } = plan.words;
  return `${random.pick(sentences)} ${random.pick(sentences)}\n${random.pick(sentences)}`;
}

/** What determines the values of a request. */
function lifecycleOf(
  { ranges }: DemoPlan,
  random: Random,
  { index, course, steps, created }: WorkStory,
) {
  const { status } = course;
  const isDone = status === STATUS.resolved || status === STATUS.closed;
  const isOnHold = status === STATUS.waitingForCaller || status === STATUS.waitingForSupplier;
  const drawn = 110001 + random.below(5);
  // The others follow from the impact.
  const priority = random.below(72) < 11 ? drawn : null;
  const caller = index % 70 === 69 ? null : randomKey(random, ranges.Persons);
  const isAssigned = status !== STATUS.registered && random.happens(95);
  return { course, status, steps, isDone, isOnHold, created, priority, caller, isAssigned };
}

/** Resolved requests are closed after five working days: the others have been resolved lately. */
export function requestStory(plan: DemoPlan, index: number): WorkStory {
  const { now } = plan.options;
  const story = workStory(plan, 'ServiceRequests', index, createdAt(plan, index));
  const last = story.steps.at(-1);
  if (last === undefined || story.course.status !== STATUS.resolved) return story;
  const late = afterWork(plan, now - 5 * DAY, ((index * 97) % 1200) * MINUTE);
  const at = Math.min(now, Math.max(last.at, late));
  return { ...story, steps: [...story.steps.slice(0, -1), { status: last.status, at }] };
}

type Lifecycle = ReturnType<typeof lifecycleOf>;

interface Drawn {
  readonly random: Random;
  readonly index: number;
  /** A time near a change between summer and winter time. */
  readonly edge: number;
}

function requestValues(
  plan: DemoPlan,
  { random, index, edge }: Drawn,
  lifecycle: Lifecycle,
): ClockDraft['values'] {
  const { ranges, options } = plan;
  const { course, status, steps, isDone, isOnHold, created, priority, caller } = lifecycle;
  const isOdd = index % 97 === 40;
  return {
    ID: FIRST_ID + index,
    Description: descriptionOf(plan, random, index),
    Information: informationOf(plan, random, index),
    Solution: isDone ? random.pick(plan.words.solutions) : null,
    Workaround: index % 40 === 39 ? 'Use the printer on the first floor.' : null,
    SourceID: index % 6 === 5 ? `EXT-${100_000 + index}` : null,
    Status: status,
    ClosureCode: closureOf(random, index, lifecycle),
    Category: 140001 + random.below(7),
    Classification: random.happens(80) ? 143011 + random.below(7) * 10 + random.below(3) : null,
    Priority: priority,
    Impact: random.happens(60) ? 111003 : 111001 + random.below(5),
    Urgency: random.happens(50) ? 112001 + random.below(4) : null,
    Medium: index % 64 === 63 ? 120008 : 120001 + random.below(7),
    FrequentlyAskedQuestion: index % 90 === 89,
    OnHoldReason: isOnHold ? 180001 + random.below(5) : null,
    OnHoldUntil: isOnHold ? pointText(options.now + random.below(20) * DAY) : null,
    FeedbackRating: isDone && random.happens(20) ? 1 + random.below(5) : null,
    FeedbackText: index % 75 === 74 ? 'Quick & friendly: "thanks" 🙂' : null,
    Deadline: isOdd ? pointText(edge) : null,
    DeadlineIsManual: isOdd,
    ActualStart: textOf(timeOf(steps, STATUS.inProgress)),
    ActualFinish: textOf(timeOf(steps, STATUS.resolved, STATUS.rejected, STATUS.cancelled)),
    PlanStart: isOdd ? pointText(edge - HOUR) : null,
    PlanFinish: isOdd ? pointText(edge + HOUR) : null,
    ClosedAt: textOf(timeOf(steps, STATUS.closed, STATUS.rejected, STATUS.cancelled)),
    ActualDuration: isDone ? (1 + random.below(30)) * 15 * MINUTE_OF_NANOSECONDS : null,
    ServicecallCode1: random.happens(30) ? 500001 + random.below(4) : null,
    Folder: index % 41 === 40 ? 190004 : 190001 + (index % 3),
    Blocked: null,
    ExternalReferences: externalReferences(index),
    Caller: caller,
    CallerOrganization: caller === null ? null : organizationOf(plan, caller),
    Requestor: index % 14 === 13 ? randomKey(random, ranges.Persons) : null,
    Service: random.happens(70) ? randomKey(random, ranges.Services) : null,
    ConfigurationItem: random.happens(40) ? randomKey(random, ranges.ConfigurationItems) : null,
    Template: index % 16 === 15 ? keyAt(ranges.Templates, index * 5) : null,
    ...assignmentValues(plan, random, index, lifecycle),
    ...approvalValues(plan, plannedRound(plan, 'ServiceRequests', index, course), {
      statusBefore: statusBefore(course.path, STATUS.awaitingApproval, STATUS.registered),
    }),
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(modifiedAt(plan, index, lifecycle)),
    'Registration/CreatedBy': loginAt(plan, index % 12),
    'Registration/ModifiedBy': loginAt(plan, index % 7),
  };
}

/** Requests are cancelled for one of the reasons that the workflow permits. */
function closureOf(random: Random, index: number, { status, isDone }: Lifecycle): number | null {
  if (isDone) return 130001 + random.below(10);
  return status === STATUS.cancelled ? (CANCELLATIONS[index % CANCELLATIONS.length] ?? null) : null;
}

/** Duplicate, withdrawn by the caller, not authorised. */
const CANCELLATIONS = [130006, 130008, 130009] as const;

/** Who does the work: at least a group from the status Assigned on, and a person from In progress on. */
function assignmentValues(
  { ranges }: DemoPlan,
  random: Random,
  index: number,
  { isAssigned, steps }: Lifecycle,
): Values {
  const group = isAssigned ? randomKey(random, ranges.Workgroups) : null;
  const person = isAssigned && random.happens(75) ? randomKey(random, ranges.Persons) : null;
  const begun = timeOf(steps, STATUS.assigned, STATUS.inProgress);
  const hasStarted = timeOf(steps, STATUS.inProgress) !== undefined;
  return {
    'Assignment/AssigneeWorkgroup':
      begun === undefined ? null : (group ?? keyAt(ranges.Workgroups, index)),
    'Assignment/AssigneePerson':
      begun === undefined ? null : (person ?? (hasStarted ? keyAt(ranges.Persons, index) : null)),
    'Assignment/AssignedAt': begun === undefined ? null : pointText(begun),
    'Assignment/ReferenceNumber': index % 55 === 54 ? `REF/${index}` : null,
  };
}

function externalReferences(index: number): string {
  if (index % 30 !== 29) return '[]';
  return `[{"System":"Monitoring","Id":"${index}","Url":"https://monitoring.example/event/${index}","LastSync":null}]`;
}

export function attachmentRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ServiceRequests: requests, 'ServiceRequests/Attachments': range } = plan.ranges;
  const requestAt = (index: number) => Math.floor((index * requests.count) / range.count);
  return recordsOf(
    plan,
    'ServiceRequests/Attachments',
    (index) => ({
      Name: `note-${index + 1}`,
      FileName: index % 9 === 8 ? `Überblick "${index}" – 日本.txt` : `note ${index + 1}.txt`,
      DateCreated: pointText(createdAt(plan, requestAt(index))),
      MediaType: 'text/plain; charset=utf-8',
      CreatedBy: keyAt(plan.ranges.Accounts, index),
    }),
    (index) => requests.first + requestAt(index),
  );
}

/** The content of a demo attachment: empty to about 20,000 characters. */
export function demoFileText(words: DemoVocabulary, uid: number): string {
  if (uid % 50 === 0) return '';
  return uid % 20 === 1
    ? veryLongText(words)
    : `Note ${uid}\n${words.sentences[uid % words.sentences.length] ?? ''}\n`;
}
