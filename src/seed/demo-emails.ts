// This file generates the demo e-mails: those that became service requests, the replies of their callers, and others, each before the lines of
// its history.
import {
  type Author,
  agentsOf,
  changeLine,
  codeText,
  INTERNAL,
  KIND,
  keysFrom,
  type Line,
  lineRecords,
  noteAt,
  STATUS_MEMBER,
  VISIBLE,
  writerOf,
} from './course/lines.ts';
import { convertedMails, MAIL, mailStatus } from './course/mailbox.ts';
import { emailOf, personNames } from './demo-people.ts';
import {
  type DemoPlan,
  keyAt,
  perPlan,
  randomFor,
  type SeedRecord,
  type Values,
} from './demo-plan.ts';
import type { Random } from './demo-random.ts';
import type { DraftedRequest } from './demo-requests.ts';
import { MINUTE, pointText } from './demo-time.ts';

/** The e-mail that became a request, and the reply of the caller. */
export interface RequestMail {
  /** The index of the first e-mail; that of the reply is the next one. */
  readonly index: number;
  readonly request: SeedRecord;
  readonly received: number;
  readonly converted: number;
  readonly replied: number;
  readonly reply: string;
  /** The account that made a request of the e-mail. */
  readonly agent: number;
}

const conversions = perPlan(({ ranges }) =>
  convertedMails(ranges.EmailServiceRequests.count, ranges.ServiceRequests.count),
);

/** The e-mails of a request, if it has been made of one. Replies arrive before the work begins. */
export function requestMail(plan: DemoPlan, drafted: DraftedRequest): RequestMail | undefined {
  const { index: at, record, created, steps, agent } = drafted;
  const index = conversions(plan).get(at);
  if (index === undefined) return undefined;
  const { sentences } = plan.words;
  const first = steps[0]?.at ?? plan.options.now;
  return {
    index,
    request: record,
    received: created - (2 + (index % 29)) * MINUTE,
    converted: created,
    replied: created + Math.floor((first - created) / 2),
    reply: `${sentences[index % sentences.length] ?? sentences[0]}\r\n`,
    agent,
  };
}

/** The members of a request that an e-mail determines. */
export function convertedValues({ words, ranges }: DemoPlan, { agent }: RequestMail): Values {
  return {
    Medium: 120002,
    'Registration/CreatedBy': words.accounts[agent - ranges.Accounts.first]?.login ?? 'demo',
  };
}

/** The account with which the service stores e-mails. */
function mailAccount({ words, ranges }: DemoPlan): number {
  const index = words.accounts.findIndex(({ login }) => login === 'integration');
  return keyAt(ranges.Accounts, Math.max(0, index));
}

/** Why a reply moves nothing: nobody knows its sender. */
function distrustOf(plan: DemoPlan, { request }: RequestMail): string | null {
  const { address, person } = senderOf(plan, request.values.Caller);
  return person === null ? `${address} is no known person.` : null;
}

/** The line about the reply in the history of the request. */
export function replyLine(plan: DemoPlan, mail: RequestMail): Line {
  const distrust = distrustOf(plan, mail);
  const text = distrust === null ? mail.reply : `${distrust}\n\n${mail.reply}`;
  const visibility = distrust === null ? VISIBLE : INTERNAL;
  const note = { kind: KIND.mailIn, text, visibility, timeSpent: null };
  const author = { account: mailAccount(plan) };
  return noteAt(mail.replied, { ...note, subject: replySubject(mail) }, author);
}

function replySubject({ request }: RequestMail): string {
  return `Re: ${request.values.Description}`.slice(0, 255);
}

const lineKeys = perPlan(({ ranges }) =>
  keysFrom(ranges['EmailServiceRequests/HistoryLines'].first),
);

/** The e-mails of a request and their histories. */
export function* requestMailRecords(plan: DemoPlan, mail: RequestMail): Generator<SeedRecord> {
  const { index, request, received, converted, replied, reply, agent } = mail;
  const { Description: subject = null, Information: body = null, Caller: caller } = request.values;
  const common = { sender: senderOf(plan, caller), request: request.uid, language: 'en' };
  yield* mailWithLines(plan, {
    ...common,
    index,
    subject: String(subject),
    body: body === null ? null : String(body),
    received,
    status: MAIL.converted,
    lines: linkLines(plan, mail, MAIL.converted, converted, { account: agent }),
  });
  yield* mailWithLines(plan, {
    ...common,
    index: index + 1,
    subject: replySubject(mail),
    body: reply,
    received: replied,
    status: MAIL.linked,
    inReplyTo: index,
    distrust: distrustOf(plan, mail),
    lines: linkLines(plan, mail, MAIL.linked, replied, { account: mailAccount(plan) }),
  });
}

/** The lines about an e-mail that gets its request. */
function linkLines(
  plan: DemoPlan,
  { request }: RequestMail,
  status: number,
  at: number,
  author: Author,
): readonly Line[] {
  const set = 'EmailServiceRequests';
  return [
    statusLine(plan, status, at, author),
    changeLine(plan, set, at, ['ServiceRequest', null, String(request.uid)], author),
  ];
}

