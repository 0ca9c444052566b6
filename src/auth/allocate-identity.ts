// Allocates identities for rows that auth/ writes itself, unique in the installation.
import { sql, tableName, value } from '../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { Work } from '../store/database.ts';
import { firstRow, query } from '../store/work.ts';

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
