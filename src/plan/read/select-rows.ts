// Plans which rows are read: the condition from $search and $filter, and a total order, so that pages neither overlap nor skip
// rows. $apply can order rows by positions that only the database knows, such as those in a hierarchy. Shapes decide what is written
// for each row.

import { unreachable } from '../../base/fault.ts';
import type { Expression, OrderItem, Query, Rows, Transformation } from '../../bind/bound.ts';
import { joinConditions, variable } from '../../bind/expression/constructors.ts';
import type { Model } from '../../edm/model.ts';
import type { Page, RowSelection } from '../read-plan.ts';
import { searchCondition } from '../rights/read-rights.ts';
import type { Guard } from '../rights/row-conditions.ts';
import { keyValues } from './row-urls.ts';

/** Selects the rows of a secured query: one page, or all without `page`. */
export function selectRows(
  guard: Guard,
  rows: Rows,
  query: Query,
  order: readonly OrderItem[],
  page?: Page,
): RowSelection {
  return { rows, ...queryOf(guard, query, order, page) };
}

/** The same without `rows`. */
export function queryOf(
  guard: Guard,
  query: Query,
  order: readonly OrderItem[],
  page?: Page,
): Omit<RowSelection, 'rows'> {
  const filter = conditionOf(guard, query);
  return {
    row: query.row,
    apply: query.apply,
    compute: query.compute,
    filter,
    order,
    ...(isInAppliedOrder(query) ? { inAppliedOrder: true } : {}),
    page,
    count: query.count,
    ...subsetsOf(guard, query, filter),
  };
}

/** The meaning of $these per option: $filter sees the result of $search, $orderby that of $search and $filter. */
function subsetsOf(
  guard: Guard,
  { these, row, search }: Query,
  filter: Expression | undefined,
): Pick<RowSelection, 'these'> {
  if (these === undefined) return {};
  const matches = search === undefined ? undefined : searchCondition(guard, variable(row), search);
  const subsets = [
    { row: these.compute, where: undefined },
    { row: these.filter, where: matches },
    { row: these.orderby, where: filter },
  ];
  return {
    these: subsets.flatMap(({ row: own, where }) => {
      if (own === undefined) return [];
      return [where === undefined ? { row: own } : { row: own, where }];
    }),
  };
}

function conditionOf(guard: Guard, { row, search, filter }: Query): Expression | undefined {
  if (search === undefined) return filter;
  const matches = searchCondition(guard, variable(row), search);
  return filter === undefined ? matches : joinConditions('and', [matches, filter]);
}

/**
 * The requested order, made total by the entity key, or by all single-valued columns of derived rows. OData 4.01 Protocol,
 * "System Query Option $orderby": the order must be stable.
 */
export function totalOrder(model: Model, query: Query): readonly OrderItem[] {
  const requested = query.orderby.length > 0 ? query.orderby : appliedOrder(query).items;
  const ties = tieBreaks(model, query).filter(
    (tie) => !requested.some((item) => isSame(item.expression, tie)),
  );
  return withTieBreaks(requested, ties);
}

/** Ties have the direction of the last item, so that one index, read forwards or backwards, serves the whole order. */
export function withTieBreaks(
  requested: readonly OrderItem[],
  ties: readonly Expression[],
): readonly OrderItem[] {
  const descending = requested.at(-1)?.descending ?? false;
  return [...requested, ...ties.map((expression) => ({ expression, descending }))];
}

function tieBreaks(model: Model, { row }: Query): readonly Expression[] {
  switch (row.kind) {
    case 'entity':
      return keyValues(model, row).map((key) => key.value);
    case 'derived':
      return [...row.columns.values()].flatMap(({ name, type, entity }): Expression[] => {
        const isSingle = type.kind === 'primitive' || type.kind === 'enum';
        if (!isSingle || type.collection || entity !== undefined) return [];
        return [{ kind: 'column', row, name, type }];
      });
    case 'element':
      return [];
  }
}

function isSame(left: Expression, right: Expression): boolean {
  if (left.kind === 'column' && right.kind === 'column') return left.name === right.name;
  if (left.kind !== 'property' || right.kind !== 'property') return false;
  if (left.row.kind !== 'variable' || right.row.kind !== 'variable') return false;
  const samePath =
    left.path.length === right.path.length &&
    left.path.every((step, index) => step === right.path[index]);
  return left.row.row.id === right.row.row.id && samePath;
}

/** Whether rows keep an order of $apply that their values cannot express, such as a hierarchy or concatenated branches. */
export function isInAppliedOrder(query: Query): boolean {
  return query.orderby.length === 0 && appliedOrder(query).isHidden;
}

/** The order of rows after $apply: by `items`, or by hidden positions that only the database knows. */
interface AppliedOrder {
  readonly items: readonly OrderItem[];
  readonly isHidden: boolean;
}

const UNORDERED: AppliedOrder = { items: [], isHidden: false };
const HIDDEN: AppliedOrder = { items: [], isHidden: true };

function isOrdered({ items, isHidden }: AppliedOrder): boolean {
  return isHidden || items.length > 0;
}

/**
 * OData Data Aggregation 4.0: orderby and traverse order rows, concat keeps the order of its branches, and so do
 * the rows within a group. Groups have no order.
 */
function appliedOrder({ apply }: Query): AppliedOrder {
  return apply.reduce<AppliedOrder>(orderAfter, UNORDERED);
}

function orderAfter(before: AppliedOrder, step: Transformation): AppliedOrder {
  switch (step.kind) {
    case 'orderby':
      return before.isHidden ? before : { ...before, items: [...step.items, ...before.items] };
    case 'concat':
      return HIDDEN;
    case 'hierarchy':
      return step.walk === 'traverse' ? HIDDEN : before;
    case 'groupby':
      if (step.then.length === 0) return UNORDERED;
      return isOrdered(step.then.reduce(orderAfter, before)) ? HIDDEN : UNORDERED;
    case 'aggregate':
    case 'nest':
      return UNORDERED;
    case 'compute': {
      // The order refers to the input rows, which are no longer available.
      const isOther = step.output.id !== step.input.id && before.items.length > 0;
      return isOther ? HIDDEN : before;
    }
    case 'join':
      return isOrdered(before) || isOrdered(step.then.reduce(orderAfter, UNORDERED))
        ? HIDDEN
        : UNORDERED;
    case 'identity':
    case 'filter':
    case 'search':
    case 'skip':
    case 'top':
    case 'extreme':
      return before;
    default:
      return unreachable(step);
  }
}
