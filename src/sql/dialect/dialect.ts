// This file defines Dialect: all in which one database differs from another, as data and small functions. What is the same
// everywhere stands in the other files of the room, which never ask which dialect they are given.
import type { FunctionName } from '../../bind/expression/functions.ts';
import type { Fragment, Placeholder } from '../fragment.ts';
import type { Column, Table } from '../schema/layout.ts';
import type { Storage } from '../schema/value-storage.ts';

/** A compiled value: its SQL, the form it is in, and whether it can be null. */
export interface Compiled {
  readonly sql: Fragment;
  readonly storage: Storage;
  readonly nullable: boolean;
}

/** What a canonical function becomes. All arguments are in the storage that the signature asks for. */
export type Render = (...values: readonly Compiled[]) => Compiled;

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly placeholder: Placeholder;
  readonly columnTypes: Readonly<Record<Storage['kind'], string>>;
  readonly schema: SchemaDialect;
  readonly values: ValueDialect;
  readonly functions: Readonly<Record<FunctionName, Render>>;
  readonly json: JsonDialect;
  readonly text: TextDialect;
}

/** The query language of text indexes. What a query is made of is bound as one value. */
export interface TextDialect {
  /** All words that begin so. */
  readonly word: (text: string) => string;
  readonly phrase: (text: string) => string;
  readonly all: (queries: readonly string[]) => string;
  readonly any: (queries: readonly string[]) => string;
  /** A part of a text in one column of the index of parts, counted from 0. */
  readonly part: (text: string, column: number) => string;
  /** A query for the identities of the rows that match. */
  readonly matching: (index: string, query: Fragment) => Fragment;
  /** The same rows as a table that is walked in the order of their identities, if there is one: a page of them ends the walk. */
  readonly walk?: (index: string, query: Fragment) => TextWalk;
}

/** What stands in FROM and WHERE, and the identity in it. */
export interface TextWalk {
  readonly from: Fragment;
  readonly condition: Fragment;
  readonly identity: Fragment;
}

/** What differs in statements that make tables. */
export interface SchemaDialect {
  /** Column definition of an identity, without its name. */
  readonly identity: string;
  /** Stands behind the closing parenthesis of a table whose rows are found by their primary key only. */
  readonly keyedTable: string;
  /** Stands behind REFERENCES, so that rows that refer to each other can be stored in any order. */
  readonly deferred: string;
  /** The tables and triggers that index words and parts of words of a table. */
  readonly textIndex: (table: Table) => readonly string[];
  /** Fills an empty text index out of the rows that are there, and takes it away. */
  readonly fillTextIndex: (table: Table) => readonly string[];
  readonly dropTextIndex: (table: Table) => readonly string[];
  /** Adds the texts of a new row, given by column, to the text index; what is changed or deleted later is kept in step by itself. */
  readonly indexTexts: (
    table: Table,
    contents: ReadonlyMap<string, Fragment>,
  ) => readonly Fragment[];
  /** The same for all rows of the table that fulfil the condition. */
  readonly indexTextsOfRows: (table: Table, condition: Fragment) => readonly Fragment[];
  /** Whether ALTER TABLE can add this column to a table with rows. */
  readonly mayAdd: (column: Column) => boolean;
}

