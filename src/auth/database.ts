// The interface of the database for auth/, whose statements are fragments, its implementation on the database of the service, and the
// allocation of identities for rows that auth/ writes itself.
import type { Fragment } from '../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Database, Row, Work } from '../store/database.ts';
import { allocate, kept, query } from '../store/work.ts';

export interface AuthDatabase {
  readonly read: (statement: Fragment) => Promise<readonly Row[]>;
  /** Runs a unit of work as a transaction. There is only one writer at a time. */
  readonly write: <Result>(start: () => Work<Result>) => Promise<Result>;
}

export function authDatabase(database: Database): AuthDatabase {
  return {
    read: async (statement) => await database.read(statement, query(statement).values),
    write: async (start) => await database.write(() => kept(start())),
  };
}

/** Allocates identities and returns the first of them. */
export function* nextIdentity(count = 1n): Work<bigint> {
  return (yield allocate(IDENTITY_SEQUENCE, count)).first;
}
