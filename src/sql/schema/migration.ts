// Schema migrations: compares the layout of a database with that of the model and plans the steps between them. Each step has a
// sentence for reviewers and its statements. Planning is deterministic. It is long because each kind of difference has its own steps.
// Run the statements in one transaction, with foreign keys switched off before it and checked at its end.

import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { toSortable, toStorage } from '../expression/convert-storage.ts';
import { type Fragment, name, quoted, sql, toStatement } from '../fragment.ts';
import { changeStatements } from './change-table.ts';
import {
  columnDefinition,
  createIndex,
  createLink,
  createLinkIndex,
  createTable,
  defaultOf,
  linkReferences,
  referencesOf,
  separateReferences,
} from './ddl.ts';
import { emptyValue } from './fill-value.ts';
import { createItemIndexes, dropItemIndexes } from './item-index.ts';
import {
  type Column,
  type ItemIndex,
  type StoredLayout,
  sameColumn,
  type Table,
} from './layout.ts';
import { DECIMAL, type Storage, sameStorage } from './value-storage.ts';

export interface MigrationStep {
  /** Description for reviewers: `Add the column "Phone" to "Persons".` */
  readonly text: string;
  /** Data that the step may destroy; the rows that they affect show whether there is any. */
  readonly losses: readonly Loss[];
  readonly sql: readonly string[];
  /** The items of stored rows that the step indexes: none may occur twice. */
  readonly unique?: IndexedItems;
}

/** Items of a table. Names are those after renames. */
interface IndexedItems {
  readonly table: Table;
  readonly indexes: readonly ItemIndex[];
}

/** Data that a step may destroy. Names are those when the step runs, after renames. */
export interface Loss {
  readonly kind: 'rows' | 'links' | 'values' | 'digits';
  readonly table: string;
  /** The column, if values or digits are lost. */
  readonly column?: string;
  /** New columns of the same type: the column may have been renamed. */
  readonly successors?: readonly string[];
  /** Selects the affected rows, as SQL text; without it all rows are affected. */
  readonly condition?: string;
}

/** A loss in the rows that meet a condition. */
export function lossWhere(
  kind: 'values' | 'digits',
  table: string,
  column: string,
  condition: string,
): Loss {
  return { kind, table, column, condition };
}

function lossOfAll(kind: 'rows' | 'links', table: string): Loss {
  return { kind, table };
}

/** The steps from one layout to another; none if they are equal. */
export function planMigration(
  from: StoredLayout,
  to: StoredLayout,
  dialect: Dialect,
): readonly MigrationStep[] {
  const before = byName(from.tables);
  const after = byName(to.tables);
  const pairs = to.tables.flatMap((table): readonly Pair[] => {
    const old = before.get(table.name);
    return old === undefined ? [] : [{ old, table }];
  });
  return [
    ...pairs.flatMap((pair) => [...dropText(pair, dialect), ...dropItems(pair)]),
    ...addTables(
      to.tables.filter((table) => !before.has(table.name)),
      dialect,
    ),
    ...pairs.flatMap((pair) => changeTable(pair, dialect)),
    ...changeLinks(from, to, dialect),
    ...from.tables
      .filter((table) => !after.has(table.name))
      .map((table) => dropTable(table, dialect)),
    ...pairs.flatMap((pair) => [...addText(pair, dialect), ...addItems(pair, dialect)]),
  ];
}

interface Pair {
  readonly old: Table;
  readonly table: Table;
}

function byName<Named extends { readonly name: string }>(
  items: readonly Named[],
): ReadonlyMap<string, Named> {
  return new Map(items.map((item) => [item.name, item]));
}

function step(text: string, sql: readonly string[], losses: readonly Loss[] = []): MigrationStep {
  return { text, losses, sql };
}

/** The new tables may refer to each other: references are added with the last one. */
function addTables(tables: readonly Table[], dialect: Dialect): readonly MigrationStep[] {
  const references = separateReferences(tables.flatMap(referencesOf), dialect);
  return tables.map((table, at) =>
    step(`Add the table "${table.name}".`, [
      createTable(table, dialect),
      ...table.indexes.map((index) => createIndex(table, index, dialect)),
      ...dialect.schema.textIndex(table),
      ...createItemIndexes(table, dialect),
      ...(at === tables.length - 1 ? references : []),
    ]),
  );
}

