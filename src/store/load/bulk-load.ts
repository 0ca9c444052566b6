// This file bulk-loads records: demo data and the records of a foreign model. Indexes are created afterwards, which is several times
// faster. Only the database's own constraints apply: records come from a generator or have been bound already. Each transaction stores
// some thousand records, in several rows per statement, and the position, so that an interrupted load can be resumed. The next records
// are generated while a transaction runs.
import { setImmediate } from 'node:timers/promises';
import { Fault, invariant } from '../../base/fault.ts';
import { entityType, type Model } from '../../edm/model.ts';
import { containmentSource, type Source, setSource } from '../../edm/source.ts';
import { ARGUMENT, name as quotedName, sql, tableName } from '../../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../../sql/schema/ddl.ts';
import {
  type Column,
  type Layout,
  PARENT_COLUMN,
  presenceColumn,
  type TableUse,
  TYPE_COLUMN,
  tableOf,
} from '../../sql/schema/layout.ts';
import { resolveNavigation } from '../../sql/schema/relation-storage.ts';
import { storedValue } from '../../sql/schema/value-storage.ts';
import { sequenceName } from '../../sql/write/column-values.ts';
import type { Cell, Database, Row, SingleOperation, Work } from '../database.ts';
import { change, kept, pipeline } from '../work.ts';
import { type RowInsert, rowInsert } from './insert-rows.ts';
import { type LoadPart, loadPosition, storePosition } from './load-position.ts';

/**
 * One record: its set (`Persons`, `ServiceRequests/HistoryLines`), identity, parent, and values by column. A complex value is present if
 * one of its members is not null.
 */
export interface LoadRecord {
  readonly set: string;
  readonly uid: number | bigint;
  readonly parent?: number | bigint;
  readonly values: Readonly<Record<string, Cell>>;
}

/** A pair of records in a many-to-many relation. */
export interface LoadLink {
  readonly set: string;
  readonly navigation: string;
  readonly source: number | bigint;
  readonly target: number | bigint;
}

/** Records per transaction. */
const CHUNK = 20_000;

/** Records generated without a pause for the transaction that runs meanwhile. */
const SLICE = 500;

interface Insert {
  readonly rows: RowInsert;
  readonly columns: readonly string[];
  readonly convert: readonly ((cell: Cell) => Cell)[];
  /** For each column that holds the presence of a complex value, the columns of its members. */
  readonly presences: ReadonlyMap<string, readonly string[]>;
  readonly hasParent: boolean;
}

/**
 * Stores the records in the given order.
 * @param note called after each transaction with the number of records stored so far
 * @param part the part of the load under which the position is recorded: records up to that position are skipped. By default none
 */
export async function loadRecords(
  database: Database,
  layout: Layout,
  records: Iterable<LoadRecord>,
  note: (stored: number) => void,
  part?: LoadPart,
): Promise<void> {
  const inserts = new Map<string, Insert[]>();
  await inChunks({ database, items: records, note, part }, (record) => {
    const insert = insertFor(inserts, layout, record);
    return { insert: insert.rows, row: cellsOf(insert, record) };
  });
}

/** The insert of one record, as part of other work. */
export function recordInsert(layout: Layout, record: LoadRecord): SingleOperation {
  const insert = makeInsert(layout, record);
  const [operation] = insert.rows([cellsOf(insert, record)]);
  invariant(operation !== undefined, 'a record has no insert');
  return operation;
}

/** Stores links of many-to-many relations, as loadRecords. */
export async function loadLinks(
  database: Database,
  layout: Layout,
  links: Iterable<LoadLink>,
  note: (stored: number) => void,
  part?: LoadPart,
): Promise<void> {
  const inserts = new Map<string, RowInsert>();
  await inChunks({ database, items: links, note, part }, (link) => {
    const name = `${link.set}/${link.navigation}`;
    const insert = inserts.get(name) ?? linkInsert(layout, link);
    inserts.set(name, insert);
    return { insert, row: [BigInt(link.source), BigInt(link.target)] };
  });
}

