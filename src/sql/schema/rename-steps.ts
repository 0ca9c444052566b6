// The steps that rename what a database has under an old name. migration.ts plans the remaining steps.
import { simpleName } from '../../edm/model.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { quoted } from '../fragment.ts';
import {
  addReference,
  createIndex,
  createLink,
  createLinkIndex,
  dropReference,
  linkReferences,
  referencesOf,
  separateReferences,
} from './ddl.ts';
import { createItemIndexes, dropItemIndexes, itemIndexName } from './item-index.ts';
import {
  type Column,
  type LinkTable,
  memberText,
  type StoredLayout,
  type Table,
  TYPE_COLUMN,
} from './layout.ts';
import type { MigrationStep } from './migration.ts';
import type { Rename } from './renames.ts';

export interface RenamedLayout {
  readonly steps: readonly MigrationStep[];
  /** Steps that change values of rows. They are needed only if their query returns a row before the other steps. */
  readonly valueSteps: readonly (MigrationStep & { readonly isNeeded: string })[];
  /** The layout after the steps. */
  readonly layout: StoredLayout;
}

/** Renames what the database has under a old name, and the wanted layout under the new one only. */
export function planRenames(
  installed: StoredLayout,
  wanted: StoredLayout,
  renames: readonly Rename[],
  dialect: Dialect,
): RenamedLayout {
  const isDue = ({ from, to }: Rename, before: ReadonlySet<string>, after: ReadonlySet<string>) =>
    before.has(from) && !before.has(to) && after.has(to) && !after.has(from);
  const nameSet = (items: readonly { readonly name: string }[] = []) =>
    new Set(items.map(({ name }) => name));
  const ofKind = <Kind extends Rename['kind']>(kind: Kind) =>
    renames.filter((one): one is Extract<Rename, { kind: Kind }> => one.kind === kind);
  const tableRenames = ofKind('table').filter((one) =>
    isDue(one, nameSet(installed.tables), nameSet(wanted.tables)),
  );
  const newName = (table: string) => tableRenames.find(({ from }) => from === table)?.to ?? table;
  const after = new Map(wanted.tables.map((table) => [table.name, table]));
  const tables = installed.tables.map((table) => {
    const next = after.get(newName(table.name));
    const columns = ofKind('column').filter(
      (one) =>
        one.table === newName(table.name) &&
        isDue(one, nameSet(table.columns), nameSet(next?.columns)),
    );
    const renamed = renameTable(table, newName, columns);
    return { old: table, table: renameTypes(renamed, ofKind('type')), columns };
  });
  const linkRename = ofKind('link').filter((one) =>
    isDue(one, nameSet(installed.links), nameSet(wanted.links)),
  );
  const links = installed.links.map((link) => {
    const rename = linkRename.find(({ from }) => from === link.name);
    return { old: link, link: renameLink(link, newName, rename), rename };
  });
  const layout = {
    tables: tables.map(({ table }) => table),
    links: links.map(({ link }) => link),
    expressions: installed.expressions,
  };
  return {
    layout,
    steps: [
      ...tables.flatMap((one) =>
        tableStep(one, tableRenames.find(({ to }) => to === one.table.name)?.source, dialect),
      ),
      ...links.flatMap(({ old, link, rename }) =>
        rename === undefined ? [] : [linkStep(old, link, rename.isSwapped, layout, dialect)],
      ),
    ],
    valueSteps: [
      ...ofKind('type').map((one) => typeStep(one, tables)),
      ...ofKind('member').flatMap((one) => memberStep(one, tables)),
    ].flatMap(valueStep),
  };
}

/** The rows of each table with the names after renames, as a table expression for statements that run before. */
export function rowsBeforeRenames(
  before: StoredLayout,
  after: StoredLayout,
  renames: readonly Rename[],
): ReadonlyMap<string, string> {
  return new Map(
    after.tables.flatMap((table, at): readonly (readonly [string, string])[] => {
      const old = before.tables[at];
      if (old === undefined) return [];
      const columns = table.columns.map(({ name }, column) => {
        const former = old.columns[column]?.name ?? name;
        const content = name === TYPE_COLUMN ? renamedType(renames) : quoted(former);
        return `${content} AS ${quoted(name)}`;
      });
      const rows = `(SELECT ${columns.join(', ')} FROM ${quoted(old.name)}) AS ${quoted(table.name)}`;
      return [[table.name, rows]];
    }),
  );
}

