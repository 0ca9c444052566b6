// This file is the one writer of SQLite. Deeds that wait for it are done in one transaction, so that they share one sync; none is
// acknowledged before it. Savepoints cost more than deeds do, since FTS5 writes out at each of them what it holds back: the deeds are
// done without, and where one of them must be undone after it has changed something, all are done again with a savepoint each.
import { Fault } from '../../base/fault.ts';
import { toSqlite } from '../../sql/dialect/sqlite.ts';
import type { Cell, Database, Deed, Row, Transaction } from '../database.ts';
import { Sequences } from '../sequences.ts';
import {
  busy,
  type Connection,
  fetch,
  isBusy,
  isConstraint,
  type Prepared,
  statementCache,
  translate,
} from './connection.ts';
import { Touched } from './table-versions.ts';

/** Deeds that may wait, and deeds done in one transaction. */
const WAITING_LIMIT = 1000;
const SHARED_LIMIT = 256;
/** How long another process may hold the writer's lock: so often it is asked for, with so many milliseconds between. */
const LOCK_ATTEMPTS = 250;
const LOCK_INTERVAL = 20;

interface Waiting {
  readonly deed: (transaction: Transaction) => Deed<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterQueue {
  readonly write: Database['write'];
  /** Refuses deeds from now on; kept when none waits any more. */
  readonly close: () => Promise<void>;
}

/** The queue before the writer. */
export function writerQueue(connection: Connection): WriterQueue {
  const waiting: Waiting[] = [];
  const writer = new Writer(connection);
  let draining: Promise<void> | undefined;
  let isClosed = false;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // One turn of the event loop, in which other deeds join and reads get their chance.
      await new Promise((resolve) => setImmediate(resolve));
      await perform(writer, waiting.splice(0, SHARED_LIMIT));
    }
    draining = undefined;
  };
  return {
    write: (deed) =>
      new Promise((resolve, reject) => {
        if (isClosed || waiting.length >= WAITING_LIMIT) {
          reject(isClosed ? stopping() : busy());
          return;
        }
        waiting.push({ deed, resolve: resolve as (result: unknown) => void, reject });
        draining ??= drain();
      }),
    close: async () => {
      isClosed = true;
      await draining;
    },
  };
}

function stopping(): Fault {
  return new Fault('store.stopping', {}, { headers: { 'Retry-After': '5' } });
}

// ---- transactions ---------------------------------------------------------------------------------------------------

/** What a deed is given, for a connection that has a transaction open while it is used. */
export function transactionOn(connection: Connection): Transaction {
  return new Writer(connection).transaction;
}

/** The writing connection, with statements kept for what is said to it again and again. */
class Writer {
  readonly connection: Connection;
  readonly sequences: Sequences;
  readonly transaction: Transaction;
  readonly #touched = new Touched();
  readonly #prepare: (text: string) => Prepared;
  #hasChanged = false;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#prepare = statementCache(connection);
    const rows = (text: string, values: readonly Cell[]) => this.#rows(text, values);
    this.sequences = new Sequences(rows);
    this.transaction = {
      rows,
      change: (text, values, place) => this.#change(text, values, place),
      draw: (sequence, count) => this.sequences.draw(sequence, count),
    };
  }

  /** Whether a statement has changed something since this was last asked. */
  takeChanges(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  say(command: string): void {
    this.#prepare(command).run();
  }

  commit(): void {
    this.sequences.settle();
    this.#touched.settle((text, values) => fetch(this.#prepare(text), values));
    this.say('COMMIT');
  }

  rollBack(): void {
    this.sequences.restore(NOTHING_TAKEN);
    this.#touched.clear();
    if (this.connection.inTransaction) this.say('ROLLBACK');
  }

  #note(text: string): void {
    this.#hasChanged = true;
    this.#touched.note(text);
  }

  #rows(text: string, values: readonly Cell[]): readonly Row[] {
    const statement = this.#prepare(text);
    if (!statement.readonly) this.#note(text);
    return fetch(statement, values);
  }

  #change(text: string, values: readonly Cell[], place: string | undefined): number {
    const statement = this.#prepare(text);
    this.#note(text);
    if (statement.reader) return fetch(statement, values).length;
    try {
      return Number(statement.run(...values.map(toSqlite)).changes);
    } catch (error) {
      throw isConstraint(error) ? translate(error, place) : error;
    }
  }
}

