// DDL statements for a layout: its tables, link tables and indexes, and the tables of the engine itself.
import { invariant } from '../../base/fault.ts';
import type { Dialect, IndexedTable } from '../dialect/dialect.ts';
import { quoted, toStatement } from '../fragment.ts';
import type { EngineTable } from './engine-table.ts';
import { createItemIndexes } from './item-index.ts';
import { KNOWN_TABLE } from './known-record-table.ts';
import type { Column, Index, Layout, LinkTable, StoredLayout, Table } from './layout.ts';

/** The setting that holds the stored layout. */
export const LAYOUT_SETTING = 'layout';

/** The table of the schedules by which clocks run. */
export const SCHEDULE_TABLE = 'docket_schedule';

/** The sequence in docket_sequence that allocates identities. */
export const IDENTITY_SEQUENCE = 'identity';

/** All statements that create an empty database with the layout, in order. */
export function ddl(layout: Layout, dialect: Dialect): readonly string[] {
  return [
    ...engineDdl(dialect),
    ...tableDdl(layout, dialect),
    ...indexDdl(layout, dialect),
    ...referenceDdl(layout, dialect),
  ];
}

/** The tables of the engine: code texts by language, sequences, settings and files. */
export function engineDdl(dialect: Dialect): readonly string[] {
  return ENGINE_TABLES.flatMap((table) => engineTableDdl(table, dialect));
}

/**
 * docket_code_text: `folded` is the text in lower case, `json` the members of the coded value without braces, `"Text":"New","Value":7`.
 * docket_file: `key` is the object name in the store, `sha256` lower-case hexadecimal digits, `state` kept, or released if no record
 * refers to the file. docket_schedule: positions count from `origin`, milliseconds since 1970; `definition` is JSON.
 */
export const ENGINE_TABLES: readonly EngineTable[] = [
  {
    name: 'docket_code_text',
    columns:
      'language text NOT NULL, value integer NOT NULL, text text NOT NULL, folded text NOT NULL, json text NOT NULL',
    key: ['language', 'value'],
    keyed: true,
    indexes: {
      'docket_code_text|text': ['language', 'text'],
      'docket_code_text|folded': ['folded'],
    },
  },
  {
    name: 'docket_sequence',
    columns: 'name text NOT NULL PRIMARY KEY, next integer NOT NULL',
    keyed: true,
  },
  {
    name: 'docket_setting',
    columns: 'name text NOT NULL PRIMARY KEY, value text NOT NULL',
  },
  {
    name: 'docket_file',
    columns: `id identity, media_type text NOT NULL, size integer NOT NULL, sha256 text NOT NULL, state text NOT NULL,
      created text NOT NULL, key text NOT NULL UNIQUE, store text NOT NULL, account integer`,
    indexes: {
      'docket_file|state': ['state', 'created'],
      'docket_file|account': ['account', 'state', 'size'],
    },
  },
  {
    name: SCHEDULE_TABLE,
    columns:
      'id integer NOT NULL PRIMARY KEY, origin integer NOT NULL, since text NOT NULL, definition text NOT NULL',
  },
  KNOWN_TABLE,
];

/** The statements that create a table of the engine with its indexes and first row. */
export function engineTableDdl(table: EngineTable, dialect: Dialect): readonly string[] {
  const { name, columns, key, keyed = false, indexes = {}, firstRow } = table;
  const definitions = columns.split(',').map((column) => engineColumn(column, dialect));
  const primary = key === undefined ? [] : [`PRIMARY KEY (${key.map(quoted).join(', ')})`];
  const suffix = keyed ? dialect.schema.keyedTable : '';
  return [
    `CREATE TABLE ${quoted(name)} (${[...definitions, ...primary].join(', ')})${suffix}`,
    ...Object.entries(indexes).map(([index, indexed]) =>
      createIndex({ name }, { name: index, columns: indexed, unique: false }, dialect),
    ),
    ...(firstRow === undefined ? [] : [firstRow]),
  ];
}

function engineColumn(definition: string, { columnTypes, schema }: Dialect): string {
  const { name, kind, constraints } = parseColumn(definition);
  const { generatedIdentity: identity, numbered } = schema;
  const type = new Map(Object.entries({ ...columnTypes, identity, numbered })).get(kind);
  invariant(type !== undefined, `the column ${name} has no type`);
  return [quoted(name), type, ...constraints].join(' ');
}

function parseColumn(definition: string) {
  const [name = '', kind = '', ...constraints] = definition.trim().split(' ');
  return { name, kind, constraints };
}

/** The names of the columns of an engine table, of those of its key, and of the one whose numbers the database generates. */
export function engineTableColumns({ columns, key }: EngineTable): {
  readonly all: readonly string[];
  readonly key: readonly string[];
  readonly generated: string | undefined;
} {
  const all = columns.split(',').map(parseColumn);
  const generated = all.find(({ kind }) => kind === 'identity' || kind === 'numbered')?.name;
  const primary = all.find(({ constraints }) => constraints.includes('PRIMARY'))?.name ?? generated;
  return {
    all: all.map(({ name }) => name),
    key: key ?? (primary === undefined ? [] : [primary]),
    generated,
  };
}

/**
 * Whether the recorded statements define the same tables. Earlier versions wrote them with other white space, without quotes around
 * names, and with IF NOT EXISTS.
 */
export function isSameDdl(recorded: readonly string[], current: readonly string[]): boolean {
  return (
    recorded.length === current.length &&
    recorded.every((statement, index) => isSameDefinition(statement, current[index] ?? ''))
  );
}

