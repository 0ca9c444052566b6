// This file implements the single writer of SQLite. Waiting writes are grouped into one transaction to share a disk sync, and none is
// acknowledged before that sync. Savepoints cost more than most writes, since FTS5 flushes its buffer at each of them. Writes
// therefore run without savepoints first; if one that has changed something must be undone, the group runs again with savepoints.
// Long transactions take turns of the event loop between operations, so that requests of this process that read run meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { unreachable } from '../../base/fault.ts';
import type { MaybePromise } from '../../base/value-or-promise.ts';
import { toSqlite } from '../../sql/dialect/sqlite.ts';
import type { Cell, Operation, Reply, Row, SingleOperation, SqlText, Work } from '../database.ts';
import { calculationFault, locked } from '../driver-faults.ts';
import { readAndAdvance, Sequences } from '../sequences.ts';
import { changedReply, firstReply, pipelineReply, rowsReply, runWork } from '../work.ts';
import {
  type Attempt,
  type PendingWrite,
  report,
  type Settled,
  type WriteQueue,
  writeQueue,
} from '../write-queue.ts';
import { ChangedTexts } from './changed-texts.ts';
import {
  fetch,
  isBusy,
  isConstraint,
  StatementCache,
  statementOf,
  translate,
} from './connection.ts';
import type { Connection } from './driver.ts';
import { WrittenTables } from './table-versions.ts';

/** Maximum of writes in one transaction. */
const GROUP_LIMIT = 256;
/** Milliseconds for which a transaction runs before other work of this process has a turn. Most take less. */
const SHORTEST_TURN = 10;
/** After a turn of other work, a transaction runs at least this many times as long as the turn took, since other processes wait for its lock. */
const OWN_SHARE = 4;
/** Milliseconds after which a transaction takes no further write, so that other processes can have the lock. */
const LONG_TRANSACTION = 200;
/** Seconds for which a write waits while another process holds the lock, and the most milliseconds between two attempts to get it. */
const LOCK_SECONDS = 5;
const LOCK_INTERVAL = 20;

/** Creates the queue of a connection. */
export function writerQueue(connection: Connection): WriteQueue {
  const writer = new Writer(connection);
  return writeQueue((items) => runGroup(writer, items), GROUP_LIMIT);
}

// ---- transactions ---------------------------------------------------------------------------------------------------

/** Runs work on a connection on which the caller has opened a transaction. */
export function runOn<Result>(connection: Connection, work: Work<Result>): Result {
  return new Writer(connection).perform(work);
}

