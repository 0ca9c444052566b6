// This file keeps what enforced workflows would have rejected: the service counts it by day, for the set WorkflowAdvices and the function
// WorkflowReport, and responses contain it as the annotation Docket.Advice.
import type { AuthDatabase } from '../../auth/database.ts';
import type { FaultDetail } from '../../base/fault.ts';
import { memoized } from '../../base/memo.ts';
import { SYSTEM_TABLES, WORKFLOW_ADVICE_TYPE } from '../../edm/administration-sets.ts';
import { includesAnnotation } from '../../plan/shape/effective-rights.ts';
import type { StateAdvice } from '../../plan/workflow/transition-result.ts';
import type { Negotiated } from '../../request/tree.ts';
import type { Answer } from '../../response/response.ts';
import { ARGUMENT, type Fragment, list, sql, tableName, value, where } from '../../sql/fragment.ts';
import { IDENTITY_SEQUENCE } from '../../sql/schema/ddl.ts';
import type { Cell, Work } from '../../store/database.ts';
import { allocate, change, firstRow, query } from '../../store/work.ts';

const TABLE = tableName(SYSTEM_TABLES[WORKFLOW_ADVICE_TYPE]);
/** What a row counts: the names of its columns in the order of `valuesOf`. */
const COLUMNS = [sql`"Day"`, sql`"Entity"`, sql`"From"`, sql`"To"`, sql`"Reason"`];
/** Characters of a reason. */
const LENGTH = 1000;

/** Counts the advice of a write. @param now time of the request, in ISO 8601 */
export function* countAdvice(all: readonly StateAdvice[], now: string): Work<void> {
  for (const one of all) {
    const values = valuesOf(one, now.slice(0, 10));
    const given = values.filter((cell) => cell !== null);
    const known = yield* firstRow(findStatement(values), given);
    if (known === undefined) yield* insertRow(values, now);
    else yield change(INCREMENT, [now, known[0] ?? null]);
  }
}

// By key and without RETURNING: otherwise SQLite flushes the text indexes of the transaction.
const INCREMENT = sql`UPDATE ${TABLE} SET "Count" = "Count" + 1, "LastTime" = ${ARGUMENT} WHERE "Uid" = ${ARGUMENT}`;

const INSERT = sql`INSERT INTO ${TABLE} ("Uid", ${list(COLUMNS)}, "LastTime", "Count")
  VALUES (${list([ARGUMENT, ...COLUMNS.map(() => ARGUMENT), ARGUMENT])}, 1)`;

function* insertRow(values: readonly Cell[], now: string): Work<void> {
  const uid = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
  yield change(INSERT, [uid, ...values, now]);
}

const KEPT_FOR = 30 * 24 * 3600 * 1000;

/** Removes the counts of days that WorkflowReport does not cover any more. @param now milliseconds since 1970 */
export async function removeOldAdvice(database: AuthDatabase, now: number): Promise<void> {
  const first = new Date(now - KEPT_FOR).toISOString().slice(0, 10);
  await database.write(function* () {
    yield query(sql`DELETE FROM ${TABLE} WHERE "Day" < ${value(first)}`);
  });
}

function valuesOf({ type, from, to, reason }: StateAdvice, day: string): readonly Cell[] {
  return [day, type, from ?? null, to ?? null, reason.slice(0, LENGTH)];
}

const statements = new Map<string, Fragment>();

/** The statement that finds the row with the values. Its arguments are those that are not null. */
function findStatement(values: readonly Cell[]): Fragment {
  const key = values.map((cell) => cell === null).join();
  return memoized(statements, key, () => {
    const conditions = COLUMNS.map((name, index) =>
      values[index] === null ? sql`${name} IS NULL` : sql`${name} = ${ARGUMENT}`,
    );
    return sql`SELECT "Uid" FROM ${TABLE}${where(conditions)}`;
  });
}

// ---- responses ------------------------------------------------------------------------------------------------------

const TERM = 'Docket.Advice';

/** Adds the advice to the answer, and to its body if that is JSON with full metadata, or the request asks for the annotation. */
export function withAdvice(
  answer: Answer,
  advice: readonly FaultDetail[],
  negotiated: Negotiated,
): Answer {
  if (advice.length === 0) return answer;
  const { body, headers } = answer;
  const isJson = headers['Content-Type']?.startsWith('application/json') === true;
  if (!isJson || typeof body !== 'string' || !isWanted(negotiated)) return { ...answer, advice };
  const extended = `${body.slice(0, -1)},"@${TERM}":${JSON.stringify(advice)}}`;
  return { ...answer, body: extended, advice };
}

function isWanted({ format, prefer }: Negotiated): boolean {
  const { includeAnnotations: patterns } = prefer;
  const isFull = format.kind === 'json' && format.metadata === 'full';
  return (isFull || patterns !== undefined) && includesAnnotation(patterns, TERM);
}
