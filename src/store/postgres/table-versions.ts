// This file tracks versions of PostgreSQL tables across nodes, for cache validation. Every transaction increments a version number for
// each table that it writes to, and one number of all commits. A node polls that number; notifications only make it poll sooner.

import type { Row } from '../database.ts';
import { ALL_TABLES, isTracked, VERSION_OF, versionedTables } from '../table-changes.ts';
import type { Connection } from './connection.ts';

/** Counts the commits that have raised a version. Writers hold the lock while they raise it, so it grows in the order of commits. */
const COMMITS = `${VERSION_OF}any table`;

const RAISE = `INSERT INTO "docket_sequence" AS known ("name", "next") SELECT unnest($1::text[]), 1
  ON CONFLICT ("name") DO UPDATE SET "next" = known."next" + 1 RETURNING "name", "next"`;
/** No rows if there was no commit after the given one. */
const READ = `SELECT "name", "next" FROM "docket_sequence" WHERE starts_with("name", $1::text) AND EXISTS
  (SELECT 1 FROM "docket_sequence" WHERE "name" = $2::text AND "next" <> $3::bigint)`;
const IS_INSTALLED = "SELECT to_regclass('docket_sequence')::text";

/** The tables that one transaction writes to. */
export class WrittenTables {
  #tables = new Set<string>();
  /** Those of the last commit. */
  #last: ReadonlySet<string> = new Set();
  /** Before the installation there is no table for the versions. */
  #isInstalled = false;

  note(writes: readonly string[]): void {
    for (const table of writes) this.#tables.add(table);
  }

  clear(): void {
    this.#tables.clear();
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  /** Whether the transaction has written to one of the tables or is likely to: the writes of a service are much alike. */
  mayGet(tables: readonly string[]): boolean {
    return hasAny(this.#tables, tables) || hasAny(this.#last, tables);
  }

  /** Returns whether there is a table for the versions. */
  async prepare(connection: Connection): Promise<boolean> {
    if (this.#isInstalled) return true;
    const { rows } = await connection.query(IS_INSTALLED, []);
    this.#isInstalled = rows[0]?.[0] !== null;
    return this.#isInstalled;
  }

  /** Increments the versions, and returns the new ones by name. Sends its statement before it returns. */
  async raiseVersions(connection: Connection): Promise<readonly Row[]> {
    const tables = [...this.#tables].filter(isTracked);
    this.#last = this.#tables;
    this.#tables = new Set();
    if (tables.length === 0 || !this.#isInstalled) return [];
    const names = [COMMITS, ...tables.map((table) => VERSION_OF + table)].sort();
    return (await connection.query(RAISE, [arrayOf(names)])).rows;
  }
}

function hasAny(written: ReadonlySet<string>, tables: readonly string[]): boolean {
  if (written.has(ALL_TABLES)) return true;
  for (const table of tables) if (written.has(table)) return true;
  return false;
}

/** An array in PostgreSQL's text format. */
export function arrayOf(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const CACHE_LIMIT = 1000;

/** Versions only grow, but their rows may arrive late. */
function raise(versions: Map<string, bigint>, [name, version]: Row): void {
  const known = versions.get(String(name)) ?? 0n;
  if (typeof version === 'bigint' && version > known) versions.set(String(name), version);
}

/** The versions as this node knows them. */
export class KnownVersions {
  /** Version strings by the tables of a statement, valid until the next change. */
  readonly #cached = new Map<readonly string[], string>();
  #versions: Map<string, bigint> | undefined;

  /** See Database.tableVersionOf. */
  of(reads: readonly string[]): string | undefined {
    const versions = this.#versions;
    if (versions === undefined) return undefined;
    const cached = this.#cached.get(reads);
    if (cached !== undefined) return cached;
    const tables = versionedTables(reads);
    if (tables === undefined) return undefined;
    const version = tables.map((table) => versions.get(VERSION_OF + table) ?? 0).join(' ');
    if (this.#cached.size >= CACHE_LIMIT) this.#cached.clear();
    this.#cached.set(reads, version);
    return version;
  }

  /** Applies the versions of an own commit. Returns whether all earlier commits are known as well. */
  applyOwn(rows: readonly Row[]): boolean {
    const versions = this.#versions;
    const commit = rows.find(([name]) => name === COMMITS)?.[1];
    if (versions === undefined || typeof commit !== 'bigint') return true;
    const last = versions.get(COMMITS) ?? 0n;
    if (commit <= last) return true;
    this.#cached.clear();
    const isNext = commit === last + 1n;
    for (const row of rows) if (isNext || row[0] !== COMMITS) raise(versions, row);
    return isNext;
  }

  /** Reads the versions if there were commits. */
  async refresh(connection: Connection): Promise<void> {
    const known = this.#versions?.get(COMMITS) ?? 0n;
    const { rows } = await connection.query(READ, [VERSION_OF, COMMITS, known]);
    // Versions were forgotten during the query, which may have read only that there is nothing new.
    if (this.#versions === undefined && known > 0n) return;
    this.#versions ??= new Map();
    // Own commits during the query may be newer.
    for (const row of rows) raise(this.#versions, row);
    this.#cached.clear();
  }

  /** Commits of other nodes may be missing from now on. */
  forget(): void {
    this.#versions = undefined;
    this.#cached.clear();
  }
}
