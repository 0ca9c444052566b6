// This file makes writes repeatable: a client that has lost a response sends the request again with the same id and gets the stored
// response. The response is stored in the transaction of the write. As there is a single writer, of two concurrent attempts the second
// finds the result of the first, even after a crash. A failed request stores nothing, so repeating it runs it again.
// Source: OASIS Repeatable Requests 1.0; IETF HTTPAPI, "The Idempotency-Key HTTP Header Field".
import { createHash } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { machineOf } from '../../auth/token.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import { ARGUMENT, integer, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Cell, Row, Work } from '../../store/database.ts';
import { firstRow, query } from '../../store/work.ts';
import { mayHoldSecret } from '../accounts/extract-password.ts';
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

/** `until`: expiry in milliseconds since 1970, null for rows of an unfinished job. Status 0: the entry has no response of its own. */
export const REPEAT_TABLE: EngineTable = {
  name: 'docket_repeat',
  columns: `account integer NOT NULL, key text NOT NULL, fingerprint text NOT NULL, status integer NOT NULL,
    headers text NOT NULL, body binary, at integer NOT NULL, until integer, rights text`,
  key: ['account', 'key'],
  indexes: {
    docket_repeat_until: ['until'],
    docket_repeat_account: ['account', 'at'],
    docket_repeat_at: ['at'],
  },
};

/** Counts only rows with `until`, since those of jobs are deleted when the job finishes. */
export const REPEATABLE: ResponseTable = {
  kind: 'repeatable',
  name: 'docket_repeat',
  key: sql`account, key`,
  bytes: bytesOfColumns('key', 'headers', 'body'),
  counted: sql`until IS NOT NULL`,
};

/** The identity of a repeatable write. */
export interface Repeat {
  readonly account: bigint;
  readonly key: string;
  readonly fingerprint: string;
  readonly job: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly until: number | undefined;
  /** The rights of the requester. */
  readonly rights: RightsStamp;
  /** Repeatability-First-Sent, and until when its response would be stored, in milliseconds since 1970. */
  readonly firstSent: { readonly text: string; readonly until: number } | undefined;
  readonly limits: StoredLimits;
}

const HOUR = 3_600_000;
/** Status of an entry that has no response of its own. */
const WITHOUT_RESPONSE = 0;
/** Status of the response to an asynchronous request, whose Location is its status monitor. */
const ACCEPTED = 202;
/** How far a client's clock may be ahead. Milliseconds. */
const SKEW = HOUR;
/** Maximum of expired rows that one write deletes. */
const PRUNE_LIMIT = 50;

const FIND = sql`SELECT fingerprint, status, headers, body, rights FROM ${tableName('docket_repeat')} WHERE account = ${ARGUMENT} AND key = ${ARGUMENT}`;
const KEEP = sql`INSERT INTO ${tableName('docket_repeat')} (account, key, fingerprint, rights, status, headers, body, at, until)
  VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}) RETURNING ${REPEATABLE.bytes}`;
const JOB_ANSWER = sql`SELECT status, headers, answer, rights FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND account = ${ARGUMENT} AND (until IS NULL OR until > ${ARGUMENT})`;
/** Another process may have finished the job and deleted its entries. */
const JOB_IS_OPEN = sql`SELECT 1 FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND status IS NULL`;

/**
 * The identity of a repeatable write, from Repeatability-Request-ID and -First-Sent or from Idempotency-Key; undefined for other
 * requests. Throws: repeat.header, repeat.expired, both with Repeatability-Result: rejected.
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
  const retention = repeatHours * HOUR;
  const own = call.repeat;
  const identity =
    own === undefined ? readHeaders(call, now, repeatHours) : { key: own.key, sent: now };
  if (identity === undefined) return undefined;
  const first = own === undefined ? call.headers['repeatability-first-sent'] : undefined;
  return {
    account: principal.account,
    key: keyOf(identity.key, call, principal),
    fingerprint: fingerprintOf(call),
    job: own?.job,
    rights: stampOf(service, principal),
    firstSent: first === undefined ? undefined : { text: first, until: identity.sent + retention },
    limits: repeatableLimits(service.limits),
    now,
    until: own?.job === undefined ? Math.max(now, identity.sent) + retention : undefined,
  };
}

/** The key of an account. Callers without an account share one number, so the address of the client is part of the key. */
function keyOf(key: string, { address }: Call, { anonymous }: Principal): string {
  return anonymous === true ? `${machineOf(address)} ${key}` : key;
}

/**
 * Runs the write and stores its response, or returns the stored response. The oldest responses beyond the limits are deleted.
 * Throws: repeat.reused, async.cancelled, repeat.too-large, repeat.collected; repeat.rights if the requester no longer has the rights
 * that the response was created with; repeat.unfinished, async.unknown if the first request was asynchronous.
 */
