// This file makes the demo records that there are most of: service requests with their history lines and files, and the e-mails
// they came from. They are spread over eighteen months; bulk imports and bulk changes give blocks of equal times.
import { organizationOf } from './demo-people.ts';
import {
  anyKey,
  chanceFor,
  type DemoPlan,
  keyAt,
  LINES_PER_REQUEST,
  loginAt,
  type SeedRecord,
} from './demo-plan.ts';
import type { Chance } from './demo-random.ts';
import { clockChanges, DAY, HOUR, MINUTE_OF_NANOSECONDS, pointText } from './demo-time.ts';
import { type DemoVocabulary, veryLongText } from './vocabulary.ts';

/** So many records in a row can have one and the same time. */
const BLOCK = 300;
const FIRST_ID = 1001;

/** Hours within which work of that priority is to be done, from priority 1. */
const HOURS = [8, 10, 30, 50, 200] as const;

export function* requestRecords(plan: DemoPlan): Generator<SeedRecord> {
  const range = plan.ranges.ServiceRequests;
  const chance = chanceFor(plan, 'ServiceRequests');
  const changes = clockChanges(plan.options.now);
  for (let index = 0; index < range.count; index++) {
    const values = requestValues(plan, chance, index, chance.pick(changes));
    yield { set: 'ServiceRequests', uid: range.first + index, values };
  }
}

/** When the request with that index was made: evenly spread, but all at once in every fifth block. */
function createdAt({ start, options }: DemoPlan, index: number): number {
  const block = Math.floor(index / BLOCK);
  const counted = block % 5 === 1 ? block * BLOCK : index;
  return start + Math.floor(((options.now - HOUR - start) * counted) / options.requests);
}

/** When it was last changed: at once for the whole block, in two of five blocks. */
function modifiedAt(plan: DemoPlan, index: number, created: number): number {
  const block = Math.floor(index / BLOCK);
  if (block % 5 === 1) return created;
  if (block % 5 !== 3) return Math.min(plan.options.now, created + (index % 200) * HOUR);
  const last = Math.min(plan.options.requests, (block + 1) * BLOCK) - 1;
  return createdAt(plan, last) + HOUR;
}

/** Older requests are done, the latest tenth is open. */
function statusOf(chance: Chance, index: number, requests: number): number {
  if (index >= requests * 0.9) return 101001 + chance.below(8);
  const share = chance.below(100);
  return share < 80 ? 101009 : share < 91 ? 101008 : share < 97 ? 101010 : 101007;
}

function descriptionOf({ words }: DemoPlan, chance: Chance, index: number): string {
  if (index % 29 === 17) return chance.pick(words.oddSubjects);
  const text = `${chance.pick(words.things)} ${chance.pick(words.complaints)}`;
  if (index % 100 === 42) return `${text} (${words.frequentWord} closing)`;
  return index % 19_997 === 11 ? `${text}, ${words.rareWord}` : text;
}

function informationOf(plan: DemoPlan, chance: Chance, index: number): string | null {
  if (index % 500 === 250) return plan.veryLongText;
  if (index % 50 === 25) return plan.longText;
  if (index % 12 === 11) return null;
  const { sentences } = plan.words;
  return `${chance.pick(sentences)} ${chance.pick(sentences)}\n${chance.pick(sentences)}`;
}

/** What happens to one request; its values follow from it. */
function courseOf(plan: DemoPlan, chance: Chance, index: number) {
  const status = statusOf(chance, index, plan.options.requests);
  const isDone = status >= 101008 && status <= 101009;
  const isOnHold = status === 101004 || status === 101005;
  const created = createdAt(plan, index);
  const priority = chance.below(5);
  const deadline = created + (HOURS[priority] ?? 50) * HOUR;
  const finished = created + (1 + chance.below(72)) * HOUR;
  const caller = anyKey(chance, plan.ranges.Persons);
  const isAssigned = status !== 101001 && chance.happens(95);
  return { status, isDone, isOnHold, created, priority, deadline, finished, caller, isAssigned };
}

type Course = ReturnType<typeof courseOf>;

