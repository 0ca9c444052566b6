// This file reports the operations of a database. It wraps the database only where something counts or traces them, because a read of a single record
// takes few microseconds.
import type { Observe, StatementObservation } from '../../base/observation.ts';
import type { SpanAttributes, Spans } from '../../base/spans.ts';
import { andThen, type MaybePromise, withCleanup } from '../../base/value-or-promise.ts';
import type { World } from '../../base/world.ts';
import type { Database, SqlText } from '../database.ts';

interface Listeners {
  readonly observe: Observe | undefined;
  readonly spans: Spans | undefined;
  readonly elapsed: World['elapsed'];
}

export function withStatementReports(
  database: Database,
  { observe, spans, elapsed }: Listeners,
): Database {
  if (observe === undefined && spans === undefined) return database;
  const counted = <Result>(operation: Operation, run: () => MaybePromise<Result>) =>
    observe === undefined ? run() : withReport(operation, run, observe, elapsed);
  const measured = <Result>(
    operation: Operation,
    text: string | undefined,
    run: () => MaybePromise<Result>,
  ): MaybePromise<Result> => {
    const work = () => counted(operation, run);
    if (spans === undefined) return work();
    return spans.within(`database ${operation}`, attributesOf(operation, text), work);
  };
  return {
    ...database,
    read: (statement, values) =>
      measured('read', textOf(statement), () => database.read(statement, values)),
    scan: async (statement, values) =>
      await measured('scan', textOf(statement), () => database.scan(statement, values)),
    write: async (start) => await measured('write', undefined, () => database.write(start)),
  };
}

type Operation = StatementObservation['operation'];

function withReport<Result>(
  operation: Operation,
  run: () => MaybePromise<Result>,
  observe: Observe,
  elapsed: World['elapsed'],
): MaybePromise<Result> {
  const start = elapsed();
  let failed = true;
  const work = () =>
    andThen(run(), (result) => {
      failed = false;
      return result;
    });
  return withCleanup(work, () =>
    observe({ kind: 'statement', operation, milliseconds: elapsed() - start, failed }),
  );
}

/** The text of a compiled statement, whose values are parameters. Fragments of the service may contain values. */
function textOf(statement: SqlText): string | undefined {
  return typeof statement === 'object' && 'text' in statement ? statement.text : undefined;
}

function attributesOf(operation: Operation, text: string | undefined): SpanAttributes {
  return {
    'db.operation.name': operation,
    ...(text === undefined ? {} : { 'db.query.text': text }),
  };
}
