// This file limits how many responses are stored for later, and how large they are together, for each account and for all of them: those of
// deferred and those of repeatable requests. They are counted in the transaction that stores or deletes them, so that a write never has to
// look through the table; where there are too many, the oldest are deleted. Deferred requests that wait to be run are counted as well.
import type { Cell, Database, Transaction } from '../../store/database.ts';
import type { ServiceLimits } from '../service.ts';

/** `account` 0 has the sums of all accounts. `collected`: the highest `until` of a row that was deleted before its time. */
export const STORED_RESPONSES_TABLE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS docket_stored_response (
    kind TEXT NOT NULL, account INTEGER NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, collected INTEGER,
    PRIMARY KEY (kind, account))`,
];

/** Bytes that a row takes besides its texts and its body. */
const OVERHEAD = 512;
const MEGABYTE = 1_048_576;
const ALL_ACCOUNTS = 0n;

/** A table of responses. Its rows have an account, the time `at` when the request came, and `until` unless the response is still to come. */
export interface ResponseTable {
  readonly kind: 'waiting' | 'deferred' | 'repeatable';
  readonly name: string;
  /** Bytes of a row, in SQL. */
  readonly bytes: string;
  /** Which rows are counted, in SQL. */
  readonly counted: string;
}

/** In SQL: what the columns of a row take. */
export function bytesOfColumns(...columns: readonly string[]): string {
  return [OVERHEAD, ...columns.map((one) => `coalesce(octet_length(${one}), 0)`)].join(' + ');
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

/** How much may be stored for one account, and for all. */
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

/** The limit that so many bytes exceed by themselves, whatever else is deleted. */
export function limitBelow(bytes: number, { account, total }: StoredLimits): Limit | undefined {
  return [account.megabytes, total.megabytes].find(({ value }) => bytes > value * MEGABYTE);
}

const COUNT = `INSERT INTO docket_stored_response (kind, account, entries, bytes) VALUES (?, ?, ?, ?), (?, 0, ?, ?)
  ON CONFLICT (kind, account) DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes`;
const USAGE = 'SELECT entries, bytes FROM docket_stored_response WHERE kind = ? AND account = ?';
const COLLECTED = 'SELECT collected FROM docket_stored_response WHERE kind = ? AND account = ?';
const NOTE_COLLECTED =
  'UPDATE docket_stored_response SET collected = max(coalesce(collected, 0), ?) WHERE kind = ? AND account = ?';

/** Counts responses that were stored, or with negative numbers, deleted. */
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

/** Deletes rows by a condition on them, all of which have a response, and counts them. */
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

/** Deletes the oldest responses of the account, and then of all, until the rest keeps the limits. */
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
    const gone = deleteResponses(transaction, table, oldest, values);
    for (const { account, until } of gone)
      transaction.change(NOTE_COLLECTED, [BigInt(until), table.kind, account]);
    deleted = gone.length;
  } while (deleted > 0);
}

/** The limit that rows of the account, or of all, exceed by their bytes. */
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

/** Of rows that are too large together, half of the estimated number at once, so that few go that could have stayed. */
function numberToDelete({ entries, bytes }: Usage, limits: ScopeLimits): number {
  const tooMany = Math.max(0, entries - limits.entries.value);
  const excess = bytes - limits.megabytes.value * MEGABYTE;
  const tooLarge = excess <= 0 ? 0 : Math.max(1, Math.floor((entries * excess) / bytes / 2));
  return Math.max(tooMany, tooLarge);
}

/** Whether responses of the table have been counted: not where a former version has stored them. */
export function isCounted(database: Database, { kind }: ResponseTable): boolean {
  return database.read(USAGE, [kind, ALL_ACCOUNTS]).length > 0;
}

/** Counts the rows that are there, unless they have been counted. */
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

/** Until when the newest of the account's responses would have been stored that were deleted before their time. Milliseconds since 1970. */
export function collectedUntil(
  transaction: Transaction,
  { kind }: ResponseTable,
  account: bigint,
): number | undefined {
  const [row] = transaction.rows(COLLECTED, [kind, account]);
  return row === undefined || row[0] === null ? undefined : Number(row[0]);
}
