// This file gives out the numbers of sequences. A transaction that needs many takes them from the table in growing blocks, so that a
// batch of a thousand records does not ask a thousand times; what is left of a block is given back before the commit.
import type { Cell, Row } from './database.ts';

/** Numbers that are taken from the table at most at once, beyond those that are needed. */
const LARGEST_BLOCK = 1024n;

const NEXT = 'SELECT "next" FROM "docket_sequence" WHERE "name" = ?';
/** Without RETURNING: it would give the statement a savepoint, at which FTS5 writes out all that it holds back of earlier deeds. */
const TAKE = 'UPDATE "docket_sequence" SET "next" = "next" + ? WHERE "name" = ?';
const BEGIN = 'INSERT INTO "docket_sequence" ("name", "next") VALUES (?, ?)';
/** Nothing is given back where somebody has taken numbers behind the block. */
const GIVE_BACK = 'UPDATE "docket_sequence" SET "next" = ? WHERE "name" = ? AND "next" = ?';

/** `next` to `end` - 1 are free. */
interface Block {
  readonly next: bigint;
  readonly end: bigint;
  readonly size: bigint;
}

/** What is taken and not yet given out, by sequence. */
export type Taken = ReadonlyMap<string, Block>;

type Ask = (text: string, values: readonly Cell[]) => readonly Row[];

/** The sequences as one transaction sees them. */
export class Sequences {
  readonly #ask: Ask;
  #blocks = new Map<string, Block>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The first of so many numbers that follow one another. */
  draw(name: string, count: bigint): bigint {
    const known = this.#blocks.get(name);
    if (known !== undefined && known.next + count <= known.end) {
      this.#blocks.set(name, { ...known, next: known.next + count });
      return known.next;
    }
    // The first number of a transaction is mostly the only one.
    const wished = known === undefined ? 0n : known.size * 2n;
    const spare = wished < LARGEST_BLOCK ? wished : LARGEST_BLOCK;
    const first = this.#take(name, count + spare);
    const next = first + count;
    this.#blocks.set(name, { next, end: next + spare, size: spare === 0n ? 1n : spare });
    return first;
  }

  /** What is not given out goes back to the table: to be called before the commit. */
  settle(): void {
    for (const [name, { next, end }] of this.#blocks)
      if (next < end) this.#ask(GIVE_BACK, [next, name, end]);
    this.#blocks.clear();
  }

  /** What `restore` goes back to when the database goes back to a savepoint. */
  get taken(): Taken {
    return new Map(this.#blocks);
  }

  restore(taken: Taken): void {
    this.#blocks = new Map(taken);
  }

  #take(name: string, count: bigint): bigint {
    const [row] = this.#ask(NEXT, [name]);
    if (typeof row?.[0] !== 'bigint') {
      this.#ask(BEGIN, [name, 1n + count]);
      return 1n;
    }
    this.#ask(TAKE, [count, name]);
    return row[0];
  }
}
