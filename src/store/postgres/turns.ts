// This file orders the units of work of one transaction. Each has a turn, in which it runs as if it were alone. To save round trips, a
// unit may send its first queries before its turn, and the next turn begins as soon as a unit has sent its last operation. A unit starts
// again if an earlier one has written what it had read.
import type { Statement } from '../../sql/script.ts';
import type { Cell } from '../database.ts';
import { ALL_TABLES } from '../table-changes.ts';

/** What statements read or write: all rows of some tables, and rows of others by their identities. */
export class Rows {
  readonly #tables = new Set<string>();
  readonly #rows = new Map<string, Set<string>>();

  /** Adds the tables of a statement. */
  add(tables: readonly string[], { row }: Pick<Statement, 'row'>, values: readonly Cell[]): void {
    for (const table of tables)
      if (row?.table === table) this.#addRow(table, String(values[row.parameter]));
      else this.#tables.add(table);
  }

  #addRow(table: string, identity: string): void {
    const known = this.#rows.get(table);
    if (known === undefined) this.#rows.set(table, new Set([identity]));
    else known.add(identity);
  }

  /** Whether these are all rows of the table. */
  hasAll(table: string): boolean {
    return this.#tables.has(table) || this.#tables.has(ALL_TABLES);
  }

  get isEmpty(): boolean {
    return this.#tables.size + this.#rows.size === 0;
  }

  clear(): void {
    this.#tables.clear();
    this.#rows.clear();
  }

  /** Whether any row may be among the others, too. */
  overlaps(others: Rows): boolean {
    if (others.#tables.has(ALL_TABLES)) return !this.isEmpty;
    for (const table of this.#tables)
      if (others.#tables.has(table) || others.#rows.has(table)) return true;
    for (const [table, identities] of this.#rows)
      if (others.#tables.has(table) || hasAny(others.#rows.get(table), identities)) return true;
    return false;
  }
}

function hasAny(known: ReadonlySet<string> | undefined, wanted: ReadonlySet<string>): boolean {
  if (known !== undefined) for (const one of wanted) if (known.has(one)) return true;
  return false;
}

/** The turn of one unit of work. */
export class Turn {
  /** What the unit has read before its turn. */
  readonly readAhead = new Rows();
  /** Whether the unit has changed anything. */
  hasChanged = false;
  #state: 'waiting' | 'current' | 'ended' = 'waiting';
  #begin: () => void = () => undefined;
  #next: Turn | undefined;
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  /** A turn after another one, or one that begins immediately. */
  constructor(previous?: Turn) {
    if (previous === undefined) this.#start();
    else previous.#next = this;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Whether the turn has begun, and what was read before it need not be checked: it may begin while a reply is on its way. */
  get isTaken(): boolean {
    return !this.isWaiting && this.readAhead.isEmpty;
  }

  /** Whether another unit may have sent operations after those of this one. */
  get isOvertaken(): boolean {
    return this.#state === 'ended' && this.#next !== undefined;
  }

  /** Resolves once the turn has begun. */
  async wait(): Promise<void> {
    if (this.isWaiting) await this.#begun;
  }

  /** Ends a turn that has begun: the unit sends no more operations. */
  end(): void {
    if (this.#state !== 'current') return;
    this.#state = 'ended';
    if (this.#next !== undefined) this.#next.#start();
  }

  #start(): void {
    this.#state = 'current';
    this.#begin();
  }
}

/** Consecutive turns. */
export function turns(count: number): readonly Turn[] {
  const result: Turn[] = [];
  for (let index = 0; index < count; index++) result.push(new Turn(result.at(-1)));
  return result;
}
