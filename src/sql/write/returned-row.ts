// This file lets an insert return the row that the response shows, which saves the query for it. SQLite gains nothing by that.
//     INSERT INTO "Persons" ("Uid", …) VALUES ($1, …) RETURNING "Persons"."$version", "Persons"."Uid", …
import type { ReadPlan, Shape } from '../../plan/read-plan.ts';
import type { Register } from '../../plan/write-plan.ts';
import { usesPositions } from '../expression/clock-time.ts';
import { makeScope } from '../expression/expression.ts';
import { EMPTY, list, name, sql, toStatement } from '../fragment.ts';
import { compileRecord } from '../read/read.ts';
import { tableOf } from '../schema/layout.ts';
import type { Statement } from '../script.ts';
import type { WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

/** The steps, with an insert of the row that also returns the result of the plan; undefined if only a query can. */
export function withReturnedRow(
  steps: readonly ScriptStep[],
  plan: ReadPlan,
  row: Register,
  scope: WriteScope,
): readonly ScriptStep[] | undefined {
  const shape = recordOf(plan);
  const index = steps.findIndex((step) => step.kind === 'run' && step.inserts === row.name);
  const insert = steps[index];
  if (!scope.dialect.returnsInserted || shape === undefined || insert?.kind !== 'run')
    return undefined;
  const { table } = tableOf(scope.layout, row.source);
  const clause = returningClause(shape, table.name, scope);
  const read = [table.name, ...(clause?.reads ?? [])];
  const isChanged = steps.slice(index + 1).some((step) => mayChange(step, read));
  if (clause === undefined || isChanged) return undefined;
  const { text, textColumns = 0 } = clause;
  const statement = { ...insert.statement, text: `${insert.statement.text}${text}`, textColumns };
  return steps.with(index, { ...insert, statement, returns: true });
}

/** The shape of the result if it is the record of the row, whatever the row is. */
function recordOf({ select, output, parent, tracking }: ReadPlan): Shape | undefined {
  const { rows, apply, filter, compute } = select;
  const isPlain = parent === undefined && tracking === undefined && filter === undefined;
  const isAll = isPlain && rows.where.length + apply.length + compute.length === 0;
  return isAll && output.kind === 'entity' && rows.origin.kind !== 'these'
    ? output.shape
    : undefined;
}

/** Whether a step after the insert may change rows of the tables. */
function mayChange(step: ScriptStep, tables: readonly string[]): boolean {
  switch (step.kind) {
    case 'run':
      return step.statement.writes.some((table) => tables.includes(table));
    case 'find':
    case 'match':
    case 'require':
    case 'reject':
    case 'allocate':
    case 'sequence':
    case 'continue':
    case 'guid':
      return false;
    default:
      return true;
  }
}

/** ` RETURNING …`; undefined if the record depends on other rows of the table, for which the new row may not be there yet. */
function returningClause(
  shape: Shape,
  table: string,
  { layout, dialect }: WriteScope,
): Statement | undefined {
  const scope = { ...makeScope(layout, dialect, shape.form.language), unboundAlias: name(table) };
  const { columns, joins = EMPTY, record } = compileRecord(scope, shape, false);
  const clause = toStatement(sql` RETURNING ${list(columns)}`, dialect.placeholder);
  const dependsOnMore = clause.parameters.length > 0 || clause.reads.includes(table);
  if (joins !== EMPTY || dependsOnMore || usesPositions(clause)) return undefined;
  return { ...clause, textColumns: record?.columns ?? 0 };
}