/** The type of a row after renames, which are made in turn. */
function renamedType(renames: readonly Rename[]): string {
  const ofTypes = renames.filter(({ kind }) => kind === 'type');
  const cases = ofTypes.map(({ from }, at) => {
    const last = ofTypes.slice(at).reduce((type, one) => (one.from === type ? one.to : type), from);
    return `WHEN ${literal(from)} THEN ${literal(last)}`;
  });
  const type = quoted(TYPE_COLUMN);
  return cases.length === 0 ? type : `CASE ${type} ${cases.join(' ')} ELSE ${type} END`;
}

function isTypeColumn({ name }: Column): boolean {
  return name === TYPE_COLUMN;
}

type ColumnRename = Extract<Rename, { kind: 'column' }>;

function renameTable(
  table: Table,
  newName: (table: string) => string,
  columns: readonly ColumnRename[],
): Table {
  const name = newName(table.name);
  const column = (old: string) => columns.find(({ from }) => from === old)?.to ?? old;
  const { text } = table;
  return {
    ...table,
    name,
    identity: column(table.identity),
    columns: table.columns.map((one) => ({
      ...one,
      name: column(one.name),
      ...(one.references === undefined ? {} : { references: newName(one.references) }),
    })),
    indexes: table.indexes.map((index) => {
      const indexed = index.columns.map(column);
      return { ...index, name: `${name}|${indexed.join(',')}`, columns: indexed };
    }),
    ...(table.items === undefined
      ? {}
      : {
          items: table.items.map((index) => {
            const collection = column(index.column);
            return { ...index, name: itemIndexName(name, collection), column: collection };
          }),
        }),
    text: text && {
      words: `${name}$search`,
      grams: `${name}$grams`,
      columns: text.columns.map(column),
    },
  };
}

/** Rows name their types, and those without one get the declared one. */
function renameTypes(table: Table, renames: readonly Rename[]): Table {
  const newName = (type: string) => renames.find(({ from }) => from === type)?.to ?? type;
  const columns = table.columns.map((column) => {
    const { type, fill } = column;
    if (type?.kind !== 'type') return column;
    const types = type.types.map(newName);
    const declared = fill === undefined ? {} : { fill: literal(newName(fill.slice(1, -1))) };
    return { ...column, type: { ...type, types }, ...declared };
  });
  return { ...table, columns };
}

function renameLink(
  link: LinkTable,
  newName: (table: string) => string,
  rename: { readonly to: string; readonly isSwapped: boolean } | undefined,
): LinkTable {
  const source = newName(link.source);
  const target = link.target === undefined ? undefined : newName(link.target);
  const ends =
    rename?.isSwapped === true && target !== undefined
      ? { source: target, target: source }
      : { source, target };
  return { ...link, ...ends, name: rename?.to ?? link.name };
}

interface TableRename {
  readonly old: Table;
  readonly table: Table;
  readonly columns: readonly ColumnRename[];
}

/** Indexes, references and text indexes are named after their table and columns, so they are created again. */
function tableStep(
  { old, table, columns }: TableRename,
  source: readonly [from: string, to: string] | undefined,
  dialect: Dialect,
): readonly MigrationStep[] {
  const { schema } = dialect;
  if (old.name === table.name && columns.length === 0) return [];
  const isOther = ({ name }: { readonly name: string }) =>
    !table.indexes.some((index) => index.name === name);
  const isNew = ({ name }: { readonly name: string }) =>
    !old.indexes.some((index) => index.name === name);
  const named = columns.map(({ from, to }) => `"${memberText(from)}" to "${memberText(to)}"`);
  const names = [...new Set(named)].join(', ');
  const [former, current] = schema.altersTables
    ? [referencesOf(old), referencesOf(table)]
    : [[], []];
  const moved = former.flatMap((reference, at) => {
    const next = current[at];
    return next === undefined ||
      (next.table === reference.table && next.column === reference.column)
      ? []
      : [{ reference, next }];
  });
  const sql = [
    ...(old.text === undefined ? [] : schema.dropTextIndex(old)),
    ...dropItemIndexes(old),
    ...old.indexes
      .filter(isOther)
      .map((index) => `DROP INDEX ${quoted(schema.objectName(index.name))}`),
    ...moved.map(({ reference }) => dropReference(reference, dialect)),
    ...columns.map(
      ({ from, to }) =>
        `ALTER TABLE ${quoted(old.name)} RENAME COLUMN ${quoted(from)} TO ${quoted(to)}`,
    ),
    ...(old.name === table.name
      ? []
      : [`ALTER TABLE ${quoted(old.name)} RENAME TO ${quoted(table.name)}`]),
    ...moved.map(({ next }) => addReference(next, dialect)),
    ...table.indexes.filter(isNew).map((index) => createIndex(table, index, dialect)),
    ...(table.text === undefined
      ? []
      : [...schema.textIndex(table), ...schema.fillTextIndex(table)]),
    ...createItemIndexes(table, dialect),
    ...columns.map(({ from, to }) =>
      renameValue('docket_sequence', 'name', `${old.name}.${from}`, `${table.name}.${to}`),
    ),
    ...(source === undefined ? [] : renameInEngine(old.name, table.name, source)),
  ];
  const parts = [
    ...(old.name === table.name ? [] : [`Rename the table "${old.name}" to "${table.name}".`]),
    ...(names === '' ? [] : [`Rename columns of "${table.name}": ${names}.`]),
  ];
  return [{ text: parts.join(' '), losses: [], sql }];
}

