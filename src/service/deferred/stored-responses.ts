// This file limits the number and total size of stored responses, per account and overall, for asynchronous and repeatable requests. Each
// transaction that stores or deletes responses updates the counts, so that no write has to scan the table. Beyond the limits, the oldest
// responses are deleted. Asynchronous requests that wait to run are counted too.
import type { Cell, Database, Transaction } from '../../store/database.ts';
import type { ServiceLimits } from '../service.ts';

/** Account 0 has the totals. `collected`: the highest `until` of a row that was deleted before it expired. */
export const STORED_RESPONSES_TABLE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_stored_response (
    kind TEXT NOT NULL, account INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, collected INTEGER,
    PRIMARY KEY (kind, account))`,
];

/** Overhead of a row. Bytes. */
const OVERHEAD = 512;
const MEGABYTE = 1_048_576;
const ALL_ACCOUNTS = 0n;

/** A table of responses. Rows have an account, `at`, the time of the request, and `until` once there is a response. */
export interface ResponseTable {
  readonly kind: 'waiting' | 'deferred' | 'repeatable';
  readonly name: string;
  /** SQL expression: size of a row in bytes. */
  readonly bytes: string;
  /** SQL condition: the rows that are counted. */
  readonly counted: string;
}

/** SQL expression for the size of a row with these columns. */
export function bytesOfColumns(...columns: readonly string[]): string {
  return [OVERHEAD, ...columns.map((name) => `coalesce(octet_length(${name}), 0)`)].join(' + ');
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
  const limit = (name: keyof DeferredLimits) => ({
    setting: `limits.${name}`,
    value: limits[name],
  });
  return {
    account: { entries: limit('accountAsyncResults'), megabytes: limit('accountAsyncMegabytes') },
    total: { entries: limit('asyncResults'), megabytes: limit('asyncMegabytes') },
  };
}

export function repeatableLimits(limits: RepeatableLimits): StoredLimits {
  const limit = (name: keyof RepeatableLimits) => ({
    setting: `limits.${name}`,
    value: limits[name],
  });
  return {
    account: {
      entries: limit('accountRepeatEntries'),
      megabytes: limit('accountRepeatMegabytes'),
    },
    total: { entries: limit('repeatEntries'), megabytes: limit('repeatMegabytes') },
  };
}

/** The limit that a single response of this size exceeds. */
export function limitBelow(bytes: number, { account, total }: StoredLimits): Limit | undefined {
  return [account.megabytes, total.megabytes].find(({ value }) => bytes > value * MEGABYTE);
}

const COUNT = `INSERT INTO docket_stored_response (kind, account, entries, bytes) VALUES (?, ?, ?, ?), (?, 0, ?, ?)
  ON CONFLICT (kind, account) DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes`;
const USAGE = 'SELECT entries, bytes FROM docket_stored_response WHERE kind = ? AND account = ?';
const COLLECTED = 'SELECT collected FROM docket_stored_response WHERE kind = ? AND account = ?';
const NOTE_COLLECTED =
  'UPDATE docket_stored_response SET collected = max(coalesce(collected, 0), ?) WHERE kind = ? AND account = ?';

/** Adds to the counts of an account; negative after a deletion. */
export function count(
  transaction: Transaction,
  { kind }: ResponseTable,
  account: bigint,
  { entries, bytes }: Usage,
): void {
  if (entries === 0 && bytes === 0) return;
  const change = [BigInt(entries), BigInt(bytes)];
  transaction.change(COUNT, [kind, account, ...change, kind, ...change]);
}

/** Deletes the rows with a response that meet a condition, and updates the counts. */
export function deleteResponses(
  transaction: Transaction,
  table: ResponseTable,
  condition: string,
  values: readonly Cell[],
): readonly { readonly account: bigint; readonly until: number }[] {
  const text = `DELETE FROM ${table.name} WHERE rowid IN (SELECT rowid FROM ${table.name} WHERE until IS NOT NULL AND ${condition})
    RETURNING account, ${table.bytes}, until`;
  return transaction.rows(text, values).map(([account, bytes, until]) => {
    const owner = typeof account === 'bigint' ? account : ALL_ACCOUNTS;
    count(transaction, table, owner, { entries: -1, bytes: -Number(bytes) });
    return { account: owner, until: Number(until) };
  });
}

/** Deletes the oldest responses of the account, then of all accounts, until the limits are met. */
export function collect(
  transaction: Transaction,
  table: ResponseTable,
  account: bigint,
  { account: own, total }: StoredLimits,
): void {
  collectIn(transaction, table, account, own);
  collectIn(transaction, table, ALL_ACCOUNTS, total);
}

function collectIn(
  transaction: Transaction,
  table: ResponseTable,
  scope: bigint,
  limits: ScopeLimits,
): void {
  const isAll = scope === ALL_ACCOUNTS;
  const oldest = `rowid IN (SELECT rowid FROM ${table.name} WHERE ${isAll ? '' : 'account = ? AND '}until IS NOT NULL ORDER BY at, rowid LIMIT ?)`;
  let deleted = 0;
  do {
    const number = numberToDelete(usageOf(transaction, table, scope), limits);
    if (number === 0) return;
    const values = [...(isAll ? [] : [scope]), BigInt(number)];
    const rows = deleteResponses(transaction, table, oldest, values);
    for (const { account, until } of rows)
      transaction.change(NOTE_COLLECTED, [BigInt(until), table.kind, account]);
    deleted = rows.length;
  } while (deleted > 0);
}

/** The size limit that the account, or all accounts together, exceed. */
export function exceededMegabytes(
  transaction: Transaction,
  table: ResponseTable,
  account: bigint,
  limits: StoredLimits,
): Limit | undefined {
  const exceeds = (scope: bigint, { megabytes }: ScopeLimits) =>
    usageOf(transaction, table, scope).bytes > megabytes.value * MEGABYTE;
  if (exceeds(account, limits.account)) return limits.account.megabytes;
  return exceeds(ALL_ACCOUNTS, limits.total) ? limits.total.megabytes : undefined;
}

/** For the size limit only half of the estimated number, so that few rows are deleted unnecessarily. */
function numberToDelete({ entries, bytes }: Usage, limits: ScopeLimits): number {
  const tooMany = Math.max(0, entries - limits.entries.value);
  const excess = bytes - limits.megabytes.value * MEGABYTE;
  const tooLarge = excess <= 0 ? 0 : Math.max(1, Math.floor((entries * excess) / bytes / 2));
  return Math.max(tooMany, tooLarge);
}

/** Whether the table has been counted; false if an earlier version without counts has written it. */
export function isCounted(database: Database, { kind }: ResponseTable): boolean {
  return database.read(USAGE, [kind, ALL_ACCOUNTS]).length > 0;
}

/** Counts the existing rows once. */
export function countAll(transaction: Transaction, table: ResponseTable): void {
  const { kind, name, bytes } = table;
  if (transaction.rows(USAGE, [kind, ALL_ACCOUNTS]).length > 0) return;
  const counted = transaction.rows(
    `SELECT account, count(*), sum(${bytes}) FROM ${name} WHERE ${table.counted} GROUP BY account`,
    [],
  );
  transaction.change(COUNT, [kind, ALL_ACCOUNTS, 0n, 0n, kind, 0n, 0n]);
  for (const [account, entries, size] of counted)
    if (typeof account === 'bigint')
      count(transaction, table, account, { entries: Number(entries), bytes: Number(size) });
}

function usageOf(transaction: Transaction, { kind }: ResponseTable, account: bigint): Usage {
  const [row] = transaction.rows(USAGE, [kind, account]);
  return { entries: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
}

/** The latest expiry of the account's responses that were deleted early. Milliseconds since 1970. */
export function collectedUntil(
  transaction: Transaction,
  { kind }: ResponseTable,
  account: bigint,
): number | undefined {
  const [row] = transaction.rows(COLLECTED, [kind, account]);
  return row === undefined || row[0] === null ? undefined : Number(row[0]);
}