function requestValues(
  plan: DemoPlan,
  chance: Chance,
  index: number,
  edge: number,
): SeedRecord['values'] {
  const { ranges, options } = plan;
  const course = courseOf(plan, chance, index);
  const { status, isDone, isOnHold, created, priority, deadline, finished, caller } = course;
  const { isAssigned } = course;
  const isOdd = index % 97 === 40;
  return {
    ID: FIRST_ID + index,
    Description: descriptionOf(plan, chance, index),
    Information: informationOf(plan, chance, index),
    Solution: isDone ? chance.pick(plan.words.solutions) : null,
    Workaround: index % 40 === 39 ? 'Use the printer on the first floor.' : null,
    SourceID: index % 6 === 5 ? `EXT-${100_000 + index}` : null,
    Status: status,
    ClosureCode: isDone ? 130001 + chance.below(10) : null,
    Category: 140001 + chance.below(7),
    Classification: chance.happens(80) ? 143011 + chance.below(7) * 10 + chance.below(3) : null,
    Priority: 110001 + priority,
    Impact: chance.happens(60) ? 111003 : 111001 + chance.below(5),
    Urgency: chance.happens(50) ? 112001 + chance.below(4) : null,
    Medium: index % 64 === 63 ? 120008 : 120001 + chance.below(7),
    FrequentlyAskedQuestion: index % 90 === 89,
    OnHoldReason: isOnHold ? 180001 + chance.below(5) : null,
    OnHoldUntil: isOnHold ? pointText(options.now + chance.below(20) * DAY) : null,
    FeedbackRating: isDone && chance.happens(20) ? 1 + chance.below(5) : null,
    FeedbackText: index % 75 === 74 ? 'Quick & friendly: "thanks" 🙂' : null,
    Deadline: pointText(isOdd ? edge : deadline),
    DeadlineIsManual: isOdd,
    ActualStart: isAssigned ? pointText(created + HOUR) : null,
    ActualFinish: isDone ? pointText(Math.min(finished, options.now)) : null,
    PlanStart: isOdd ? pointText(edge - HOUR) : null,
    PlanFinish: isOdd ? pointText(edge + HOUR) : null,
    ClosedAt: status === 101009 ? pointText(Math.min(finished + 5 * DAY, options.now)) : null,
    ActualDuration: isDone ? (1 + chance.below(30)) * 15 * MINUTE_OF_NANOSECONDS : null,
    ServicecallCode1: chance.happens(30) ? 500001 + chance.below(4) : null,
    Folder: index % 41 === 40 ? 190004 : 190001 + (index % 3),
    Blocked: null,
    ExternalReferences: externalReferences(index),
    Caller: index % 70 === 69 ? null : caller,
    CallerOrganization: index % 70 === 69 ? null : organizationOf(plan, caller),
    Requestor: index % 14 === 13 ? anyKey(chance, ranges.Persons) : null,
    Service: chance.happens(70) ? anyKey(chance, ranges.Services) : null,
    ServiceLevelAgreement: index % 3 === 1 ? keyAt(ranges.ServiceLevelAgreements, index) : null,
    ConfigurationItem: chance.happens(40) ? anyKey(chance, ranges.ConfigurationItems) : null,
    Template: index % 16 === 15 ? keyAt(ranges.Templates, index * 5) : null,
    ...assignmentValues(plan, chance, index, course),
    ...approvalValues(plan, course),
    ...agreedValues(plan, index, course),
    'Registration/DateCreated': pointText(created),
    'Registration/DateModified': pointText(modifiedAt(plan, index, created)),
    'Registration/CreatedBy': loginAt(plan, index % 12),
    'Registration/ModifiedBy': loginAt(plan, index % 7),
  };
}

function assignmentValues(
  { ranges }: DemoPlan,
  chance: Chance,
  index: number,
  { isAssigned, created }: Course,
): SeedRecord['values'] {
  return {
    'Assignment/AssigneeWorkgroup': isAssigned ? anyKey(chance, ranges.Workgroups) : null,
    'Assignment/AssigneePerson':
      isAssigned && chance.happens(75) ? anyKey(chance, ranges.Persons) : null,
    'Assignment/AssignedAt': isAssigned ? pointText(created + HOUR) : null,
    'Assignment/ReferenceNumber': index % 55 === 54 ? `REF/${index}` : null,
  };
}

function approvalValues({ ranges }: DemoPlan, { status }: Course): SeedRecord['values'] {
  return {
    'Approval/Status': status === 101006 ? 170002 : null,
    'Approval/NrOfApproversRequired': status === 101006 ? 1 : null,
    'Approval/Workgroup': status === 101006 ? keyAt(ranges.Workgroups, 9) : null,
  };
}

