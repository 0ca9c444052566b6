// This file allocates sequence values. A transaction that needs many reserves them in growing blocks, so that a batch of a thousand
// records does not query the table a thousand times. The unused rest of a block is returned before the commit.
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import type { Cell, Row, SqlText } from './database.ts';

/** Maximum of values reserved beyond those that are needed. */
const LARGEST_BLOCK = 1024n;

const NEXT = sql`SELECT "next" FROM ${tableName('docket_sequence')} WHERE "name" = ${ARGUMENT}`;
/** Without RETURNING: that would add a savepoint, at which FTS5 flushes everything it has buffered from earlier transactions. */
const RESERVE = sql`UPDATE ${tableName('docket_sequence')} SET "next" = "next" + ${ARGUMENT} WHERE "name" = ${ARGUMENT}`;
const CREATE = sql`INSERT INTO ${tableName('docket_sequence')} ("name", "next") VALUES (${ARGUMENT}, ${ARGUMENT})`;
/** No effect where values after the block have been reserved since. */
const RETURN = sql`UPDATE ${tableName('docket_sequence')} SET "next" = ${ARGUMENT} WHERE "name" = ${ARGUMENT} AND "next" = ${ARGUMENT}`;

/** A reserved block: `next` to `end` - 1 are free. */
interface Block {
  readonly next: bigint;
  readonly end: bigint;
  readonly size: bigint;
}

/** Reserved blocks by sequence. */
export type Blocks = ReadonlyMap<string, Block>;

type Query = (statement: SqlText, values: readonly Cell[]) => readonly Row[];

/** The sequences of one transaction. */
export class Sequences {
  readonly #query: Query;
  #blocks = new Map<string, Block>();

  constructor(query: Query) {
    this.#query = query;
  }

  /** Allocates `count` consecutive numbers and returns the first. */
  allocate(name: string, count: bigint): bigint {
    const known = this.#blocks.get(name);
    if (known !== undefined && known.next + count <= known.end) {
      this.#blocks.set(name, { ...known, next: known.next + count });
      return known.next;
    }
    // Most transactions need only one number.
    const doubled = known === undefined ? 0n : known.size * 2n;
    const spare = doubled < LARGEST_BLOCK ? doubled : LARGEST_BLOCK;
    const first = this.#reserve(name, count + spare);
    const next = first + count;
    this.#blocks.set(name, { next, end: next + spare, size: spare === 0n ? 1n : spare });
    return first;
  }

  /** Returns unused numbers to the table. Call before the commit. */
  returnUnused(): void {
    for (const [name, { next, end }] of this.#blocks)
      if (next < end) this.#query(RETURN, [next, name, end]);
    this.#blocks.clear();
  }

  /** The state for `restore`, to save along with a savepoint. */
  get blocks(): Blocks {
    return new Map(this.#blocks);
  }

  restore(blocks: Blocks): void {
    this.#blocks = new Map(blocks);
  }

  #reserve(name: string, count: bigint): bigint {
    const [row] = this.#query(NEXT, [name]);
    if (typeof row?.[0] !== 'bigint') {
      this.#query(CREATE, [name, 1n + count]);
      return 1n;
    }
    this.#query(RESERVE, [count, name]);
    return row[0];
  }
}
