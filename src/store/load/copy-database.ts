// This file copies an installation to another database: all rows of all tables in bounded transactions, then the indexes. The target
// stores how far the copy is, so that an interrupted one continues. At the end both databases are compared row by row; only then is the
// layout stored, without which no service uses the target.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { Dialect } from '../../sql/dialect/dialect.ts';
import {
  ARGUMENT,
  EMPTY,
  type Fragment,
  integer,
  join,
  list,
  name as quotedName,
  sql,
  tableName,
} from '../../sql/fragment.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import { adjustLayout } from '../../sql/schema/index-adjustments.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import { storedLayout } from '../../sql/schema/model-layout.ts';
import type { Cell, Database, Row, Work } from '../database.ts';
import type { InstallationDatabase } from '../installation-database.ts';
import { readSetting, removeSetting, storeSetting } from '../installation-settings.ts';
import { createIndexes, createTables, isInstalled, storeLayout } from '../model-tables.ts';
import { describeLongValue, type NamedIndex } from '../tuning/long-values.ts';
import { readAdjustments } from '../tuning/stored-adjustments.ts';
import { change, kept, pipeline, query } from '../work.ts';
import { COPY_SETTING, type CopiedTable, copiedTables } from './copied-tables.ts';
import { type RowInsert, rowInsert } from './insert-rows.ts';

export interface Copy {
  readonly from: Database;
  /** Where the source is. */
  readonly source: string;
  /** An empty database, or one with an incomplete copy. */
  readonly to: Database;
  readonly dialect: Dialect;
  readonly layout: Layout;
  /** The tables of other modules. */
  readonly more: readonly EngineTable[];
  readonly progress: CopyProgress;
}

/** Called with numbers of rows. */
export interface CopyProgress {
  readonly copied: (rows: number) => void;
  /** Called with the steps of indexing that are done, and all. */
  readonly indexing: (done: number, total: number) => void;
  readonly compared: (rows: number) => void;
}

/** The rows of a table, counted and compared. */
export interface CopiedRows {
  readonly table: string;
  readonly rows: number;
  /** The SHA-256 digest of all rows in the order of their keys, in hexadecimal digits. */
  readonly digest: string;
}

/** Rows per transaction. */
const CHUNK = 2000;

/** How far a copy is: the table that is being copied, and the key of the last copied row. */
interface Position {
  /** Identifies the source and the layout of its tables; undefined in copies of earlier versions. */
  readonly origin?: string | undefined;
  readonly table: number;
  readonly after?: Row | undefined;
}

/** The number of all rows of a database that are copied. */
export async function copiedRows(
  database: Database,
  { layout, more }: Pick<Copy, 'layout' | 'more'>,
): Promise<number> {
  let count = 0;
  for (const table of copiedTables(layout, more)) {
    const [row] = await database.read(
      sql`SELECT count(*) FROM ${tableName(table.name)}${conditionOf(table)}`,
      [],
    );
    count += Number(row?.[0] ?? 0);
  }
  return count;
}

/** Copies all rows, creates the indexes, and compares. Throws: store.copy-differs, and errors of the databases. */
export async function copyDatabase(copy: Copy): Promise<readonly CopiedRows[]> {
  const { to, layout, more } = copy;
  const tables = copiedTables(layout, more);
  const start = await positionOf(to);
  if (start.table === 0 && start.after === undefined) await to.write(() => kept(clear(tables)));
  for (const [number, table] of tables.entries()) {
    if (number < start.table) continue;
    await copyTable(copy, {
      origin: start.origin,
      number,
      table,
      after: number === start.table ? start.after : undefined,
    });
  }
  await indexCopy(copy);
  const compared = await compare(copy, tables);
  await to.write(() => kept(complete(layout)));
  return compared;
}

/** Creates the tables of a copy, unless they exist. Throws: store.other-copy. */
export async function prepareCopy(copy: Omit<Copy, 'progress'>): Promise<void> {
  const { to, layout, dialect, more } = copy;
  const origin = originOf(copy);
  if (!(await isInstalled(to))) {
    const start = positionText({ origin, table: 0 });
    await createTables(to, layout, dialect, more, { [COPY_SETTING]: start });
  } else if ((await positionOf(to)).origin !== origin) throw new Fault('store.other-copy');
}

/** Removes an installation whose creation was interrupted. Throws: store.other-copy, since a copy can be completed. */
export async function removeIncomplete(database: InstallationDatabase): Promise<void> {
  if ((await database.exists()) && (await database.setting(COPY_SETTING)) !== undefined)
    throw new Fault('store.other-copy');
  await database.remove();
}

function originOf({ source, layout }: Pick<Copy, 'source' | 'layout'>): string {
  const parts = JSON.stringify([source, storedLayout(layout)]);
  return createHash('sha256').update(parts).digest('hex');
}

interface TableCopy {
  readonly origin: string | undefined;
  readonly number: number;
  readonly table: CopiedTable;
  /** The key of the last row that has been copied. */
  readonly after: Row | undefined;
}

async function copyTable(
  { from, to, dialect, progress }: Copy,
  { origin, number, table, after }: TableCopy,
): Promise<void> {
  const insert = rowInsert(table.name, table.columns);
  for await (const rows of chunksOf(from, table, after)) {
    await to.write(() => kept(insertRows({ origin, number, table, rows, insert })));
    progress.copied(rows.length);
  }
  const { name, generated } = table;
  const statement =
    generated === undefined ? undefined : dialect.schema.continueNumbers(name, generated);
  if (statement !== undefined) await to.write(() => kept(continueNumbers(statement)));
}