/** Sets the sequences of identities and generated numbers to continue after the loaded records. */
export async function continueSequences(database: Database, layout: Layout): Promise<void> {
  const next = new Map<string, bigint>();
  const highest = async (use: TableUse, column: string): Promise<bigint> => {
    const [row] = await database.read(
      sql`SELECT coalesce(max(${quotedName(column)}), 0) FROM ${tableName(use.table.name)}`,
      [],
    );
    return typeof row?.[0] === 'bigint' ? row[0] : 0n;
  };
  for (const use of layout.bySource.values()) {
    raise(next, IDENTITY_SEQUENCE, await highest(use, use.table.identity));
    for (const column of sequenceColumns(layout.model, use))
      raise(next, sequenceName(use, column), await highest(use, column));
  }
  await database.write(() => kept(setSequences(next)));
}

/** @param highest the highest used number of each sequence */
function* setSequences(highest: ReadonlyMap<string, bigint>): Work<void> {
  for (const [name, number] of highest) {
    yield change(REMOVE_SEQUENCE, [name]);
    yield change(ADD_SEQUENCE, [name, number + 1n]);
  }
}

const REMOVE_SEQUENCE = sql`DELETE FROM ${tableName('docket_sequence')} WHERE "name" = ${ARGUMENT}`;
const ADD_SEQUENCE = sql`INSERT INTO ${tableName('docket_sequence')} ("name", "next") VALUES (${ARGUMENT}, ${ARGUMENT})`;

function raise(next: Map<string, bigint>, name: string, value: bigint): void {
  const known = next.get(name) ?? 0n;
  next.set(name, value > known ? value : known);
}

function sequenceColumns(model: Model, use: TableUse): readonly string[] {
  const members = [...model.stored(use.source.type).values()];
  return members.flatMap((member) =>
    member.kind === 'property' &&
    (member.generated?.by === 'sequence' || member.generated?.by === 'key') &&
    member.name !== use.table.identity &&
    use.columns.get(member.name)?.storage.kind === 'integer'
      ? [member.name]
      : [],
  );
}

interface Load<Item> {
  readonly database: Database;
  readonly items: Iterable<Item>;
  readonly note: (stored: number) => void;
  readonly part: LoadPart | undefined;
}

/** A row, and how it is inserted. */
interface LoadedRow {
  readonly insert: RowInsert;
  readonly row: Row;
}

