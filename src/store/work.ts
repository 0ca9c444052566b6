// This file makes the operations of units of work, and runs units of work.
import { invariant } from '../base/fault.ts';
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import { parametersOf } from '../sql/fragment.ts';
import type {
  Cell,
  Database,
  Operation,
  Reply,
  Row,
  SingleOperation,
  SqlText,
  Work,
  WorkResult,
} from './database.ts';

/** Runs a statement and replies with its rows. Without `values`, the values of a fragment are bound in it. */
export function query(
  statement: SqlText,
  values = valuesIn(statement),
): SingleOperation & { kind: 'query' } {
  return { kind: 'query', statement, values };
}

function valuesIn(statement: SqlText): readonly Cell[] {
  if (typeof statement === 'string' || 'text' in statement) return [];
  return parametersOf(statement).map((parameter) => {
    invariant(parameter.kind === 'value', `a bound value is missing: ${parameter.kind}`);
    return parameter.value;
  });
}

/** Queries, and returns the first row. */
export function* firstRow(...[statement, values]: Parameters<typeof query>): Work<Row | undefined> {
  const { rows } = yield query(statement, values);
  return rows[0];
}

/** Runs a statement and replies with the number of rows that it has changed. For `place` and `returns` see Operation. */
export function change(
  statement: SqlText,
  values: readonly Cell[],
  place?: string,
  returns = false,
): SingleOperation {
  return { kind: 'change', statement, values, place, returns };
}

/** Allocates `count` consecutive numbers of a sequence and replies with the first. */
export function allocate(
  sequence: string,
  count: bigint,
): SingleOperation & { readonly kind: 'allocate' } {
  return { kind: 'allocate', sequence, count };
}

/** Lets a sequence continue after a number that was not allocated. */
export function continueAfter(sequence: string, given: bigint): SingleOperation {
  return { ...allocate(sequence, 0n), given };
}

/** Runs operations that do not depend on each other's results, and replies to all together. For `isLast` see Operation. */
export function pipeline(operations: readonly SingleOperation[], isLast = false): Operation {
  return { kind: 'pipeline', operations, isLast };
}

const NO_ROWS: readonly Row[] = [];
const NO_REPLIES: readonly Reply[] = [];

/** The reply to a query. */
export function rowsReply(rows: readonly Row[]): Reply {
  return { rows, changed: 0, first: 0n, replies: NO_REPLIES };
}

/** The reply to a change, with the rows that it returns. */
export function changedReply(changed: number, rows: readonly Row[] = NO_ROWS): Reply {
  return { rows, changed, first: 0n, replies: NO_REPLIES };
}

/** The reply to an allocation. */
export function firstReply(first: bigint): Reply {
  return { rows: NO_ROWS, changed: 0, first, replies: NO_REPLIES };
}

/** The reply to a pipeline. */
export function pipelineReply(replies: readonly Reply[]): Reply {
  return { rows: NO_ROWS, changed: 0, first: 0n, replies };
}

/** Runs work: without promises as long as the replies are none. */
export function runWork<Result>(
  work: Work<Result>,
  execute: (operation: Operation) => Reply,
): Result;
export function runWork<Result>(
  work: Work<Result>,
  execute: (operation: Operation) => MaybePromise<Reply>,
): MaybePromise<Result>;
export function runWork<Result>(
  work: Work<Result>,
  execute: (operation: Operation) => MaybePromise<Reply>,
): MaybePromise<Result> {
  return runFrom(work, work.next(), execute);
}

function runFrom<Result>(
  work: Work<Result>,
  start: IteratorResult<Operation, Result>,
  execute: (operation: Operation) => MaybePromise<Reply>,
): MaybePromise<Result> {
  let step = start;
  while (step.done !== true) {
    let reply: MaybePromise<Reply>;
    try {
      reply = execute(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    if (reply instanceof Promise) {
      return reply.then(
        (ready) => runFrom(work, work.next(ready), execute),
        (error: unknown) => runFrom(work, work.throw(error), execute),
      );
    }
    step = work.next(reply);
  }
  return step.value;
}

/** Runs work that only queries, outside of a transaction. */
export function runQueries<Result>(
  work: Work<Result>,
  database: Pick<Database, 'read'>,
): MaybePromise<Result> {
  return runWork(work, (operation) => {
    if (operation.kind === 'pipeline') return repliesOf(operation.operations, database);
    return replyOf(operation, database);
  });
}

function repliesOf(
  operations: readonly SingleOperation[],
  database: Pick<Database, 'read'>,
): MaybePromise<Reply> {
  const replies = operations.map((operation) => replyOf(operation, database));
  if (!replies.some((reply) => reply instanceof Promise)) return pipelineReply(replies as Reply[]);
  return Promise.all(replies).then(pipelineReply);
}

function replyOf(
  operation: SingleOperation,
  { read }: Pick<Database, 'read'>,
): MaybePromise<Reply> {
  invariant(operation.kind === 'query', 'changes need a transaction');
  return andThen(read(operation.statement, operation.values), rowsReply);
}

/** The same work as a transaction that is always kept. */
export function* kept<Result>(work: Work<Result>): Work<WorkResult<Result>> {
  return { result: yield* work, keep: true };
}

/** The same work. Calls `note` with each operation, also of pipelines, before it runs. */
export function watched<Result>(
  work: Work<Result>,
  note: (operation: SingleOperation) => void,
): Work<Result> {
  const noted = (step: IteratorResult<Operation, Result>) => {
    if (step.done === true) return step;
    if (step.value.kind === 'pipeline') step.value.operations.forEach(note);
    else note(step.value);
    return step;
  };
  // Not a generator, since delegating costs more than a call.
  return {
    next: (reply: Reply) => noted(work.next(reply)),
    throw: (error: unknown) => noted(work.throw(error)),
    return: (result: Result) => noted(work.return(result)),
    [Symbol.iterator]() {
      return this;
    },
  };
}