const NOTHING_TAKEN = new Map<string, never>();

// ---- deeds ----------------------------------------------------------------------------------------------------------

type Settled = { readonly item: Waiting } & (
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
);

type Attempt =
  | { readonly kind: 'over'; readonly settled: readonly Settled[] }
  /** One deed must be undone without the others. */
  | { readonly kind: 'undone' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Does the deeds in one transaction; where that cannot be committed as a whole, each in one of its own. */
async function perform(writer: Writer, items: readonly Waiting[]): Promise<void> {
  const quick = await attempt(writer, items, doTogether);
  const outcome = quick.kind === 'undone' ? await attempt(writer, items, doApart) : quick;
  if (outcome.kind === 'over') {
    for (const settled of outcome.settled) {
      if (settled.kind === 'done') settled.item.resolve(settled.result);
      else settled.item.reject(translate(settled.error));
    }
    return;
  }
  const error = outcome.kind === 'failed' ? outcome.error : undefined;
  if (items.length > 1 && isConstraint(error))
    for (const item of items) await perform(writer, [item]);
  else for (const item of items) item.reject(translate(error));
}

async function attempt(
  writer: Writer,
  items: readonly Waiting[],
  work: (writer: Writer, items: readonly Waiting[]) => Attempt,
): Promise<Attempt> {
  try {
    await begin(writer);
    const done = work(writer, items);
    if (writer.connection.inTransaction) writer.commit();
    return done;
  } catch (error) {
    writer.rollBack();
    return { kind: 'failed', error };
  }
}

/** Another process may be writing, a command of the administrator for one: reads go on while its turn lasts. */
async function begin(writer: Writer): Promise<void> {
  for (let attempts = 0; ; attempts++) {
    try {
      writer.say('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || attempts >= LOCK_ATTEMPTS) throw error;
    }
    // Another worker's turn is mostly short: whoever has just asked asks again soon, so that none starves.
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOCK_INTERVAL, attempts + 1)));
  }
}

/** Without savepoints. Most deeds that are refused are so before they have changed anything. */
function doTogether(writer: Writer, items: readonly Waiting[]): Attempt {
  const settled: Settled[] = [];
  for (const item of items) {
    writer.takeChanges();
    const { keep, ...one } = doOne(writer, item);
    settled.push(one);
    if (keep || !writer.takeChanges()) continue;
    writer.rollBack();
    if (items.length > 1) return { kind: 'undone' };
  }
  return { kind: 'over', settled };
}

/** With a savepoint each. */
function doApart(writer: Writer, items: readonly Waiting[]): Attempt {
  const settled = items.map((item) => {
    writer.say('SAVEPOINT deed');
    const { taken } = writer.sequences;
    const { keep, ...one } = doOne(writer, item);
    if (!keep) {
      writer.say('ROLLBACK TO deed');
      writer.sequences.restore(taken);
    }
    writer.say('RELEASE deed');
    return one;
  });
  return { kind: 'over', settled };
}

function doOne(writer: Writer, item: Waiting): Settled & { readonly keep: boolean } {
  try {
    const { result, keep } = item.deed(writer.transaction);
    return { item, kind: 'done', result, keep };
  } catch (error) {
    // A full disk may have ended the whole transaction: then all deeds in it have failed.
    if (!writer.connection.inTransaction) throw error;
    return { item, kind: 'failed', error, keep: false };
  }
}
