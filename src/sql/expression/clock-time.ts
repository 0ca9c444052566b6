// This file compiles elapsed and remaining time, which change without a write. A column holds a position in the working time of the schedule by
// which the clock runs, so that the value is its distance from the present position of that schedule. A request supplies the present
// positions of all schedules as a JSON object; read/order-by-remaining.ts knows that of the rows it selects.
import type { RowExpression } from '../../bind/bound.ts';
import { column, type Fragment, parameter, sql } from '../fragment.ts';
import type { TableUse } from '../schema/layout.ts';
import type { Scope } from '../scope.ts';
import type { Statement } from '../script.ts';

/** The present positions: `{"s5":36000000000000}`. */
export const POSITIONS: Fragment = parameter({ kind: 'context', name: 'positions' });

/** Whether the statement needs the present positions. */
export function usesPositions({ parameters }: Pick<Statement, 'parameters'>): boolean {
  return parameters.some((one) => one.kind === 'context' && one.name === 'positions');
}

const NO_TIME = sql`CAST(NULL AS bigint)`;

interface StoredValue {
  readonly alias: Fragment;
  readonly row: RowExpression;
  readonly column: string;
}

/** The value of a property that a column holds. */
export function columnValue(scope: Scope, use: TableUse, stored: StoredValue): Fragment {
  const { alias, row } = stored;
  const content = column(alias, stored.column);
  const { schedule: own } = scope;
  const known = own !== undefined && row.kind === 'variable' && row.row.id === own.row;
  if (known && own.state?.column === stored.column) return own.state.content;
  const clock = use.clocks.get(stored.column);
  if (clock === undefined) return content;
  if (known && own.now === undefined) return NO_TIME;
  const { dialect } = scope;
  const now =
    (known ? own.now : undefined) ??
    dialect.json.position(POSITIONS, column(alias, clock.schedule));
  return clock.kind === 'remaining' ? sql`(${content} - ${now})` : sql`(${now} - ${content})`;
}
