// This file takes paths into the rows that addnested has made members of a row: they are those of a navigation, chosen and with what
// has been computed of them. OData Data Aggregation 4.0, "Transformation addnested".
import { Fault } from '../../base/fault.ts';
import type { Expression, NestedRows, Rows, Transformation } from '../bound.ts';
import { type Frame, type Reached, whereOf } from '../scope.ts';

/** Where the name of the nested rows leads. Fault: not-built for rows that have been made of others, or cut. */
export function reachNested(
  frame: Frame,
  { name, rows, single, query }: NestedRows,
  at: number,
): Reached {
  const where = query.apply.map(conditionsOf);
  const isSame = rows !== undefined && query.row.id === rows.row.id;
  const isInUse = rows !== undefined && isSpokenOf(frame, rows);
  if (!isSame || isInUse || where.some((one) => one === undefined)) {
    throw new Fault('not-built', { feature: `a path into ${name}` }, whereOf(frame, at));
  }
  const all = { ...rows, where: [...rows.where, ...where.flatMap((one) => one ?? [])] };
  if (!single) return { kind: 'rows', rows: { ...all, computed: query.compute } };
  return { kind: 'row', row: { kind: 'addressed', rows: all }, type: rows.row.type, guards: [] };
}

/** What a transformation demands of rows; undefined where it does more than choosing among them one by one. */
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

/** Whether a lambda variable around stands for one of the rows: there is one variable for them only. */
function isSpokenOf({ variables }: Frame, { row }: Rows): boolean {
  return [...variables.values()].some(
    (one) => one.kind === 'row' && one.row.kind === 'variable' && one.row.row.id === row.id,
  );
}
