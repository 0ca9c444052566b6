// This file tells whether tables of an SQLite database have changed, whichever process has changed them: every transaction raises a
// number for each table that it writes to, and SQLite itself says whether there was any commit since one last looked.
import type { Cell, Row } from '../database.ts';
import type { Connection } from './connection.ts';

/** The numbers stand beside the sequences, under names that no sequence has. */
const NAME = 'changes of ';
const RAISE =
  'INSERT INTO "docket_sequence" ("name", "next") VALUES (?, 1) ON CONFLICT ("name") DO UPDATE SET "next" = "next" + 1';
const READ = 'SELECT "next" FROM "docket_sequence" WHERE "name" = ?';

const IS_INSTALLED = "SELECT 1 FROM sqlite_schema WHERE name = 'docket_sequence'";

/** A table of text indexes belongs to the table whose texts it indexes. */
const INDEX_SUFFIX = /\$(?:search|grams)$/;
const WRITTEN =
  /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?:"((?:[^"]|"")+)"|(\w+))/i;
/** Texts are passed over: JSON in them has quotes of its own. */
const NAMES = /'(?:[^']|'')*'|"((?:[^"]|"")+)"/g;
/** What stands for all tables: of a statement that is not understood. */
const EVERYTHING = '*';
const REMEMBERED = 1000;

/** The tables that one transaction writes to. */
export class Touched {
  readonly #tables = new Set<string>();
  readonly #byStatement = new Map<string, string>();
  /** A database that holds no installation has no place for the numbers. */
  #isInstalled = false;

  note(statement: string): void {
    let table = this.#byStatement.get(statement);
    if (table === undefined) {
      table = writtenBy(statement);
      if (this.#byStatement.size >= REMEMBERED) this.#byStatement.clear();
      this.#byStatement.set(statement, table);
    }
    this.#tables.add(table);
  }

  /** Raises the numbers: to be called before the commit. */
  settle(ask: (text: string, values: readonly Cell[]) => readonly Row[]): void {
    const tables = [...this.#tables].filter(isWatched);
    this.#tables.clear();
    this.#isInstalled ||= tables.length > 0 && ask(IS_INSTALLED, []).length > 0;
    if (!this.#isInstalled) return;
    for (const table of tables) ask(RAISE, [NAME + table]);
  }

  clear(): void {
    this.#tables.clear();
  }
}

function writtenBy(statement: string): string {
  const [, quoted, plain] = WRITTEN.exec(statement) ?? [];
  const found = quoted ?? plain;
  return found === undefined ? EVERYTHING : tableOf(found);
}

function tableOf(quoted: string): string {
  return quoted.replaceAll('""', '"').replace(INDEX_SUFFIX, '');
}

/** The engine's own tables are no part of answers, files apart. */
function isWatched(table: string): boolean {
  return !table.startsWith('docket_') || table === 'docket_file';
}

/** Tables that are written by nobody while the service runs. */
const CONSTANT = new Set(['docket_code_text']);

/** Says in which state the tables are that statements read. */
export class TableStates {
  readonly #version: () => unknown;
  readonly #read: (name: string) => Row | undefined;
  readonly #isTable: (name: string) => boolean;
  readonly #tables = new Map<string, readonly string[] | undefined>();
  /** States by statement, as long as there is no commit. */
  readonly #states = new Map<string, string>();
  #seen: unknown;

  constructor(connection: Connection) {
    const version = connection.prepare('PRAGMA data_version').pluck();
    const read = connection.prepare(READ).raw(true);
    const exists = connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
    );
    this.#version = () => version.get();
    this.#read = (name) => read.get(name) as Row | undefined;
    this.#isTable = (name) => exists.get(name) !== undefined;
  }

  /** Text that is another one after any commit that wrote to a table which the statement reads; undefined where that cannot be told. */
  of(statement: string): string | undefined {
    const version = this.#version();
    if (version !== this.#seen) {
      this.#states.clear();
      this.#seen = version;
    }
    const known = this.#states.get(statement);
    if (known !== undefined) return known;
    const tables = this.#tablesOf(statement);
    if (tables === undefined) return undefined;
    const state = tables.map((table) => String(this.#read(NAME + table)?.[0] ?? 0)).join(' ');
    if (this.#states.size >= REMEMBERED) this.#states.clear();
    this.#states.set(statement, state);
    return state;
  }

  /** Every name in the statement that is a table's: some of them may only look so, which makes the state change more often. */
  #tablesOf(statement: string): readonly string[] | undefined {
    if (this.#tables.has(statement)) return this.#tables.get(statement);
    const names = new Set<string>();
    for (const [, name] of statement.matchAll(NAMES))
      if (name !== undefined) names.add(tableOf(name));
    const tables = [...names].filter((name) => !CONSTANT.has(name) && this.#isTable(name));
    const isKnown = tables.length > 0 && tables.every(isWatched);
    const result = isKnown ? [...tables, EVERYTHING] : undefined;
    if (this.#tables.size >= REMEMBERED) this.#tables.clear();
    this.#tables.set(statement, result);
    return result;
  }
}
