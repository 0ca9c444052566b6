import type { Expression, NestedRows, Rows, Transformation } from '../bound.ts';
import { addressedRow, type Frame, notBuilt, type Resolved } from '../scope.ts';

/** The nested rows as the position of a path. Throws: not-built for derived rows and for rows limited by $top or $skip. */
export function reachNested(
  frame: Frame,
  { name, rows, single, query }: NestedRows,
  at: number,
): Resolved {
  const conditions = query.apply.map(conditionsOf);
  const isSame = rows !== undefined && query.row.id === rows.row.id;
  const isInUse = rows !== undefined && hasVariableFor(frame, rows);
  if (!isSame || isInUse || conditions.some((one) => one === undefined)) {
    throw notBuilt(frame, `a path into ${name}`, at);
  }
  const all = { ...rows, where: [...rows.where, ...conditions.flatMap((one) => one ?? [])] };
  if (!single) return { kind: 'rows', rows: { ...all, computed: query.compute } };
  return addressedRow(all);
}

/** The conditions of a transformation; undefined if it does more than filter individual rows. */
function conditionsOf(step: Transformation): readonly Expression[] | undefined {
  if (step.these !== undefined) return undefined;
  switch (step.kind) {
    case 'filter':
      return [step.predicate];
    case 'identity':
    case 'compute':
    case 'orderby':
      return [];
    default:
      return undefined;
  }
}

/** Whether an enclosing lambda already ranges over the rows, since they have only one variable. */
function hasVariableFor({ variables }: Frame, { row }: Rows): boolean {
  return [...variables.values()].some(
    (one) => one.kind === 'row' && one.row.kind === 'variable' && one.row.row.id === row.id,
  );
}
