// This file describes the tables of the engine itself, which no model defines, as data. ddl.ts writes them as SQL.

export interface EngineTable {
  readonly name: string;
  /**
   * The columns: `id identity, at text NOT NULL`. Types are storage kinds; `identity`: the key, which the database generates if none is
   * given; or `numbered`: the same, never reusing the number of a deleted row.
   */
  readonly columns: string;
  /** The columns of the primary key, if there are several. */
  readonly key?: readonly string[];
  /** Whether rows are found by primary key only. It slows down tables with long values. */
  readonly keyed?: boolean;
  /** Columns by index name. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  /** The statement that inserts the first row. */
  readonly firstRow?: string;
}
