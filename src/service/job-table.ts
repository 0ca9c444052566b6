// This file keeps requests that are answered later: what was asked, and the answer once it is there. A request is in the table before
// the client is told that it will be done, and its answer stays until the client lets it go or it expires.
import type { Principal } from '../access/principal.ts';
import type { Owner } from '../auth/records.ts';
import { Fault } from '../base/fault.ts';
import type { Answer } from '../response/answer.ts';
import type { Database, Transaction } from '../store/database.ts';
import { answerCells, storedAnswer } from './repeat.ts';
import type { RightsStamp } from './rights-stamp.ts';
import type { Call } from './service.ts';

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
];

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
const READ_ANSWER =
  'SELECT status, headers, answer, rights FROM docket_job WHERE id = ? AND account = ? AND (until IS NULL OR until > ?)';
const READ_REQUEST =
  'SELECT account, session, request, body FROM docket_job WHERE id = ? AND status IS NULL';
const UNFINISHED = 'SELECT id FROM docket_job WHERE status IS NULL ORDER BY at, id';
const FINISH =
  'UPDATE docket_job SET status = ?, headers = ?, answer = ?, rights = ?, body = NULL, until = ? WHERE id = ? AND status IS NULL';
const PRUNE = 'DELETE FROM docket_job WHERE until < ?';
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

/** Keeps a request. Fault async.too-many (503). */
export function addJob(
  transaction: Transaction,
  { id, call }: Pick<Job, 'id' | 'call'>,
  { account, loginName, session }: Principal,
  now: number,
): void {
  const [count] = transaction.rows(COUNT, [account]);
  if (Number(count?.[0] ?? 0) >= WAITING_LIMIT)
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

/** Keeps the answer; what told whether the deed was done is no longer needed. */
export function finishJob(
  transaction: Transaction,
  id: string,
  { answer, rights }: Finished,
  times: { readonly now: number; readonly until: number },
): void {
  transaction.change(FORGET, [id, ...ownRepeats(id)]);
  transaction.change(FINISH, [...answerCells(answer), rights ?? null, BigInt(times.until), id]);
  transaction.change(PRUNE, [BigInt(times.now)]);
}

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
  transaction.change(REMOVE, [id]);
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
