// This file stores what accounts have requested by which client, by day (UTC). All processes of an installation add to the same rows.
import { ARGUMENT, sql, tableName, value } from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Work } from '../../store/database.ts';
import { change, firstRow, query } from '../../store/work.ts';
import type { AuthDatabase } from '../database.ts';
import { MOST_CLIENTS, OTHER, type Usage } from './count-usage.ts';

export const USAGE_TABLE: EngineTable = {
  name: 'docket_usage',
  columns:
    'day text NOT NULL, account text NOT NULL, client text NOT NULL, requests integer NOT NULL, rejected integer NOT NULL, failed integer NOT NULL, microseconds integer NOT NULL, bytes integer NOT NULL',
  key: ['day', 'account', 'client'],
};

const TABLE = tableName(USAGE_TABLE.name);

/** Accounts and clients that are stored by one transaction, so that no writer waits long. */
const PART = 500;

const ADD = sql`UPDATE ${TABLE} SET requests = requests + ${ARGUMENT}, rejected = rejected + ${ARGUMENT}, failed = failed + ${ARGUMENT},
  microseconds = microseconds + ${ARGUMENT}, bytes = bytes + ${ARGUMENT} WHERE day = ${ARGUMENT} AND account = ${ARGUMENT} AND client = ${ARGUMENT}`;

const INSERT = sql`INSERT INTO ${TABLE} (requests, rejected, failed, microseconds, bytes, day, account, client)
  VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;

/** The day of a point in time in milliseconds since 1970, as `2026-11-27`. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Adds what a process has counted to the day. @param now milliseconds since 1970 */
export async function storeUsage(
  { write }: Pick<AuthDatabase, 'write'>,
  usage: readonly Usage[],
  now: number,
): Promise<void> {
  for (let first = 0; first < usage.length; first += PART) {
    const part = usage.slice(first, first + PART);
    await write(() => addAll(part, dayOf(now)));
  }
}

function* addAll(usage: readonly Usage[], day: string): Work<void> {
  for (const one of usage) {
    if (yield* add(one, day)) continue;
    const isFull = (yield* clientsOn(day, one.account)) >= MOST_CLIENTS;
    const client = isFull ? OTHER : one.client;
    if (isFull && (yield* add({ ...one, client }, day))) continue;
    yield change(INSERT, cellsOf({ ...one, client }, day));
  }
}

/** Returns whether there was a row. */
function* add(usage: Usage, day: string): Work<boolean> {
  const { changed } = yield change(ADD, cellsOf(usage, day));
  return changed > 0;
}

function cellsOf(usage: Usage, day: string) {
  const { requests, rejected, failed, microseconds, bytes, account, client } = usage;
  const numbers = [requests, rejected, failed, microseconds, bytes].map(BigInt);
  return [...numbers, day, account, client];
}

function* clientsOn(day: string, account: string): Work<number> {
  const row = yield* firstRow(
    sql`SELECT count(*) FROM ${TABLE} WHERE day = ${value(day)} AND account = ${value(account)}`,
  );
  return Number(row?.[0]);
}

/** What has been requested since a time, with the last day of each account and client; those with most requests first. */
export async function readUsage(
  { read }: Pick<AuthDatabase, 'read'>,
  since: number,
): Promise<readonly (Usage & { readonly lastDay: string })[]> {
  const rows =
    await read(sql`SELECT account, client, sum(requests), sum(rejected), sum(failed), sum(microseconds), sum(bytes), max(day)
    FROM ${TABLE} WHERE day >= ${value(dayOf(since))} GROUP BY account, client ORDER BY sum(requests) DESC, account, client`);
  return rows.map(([account, client, ...cells]) => {
    const [requests = 0, rejected = 0, failed = 0, microseconds = 0, bytes = 0] = cells.map(Number);
    const counts = { requests, rejected, failed, microseconds, bytes };
    return {
      account: String(account),
      client: String(client),
      ...counts,
      lastDay: String(cells[5]),
    };
  });
}

/** Removes what was counted on days before that of a time. */
export async function removeUsage(
  { write }: Pick<AuthDatabase, 'write'>,
  before: number,
): Promise<void> {
  await write(function* () {
    yield query(sql`DELETE FROM ${TABLE} WHERE day < ${value(dayOf(before))}`);
  });
}
