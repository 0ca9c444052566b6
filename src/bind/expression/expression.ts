// This file dispatches expressions by kind to the files that bind them. It also creates the session of a call of bind, because the
// session refers to these functions. Chains of operators are left-deep in the tree. They are processed in a loop, and chains of `and`
// or `or` become one flat node, so that long chains cannot overflow the stack.
import { unreachable } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { type Frame, type Resolved, resolvedValue, type Scope, type Session } from '../scope.ts';
import { calculate, negate } from './arithmetic.ts';
import { bindCase, bindCast, bindIsof } from './cast.ts';
import { bindHas, bindIn, compare, rejectEntityAddress } from './comparison.ts';
import { joinConditions, not } from './constructors.ts';
import { resolveCall } from './function-call.ts';
import { bindJson } from './json-literal.ts';
import { bindLiteral } from './literal.ts';
import { valueAt } from './member.ts';
import { resolveAlias, resolvePath } from './member-path.ts';
import { asCondition, bindCondition, bindOperand, type Operand } from './promotion.ts';

/** A new session; row variable ids start at 1. */
export function startSession(scope: Scope): Session {
  let lastId = 0;
  return {
    scope,
    rowId: () => ++lastId,
    now: 'now',
    follows: new Map(),
    parts: { count: 0 },
    bind: bindExpression,
    resolve: resolveExpression,
  };
}

/** Binds an expression that must be a value. Throws: bind.* with position and target, not-built. */
export function bindExpression(frame: Frame, tree: Tree.Expression): Expression {
  return valueAt(frame, resolveExpression(frame, tree), tree);
}

/** Binds an expression that may also be a row or a collection. Throws: as bindExpression. */
function resolveExpression(frame: Frame, tree: Tree.Expression): Resolved {
  frame.session.parts.count += 1;
  switch (tree.kind) {
    case 'path':
      return resolvePath(frame, tree);
    case 'call':
      return resolveCall(frame, tree);
    case 'alias':
      return resolveAlias(frame, tree.name, tree.at);
    default:
      return resolvedValue(bindValue(frame, tree));
  }
}

function bindValue(
  frame: Frame,
  tree: Exclude<Tree.Expression, Tree.PathExpression | Tree.Call | Tree.Alias>,
): Expression {
  switch (tree.kind) {
    case 'literal':
      return bindLiteral(frame, tree);
    case 'binary':
      return bindBinary(frame, tree);
    case 'not':
      return not(bindCondition(frame, tree.operand));
    case 'negate':
      return negate(frame, bindOperand(frame, tree.operand));
    case 'cast':
      return bindCast(frame, tree);
    case 'isof':
      return bindIsof(frame, tree);
    case 'case':
      return bindCase(frame, tree);
    case 'array':
    case 'object':
    case 'list':
      return bindJson(frame, tree);
    default:
      return unreachable(tree);
  }
}

/** A chain of binary operators. Throws: the codes of comparison.ts and arithmetic.ts, bind.condition. */
function bindBinary(frame: Frame, tree: Tree.Binary): Expression {
  const spine = leftSpine(tree);
  const innermost = spine.at(-1) ?? tree;
  let left = bindOperand(frame, innermost.left);
  let index = spine.length - 1;
  while (index >= 0) {
    const node = spine[index] ?? tree;
    const { operator } = node;
    if (operator === 'and' || operator === 'or') {
      const run = runOf(spine, index, node);
      left = { tree: run.last, value: join(frame, operator, left, run.operands) };
      index -= run.operands.length;
    } else {
      left = { tree: node, value: applyOperator(frame, operator, left, node.right) };
      index -= 1;
    }
  }
  return left.value;
}

/** The chain from the outermost operator to the innermost. */
function leftSpine(tree: Tree.Binary): readonly Tree.Binary[] {
  const spine: Tree.Binary[] = [];
  let node: Tree.Expression = tree;
  while (node.kind === 'binary') {
    spine.push(node);
    node = node.left;
  }
  return spine;
}

interface Run {
  readonly operands: readonly Tree.Expression[];
  readonly last: Tree.Binary;
}

/** The right operands of consecutive equal operators, from index `from` outwards. */
function runOf(spine: readonly Tree.Binary[], from: number, first: Tree.Binary): Run {
  const operands: Tree.Expression[] = [];
  let last = first;
  for (let index = from; index >= 0; index--) {
    const node = spine[index];
    if (node?.operator !== first.operator) break;
    operands.push(node.right);
    last = node;
  }
  return { operands, last };
}

function join(
  frame: Frame,
  operator: 'and' | 'or',
  left: Operand,
  right: readonly Tree.Expression[],
): Expression {
  const conditions = right.map((tree) => bindCondition(frame, tree));
  return joinConditions(operator, [asCondition(frame, left), ...conditions]);
}

function applyOperator(
  frame: Frame,
  operator: Exclude<Tree.BinaryOperator, 'and' | 'or'>,
  left: Operand,
  tree: Tree.Expression,
): Expression {
  switch (operator) {
    case 'eq':
    case 'ne':
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      rejectEntityAddress(frame, operator, left, tree);
      return compare(frame, operator, left, bindOperand(frame, tree));
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'divby':
    case 'mod':
      return calculate(frame, operator, left, bindOperand(frame, tree));
    case 'in':
      return bindIn(frame, left, tree);
    case 'has':
      return bindHas(frame, left, bindOperand(frame, tree));
    default:
      return unreachable(operator);
  }
}