function statusLine(plan: DemoPlan, status: number, at: number, author: Author): Line {
  const texts = [codeText(plan, MAIL.new), codeText(plan, status)] as const;
  return changeLine(plan, 'EmailServiceRequests', at, [STATUS_MEMBER, ...texts], author);
}

/** The e-mails that belong to no request. */
export function* otherMailRecords(plan: DemoPlan): Generator<SeedRecord> {
  const { ranges, options, start } = plan;
  const { count } = ranges.EmailServiceRequests;
  const random = randomFor(plan, 'EmailServiceRequests');
  for (let index = 0; index < count; index++) {
    const status = mailStatus(index, count, ranges.ServiceRequests.count);
    if (status === MAIL.converted || status === MAIL.linked) continue;
    const received = start + Math.floor(((options.now - start) * index) / count);
    yield* mailWithLines(plan, otherMail(plan, random, index, received, status));
  }
}

function otherMail(
  plan: DemoPlan,
  random: Random,
  index: number,
  received: number,
  status: number,
): Mail {
  const { ranges, words, options } = plan;
  const isKnown = status !== MAIL.rejected;
  const agents = agentsOf(plan);
  const agent = agents[index % agents.length] ?? agents[0];
  const rejected = Math.min(options.now, received + (10 + random.below(90)) * MINUTE);
  return {
    index,
    subject: index % 2 === 0 ? random.pick(words.oddSubjects) : random.pick(words.things),
    body: index % 20 === 19 ? plan.longText : `${random.pick(words.sentences)}\r\n`,
    received,
    status,
    sender: senderOf(plan, isKnown ? keyAt(ranges.Persons, random.below(10_000)) : null),
    request: null,
    language: index % 3 === 0 ? 'nl' : 'en',
    lines: status === MAIL.rejected ? rejectionLines(plan, rejected, { account: agent }) : [],
  };
}

const REJECTION = 'Advertisement';

/** The lines that the action Reject adds. */
function rejectionLines(plan: DemoPlan, at: number, author: Author): readonly Line[] {
  const note = { kind: KIND.internal, visibility: INTERNAL, timeSpent: null };
  return [
    statusLine(plan, MAIL.rejected, at, author),
    noteAt(at, { ...note, subject: 'Rejected', text: REJECTION }, author),
  ];
}

interface Sender {
  readonly address: string;
  readonly name: string | null;
  readonly person: number | null;
}

/** Persons without an address write from one that nobody knows. */
function senderOf(plan: DemoPlan, person: Values[string] | undefined): Sender {
  const index = typeof person === 'number' ? person - plan.ranges.Persons.first : -1;
  const address = index < 0 ? null : emailOf(index);
  if (typeof person !== 'number' || address === null)
    return { address: 'stranger@elsewhere.example', name: null, person: null };
  const name = personNames(plan)[index] ?? null;
  return { address: address.toLowerCase(), name, person };
}

interface Mail {
  readonly index: number;
  readonly subject: string;
  readonly body: string | null;
  readonly received: number;
  readonly status: number;
  readonly sender: Sender;
  readonly request: number | null;
  readonly language: string;
  /** The index of the e-mail that it answers. */
  readonly inReplyTo?: number;
  readonly distrust?: string | null;
  readonly lines: readonly Line[];
}

function* mailWithLines(plan: DemoPlan, mail: Mail): Generator<SeedRecord> {
  const set = 'EmailServiceRequests';
  const uid = plan.ranges[set].first + mail.index;
  yield { set, uid, values: mailValues(plan, mail) };
  yield* lineRecords('EmailServiceRequests/HistoryLines', uid, mail.lines, lineKeys(plan));
}

function mailValues(plan: DemoPlan, mail: Mail): Values {
  const { index, body, received, sender, inReplyTo, distrust = null } = mail;
  const last = mail.lines.at(-1);
  return {
    ID: index + 1,
    Subject: mail.subject,
    Body: body,
    BodyHtml: index % 2 === 0 && body !== null ? `<p>${escaped(body)}</p>` : null,
    FromAddress: sender.address,
    FromName: sender.name,
    ToAddresses: '["servicedesk@hillside.example"]',
    CcAddresses: index % 6 === 5 ? '["head@hillside.example","copy@hillside.example"]' : '[]',
    MessageId: messageId(plan, index),
    InReplyTo: inReplyTo === undefined ? null : messageId(plan, inReplyTo),
    ReceivedAt: pointText(received),
    Status: mail.status,
    Language: mail.language,
    Automatic: false,
    DistrustReason: distrust,
    Sender: sender.person,
    ServiceRequest: mail.request,
    Folder: 190001,
    Blocked: null,
    ExternalReferences: '[]',
    'Registration/DateCreated': pointText(received),
    'Registration/DateModified': pointText(last?.at ?? received),
    'Registration/CreatedBy': 'integration',
    'Registration/ModifiedBy': last === undefined ? 'integration' : writerOf(plan, last),
  };
}

function messageId({ options }: DemoPlan, index: number): string {
  return `<${options.seed}.${index + 1}@mail.hillside.example>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