function dropTable(table: Table, dialect: Dialect): MigrationStep {
  // Tables that are dropped later may still refer to it.
  const cascade = dialect.schema.altersTables ? ' CASCADE' : '';
  const statements = [
    ...dialect.schema.dropTextIndex(table),
    ...dropItemIndexes(table),
    `DROP TABLE ${quoted(table.name)}${cascade}`,
  ];
  return step(`Drop the table "${table.name}" with all its rows.`, statements, [
    lossOfAll('rows', table.name),
  ]);
}

// ---- columns --------------------------------------------------------------------------------------------------------

function changeTable(pair: Pair, dialect: Dialect): readonly MigrationStep[] {
  const { old, table } = pair;
  const before = byName(old.columns);
  const after = byName(table.columns);
  const added = table.columns.filter((column) => !before.has(column.name));
  const changed = table.columns.filter(
    (column) => !sameColumn(before.get(column.name) ?? column, column),
  );
  const dropped = old.columns.filter((column) => !after.has(column.name));
  const isRebuilt =
    changed.length > 0 ||
    dropped.length > 0 ||
    old.identity !== table.identity ||
    !added.every((column) => dialect.schema.mayAdd(column));
  if (isRebuilt) return [rebuild(pair, { added, changed, dropped }, dialect)];
  return [
    ...added.map((column) => addColumn(table, column, dialect)),
    ...changeIndexes(pair, dialect),
  ];
}

function addColumn(table: Table, column: Column, dialect: Dialect): MigrationStep {
  const definition = columnDefinition(table, column, dialect);
  return step(`Add the column "${column.name}" to "${table.name}".`, [
    `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${definition}`,
    ...separateReferences(referencesOf({ name: table.name, columns: [column] }), dialect),
  ]);
}

interface Changes {
  readonly added: readonly Column[];
  readonly changed: readonly Column[];
  readonly dropped: readonly Column[];
}

function rebuild(pair: Pair, changes: Changes, dialect: Dialect): MigrationStep {
  const { old, table } = pair;
  const contents = table.columns.map((column) => contentOf(pair, column, dialect));
  const dropped = changes.dropped
    .filter((column) => column.name !== old.identity)
    .map(({ name: column, storage }) => ({
      ...lossWhere('values', old.name, column, `${quoted(column)} IS NOT NULL`),
      successors: changes.added
        .filter((added) => sameStorage(added.storage, storage))
        .map(({ name }) => name),
    }));
  const change = { old, table, contents: contents.map((content) => content.sql) };
  return step(describeRebuild(old, changes, contents), changeStatements(change, dialect), [
    ...dropped,
    ...contents.flatMap((content) => content.losses),
  ]);
}

function describeRebuild(
  old: Table,
  { added, changed, dropped }: Changes,
  contents: readonly Content[],
): string {
  const namesOf = (columns: readonly Column[]) => columns.map((one) => `"${one.name}"`).join(', ');
  const parts = [
    ...(added.length > 0 ? [`with ${namesOf(added)} added`] : []),
    ...(changed.length > 0 ? [`with ${namesOf(changed)} changed`] : []),
    ...(dropped.length > 0 ? [`without ${namesOf(dropped)}, whose values are lost`] : []),
  ];
  const filled = contents.flatMap((content) => content.filled);
  const lossesOf = (kind: Loss['kind']) =>
    contents.flatMap(({ losses }) =>
      losses.filter((loss) => loss.kind === kind).map(({ column }) => `"${column}"`),
    );
  const [lost, cut] = [lossesOf('values'), lossesOf('digits')];
  const notes = [
    ...(filled.length > 0 ? [` Rows without a value get ${filled.join(', ')}.`] : []),
    ...(lost.length > 0
      ? [` The values of ${lost.join(', ')} cannot be converted and are lost.`]
      : []),
    ...(cut.length > 0 ? [` The values of ${cut.join(', ')} lose digits.`] : []),
  ];
  return `Rebuild the table "${old.name}" ${parts.join(', ')}.${notes.join('')}`;
}

/** The expression that fills a column of the new table from a row of the old one. */
interface Content {
  readonly sql: string;
  /** Defaults for rows without a value, for the description. */
  readonly filled: readonly string[];
  readonly losses: readonly Loss[];
}