export function doOnce(repeat: Repeat | undefined, perform: () => Work<Answer>): Work<Answer> {
  return repeat === undefined ? perform() : performOrRepeat(repeat, perform);
}

function* performOrRepeat(repeat: Repeat, perform: () => Work<Answer>): Work<Answer> {
  const stored = yield* find(repeat);
  return stored === undefined
    ? yield* performAndStore(repeat, perform)
    : yield* finalAnswer(stored, repeat);
}

/**
 * The stored response to a request that has been executed, but that cannot be prepared any more: a right, a template or a code that it
 * needs is gone. Throws: the error if there is none; repeat.rights, repeat.unfinished, async.unknown.
 */
export function* repeatedInstead(error: unknown, repeat: Repeat): Work<Answer> {
  if (!(error instanceof Fault) || error.status >= 500) throw error;
  const row = yield* firstRow(FIND, [repeat.account, repeat.key]);
  if (row?.[0] !== repeat.fingerprint) throw error;
  return yield* finalAnswer(readStored(row, repeat), repeat);
}

/** As doOnce, for asynchronous requests, to which 202 is a response. */
export function* acceptOnce(
  repeat: Repeat | undefined,
  accept: () => Work<Answer>,
): Work<Answer | 'reserved'> {
  if (repeat === undefined) return yield* accept();
  const stored = yield* find(repeat);
  if (stored === undefined) return yield* performAndStore(repeat, accept);
  return stored.status === WITHOUT_RESPONSE ? 'reserved' : stored;
}

function* performAndStore(repeat: Repeat, perform: () => Work<Answer>): Work<Answer> {
  const answer = yield* perform();
  yield* store(repeat, answer);
  return answer;
}

/**
 * Stores the key of a batch, whose parts have responses of their own. Returns the response of the batch if it was asynchronous before.
 * Throws: repeat.reused if another request has used the key; repeat.unfinished, repeat.rights, async.unknown.
 */
export function* reserveKey(repeat: Repeat): Work<Answer | undefined> {
  const stored = yield* find(repeat);
  if (stored === undefined)
    yield* store(repeat, { status: WITHOUT_RESPONSE, headers: {}, body: undefined });
  const isReserved = stored === undefined || stored.status === WITHOUT_RESPONSE;
  return isReserved ? undefined : yield* finalAnswer(stored, repeat);
}

/** The stored response, or that of the job which it refers to: without respond-async, a response must not be 202. */
function* finalAnswer(stored: Answer, { account, now, rights }: Repeat): Work<Answer> {
  if (stored.status !== ACCEPTED) return stored;
  const monitor = String(stored.headers.Location);
  const id = monitor.slice(monitor.lastIndexOf('/') + 1);
  const row = yield* firstRow(JOB_ANSWER, [id, account, BigInt(now)]);
  if (row === undefined) throw new Fault('async.unknown', { id });
  if (row[0] === null)
    throw new Fault('repeat.unfinished', { monitor }, { headers: { 'Retry-After': '1' } });
  return requireRights(storedAnswer(row), row[3], rights);
}

/** Adds Repeatability-Result where it is required. OASIS Repeatable Requests 1.0, "Repeatability-Result". */
export function withRepeatabilityResult(call: Call, answer: Answer): Answer {
  const isRepeatable = call.headers['repeatability-request-id'] !== undefined && changes(call);
  const name = 'Repeatability-Result';
  if (!isRepeatable || answer.status >= 500 || answer.headers[name] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, [name]: 'accepted' } };
}

function changes(call: Call): boolean {
  return !isReading(call) && call.method !== 'OPTIONS';
}

// ---- headers --------------------------------------------------------------------------------------------------------

interface RequestIdentity {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
}

function readHeaders({ headers }: Call, now: number, hours: number): RequestIdentity | undefined {
  const id = readId('Repeatability-Request-ID', headers['repeatability-request-id']);
  const alias = readId('Idempotency-Key', unquoted(headers['idempotency-key']));
  const client = readId('Repeatability-Client-ID', headers['repeatability-client-id']) ?? '';
  const first = headers['repeatability-first-sent'];
  if (id === undefined && first !== undefined)
    throw invalidHeader('Repeatability-First-Sent', 'send Repeatability-Request-ID with it');
  if (id !== undefined && first === undefined)
    throw invalidHeader('Repeatability-Request-ID', 'send Repeatability-First-Sent with it');
  if (id !== undefined && alias !== undefined && id !== alias)
    throw invalidHeader('Idempotency-Key', 'it must equal Repeatability-Request-ID');
  const name = id ?? alias;
  if (name === undefined) return undefined;
  const sent = first === undefined ? now : readFirstSent(first, now, hours);
  return { key: `client/${client}/${name}`, sent };
}