/** The writing connection with its prepared statements, sequences and table versions. */
export class Writer {
  readonly connection: Connection;
  /** Those of the open transaction. */
  sequences = new Sequences(readAndAdvance);
  readonly #written = new WrittenTables();
  readonly #statements: StatementCache;
  readonly #texts: ChangedTexts;
  readonly #execute = (operation: Operation) => this.execute(operation);
  readonly #executeInTurns = (operation: Operation) =>
    performance.now() < this.#turnEnd
      ? this.execute(operation)
      : this.#nextTurn().then(() => this.execute(operation));
  /** When other work of this process may run, by performance.now(). */
  #turnEnd = 0;
  #hasChanged = false;
  /** When the transaction has begun, by performance.now(). */
  #begun = 0;
  /** Since when another process holds the lock, by performance.now(). */
  #lockedSince: number | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#statements = new StatementCache(connection);
    this.#texts = new ChangedTexts(connection);
  }

  /** Runs work in the open transaction. */
  perform<Result>(work: Work<Result>): Result {
    return runWork(work, this.#execute);
  }

  /** The same. Long work lets other work of this process run between two operations. */
  performInTurns<Result>(work: Work<Result>): MaybePromise<Result> {
    return runWork(work, this.#executeInTurns);
  }

  async #nextTurn(): Promise<void> {
    const start = performance.now();
    // The second one lets responses go that wait for the end of the first turn.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now();
    this.#turnEnd = end + Math.max(SHORTEST_TURN, OWN_SHARE * (end - start));
  }

  execute(operation: Operation): Reply {
    switch (operation.kind) {
      case 'query':
        return rowsReply(this.#rows(operation.statement, operation.values));
      case 'change':
        return this.#change(operation);
      case 'allocate': {
        const reserved = this.sequences.take(operation);
        return firstReply(reserved ?? this.perform(this.sequences.reserve(operation)));
      }
      case 'pipeline':
        return pipelineReply(operation.operations.map(this.#execute));
      default:
        return unreachable(operation);
    }
  }

  /** Whether a statement has changed anything since the last call. */
  takeChanges(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  run(command: string): void {
    this.#statements.prepare(command).run([]);
  }

  /**
   * Begins a transaction. Returns false if another process holds the lock.
   * @param units number of units of work in the transaction
   */
  begin(units: number): boolean {
    try {
      this.run('BEGIN IMMEDIATE');
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#lockedSince ??= performance.now();
      return false;
    }
    this.#lockedSince = undefined;
    this.#begun = performance.now();
    this.#turnEnd = this.#begun + SHORTEST_TURN;
    this.sequences = new Sequences(readAndAdvance, units);
    return true;
  }

  /** Whether a write has waited too long for the lock. Waiting for other writes of this process does not count. */
  isLate(since: number): boolean {
    const start = Math.max(since, this.#lockedSince ?? Number.POSITIVE_INFINITY);
    return performance.now() - start >= LOCK_SECONDS * 1000;
  }

  /** Whether the transaction is to end before it takes another write. */
  isLong(): boolean {
    return performance.now() - this.#begun >= LONG_TRANSACTION;
  }

  commit(): void {
    this.#texts.index(this.#written.tables);
    for (const operation of this.sequences.returnUnused()) this.execute(operation);
    this.#written.raiseVersions((text, values) => fetch(this.#statements.prepare(text), values));
    this.run('COMMIT');
  }

  rollBack(): void {
    this.#written.clear();
    if (this.connection.inTransaction) this.run('ROLLBACK');
  }

  /** Statements that search must find the texts that earlier ones have changed. */
  #beforeRunning(text: string): void {
    const { tables } = this.#written;
    if (tables.size > 0 && text.includes('MATCH ')) this.#texts.index(tables);
  }

  #note(writes: readonly string[]): void {
    this.#hasChanged = true;
    this.#written.note(writes);
  }

  #rows(statement: SqlText, values: readonly Cell[]): readonly Row[] {
    const { text, writes } = statementOf(statement);
    this.#beforeRunning(text);
    if (writes.length > 0) this.#note(writes);
    return fetch(this.#statements.prepare(statement), values);
  }

  #change({
    statement,
    values,
    place,
    returns,
  }: SingleOperation & { readonly kind: 'change' }): Reply {
    const { text, writes } = statementOf(statement);
    this.#beforeRunning(text);
    this.#note(writes);
    try {
      const prepared = this.#statements.prepare(statement);
      if (!returns) return changedReply(prepared.run(values.map(toSqlite)));
      const rows = fetch(prepared, values);
      return changedReply(rows.length, rows);
    } catch (error) {
      const fault = translate(error, place);
      throw isConstraint(error) ? fault : (calculationFault(fault, place) ?? error);
    }
  }
}

// ---- groups ---------------------------------------------------------------------------------------------------------

/**
 * Runs the writes in one transaction, or in one each if that fails at COMMIT because of a constraint. After a long transaction, those that are
 * left have another one, for which it waits as long as other processes may take to notice that the lock is free.
 */
async function runGroup(writer: Writer, items: readonly PendingWrite[]): Promise<void> {
  const plain = await attempt(writer, items, runPlain);
  const { left, outcome } =
    plain.outcome.kind === 'needs-savepoints'
      ? await attempt(writer, plain.left, runWithSavepoints)
      : plain;
  if (outcome.kind === 'completed') {
    report(outcome.settled, translate);
    if (outcome.settled.length === left.length) return;
    await pause(LOCK_INTERVAL + 1);
    await runGroup(writer, left.slice(outcome.settled.length));
    return;
  }
  const error = outcome.kind === 'failed' ? outcome.error : undefined;
  if (left.length > 1 && isConstraint(error))
    for (const item of left) await runGroup(writer, [item]);
  else for (const item of left) item.reject(translate(error));
}

/** @returns the outcome, and the writes that it concerns: those that have not waited too long for the lock */
async function attempt(
  writer: Writer,
  items: readonly PendingWrite[],
  run: (writer: Writer, items: readonly PendingWrite[]) => Promise<Attempt>,
): Promise<{ readonly left: readonly PendingWrite[]; readonly outcome: Attempt }> {
  let left = items;
  try {
    left = await begin(writer, items);
    const outcome: Attempt =
      left.length === 0 ? { kind: 'completed', settled: [] } : await run(writer, left);
    if (writer.connection.inTransaction) writer.commit();
    return { left, outcome };
  } catch (error) {
    writer.rollBack();
    return { left, outcome: { kind: 'failed', error } };
  }
}

/**
 * Begins a transaction for the writes. Waits for other writing processes, such as CLI commands, without blocking reads, and rejects the
 * writes that wait too long. Returns the others; without any, there is no transaction.
 */
export async function begin<Item extends Pick<PendingWrite, 'since' | 'reject'>>(
  writer: Writer,
  items: readonly Item[],
): Promise<readonly Item[]> {
  let left = items;
  for (let attempts = 1; left.length > 0 && !writer.begin(left.length); attempts++) {
    const late = left.filter(({ since }) => writer.isLate(since));
    for (const { reject } of late) reject(locked(LOCK_SECONDS));
    left = left.filter((item) => !late.includes(item));
    // Other workers hold the lock only briefly: retrying soon at first keeps any worker from starving.
    await pause(Math.min(LOCK_INTERVAL, attempts));
  }
  return left;
}

/** Runs the writes without savepoints, until the transaction is long. Most writes that fail do so before they change anything. */
async function runPlain(writer: Writer, items: readonly PendingWrite[]): Promise<Attempt> {
  const settled: Settled[] = [];
  for (const item of items) {
    if (settled.length > 0 && writer.isLong()) break;
    writer.takeChanges();
    const { keep, ...outcome } = await runOne(writer, item);
    settled.push(outcome);
    if (keep || !writer.takeChanges()) continue;
    writer.rollBack();
    if (items.length > 1) return { kind: 'needs-savepoints' };
  }
  return { kind: 'completed', settled };
}

/** Runs each write in a savepoint of its own, until the transaction is long. */
async function runWithSavepoints(writer: Writer, items: readonly PendingWrite[]): Promise<Attempt> {
  const settled: Settled[] = [];
  for (const item of items) {
    if (settled.length > 0 && writer.isLong()) break;
    writer.run('SAVEPOINT work');
    const { blocks } = writer.sequences;
    const { keep, ...outcome } = await runOne(writer, item);
    if (!keep) {
      writer.run('ROLLBACK TO work');
      writer.sequences.restore(blocks);
    }
    writer.run('RELEASE work');
    settled.push(outcome);
  }
  return { kind: 'completed', settled };
}

async function runOne(
  writer: Writer,
  item: PendingWrite,
): Promise<Settled & { readonly keep: boolean }> {
  try {
    const { result, keep } = await writer.performInTurns(item.start());
    return { item, kind: 'done', result, keep };
  } catch (error) {
    // A full disk can end the whole transaction, which fails the whole group.
    if (!writer.connection.inTransaction) throw error;
    return { item, kind: 'failed', error, keep: false };
  }
}