function contentOf({ old, table }: Pair, column: Column, dialect: Dialect): Content {
  const source = old.columns.find((one) => one.name === column.name);
  if (column.name === table.identity) return identityContent(old, source, dialect);
  const converted = source === undefined ? undefined : convert(source, column.storage, dialect);
  const losses = source === undefined ? [] : lossesOf(old, source, column.storage, dialect);
  if (!column.notNull) return { sql: converted ?? 'NULL', filled: [], losses };
  const empty = defaultOf(column, dialect) ?? emptyValue(column, dialect);
  const isFilled = source?.notNull !== true || converted === undefined;
  const filled = isFilled ? [`${empty} in "${column.name}"`] : [];
  return {
    sql: converted === undefined ? empty : `coalesce(${converted}, ${empty})`,
    filled,
    losses,
  };
}

/** Records keep their identities: a column that becomes the key takes the values of the previous key and loses its own. */
function identityContent(old: Table, source: Column | undefined, dialect: Dialect): Content {
  const sql = quoted(old.identity);
  if (source === undefined || source.name === old.identity) return { sql, filled: [], losses: [] };
  const isOther = dialect.values.notSame(name(source.name), name(old.identity));
  const own = `${quoted(source.name)} IS NOT NULL AND ${toText(isOther, dialect)}`;
  return { sql, filled: [], losses: [lossWhere('values', old.name, source.name, own)] };
}

/** What a column's values lose by conversion to another storage. */
function lossesOf(old: Table, source: Column, storage: Storage, dialect: Dialect): readonly Loss[] {
  const column = quoted(source.name);
  if (convert(source, storage, dialect) === undefined)
    return [lossWhere('values', old.name, source.name, `${column} IS NOT NULL`)];
  const losesDigits = digitLossCondition(source, storage, dialect);
  if (losesDigits === undefined) return [];
  return [lossWhere('digits', old.name, source.name, toText(losesDigits, dialect))];
}

function toText(fragment: Fragment, { placeholder }: Dialect): string {
  return toStatement(fragment, placeholder).text;
}

/** Selects the values that the new storage changes; undefined if it can represent every value. */
function digitLossCondition(source: Column, to: Storage, dialect: Dialect): Fragment | undefined {
  const from = source.storage;
  const original: Compiled = { sql: name(source.name), storage: from, nullable: true };
  const converted = toStorage(dialect, original, to);
  if (from.kind === 'temporal' && to.kind === 'temporal' && to.digits < from.digits)
    return sql`${toStorage(dialect, converted, from).sql} <> ${original.sql}`;
  if (to.kind !== 'floating' || sameStorage(from, to)) return undefined;
  const sortable = (value: Compiled) => toSortable(dialect, toStorage(dialect, value, DECIMAL)).sql;
  return sql`${sortable(converted)} <> ${sortable(original)}`;
}

/** The old value in the new storage; undefined if it cannot be converted. */
function convert(source: Column, storage: Storage, dialect: Dialect): string | undefined {
  const from = source.storage;
  // Points in time and times of day cannot be converted to each other.
  if (from.kind === 'temporal' && storage.kind === 'temporal' && from.zone !== storage.zone)
    return undefined;
  const content: Compiled = { sql: name(source.name), storage: from, nullable: true };
  const converted = toStorage(dialect, content, storage);
  if (sameStorage(converted.storage, storage)) return toText(converted.sql, dialect);
  if (storage.kind === 'text' && from.kind === 'boolean') return booleanText(quoted(source.name));
  if (storage.kind === 'text' && hasTextForm(from)) return `CAST(${quoted(source.name)} AS text)`;
  return isWhole(from) && storage.kind === 'integer' ? storedNumber(source, dialect) : undefined;
}

/** The column as OData writes it. */
function booleanText(column: string): string {
  return `CASE WHEN ${column} THEN 'true' WHEN NOT ${column} THEN 'false' END`;
}

/** The column, with a boolean as 0 or 1. */
function storedNumber({ name: column, storage }: Column, { columnTypes }: Dialect): string {
  const isOther = storage.kind === 'boolean' && columnTypes.boolean !== columnTypes.integer;
  return isOther ? `CAST(${quoted(column)} AS integer)` : quoted(column);
}

function hasTextForm({ kind }: Storage): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'temporal';
}

function isWhole({ kind }: Storage): boolean {
  return kind === 'integer' || kind === 'boolean';
}

// ---- indexes and links ----------------------------------------------------------------------------------------------