export function isSameDefinition(left: string, right: string): boolean {
  return normalized(left) === normalized(right);
}

function normalized(definition: string): string {
  return definition.replace(/ IF NOT EXISTS|"/g, '').replace(/\(?\s+/g, (gap) => gap.trim() || ' ');
}

/** The tables and link tables, without their indexes. */
export function tableDdl(layout: StoredLayout, dialect: Dialect): readonly string[] {
  return [
    ...layout.tables.map((table) => createTable(table, dialect)),
    ...layout.links.map((link) => createLink(link, layout, dialect)),
  ];
}

/** The indexes, including the tables and triggers of text indexes, and those of items with their content. */
export function indexDdl(layout: StoredLayout, dialect: Dialect): readonly string[] {
  return [
    ...layout.tables.flatMap((table) =>
      table.indexes.map((index) => createIndex(table, index, dialect)),
    ),
    ...layout.links.map((link) => createLinkIndex(link, dialect)),
    ...layout.tables.flatMap((table) => dialect.schema.textIndex(table)),
    ...layout.tables.flatMap((table) => createItemIndexes(table, dialect)),
  ];
}

/** The references that are not part of the tables. */
export function referenceDdl(layout: StoredLayout, dialect: Dialect): readonly string[] {
  const references = [
    ...layout.tables.flatMap(referencesOf),
    ...layout.links.flatMap((link) => linkReferences(link, layout)),
  ];
  return separateReferences(references, dialect);
}

/** The statements that add references; none where they are part of the column definitions. */
export function separateReferences(
  references: readonly Reference[],
  dialect: Dialect,
): readonly string[] {
  if (!dialect.schema.altersTables) return [];
  return references.map((reference) => addReference(reference, dialect));
}

/** A foreign key: a column that holds identities of another table. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly to: string;
}

export function referencesOf({
  name: table,
  columns,
}: Pick<Table, 'name' | 'columns'>): readonly Reference[] {
  return columns.flatMap(({ name: column, references: to }) =>
    to === undefined ? [] : [{ table, column, to }],
  );
}

/** A link has references to the tables that are in the layout. */
export function linkReferences(link: LinkTable, { tables }: StoredLayout): readonly Reference[] {
  return (['source', 'target'] as const).flatMap((column) => {
    const to = tables.find((one) => one.name === link[column])?.name;
    return to === undefined ? [] : [{ table: link.name, column, to }];
  });
}

export function addReference({ table, column, to }: Reference, { schema }: Dialect): string {
  const constraint = quoted(referenceName({ table, column }, schema));
  return `ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${constraint} FOREIGN KEY (${quoted(column)}) REFERENCES ${quoted(to)} ${schema.deferred}`;
}

export function dropReference({ table, column }: Reference, { schema }: Dialect): string {
  const constraint = quoted(referenceName({ table, column }, schema));
  return `ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${constraint}`;
}

function referenceName(
  { table, column }: Pick<Reference, 'table' | 'column'>,
  { objectName }: Dialect['schema'],
): string {
  return objectName(`${table}|${column}|reference`);
}

export function createTable(table: Table, dialect: Dialect, name: string = table.name): string {
  const columns = table.columns.map((column) => columnDefinition(table, column, dialect));
  return `CREATE TABLE ${quoted(name)} (${columns.join(', ')})`;
}

/** A column definition for CREATE TABLE and ALTER TABLE. */
export function columnDefinition(table: Table, column: Column, dialect: Dialect): string {
  const { columnTypes, schema } = dialect;
  if (column.name === table.identity) return `${quoted(column.name)} ${schema.identity}`;
  const parts = [quoted(column.name), columnTypes[column.storage.kind]];
  if (column.notNull) parts.push('NOT NULL');
  const initial = defaultOf(column, dialect);
  if (initial !== undefined) parts.push(`DEFAULT ${initial}`);
  if (column.references !== undefined && !schema.altersTables) {
    parts.push(`REFERENCES ${quoted(column.references)} ${schema.deferred}`);
  }
  return parts.join(' ');
}

/** The default value of a column as SQL text. */
export function defaultOf(column: Column, { literal, placeholder }: Dialect): string | undefined {
  if (column.storage.kind !== 'boolean' || column.default === undefined) return column.default;
  return toStatement(column.default === '0' ? literal.false : literal.true, placeholder).text;
}

export function createIndex(table: IndexedTable, index: Index, { schema }: Dialect): string {
  const unique = index.unique ? 'UNIQUE ' : '';
  const name = quoted(schema.objectName(index.name));
  return `CREATE ${unique}INDEX ${name} ON ${quoted(table.name)} (${schema.indexColumns(table, index)})`;
}

export function createLink(link: LinkTable, layout: StoredLayout, dialect: Dialect): string {
  const { columnTypes, schema } = dialect;
  const references = schema.altersTables ? [] : linkReferences(link, layout);
  const end = (column: string) => {
    const to = references.find((one) => one.column === column)?.to;
    const reference = to === undefined ? '' : ` REFERENCES ${quoted(to)} ${schema.deferred}`;
    return `"${column}" ${columnTypes.integer} NOT NULL${reference}`;
  };
  return `CREATE TABLE ${quoted(link.name)} (${end('source')}, ${end('target')}, PRIMARY KEY ("source", "target"))${schema.keyedTable}`;
}

export function createLinkIndex(link: LinkTable, { schema }: Dialect): string {
  const name = quoted(schema.objectName(`${link.name}|target`));
  return `CREATE INDEX ${name} ON ${quoted(link.name)} ("target", "source")`;
}
