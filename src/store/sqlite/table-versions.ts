// This file tracks versions of SQLite tables across processes, for cache validation. Every transaction increments a version number for
// each table it writes to; PRAGMA data_version shows whether there was a commit since the last check.
import type { Cell, Row } from '../database.ts';
import type { Connection } from './connection.ts';

/** Versions are stored in the table of sequences, under names that no sequence has. */
const NAME = 'changes of ';
const RAISE =
  'INSERT INTO "docket_sequence" ("name", "next") VALUES (?, 1) ON CONFLICT ("name") DO UPDATE SET "next" = "next" + 1';
const READ = 'SELECT "next" FROM "docket_sequence" WHERE "name" = ?';

const IS_INSTALLED = "SELECT 1 FROM sqlite_schema WHERE name = 'docket_sequence'";

/** Text indexes count as part of the table that they index. */
const INDEX_SUFFIX = /\$(?:search|grams)$/;
const WRITTEN =
  /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?:"((?:[^"]|"")+)"|(\w+))/i;
/** Skips string literals, since JSON in them contains double quotes. */
const NAMES = /'(?:[^']|'')*'|"((?:[^"]|"")+)"/g;
/** Represents all tables, for statements that cannot be parsed. */
const ALL_TABLES = '*';
const CACHE_LIMIT = 1000;

/** The tables that one transaction writes to. */
export class WrittenTables {
  readonly #tables = new Set<string>();
  readonly #byStatement = new Map<string, string>();
  /** Before the installation there is no table for the versions. */
  #isInstalled = false;

  note(statement: string): void {
    let table = this.#byStatement.get(statement);
    if (table === undefined) {
      table = tableWrittenBy(statement);
      if (this.#byStatement.size >= CACHE_LIMIT) this.#byStatement.clear();
      this.#byStatement.set(statement, table);
    }
    this.#tables.add(table);
  }

  /** Increments the versions. Call before the commit. */
  raiseVersions(query: (text: string, values: readonly Cell[]) => readonly Row[]): void {
    const tables = [...this.#tables].filter(isTracked);
    this.#tables.clear();
    this.#isInstalled ||= tables.length > 0 && query(IS_INSTALLED, []).length > 0;
    if (!this.#isInstalled) return;
    for (const table of tables) query(RAISE, [NAME + table]);
  }

  clear(): void {
    this.#tables.clear();
  }
}

function tableWrittenBy(statement: string): string {
  const [, quoted, plain] = WRITTEN.exec(statement) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? ALL_TABLES : tableOf(name);
}

function tableOf(quoted: string): string {
  return quoted.replaceAll('""', '"').replace(INDEX_SUFFIX, '');
}

/** Of the engine's own tables, only files are part of responses. */
function isTracked(table: string): boolean {
  return !table.startsWith('docket_') || table === 'docket_file';
}

/** Tables that do not change while the service runs. */
const CONSTANT = new Set(['docket_code_text']);

/** The versions of the tables that statements read. */
export class TableVersions {
  readonly #dataVersion: () => unknown;
  readonly #read: (name: string) => Row | undefined;
  readonly #isTable: (name: string) => boolean;
  readonly #tables = new Map<string, readonly string[] | undefined>();
  /** Versions by statement, valid until the next commit. */
  readonly #versions = new Map<string, string>();
  #lastDataVersion: unknown;

  constructor(connection: Connection) {
    const dataVersion = connection.prepare('PRAGMA data_version').pluck();
    const read = connection.prepare(READ).raw(true);
    const exists = connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
    );
    this.#dataVersion = () => dataVersion.get();
    this.#read = (name) => read.get(name) as Row | undefined;
    this.#isTable = (name) => exists.get(name) !== undefined;
  }

  /** See Database.tableVersionOf. */
  of(statement: string): string | undefined {
    const dataVersion = this.#dataVersion();
    if (dataVersion !== this.#lastDataVersion) {
      this.#versions.clear();
      this.#lastDataVersion = dataVersion;
    }
    const cached = this.#versions.get(statement);
    if (cached !== undefined) return cached;
    const tables = this.#tablesOf(statement);
    if (tables === undefined) return undefined;
    const version = tables.map((table) => String(this.#read(NAME + table)?.[0] ?? 0)).join(' ');
    if (this.#versions.size >= CACHE_LIMIT) this.#versions.clear();
    this.#versions.set(statement, version);
    return version;
  }

  /** All table names in the statement. An alias that equals a table name only makes the version change more often than needed. */
  #tablesOf(statement: string): readonly string[] | undefined {
    if (this.#tables.has(statement)) return this.#tables.get(statement);
    const names = new Set<string>();
    for (const [, name] of statement.matchAll(NAMES))
      if (name !== undefined) names.add(tableOf(name));
    const tables = [...names].filter((name) => !CONSTANT.has(name) && this.#isTable(name));
    const areTracked = tables.length > 0 && tables.every(isTracked);
    const result = areTracked ? [...tables, ALL_TABLES] : undefined;
    if (this.#tables.size >= CACHE_LIMIT) this.#tables.clear();
    this.#tables.set(statement, result);
    return result;
  }
}
