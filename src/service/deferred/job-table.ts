// This file keeps requests that are answered later: what was asked, and the answer once it is there. A request is in the table before
// the client is told that it will be done, and its answer stays until the client lets it go or it expires.
import type { Principal } from '../../access/principal.ts';
import type { Owner } from '../../auth/auth-records.ts';
import { Fault } from '../../base/fault.ts';
import { renderError } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import type { Database, Transaction } from '../../store/database.ts';
import type { Call } from '../service.ts';
import { answerCells, storedAnswer } from './repeatable-requests.ts';
import { NO_RIGHTS, type RightsStamp } from './rights-stamp.ts';
import {
  bytesOfColumns,
  collect,
  count,
  deleteResponses,
  exceededMegabytes,
  limitBelow,
  type ResponseTable,
  type StoredLimits,
} from './stored-responses.ts';

/**
 * `request`: JSON of the call without its body; `status` is null while there is no answer. `session` is the one by which the request was sent,
 * `rights` the stamp of those that its answer was made with. Times are milliseconds since 1970.
 */
export const JOB_TABLE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_job (
    id TEXT PRIMARY KEY, account INTEGER NOT NULL, login_name TEXT NOT NULL, request TEXT NOT NULL, body BLOB,
    at INTEGER NOT NULL, status INTEGER, headers TEXT, answer BLOB, until INTEGER, session INTEGER, rights TEXT)`,
  'CREATE INDEX IF NOT EXISTS docket_job_account ON docket_job (account, status)',
  'CREATE INDEX IF NOT EXISTS docket_job_until ON docket_job (until)',
  'CREATE INDEX IF NOT EXISTS docket_job_at ON docket_job (at)',
];

const ROWS = {
  name: 'docket_job',
  bytes: bytesOfColumns('request', 'body', 'headers', 'answer'),
} as const;

/** Requests that have been answered. */
export const DEFERRED: ResponseTable = { ...ROWS, kind: 'deferred', counted: 'status IS NOT NULL' };

/** Requests that wait to be run. */
export const WAITING: ResponseTable = { ...ROWS, kind: 'waiting', counted: 'status IS NULL' };

/** Requests of one account that may wait to be done. */
const WAITING_LIMIT = 100;

/** Which of the processes that serve an installation one is: a process that ends is followed by one with the same number. */
export interface Place {
  /** From 0. */
  readonly number: number;
  readonly of: number;
}

/** A request that was accepted. */
export interface Job {
  readonly id: string;
  readonly owner: Owner;
  readonly call: Call;
}

/** The answer to one, and the rights that it was made with; undefined where these were not noted. */
export interface Finished {
  readonly answer: Answer;
  readonly rights: RightsStamp | undefined;
}

const COUNT = 'SELECT count(*) FROM docket_job WHERE account = ? AND status IS NULL';
const ADD =
  'INSERT INTO docket_job (id, account, login_name, session, request, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)';
const SIZE = `SELECT account, ${ROWS.bytes} FROM docket_job WHERE id = ?`;
const READ_ANSWER =
  'SELECT status, headers, answer, rights FROM docket_job WHERE id = ? AND account = ? AND (until IS NULL OR until > ?)';
const READ_REQUEST =
  'SELECT account, session, request, body FROM docket_job WHERE id = ? AND status IS NULL';
const UNFINISHED = 'SELECT id FROM docket_job WHERE status IS NULL ORDER BY at, id';
const FINISH =
  'UPDATE docket_job SET status = ?, headers = ?, answer = ?, rights = ?, body = NULL, until = ? WHERE id = ? AND status IS NULL';
const STATE = 'SELECT status FROM docket_job WHERE id = ? AND account = ?';
const REMOVE = 'DELETE FROM docket_job WHERE id = ?';

/** What the deeds of a job have stored so that they are not done twice: under its own key, or that followed by a line break. */
const OWN_REPEATS = '(key = ? OR (key > ? AND key < ?))';
const HAS_STARTED = `SELECT 1 FROM docket_repeat WHERE account = ? AND ${OWN_REPEATS} LIMIT 1`;
const FORGET = `DELETE FROM docket_repeat WHERE account = (SELECT account FROM docket_job WHERE id = ?) AND ${OWN_REPEATS}`;

/** An id that begins with the number of the place where the request is done. Nobody guesses it. */
export function jobId({ number }: Place, random: Uint8Array): string {
  return `${number}.${Buffer.from(random).toString('base64url')}`;
}

/** Those that no place of now has done are the first one's: there were more places, or ids said none. */
function belongsTo({ number, of }: Place, id: string): boolean {
  const said = Number(/^(\d+)\./.exec(id)?.[1] ?? 0);
  return said === number || (number === 0 && said >= of);
}

/** The key by which a job's deed is recognized when it is done again. */
export function jobKey(id: string): string {
  return `job/${id}`;
}

/** Keeps a request. Faults async.too-many (503), async.full (507). */
export function addJob(
  transaction: Transaction,
  { id, call }: Pick<Job, 'id' | 'call'>,
  { account, loginName, session }: Principal,
  { now, limits }: { readonly now: number; readonly limits: StoredLimits },
): void {
  const [waiting] = transaction.rows(COUNT, [account]);
  if (Number(waiting?.[0] ?? 0) >= WAITING_LIMIT)
    throw new Fault(
      'async.too-many',
      { limit: WAITING_LIMIT },
      { headers: { 'Retry-After': '5' } },
    );
  transaction.change(ADD, [
    id,
    account,
    loginName,
    session ?? null,
    printCall(call),
    call.body ?? null,
    BigInt(now),
  ]);
  const { bytes } = sizeOf(transaction, id);
  count(transaction, WAITING, account, { entries: 1, bytes });
  const exceeded = exceededMegabytes(transaction, WAITING, account, limits);
  if (exceeded !== undefined)
    throw new Fault(
      'async.full',
      { limit: exceeded.value, name: exceeded.setting },
      { headers: { 'Retry-After': '5' } },
    );
}

function sizeOf(
  transaction: Transaction,
  id: string,
): { readonly account: bigint; readonly bytes: number } {
  const [row] = transaction.rows(SIZE, [id]);
  return { account: typeof row?.[0] === 'bigint' ? row[0] : 0n, bytes: Number(row?.[1] ?? 0) };
}

/** The answer to a request of the account, `waiting` while there is none, undefined where there is no such request (any more). */
export function readJobAnswer(
  database: Database,
  id: string,
  { account }: Principal,
  now: number,
): Finished | 'waiting' | undefined {
  const [row] = database.read(READ_ANSWER, [id, account, BigInt(now)]);
  if (row === undefined) return undefined;
  if (row[0] === null) return 'waiting';
  const rights = row[3];
  return { answer: storedAnswer(row), rights: typeof rights === 'string' ? rights : undefined };
}

/** A request that has no answer yet. */
export function readJob(database: Database, id: string): Job | undefined {
  const [row] = database.read(READ_REQUEST, [id]);
  if (row === undefined) return undefined;
  const [account, session, request, body] = row;
  const call = JSON.parse(String(request)) as Omit<Call, 'body'>;
  return {
    id,
    owner: {
      account: typeof account === 'bigint' ? account : -1n,
      session: typeof session === 'bigint' ? session : undefined,
    },
    call: { ...call, body: body instanceof Uint8Array ? body : undefined },
  };
}

/** Ids of the requests without an answer that are to be done at a place, in the order in which they came. */
export function unfinishedJobs(database: Database, place: Place): readonly string[] {
  return database
    .read(UNFINISHED, [])
    .map(([id]) => String(id))
    .filter((id) => belongsTo(place, id));
}

/** Keeps the answer, within limits: the oldest answers go first. What told whether the deed was done is no longer needed. */
export function finishJob(
  transaction: Transaction,
  id: string,
  finished: Finished,
  {
    now,
    until,
    limits,
  }: { readonly now: number; readonly until: number; readonly limits: StoredLimits },
): void {
  const before = sizeOf(transaction, id);
  const { answer, rights } = withinLimits(finished, limits);
  transaction.change(FORGET, [id, ...ownRepeats(id)]);
  const cells = [...answerCells(answer), rights ?? null, BigInt(until), id];
  const hasWaited = transaction.change(FINISH, cells) > 0;
  deleteResponses(transaction, DEFERRED, 'until < ?', [BigInt(now)]);
  if (!hasWaited) return;
  const { account, bytes } = sizeOf(transaction, id);
  count(transaction, WAITING, account, { entries: -1, bytes: -before.bytes });
  count(transaction, DEFERRED, account, { entries: 1, bytes });
  collect(transaction, DEFERRED, account, limits);
}

/** In place of an answer that is too large to be stored, what became of the request. */
function withinLimits(finished: Finished, limits: StoredLimits): Finished {
  const { status, body } = finished.answer;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  const exceeded = limitBelow(bytes + LARGEST_HEAD, limits);
  if (exceeded === undefined) return finished;
  const { value: limit, setting: name } = exceeded;
  const fault = new Fault('async.too-large', { status, bytes, limit, name });
  return { answer: renderError(fault), rights: NO_RIGHTS };
}

/** Bytes that the headers of an answer and the row around them may take. */
const LARGEST_HEAD = 16_384;

/**
 * Removes a request and its answer; if nothing of it was done yet, nothing will be. Tells whether it was there.
 * Fault async.started (409) where it has changed something and is not at its end.
 */
export function removeJob(transaction: Transaction, id: string, { account }: Principal): boolean {
  const [row] = transaction.rows(STATE, [id, account]);
  if (row === undefined) return false;
  const isOpen = row[0] === null;
  if (isOpen && transaction.rows(HAS_STARTED, [account, ...ownRepeats(id)]).length > 0)
    throw new Fault('async.started', {}, { headers: { 'Retry-After': '1' } });
  const { bytes } = sizeOf(transaction, id);
  transaction.change(REMOVE, [id]);
  count(transaction, isOpen ? WAITING : DEFERRED, account, { entries: -1, bytes: -bytes });
  return true;
}

function ownRepeats(id: string): readonly string[] {
  const key = jobKey(id);
  return [key, `${key}\n`, `${key}\u000b`];
}

/** Without the body, which has a column of its own, and without what proves who asks. */
function printCall(call: Call): string {
  const { authorization, cookie, ...headers } = call.headers;
  const { body, repeat, contentIds, ...rest } = call;
  return JSON.stringify({ ...rest, headers });
}