/** What differs in calculating. Arguments are in the storages said; results are null where an argument is. */
export interface ValueDialect {
  /** Null-safe equality: never null itself. */
  readonly same: (left: Fragment, right: Fragment) => Fragment;
  readonly notSame: (left: Fragment, right: Fragment) => Fragment;
  /** Text whose order is the order of decimals. */
  readonly decimalOrder: (decimal: Fragment) => Fragment;
  /** Canonical decimal text of a scaled integer. */
  readonly unscale: (scaled: Fragment, scale: number) => Fragment;
  /** The scaled integer of canonical decimal text, rounded. */
  readonly scale: (decimal: Fragment, scale: number) => Fragment;
  /** Aggregates of decimals in canonical text, null of none. */
  readonly foldDecimals: (method: 'sum' | 'min' | 'max', decimal: Fragment) => Fragment;
  /** Number of different values in the JSON arrays of the rows of a group; nulls do not count. */
  readonly countDistinct: (arrays: Fragment) => Fragment;
  readonly decimal: (
    operator: 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod',
    left: Fragment,
    right: Fragment,
  ) => Fragment;
  /** A whole number that must not have left 64 bits. */
  readonly checked: (sum: Fragment) => Fragment;
  /** Division that fails on zero, and never yields what is no integer. */
  readonly divideInteger: (operator: 'div' | 'mod', left: Fragment, right: Fragment) => Fragment;
  /** Doubles, INF and NaN among them. */
  readonly floating: (
    operator: 'add' | 'sub' | 'mul' | 'div' | 'mod',
    left: Fragment,
    right: Fragment,
  ) => Fragment;
  /** A point in time or date moved by nanoseconds; the result has that many fraction digits (undefined: a date). */
  readonly move: (
    start: Fragment,
    nanoseconds: Fragment,
    digits: number | undefined,
    backwards: boolean,
  ) => Fragment;
  /** Nanoseconds between two points in time or dates; fails where they do not fit 64 bits. */
  readonly between: (end: Fragment, start: Fragment) => Fragment;
  /** Nanoseconds times or divided by a number given as decimal text or a double. */
  readonly stretch: (
    operator: 'mul' | 'div' | 'divby',
    duration: Fragment,
    by: Fragment,
  ) => Fragment;
  /** The values of a bound JSON array of texts or numbers, as a sub-select of one column. */
  readonly unpack: (json: Fragment) => Fragment;
  /** Conversion between primitive types by their texts; null where it fails. `from` and `to` are type names with facets as JSON. */
  readonly convert: (content: Fragment, from: string, to: string) => Fragment;
  readonly lower: (text: Fragment) => Fragment;
  /** Place of a part in a text, from 1, or 0 where it is not in it. */
  readonly position: (text: Fragment, part: Fragment) => Fragment;
  /** Order that puts null before all other values, or after them where it descends. */
  readonly order: (value: Fragment, descending: boolean, nullable: boolean) => Fragment;
}

/** What differs in writing and reading JSON text. */
export interface JsonDialect {
  /** The pieces one after the other; a null piece is nothing. */
  readonly concat: (pieces: readonly Fragment[]) => Fragment;
  /** A JSON string, or `null`. */
  readonly quote: (content: Fragment) => Fragment;
  /** Texts of the rows of a group with commas between; null where there are none. */
  readonly gather: (content: Fragment) => Fragment;
  readonly floating: (content: Fragment) => Fragment;
  readonly duration: (nanoseconds: Fragment) => Fragment;
  readonly binary: (bytes: Fragment) => Fragment;
  /** The URL literal of a text key, percent-encoded. */
  readonly urlText: (content: Fragment) => Fragment;
  /** Text that is known to be a URL, made harmless inside a JSON string. */
  readonly harmless: (url: Fragment) => Fragment;
  /** The items of a JSON array as rows of `alias`; see item. */
  readonly items: (json: Fragment, alias: Fragment) => Fragment;
  /** The item of such a row as a value of the storage, or as JSON text. */
  readonly item: (alias: Fragment) => Fragment;
  readonly itemJson: (alias: Fragment) => Fragment;
  /** Its place in the array, from 0. */
  readonly itemIndex: (alias: Fragment) => Fragment;
  /** A JSON array of the values of the rows of a group. */
  readonly gatherValues: (value: Fragment) => Fragment;
  /** A single JSON value as a value of the database. */
  readonly valueOf: (json: Fragment) => Fragment;
  /** A member of a JSON object: as a value, and as JSON text. */
  readonly member: (json: Fragment, path: readonly string[]) => Fragment;
  readonly memberJson: (json: Fragment, path: readonly string[]) => Fragment;
  /** Hexadecimal digits of the JSON array of order values, as skip tokens have them. */
  readonly token: (keys: readonly Fragment[]) => Fragment;
  /** text, integer, real, true, false, null, object or array; null where there is no value. */
  readonly kind: (json: Fragment) => Fragment;
  /** A document in another form, by the rules of document-rules.ts. */
  readonly rewrite: (json: Fragment, rules: string) => Fragment;
  /** `,"name":value` of every member of a JSON object that is not among the names. */
  readonly members: (json: Fragment, except: readonly string[]) => Fragment;
}
