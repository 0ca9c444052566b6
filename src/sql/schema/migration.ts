// Schema migrations: compares the layout of a database with that of the model and plans the steps between them. Each step has a
// sentence for reviewers and its statements. Planning is deterministic. It is long because each kind of difference has its own steps.
// Run the statements in one transaction, with foreign keys switched off before it and checked at its end.

import type { Dialect } from '../dialect/dialect.ts';
import { type Fragment, name, quoted, sql, toStatement } from '../fragment.ts';
import { changeStatements } from './change-table.ts';
import { type Conversion, convertColumn } from './convert-column.ts';
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
  type Index,
  type ItemIndex,
  memberText,
  memberTexts,
  type StoredLayout,
  sameColumn,
  type Table,
  TYPE_COLUMN,
} from './layout.ts';
import { moveDynamic } from './move-dynamic.ts';
import { sameStorage } from './value-storage.ts';

export interface MigrationStep {
  /** Description for reviewers: `Add the column "Phone" to "Persons".` */
  readonly text: string;
  /** Data that the step may destroy; the rows that they affect show whether there is any. */
  readonly losses: readonly Loss[];
  readonly sql: readonly string[];
  /** The items or values of stored rows that the step indexes: none may occur twice. */
  readonly unique?: readonly UniqueContent[];
  /** Values that identify records, and that the step would change or lose: there may not be any. */
  readonly unfit?: readonly Loss[];
}

