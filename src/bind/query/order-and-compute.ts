// This file binds what $orderby, $compute and their counterparts in $apply say of rows: items of an order, and properties that are
// defined by expressions. OData 4.01 URL Conventions, "System Query Option $orderby", "System Query Option $compute".
import { Fault } from '../../base/fault.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import type * as Tree from '../../request/tree.ts';
import type { Computed, OrderItem, ValueType } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { bindOperand, type Operand, refuseCoded, requireSimple } from '../expression/promotion.ts';
import { isCollection, typeName } from '../expression/types.ts';
import { type Frame, placeOf, type Subject, whereOf } from '../scope.ts';

/** Faults: bind.option-on for values without an order, bind.coded, and those of expressions. */
export function bindOrder(frame: Frame, items: readonly Tree.OrderItem[]): readonly OrderItem[] {
  return items.map(({ expression, descending }) => {
    const operand = bindOperand(frame, expression);
    requireSimple(frame, operand);
    if (!isOrdered(operand.value.type)) throw notOrdered(frame, operand);
    return { expression: operand.value, descending };
  });
}

/**
 * Defines properties one after the other; each sees those before it. `taken` are the names that none may have.
 * Faults: bind.name-taken and those of expressions.
 */
export function bindCompute(
  frame: Frame,
  subject: Subject,
  items: readonly Tree.ComputeItem[],
  taken: (name: string) => boolean,
): readonly Computed[] {
  const computed = new Map(subject.computed);
  const added: Computed[] = [];
  for (const { alias, expression, at } of items) {
    if (taken(alias) || computed.has(alias)) {
      throw new Fault(
        'bind.name-taken',
        { name: alias, place: placeOf(frame, at) },
        whereOf(frame, at),
      );
    }
    const current = { ...subject, computed: new Map(computed) };
    const value = frame.session.bind({ ...frame, current, this: current }, expression);
    refuseWhole(frame, { tree: expression, value });
    const one: Computed = { name: alias, expression: value };
    computed.set(alias, one);
    added.push(one);
  }
  return added;
}

/** An entity is no value, and a coded one that is not a property can be written by its parts only. */
function refuseWhole(frame: Frame, operand: Operand): void {
  const { value } = operand;
  if (value.kind !== 'property') refuseCoded(frame, operand);
  if (value.type.kind !== 'entity') return;
  const instead = 'compute something of its properties, or expand it';
  throw unfit(frame, operand, { which: 'is no value', instead });
}

function isOrdered(type: ValueType): boolean {
  if (isCollection(type)) return false;
  switch (type.kind) {
    case 'primitive':
      return primitiveRow(type.name).comparison === 'ordered';
    case 'enum':
    case 'null':
    case 'untyped':
      return true;
    default:
      return false;
  }
}

function notOrdered(frame: Frame, operand: Operand): Fault {
  return unfit(frame, operand, {
    which: 'has no order',
    instead: 'order by a single primitive value',
  });
}

/** The fault for a value of a type for which the option has no meaning. */
function unfit(
  frame: Frame,
  { tree, value }: Operand,
  { which, instead }: { readonly which: string; readonly instead: string },
): Fault {
  const what = `of type ${typeName(value.type)}, which ${which}`;
  return new Fault(
    'bind.option-on',
    { name: show(tree), what, instead, place: placeOf(frame, tree.at) },
    whereOf(frame, tree.at),
  );
}