/** Sequences are named after their table and column, changes after the source of the record. */
function renameInEngine(
  from: string,
  to: string,
  [formerSource, source]: readonly [from: string, to: string],
): readonly string[] {
  const prefix = `${from}.`;
  return [
    `UPDATE "docket_sequence" SET "name" = ${literal(`${to}.`)} || substr("name", ${prefix.length + 1}) WHERE substr("name", 1, ${prefix.length}) = ${literal(prefix)}`,
    renameValue('docket_change', 'source', formerSource, source),
  ];
}

function linkStep(
  old: LinkTable,
  link: LinkTable,
  isSwapped: boolean,
  layout: StoredLayout,
  dialect: Dialect,
): MigrationStep {
  const columns = isSwapped ? '"target", "source"' : '"source", "target"';
  return {
    text: `Rename the link table "${old.name}" to "${link.name}".`,
    losses: [],
    sql: [
      createLink(link, layout, dialect),
      `INSERT INTO ${quoted(link.name)} SELECT ${columns} FROM ${quoted(old.name)}`,
      `DROP TABLE ${quoted(old.name)}`,
      createLinkIndex(link, dialect),
      ...separateReferences(linkReferences(link, layout), dialect),
    ],
  };
}

/** An update of values in a table. */
interface ValueUpdate {
  readonly table: TableRename;
  readonly column: string;
  readonly from: string;
  readonly to: string;
  /** A further condition. */
  readonly where?: string;
}

interface ValueRename {
  readonly text: string;
  readonly updates: readonly ValueUpdate[];
}

/** Rows name their type where their table has several; rights name it without its namespace or with it. */
function typeStep({ from, to }: Rename, tables: readonly TableRename[]): ValueRename {
  const updates = tables.flatMap((table): readonly ValueUpdate[] => {
    const isTyped = table.old.columns.some(isTypeColumn);
    const isAccess = /\/(Entity|Attribute)Access$/.test(table.old.name);
    return [
      ...(isTyped ? [{ table, column: TYPE_COLUMN, from, to }] : []),
      ...(isAccess
        ? [
            { table, column: 'Entity', from, to },
            { table, column: 'Entity', from: simpleName(from), to: simpleName(to) },
          ]
        : []),
    ];
  });
  return { text: `Rename the type ${from} to ${to} in rows and rights.`, updates };
}

function memberStep(
  { types, from, to }: Extract<Rename, { kind: 'member' }>,
  tables: readonly TableRename[],
): readonly ValueRename[] {
  const where = `"Entity" IN (${types.map(literal).join(', ')})`;
  const updates = tables
    .filter(({ old }) => old.name.endsWith('/AttributeAccess'))
    .map((table) => ({ table, column: 'Attribute', from, to, where }));
  return [{ text: `Rename ${types[0]}/${from} to ${to} in rights.`, updates }];
}

function valueStep({ text, updates }: ValueRename): RenamedLayout['valueSteps'] {
  if (updates.length === 0) return [];
  const condition = ({ column, from, where }: ValueUpdate) =>
    `${quoted(column)} = ${literal(from)}${where === undefined ? '' : ` AND ${where}`}`;
  const isNeeded = updates
    .map((one) => `SELECT 1 FROM ${quoted(one.table.old.name)} WHERE ${condition(one)}`)
    .join(' UNION ALL ');
  const sql = updates.map(
    (one) =>
      `UPDATE ${quoted(one.table.table.name)} SET ${quoted(one.column)} = ${literal(one.to)} WHERE ${condition(one)}`,
  );
  return [{ text, losses: [], sql, isNeeded: `${isNeeded} LIMIT 1` }];
}

function renameValue(table: string, column: string, from: string, to: string): string {
  return `UPDATE ${quoted(table)} SET ${quoted(column)} = ${literal(to)} WHERE ${quoted(column)} = ${literal(from)}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
