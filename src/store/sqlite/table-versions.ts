// This file tracks versions of SQLite tables across processes, for cache validation. Every transaction increments a version number for
// each table it writes to; PRAGMA data_version shows whether there was a commit since the last check.
import type { Cell, Row } from '../database.ts';
import { isTracked, VERSION_OF, versionedTables } from '../table-changes.ts';
import type { Connection } from './driver.ts';

const RAISE =
  'INSERT INTO "docket_sequence" ("name", "next") VALUES (?, 1) ON CONFLICT ("name") DO UPDATE SET "next" = "next" + 1';
const READ = 'SELECT "next" FROM "docket_sequence" WHERE "name" = ?';

const IS_INSTALLED = "SELECT 1 FROM sqlite_schema WHERE name = 'docket_sequence'";

const CACHE_LIMIT = 1000;

/** The tables that one transaction writes to. */
export class WrittenTables {
  readonly #tables = new Set<string>();
  /** Before the installation there is no table for the versions. */
  #isInstalled = false;

  get tables(): ReadonlySet<string> {
    return this.#tables;
  }

  /** Notes the tables of a statement. */
  note(writes: readonly string[]): void {
    for (const table of writes) this.#tables.add(table);
  }

  /** Increments the versions. Call before the commit. */
  raiseVersions(query: (text: string, values: readonly Cell[]) => readonly Row[]): void {
    const tables = [...this.#tables].filter(isTracked);
    this.#tables.clear();
    this.#isInstalled ||= tables.length > 0 && query(IS_INSTALLED, []).length > 0;
    if (!this.#isInstalled) return;
    for (const table of tables) query(RAISE, [VERSION_OF + table]);
  }

  clear(): void {
    this.#tables.clear();
  }
}

/** The versions of the tables that statements read. */
export class TableVersions {
  readonly #dataVersion: () => unknown;
  readonly #read: (name: string) => Cell | undefined;
  /** Versions by the tables of a statement, valid until the next commit. */
  readonly #versions = new Map<readonly string[], string>();
  #lastDataVersion: unknown;

  constructor(connection: Connection) {
    const dataVersion = connection.prepare('PRAGMA data_version');
    const read = connection.prepare(READ);
    this.#dataVersion = () => dataVersion.first([]);
    this.#read = (name) => read.first([name]);
  }

  /** See Database.tableVersionOf. */
  of(reads: readonly string[]): string | undefined {
    const dataVersion = this.#dataVersion();
    if (dataVersion !== this.#lastDataVersion) {
      this.#versions.clear();
      this.#lastDataVersion = dataVersion;
    }
    const cached = this.#versions.get(reads);
    if (cached !== undefined) return cached;
    const tables = versionedTables(reads);
    if (tables === undefined) return undefined;
    const version = tables.map((table) => this.#read(VERSION_OF + table) ?? 0).join(' ');
    if (this.#versions.size >= CACHE_LIMIT) this.#versions.clear();
    this.#versions.set(reads, version);
    return version;
  }
}
