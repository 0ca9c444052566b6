// The interface of the database for auth/, whose statements are fragments, its implementation on the database of the service, and the
// allocation of identities for rows that auth/ writes itself.
import { type Fragment, sql, tableName, value } from '../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Database, Row, Work } from '../store/database.ts';
import { firstRow, kept, query } from '../store/work.ts';

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

/** Allocates identities and returns the first of them. */
export function* nextIdentity(count = 1n): Work<bigint> {
  const [first] =
    (yield* firstRow(
      sql`UPDATE ${tableName('docket_sequence')} SET "next" = "next" + ${value(count)} WHERE "name" = ${value(IDENTITY_SEQUENCE)} RETURNING "next" - ${value(count)}`,
    )) ?? [];
  if (typeof first === 'bigint') return first;
  yield query(
    sql`INSERT INTO ${tableName('docket_sequence')} ("name", "next") VALUES (${value(IDENTITY_SEQUENCE)}, ${value(count + 1n)})`,
  );
  return 1n;
}
