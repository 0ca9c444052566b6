// This file stores asynchronous requests and their responses. A request is stored before the client gets 202, and its response is kept
// until the client deletes it or it expires.
import type { Principal } from '../../access/principal.ts';
import type { Owner } from '../../auth/auth-records.ts';
import { Fault } from '../../base/fault.ts';
import { renderError } from '../../response/error.ts';
import type { Answer } from '../../response/response.ts';
import { ARGUMENT, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Database, Work } from '../../store/database.ts';
import { change, firstRow, query } from '../../store/work.ts';
import {
  dropCallbackOf,
  finishCallback,
  releaseCallback,
  type WaitingLink,
} from '../callbacks/callback-table.ts';
import type { Call } from '../service.ts';
import { answerCells, type Repeat, storedAnswer } from './repeatable-requests.ts';
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
 * `request`: JSON of the call without its body. `status`: null until there is a response. `session`: the session that sent the request.
 * `rights`: stamp of the rights that the response was created with. Times are milliseconds since 1970.
 */
export const JOB_TABLE: EngineTable = {
  name: 'docket_job',
  columns: `id text PRIMARY KEY, account integer NOT NULL, login_name text NOT NULL, request text NOT NULL, body binary,
    at integer NOT NULL, status integer, headers text, answer binary, until integer, session integer, rights text`,
  indexes: {
    docket_job_account: ['account', 'status'],
    docket_job_until: ['until'],
    docket_job_at: ['at'],
  },
};

const ROWS = {
  name: 'docket_job',
  key: sql`id`,
  bytes: bytesOfColumns('request', 'body', 'headers', 'answer'),
} as const;

/** Requests with a response. */
export const DEFERRED: ResponseTable = {
  ...ROWS,
  kind: 'deferred',
  counted: sql`status IS NOT NULL`,
};

/** Requests that wait to run. */
export const WAITING: ResponseTable = { ...ROWS, kind: 'waiting', counted: sql`status IS NULL` };

/** Maximum of waiting requests per account. */
const WAITING_LIMIT = 100;

/** Path of status monitors, relative to the service root. */
export const MONITORS = '$async/';

/** The slot of a worker process. A process that ends is replaced by one in the same slot. */
export interface WorkerSlot {
  /** From 0. */
  readonly number: number;
  readonly of: number;
}

/** An accepted request. */
export interface Job {
  readonly id: string;
  readonly owner: Owner;
  readonly call: Call;
}

/** A response, and the rights that it was created with, if they were recorded. */
export interface Finished {
  readonly answer: Answer;
  readonly rights: RightsStamp | undefined;
  /** The delta link that had no changes, for which a callback waits. */
  readonly link?: WaitingLink | undefined;
}

