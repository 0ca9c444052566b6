// The interface of the database for auth/, whose statements are fragments, and its implementation on the database of the service.

import type { Fragment } from '../sql/fragment.ts';
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
  return read(statement, query(statement).values);
}