/** Creates the indexes of the source. Throws: store.too-long. */
async function indexCopy({ from, to, dialect, layout, progress }: Copy): Promise<void> {
  const adjusted = adjustLayout(layout, await readAdjustments(from));
  try {
    await createIndexes(to, adjusted, dialect, progress.indexing);
  } catch (error) {
    const tables = { database: from, layout: adjusted, dialect };
    throw await describeLongValue(error, tables, remedyFor);
  }
}

/** Rows that have been copied are not copied again. */
function remedyFor({ set, members, isUnique }: NamedIndex): string {
  const drop = `, or drop the index with "docket index drop ${set} ${members.join(',')}"`;
  return `${isUnique ? '' : drop}, and copy to an empty database again`;
}

function* complete(layout: Layout): Work<void> {
  yield* removeSetting(COPY_SETTING);
  yield* storeLayout(layout);
}

async function compare(
  { from, to, progress }: Copy,
  tables: readonly CopiedTable[],
): Promise<readonly CopiedRows[]> {
  const compared: CopiedRows[] = [];
  for (const table of tables) {
    const [source, target] = await Promise.all([digestOf(from, table), digestOf(to, table)]);
    if (source.rows !== target.rows || source.digest !== target.digest)
      throw new Fault('store.copy-differs', {
        table: table.name,
        source: source.rows,
        target: target.rows,
      });
    compared.push({ table: table.name, ...source });
    progress.compared(source.rows);
  }
  return compared;
}

async function digestOf(
  database: Database,
  table: CopiedTable,
): Promise<Pick<CopiedRows, 'rows' | 'digest'>> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of chunksOf(database, table, undefined)) {
    hash.update(rows.map((row) => row.map(textOf).join('')).join(''));
    count += rows.length;
  }
  return { rows: count, digest: hash.digest('hex') };
}

/** The cell as text that is the same for both databases, with its length, so that the texts of a row can be joined. */
function textOf(cell: Cell): string {
  if (cell === null) return '-';
  const text = cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell);
  return `${text.length}:${text}`;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

async function* chunksOf(
  database: Database,
  table: CopiedTable,
  after: Row | undefined,
): AsyncGenerator<readonly Row[]> {
  const keyAt = table.key.map((column) => table.columns.indexOf(column));
  const keyOf = (row: Row) => keyAt.map((index) => row[index] ?? null);
  const [first, later] = [selectRows(table, false), selectRows(table, true)];
  const read = async (key: Row | undefined) =>
    await database.read(key === undefined ? first : later, key ?? []);
  let next = read(after);
  for (let isMore = true; isMore; ) {
    const rows = await next;
    const last = rows.at(-1);
    isMore = last !== undefined && rows.length === CHUNK;
    if (last !== undefined && isMore) {
      // Reads ahead while the rows are processed. An error is thrown by the next await.
      next = read(keyOf(last));
      next.catch(() => undefined);
    }
    if (rows.length > 0) yield rows;
  }
}

function selectRows(table: CopiedTable, isLater: boolean): Fragment {
  const key = list(table.key.map(quotedName));
  const later = sql`(${key}) > (${list(table.key.map(() => ARGUMENT))})`;
  return sql`SELECT ${list(table.columns.map(quotedName))} FROM ${tableName(table.name)}${conditionOf(table, isLater ? later : undefined)} ORDER BY ${key} LIMIT ${integer(CHUNK)}`;
}

function conditionOf({ condition }: CopiedTable, later?: Fragment): Fragment {
  const conditions = [condition, later].filter((one) => one !== undefined);
  return conditions.length === 0 ? EMPTY : sql` WHERE ${join(conditions, ' AND ')}`;
}

/** Removes the rows that the database was created with, in one transaction: one for each of the tables takes longer than few rows. */
function* clear(tables: readonly CopiedTable[]): Work<void> {
  for (const table of tables)
    yield change(sql`DELETE FROM ${tableName(table.name)}${conditionOf(table)}`, []);
}

/** Inserts the rows and stores the new position. */
function* insertRows({
  origin,
  number,
  table,
  rows,
  insert,
}: Omit<TableCopy, 'after'> & {
  readonly rows: readonly Row[];
  readonly insert: RowInsert;
}): Work<void> {
  yield pipeline(insert(rows));
  const last = rows.at(-1) ?? [];
  const after = table.key.map((column) => last[table.columns.indexOf(column)] ?? null);
  yield* storeSetting(COPY_SETTING, positionText({ origin, table: number, after }));
}

/** Lets generated numbers continue after the copied ones. */
function* continueNumbers(statement: Fragment): Work<void> {
  yield query(statement, []);
}

// ---- position -------------------------------------------------------------------------------------------------------

/** Integers are written with a prefix, since JSON has no 64-bit integers. */
function positionText({ origin, table, after }: Position): string {
  const cells = after?.map((cell) => (typeof cell === 'bigint' ? `#${cell}` : `'${String(cell)}`));
  return JSON.stringify({ origin, table, after: cells });
}

async function positionOf(database: Database): Promise<Position> {
  const stored = await readSetting(database, COPY_SETTING);
  if (stored === undefined) return { table: 0 };
  const { origin, table, after } = JSON.parse(stored) as Omit<Position, 'after'> & {
    readonly after?: readonly string[];
  };
  const cellOf = (text: string) => (text.startsWith('#') ? BigInt(text.slice(1)) : text.slice(1));
  return { origin, table, after: after?.map(cellOf) };
}
