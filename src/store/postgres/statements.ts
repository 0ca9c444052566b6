// This file keeps the prepared statements of a connection and decides which are closed. PostgreSQL keeps a prepared statement until it
// is deallocated, and a statement takes about 60 bytes of the server's memory per character of its text.
import type { ConvertedColumn } from './cells.ts';

const NAME_LIMIT = 200;
const CHARACTER_LIMIT = 500_000;
/** Statements are closed in one command for so many. */
const BATCH = 16;

/** A prepared statement of one connection. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  /** The columns of its result that need a conversion; undefined until the server has described them. */
  columns: readonly ConvertedColumn[] | undefined;
}

/** The prepared statements of a connection, by text; the least recently used are evicted. A name is never reused. */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>();
  #evicted: string[] = [];
  #characters = 0;
  #last = 0;

  find(text: string): PreparedStatement {
    const known = this.#statements.get(text);
    if (known === undefined) return this.#add(text);
    // The order only matters once the cache is close to evicting.
    if (this.#statements.size > NAME_LIMIT / 2 || this.#characters > CHARACTER_LIMIT / 2) {
      this.#statements.delete(text);
      this.#statements.set(text, known);
    }
    return known;
  }

  /** Lets the text be prepared again under another name. */
  forget(statement: PreparedStatement): void {
    if (this.#statements.get(statement.text) === statement) this.#evict(statement);
  }

  /** The names to be closed now, once there are enough of them. */
  takeEvicted(): readonly string[] {
    if (this.#evicted.length < BATCH) return [];
    const names = this.#evicted;
    this.#evicted = [];
    return names;
  }

  #add(text: string): PreparedStatement {
    const statement = { name: `d${++this.#last}`, text, columns: undefined };
    this.#statements.set(text, statement);
    this.#characters += text.length;
    for (const oldest of this.#statements.values()) {
      if (this.#statements.size <= NAME_LIMIT && this.#characters <= CHARACTER_LIMIT) break;
      if (oldest === statement) break;
      this.#evict(oldest);
    }
    return statement;
  }

  #evict({ name, text }: PreparedStatement): void {
    this.#statements.delete(text);
    this.#characters -= text.length;
    this.#evicted.push(name);
  }
}
