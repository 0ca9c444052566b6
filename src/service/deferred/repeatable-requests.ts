// This file makes writes repeatable: a client that has lost an answer sends the request again with the same id and gets the answer that
// the first one had. The answer is stored in the transaction of the deed itself, and there is one writer, so that of two tries at once
// the second finds what the first has done, also after a crash between them. A request that was refused has done nothing and leaves
// nothing: trying it again is trying anew.
// Source: OASIS Repeatable Requests 1.0; IETF HTTPAPI, "The Idempotency-Key HTTP Header Field".
import { createHash } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import type { Cell, Row, Transaction } from '../../store/database.ts';
import { mayHoldPassword } from '../accounts/posted-password.ts';
import type { Call, Service } from '../service.ts';
import { isReading } from '../stage-inputs.ts';
import { covers, type RightsStamp, stampOf } from './rights-stamp.ts';
import {
  bytesOfColumns,
  collect,
  collectedUntil,
  count,
  deleteResponses,
  limitBelow,
  type RepeatableLimits,
  type ResponseTable,
  repeatableLimits,
  type StoredLimits,
} from './stored-responses.ts';

/** `until`: when the row may go, in milliseconds since 1970; null while a job that it belongs to is not done. Status 0: no answer of its own. */
export const REPEAT_TABLE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_repeat (
    account INTEGER NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL,
    body BLOB, at INTEGER NOT NULL, until INTEGER, rights TEXT, PRIMARY KEY (account, key))`,
  'CREATE INDEX IF NOT EXISTS docket_repeat_until ON docket_repeat (until)',
  'CREATE INDEX IF NOT EXISTS docket_repeat_account ON docket_repeat (account, at)',
  'CREATE INDEX IF NOT EXISTS docket_repeat_at ON docket_repeat (at)',
];

/** Of the rows with `until`: those of jobs go when the job is done. */
export const REPEATABLE: ResponseTable = {
  kind: 'repeatable',
  name: 'docket_repeat',
  bytes: bytesOfColumns('key', 'headers', 'body'),
  counted: 'until IS NOT NULL',
};

/** What makes a write recognizable. */
export interface Repeat {
  readonly account: bigint;
  readonly key: string;
  readonly fingerprint: string;
  readonly job: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly until: number | undefined;
  /** The rights of who asks. */
  readonly rights: RightsStamp;
  /** What Repeatability-First-Sent says: its text, and in milliseconds since 1970 how long its response would be stored. */
  readonly firstSent: { readonly text: string; readonly until: number } | undefined;
  readonly limits: StoredLimits;
}

const HOUR = 3_600_000;
/** Status of an entry that has no answer of its own. */
const WITHOUT_ANSWER = 0;
/** How far a client's clock may be ahead. Milliseconds. */
const SKEW = HOUR;
/** Rows that one write clears away. */
const PRUNED_AT_ONCE = 50;

const FIND =
  'SELECT fingerprint, status, headers, body, rights FROM docket_repeat WHERE account = ? AND key = ?';
const KEEP = `INSERT INTO docket_repeat (account, key, fingerprint, rights, status, headers, body, at, until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${REPEATABLE.bytes}`;
/** Another process may have done it, and have forgotten by what it was recognized. */
const JOB_IS_OPEN = 'SELECT 1 FROM docket_job WHERE id = ? AND status IS NULL';

/**
 * What the request is to be recognized by, if it is to be repeatable: its headers Repeatability-Request-ID and -First-Sent, or
 * Idempotency-Key, say so. Faults repeat.header (400), repeat.expired (412), both with Repeatability-Result: rejected.
 */
export function repeatOf(
  call: Call,
  principal: Principal,
  service: Pick<Service, 'world' | 'roles'> & {
    readonly limits: Pick<Service['limits'], 'repeatHours'> & RepeatableLimits;
  },
): Repeat | undefined {
  if (!changes(call)) return undefined;
  const now = service.world.now();
  const { repeatHours } = service.limits;
  const kept = repeatHours * HOUR;
  const own = call.repeat;
  const named =
    own === undefined ? readHeaders(call, now, repeatHours) : { key: own.key, sent: now };
  if (named === undefined) return undefined;
  const first = own === undefined ? call.headers['repeatability-first-sent'] : undefined;
  return {
    account: principal.account,
    key: named.key,
    fingerprint: fingerprintOf(call),
    job: own?.job,
    rights: stampOf(service, principal),
    firstSent: first === undefined ? undefined : { text: first, until: named.sent + kept },
    limits: repeatableLimits(service.limits),
    now,
    until: own?.job === undefined ? Math.max(now, named.sent) + kept : undefined,
  };
}

/**
 * Does the write, or gives the answer that it had when it was done. Answers are stored within limits; the oldest go first.
 * Faults repeat.reused (400), async.cancelled; repeat.rights (403) where the rights are gone that the answer was made with;
 * repeat.too-large (507); repeat.collected (412).
 */
export function doOnce(
  repeat: Repeat | undefined,
  transaction: Transaction,
  perform: () => Answer,
): Answer {
  if (repeat === undefined) return perform();
  const known = find(repeat, transaction);
  if (known !== undefined) return known;
  const answer = perform();
  keep(repeat, transaction, answer);
  return answer;
}

/** Notes a key whose parts have answers of their own (a batch). Fault repeat.reused when it was given to another request. */
export function reserve(repeat: Repeat, transaction: Transaction): void {
  if (find(repeat, transaction) !== undefined) return;
  keep(repeat, transaction, { status: WITHOUT_ANSWER, headers: {}, body: undefined });
}

/** The answer with the header that repeatable requests are owed. OASIS Repeatable Requests 1.0, "Repeatability-Result". */
export function announced(call: Call, answer: Answer): Answer {
  const isAsked = call.headers['repeatability-request-id'] !== undefined && changes(call);
  const name = 'Repeatability-Result';
  if (!isAsked || answer.status >= 500 || answer.headers[name] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, [name]: 'accepted' } };
}

function changes(call: Call): boolean {
  return !isReading(call) && call.method !== 'OPTIONS';
}

// ---- headers --------------------------------------------------------------------------------------------------------

interface Named {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
}

function readHeaders({ headers }: Call, now: number, hours: number): Named | undefined {
  const id = readId('Repeatability-Request-ID', headers['repeatability-request-id']);
  const alias = readId('Idempotency-Key', unquoted(headers['idempotency-key']));
  const client = readId('Repeatability-Client-ID', headers['repeatability-client-id']) ?? '';
  const first = headers['repeatability-first-sent'];
  if (id === undefined && first !== undefined)
    throw rejected('Repeatability-First-Sent', 'send Repeatability-Request-ID with it');
  if (id !== undefined && first === undefined)
    throw rejected('Repeatability-Request-ID', 'send Repeatability-First-Sent with it');
  if (id !== undefined && alias !== undefined && id !== alias)
    throw rejected('Idempotency-Key', 'it must be the same as Repeatability-Request-ID');
  const name = id ?? alias;
  if (name === undefined) return undefined;
  const sent = first === undefined ? now : readFirstSent(first, now, hours);
  return { key: `client/${client}/${name}`, sent };
}

function readId(header: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[!-~]{1,255}$/.test(value.trim())) return value?.trim();
  throw rejected(header, 'write 1 to 255 visible ASCII characters without blanks, such as a UUID');
}

/** The draft has the key in double quotes, most clients write it without. */
function unquoted(value: string | undefined): string | undefined {
  return value?.trim().replace(/^"(.*)"$/, '$1');
}

/** IMF-fixdate. RFC 9110, "Date/Time Formats". */
function readFirstSent(value: string, now: number, hours: number): number {
  const sent = Date.parse(value);
  if (Number.isNaN(sent) || new Date(sent).toUTCString() !== value.trim())
    throw rejected(
      'Repeatability-First-Sent',
      `write the time as in "${new Date(now).toUTCString()}"`,
    );
  if (sent >= now - hours * HOUR && sent <= now + SKEW) return sent;
  throw new Fault(
    'repeat.expired',
    { value, hours },
    { target: 'Repeatability-First-Sent', headers: REJECTED },
  );
}

const REJECTED = { 'Repeatability-Result': 'rejected' } as const;

function rejected(header: string, expected: string): Fault {
  return new Fault('repeat.header', { header, expected }, { target: header, headers: REJECTED });
}

/** Method, URL and body: what must be the same in both tries. Of a password no quick hash is kept. */
function fingerprintOf(call: Call): string {
  const { method, path, query, body } = call;
  return createHash('sha256')
    .update(`${method}\n${path}\n${query}\n`)
    .update(mayHoldPassword(call) ? '' : (body ?? ''))
    .digest('base64url');
}

// ---- rows -----------------------------------------------------------------------------------------------------------

function find(repeat: Repeat, transaction: Transaction): Answer | undefined {
  const { account, key, fingerprint, job } = repeat;
  if (job !== undefined && transaction.rows(JOB_IS_OPEN, [job]).length === 0)
    throw new Fault('async.cancelled');
  const [row] = transaction.rows(FIND, [account, key]);
  if (row === undefined) {
    requireMemory(repeat, transaction);
    return undefined;
  }
  if (row[0] === fingerprint) return shownAgain(row, repeat);
  const id = key.split('/').slice(2).join('/').replace('\n', ', part ');
  throw new Fault('repeat.reused', { id }, { headers: REJECTED });
}

/** What was sent before the newest response that had to be deleted may have been done. Fault repeat.collected (412). */
function requireMemory({ account, firstSent }: Repeat, transaction: Transaction): void {
  if (firstSent === undefined) return;
  const collected = collectedUntil(transaction, REPEATABLE, account);
  if (collected === undefined || firstSent.until > collected) return;
  const place = { target: 'Repeatability-First-Sent', headers: REJECTED };
  throw new Fault('repeat.collected', { value: firstSent.text }, place);
}

function shownAgain([, ...row]: Row, { rights }: Repeat): Answer {
  const answer = storedAnswer(row);
  const [, , , then] = row;
  const isShown =
    answer.status === WITHOUT_ANSWER || covers(rights, typeof then === 'string' ? then : undefined);
  if (isShown) return answer;
  throw new Fault('repeat.rights', { status: answer.status });
}

function keep(repeat: Repeat, transaction: Transaction, answer: Answer): void {
  const { account, key, fingerprint, rights, now, until, limits } = repeat;
  const expired = [BigInt(now), BigInt(PRUNED_AT_ONCE)];
  deleteResponses(transaction, REPEATABLE, 'until < ? LIMIT ?', expired);
  const expiry = until === undefined ? null : BigInt(Math.ceil(until));
  const cells = [...answerCells(answer), BigInt(now), expiry];
  const [row] = transaction.rows(KEEP, [account, key, fingerprint, rights, ...cells]);
  if (until === undefined) return;
  const bytes = Number(row?.[0]);
  const exceeded = limitBelow(bytes, limits);
  if (exceeded !== undefined)
    throw new Fault('repeat.too-large', { bytes, limit: exceeded.value, name: exceeded.setting });
  count(transaction, REPEATABLE, account, { entries: 1, bytes });
  collect(transaction, REPEATABLE, account, limits);
}

/** An answer as cells: status, headers, body. */
export function answerCells({ status, headers, body }: Answer): readonly Cell[] {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  return [BigInt(status), JSON.stringify(headers), bytes ?? null];
}

/** The answer that was stored as those cells. */
export function storedAnswer([status, headers, body]: Row): Answer {
  return {
    status: Number(status ?? 0),
    headers: JSON.parse(String(headers)) as Answer['headers'],
    body: body instanceof Uint8Array ? body : undefined,
  };
}
