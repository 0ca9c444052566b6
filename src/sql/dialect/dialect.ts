// This file defines Dialect: everything in which databases differ, as data and small functions. The other files of the module never
// check which dialect they use.
import type { FunctionName } from '../../bind/expression/functions.ts';
import type { Fragment, Placeholder } from '../fragment.ts';
import type { Column, Index, Table } from '../schema/layout.ts';
import type { Storage } from '../schema/value-storage.ts';

/** A compiled value: its SQL, its storage, and whether it can be null. */
export interface Compiled {
  readonly sql: Fragment;
  readonly storage: Storage;
  readonly nullable: boolean;
}

/** Renders a canonical function. The arguments are in the storage that the signature requires. */
export type Render = (...values: readonly Compiled[]) => Compiled;

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly placeholder: Placeholder;
  /** One that hides its value from the query planner, which otherwise plans for values again and again. */
  readonly hiddenPlaceholder: Placeholder;
  readonly columnTypes: Readonly<Record<Storage['kind'], string>>;
  readonly literal: LiteralDialect;
  readonly schema: SchemaDialect;
  readonly values: ValueDialect;
  readonly functions: Readonly<Record<FunctionName, Render>>;
  readonly json: JsonDialect;
  readonly text: TextDialect;
  /**
   * Joins rows that are selected for each row before them, in that order. Undefined if the database reads a lookup (`IN (SELECT …)`)
   * in this way whenever it can.
   */
  readonly forEach?: (rows: Fragment, alias: Fragment) => Fragment;
  /** The condition that a value is one of those that a query returns, which runs once: its values are few, so that an index finds the rows. */
  readonly isAmong: (content: Fragment, query: Fragment) => Fragment;
  /** The condition that a value is one of many, as `values.unpack` returns them. Each row is tested. Null may be false. */
  readonly isOneOfMany: (content: Fragment, unpacked: Fragment) => Fragment;
  /** Whether a query has rows, tested in each row that other conditions leave. Never null. */
  readonly hasRows: (query: Fragment) => Fragment;
  /** Whether an insert that returns its row costs less than a query after it. */
  readonly returnsInserted: boolean;
  /** Whether the database numbers rows in less time if it sorts their keys only, and reads the rows again. */
  readonly numbersKeys: boolean;
  /** An integer column to group by without an index on it, in whose order some databases would read every row on its own. */
  readonly unindexed: (content: Fragment) => Fragment;
  /** Translates a pattern of matchesPattern for the database; undefined if its function matches patterns of ECMAScript. */
  readonly pattern?: (pattern: string) => string;
}

/** Constants. */
export interface LiteralDialect {
  readonly true: Fragment;
  readonly false: Fragment;
  /** NaN as a stored double. */
  readonly nan: Fragment;
  readonly emptyBinary: Fragment;
}

/** The query language of text indexes. A query is bound as one value. */
export interface TextDialect {
  /** All words with this prefix. */
  readonly word: (text: string) => string;
  readonly phrase: (text: string) => string;
  readonly all: (queries: readonly string[]) => string;
  readonly any: (queries: readonly string[]) => string;
  /** A query for the identities of the rows that match a query for words. */
  readonly matching: (table: string, index: string, query: Fragment) => Fragment;
  /**
   * A query for a substring in one column of the substring index; columns count from 0. `folded`: the substring of the text in lower
   * case. Undefined if the index cannot find the substring.
   */
  readonly part: (text: string, column: number, folded: boolean) => string | undefined;
  /** The `exact` condition with one that selects candidates by the substring index. */
  readonly candidates: (indexed: IndexedText, query: Fragment, exact: Fragment) => Fragment;
  /** The candidates as a table in the order of their identities, if supported: reading stops when a page is full. */
  readonly walk?: (table: string, index: string, query: Fragment) => TextWalk;
}

/** A column with a substring index. */
interface IndexedText {
  readonly table: string;
  /** The name of the index. */
  readonly index: string;
  /** The identity of the row, and the text. */
  readonly identity: Fragment;
  readonly content: Fragment;
  /** The text is compared in lower case. */
  readonly folded: boolean;
}

/** The parts for FROM and WHERE, and the identity of a row. */
export interface TextWalk {
  readonly from: Fragment;
  readonly condition: Fragment;
  readonly identity: Fragment;
}

/** Statements that run in one transaction while an index is built. */
export interface IndexStep {
  readonly statements: readonly string[];
  /** The step is repeated as long as this query returns a row. */
  readonly repeatWhile?: string;
}

