// This file stores slow statements by template: how often they ran, how long they took, and the index that would help. All processes of an
// installation add to the same rows. There are no values of clients in them.
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import type { IndexCandidate } from '../../sql/read/index-candidate.ts';
import type { EngineTable } from '../../sql/schema/engine-table.ts';
import type { Statement } from '../../sql/script.ts';
import type { Database, DatabaseReader, Work } from '../database.ts';
import { change, kept } from '../work.ts';

/** `candidate` is JSON, or empty; `statement` is the text with that index, and `parameters` the number of its parameters. */
export const SLOW_STATEMENT_TABLE: EngineTable = {
  name: 'docket_slow_statement',
  columns:
    'digest text NOT NULL PRIMARY KEY, template text NOT NULL, candidate text NOT NULL, statement text NOT NULL, parameters integer NOT NULL, count integer NOT NULL, microseconds integer NOT NULL, longest integer NOT NULL, records integer NOT NULL, at text NOT NULL',
  keyed: true,
};

/** The number of templates that are kept: those that have taken most time. */
export const MOST_STATEMENTS = 200;

/** What distinguishes a slow statement from others. */
export interface StatementIdentity {
  readonly digest: string;
  /** What it does. */
  readonly template: string;
  readonly candidate: IndexCandidate | undefined;
  readonly statement: string;
  readonly parameters: number;
  /** The statements that were executed, for the log; they are not stored. */
  readonly executed: readonly Statement[];
}

/** Times are in microseconds: the sum, and the longest. */
export interface SlowStatement extends StatementIdentity {
  readonly count: number;
  readonly microseconds: number;
  readonly longest: number;
  readonly rows: number;
}

export interface StoredStatement extends SlowStatement {
  /** When it was last stored. */
  readonly at: string;
}

const TABLE = tableName(SLOW_STATEMENT_TABLE.name);

const ADD = sql`UPDATE ${TABLE} SET "count" = "count" + ${ARGUMENT}, "microseconds" = "microseconds" + ${ARGUMENT},
  "longest" = CASE WHEN "longest" < ${ARGUMENT} THEN ${ARGUMENT} ELSE "longest" END,
  "records" = "records" + ${ARGUMENT}, "at" = ${ARGUMENT} WHERE "digest" = ${ARGUMENT}`;

const INSERT = sql`INSERT INTO ${TABLE} ("digest", "template", "candidate", "statement", "parameters", "count", "microseconds", "longest",
  "records", "at") VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;

const EVICT = sql`DELETE FROM ${TABLE} WHERE "digest" IN (SELECT "digest" FROM ${TABLE}
  ORDER BY "microseconds" DESC, "digest" LIMIT 100000 OFFSET ${ARGUMENT})`;

const READ = sql`SELECT "digest", "template", "candidate", "statement", "parameters", "count", "microseconds", "longest", "records", "at"
  FROM ${TABLE} ORDER BY "microseconds" DESC, "digest"`;

const CLEAR = sql`DELETE FROM ${TABLE}`;

/** @param now milliseconds since 1970 */
export async function storeSlowStatements(
  database: Database,
  statements: readonly SlowStatement[],
  now: number,
): Promise<void> {
  if (statements.length === 0) return;
  await database.write(() => kept(addStatements(statements, new Date(now).toISOString())));
}

function* addStatements(statements: readonly SlowStatement[], at: string): Work<void> {
  for (const one of statements) {
    const { digest, template, candidate, statement, parameters } = one;
    const [count, microseconds, longest, rows] = [
      one.count,
      one.microseconds,
      one.longest,
      one.rows,
    ].map(BigInt) as [bigint, bigint, bigint, bigint];
    const sums = [count, microseconds, longest, longest, rows, at, digest];
    const { changed } = yield change(ADD, sums);
    if (changed > 0) continue;
    const index = candidate === undefined ? '' : JSON.stringify(candidate);
    const identity = [digest, template, index, statement, BigInt(parameters)];
    yield change(INSERT, [...identity, count, microseconds, longest, rows, at]);
  }
  yield change(EVICT, [BigInt(MOST_STATEMENTS)]);
}

/** The stored statements, those that have taken most time first. */
export async function readSlowStatements(
  database: DatabaseReader,
): Promise<readonly StoredStatement[]> {
  const rows = await database.read(READ, []);
  return rows.map(([digest, template, candidate, statement, ...rest]) => {
    const [parameters = 0, count = 0, microseconds = 0, longest = 0, records = 0] =
      rest.map(Number);
    return {
      digest: String(digest),
      template: String(template),
      candidate: candidate === '' ? undefined : (JSON.parse(String(candidate)) as IndexCandidate),
      statement: String(statement),
      parameters,
      executed: [],
      count,
      microseconds,
      longest,
      rows: records,
      at: String(rest.at(-1)),
    };
  });
}

export async function clearSlowStatements(database: Database): Promise<void> {
  await database.write(() => kept(clear()));
}

function* clear(): Work<void> {
  yield change(CLEAR, []);
}
