// Reads and changes the rows of the table docket_file for maintenance of the stores: listing files, deleting rows, and changing the store
// of a file. Rows are inserted together with records in sql/write/.
import { invariant } from '../base/fault.ts';
import { ARGUMENT, type Fragment, integer, list, name, sql, tableName } from '../sql/fragment.ts';
import type { Table } from '../sql/schema/layout.ts';
import type { Cell, Database, Operation, Row } from '../store/database.ts';
import { change } from '../store/work.ts';

export interface FileRow {
  readonly id: bigint;
  readonly key: string;
  readonly store: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal digits. */
  readonly sha256: string;
}

const COLUMNS = sql`"id", "key", "store", "size", "sha256"`;
/** Rows per query. */
const PAGE = 500;

const KEPT = sql`SELECT ${COLUMNS} FROM ${tableName('docket_file')} WHERE "state" = 'kept' AND "store" <> ${ARGUMENT} AND "id" > ${ARGUMENT} ORDER BY "id" LIMIT ${integer(PAGE)}`;
const RELEASED = sql`SELECT ${COLUMNS} FROM ${tableName('docket_file')} WHERE "state" = 'released' AND "id" > ${ARGUMENT} ORDER BY "id" LIMIT ${integer(PAGE)}`;
const BY_ID = sql`SELECT ${COLUMNS} FROM ${tableName('docket_file')} WHERE "state" = 'kept' AND "id" = ${ARGUMENT}`;
const DELETE_RELEASED = sql`DELETE FROM ${tableName('docket_file')} WHERE "id" = ${ARGUMENT} AND "state" = 'released'`;
const MOVE = sql`UPDATE ${tableName('docket_file')} SET "store" = ${ARGUMENT} WHERE "id" = ${ARGUMENT} AND "key" = ${ARGUMENT} AND "store" = ${ARGUMENT}`;

const AMOUNT = sql`SELECT count(*), coalesce(sum("size"), 0) FROM ${tableName('docket_file')} WHERE "state" = 'kept' AND "store" <> ${ARGUMENT}`;

/** Number and total size of files. */
export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/**
 * The rows of files that records refer to, without those in the excluded store, in the order of their ids. Rows inserted in the
 * meantime may be included.
 */
export function keptFiles(database: Database, excludedStore = ''): AsyncGenerator<FileRow> {
  return paged(database, KEPT, [excludedStore]);
}

/** The rows of files that no record refers to any more. */
export function releasedFiles(database: Database): AsyncGenerator<FileRow> {
  return paged(database, RELEASED, []);
}

/** The amount of files that records refer to, without those in the excluded store. */
export async function amountKept(database: Database, excludedStore = ''): Promise<Amount> {
  const [row] = await database.read(AMOUNT, [excludedStore]);
  return { files: Number(row?.[0] ?? 0n), bytes: Number(row?.[1] ?? 0n) };
}

/** Whether records still refer to the file and its store is still the same. */
export async function isUnchanged(
  database: Database,
  { id, key, store }: FileRow,
): Promise<boolean> {
  const [row] = await database.read(BY_ID, [id]);
  const current = row === undefined ? undefined : fileRow(row);
  return current !== undefined && current.key === key && current.store === store;
}

async function* paged(
  database: Database,
  statement: Fragment,
  values: readonly Cell[],
): AsyncGenerator<FileRow> {
  let last = -1n;
  for (let isMore = true; isMore; ) {
    const rows = (await database.read(statement, [...values, last])).map(fileRow);
    yield* rows;
    last = rows.at(-1)?.id ?? last;
    isMore = rows.length === PAGE;
  }
}

/** Those of the keys, at most 500, that have a row with that store. */
export async function knownKeys(
  database: Database,
  store: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const places = list(keys.map(() => ARGUMENT));
  const rows = await database.read(
    sql`SELECT "key" FROM ${tableName('docket_file')} WHERE "key" IN (${places}) AND "store" = ${ARGUMENT}`,
    [...keys, store],
  );
  return new Set(rows.map(([key]) => String(key)));
}

/** The records that refer to a file, such as `ServiceRequests/Attachments(12)`. */
export async function recordsOf(
  database: Database,
  tables: readonly Table[],
  id: bigint,
): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const columns = table.columns.filter((column) => column.references === 'docket_file');
    for (const column of columns) {
      const rows = await database.read(
        sql`SELECT ${name(table.identity)} FROM ${tableName(table.name)} WHERE ${name(column.name)} = ${ARGUMENT}`,
        [id],
      );
      found.push(...rows.map(([identity]) => `${table.name}(${String(identity)})`));
    }
  }
  return found;
}

/** Deletes the row of a released file. Returns false if there was none. Throws: store.foreign-key, if a record refers to it after all. */
export async function deleteReleased(database: Database, { id }: FileRow): Promise<boolean> {
  return await hasChanged(database, change(DELETE_RELEASED, [id]));
}

/** Changes the store in the row of a file. Returns false if the row has changed since it was read. */
export async function changeStore(database: Database, row: FileRow, to: string): Promise<boolean> {
  const { id, key, store } = row;
  return await hasChanged(database, change(MOVE, [to, id, key, store]));
}

/** Runs a change. Returns whether it has changed a row. */
async function hasChanged(database: Database, operation: Operation): Promise<boolean> {
  return await database.write(function* () {
    const { changed } = yield operation;
    return { result: changed > 0, keep: true };
  });
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
