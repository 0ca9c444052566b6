// This file limits the number and total size of stored responses, per account and overall, for asynchronous and repeatable requests. Each
// transaction that stores or deletes responses updates the counts, so that no write has to scan the table. Beyond the limits, the oldest
// responses are deleted. Asynchronous requests that wait to run are counted too.
import { MEGABYTE } from '../../base/sizes.ts';
import {
  ARGUMENT,
  EMPTY,
  type Fragment,
  integer,
  join,
  name,
  sql,
  tableName,
  value,
} from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Database, Work } from '../../store/database.ts';
import { change, firstRow, query } from '../../store/work.ts';
import type { ServiceLimits } from '../service.ts';

/** Account 0 has the totals. `collected`: the highest `until` of a row that was deleted before it expired. */
export const STORED_RESPONSES_TABLE: EngineTable = {
  name: 'docket_stored_response',
  columns: `kind text NOT NULL, account integer NOT NULL, entries integer NOT NULL, bytes integer NOT NULL,
    collected integer`,
  key: ['kind', 'account'],
};

/** Overhead of a row. Bytes. */
const OVERHEAD = 512;
const ALL_ACCOUNTS = 0n;

/** A table of responses. Rows have an account, `at`, the time of the request, and `until` once there is a response. */
export interface ResponseTable {
  readonly kind: 'waiting' | 'deferred' | 'repeatable';
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: Fragment;
  /** The size of a row in bytes. */
  readonly bytes: Fragment;
  /** The condition of the rows that are counted. */
  readonly counted: Fragment;
}

