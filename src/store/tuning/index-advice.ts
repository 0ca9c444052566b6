// This file derives advice from slow statements: the indexes that would help them, apart from those that exist and those that the planner of
// the database would not use. An index also helps statements whose columns are the first of it.
import type { Dialect } from '../../sql/dialect/dialect.ts';
import { isCovered } from '../../sql/read/index-candidate.ts';
import { createIndex } from '../../sql/schema/ddl.ts';
import { indexName } from '../../sql/schema/index-adjustments.ts';
import {
  type Index,
  type Layout,
  memberText,
  type Table,
  type TableUse,
} from '../../sql/schema/layout.ts';
import type { PlannedIndex } from '../installation-database.ts';
import type { StoredStatement } from './slow-statements.ts';

/** Asks the planner of the database; undefined if it cannot be asked. */
export type WouldUse = (statement: StoredStatement, index: PlannedIndex) => boolean | undefined;

export interface Advice {
  readonly table: Table;
  readonly columns: readonly string[];
  /** The statements that it would help. */
  readonly statements: readonly StoredStatement[];
  /** Whether the planner of the database has confirmed it. */
  readonly isConfirmed: boolean;
}

/** A statement with the index that would help it. */
interface Need {
  readonly statement: StoredStatement;
  readonly table: Table;
  readonly index: Index;
  readonly isConfirmed: boolean;
}

/** The advice for statements, that which would save most first. */
export function adviseIndexes(
  statements: readonly StoredStatement[],
  layout: Layout,
  dialect: Dialect,
  wouldUse: WouldUse,
): readonly Advice[] {
  const tables = new Map(layout.tables.map((table) => [table.name, table]));
  const needs = statements.flatMap((statement) => needOf(statement, tables, dialect, wouldUse));
  const advice = new Map<string, Advice>();
  // The longest first, so that those with fewer columns find it.
  for (const need of needs.toSorted((a, b) => b.index.columns.length - a.index.columns.length)) {
    const { index, table, statement, isConfirmed } = need;
    const name = [...advice.keys()].find((known) => isBegin(index.name, known)) ?? index.name;
    const known = advice.get(name);
    advice.set(name, {
      table,
      columns: known?.columns ?? index.columns,
      statements: [...(known?.statements ?? []), statement],
      isConfirmed: isConfirmed || known?.isConfirmed === true,
    });
  }
  return [...advice.values()].toSorted((a, b) => timeOf(b) - timeOf(a));
}

/** The time of all executions in microseconds. */
export function timeOf({ statements }: Pick<Advice, 'statements'>): number {
  return statements.reduce((sum, { microseconds }) => sum + microseconds, 0);
}

function isBegin(name: string, longer: string): boolean {
  return name === longer || longer.startsWith(`${name},`);
}

function needOf(
  statement: StoredStatement,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
  wouldUse: WouldUse,
): readonly Need[] {
  const { candidate } = statement;
  const table = tables.get(candidate?.table ?? '');
  if (candidate === undefined || table === undefined || isCovered(candidate, table.indexes))
    return [];
  const columns = [...candidate.equal, ...candidate.ordered];
  const index = { name: indexName(table.name, columns), columns, unique: false };
  const sql = createIndex(table, index, dialect);
  const isUsed = wouldUse(statement, { name: index.name, sql });
  return isUsed === false ? [] : [{ statement, table, index, isConfirmed: isUsed === true }];
}

/** `docket index add ServiceRequests Deadline`. */
export function commandFor(
  { table, columns }: Pick<Advice, 'table' | 'columns'>,
  layout: Layout,
): string {
  const use = [...layout.bySource.values()].find((one) => one.table === table);
  const set = use === undefined ? table.name : setOf(use);
  return `docket index add ${set} ${columns.map(memberText).join(',')}`;
}

/** The name of the set; contained entities are named by the type that contains them, such as Record/HistoryLines. */
export function setOf({ source, table }: TableUse): string {
  return source.kind === 'containment' ? table.name : source.id;
}
