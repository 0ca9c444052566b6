// This file generates demo service requests with history lines and attachments, and the e-mails that they come from. They cover
// eighteen months. Blocks of records with equal times simulate bulk imports and bulk changes.
import { organizationOf } from './demo-people.ts';
import {
  type DemoPlan,
  keyAt,
  LINES_PER_REQUEST,
  loginAt,
  randomKey,
  recordsOf,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import { clockChanges, DAY, HOUR, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';
import { type DemoVocabulary, veryLongText } from './vocabulary.ts';

/** The number of consecutive records in a block. */
const BLOCK = 300;
const FIRST_ID = 1001;

/** Hours until the deadline by priority, from priority 1. */
const HOURS = [8, 10, 30, 50, 200] as const;

export function requestRecords(plan: DemoPlan): Generator<SeedRecord> {
  const changes = clockChanges(plan.options.now);
  return recordsOf(plan, 'ServiceRequests', (index, random) =>
    requestValues(plan, random, index, random.pick(changes)),
  );
}

/** The creation time: evenly spread, but the same within every fifth block. */
function createdAt({ start, options }: DemoPlan, index: number): number {
  const block = Math.floor(index / BLOCK);
  const position = block % 5 === 1 ? block * BLOCK : index;
  return start + Math.floor(((options.now - HOUR - start) * position) / options.requests);
}

/** The time of the last change: the same for the whole block in two of five blocks. */
function modifiedAt(plan: DemoPlan, index: number, created: number): number {
  const block = Math.floor(index / BLOCK);
  if (block % 5 === 1) return created;
  if (block % 5 !== 3) return Math.min(plan.options.now, created + (index % 200) * HOUR);
  const last = Math.min(plan.options.requests, (block + 1) * BLOCK) - 1;
  return createdAt(plan, last) + HOUR;
}

/** Older requests are done; the latest tenth is open. */
function statusOf(random: Random, index: number, requests: number): number {
  if (index >= requests * 0.9) return 101001 + random.below(8);
  const share = random.below(100);
  return share < 80 ? 101009 : share < 91 ? 101008 : share < 97 ? 101010 : 101007;
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

/** The lifecycle of a request, which determines its values. */
function lifecycleOf(plan: DemoPlan, random: Random, index: number) {
  const status = statusOf(random, index, plan.options.requests);
  const isDone = status >= 101008 && status <= 101009;
  const isOnHold = status === 101004 || status === 101005;
  const created = createdAt(plan, index);
  const priority = random.below(5);
  const deadline = created + (HOURS[priority] ?? 50) * HOUR;
  const finished = created + (1 + random.below(72)) * HOUR;
  const caller = randomKey(random, plan.ranges.Persons);
  const isAssigned = status !== 101001 && random.happens(95);
  return { status, isDone, isOnHold, created, priority, deadline, finished, caller, isAssigned };
}

type Lifecycle = ReturnType<typeof lifecycleOf>;

function requestValues(plan: DemoPlan, random: Random, index: number, edge: number): Values {
  const { ranges, options } = plan;
  const lifecycle = lifecycleOf(plan, random, index);
  const { status, isDone, isOnHold, created, priority, deadline, finished, caller } = lifecycle;
  const { isAssigned } = lifecycle;
  const isOdd = index % 97 === 40;
  return {
    ID: FIRST_ID + index,
    Description: descriptionOf(plan, random, index),
    Information: informationOf(plan, random, index),
    Solution: isDone ? random.pick(plan.words.solutions) : null,
    Workaround: index % 40 === 39 ? 'Use the printer on the first floor.' : null,
    SourceID: index % 6 === 5 ? `EXT-${100_000 + index}` : null,
    Status: status,
    ClosureCode: isDone ? 130001 + random.below(10) : null,
    Category: 140001 + random.below(7),
    Classification: random.happens(80) ? 143011 + random.below(7) * 10 + random.below(3) : null,
    Priority: 110001 + priority,
    Impact: random.happens(60) ? 111003 : 111001 + random.below(5),
    Urgency: random.happens(50) ? 112001 + random.below(4) : null,
    Medium: index % 64 === 63 ? 120008 : 120001 + random.below(7),
    FrequentlyAskedQuestion: index % 90 === 89,
    OnHoldReason: isOnHold ? 180001 + random.below(5) : null,
    OnHoldUntil: isOnHold ? pointText(options.now + random.below(20) * DAY) : null,
    FeedbackRating: isDone && random.happens(20) ? 1 + random.below(5) : null,
    FeedbackText: index % 75 === 74 ? 'Quick & friendly: "thanks" 🙂' : null,
    Deadline: pointText(isOdd ? edge : deadline),
    DeadlineIsManual: isOdd,
    ActualStart: isAssigned ? pointText(created + HOUR) : null,
    ActualFinish: isDone ? pointText(Math.min(finished, options.now)) : null,
    PlanStart: isOdd ? pointText(edge - HOUR) : null,
    PlanFinish: isOdd ? pointText(edge + HOUR) : null,
    ClosedAt: status === 101009 ? pointText(Math.min(finished + 5 * DAY, options.now)) : null,
    ActualDuration: isDone ? (1 + random.below(30)) * 15 * MINUTE_OF_NANOSECONDS : null,
    ServicecallCode1: random.happens(30) ? 500001 + random.below(4) : null,
    Folder: index % 41 === 40 ? 190004 : 190001 + (index % 3),
    Blocked: null,
    ExternalReferences: externalReferences(index),
    Caller: index % 70 === 69 ? null : caller,
    CallerOrganization: index % 70 === 69 ? null : organizationOf(plan, caller),
    Requestor: index % 14 === 13 ? randomKey(random, ranges.Persons) : null,
    Service: random.happens(70) ? randomKey(random, ranges.Services) : null,
    ServiceLevelAgreement: index % 3 === 1 ? keyAt(ranges.ServiceLevelAgreements, index) : null,
    ConfigurationItem: random.happens(40) ? randomKey(random, ranges.ConfigurationItems) : null,
    Template: index % 16 === 15 ? keyAt(ranges.Templates, index * 5) : null,
    ...assignmentValues(plan, random, index, lifecycle),
    ...approvalValues(plan, lifecycle),
    ...slaValues(plan, index, lifecycle),
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(modifiedAt(plan, index, created)),
    'Registration/CreatedBy': loginAt(plan, index % 12),
    'Registration/ModifiedBy': loginAt(plan, index % 7),
  };
}

function assignmentValues(
  { ranges }: DemoPlan,
  random: Random,
  index: number,
  { isAssigned, created }: Lifecycle,
): Values {
  return {
    'Assignment/AssigneeWorkgroup': isAssigned ? randomKey(random, ranges.Workgroups) : null,
    'Assignment/AssigneePerson':
      isAssigned && random.happens(75) ? randomKey(random, ranges.Persons) : null,
    'Assignment/AssignedAt': isAssigned ? pointText(created + HOUR) : null,
    'Assignment/ReferenceNumber': index % 55 === 54 ? `REF/${index}` : null,
  };
}

function approvalValues({ ranges }: DemoPlan, { status }: Lifecycle): Values {
  return {
    'Approval/Status': status === 101006 ? 170002 : null,
    'Approval/NrOfApproversRequired': status === 101006 ? 1 : null,
    'Approval/Workgroup': status === 101006 ? keyAt(ranges.Workgroups, 9) : null,
  };
}

/** The deadlines of the service level agreement. */
function slaValues(
  { ranges }: DemoPlan,
  index: number,
  { isDone, isOnHold, finished, deadline, created }: Lifecycle,
): Values {
  return {
    'Sla/State': isDone ? (finished <= deadline ? 200004 : 200005) : isOnHold ? 200002 : 200001,
    'Sla/ResolveDeadline': pointText(deadline),
    'Sla/ResponseDeadline': pointText(created + HOUR),
    'Sla/ServiceLevel': keyAt(ranges.ServiceLevels, index),
  };
}

function externalReferences(index: number): string {
  if (index % 30 !== 29) return '[]';
  return `[{"System":"Monitoring","Id":"${index}","Url":"https://monitoring.example/event/${index}","LastSync":null}]`;
}

/** Subject, kind and visibility of the four history lines of a request. */
const LINES = [
  ['Status changed', 202001, 203001],
  [null, 202002, 203001],
  ['Message to the caller', 202005, 203002],
  [null, 202003, 203002],
] as const;

export function historyRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { now } = plan.options;
  const requestAt = (index: number) => Math.floor(index / LINES_PER_REQUEST);
  return recordsOf(
    plan,
    'ServiceRequests/HistoryLines',
    (index, random) => {
      const line = index % LINES_PER_REQUEST;
      const created = createdAt(plan, requestAt(index)) + line * HOUR;
      return lineValues(plan, random, line, Math.min(now, created));
    },
    (index) => plan.ranges.ServiceRequests.first + requestAt(index),
  );
}

function lineValues(plan: DemoPlan, random: Random, line: number, created: number): Values {
  const [subject, kind, visibility] = LINES[line] ?? LINES[1];
  const isChange = kind === 202001;
  return {
    Subject: subject ?? random.pick(plan.words.noteSubjects),
    Kind: kind,
    Information: isChange ? null : random.pick(plan.words.sentences),
    Attribute: isChange ? 'Status' : null,
    OldValue: isChange ? '101001' : null,
    NewValue: isChange ? '101002' : null,
    CreatedAt: pointText(created),
    CreatedBy: randomKey(random, plan.ranges.Accounts),
    Visibility: visibility,
    TimeSpent: line === 3 ? (1 + random.below(12)) * 5 * MINUTE_OF_NANOSECONDS : null,
  };
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

export function emailRecords(plan: DemoPlan): Generator<SeedRecord> {
  return recordsOf(plan, 'EmailServiceRequests', (index, random) =>
    emailValues(plan, random, index),
  );
}

function emailValues(plan: DemoPlan, random: Random, index: number): Values {
  const { ranges, options, start, words } = plan;
  const { Persons: persons, ServiceRequests: requests, EmailServiceRequests: range } = ranges;
  const received = start + Math.floor(((options.now - start) * index) / range.count);
  const sender = random.below(persons.count);
  const isKnown = index % 7 !== 6;
  const body = `${random.pick(words.sentences)}\r\n${random.pick(words.sentences)}\r\n`;
  const status = 212001 + (index % 5);
  const hasRequest = requests.count > 0 && (status === 212002 || status === 212003);
  return {
    ID: index + 1,
    Subject:
      index % 13 === 12 ? random.pick(words.oddSubjects) : `Re: ${random.pick(words.things)}`,
    Body: index % 20 === 19 ? plan.longText : body,
    BodyHtml: index % 2 === 0 ? `<p>${body}</p>` : null,
    FromAddress: isKnown ? `person.${sender + 1}@hillside.example` : 'stranger@elsewhere.example',
    FromName: isKnown ? `Person ${sender + 1}` : null,
    ToAddresses: '["servicedesk@hillside.example"]',
    CcAddresses: index % 6 === 5 ? '["head@hillside.example","copy@hillside.example"]' : '[]',
    MessageId: `<${options.seed}.${index + 1}@mail.hillside.example>`,
    InReplyTo: index % 4 === 3 ? `<${options.seed}.${index}@mail.hillside.example>` : null,
    ReceivedAt: pointText(received),
    Status: status,
    Language: index % 3 === 0 ? 'nl' : 'en',
    Sender: isKnown ? persons.first + sender : null,
    ServiceRequest: hasRequest ? randomKey(random, requests) : null,
    Folder: 190001,
    Blocked: null,
    ExternalReferences: '[]',
    'Registration/DateCreated': pointText(received),
    'Registration/DateModified': pointText(received),
    'Registration/CreatedBy': 'integration',
    'Registration/ModifiedBy': 'integration',
  };
}
