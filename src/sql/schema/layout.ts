// This file defines where the rows of a model are stored: tables, columns, indexes and links as plain data, and the look-ups in them.
// model-layout.ts makes a Layout of a model, ddl.ts writes it as SQL, migration.ts compares two.
import { invariant } from '../../base/fault.ts';
import type { Member, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { Storage } from './value-storage.ts';

export interface Column {
  /** The path of what it holds (`Registration/DateCreated`), or a hidden name with `$` or `#` in it. */
  readonly name: string;
  readonly storage: Storage;
  readonly notNull: boolean;
  /** Where it holds an identity of one table's rows: that table. */
  readonly references?: string;
  /** SQL text of the value that rows get which do not name the column. */
  readonly default?: string;
}

export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** Columns whose words, and whose parts of words, are indexed. */
export interface TextIndex {
  /** Of $search. */
  readonly words: string;
  /** Of contains, startswith and endswith. */
  readonly grams: string;
  /** Columns of the table in the order of the text index's own columns, which are called c1, c2, …. */
  readonly columns: readonly string[];
}

/** The table of one source. Every row has an identity, an integer that no other row of the installation has. */
export interface Table {
  readonly name: string;
  readonly identity: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly text?: TextIndex;
}

/** Pairs of identities: `source` has the navigation after which the table is called, `target` is where it leads. */
export interface LinkTable {
  readonly name: string;
  readonly source: string;
  /** Undefined where the targets are rows of several tables. */
  readonly target?: string;
}

/** What is kept in docket_setting to be compared with the layout of the next start. */
export interface StoredLayout {
  readonly tables: readonly Table[];
  readonly links: readonly LinkTable[];
}

export interface Layout extends StoredLayout {
  readonly model: Model;
  /** By source id. */
  readonly bySource: ReadonlyMap<string, TableUse>;
  /** What docket_code_text held when the service began, which may then stand in statements; statements look up what is not there. */
  readonly codeTexts?: CodeTexts;
}

/** Members of the coded value as JSON, by language and value. */
export type CodeTexts = ReadonlyMap<string, ReadonlyMap<bigint, string>>;

/** A table as a source uses it. */
export interface TableUse {
  readonly source: Source;
  readonly table: Table;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns that are not called by their path, because two derived types have different members of one name. */
  readonly renamed: ReadonlyMap<Member, string>;
}

export const TYPE_COLUMN = '$type';
export const PARENT_COLUMN = '$parent';
export const VERSION_COLUMN = '$version';
export const DYNAMIC_COLUMN = '$dynamic';
export const FILE_COLUMN = '$file';
export const IDENTITY_COLUMN = '$id';

/** Presence of a nullable complex value: 1 where there is one. */
export function presenceColumn(path: string): string {
  return `${path}#`;
}

/** Identity in docket_file of the bytes of a stream property. */
export function fileColumn(path: string): string {
  return `${path}#file`;
}

/** The table of a source that is not a union; InvariantError for others. */
export function tableOf(layout: Layout, source: Source): TableUse {
  const use = layout.bySource.get(source.id);
  invariant(use !== undefined, `no table for the source ${source.id}`);
  return use;
}

/** The column name of a path of members. */
export function columnName(use: TableUse, path: readonly Member[]): string {
  return path.map((step) => use.renamed.get(step) ?? step.name).join('/');
}
