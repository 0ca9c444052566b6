// This file stores due actions that could not be performed, in the administrative set FailedActions.
import { type AuthDatabase, nextIdentity } from '../../auth/database.ts';
import { FAILED_ACTION_TYPE, SYSTEM_TABLES } from '../../edm/administration-sets.ts';
import { type Fragment, sql, tableName, value } from '../../sql/fragment.ts';
import { instant } from '../../store/stored-values.ts';
import { query } from '../../store/work.ts';

export interface FailedAction {
  readonly action: string;
  readonly entity: string;
  /** When it was due, as in DueEntity. */
  readonly due: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly lastAttempt: number;
  /** Undefined after the last attempt. */
  readonly nextAttempt: number | undefined;
  readonly error: string;
}

const TABLE = tableName(SYSTEM_TABLES[FAILED_ACTION_TYPE]);
const LENGTH = 2000;

/** All failed actions. */
export async function readFailed(database: AuthDatabase): Promise<readonly FailedAction[]> {
  const rows = await database.read(
    sql`SELECT "Action", "Entity", "Due", "Attempts", "LastAttempt", "NextAttempt", "Error" FROM ${TABLE}`,
  );
  return rows.map(([action, entity, due, attempts, last, next, error]) => ({
    action: String(action),
    entity: String(entity),
    due: String(due),
    attempts: Number(attempts),
    lastAttempt: Date.parse(String(last)),
    nextAttempt: next === null ? undefined : Date.parse(String(next)),
    error: String(error),
  }));
}

/** Stores failed actions in place of those of the same entity. */
export async function storeFailed(
  database: AuthDatabase,
  failed: readonly FailedAction[],
): Promise<void> {
  if (failed.length === 0) return;
  await database.write(function* () {
    for (const one of failed) {
      yield query(removal(one));
      const uid = value(yield* nextIdentity());
      yield query(sql`INSERT INTO ${TABLE} ("Uid", "Action", "Entity", "Due", "Attempts", "LastAttempt", "NextAttempt", "Error")
        VALUES (${uid}, ${value(one.action)}, ${value(one.entity)}, ${value(one.due)}, ${value(BigInt(one.attempts))},
          ${instant(one.lastAttempt)}, ${instant(one.nextAttempt)}, ${value(one.error.slice(0, LENGTH))})`);
    }
  });
}

/** Removes actions that are not due any more. */
export async function removeFailed(
  database: AuthDatabase,
  obsolete: readonly FailedAction[],
): Promise<void> {
  if (obsolete.length === 0) return;
  await database.write(function* () {
    for (const one of obsolete) yield query(removal(one));
  });
}

function removal({ action, entity }: FailedAction): Fragment {
  return sql`DELETE FROM ${TABLE} WHERE "Action" = ${value(action)} AND "Entity" = ${value(entity)}`;
}
