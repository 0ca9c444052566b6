// Allocates identities for rows that auth/ writes itself, unique in the installation.
import { sql, value } from '../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../sql/schema/ddl.ts';
import type { RunStatement } from './database.ts';

/** Allocates identities and returns the first of them. */
export function nextIdentity(run: RunStatement, count = 1n): bigint {
  const [row] = run(
    sql`UPDATE "docket_sequence" SET "next" = "next" + ${value(count)} WHERE "name" = ${value(IDENTITY_SEQUENCE)} RETURNING "next" - ${value(count)}`,
  );
  if (typeof row?.[0] === 'bigint') return row[0];
  run(
    sql`INSERT INTO "docket_sequence" ("name", "next") VALUES (${value(IDENTITY_SEQUENCE)}, ${value(count + 1n)})`,
  );
  return 1n;
}
