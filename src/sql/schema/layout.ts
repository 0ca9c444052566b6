// The storage layout of a model: tables, columns, indexes and link tables as plain data, with lookup functions.
// model-layout.ts derives a Layout from a model, ddl.ts writes it as SQL, and migration.ts compares two layouts.
import { invariant } from '../../base/fault.ts';
import type { Member, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { type ColumnType, keepsValues } from './column-type.ts';
import { type Storage, sameStorage } from './value-storage.ts';

export interface Column {
  /** The property path (`Registration/DateCreated`), or a hidden name that contains `$` or `#`. */
  readonly name: string;
  readonly storage: Storage;
  /** Absent in hidden columns, references, columns of several properties of different types, and layouts of earlier versions. */
  readonly type?: ColumnType;
  readonly notNull: boolean;
  /** The table whose identities the column holds, if it is a foreign key. */
  readonly references?: string;
  /** The default value as SQL text; `0` or `1` for a boolean. */
  readonly default?: string;
  /** What existing rows without a value get when the column becomes NOT NULL, as SQL text; `0` or `1` for a boolean. */
  readonly fill?: string;
}

/** Whether no migration is needed. A value for existing rows is used in a migration, but does not cause one. */
export function sameColumn(left: Column, right: Column): boolean {
  return (
    holdsSameValues(left, right) &&
    left.notNull === right.notNull &&
    left.references === right.references &&
    left.default === right.default
  );
}

/** Whether values can move from one column to the other without a change. */
export function holdsSameValues(from: Column, to: Column): boolean {
  if (!sameStorage(from.storage, to.storage)) return false;
  if (from.type === undefined || to.type === undefined)
    return !isReferenceAndValue(from, to) && !isReferenceAndValue(to, from);
  return keepsValues(from.type, to.type);
}

function isReferenceAndValue({ references }: Column, { type }: Column): boolean {
  return references !== undefined && type !== undefined;
}

export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The full-text indexes of a table. */
export interface TextIndex {
  /** Name of the word index, for $search. */
  readonly words: string;
  /** Name of the trigram index, for contains, startswith and endswith. */
  readonly grams: string;
  /** The indexed columns, in the order of the text index's own columns c1, c2, …. */
  readonly columns: readonly string[];
}

/** The keys of the items of a collection, in a table of their own: each key belongs to one row of the indexed table. */
export interface ItemIndex {
  readonly name: string;
  /** The column with the collection. */
  readonly column: string;
  /** The members of an item that are its key. Items that lack one are not indexed. */
  readonly members: readonly string[];
}

/** The table of one source. Every row has an identity, an integer that is unique in the installation. */
export interface Table {
  readonly name: string;
  readonly identity: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly text?: TextIndex | undefined;
  /** Absent without such collections. */
  readonly items?: readonly ItemIndex[];
  /** The table of a singleton, of which one row is served. */
  readonly isSingle?: true;
}

/** A table of identity pairs, named after the navigation from `source` to `target`. */
export interface LinkTable {
  readonly name: string;
  readonly source: string;
  /** Undefined if the targets are in several tables. */
  readonly target?: string | undefined;
}

/** The part of a layout that is stored in docket_setting and compared with the layout of the next start. */
export interface StoredLayout {
  readonly tables: readonly Table[];
  readonly links: readonly LinkTable[];
  /** The expressions of computed properties, as computed-columns.ts identifies them. Absent in layouts of earlier versions. */
  readonly expressions?: Readonly<Record<string, string>> | undefined;
}

export interface Layout extends StoredLayout {
  readonly model: Model;
  /** Tables by source id. */
  readonly bySource: ReadonlyMap<string, TableUse>;
  /** The texts of the codes, used as constants in statements. Statements look up codes missing here. A change replaces the layout. */
  readonly codeTexts?: CodeTexts;
  /** The revision of these texts and of the codes that bodies may name; writes with codes require that it is still the one in the database. */
  readonly codeRevision?: string;
}

/** The JSON members of coded values, by language and code. */
export type CodeTexts = ReadonlyMap<string, ReadonlyMap<bigint, string>>;

/** The table of a source, with its columns by name. */
export interface TableUse {
  readonly source: Source;
  readonly table: Table;
  readonly columns: ReadonlyMap<string, Column>;
  /** Names of columns that differ from their path, because two derived types have different members of one name. */
  readonly renamed: ReadonlyMap<Member, string>;
  /** The columns of elapsed and remaining time. */
  readonly clocks: ReadonlyMap<string, ClockColumn>;
}

/**
 * A column whose values change without a write: it holds a position in the working time of a schedule, whose identity is in another column.
 * The remaining time is that until the position, the elapsed time that since it.
 */
export interface ClockColumn {
  readonly kind: 'elapsed' | 'remaining';
  readonly schedule: string;
  /** The column of the state of the clock, with the codes of its states. */
  readonly state: string;
  readonly codes: Readonly<Record<ClockStateName, bigint>>;
}

type ClockStateName = 'running' | 'paused' | 'stopped';

export const TYPE_COLUMN = '$type';
export const PARENT_COLUMN = '$parent';
export const VERSION_COLUMN = '$version';
export const DYNAMIC_COLUMN = '$dynamic';
export const FILE_COLUMN = '$file';
export const IDENTITY_COLUMN = '$id';

/** The column that is 1 if a nullable complex value is present. */
export function presenceColumn(path: string): string {
  return `${path}#`;
}

/** The member to which a column belongs, for people. Names of the service are in parentheses. */
export function memberText(column: string): string {
  return HIDDEN_TEXTS.get(column) ?? column.replace(/#.*$/, '');
}

const HIDDEN_TEXTS: ReadonlyMap<string, string> = new Map([
  [TYPE_COLUMN, '(type)'],
  [PARENT_COLUMN, '(container)'],
  [VERSION_COLUMN, '(version)'],
  [DYNAMIC_COLUMN, '(dynamic properties)'],
  [FILE_COLUMN, '(content)'],
  [IDENTITY_COLUMN, '(identity)'],
]);

/** `"Room", (type)`: the members of columns in a sentence, each once. */
export function memberTexts(columns: readonly string[]): string {
  const texts = columns.map(memberText);
  return [...new Set(texts)].map((one) => (one.startsWith('(') ? one : `"${one}"`)).join(', ');
}

/** The column of a stream property that references docket_file. */
export function fileColumn(path: string): string {
  return `${path}#file`;
}

/** The column of a media stream (empty path) or of the stream property at the path. */
export function streamColumn(use: TableUse, path: readonly Member[]): string {
  return path.length === 0 ? FILE_COLUMN : fileColumn(columnName(use, path));
}

/** The table of a source that is not a union. Throws: InvariantError for a union. */
export function tableOf(layout: Layout, source: Source): TableUse {
  const use = layout.bySource.get(source.id);
  invariant(use !== undefined, `no table for the source ${source.id}`);
  return use;
}

/** The column name of a path of members. */
export function columnName(use: Pick<TableUse, 'renamed'>, path: readonly Member[]): string {
  return path.map((step) => use.renamed.get(step) ?? step.name).join('/');
}