/** What no two rows of a table may share. Names are those after renames. */
export interface UniqueContent {
  readonly table: Table;
  /** Items of collections. */
  readonly items: readonly ItemIndex[];
  /** Columns whose values together must be unique, if none is null. */
  readonly columns: readonly string[];
  /** Their values after the step, as SQL text; by default they are those before. */
  readonly contents?: readonly string[];
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
  /** The number of these rows that remain. */
  readonly kept?: number;
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
    ...pairs.flatMap((pair) => [...changeTable(pair, dialect), ...moveDynamic(pair, dialect)]),
    ...pairs.flatMap(toSingleton),
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
  const changed = changedColumns(pair);
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

function changedColumns({ old, table }: Pair): readonly Column[] {
  const before = byName(old.columns);
  return table.columns.filter((column) => !sameColumn(before.get(column.name) ?? column, column));
}

function addColumn(table: Table, column: Column, dialect: Dialect): MigrationStep {
  const definition = columnDefinition(table, column, dialect);
  return step(`Add the column ${memberTexts([column.name])} to "${table.name}".`, [
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
    .map((one) => ({ ...one, condition: droppedCondition(one) }))
    .map(({ name: column, storage, condition }) => ({
      ...lossWhere('values', old.name, column, condition),
      successors: (isNamed(column) ? changes.added : [])
        .filter((added) => isNamed(added.name) && sameStorage(added.storage, storage))
        .map(({ name }) => name),
    }));
  const change = { old, table, contents: contents.map((content) => content.sql) };
  const statements = changeStatements(change, dialect);
  const losses = [...dropped, ...contents.flatMap((content) => content.losses)];
  const homeless = rowsWithoutType(pair, dialect);
  const text = describeRebuild(old, changes, contents);
  const unfit = contents.flatMap((content) => content.unfit);
  if (homeless === undefined)
    return { ...step(text, statements, losses), unique: changedKeys(pair, contents), unfit };
  const removal = `DELETE FROM ${quoted(old.name)} WHERE ${homeless}`;
  return step(
    `${text} Rows of types that the model no longer has are removed.`,
    [removal, ...statements],
    [{ kind: 'rows', table: old.name, condition: homeless }, ...losses.filter(isOfValues)],
  );
}

/** Whether the model has a name for the column. */
function isNamed(column: string): boolean {
  return memberText(column) === column;
}

/** The unique indexes that are new, or have a column with other values than before. */
function changedKeys({ old, table }: Pair, contents: readonly Content[]): readonly UniqueContent[] {
  const before = new Set(old.indexes.filter((index) => index.unique).map((index) => index.name));
  const contentOfColumn = new Map(
    table.columns.map(({ name: own }, at) => [own, contents[at]?.sql]),
  );
  return table.indexes.flatMap(({ name: index, unique, columns }): readonly UniqueContent[] => {
    const values = columns.map((column) => contentOfColumn.get(column) ?? quoted(column));
    const isKept =
      before.has(index) && values.every((value, at) => value === quoted(columns[at] ?? ''));
    return unique && !isKept ? [{ table, items: [], columns, contents: values }] : [];
  });
}

function isOfValues({ column }: Loss): boolean {
  return column !== TYPE_COLUMN;
}

/** All rows of the declared type keep it when the model has no other. */
function droppedCondition({ name: column, type, fill }: Column): string {
  const isTyped = type?.kind === 'type' && fill !== undefined;
  return isTyped ? `${quoted(column)} <> ${fill}` : `${quoted(column)} IS NOT NULL`;
}

/** Selects the rows that cannot get the declared type, because it is abstract; undefined if there cannot be any. */
function rowsWithoutType({ old, table }: Pair, dialect: Dialect): string | undefined {
  const column = table.columns.find((one) => one.name === TYPE_COLUMN);
  if (column === undefined || column.fill !== undefined) return undefined;
  const source = old.columns.find((one) => one.name === TYPE_COLUMN);
  if (source === undefined) return '1 = 1';
  const unfit = convertColumn(source, column, dialect)?.unfit;
  return unfit && toText(unfit, dialect);
}

/** The other rows remain in the table, where nobody can read them. Earlier versions have not recorded which tables are those of singletons. */
function toSingleton({ old, table }: Pair): readonly MigrationStep[] {
  const isRecorded = old.columns.some(({ type }) => type !== undefined);
  if (table.isSingle !== true || old.isSingle === true || !isRecorded) return [];
  const others: Loss = { kind: 'rows', table: table.name, kept: 1 };
  return [step(`Serve one row of "${table.name}" as a singleton.`, [], [others])];
}

function describeRebuild(
  old: Table,
  { added, changed, dropped }: Changes,
  contents: readonly Content[],
): string {
  const namesOf = (columns: readonly Column[]) => memberTexts(columns.map(({ name }) => name));
  const parts = [
    ...(added.length > 0 ? [`with ${namesOf(added)} added`] : []),
    ...(changed.length > 0 ? [`with ${namesOf(changed)} changed`] : []),
    ...(dropped.length > 0 ? [`without ${namesOf(dropped)}, whose values are lost`] : []),
  ];
  const filled = contents.flatMap((content) => content.filled);
  const losing = (kind: Loss['kind'], isConverted: boolean) =>
    memberTexts(
      contents
        .filter((content) => content.isConverted === isConverted)
        .flatMap(({ losses }) => losses.filter((loss) => loss.kind === kind))
        .map(({ column = '' }) => column),
    );
  const [lost, unfit, cut] = [
    losing('values', false),
    losing('values', true),
    losing('digits', true),
  ];
  const notes = [
    ...(filled.length > 0 ? [` Rows without a value get ${filled.join(', ')}.`] : []),
    ...(lost === '' ? [] : [` The values of ${lost} cannot be converted and are lost.`]),
    ...(unfit === '' ? [] : [` Values of ${unfit} that the new type cannot hold are lost.`]),
    ...(cut === '' ? [] : [` The values of ${cut} lose digits.`]),
  ];
  return `Rebuild the table "${old.name}" ${parts.join(', ')}.${notes.join('')}`;
}

/** The expression that fills a column of the new table from a row of the old one. */
interface Content {
  readonly sql: string;
  /** Defaults for rows without a value, for the description. */
  readonly filled: readonly string[];
  readonly losses: readonly Loss[];
  /** Values that identify records and are not kept. */
  readonly unfit: readonly Loss[];
  /** Whether the column gets converted values, if it has had some. */
  readonly isConverted: boolean;
}

function contentOf({ old, table }: Pair, column: Column, dialect: Dialect): Content {
  const source = old.columns.find((one) => one.name === column.name);
  if (column.name === table.identity) return identityContent(old, source, dialect);
  const conversion = source === undefined ? undefined : convertColumn(source, column, dialect);
  const changes = source === undefined ? [] : lossesOf(old, source, { conversion, dialect });
  const [losses, unfit] = identifies(table, column) ? [[], changes] : [changes, []];
  const isConverted = conversion !== undefined;
  const converted = conversion === undefined ? undefined : toText(conversion.content, dialect);
  if (!column.notNull) return { sql: converted ?? 'NULL', filled: [], losses, unfit, isConverted };
  const empty = defaultOf(column, dialect) ?? emptyValue(column, dialect);
  const isFilled = source?.notNull !== true || converted === undefined;
  const filled = isFilled ? [`${empty} in ${memberTexts([column.name])}`] : [];
  const sql = converted === undefined ? empty : `coalesce(${converted}, ${empty})`;
  return { sql, filled, losses, unfit, isConverted };
}

/** Whether the column is part of a key: each record must have a value, and no other may have it. */
function identifies({ indexes }: Table, { name: own, notNull }: Column): boolean {
  return notNull && indexes.some(({ unique, columns }) => unique && columns.includes(own));
}

/** Records keep their identities: a column that becomes the key takes the values of the previous key and loses its own. */
function identityContent(old: Table, source: Column | undefined, dialect: Dialect): Content {
  const sql = quoted(old.identity);
  if (source === undefined || source.name === old.identity)
    return { sql, filled: [], losses: [], unfit: [], isConverted: true };
  const isOther = dialect.values.notSame(name(source.name), name(old.identity));
  const own = `${quoted(source.name)} IS NOT NULL AND ${toText(isOther, dialect)}`;
  const losses = [lossWhere('values', old.name, source.name, own)];
  return { sql, filled: [], losses, unfit: [], isConverted: false };
}

/** What a column's values lose by conversion. */
function lossesOf(
  old: Table,
  source: Column,
  { conversion, dialect }: { conversion: Conversion | undefined; dialect: Dialect },
): readonly Loss[] {
  const loss = (kind: 'values' | 'digits', condition: Fragment | undefined) =>
    condition === undefined
      ? []
      : [lossWhere(kind, old.name, source.name, toText(condition, dialect))];
  if (conversion === undefined) return loss('values', hasValue(source));
  return [...loss('values', conversion.unfit), ...loss('digits', conversion.rounded)];
}

/** An empty collection has nothing to lose. */
function hasValue({ name: own, type }: Column): Fragment {
  const column = name(own);
  return type?.collection === true ? sql`${column} <> '[]'` : sql`${column} IS NOT NULL`;
}

function toText(fragment: Fragment, { placeholder }: Dialect): string {
  return toStatement(fragment, placeholder).text;
}

// ---- indexes and links ----------------------------------------------------------------------------------------------

function changeIndexes({ old, table }: Pair, dialect: Dialect): readonly MigrationStep[] {
  const isIn = (index: Index, indexes: readonly Index[]) =>
    indexes.some((one) => one.name === index.name && one.unique === index.unique);
  const dropped = old.indexes.filter((index) => !isIn(index, table.indexes));
  const added = table.indexes.filter((index) => !isIn(index, old.indexes));
  return [
    ...dropped.map((index) =>
      step(`Drop the index on ${index.columns.map(memberText).join(', ')} of "${old.name}".`, [
        `DROP INDEX ${quoted(dialect.schema.objectName(index.name))}`,
      ]),
    ),
    ...added.map((index) => addIndex({ old, table }, index, dialect)),
  ];
}

function addIndex({ old, table }: Pair, index: Index, dialect: Dialect): MigrationStep {
  const { columns, unique } = index;
  const text = `Add ${unique ? 'a unique' : 'an'} index on ${columns.map(memberText).join(', ')} of "${table.name}".`;
  const added = step(text, [createIndex(table, index, dialect)]);
  const isStored = columns.every((column) => old.columns.some(({ name: own }) => own === column));
  return unique && isStored ? { ...added, unique: [{ table, items: [], columns }] } : added;
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
  const contents = ({ indexes: _, items: __, columns, ...table }: Table) =>
    JSON.stringify([table, columns.map(({ type: ___, ...column }) => column)]);
  return contents(pair.old) !== contents(pair.table) || changedColumns(pair).length > 0;
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
  const items = table.items.filter((index) =>
    pair.old.columns.some(({ name: stored }) => stored === index.column),
  );
  return [
    { ...step(text, createItemIndexes(table, dialect)), unique: [{ table, items, columns: [] }] },
  ];
}
