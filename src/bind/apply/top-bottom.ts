// This file binds topcount, bottomsum and their like: how much is kept of the rows, and by which value they are looked at.
// OData Data Aggregation 4.0, "Top/bottom transformations".
import { Fault } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { bindOperand, requireSimple } from '../expression/promotion.ts';
import { isDuration, isNumeric, typeName } from '../expression/types.ts';
import { bindOrder } from '../query/order-and-compute.ts';
import { type Frame, placeOf, whereOf } from '../scope.ts';
import { keeping, type Of, type Stage, type Step } from './transformation-rows.ts';

/** Faults: bind.operand, bind.coded, bind.object, bind.no-row and those of expressions. */
export function ranking(frame: Frame, stage: Stage, tree: Of<'rank'>): Step {
  const end = tree.method.startsWith('top') ? 'top' : 'bottom';
  const measure = measureOf(tree.method);
  const by = bindOperand(frame, tree.value);
  requireSimple(frame, by);
  const amount = bindOperand({ ...frame, current: undefined }, tree.amount);
  requireSimple(frame, amount);
  requireNumber(frame, amount.value, tree.amount, tree.method);
  if (measure !== 'count') requireNumber(frame, by.value, tree.value, tree.method);
  else bindOrder(frame, [{ at: tree.at, expression: tree.value, descending: false }]);
  return keeping(stage, {
    kind: 'extreme',
    end,
    measure,
    amount: checkAmount(frame, measure, amount.value, tree),
    by: by.value,
  });
}

/** A constant that is out of bounds is refused; it is looked at now, so it is no parameter. Faults: bind.operand. */
function checkAmount(
  frame: Frame,
  measure: 'count' | 'sum' | 'percent',
  amount: Expression,
  tree: Of<'rank'>,
): Expression {
  if (amount.kind !== 'literal' || measure === 'sum') return amount;
  const number = Number(amount.value);
  const isRight = measure === 'count' ? Number.isInteger(number) : number <= 100;
  if (number > 0 && isRight) return { kind: 'literal', type: amount.type, value: amount.value };
  throw new Fault(
    'bind.operand',
    {
      operator: tree.method,
      types: `${show(tree.amount)} of type ${typeName(amount.type)}`,
      place: placeOf(frame, tree.amount.at),
      hint:
        measure === 'count'
          ? ' It needs a whole number above 0.'
          : ' It needs a number above 0, up to 100.',
    },
    whereOf(frame, tree.amount.at),
  );
}

function measureOf(method: Tree.RankMethod): 'count' | 'sum' | 'percent' {
  if (method.endsWith('count')) return 'count';
  return method.endsWith('sum') ? 'sum' : 'percent';
}

function requireNumber(
  frame: Frame,
  value: Expression,
  tree: Tree.Expression,
  method: string,
): void {
  const { type } = value;
  if (isNumeric(type) || isDuration(type) || type.kind === 'untyped') return;
  throw new Fault(
    'bind.operand',
    {
      operator: method,
      types: `${show(tree)} of type ${typeName(type)}`,
      place: placeOf(frame, tree.at),
      hint: ' It needs numbers.',
    },
    whereOf(frame, tree.at),
  );
}