function readId(header: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[!-~]{1,255}$/.test(value.trim())) return value?.trim();
  throw invalidHeader(
    header,
    'use 1 to 255 visible ASCII characters without spaces, such as a UUID',
  );
}

/** The draft puts the key in double quotes; most clients omit them. */
function unquoted(value: string | undefined): string | undefined {
  return value?.trim().replace(/^"(.*)"$/, '$1');
}

/** Parses an IMF-fixdate. RFC 9110, "Date/Time Formats". */
function readFirstSent(value: string, now: number, hours: number): number {
  const sent = Date.parse(value);
  if (Number.isNaN(sent) || new Date(sent).toUTCString() !== value.trim())
    throw invalidHeader(
      'Repeatability-First-Sent',
      `use the format "${new Date(now).toUTCString()}"`,
    );
  if (sent >= now - hours * HOUR && sent <= now + SKEW) return sent;
  throw new Fault(
    'repeat.expired',
    { value, hours },
    { target: 'Repeatability-First-Sent', headers: REJECTED },
  );
}

const REJECTED = { 'Repeatability-Result': 'rejected' } as const;

function invalidHeader(header: string, expected: string): Fault {
  return new Fault('repeat.header', { header, expected }, { target: header, headers: REJECTED });
}

/** Digest of what must be equal in both attempts. Bodies with passwords are left out, since a fast hash must not be stored. */
function fingerprintOf(call: Call): string {
  const { method, path, query, body } = call;
  return createHash('sha256')
    .update(`${method}\n${path}\n${query}\n`)
    .update(mayHoldSecret(call) ? '' : (body ?? ''))
    .digest('base64url');
}

// ---- rows -----------------------------------------------------------------------------------------------------------

function* find(repeat: Repeat): Work<Answer | undefined> {
  const { account, key, fingerprint, job } = repeat;
  if (job !== undefined) yield* requireOpen(job);
  const row = yield* firstRow(FIND, [account, key]);
  if (row === undefined) {
    yield* requireNotCollected(repeat);
    return undefined;
  }
  if (row[0] === fingerprint) return readStored(row, repeat);
  const id = key.split('/').slice(2).join('/').replace('\n', ', part ');
  throw new Fault('repeat.reused', { id }, { headers: REJECTED });
}

function* requireOpen(job: string): Work<void> {
  const { rows } = yield query(JOB_IS_OPEN, [job]);
  if (rows.length === 0) throw new Fault('async.cancelled');
}

/** Throws: repeat.collected if the response may have been deleted early to stay within the limits. */
function* requireNotCollected({ account, firstSent }: Repeat): Work<void> {
  if (firstSent === undefined) return;
  const collected = yield* collectedUntil(REPEATABLE, account);
  if (collected === undefined || firstSent.until > collected) return;
  const place = { target: 'Repeatability-First-Sent', headers: REJECTED };
  throw new Fault('repeat.collected', { value: firstSent.text }, place);
}

function readStored([, ...row]: Row, { rights }: Repeat): Answer {
  const answer = storedAnswer(row);
  return answer.status === WITHOUT_RESPONSE ? answer : requireRights(answer, row[3], rights);
}

/** Returns the response. Throws: repeat.rights if the rights do not cover those that it was created with. */
function requireRights(answer: Answer, stamp: Cell | undefined, rights: RightsStamp): Answer {
  if (covers(rights, typeof stamp === 'string' ? stamp : undefined)) return answer;
  throw new Fault('repeat.rights', { status: answer.status });
}

function* store(repeat: Repeat, answer: Answer): Work<void> {
  const { account, key, fingerprint, rights, now, until, limits } = repeat;
  const expired = sql`until < ${value(BigInt(now))} LIMIT ${integer(PRUNE_LIMIT)}`;
  yield* deleteResponses(REPEATABLE, expired);
  const expiry = until === undefined ? null : BigInt(Math.ceil(until));
  const cells = [...answerCells(answer), BigInt(now), expiry];
  const { rows } = yield query(KEEP, [account, key, fingerprint, rights, ...cells]);
  if (until === undefined) return;
  const bytes = Number(rows[0]?.[0]);
  const exceeded = limitBelow(bytes, limits);
  if (exceeded !== undefined)
    throw new Fault('repeat.too-large', { bytes, limit: exceeded.value, name: exceeded.setting });
  yield* count(REPEATABLE, account, { entries: 1, bytes });
  yield* collect(REPEATABLE, account, limits);
}

/** The cells of a response: status, headers, body. */
export function answerCells({ status, headers, body }: Answer): readonly Cell[] {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  return [BigInt(status), JSON.stringify(headers), bytes ?? null];
}

/** The response stored in such cells. */
export function storedAnswer([status, headers, body]: Row): Answer {
  return {
    status: Number(status ?? 0),
    headers: JSON.parse(String(headers)) as Answer['headers'],
    body: body instanceof Uint8Array ? body : undefined,
  };
}
