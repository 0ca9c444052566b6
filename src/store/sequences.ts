// This file allocates sequence values. A transaction that needs many reserves them in growing blocks, so that a batch of a thousand
// records does not query the table a thousand times. The unused rest of a block is returned before the commit.
import { Fault } from '../base/fault.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import type { Operation, SingleOperation, Work } from './database.ts';
import { firstRow, query } from './work.ts';

export type Allocation = Omit<SingleOperation & { readonly kind: 'allocate' }, 'kind'>;

/** The last number after which a sequence can continue. */
const GREATEST_GIVEN = 2n ** 62n;

/** Maximum of values reserved beyond those that are needed. */
export const LARGEST_BLOCK = 1024n;

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

/** Advances a sequence in its table by `count` and returns its next number before that. */
export type Advance = (name: string, count: bigint) => Work<bigint>;

/** The sequences of one transaction. */
export class Sequences {
  readonly #advance: Advance;
  readonly #units: bigint;
  readonly #drawn = new Map<string, bigint>();
  #blocks = new Map<string, Block>();

  /** @param units number of units of work in the transaction, which probably need as many values each as the first one does */
  constructor(advance: Advance, units = 1) {
    this.#advance = advance;
    this.#units = BigInt(units);
  }

  /**
   * Allocates `count` consecutive numbers of a reserved block and returns the first; undefined if the block has too few. With `given`, the
   * block continues after that number.
   */
  take({ sequence, count, given }: Allocation): bigint | undefined {
    const known = this.#blocks.get(sequence);
    if (known === undefined) return undefined;
    if (given !== undefined && given < known.next) return known.next;
    const next = given === undefined ? known.next + count : given + 1n;
    if (next > known.end) return undefined;
    const { end, size } = known;
    this.#blocks.set(sequence, { next, end, size });
    if (given === undefined) this.#note(sequence, count);
    return known.next;
  }

  /** Adds a block that the transaction has reserved before it needs the numbers. */
  add(name: string, next: bigint, size: bigint): void {
    this.#blocks.set(name, { next, end: next + size, size });
  }

  /** How many numbers a unit has drawn, on average: those that as many units like them will need. */
  get drawnByUnit(): ReadonlyMap<string, bigint> {
    const average = (count: bigint) => (count + this.#units - 1n) / this.#units;
    return new Map([...this.#drawn].map(([name, count]) => [name, average(count)]));
  }

  /** The same from a new block. Throws: write.given-number. */
  *reserve({ sequence: name, count, given }: Allocation): Work<bigint> {
    if (given !== undefined) return yield* this.#continueAfter(name, given);
    const known = this.#blocks.get(name);
    const doubled = known === undefined ? count * (this.#units - 1n) : known.size * 2n;
    const spare = doubled < LARGEST_BLOCK ? doubled : LARGEST_BLOCK;
    const start = yield* this.#advance(name, count + spare);
    // A block that continues the known one adds to its rest, so that no number is left out.
    const first = known?.end === start ? known.next : start;
    const end = start + count + spare;
    this.#blocks.set(name, { next: first + count, end, size: spare === 0n ? 1n : spare });
    this.#note(name, count);
    return first;
  }

  /** A block after the number, unless the sequence is there already. Loads number their records in order, so that it has most of them. */
  *#continueAfter(name: string, given: bigint): Work<bigint> {
    if (given > GREATEST_GIVEN)
      throw new Fault('write.given-number', { name, greatest: String(GREATEST_GIVEN) });
    const { size } = this.#blocks.get(name) ?? { size: 0n };
    const start = yield* this.#advance(name, 0n);
    const skipped = given < start ? 0n : given + 1n - start;
    const spare = size * 2n < LARGEST_BLOCK ? size * 2n : LARGEST_BLOCK;
    if (skipped > 0n) yield* this.#advance(name, skipped + spare);
    const next = start + skipped;
    const end = skipped > 0n ? next + spare : next;
    this.#blocks.set(name, { next, end, size: spare === 0n ? 1n : spare });
    return start;
  }

  /** The operations that return unused numbers to the table. Run them before the commit. */
  returnUnused(): readonly Operation[] {
    const unused = [...this.#blocks].filter(([, { next, end }]) => next < end);
    this.#blocks.clear();
    return unused.map(([name, { next, end }]) => query(RETURN, [next, name, end]));
  }

  /** The state for `restore`, to save along with a savepoint. */
  get blocks(): Blocks {
    return new Map(this.#blocks);
  }

  restore(blocks: Blocks): void {
    this.#blocks = new Map(blocks);
  }

  #note(name: string, count: bigint): void {
    this.#drawn.set(name, (this.#drawn.get(name) ?? 0n) + count);
  }
}

/** Advances a sequence without RETURNING: see RESERVE. */
export function* readAndAdvance(name: string, count: bigint): Work<bigint> {
  const row = yield* firstRow(NEXT, [name]);
  if (typeof row?.[0] !== 'bigint') {
    yield query(CREATE, [name, 1n + count]);
    return 1n;
  }
  yield query(RESERVE, [count, name]);
  return row[0];
}
