// The interface of the database for auth/, whose statements are fragments, and its implementation on the database of the service.
import { invariant } from '../base/fault.ts';
import { type Fragment, parametersOf } from '../sql/fragment.ts';
import type { Database, Row, Work } from '../store/database.ts';
import { kept, query } from '../store/work.ts';

export interface AuthDatabase {
  readonly read: (statement: Fragment) => Promise<readonly Row[]>;
  /** Runs a unit of work as a transaction. There is only one writer at a time. */
  readonly write: <Result>(start: () => Work<Result>) => Promise<Result>;
}

export function authDatabase(database: Database): AuthDatabase {
  return {
    read: async (statement) => readNow(database, statement),
    write: async (start) => await database.write(() => kept(start())),
  };
}

/** Runs a quick statement. */
export function readNow({ read }: Pick<Database, 'read'>, statement: Fragment): readonly Row[] {
  const query = run(statement);
  return read(query.statement, query.values);
}

/** The operation that runs a statement, whose values are bound in it. */
export function run(statement: Fragment) {
  const values = parametersOf(statement).map((parameter) => {
    invariant(parameter.kind === 'value', `statements of auth/ have no ${parameter.kind}`);
    return parameter.value;
  });
  return query(statement, values);
}