const COUNT = sql`SELECT count(*) FROM ${tableName('docket_job')} WHERE account = ${ARGUMENT} AND status IS NULL`;
const ADD = sql`INSERT INTO ${tableName('docket_job')} (id, account, login_name, session, request, body, at) VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;
const SIZE = sql`SELECT account, ${ROWS.bytes} FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT}`;
const READ_ANSWER = sql`SELECT status, headers, answer, rights FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND account = ${ARGUMENT} AND (until IS NULL OR until > ${ARGUMENT})`;
const READ_REQUEST = sql`SELECT account, session, request, body FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND status IS NULL`;
const UNFINISHED = sql`SELECT id FROM ${tableName('docket_job')} WHERE status IS NULL ORDER BY at, id`;
const FINISH = sql`UPDATE ${tableName('docket_job')} SET status = ${ARGUMENT}, headers = ${ARGUMENT}, answer = ${ARGUMENT}, rights = ${ARGUMENT}, body = NULL, until = ${ARGUMENT} WHERE id = ${ARGUMENT} AND status IS NULL`;
const IS_FINISHED = sql`SELECT 1 FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND status IS NOT NULL`;
const STATE = sql`SELECT status FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT} AND account = ${ARGUMENT}`;
const REMOVE = sql`DELETE FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT}`;

/** Entries that keep the writes of a job from running twice, under its key or its key followed by a line break. */
const OWN_REPEATS = sql`(key = ${ARGUMENT} OR (key > ${ARGUMENT} AND key < ${ARGUMENT}))`;
const HAS_STARTED = sql`SELECT 1 FROM ${tableName('docket_repeat')} WHERE account = ${ARGUMENT} AND ${OWN_REPEATS} LIMIT 1`;
const REMOVE_REPEATS = sql`DELETE FROM ${tableName('docket_repeat')} WHERE account = (SELECT account FROM ${tableName('docket_job')} WHERE id = ${ARGUMENT}) AND ${OWN_REPEATS}`;

/** An unguessable id that begins with the number of the process slot. */
export function jobId({ number }: WorkerSlot, random: Uint8Array): string {
  return `${number}.${Buffer.from(random).toString('base64url')}`;
}

/** Whether the job runs in the slot. The first slot also takes jobs of slots that no longer exist. */
function belongsTo({ number, of }: WorkerSlot, id: string): boolean {
  const slot = slotOf(id);
  return slot === number || (number === 0 && slot >= of);
}

/** The number of the slot in the id of a job. */
export function slotOf(id: string): number {
  return Number(/^(\d+)\./.exec(id)?.[1] ?? 0);
}

/** The key that identifies a job's write if it is repeated. */
export function jobKey(id: string): string {
  return `job/${id}`;
}

/** Stores a request. Throws: async.too-many, async.full. */
export function* addJob(
  { id, call }: Pick<Job, 'id' | 'call'>,
  { account, loginName, session }: Principal,
  { now, limits }: Pick<Repeat, 'now' | 'limits'>,
): Work<void> {
  const waiting = yield query(COUNT, [account]);
  if (Number(waiting.rows[0]?.[0] ?? 0) >= WAITING_LIMIT)
    throw new Fault('async.too-many', { limit: WAITING_LIMIT }, RETRY_LATER);
  yield change(ADD, [
    id,
    account,
    loginName,
    session ?? null,
    printCall(call),
    call.body ?? null,
    BigInt(now),
  ]);
  const { bytes } = yield* sizeOf(id);
  yield* count(WAITING, account, { entries: 1, bytes });
  const exceeded = yield* exceededMegabytes(WAITING, account, limits);
  if (exceeded === undefined) return;
  const { value: limit, setting: name } = exceeded;
  throw new Fault('async.full', { limit, name }, RETRY_LATER);
}

const RETRY_LATER = { headers: { 'Retry-After': '5' } } as const;

function* sizeOf(id: string): Work<{ readonly account: bigint; readonly bytes: number }> {
  const row = yield* firstRow(SIZE, [id]);
  return { account: typeof row?.[0] === 'bigint' ? row[0] : 0n, bytes: Number(row?.[1] ?? 0) };
}

/** The response to a request of the account, 'waiting' until there is one, undefined if there is no such request. */
export async function readJobAnswer(
  database: Database,
  id: string,
  { account }: Principal,
  now: number,
): Promise<Finished | 'waiting' | undefined> {
  const [row] = await database.read(READ_ANSWER, [id, account, BigInt(now)]);
  if (row === undefined) return undefined;
  if (row[0] === null) return 'waiting';
  const rights = row[3];
  return { answer: storedAnswer(row), rights: typeof rights === 'string' ? rights : undefined };
}

/** A request that has no response yet. */
export async function readJob(database: Database, id: string): Promise<Job | undefined> {
  const [row] = await database.read(READ_REQUEST, [id]);
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

/** Ids of the requests without a response, in order of arrival; those that belong to the slot, if one is given. */
export async function unfinishedJobs(
  database: Database,
  place?: WorkerSlot,
): Promise<readonly string[]> {
  const rows = await database.read(UNFINISHED, []);
  const ids = rows.map(([id]) => String(id));
  return place === undefined ? ids : ids.filter((id) => belongsTo(place, id));
}

/** Stores the response, deletes the oldest responses beyond the limits, and removes the job's repeatability entries. */
export function* finishJob(
  id: string,
  finished: Finished,
  { now, until, limits }: Pick<Repeat, 'now' | 'limits'> & { readonly until: number },
): Work<void> {
  const before = yield* sizeOf(id);
  const { answer, rights } = withinLimits(finished, limits);
  yield change(REMOVE_REPEATS, [id, ...ownRepeats(id)]);
  const cells = [...answerCells(answer), rights ?? null, BigInt(until), id];
  const { changed } = yield change(FINISH, cells);
  yield* finishCallback(id, { subject: `${MONITORS}${id}`, now, link: finished.link });
  yield* deleteResponses(DEFERRED, sql`until < ${value(BigInt(now))}`);
  if (changed === 0) return;
  const { account, bytes } = yield* sizeOf(id);
  yield* count(WAITING, account, { entries: -1, bytes: -before.bytes });
  yield* count(DEFERRED, account, { entries: 1, bytes });
  yield* collect(DEFERRED, account, limits);
}

/** Lets the callback of a request be sent, whose client has been referred to the monitor; now, if the request has ended meanwhile. */
export function* releaseJob(id: string, now: number): Work<void> {
  yield* releaseCallback(id);
  if ((yield* firstRow(IS_FINISHED, [id])) === undefined) return;
  yield* finishCallback(id, { subject: `${MONITORS}${id}`, now, link: undefined });
}

/** Replaces a response that is too large to store with an error that states its status. */
function withinLimits(finished: Finished, limits: StoredLimits): Finished {
  const { status, body } = finished.answer;
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
  const exceeded = limitBelow(bytes + LARGEST_HEAD, limits);
  if (exceeded === undefined) return finished;
  const { value: limit, setting: name } = exceeded;
  const fault = new Fault('async.too-large', { status, bytes, limit, name });
  return { answer: renderError(fault), rights: NO_RIGHTS };
}

/** Allowance for headers and row overhead. Bytes. */
const LARGEST_HEAD = 16_384;

/**
 * Deletes a request and its response, and cancels it if it has not run. Returns whether it existed.
 * Throws: async.started if it is running and has already changed something.
 */
export function* removeJob(id: string, { account }: Principal): Work<boolean> {
  const row = yield* firstRow(STATE, [id, account]);
  if (row === undefined) return false;
  const isOpen = row[0] === null;
  if (isOpen) yield* requireNotStarted(id, account);
  const { bytes } = yield* sizeOf(id);
  yield change(REMOVE, [id]);
  yield* dropCallbackOf(id);
  yield* count(isOpen ? WAITING : DEFERRED, account, { entries: -1, bytes: -bytes });
  return true;
}

function* requireNotStarted(id: string, account: bigint): Work<void> {
  const { rows } = yield query(HAS_STARTED, [account, ...ownRepeats(id)]);
  if (rows.length > 0) throw new Fault('async.started', {}, { headers: { 'Retry-After': '1' } });
}

function ownRepeats(id: string): readonly string[] {
  const key = jobKey(id);
  return [key, `${key}\n`, `${key}\u000b`];
}

/** Serializes the call without its body, which has its own column, and without credentials. */
function printCall(call: Call): string {
  const { authorization, cookie, ...headers } = call.headers;
  const { body, repeat, contentIds, ...rest } = call;
  return JSON.stringify({ ...rest, headers });
}
