// This file defines what the checks of a model's expressions share: an expression is bound and compiled, and the error becomes a mistake
// with its path.
import { Fault } from '../../base/fault.ts';
import { isAssignable, type Model } from '../../edm/model.ts';
import { type Mistake, mistake } from '../../edm/model-error.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression, ValueType } from '../bound.ts';
import { bindCondition } from '../expression/promotion.ts';
import { commonType, isCollection, isNumeric, typeName } from '../expression/types.ts';
import { type Frame, type Resolved, resolvedValue } from '../scope.ts';

export interface ExpressionCheck {
  readonly model: Model;
  /**
   * Compiles what an expression is bound to, for every database. Returns whether it depends on elapsed or remaining time. Throws a Fault if
   * it cannot be compiled.
   */
  readonly compile: (bound: Resolved) => boolean;
}

/** What an expression may depend on: on stored values only, or also on time that changes without a write, where it is read and not kept. */
type Dependence = 'stored' | 'any';

/** Binds an expression, compiles the result if there is one, and returns an error as a mistake of the model. */
export function tryExpression(
  { compile }: ExpressionCheck,
  path: string,
  text: string | undefined,
  bind: (text: string) => Resolved | Expression | undefined,
  dependence: Dependence = 'stored',
): readonly Mistake[] {
  if (text === undefined) return [];
  try {
    const bound = bind(text);
    if (bound === undefined) return [];
    const isOfTheMoment = compile(isResolved(bound) ? bound : resolvedValue(bound));
    if (isOfTheMoment && dependence === 'stored') throw new Fault('bind.clock-time');
    return [];
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return [mistake(path, `${text}: ${fault.message}`, 'Correct the expression.')];
  }
}

/** A condition of the model. */
interface CheckedCondition {
  readonly path: string;
  readonly text: string | undefined;
  readonly frame: Frame;
  readonly read: (text: string) => Tree.Expression;
  readonly dependence?: Dependence;
}

/** Checks a condition. If there is a mistake, each operand of `and`, `or` and `not` is checked by itself, so that all mistakes are found. */
export function tryCondition(
  check: ExpressionCheck,
  condition: CheckedCondition,
): readonly Mistake[] {
  const { path, text, frame, read, dependence } = condition;
  let operands: readonly Tree.Expression[] = [];
  const bind = (given: string) => {
    const tree = read(given);
    operands = operandsOf(tree);
    return bindCondition(frame, tree);
  };
  const mistakes = tryExpression(check, path, text, bind, dependence);
  if (mistakes.length === 0) return [];
  const inside = operands.flatMap((tree) =>
    tryCondition(check, { ...condition, read: () => tree }),
  );
  const byMessage = new Map(inside.map((one) => [one.message, one]));
  return byMessage.size > 0 ? [...byMessage.values()] : mistakes;
}

/** The operands of a condition that are conditions; none if it has no such operands. */
function operandsOf(tree: Tree.Expression): readonly Tree.Expression[] {
  if (tree.kind === 'not') return [tree.operand];
  const right: Tree.Expression[] = [];
  let node = tree;
  while (node.kind === 'binary' && (node.operator === 'and' || node.operator === 'or')) {
    right.unshift(node.right);
    node = node.left;
  }
  return node === tree ? [] : [node, ...right];
}

const RESOLVED = ['row', 'rows', 'value', 'derived', 'elements', 'made'];

function isResolved(bound: Resolved | Expression): bound is Resolved {
  return RESOLVED.includes(bound.kind) && ('guards' in bound || !('type' in bound));
}

/** Why a value of the type cannot be stored or returned as one of the other type; undefined if it can. */
export function misfit(model: Model, from: ValueType, to: ValueType): string | undefined {
  const isEntity = from.kind === 'entity' && to.kind === 'entity';
  const fits = isEntity
    ? isAssignable(model, from.type, to.type) && isCollection(from) === isCollection(to)
    : commonType(model, from, to) !== undefined || (isNumeric(from) && isNumeric(to));
  return fits ? undefined : `The expression has the type ${typeName(from)}, not ${typeName(to)}.`;
}

/** The type of what an expression is bound to; undefined for derived rows and collections without one. */
export function typeOfResolved(bound: Resolved): ValueType | undefined {
  switch (bound.kind) {
    case 'value':
      return bound.value.type;
    case 'row':
      return { kind: 'entity', type: bound.type, collection: false };
    case 'rows':
      return { kind: 'entity', type: bound.rows.row.type, collection: true };
    default:
      return undefined;
  }
}
