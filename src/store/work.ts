// This file makes the operations of units of work, and runs units of work.
import { invariant } from '../base/fault.ts';
import { parametersOf } from '../sql/fragment.ts';
import type {
  Cell,
  Database,
  Operation,
  Reply,
  Row,
  SqlText,
  Work,
  WorkResult,
} from './database.ts';

/** Runs a statement and replies with its rows. Without `values`, the values of a fragment are bound in it. */
export function query(
  statement: SqlText,
  values = valuesIn(statement),
): Operation & { kind: 'query' } {
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

/** Runs a statement and replies with the number of rows that it has changed. For `place` see Operation. */
export function change(statement: SqlText, values: readonly Cell[], place?: string): Operation {
  return { kind: 'change', statement, values, place };
}

/** Allocates `count` consecutive numbers of a sequence and replies with the first. */
export function allocate(sequence: string, count: bigint): Operation {
  return { kind: 'allocate', sequence, count };
}

/** The reply to a query. */
export function rowsReply(rows: readonly Row[]): Reply {
  return { rows, changed: 0, first: 0n };
}

/** Runs work without promises. */
export function runWork<Result>(
  work: Work<Result>,
  execute: (operation: Operation) => Reply,
): Result {
  let step = work.next();
  while (step.done !== true) {
    let reply: Reply;
    try {
      reply = execute(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(reply);
  }
  return step.value;
}

/** Runs work that only queries, outside of a transaction. */
export function runQueries<Result>(work: Work<Result>, { read }: Pick<Database, 'read'>): Result {
  return runWork(work, (operation) => {
    invariant(operation.kind === 'query', 'changes need a transaction');
    return rowsReply(read(operation.statement, operation.values));
  });
}

/** The same work as a transaction that is always kept. */
export function* kept<Result>(work: Work<Result>): Work<WorkResult<Result>> {
  return { result: yield* work, keep: true };
}

/** The same work. Calls `note` with each operation before it runs. */
export function watched<Result>(
  work: Work<Result>,
  note: (operation: Operation) => void,
): Work<Result> {
  const noted = (step: IteratorResult<Operation, Result>) => {
    if (step.done !== true) note(step.value);
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
