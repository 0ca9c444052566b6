// This file binds what options ask of the items of a collection of primitive or complex values: which of them, in which order.
// OData 4.01 URL Conventions, "System Query Options".
import type * as Tree from '../../request/tree.ts';
import type { Computed, ElementQuery, Expression, ValueType } from '../bound.ts';
import { reachCollection } from '../expression/collection.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseOf } from '../expression/these-variable.ts';
import { BOOLEAN, itemType } from '../expression/types.ts';
import { type ElementRow, reachVariable, type Subject, subjectOf, type These } from '../scope.ts';
import { type Level, optionFrame, subjectWith } from './option-scope.ts';
import { bindOrder } from './order-and-compute.ts';
import { bindSearch } from './search.ts';
import { searchInItem } from './search-condition.ts';

/** A variable for the items of a collection of values. */
export function newItem(level: Level, collection: ValueType): ElementRow {
  return { kind: 'element', id: level.session.rowId(), type: itemType(collection) };
}

/** The items that options are about. */
export interface Items {
  readonly row: ElementRow;
  /** The collection. */
  readonly of: Expression;
  /** What the path has chosen among its items. */
  readonly where?: readonly Expression[];
}

/** The options of a collection of values, but for those that say what is shown of an item; `computed` are properties of each item. */
export function bindElementQuery(
  level: Level,
  items: Items,
  options: Tree.NestedOptions,
  computed: readonly Computed[] = [],
): ElementQuery {
  const { row } = items;
  const { orderby, skip, top } = options;
  const subject = subjectWith(reachVariable(row), computed);
  const conditions = conditionsOf(level, subject, items, options);
  const [only, ...others] = conditions;
  const both: Expression = { kind: 'and', operands: conditions, type: BOOLEAN };
  const these = leftItems(level, items, options);
  return {
    row,
    ...(only === undefined ? {} : { filter: others.length === 0 ? only : both }),
    orderby:
      orderby === undefined
        ? []
        : bindOrder({ ...optionFrame(level, 'orderby', subject), these }, orderby),
    ...(skip === undefined ? {} : { skip }),
    ...(top === undefined ? {} : { top }),
    count: options.count === true,
  };
}

/** What `$these` means where nothing has been chosen by options yet. */
export function allItems(level: Level, { of, row, where = [] }: Items): These {
  return theseOf(level.session, { kind: 'elements', of, row, where });
}

/** What `$these` means in $orderby: what $filter and $search have left is said once more, of another item. */
function leftItems(level: Level, items: Items, options: Tree.NestedOptions): These {
  const reach = () => {
    if ((items.where ?? []).length > 0) return undefined;
    const again = { ...items, row: { ...items.row, id: level.session.rowId() } };
    const where = conditionsOf(level, subjectOf(reachVariable(again.row)), again, options);
    return reachCollection({ kind: 'elements', of: again.of, row: again.row, where });
  };
  return { used: () => undefined, reach };
}

function conditionsOf(
  level: Level,
  subject: Subject,
  items: Items,
  { filter, search }: Tree.NestedOptions,
): readonly Expression[] {
  const frame = { ...optionFrame(level, 'filter', subject), these: allItems(level, items) };
  return [
    ...(filter === undefined ? [] : [bindCondition(frame, filter)]),
    ...(search === undefined ? [] : [searching(level, items.row, subject, search)]),
  ];
}

function searching(
  level: Level,
  row: ElementRow,
  subject: Subject,
  tree: Tree.SearchExpression,
): Expression {
  const search = bindSearch(optionFrame(level, 'search', subject), tree);
  return searchInItem(level.session.scope.model, row, search);
}
