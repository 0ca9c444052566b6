// This file says in which order a chain of transformations leaves its rows: by values that they have, or by places that only the
// database knows, such as those in a tree.
import { unreachable } from '../../base/fault.ts';
import type { OrderItem, Query, Transformation } from '../../bind/bound.ts';

/** Whether rows stay in an order of $apply that no values of theirs express: that of a tree, or of branches one after the other. */
export function isInAppliedOrder(query: Query): boolean {
  return query.orderby.length === 0 && appliedOrder(query).isHidden;
}

/** The order in which $apply leaves its rows: by values of theirs, or by places that only the database knows. */
interface AppliedOrder {
  readonly items: readonly OrderItem[];
  readonly isHidden: boolean;
}

const UNORDERED: AppliedOrder = { items: [], isHidden: false };
const HIDDEN: AppliedOrder = { items: [], isHidden: true };

function isOrdered({ items, isHidden }: AppliedOrder): boolean {
  return isHidden || items.length > 0;
}

/** OData Data Aggregation 4.0: orderby and traverse order rows, concat keeps the order of its branches, groups have none. */
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
      // The values are those of the rows before, which are no longer there.
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