/** What the service level agreement asks of it. */
function agreedValues(
  { ranges }: DemoPlan,
  index: number,
  { isDone, isOnHold, finished, deadline, created }: Course,
): SeedRecord['values'] {
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

/** Subject, kind and visibility of the four lines of every request. */
const LINES = [
  ['Status changed', 202001, 203001],
  [null, 202002, 203001],
  ['Message to the caller', 202005, 203002],
  [null, 202003, 203002],
] as const;

export function* historyRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ServiceRequests: requests, 'ServiceRequests/HistoryLines': range } = plan.ranges;
  const chance = chanceFor(plan, 'ServiceRequests/HistoryLines');
  for (let index = 0; index < requests.count; index++) {
    const created = createdAt(plan, index);
    for (let line = 0; line < LINES_PER_REQUEST; line++) {
      yield {
        set: 'ServiceRequests/HistoryLines',
        uid: range.first + index * LINES_PER_REQUEST + line,
        parent: requests.first + index,
        values: lineValues(plan, chance, line, Math.min(plan.options.now, created + line * HOUR)),
      };
    }
  }
}

function lineValues(
  plan: DemoPlan,
  chance: Chance,
  line: number,
  created: number,
): SeedRecord['values'] {
  const [subject, kind, visibility] = LINES[line] ?? LINES[1];
  const isChange = kind === 202001;
  return {
    Subject: subject ?? chance.pick(plan.words.noteSubjects),
    Kind: kind,
    Information: isChange ? null : chance.pick(plan.words.sentences),
    Attribute: isChange ? 'Status' : null,
    OldValue: isChange ? '101001' : null,
    NewValue: isChange ? '101002' : null,
    CreatedAt: pointText(created),
    CreatedBy: anyKey(chance, plan.ranges.Accounts),
    Visibility: visibility,
    TimeSpent: line === 3 ? (1 + chance.below(12)) * 5 * MINUTE_OF_NANOSECONDS : null,
  };
}

export function* attachmentRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ServiceRequests: requests, 'ServiceRequests/Attachments': range } = plan.ranges;
  for (let index = 0; index < range.count; index++) {
    const request = Math.floor((index * requests.count) / range.count);
    yield {
      set: 'ServiceRequests/Attachments',
      uid: range.first + index,
      parent: requests.first + request,
      values: {
        Name: `note-${index + 1}`,
        FileName: index % 9 === 8 ? `Überblick "${index}" – 日本.txt` : `note ${index + 1}.txt`,
        DateCreated: pointText(createdAt(plan, request)),
        MediaType: 'text/plain; charset=utf-8',
        CreatedBy: keyAt(plan.ranges.Accounts, index),
      },
    };
  }
}

/** The text of the file of a demo attachment: from nothing to some 20,000 characters. */
export function demoFileText(words: DemoVocabulary, uid: number): string {
  if (uid % 50 === 0) return '';
  return uid % 20 === 1
    ? veryLongText(words)
    : `Note ${uid}\n${words.sentences[uid % words.sentences.length] ?? ''}\n`;
}

export function* mailRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { EmailServiceRequests: range } = plan.ranges;
  const chance = chanceFor(plan, 'EmailServiceRequests');
  for (let index = 0; index < range.count; index++) {
    yield {
      set: 'EmailServiceRequests',
      uid: range.first + index,
      values: mailValues(plan, chance, index),
    };
  }
}

function mailValues(plan: DemoPlan, chance: Chance, index: number): SeedRecord['values'] {
  const { ranges, options, start, words } = plan;
  const { Persons: persons, ServiceRequests: requests, EmailServiceRequests: range } = ranges;
  const received = start + Math.floor(((options.now - start) * index) / range.count);
  const sender = chance.below(persons.count);
  const isKnown = index % 7 !== 6;
  const body = `${chance.pick(words.sentences)}\r\n${chance.pick(words.sentences)}\r\n`;
  const status = 212001 + (index % 5);
  const isTied = requests.count > 0 && (status === 212002 || status === 212003);
  return {
    ID: index + 1,
    Subject:
      index % 13 === 12 ? chance.pick(words.oddSubjects) : `Re: ${chance.pick(words.things)}`,
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
    ServiceRequest: isTied ? anyKey(chance, requests) : null,
    Folder: 190001,
    Blocked: null,
    ExternalReferences: '[]',
    'Registration/DateCreated': pointText(received),
    'Registration/DateModified': pointText(received),
    'Registration/CreatedBy': 'integration',
    'Registration/ModifiedBy': 'integration',
  };
}
