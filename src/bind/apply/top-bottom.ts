import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { show } from '../expression/excerpt.ts';
import { bindOperand, requireSimple } from '../expression/promotion.ts';
import { isDuration, isNumeric, typeName } from '../expression/types.ts';
import { bindOrder } from '../query/order-and-compute.ts';
import { type Frame, faultAt } from '../scope.ts';
import { keepRows, type Of, type Stage, type Step } from './derived-columns.ts';

/** Throws: bind.operand, bind.coded, bind.object, bind.no-row and the errors of expressions. */
export function bindRank(frame: Frame, stage: Stage, tree: Of<'rank'>): Step {
  const end = tree.method.startsWith('top') ? 'top' : 'bottom';
  const measure = measureOf(tree.method);
  const by = bindOperand(frame, tree.value);
  requireSimple(frame, by);
  const amount = bindOperand({ ...frame, current: undefined }, tree.amount);
  requireSimple(frame, amount);
  requireNumber(frame, amount.value, tree.amount, tree.method, measure === 'sum');
  if (measure !== 'count') requireNumber(frame, by.value, tree.value, tree.method);
  else bindOrder(frame, [{ at: tree.at, expression: tree.value, descending: false }]);
  return keepRows(stage, {
    kind: 'extreme',
    end,
    measure,
    amount: checkAmount(frame, measure, amount.value, tree),
    by: by.value,
  });
}

/** Rejects constants out of range. A constant checked here must not become a parameter of the plan. Throws: bind.operand. */
function checkAmount(
  frame: Frame,
  measure: 'count' | 'sum' | 'percent',
  amount: Expression,
  tree: Of<'rank'>,
): Expression {
  if (amount.kind !== 'literal' || measure === 'sum') return amount;
  const number = Number(amount.value);
  const isValid = measure === 'count' ? Number.isInteger(number) : number <= 100;
  if (number > 0 && isValid) return { kind: 'literal', type: amount.type, value: amount.value };
  throw faultAt(frame, tree.amount.at, 'bind.operand', {
    operator: tree.method,
    types: `${show(tree.amount)} of type ${typeName(amount.type)}`,
    hint:
      measure === 'count'
        ? ' Use a whole number greater than 0.'
        : ' Use a number greater than 0 and up to 100.',
  });
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
  mayBeDuration = true,
): void {
  const { type } = value;
  if (isNumeric(type) || (mayBeDuration && isDuration(type)) || type.kind === 'untyped') return;
  throw faultAt(frame, tree.at, 'bind.operand', {
    operator: method,
    types: `${show(tree)} of type ${typeName(type)}`,
    hint: ' Use a numeric value.',
  });
}
