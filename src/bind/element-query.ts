// This file binds what options ask of the items of a collection of primitive or complex values: which of them, in which order.
// OData 4.01 URL Conventions, "System Query Options".
import type * as Tree from '../request/tree.ts';
import type { ElementQuery, Expression, Selection, ValueType } from './bound.ts';
import { bindOrder } from './ordering.ts';
import { bindCondition } from './promotion.ts';
import { type Level, optionFrame, subjectWith } from './query.ts';
import { type ElementRow, reachVariable, type Subject } from './scope.ts';
import { bindSearch } from './search.ts';
import { searchInItem } from './search-in.ts';
import { BOOLEAN, itemType } from './types.ts';

/** A variable for the items of a collection of values. */
export function newItem(level: Level, collection: ValueType): ElementRow {
  return { kind: 'element', id: level.session.rowId(), type: itemType(collection) };
}

/** The options of a collection of values, but for those that say what is shown of an item. */
export function bindElementQuery(
  level: Level,
  collection: ValueType,
  options: Tree.NestedOptions,
  known: { readonly row?: ElementRow | undefined; readonly selection?: Selection } = {},
): ElementQuery {
  const row = known.row ?? newItem(level, collection);
  const subject = subjectWith(reachVariable(row), known.selection?.compute ?? []);
  const { filter, search, orderby, skip, top } = options;
  const conditions = [
    ...(filter === undefined ? [] : [bindCondition(optionFrame(level, 'filter', subject), filter)]),
    ...(search === undefined ? [] : [searching(level, row, subject, search)]),
  ];
  const [only, ...others] = conditions;
  const both: Expression = { kind: 'and', operands: conditions, type: BOOLEAN };
  return {
    row,
    ...(only === undefined ? {} : { filter: others.length === 0 ? only : both }),
    orderby:
      orderby === undefined ? [] : bindOrder(optionFrame(level, 'orderby', subject), orderby),
    ...(skip === undefined ? {} : { skip }),
    ...(top === undefined ? {} : { top }),
    count: options.count === true,
  };
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
