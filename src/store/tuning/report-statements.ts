// This file reports the operations of a database. It wraps the database only where something counts them, because a read of a single record
// takes few microseconds.
import type { Observe, StatementObservation } from '../../base/observation.ts';
import { andThen, type MaybePromise, withCleanup } from '../../base/value-or-promise.ts';
import type { World } from '../../base/world.ts';
import type { Database } from '../database.ts';

export function withStatementReports(
  database: Database,
  observe: Observe,
  { elapsed }: Pick<World, 'elapsed'>,
): Database {
  const measured = <Result>(
    operation: StatementObservation['operation'],
    run: () => MaybePromise<Result>,
  ): MaybePromise<Result> => {
    const start = elapsed();
    let failed = true;
    const work = () =>
      andThen(run(), (result) => {
        failed = false;
        return result;
      });
    const report = () =>
      observe({ kind: 'statement', operation, milliseconds: elapsed() - start, failed });
    return withCleanup(work, report);
  };
  return {
    ...database,
    read: (statement, values) => measured('read', () => database.read(statement, values)),
    scan: async (statement, values) =>
      await measured('scan', () => database.scan(statement, values)),
    write: async (start) => await measured('write', () => database.write(start)),
  };
}
