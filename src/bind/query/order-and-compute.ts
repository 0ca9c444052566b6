// Binds $orderby, $compute and their counterparts in $apply.
// OData 4.01 URL Conventions, "System Query Option $orderby", "System Query Option $compute".
import type { Fault } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import type { Computed, OrderItem } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import {
  bindOperand,
  type Operand,
  rejectCodedValue,
  requireSimple,
} from '../expression/promotion.ts';
import { isOrdered, typeName } from '../expression/types.ts';
import { type Frame, faultAt, type Subject } from '../scope.ts';

/** Throws: bind.option-on for values that cannot be ordered, bind.coded, and the errors of expressions. */
export function bindOrder(frame: Frame, items: readonly Tree.OrderItem[]): readonly OrderItem[] {
  return items.map(({ expression, descending }) => {
    const operand = bindOperand(frame, expression);
    requireSimple(frame, operand);
    const { type } = operand.value;
    const mayBeOrdered = type.kind === 'null' || (type.kind === 'untyped' && !type.collection);
    if (!mayBeOrdered && !isOrdered(type)) throw notOrdered(frame, operand);
    return { expression: operand.value, descending };
  });
}

/**
 * Binds computed properties in order; each can use the previous ones. `isTaken` checks whether a name is already in use.
 * Throws: bind.name-taken, bind.option-on for entities, bind.coded, and the errors of expressions.
 */
export function bindCompute(
  frame: Frame,
  subject: Subject,
  items: readonly Tree.ComputeItem[],
  isTaken: (name: string) => boolean,
): readonly Computed[] {
  const computed = new Map(subject.computed);
  const added: Computed[] = [];
  for (const { alias, expression, at } of items) {
    if (isTaken(alias) || computed.has(alias)) {
      throw faultAt(frame, at, 'bind.name-taken', { name: alias });
    }
    const current = { ...subject, computed: new Map(computed) };
    const { parts, bind } = frame.session;
    const before = parts.count;
    const value = bind({ ...frame, current, this: current }, expression);
    rejectWhole(frame, { tree: expression, value });
    const one: Computed = { name: alias, expression: value, parts: parts.count - before };
    computed.set(alias, one);
    added.push(one);
  }
  return added;
}

/** Rejects entities, and coded values that are not properties, because only their parts are values. */
function rejectWhole(frame: Frame, operand: Operand): void {
  const { value } = operand;
  if (value.kind !== 'property') rejectCodedValue(frame, operand);
  if (value.type.kind !== 'entity') return;
  const instead = 'use its properties, or expand it with $expand';
  throw unsupportedType(frame, operand, { which: 'is not a value', instead });
}

function notOrdered(frame: Frame, operand: Operand): Fault {
  return unsupportedType(frame, operand, {
    which: 'cannot be ordered',
    instead: 'order by a single primitive value',
  });
}

/** Creates the error for values of a type that the option does not support. */
function unsupportedType(
  frame: Frame,
  { tree, value }: Operand,
  { which, instead }: { readonly which: string; readonly instead: string },
): Fault {
  const what = `of type ${typeName(value.type)}, which ${which}`;
  return faultAt(frame, tree.at, 'bind.option-on', { name: show(tree), what, instead });
}