/** The size of a row with these columns. */
export function bytesOfColumns(...columns: readonly string[]): Fragment {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${name(column)}), 0)`);
  return join([integer(OVERHEAD), ...sizes], ' + ');
}

export interface Usage {
  readonly entries: number;
  readonly bytes: number;
}

/** A limit with the name of its setting. */
interface Limit {
  readonly setting: string;
  readonly value: number;
}

interface ScopeLimits {
  readonly entries: Limit;
  readonly megabytes: Limit;
}

/** Limits per account and overall. */
export interface StoredLimits {
  readonly account: ScopeLimits;
  readonly total: ScopeLimits;
}

export type DeferredLimits = Pick<
  ServiceLimits,
  'accountAsyncResults' | 'accountAsyncMegabytes' | 'asyncResults' | 'asyncMegabytes'
>;

export type RepeatableLimits = Pick<
  ServiceLimits,
  'accountRepeatEntries' | 'accountRepeatMegabytes' | 'repeatEntries' | 'repeatMegabytes'
>;

export function deferredLimits(limits: DeferredLimits): StoredLimits {
  return {
    account: limitsNamed(limits, 'accountAsyncResults', 'accountAsyncMegabytes'),
    total: limitsNamed(limits, 'asyncResults', 'asyncMegabytes'),
  };
}

export function repeatableLimits(limits: RepeatableLimits): StoredLimits {
  return {
    account: limitsNamed(limits, 'accountRepeatEntries', 'accountRepeatMegabytes'),
    total: limitsNamed(limits, 'repeatEntries', 'repeatMegabytes'),
  };
}

function limitsNamed<Name extends string>(
  limits: Readonly<Record<Name, number>>,
  entries: Name,
  megabytes: Name,
): ScopeLimits {
  const limit = (name: Name) => ({ setting: `limits.${name}`, value: limits[name] });
  return { entries: limit(entries), megabytes: limit(megabytes) };
}

/** The limit that a single response of this size exceeds. */
export function limitBelow(bytes: number, { account, total }: StoredLimits): Limit | undefined {
  return [account.megabytes, total.megabytes].find(({ value }) => bytes > value * MEGABYTE);
}

const COUNT = sql`INSERT INTO ${tableName('docket_stored_response')} (kind, account, entries, bytes)
  VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}), (${ARGUMENT}, 0, ${ARGUMENT}, ${ARGUMENT})
  ON CONFLICT (kind, account) DO UPDATE SET
    entries = docket_stored_response.entries + excluded.entries, bytes = docket_stored_response.bytes + excluded.bytes`;
const BEGIN_COUNT = sql`INSERT INTO ${tableName('docket_stored_response')} (kind, account, entries, bytes) VALUES (${ARGUMENT}, 0, 0, 0)`;
const OF_ACCOUNT = sql`kind = ${ARGUMENT} AND account = ${ARGUMENT}`;
const USAGE = sql`SELECT entries, bytes, collected FROM ${tableName('docket_stored_response')} WHERE ${OF_ACCOUNT}`;
const NOTE_COLLECTED = sql`UPDATE ${tableName('docket_stored_response')} SET collected = ${ARGUMENT} WHERE ${OF_ACCOUNT} AND coalesce(collected, 0) < ${ARGUMENT}`;

/** Adds to the counts of an account; negative after a deletion. */
export function* count(
  { kind }: ResponseTable,
  account: bigint,
  { entries, bytes }: Usage,
): Work<void> {
  if (entries === 0 && bytes === 0) return;
  const added = [BigInt(entries), BigInt(bytes)];
  yield change(COUNT, [kind, account, ...added, kind, ...added]);
}

interface DeletedResponse {
  readonly account: bigint;
  readonly until: number;
}

/**
 * Deletes rows with a response, and updates the counts.
 * @param condition holds only for rows with `until`; may end with ORDER BY and LIMIT
 */
export function* deleteResponses(
  table: ResponseTable,
  condition: Fragment,
): Work<readonly DeletedResponse[]> {
  const { key, bytes: size } = table;
  const from = tableName(table.name);
  const selected = sql`SELECT ${key} FROM ${from} WHERE ${condition}`;
  const { rows } = yield query(
    sql`DELETE FROM ${from} WHERE (${key}) IN (${selected}) RETURNING account, ${size}, until`,
  );
  const deleted: DeletedResponse[] = [];
  for (const [account, bytes, until] of rows) {
    const owner = typeof account === 'bigint' ? account : ALL_ACCOUNTS;
    yield* count(table, owner, { entries: -1, bytes: -Number(bytes) });
    deleted.push({ account: owner, until: Number(until) });
  }
  return deleted;
}

/** Deletes the oldest responses of the account, then of all accounts, until the limits are met. */
export function* collect(
  table: ResponseTable,
  account: bigint,
  { account: own, total }: StoredLimits,
): Work<void> {
  yield* collectIn(table, account, own);
  yield* collectIn(table, ALL_ACCOUNTS, total);
}

function* collectIn(table: ResponseTable, scope: bigint, limits: ScopeLimits): Work<void> {
  const isAll = scope === ALL_ACCOUNTS;
  const own = isAll ? EMPTY : sql` AND account = ${value(scope)}`;
  let deleted = 0;
  do {
    const limit = numberToDelete(yield* usageOf(table, scope), limits);
    if (limit === 0) return;
    const oldest = yield* deleteResponses(
      table,
      sql`until IS NOT NULL${own} ORDER BY at LIMIT ${value(BigInt(limit))}`,
    );
    for (const { account, until } of oldest) {
      const collected = BigInt(until);
      yield change(NOTE_COLLECTED, [collected, table.kind, account, collected]);
    }
    deleted = oldest.length;
  } while (deleted > 0);
}

/** The size limit that the account, or all accounts together, exceed. */
export function* exceededMegabytes(
  table: ResponseTable,
  account: bigint,
  limits: StoredLimits,
): Work<Limit | undefined> {
  const own = yield* usageOf(table, account);
  if (exceeds(own, limits.account)) return limits.account.megabytes;
  const total = yield* usageOf(table, ALL_ACCOUNTS);
  return exceeds(total, limits.total) ? limits.total.megabytes : undefined;
}

function exceeds({ bytes }: Usage, { megabytes }: ScopeLimits): boolean {
  return bytes > megabytes.value * MEGABYTE;
}

/** For the size limit only half of the estimated number, so that few rows are deleted unnecessarily. */
function numberToDelete({ entries, bytes }: Usage, limits: ScopeLimits): number {
  const tooMany = Math.max(0, entries - limits.entries.value);
  const excess = bytes - limits.megabytes.value * MEGABYTE;
  const tooLarge = excess <= 0 ? 0 : Math.max(1, Math.floor((entries * excess) / bytes / 2));
  return Math.max(tooMany, tooLarge);
}

/** Whether the table has been counted; false if an earlier version without counts has written it. */
export async function isCounted(database: Database, { kind }: ResponseTable): Promise<boolean> {
  return (await database.read(USAGE, [kind, ALL_ACCOUNTS])).length > 0;
}

/** Counts the existing rows once. */
export function* countAll(table: ResponseTable): Work<void> {
  const { kind, bytes, counted: condition } = table;
  const known = yield query(USAGE, [kind, ALL_ACCOUNTS]);
  if (known.rows.length > 0) return;
  const counted = yield query(
    sql`SELECT account, count(*), sum(${bytes}) FROM ${tableName(table.name)} WHERE ${condition} GROUP BY account`,
    [],
  );
  yield change(BEGIN_COUNT, [kind]);
  for (const [account, entries, size] of counted.rows)
    if (typeof account === 'bigint')
      yield* count(table, account, { entries: Number(entries), bytes: Number(size) });
}

function* usageOf({ kind }: ResponseTable, account: bigint): Work<Usage> {
  const row = yield* firstRow(USAGE, [kind, account]);
  return { entries: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
}

/** The latest expiry of the account's responses that were deleted early. Milliseconds since 1970. */
export function* collectedUntil(
  { kind }: ResponseTable,
  account: bigint,
): Work<number | undefined> {
  const [, , collected = null] = (yield* firstRow(USAGE, [kind, account])) ?? [];
  return collected === null ? undefined : Number(collected);
}
