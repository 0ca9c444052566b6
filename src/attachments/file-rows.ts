// This file reads and changes the rows of the table docket_file for those who look after the stores. Rows are made where records are
// written; here they are gone through, taken away, and told that their bytes stand elsewhere.
import { invariant } from '../base/fault.ts';
import { quoted } from '../sql/schema/ddl.ts';
import type { Table } from '../sql/schema/layout.ts';
import type { Cell, Database, Row, Transaction } from '../store/database.ts';

export interface FileRow {
  readonly id: bigint;
  readonly key: string;
  readonly store: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string;
}

const COLUMNS = '"id", "key", "store", "size", "sha256"';
/** Rows that are read at once. */
const PAGE = 500;

const KEPT = `SELECT ${COLUMNS} FROM "docket_file" WHERE "state" = 'kept' AND "id" > ? ORDER BY "id" LIMIT ${PAGE}`;
const ELSEWHERE = `SELECT ${COLUMNS} FROM "docket_file" WHERE "state" = 'kept' AND "store" <> ? AND "id" > ? ORDER BY "id" LIMIT ${PAGE}`;
const RELEASED = `SELECT ${COLUMNS} FROM "docket_file" WHERE "state" = 'released' AND "id" > ? ORDER BY "id" LIMIT ${PAGE}`;
const NOW = `SELECT ${COLUMNS} FROM "docket_file" WHERE "state" = 'kept' AND "id" = ?`;
const FORGET = `DELETE FROM "docket_file" WHERE "id" = ? AND "state" = 'released'`;
const MOVE = 'UPDATE "docket_file" SET "store" = ? WHERE "id" = ? AND "key" = ? AND "store" = ?';

/** Number and bytes of files. */
export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** Rows of files that records point to, by identity; what is written meanwhile may come too. */
export function keptFiles(database: Database): Generator<FileRow> {
  return paged(database, KEPT, []);
}

/** Rows of files that records point to and that stand in other stores than this. */
export function filesElsewhere(database: Database, store: string): Generator<FileRow> {
  return paged(database, ELSEWHERE, [store]);
}

/** Rows of files that no record points to any more. */
export function releasedFiles(database: Database): Generator<FileRow> {
  return paged(database, RELEASED, []);
}

/** All that records point to; with a store, all that stands elsewhere. */
export function amountKept(database: Database, elsewhere = ''): Amount {
  const [row] = database.read(
    `SELECT count(*), coalesce(sum("size"), 0) FROM "docket_file" WHERE "state" = 'kept' AND "store" <> ?`,
    [elsewhere],
  );
  return { files: Number(row?.[0] ?? 0n), bytes: Number(row?.[1] ?? 0n) };
}

/** Whether the row says what it said before: that records point to the file, and where its bytes stand. */
export function isUnchanged(database: Database, { id, key, store }: FileRow): boolean {
  const now = database.read(NOW, [id]).map(fileRow)[0];
  return now !== undefined && now.key === key && now.store === store;
}

function* paged(database: Database, text: string, values: readonly Cell[]): Generator<FileRow> {
  let last = -1n;
  for (let isMore = true; isMore; ) {
    const rows = database.read(text, [...values, last]).map(fileRow);
    yield* rows;
    last = rows.at(-1)?.id ?? last;
    isMore = rows.length === PAGE;
  }
}

/** The keys that have a row in that store, of those that are asked for; at most 500. */
export function knownKeys(
  database: Database,
  store: string,
  keys: readonly string[],
): ReadonlySet<string> {
  const places = keys.map(() => '?').join(', ');
  const rows = database.read(
    `SELECT "key" FROM "docket_file" WHERE "key" IN (${places}) AND "store" = ?`,
    [...keys, store],
  );
  return new Set(rows.map(([key]) => String(key)));
}

/** The records that point to a file, such as `ServiceRequests/Attachments(12)`. */
export function recordsOf(database: Database, tables: readonly Table[], id: bigint): string[] {
  return tables.flatMap((table) => {
    const columns = table.columns.filter((column) => column.references === 'docket_file');
    return columns.flatMap((column) =>
      database
        .read(
          `SELECT ${quoted(table.identity)} FROM ${quoted(table.name)} WHERE ${quoted(column.name)} = ?`,
          [id],
        )
        .map(([identity]) => `${table.name}(${String(identity)})`),
    );
  });
}

/** Takes the row of a released file away; tells whether there was one. Fault store.foreign-key when a record points to it after all. */
export async function forgetFile(database: Database, { id }: FileRow): Promise<boolean> {
  return await changed(database, (transaction) => transaction.change(FORGET, [id]));
}

/** Says that the bytes of a file stand in another store; tells whether the row was still as it was read. */
export async function moveFile(database: Database, row: FileRow, to: string): Promise<boolean> {
  const { id, key, store } = row;
  return await changed(database, (transaction) => transaction.change(MOVE, [to, id, key, store]));
}

async function changed(
  database: Database,
  change: (transaction: Transaction) => number,
): Promise<boolean> {
  return await database.write((transaction) => ({ result: change(transaction) > 0, keep: true }));
}

function fileRow([id, key, store, size, sha256]: Row): FileRow {
  invariant(typeof id === 'bigint', 'a file has an identity');
  return {
    id,
    key: String(key),
    store: String(store),
    size: Number(size),
    sha256: String(sha256),
  };
}
