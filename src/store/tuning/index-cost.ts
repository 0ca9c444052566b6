// This file estimates what an index would cost: its size from the number of rows and a sample of their values, and the time that it adds to
// writes from measurements of each database.
import { name, sql, tableName, text } from '../../sql/fragment.ts';
import type { Column, Table } from '../../sql/schema/layout.ts';
import type { DatabaseReader } from '../database.ts';

/** What an index costs in a database, as measured. Times are in microseconds. */
export interface IndexRates {
  /** Bytes of an entry besides its values. */
  readonly entryBytes: number;
  /** Bytes of a number. */
  readonly numberBytes: number;
  /** To build it, for each row. */
  readonly build: number;
  /** It adds to each new record, and to each change of one of its members. */
  readonly insert: number;
  readonly change: number;
}

export interface IndexCost {
  readonly rows: number;
  readonly bytes: number;
  readonly buildSeconds: number;
  readonly insertMicroseconds: number;
  readonly changeMicroseconds: number;
}

/** Rows from which the length of values is taken. */
const SAMPLE = 1000;
/** The part of an index page that is filled. */
const FILLED = 0.9;

export async function estimateCost(
  database: DatabaseReader,
  table: Table,
  columns: readonly string[],
  rates: IndexRates,
): Promise<IndexCost> {
  const [counted] = await database.read(sql`SELECT count(*) FROM ${tableName(table.name)}`, []);
  const rows = Number(counted?.[0] ?? 0);
  let entry = rates.entryBytes;
  for (const column of table.columns.filter((one) => columns.includes(one.name)))
    entry += await bytesOf(database, table, column, rates);
  return {
    rows,
    bytes: Math.round((rows * entry) / FILLED),
    buildSeconds: (rows * rates.build) / 1e6,
    insertMicroseconds: rates.insert,
    changeMicroseconds: rates.change,
  };
}

/** The mean length of the values of a column. */
async function bytesOf(
  database: DatabaseReader,
  table: Table,
  column: Column,
  { numberBytes }: IndexRates,
): Promise<number> {
  if (/^(?:integer|boolean|floating)$/.test(column.storage.kind)) return numberBytes;
  const own = name(column.name);
  const sample = sql`SELECT ${own} AS "content" FROM ${tableName(table.name)} LIMIT ${text(String(SAMPLE))}`;
  const summed = sql`SELECT sum(length("content")), count(*) FROM (${sample}) AS "sample"`;
  const [row] = await database.read(summed, []);
  const [sum, count] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0)];
  return count === 0 ? 0 : sum / count;
}
