// This file implements the single writer of a node. Waiting writes are grouped into one transaction. Writing transactions of all nodes
// exclude each other by a lock, so that guards, sequences and change numbers mean the same as on SQLite. The writes of a group overlap as
// turns.ts describes. They run without savepoints first; if one that has changed something must be undone, the group runs again, one
// after another with savepoints.
import { Fault } from '../../base/fault.ts';
import type { Row, WorkResult } from '../database.ts';
import {
  type Attempt,
  type PendingWrite,
  report,
  type Settled,
  type WriteQueue,
  writeQueue,
} from '../write-queue.ts';
import { CommitMarks } from './commit-marks.ts';
import { isConstraint, isDisconnect, isRetryable, isStaleStatement, translate } from './errors.ts';
import type { Session } from './session.ts';
import { WrittenTables } from './table-versions.ts';
import { NeedsSavepoints, StaleReads, Transaction, UnknownCommit } from './transaction.ts';
import { Rows, Turn, turns } from './turns.ts';

/** Maximum of writes in one transaction. PostgreSQL slows down with more than 64 savepoints. */
const GROUP_LIMIT = 32;
/** Attempts of a transaction that fails for reasons outside of it. */
const ATTEMPTS = 4;
/** Milliseconds before the second attempt; later pauses are longer. */
const PAUSE = 20;

/**
 * Creates the queue of a node.
 * @param onCommit receives the new versions of the written tables, before the writes are acknowledged
 */
export function writerQueue(
  session: Session,
  onCommit: (versions: readonly Row[] | undefined) => void,
): WriteQueue {
  const writer = new Writer(session, onCommit);
  return writeQueue((items) => writer.runGroup(items), GROUP_LIMIT);
}

class Writer {
  readonly #session: Session;
  readonly #onCommit: (versions: readonly Row[] | undefined) => void;
  readonly #marks = new CommitMarks();
  readonly #written = new WrittenTables();
  /** What the last transaction has written. */
  #changed = new Rows();
  /** How many numbers of each sequence a write of the last transaction has drawn. */
  #drawn: ReadonlyMap<string, bigint> = new Map();

  constructor(session: Session, onCommit: (versions: readonly Row[] | undefined) => void) {
    this.#session = session;
    this.#onCommit = onCommit;
  }

  /** Runs the writes in one transaction, or in one each if that fails at COMMIT because of a constraint. */
  async runGroup(items: readonly PendingWrite[]): Promise<void> {
    const { limits } = this.#session;
    const outcome = await this.#outcomeOf(items);
    if (outcome.kind === 'completed')
      return report(outcome.settled, (error) => translate(error, limits));
    const error = outcome.kind === 'failed' ? outcome.error : undefined;
    if (items.length > 1 && isConstraint(error))
      for (const item of items) await this.runGroup([item]);
    else for (const item of items) item.reject(translate(error, limits));
  }

  async #outcomeOf(items: readonly PendingWrite[]): Promise<Attempt> {
    let withSavepoints = false;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(items, withSavepoints);
      if (outcome.kind === 'needs-savepoints') withSavepoints = true;
      else if (outcome.kind === 'completed' || attempt >= ATTEMPTS || !mayRepeat(outcome.error))
        return outcome;
      else await new Promise((resolve) => setTimeout(resolve, PAUSE * attempt ** 2));
    }
  }

  async #attempt(items: readonly PendingWrite[], withSavepoints: boolean): Promise<Attempt> {
    let transaction: Transaction | undefined;
    try {
      const writer = await this.#session.writer();
      const { limits } = this.#session;
      const parts = { written: this.#written, marks: this.#marks, last: this.#changed };
      transaction = new Transaction(writer.connection, parts, { limits, units: items.length });
      const run = withSavepoints ? runWithSavepoints : runPlain;
      // An error of BEGIN is the cause of those after it.
      const [, outcome] = await all([
        transaction.begin(writer.lock, this.#drawn),
        run(transaction, items),
      ]);
      if (outcome.kind === 'completed') await this.#commit(transaction);
      else await transaction.rollBack();
      return outcome;
    } catch (error) {
      await transaction?.rollBack();
      return { kind: 'failed', error };
    }
  }

  async #commit(transaction: Transaction): Promise<void> {
    if (!transaction.isOpen) return;
    try {
      this.#onCommit(await transaction.commit());
      this.#drawn = transaction.sequences.drawnByUnit;
      this.#changed = transaction.changed;
    } catch (error) {
      if (!(error instanceof UnknownCommit)) throw error;
      const state = transaction.isMarked ? await this.#session.stateOfLast(this.#marks) : 'unknown';
      if (state === 'aborted') throw error;
      if (state === 'unknown')
        throw new Fault('store.unknown-commit', {}, { headers: { 'Retry-After': '5' } });
      this.#onCommit(undefined);
    }
  }
}

