// This file runs units of work in a transaction, each in its turn. An error of a statement aborts the whole transaction on PostgreSQL, unlike on SQLite, so
// work that goes on after one runs again with a savepoint around each of its operations.
import { invariant, unreachable } from '../../base/fault.ts';
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import type { Statement } from '../../sql/script.ts';
import type { Operation, Reply, Row, SingleOperation, Work } from '../database.ts';
import { calculationFault } from '../driver-faults.ts';
import { type Allocation, LARGEST_BLOCK, Sequences } from '../sequences.ts';
import { changedReply, firstReply, firstRow, pipelineReply, rowsReply } from '../work.ts';
import type { CommitMarks } from './commit-marks.ts';
import { type Connection, statementOf } from './connection.ts';
import {
  Disconnected,
  isConstraint,
  isDisconnect,
  isRetryable,
  isStaleStatement,
  isTooLong,
  sqlState,
  type TimeLimits,
  translate,
} from './errors.ts';
import type { Result } from './prepared-query.ts';
import { arrayOf, type WrittenTables } from './table-versions.ts';
import { Rows, Turn } from './turns.ts';

/** The connection was lost during COMMIT, so that it is not known whether the transaction was committed. */
export class UnknownCommit extends Disconnected {}

/** Thrown if one unit must be undone and others have gone on since, or if it goes on itself although the transaction is aborted. */
export class NeedsSavepoints extends Error {}

/** Thrown if a unit has read, before its turn, what an earlier unit has changed. It must start again. */
export class StaleReads extends Error {}

/** Errors that concern the transaction, not the work. */
function endsTransaction(error: unknown): boolean {
  return isDisconnect(error) || isRetryable(error) || isStaleStatement(error);
}

export class Transaction {
  readonly sequences: Sequences;
  /** Whether a statement has failed, so that only ROLLBACK is possible. */
  isAborted = false;
  /** Whether a unit must be undone that has run without a savepoint. Nothing may be read that it has changed. */
  mustUndo = false;
  /** Whether the commit has a mark. */
  isMarked = false;
  readonly #connection: Connection;
  readonly #written: WrittenTables;
  /** What the units have written so far. */
  readonly changed = new Rows();
  /** What those of the last transaction have written. */
  readonly #last: Rows;
  readonly #marks: CommitMarks | undefined;
  readonly #limits: TimeLimits;
  readonly #units: number;
  /** Queries without values by their text, as long as nothing is written: the units of a group have many of them in common. */
  readonly #shared = new Map<string, Promise<Result>>();
  /** Pending until the numbers are there that were reserved at BEGIN. */
  #reserved: Promise<void> | undefined;
  /** Whether a unit has replaced the next numbers of sequences. */
  #hasSetSequences = false;
  #isOpen = false;