/** Differences in DDL. */
export interface SchemaDialect {
  /** Statements that create the engine's SQL functions. They precede all tables. */
  readonly routines: readonly string[];
  /** The definition of an identity column, without its name. Rows are inserted with their identities. */
  readonly identity: string;
  /** The same for a column whose numbers the database generates if none is given. */
  readonly generatedIdentity: string;
  /** The same for a column whose numbers are never reused. */
  readonly numbered: string;
  /** The query that lets the generated numbers of a column continue after the highest; undefined if they do so anyway. */
  readonly continueNumbers: (table: string, column: string) => Fragment | undefined;
  /** Follows the closing parenthesis of a table whose rows are found by primary key only. */
  readonly keyedTable: string;
  /** Follows REFERENCES, so that rows that refer to each other can be stored in any order. */
  readonly deferred: string;
  /**
   * Whether ALTER TABLE can change and drop columns, and add references. Otherwise tables are rebuilt, and references are part of
   * column definitions.
   */
  readonly altersTables: boolean;
  /** The name under which the database knows an index, a trigger, a constraint or a hidden column: databases limit the length of names. */
  readonly objectName: (name: string) => string;
  /** The columns of CREATE INDEX, so that the index serves the sort order of its columns. */
  readonly indexColumns: (table: IndexedTable, index: Index) => string;
  /** The tables and triggers that index the words and substrings of a table. */
  readonly textIndex: (table: Table) => readonly string[];
  /** Fills an empty text index from the existing rows, or drops it. */
  readonly fillTextIndex: (table: Table) => readonly string[];
  /**
   * The same in small transactions, if one transaction for a large table would need much space.
   * @param lowest the lowest identity of the rows
   */
  readonly fillTextIndexInSteps?: (
    table: Table,
    lowest: bigint,
    highest: bigint,
  ) => readonly IndexStep[];
  readonly dropTextIndex: (table: Table) => readonly string[];
  /** Adds the texts of a new row, by column, to the text index, unless triggers do so. They index later updates and deletions. */
  readonly indexTexts: (
    table: Table,
    contents: ReadonlyMap<string, Fragment>,
  ) => readonly Fragment[];
  /** The same for all rows of the table that meet the condition. */
  readonly indexTextsOfRows: (table: Table, condition: Fragment) => readonly Fragment[];
  /** Whether ALTER TABLE can add the column to a table with rows. */
  readonly mayAdd: (column: Column) => boolean;
}

/** A table of the model, or one of the engine, of which only the name is known. */
export type IndexedTable = Pick<Table, 'name'> & Partial<Pick<Table, 'identity' | 'columns'>>;

/** Differences in calculation. Results are null if an argument is null. */
export interface ValueDialect {
  /** Null-safe equality; never null. */
  readonly same: (left: Fragment, right: Fragment) => Fragment;
  readonly notSame: (left: Fragment, right: Fragment) => Fragment;
  /** A number or decimal as a double. */
  readonly double: (content: Fragment) => Fragment;
  /** A form of canonical decimal text that is compared and sorted by value. */
  readonly decimalOrder: (decimal: Fragment) => Fragment;
  /** The canonical decimal text of a scaled integer. */
  readonly unscale: (scaled: Fragment, scale: number) => Fragment;
  /** The scaled integer of canonical decimal text, rounded. */
  readonly scale: (decimal: Fragment, scale: number) => Fragment;
  /**
   * Aggregates the values of a group of rows, or of a window if given; null if there are none. A sum of integers fails on 64-bit overflow.
   */
  readonly aggregate: (
    method: 'sum' | 'min' | 'max',
    content: Pick<Compiled, 'sql' | 'storage'>,
    window?: Fragment,
  ) => Fragment;
  readonly decimal: (
    operator: 'add' | 'sub' | 'mul' | 'div' | 'divby' | 'mod',
    left: Fragment,
    right: Fragment,
  ) => Fragment;
  /** An integer, checked for 64-bit overflow. */
  readonly checked: (sum: Fragment) => Fragment;
  /** The sum of integers, which compares with other integers as it would beyond 64 bits, too. */
  readonly boundedSum: (left: Fragment, right: Fragment) => Fragment;
  /** Integer division; fails if the divisor is zero. */
  readonly divideInteger: (operator: 'div' | 'mod', left: Fragment, right: Fragment) => Fragment;
  /** Doubles, INF and NaN included. */
  readonly floating: (
    operator: 'add' | 'sub' | 'mul' | 'div' | 'mod',
    left: Fragment,
    right: Fragment,
  ) => Fragment;
  /** A timestamp or date plus or minus nanoseconds. The result has `digits` fraction digits; undefined for a date. */
  readonly shiftTime: (
    start: Fragment,
    nanoseconds: Fragment,
    digits: number | undefined,
    backwards: boolean,
  ) => Fragment;
  /** Nanoseconds between two timestamps or dates; fails on 64-bit overflow. */
  readonly timeDifference: (end: Fragment, start: Fragment) => Fragment;
  /** Nanoseconds multiplied or divided by a number, which is decimal text or a double. */
  readonly scaleDuration: (
    operator: 'mul' | 'div' | 'divby',
    duration: Fragment,
    by: Fragment,
  ) => Fragment;
  /** The values of a bound JSON array of texts or numbers, as a sub-select of one column in that storage. */
  readonly unpack: (json: Fragment, storage: Storage) => Fragment;
  /** Converts between primitive types; null on failure. `from` and `to` are type names with facets as JSON. */
  readonly convert: (content: Fragment, from: string, to: string) => Fragment;
  readonly lower: (text: Fragment) => Fragment;
  /** Position of a part in a text, from 1; 0 if it does not occur. */
  readonly position: (text: Fragment, part: Fragment) => Fragment;
  /** An order item with null before all other values, or after them if descending. */
  readonly order: (value: Fragment, descending: boolean, nullable: boolean) => Fragment;
}