/** Whether a transaction that failed with this error has had no effect and may succeed if it runs again. */
function mayRepeat(error: unknown): boolean {
  return isDisconnect(error) || isRetryable(error) || isStaleStatement(error);
}

/** Waits until all promises are settled. Throws the first error in the order of the promises. */
async function all<Results extends readonly unknown[]>(
  promises: {
    readonly [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(promises);
  const results: unknown[] = [];
  for (const promise of promises) results.push(await promise);
  return results as unknown as Results;
}

/** Runs the writes without savepoints. Most writes that fail do so before they change anything. */
async function runPlain(
  transaction: Transaction,
  items: readonly PendingWrite[],
): Promise<Attempt> {
  const order = turns(items.length);
  const run = items.map((item, index) => runInTurn(transaction, item, order[index] as Turn));
  const outcomes = (await all(run)) as readonly (Outcome | 'needs-savepoints')[];
  const settled: Settled[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === 'needs-savepoints') return { kind: 'needs-savepoints' };
    settled.push(outcome.settled);
    if (outcome.keep || !(order[index]?.hasChanged || transaction.isAborted)) continue;
    if (items.length > 1) return { kind: 'needs-savepoints' };
    await transaction.rollBack();
  }
  return { kind: 'completed', settled };
}

async function runInTurn(
  transaction: Transaction,
  item: PendingWrite,
  turn: Turn,
): Promise<Outcome | 'needs-savepoints'> {
  try {
    const outcome = await runAhead(transaction, item, turn);
    if (!outcome.keep && turn.hasChanged) transaction.mustUndo = true;
    return outcome;
  } catch (error) {
    if (error instanceof NeedsSavepoints) return 'needs-savepoints';
    throw error;
  } finally {
    await turn.wait();
    turn.end();
  }
}

/** Runs a write that begins before its turn, and runs it again if it has read what was changed until then. */
async function runAhead(
  transaction: Transaction,
  item: PendingWrite,
  turn: Turn,
): Promise<Outcome> {
  try {
    const outcome = await runOne(transaction, item, turn, false);
    if (!turn.isTaken) await transaction.takeTurn(turn);
    return outcome;
  } catch (error) {
    if (!(error instanceof StaleReads)) throw error;
    return await runOne(transaction, item, turn, false);
  }
}

/** Runs each write in a savepoint of its own. */
async function runWithSavepoints(
  transaction: Transaction,
  items: readonly PendingWrite[],
): Promise<Attempt> {
  const settled: Settled[] = [];
  for (const item of items) {
    let outcome: Outcome;
    try {
      outcome = await runInSavepoint(transaction, item, false);
    } catch (error) {
      if (!(error instanceof NeedsSavepoints)) throw error;
      outcome = await runInSavepoint(transaction, item, true);
    }
    settled.push(outcome.settled);
  }
  return { kind: 'completed', settled };
}

async function runInSavepoint(
  transaction: Transaction,
  item: PendingWrite,
  isCareful: boolean,
): Promise<Outcome> {
  await transaction.command('SAVEPOINT work');
  const { blocks } = transaction.sequences;
  let outcome: Outcome | undefined;
  try {
    outcome = await runOne(transaction, item, new Turn(), isCareful);
    return outcome;
  } finally {
    if (outcome?.keep === true) await transaction.command('RELEASE work');
    else {
      await transaction.command('ROLLBACK TO work; RELEASE work');
      transaction.sequences.restore(blocks);
      transaction.isAborted = false;
    }
  }
}

interface Outcome {
  readonly settled: Settled;
  readonly keep: boolean;
}

async function runOne(
  transaction: Transaction,
  item: PendingWrite,
  turn: Turn,
  isCareful: boolean,
): Promise<Outcome> {
  try {
    const { result, keep }: WorkResult<unknown> = await transaction.perform(
      item.start(),
      turn,
      isCareful,
    );
    return { settled: { item, kind: 'done', result }, keep };
  } catch (error) {
    if (mayRepeat(error) || error instanceof NeedsSavepoints || error instanceof StaleReads)
      throw error;
    return { settled: { item, kind: 'failed', error }, keep: false };
  }
}