  /** @param units number of units of work that the transaction will probably run */
  constructor(
    connection: Connection,
    {
      written,
      marks,
      last = new Rows(),
    }: { readonly written: WrittenTables; readonly marks?: CommitMarks; readonly last?: Rows },
    { limits, units }: { readonly limits: TimeLimits; readonly units: number },
  ) {
    this.#connection = connection;
    this.sequences = new Sequences(advance, units);
    this.#written = written;
    this.#last = last;
    this.#marks = marks;
    this.#limits = limits;
    this.#units = units;
    written.clear();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Begins the transaction and waits for the lock that all writing transactions of an installation take. Statements may be sent
   * meanwhile: the server executes them after it has got the lock, and they see what was committed by then.
   * @param expected how many numbers of sequences each unit will probably need
   */
  async begin(lock: string, expected: ReadonlyMap<string, bigint> = NO_NUMBERS): Promise<void> {
    // BEGIN may succeed although waiting for the lock fails.
    this.#isOpen = true;
    const begun = this.#connection.query(BEGIN, []);
    const locked = this.#connection.query(`SELECT pg_advisory_xact_lock(${lock})`, []);
    this.#reserved = expected.size === 0 ? undefined : this.#reserveAhead(expected);
    for (const result of await Promise.allSettled([begun, locked, this.#reserved]))
      if (isRejected(result)) throw result.reason;
    this.#reserved = undefined;
  }

  async #reserveAhead(expected: ReadonlyMap<string, bigint>): Promise<void> {
    const counts = [...expected].map(([name, count]) => {
      const needed = count * BigInt(this.#units);
      return [name, needed < LARGEST_BLOCK ? needed : LARGEST_BLOCK] as const;
    });
    const { text } = statementOf(ADVANCE);
    const { rows } = await this.#connection.query(text, advanceBy(counts));
    const known = new Map(counts);
    for (const [name, next] of rows) {
      const count = known.get(String(name));
      invariant(count !== undefined && typeof next === 'bigint', 'a sequence has no next number');
      this.sequences.add(String(name), next - count, count);
    }
  }

  /**
   * Runs work. `isCareful` sets a savepoint around each operation.
   * Throws: the errors of the work, NeedsSavepoints, StaleReads, and errors that concern the transaction.
   */
  async perform<Result>(work: Work<Result>, turn: Turn, isCareful: boolean): Promise<Result> {
    let step = work.next();
    while (step.done !== true) {
      // It goes on because of an error in the replies to its last operation.
      if (turn.isOvertaken) throw new NeedsSavepoints();
      const operation: Operation = step.value;
      if (!turn.isTaken && !this.#readsAhead(operation, turn)) await this.takeTurn(turn);
      let reply: Reply;
      try {
        reply = await (isCareful ? this.#protected(operation, turn) : this.#send(operation, turn));
      } catch (error) {
        if (endsTransaction(error)) throw error;
        if (turn.isOvertaken || error instanceof NeedsSavepoints) throw new NeedsSavepoints();
        step = work.throw(error);
        if (this.isAborted) throw new NeedsSavepoints();
        continue;
      }
      step = work.next(reply);
    }
    return step.value;
  }

  /** Waits for the turn of a unit. Throws: StaleReads; NeedsSavepoints if the transaction is aborted or an earlier unit must be undone. */
  async takeTurn(turn: Turn): Promise<void> {
    await turn.wait();
    if (this.isAborted || this.mustUndo) throw new NeedsSavepoints();
    const isStale = turn.readAhead.overlaps(this.changed);
    turn.readAhead.clear();
    if (isStale) throw new StaleReads();
  }

  /** Runs a command that controls the transaction. */
  async command(text: string): Promise<void> {
    await this.#connection.command(text);
  }

  /** Commits, and returns the new versions of the written tables. Throws: UnknownCommit, errors of pg. */
  async commit(): Promise<readonly Row[]> {
    const isInstalled = await this.#written.prepare(this.#connection);
    this.isMarked = isInstalled && this.#marks !== undefined;
    const unused = this.#hasSetSequences ? [] : this.sequences.returnUnused();
    const others: Promise<unknown>[] = unused.map((one) => this.#execute(one, new Turn()));
    if (isInstalled && this.#marks) others.push(this.#marks.store(this.#connection));
    const versions = this.#written.raiseVersions(this.#connection);
    const commit = this.#connection.command('COMMIT');
    this.#isOpen = false;
    const [committed, raised, ...rest] = await Promise.allSettled([commit, versions, ...others]);
    if (committed.status === 'rejected') throw commitError(committed.reason);
    for (const { reason } of [raised, ...rest].filter(isRejected)) throw reason;
    invariant(committed.value.command === 'COMMIT', 'a failed transaction was committed');
    return raised.status === 'fulfilled' ? raised.value : NO_ROWS;
  }

  async rollBack(): Promise<void> {
    this.#written.clear();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#connection.command('ROLLBACK').catch(() => this.#connection.abandon());
  }

  /** Whether an operation may be sent before the turn of its unit, since no earlier unit is likely to change what it reads. */
  #readsAhead(operation: Operation, { isWaiting, readAhead }: Turn): boolean {
    if (!isWaiting) return false;
    const operations = operation.kind === 'pipeline' ? operation.operations : [operation];
    if (!operations.every((one) => this.#mayReadAhead(one))) return false;
    for (const one of operations) {
      if (one.kind !== 'query') continue;
      const statement = statementOf(one.statement);
      readAhead.add(statement.reads, statement, one.values);
    }
    return true;
  }

  /** A row that an earlier unit writes will be read again, which is rare: most writes change a row of their own. */
  #mayReadAhead(operation: SingleOperation): boolean {
    if (operation.kind !== 'query') return false;
    const { reads, writes, row } = statementOf(operation.statement);
    const isRow = row !== undefined && !this.#last.hasAll(row.table);
    const others = isRow ? reads.filter((table) => table !== row.table) : reads;
    return writes.length === 0 && !this.#written.mayGet(others);
  }

  /** Executes an operation. The turn ends with the last one. */
  #send(operation: Operation, turn: Turn): Promise<Reply> {
    const reply = this.#execute(operation, turn);
    if (operation.kind === 'pipeline' && operation.isLast) turn.end();
    return reply;
  }

  async #protected(operation: Operation, turn: Turn): Promise<Reply> {
    await this.command('SAVEPOINT operation');
    const { blocks } = this.sequences;
    try {
      const reply = await this.#execute(operation, turn);
      await this.command('RELEASE operation');
      return reply;
    } catch (error) {
      if (endsTransaction(error)) throw error;
      await this.command('ROLLBACK TO operation; RELEASE operation');
      this.sequences.restore(blocks);
      this.isAborted = false;
      throw error;
    }
  }

  async #execute(operation: Operation, turn: Turn): Promise<Reply> {
    switch (operation.kind) {
      case 'query':
        return rowsReply((await this.#run(operation, turn)).rows);
      case 'change':
        turn.hasChanged = true;
        return await this.#change(operation, turn);
      case 'allocate': {
        // Numbers that a failed unit has drawn are drawn again.
        turn.hasChanged = true;
        if (this.#reserved !== undefined) await this.#reserved;
        const reserved = this.sequences.take(operation);
        return firstReply(reserved ?? (await this.#reserve(operation, turn)));
      }
      case 'pipeline':
        return pipelineReply(await this.#executeAll(operation.operations, turn));
      default:
        return unreachable(operation);
    }
  }

  async #change(
    operation: SingleOperation & { readonly kind: 'change' },
    turn: Turn,
  ): Promise<Reply> {
    const { changed, rows } = await this.#run(operation, turn);
    return changedReply(changed, operation.returns ? rows : NO_ROWS);
  }

  /** Sends all statements before it waits. Throws: the error of the first operation that failed; the later ones fail because of it. */
  async #executeAll(operations: readonly SingleOperation[], turn: Turn): Promise<readonly Reply[]> {
    const sent = operations.map((operation) => this.#execute(operation, turn));
    return (await Promise.allSettled(sent)).map((settled) => {
      if (isRejected(settled)) throw settled.reason;
      return settled.value;
    });
  }

  async #reserve(allocation: Allocation, turn: Turn): Promise<bigint> {
    return await this.perform(this.sequences.reserve(allocation), turn, false);
  }

  #run(
    operation: SingleOperation & { readonly kind: 'query' | 'change' },
    turn: Turn,
  ): Promise<Result> {
    const statement = statementOf(operation.statement);
    const { text, reads, writes } = statement;
    if (writes.length > 0) {
      turn.hasChanged = true;
      this.#written.note(writes);
      this.changed.add(writes, statement, operation.values);
      if (operation.kind === 'change') this.#hasSetSequences ||= writes.includes(SEQUENCES);
    }
    const isConstant = operation.values.length === 0 && reads.length > 0;
    if (!isConstant || !this.#written.isEmpty) return this.#query(operation, statement);
    const result = this.#shared.get(text) ?? this.#query(operation, statement);
    this.#shared.set(text, result);
    return result;
  }

  async #query(
    operation: SingleOperation & { readonly kind: 'query' | 'change' },
    { text, textColumns }: Statement,
  ): Promise<Result> {
    try {
      return await this.#connection.query(text, operation.values, textColumns);
    } catch (error) {
      // Later statements fail because of the first that did, or because they could not be prepared after it.
      if (this.isAborted && !isDisconnect(error)) throw new NeedsSavepoints();
      if (sqlState(error) !== undefined) this.isAborted = true;
      const isChange = operation.kind === 'change';
      const place = isChange ? operation.place : undefined;
      const fault = translate(error, this.#limits, place);
      if (isConstraint(error) || isTooLong(error)) throw fault;
      throw (isChange ? calculationFault(fault, place) : undefined) ?? error;
    }
  }
}

const NO_ROWS: readonly Row[] = [];

const NO_NUMBERS: ReadonlyMap<string, bigint> = new Map();
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const SEQUENCES = 'docket_sequence';

/** Advances sequences, given arrays of their names and of how many numbers each needs, with 1 added. */
const ADVANCE = sql`INSERT INTO ${tableName(SEQUENCES)} AS known ("name", "next") SELECT unnest(${ARGUMENT}::text[]), unnest(${ARGUMENT}::bigint[])
  ON CONFLICT ("name") DO UPDATE SET "next" = known."next" + excluded."next" - 1 RETURNING "name", "next"`;

function advanceBy(counts: readonly (readonly [string, bigint])[]): readonly string[] {
  return [
    arrayOf(counts.map(([name]) => name)),
    arrayOf(counts.map(([, count]) => String(1n + count))),
  ];
}

/** Advances a sequence in one statement. See Advance. */
function* advance(name: string, count: bigint): Work<bigint> {
  const row = yield* firstRow(ADVANCE, advanceBy([[name, count]]));
  invariant(typeof row?.[1] === 'bigint', 'a sequence has no next number');
  return row[1] - count;
}

function commitError(error: unknown): unknown {
  return isDisconnect(error) ? new UnknownCommit('COMMIT', { cause: error }) : error;
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}