function changeIndexes({ old, table }: Pair, dialect: Dialect): readonly MigrationStep[] {
  const isIn = (index: Table['indexes'][number], indexes: Table['indexes']) =>
    indexes.some((one) => one.name === index.name && one.unique === index.unique);
  const dropped = old.indexes.filter((index) => !isIn(index, table.indexes));
  const added = table.indexes.filter((index) => !isIn(index, old.indexes));
  return [
    ...dropped.map((index) =>
      step(`Drop the index on ${index.columns.join(', ')} of "${old.name}".`, [
        `DROP INDEX ${quoted(dialect.schema.objectName(index.name))}`,
      ]),
    ),
    ...added.map((index) =>
      step(
        `Add ${index.unique ? 'a unique' : 'an'} index on ${index.columns.join(', ')} of "${table.name}".`,
        [createIndex(table, index, dialect)],
      ),
    ),
  ];
}

function changeLinks(
  from: StoredLayout,
  to: StoredLayout,
  dialect: Dialect,
): readonly MigrationStep[] {
  const before = byName(from.links);
  const after = byName(to.links);
  const added = to.links.filter((link) => !before.has(link.name));
  const dropped = from.links.filter((link) => !after.has(link.name));
  const changed = to.links.filter((link) => {
    const old = before.get(link.name);
    return old !== undefined && (old.source !== link.source || old.target !== link.target);
  });
  return [
    ...added.map((link) =>
      step(`Add the link table "${link.name}".`, [
        createLink(link, to, dialect),
        createLinkIndex(link, dialect),
        ...separateReferences(linkReferences(link, to), dialect),
      ]),
    ),
    ...changed.map((link) => {
      const temporary = { ...link, name: `${link.name}$new` };
      const target = link.target === undefined ? 'several tables' : quoted(link.target);
      return step(`Change the target of the link table "${link.name}" to ${target}.`, [
        createLink(temporary, to, dialect),
        `INSERT INTO ${quoted(temporary.name)} SELECT "source", "target" FROM ${quoted(link.name)}`,
        `DROP TABLE ${quoted(link.name)}`,
        `ALTER TABLE ${quoted(temporary.name)} RENAME TO ${quoted(link.name)}`,
        createLinkIndex(link, dialect),
        ...separateReferences(linkReferences(link, to), dialect),
      ]);
    }),
    ...dropped.map((link) =>
      step(
        `Drop the link table "${link.name}" with all its rows.`,
        [`DROP TABLE ${quoted(link.name)}`],
        [lossOfAll('links', link.name)],
      ),
    ),
  ];
}

// ---- text indexes ---------------------------------------------------------------------------------------------------

/** A text index is recreated with its table, because its triggers would prevent the rebuild. Other indexes do not concern it. */
function needsNewText(pair: Pair): boolean {
  const contents = ({ indexes: _, items: __, ...table }: Table) => JSON.stringify(table);
  return contents(pair.old) !== contents(pair.table);
}

function dropText(pair: Pair, dialect: Dialect): readonly MigrationStep[] {
  if (pair.old.text === undefined || !needsNewText(pair)) return [];
  return [
    step(`Drop the text index of "${pair.old.name}".`, dialect.schema.dropTextIndex(pair.old)),
  ];
}

function addText(pair: Pair, dialect: Dialect): readonly MigrationStep[] {
  if (pair.table.text === undefined || !needsNewText(pair)) return [];
  return [
    step(`Add the text index of "${pair.table.name}".`, [
      ...dialect.schema.textIndex(pair.table),
      ...dialect.schema.fillTextIndex(pair.table),
    ]),
  ];
}

// ---- item indexes ---------------------------------------------------------------------------------------------------

/** The table itself may be rebuilt: its rows keep their identities and items. */
function hasNewItems({ old, table }: Pair): boolean {
  return JSON.stringify(old.items) !== JSON.stringify(table.items);
}

function dropItems(pair: Pair): readonly MigrationStep[] {
  if (pair.old.items === undefined || !hasNewItems(pair)) return [];
  return [step(`Drop the item index of "${pair.old.name}".`, dropItemIndexes(pair.old))];
}

function addItems(pair: Pair, dialect: Dialect): readonly MigrationStep[] {
  const { table } = pair;
  if (table.items === undefined || !hasNewItems(pair)) return [];
  const text = `Add the item index of "${table.name}".`;
  const indexes = table.items.filter((index) =>
    pair.old.columns.some(({ name: stored }) => stored === index.column),
  );
  return [{ ...step(text, createItemIndexes(table, dialect)), unique: { table, indexes } }];
}