async function inChunks<Item>(
  { database, items, note, part }: Load<Item>,
  rowOf: (item: Item) => LoadedRow,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let taken = part === undefined ? 0 : await loadPosition(database, part);
  for (let skipped = 0; skipped < taken; skipped++) iterator.next();
  let writing = Promise.resolve();
  try {
    for (let isDone = false; !isDone; ) {
      const chunk = await take(iterator, rowOf);
      await writing;
      isDone = chunk.length < CHUNK;
      taken += chunk.length;
      const position = taken;
      const work = () => kept(insertAll(chunk, part, position));
      writing = database.write(work).then(() => note(position));
      // An error is thrown where it is awaited.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
}

/** The next rows, which are made outside of their transaction because that may run twice. */
async function take<Item>(
  iterator: Iterator<Item>,
  rowOf: (item: Item) => LoadedRow,
): Promise<readonly LoadedRow[]> {
  const rows: LoadedRow[] = [];
  while (rows.length < CHUNK) {
    const next = iterator.next();
    if (next.done === true) break;
    rows.push(rowOf(next.value));
    if (rows.length % SLICE === 0) await setImmediate();
  }
  return rows;
}

/** Inserts rows of the same columns together: constraints between rows are checked at the end of the transaction. */
function* insertAll(
  loaded: readonly LoadedRow[],
  part: LoadPart | undefined,
  position: number,
): Work<void> {
  const rowsOf = new Map<RowInsert, Row[]>();
  for (const { insert, row } of loaded) {
    const rows = rowsOf.get(insert);
    if (rows === undefined) rowsOf.set(insert, [row]);
    else rows.push(row);
  }
  yield pipeline([...rowsOf].flatMap(([insert, rows]) => insert(rows)));
  if (part !== undefined) yield* storePosition(part, position);
}

/** The insert for the columns of the record. Most records of a set have the same columns. */
function insertFor(inserts: Map<string, Insert[]>, layout: Layout, record: LoadRecord): Insert {
  const known = inserts.get(record.set) ?? [];
  const fitting = known.find((insert) => fits(insert, record));
  if (fitting !== undefined) return fitting;
  const made = makeInsert(layout, record);
  inserts.set(record.set, [made, ...known]);
  return made;
}

function makeInsert(layout: Layout, record: LoadRecord): Insert {
  const use = tableOf(layout, sourceAt(layout.model, record.set));
  const columns = Object.keys(record.values);
  const hidden = [use.table.identity, ...(record.parent === undefined ? [] : [PARENT_COLUMN])];
  if (use.columns.has(TYPE_COLUMN) && !columns.includes(TYPE_COLUMN)) {
    throw new Fault('load.type', { set: record.set, type: use.source.type.name });
  }
  const presences = presencesOf(use, columns);
  const names = [...hidden, ...columns, ...presences.keys()];
  return {
    rows: rowInsert(use.table.name, names),
    columns,
    convert: columns.map((column) => converter(columnIn(use, column))),
    presences,
    hasParent: record.parent !== undefined,
  };
}

/** The presence columns of the complex values that contain some of the columns. */
function presencesOf(use: TableUse, columns: readonly string[]): Insert['presences'] {
  const presences = new Map<string, string[]>();
  for (const column of columns) {
    const steps = column.split('/');
    for (let length = 1; length < steps.length; length++) {
      const name = presenceColumn(steps.slice(0, length).join('/'));
      if (use.columns.has(name)) presences.set(name, [...(presences.get(name) ?? []), column]);
    }
  }
  return presences;
}

function fits({ columns, hasParent }: Insert, { parent, values }: LoadRecord): boolean {
  return (
    hasParent === (parent !== undefined) &&
    columns.length === Object.keys(values).length &&
    columns.every((column) => values[column] !== undefined)
  );
}

function columnIn(use: TableUse, name: string): Column {
  const column = use.columns.get(name);
  invariant(column !== undefined, `no column ${name} in ${use.table.name}`);
  return column;
}

function converter(column: Column): (cell: Cell) => Cell {
  const { storage } = column;
  if (storage.kind !== 'scaled' && storage.kind !== 'binary') return (cell) => cell;
  return (cell) => (cell instanceof Uint8Array ? cell : storedValue(storage, cell));
}

function cellsOf(insert: Insert, record: LoadRecord): readonly Cell[] {
  const cells: Cell[] = [BigInt(record.uid)];
  if (insert.hasParent) cells.push(BigInt(record.parent ?? 0));
  insert.columns.forEach((column, index) => {
    const cell = record.values[column];
    invariant(cell !== undefined, `a record of ${record.set} has no ${column}`);
    cells.push(insert.convert[index]?.(cell) ?? null);
  });
  for (const members of insert.presences.values())
    cells.push(members.some((member) => record.values[member] !== null));
  return cells;
}

/** `ServiceRequests/HistoryLines/Attachments`. */
function sourceAt(model: Model, path: string): Source {
  const [set = '', ...navigations] = path.split('/');
  return navigations.reduce<Source>(
    (source, name) => {
      const member = model.stored(entityType(model, source.type.name)).get(name);
      invariant(member?.kind === 'navigation' && member.contained, `${path} is no containment`);
      return containmentSource(model, source.type, member);
    },
    setSource(model, set),
  );
}

function linkInsert(layout: Layout, link: LoadLink): RowInsert {
  const source = sourceAt(layout.model, link.set);
  const navigation = layout.model.stored(source.type).get(link.navigation);
  invariant(navigation?.kind === 'navigation', `${link.set} has no navigation ${link.navigation}`);
  const { relation } = resolveNavigation(layout, { from: source, path: [], navigation });
  const use = relation.kind === 'links' ? relation.links[0] : undefined;
  invariant(use !== undefined, `${link.set}/${link.navigation} is not many-to-many`);
  return rowInsert(use.table, [use.near, use.far], sql` ON CONFLICT DO NOTHING`);
}