/** Differences in writing and reading JSON text. */
export interface JsonDialect {
  /** Who writes the records of a response: the database writes each as one text, or the service writes it from columns. */
  readonly recordsWrittenBy: 'database' | 'service';
  /** Concatenates the pieces; a null piece is empty. */
  readonly concat: (pieces: readonly Fragment[]) => Fragment;
  /** A JSON string, or `null`. */
  readonly quote: (content: Fragment) => Fragment;
  /** The texts of the rows of a group, separated by commas; null if there are none. */
  readonly concatRows: (content: Fragment) => Fragment;
  /** A JSON number that can be combined with other text. */
  readonly integer: (content: Fragment) => Fragment;
  /** A JSON number of double or single precision; a string for INF, -INF and NaN. */
  readonly floating: (content: Fragment, isSingle: boolean) => Fragment;
  /** The double of a JSON value that is a number, or INF, -INF or NaN as text. */
  readonly toFloating: (content: Fragment) => Fragment;
  readonly duration: (nanoseconds: Fragment) => Fragment;
  readonly binary: (bytes: Fragment) => Fragment;
  /** The URL literal of a text key, percent-encoded. */
  readonly urlText: (content: Fragment) => Fragment;
  /** A URL, escaped for use inside a JSON string. */
  readonly escapeUrl: (url: Fragment) => Fragment;
  /** The integer of a schedule in the object `{"s5":36}`; null if it has none. */
  readonly position: (positions: Fragment, schedule: Fragment) => Fragment;
  /** The schedules and integers of such an object as rows of `alias`, with the columns `schedule` and `now`. */
  readonly positions: (positions: Fragment, alias: Fragment) => Fragment;
  /** The items of a JSON array as rows of `alias`. */
  readonly items: (json: Fragment, alias: Fragment) => Fragment;
  /** The item of such a row as an SQL value, or as JSON text. */
  readonly item: (alias: Fragment) => Fragment;
  readonly itemJson: (alias: Fragment) => Fragment;
  /** The index of the item in the array, from 0. */
  readonly itemIndex: (alias: Fragment) => Fragment;
  /** An SQL value from JSON in a storage: a database that extracts values as text converts it. Null if it is of another kind. */
  readonly typed: (value: Fragment, storage: Storage) => Fragment;
  /** The integer at the start of an enumeration value in JSON; 0 if it starts with a name. */
  readonly enumInteger: (names: Fragment) => Fragment;
  /** A JSON value as an SQL value. */
  readonly valueOf: (json: Fragment) => Fragment;
  /** A member of a JSON object as an SQL value, or as JSON text. */
  readonly member: (json: Fragment, path: readonly string[]) => Fragment;
  readonly memberJson: (json: Fragment, path: readonly string[]) => Fragment;
  /** The object without these members, as SQL text that binds no values. */
  readonly withoutMembers: (json: Fragment, names: readonly string[]) => Fragment;
  /** The JSON array of order values in hexadecimal digits, for skip tokens. */
  readonly token: (keys: readonly Pick<Compiled, 'sql' | 'storage'>[]) => Fragment;
  /** The kind of a JSON value: text, integer, real, true, false, null, object or array; null if there is no value. */
  readonly kind: (json: Fragment) => Fragment;
  /**
   * Rewrites a document by the rules of read/document-rules.ts. The result can be concatenated and compared with null, but not read:
   * a database may leave the rewriting to the service.
   */
  readonly rewrite: (json: Fragment, rules: string) => Fragment;
  /** Members of a JSON object, rewritten if there are rules, as pieces of `,"name":value`; a piece without members is null. */
  readonly members: (
    json: Fragment,
    selection: MemberSelection,
    rules: string | undefined,
  ) => readonly Fragment[];
  readonly change: JsonChangeDialect;
}

/** All members except the named ones, or the named ones in this order. */
export type MemberSelection =
  | { readonly except: readonly string[]; readonly only?: undefined }
  | { readonly only: readonly string[]; readonly except?: undefined };

/** Changed copies of JSON text. New values are bound JSON text. A position counts from 0, a negative one from the end. */
export interface JsonChangeDialect {
  /** The object with a member set or added. */
  readonly setMember: (object: Fragment, path: readonly string[], json: string) => Fragment;
  readonly removeMember: (object: Fragment, path: readonly string[]) => Fragment;
  /** The object with empty objects added where the path has none. */
  readonly ensureMember: (object: Fragment, path: readonly string[]) => Fragment;
  readonly append: (array: Fragment, json: string) => Fragment;
  /** The array with an item inserted before the position; -1 is the end. */
  readonly insert: (array: Fragment, position: number, json: string) => Fragment;
  readonly replace: (array: Fragment, position: number, json: string) => Fragment;
  readonly remove: (array: Fragment, position: number) => Fragment;
  readonly length: (array: Fragment) => Fragment;
}
