// Binds the options that filter, order and page a collection of primitive or complex values.
// OData 4.01 URL Conventions, "System Query Options".
import type * as Tree from '../../request/tree.ts';
import type { Computed, ElementQuery, Expression, ValueType } from '../bound.ts';
import { resolvedCollection } from '../expression/collection.ts';
import { joinConditions } from '../expression/constructors.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseOf } from '../expression/these-variable.ts';
import { itemType } from '../expression/types.ts';
import {
  type ElementRow,
  resolvedVariable,
  type Subject,
  subjectOf,
  type These,
} from '../scope.ts';
import { type Level, optionFrame, subjectWith } from './option-scope.ts';
import { bindOrder } from './order-and-compute.ts';
import { bindSearch, searchInItem } from './search.ts';

/** Creates a variable for the items of a collection of values. */
export function newItem(level: Level, collection: ValueType): ElementRow {
  return { kind: 'element', id: level.session.rowId(), type: itemType(collection) };
}

/** The items of the collection `of`. */
export interface Items {
  readonly row: ElementRow;
  readonly of: Expression;
  /** Conditions from the path. */
  readonly where?: readonly Expression[];
}

/** Binds all options except $select and $compute; `computed` are computed properties of an item. Throws: errors of the options. */
export function bindElementQuery(
  level: Level,
  items: Items,
  options: Tree.NestedOptions,
  computed: readonly Computed[] = [],
): ElementQuery {
  const { row } = items;
  const { orderby, skip, top } = options;
  const subject = subjectWith(resolvedVariable(row), computed);
  const filter = joinConditions('and', conditionsOf(level, subject, items, options));
  const these = filteredItems(level, items, options);
  return {
    row,
    filter,
    orderby:
      orderby === undefined
        ? []
        : bindOrder({ ...optionFrame(level, 'orderby', subject), these }, orderby),
    skip,
    top,
    count: options.count === true,
  };
}

/** `$these` in options that are evaluated before $filter: all items. */
export function allItems(level: Level, { of, row, where = [] }: Items): These {
  return theseOf(level.session, { kind: 'elements', of, row, where });
}

/** `$these` in $orderby: the items that match $filter and $search, whose conditions are bound again to another variable. */
function filteredItems(level: Level, items: Items, options: Tree.NestedOptions): These {
  const resolve = () => {
    if ((items.where ?? []).length > 0) return undefined;
    const copy = { ...items, row: { ...items.row, id: level.session.rowId() } };
    const where = conditionsOf(level, subjectOf(resolvedVariable(copy.row)), copy, options);
    return resolvedCollection({ kind: 'elements', of: copy.of, row: copy.row, where });
  };
  return { used: () => undefined, resolve };
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
    ...(search === undefined ? [] : [searchCondition(level, items.row, subject, search)]),
  ];
}

function searchCondition(
  level: Level,
  row: ElementRow,
  subject: Subject,
  tree: Tree.SearchExpression,
): Expression {
  const search = bindSearch(optionFrame(level, 'search', subject), tree);
  return searchInItem(level.session.scope.model, row, search);
}
