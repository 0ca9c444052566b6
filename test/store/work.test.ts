// This file tests the functions that run units of work: replies, errors of operations, and work that only queries.
import { describe, expect, it } from 'vitest';
import type { Operation, Reply, SqlText, Work } from '../../src/store/database.ts';
import {
  allocate,
  change,
  kept,
  pipeline,
  query,
  rowsReply,
  runQueries,
  runWork,
  watched,
} from '../../src/store/work.ts';

/** Replies to each query with its text. Other operations fail. */
function echo(operation: Operation): Reply {
  if (operation.kind !== 'query') throw new Error(`no ${operation.kind}`);
  return rowsReply([[String(operation.statement)]]);
}

function* textOf(text: string): Work<unknown> {
  const { rows } = yield query(text, []);
  return rows[0]?.[0];
}

function* failureOf(operation: Operation): Work<string> {
  try {
    yield operation;
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

/** Two queries, a failure in between that the unit handles, and one that it does not. */
function* failing(): Work<never> {
  yield* textOf('a');
  yield* failureOf(change('b', []));
  yield* textOf('c');
  yield allocate('d', 1n);
  throw new Error('not reached');
}

describe('a unit of work', () => {
  it('receives the reply to each operation, also through other work', () => {
    const both = function* (): Work<unknown> {
      return [yield* textOf('first'), (yield query('second', [])).rows];
    };
    expect(runWork(both(), echo)).toEqual(['first', [['second']]]);
  });

  it('receives the error of an operation where it has yielded it', () => {
    expect(runWork(failureOf(change('x', [])), echo)).toBe('no change');
  });

  it('ends with an error that it does not handle', () => {
    expect(() => runWork(failing(), echo)).toThrow('no allocate');
  });

  it('runs without a transaction if it only queries', () => {
    const database = { read: (statement: SqlText) => [[String(statement)]] };
    expect(runQueries(textOf('rows'), database)).toBe('rows');
    expect(runQueries(failureOf(change('x', [])), database)).toMatch('changes need a transaction');
  });

  it('runs a pipeline without a transaction if it only queries', async () => {
    const both = function* (): Work<unknown> {
      const { replies } = yield pipeline([query('a', []), query('b', [])]);
      return replies.map(({ rows }) => rows[0]?.[0]);
    };
    const rowsOf = (statement: SqlText) => [[String(statement)]];
    expect(runQueries(both(), { read: rowsOf })).toEqual(['a', 'b']);
    const slow = runQueries(both(), { read: async (statement) => rowsOf(statement) });
    expect(slow).toBeInstanceOf(Promise);
    expect(await slow).toEqual(['a', 'b']);
    expect(runQueries(failureOf(pipeline([change('x', [])])), { read: rowsOf })).toMatch(
      'changes need a transaction',
    );
  });

  it('is watched operation by operation, also in pipelines', () => {
    const log: string[] = [];
    const work = failureOf(pipeline([query('a', []), change('b', []), allocate('c', 1n)]));
    runWork(
      watched(work, ({ kind }) => void log.push(kind)),
      () => rowsReply([]),
    );
    expect(log).toEqual(['query', 'change', 'allocate']);
  });

  it('is kept with its result', () => {
    expect(runWork(kept(textOf('result')), echo)).toEqual({ result: 'result', keep: true });
  });

  it('runs the same if it is watched, and each operation is noted before it runs', () => {
    const log: string[] = [];
    const note = (operation: Operation) => void log.push(`note ${operation.kind}`);
    const run = (operation: Operation) => {
      log.push(`run ${operation.kind}`);
      return echo(operation);
    };
    const outer = function* (): Work<unknown> {
      return yield* watched(textOf('result'), note);
    };
    expect(runWork(outer(), run)).toBe('result');
    expect(() => runWork(watched(failing(), note), run)).toThrow('no allocate');
    expect(log).toEqual(
      ['query', 'query', 'change', 'query', 'allocate'].flatMap((kind) => [
        `note ${kind}`,
        `run ${kind}`,
      ]),
    );
  });
});
