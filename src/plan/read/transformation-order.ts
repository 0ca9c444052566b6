// Determines the order of rows after $apply: by values, or by positions that only the database knows, such as those in a
// hierarchy.
import { unreachable } from '../../base/fault.ts';
import type { OrderItem, Query, Transformation } from '../../bind/bound.ts';

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

/** OData Data Aggregation 4.0: orderby and traverse order rows, concat keeps the order of its branches, groups have no order. */
export function appliedOrder({ apply }: Query): AppliedOrder {
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
    case 'aggregate':
    case 'groupby':
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
