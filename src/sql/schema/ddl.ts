// DDL statements for a layout: its tables, link tables and indexes, and the tables of the engine itself.
import type { Dialect } from '../dialect/dialect.ts';
import type { Column, Index, Layout, LinkTable, StoredLayout, Table } from './layout.ts';

/** The setting that holds the stored layout. */
export const LAYOUT_SETTING = 'layout';

/** The sequence in docket_sequence that allocates identities. */
export const IDENTITY_SEQUENCE = 'identity';

/** All statements that create an empty database with the layout, in order. */
export function ddl(layout: Layout, dialect: Dialect): readonly string[] {
  return [...engineDdl(dialect), ...tableDdl(layout, dialect), ...indexDdl(layout, dialect)];
}

/** The tables of the engine: code texts by language, sequences, settings and files. */
export function engineDdl(dialect: Dialect): readonly string[] {
  const { columnTypes, schema } = dialect;
  const [text, whole] = [columnTypes.text, columnTypes.integer];
  return [
    // json: the members of the coded value without braces, `"Text":"New","Value":7`. folded: the text in lower case.
    `CREATE TABLE "docket_code_text" ("language" ${text} NOT NULL, "value" ${whole} NOT NULL, "text" ${text} NOT NULL, "folded" ${text} NOT NULL, "json" ${text} NOT NULL, PRIMARY KEY ("language", "value"))${schema.keyedTable}`,
    `CREATE INDEX "docket_code_text|text" ON "docket_code_text" ("language", "text")`,
    `CREATE INDEX "docket_code_text|folded" ON "docket_code_text" ("folded")`,
    `CREATE TABLE "docket_sequence" ("name" ${text} NOT NULL PRIMARY KEY, "next" ${whole} NOT NULL)${schema.keyedTable}`,
    `CREATE TABLE "docket_setting" ("name" ${text} NOT NULL PRIMARY KEY, "value" ${text} NOT NULL)${schema.keyedTable}`,
    // key: the object name in the store. sha256: lower-case hexadecimal digits. state: kept, or released if no record refers to the file.
    `CREATE TABLE "docket_file" ("id" ${schema.identity}, "media_type" ${text} NOT NULL, "size" ${whole} NOT NULL, "sha256" ${text} NOT NULL, "state" ${text} NOT NULL, "created" ${text} NOT NULL, "key" ${text} NOT NULL UNIQUE, "store" ${text} NOT NULL, "account" ${whole})`,
    `CREATE INDEX "docket_file|state" ON "docket_file" ("state", "created")`,
    `CREATE INDEX "docket_file|account" ON "docket_file" ("account", "state", "size")`,
  ];
}

/** The tables and link tables, without their indexes. */
export function tableDdl(layout: StoredLayout, dialect: Dialect): readonly string[] {
  return [
    ...layout.tables.map((table) => createTable(table, dialect)),
    ...layout.links.map((link) => createLink(link, layout, dialect)),
  ];
}

/** The indexes, including the tables and triggers of text indexes. */
export function indexDdl(layout: StoredLayout, dialect: Dialect): readonly string[] {
  return [
    ...layout.tables.flatMap((table) => table.indexes.map((index) => createIndex(table, index))),
    ...layout.links.map(createLinkIndex),
    ...layout.tables.flatMap((table) => dialect.schema.textIndex(table)),
  ];
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
  if (column.default !== undefined) parts.push(`DEFAULT ${column.default}`);
  if (column.references !== undefined) {
    parts.push(`REFERENCES ${quoted(column.references)} ${schema.deferred}`);
  }
  return parts.join(' ');
}

export function createIndex(table: Table, index: Index): string {
  const unique = index.unique ? 'UNIQUE ' : '';
  const columns = index.columns.map(quoted).join(', ');
  return `CREATE ${unique}INDEX ${quoted(index.name)} ON ${quoted(table.name)} (${columns})`;
}

export function createLink(link: LinkTable, layout: StoredLayout, dialect: Dialect): string {
  const { columnTypes, schema } = dialect;
  const end = (column: string, table: string | undefined) => {
    const to = layout.tables.find((one) => one.name === table);
    const reference = to === undefined ? '' : ` REFERENCES ${quoted(to.name)} ${schema.deferred}`;
    return `"${column}" ${columnTypes.integer} NOT NULL${reference}`;
  };
  const ends = `${end('source', link.source)}, ${end('target', link.target)}`;
  return `CREATE TABLE ${quoted(link.name)} (${ends}, PRIMARY KEY ("source", "target"))${schema.keyedTable}`;
}

export function createLinkIndex(link: LinkTable): string {
  return `CREATE INDEX ${quoted(`${link.name}|target`)} ON ${quoted(link.name)} ("target", "source")`;
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
