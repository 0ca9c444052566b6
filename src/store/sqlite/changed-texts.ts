// This file indexes the texts of changed rows, which triggers have noted, before the transaction commits or searches them. Indexing all
// rows of a transaction together, in order, takes much less time than indexing each when it is changed.
import { CHANGED_ROWS } from '../../sql/dialect/sqlite-text-index.ts';
import { quoted } from '../../sql/fragment.ts';
import { ALL_TABLES } from '../table-changes.ts';
import type { Connection, Prepared } from './driver.ts';

const NOTES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, -length('${CHANGED_ROWS}')) = '${CHANGED_ROWS}'`;

/** The notes of changed rows of a connection that writes. */
export class ChangedTexts {
  readonly #connection: Connection;
  readonly #schemaVersion: Prepared;
  #lastVersion: unknown;
  /** Statements that index the changed texts of a table. */
  #indexing: ReadonlyMap<string, Prepared> = new Map();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#schemaVersion = connection.prepare('PRAGMA schema_version');
  }

  /** Indexes the texts that the open transaction has changed in the tables. */
  index(tables: ReadonlySet<string>): void {
    this.#renew();
    for (const [table, statement] of this.#indexing)
      if (tables.has(table) || tables.has(ALL_TABLES)) statement.run([]);
  }

  /** An installation and a change of the model create tables. */
  #renew(): void {
    const version = this.#schemaVersion.first([]);
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    const notes = this.#connection.prepare(NOTES).all([]);
    this.#indexing = new Map(
      notes.map(([note]) => [
        String(note).slice(0, -CHANGED_ROWS.length),
        this.#connection.prepare(`DELETE FROM ${quoted(String(note))}`),
      ]),
    );
  }
}
