// This file dispatches expressions by kind to the files that bind them. It also creates the session of a call of bind, because the
// session refers to these functions.
import { unreachable } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { type Frame, type Resolved, resolvedValue, type Scope, type Session } from '../scope.ts';
import { negate } from './arithmetic.ts';
import { bindCase, bindCast, bindIsof } from './cast.ts';
import { resolveCall } from './function-call.ts';
import { bindJson } from './json-literal.ts';
import { bindLiteral } from './literal.ts';
import { valueAt } from './member.ts';
import { resolveAlias, resolvePath } from './member-path.ts';
import { bindBinary, bindNot } from './operators.ts';
import { bindOperand } from './promotion.ts';

/** A new session; row variable ids start at 1. */
export function startSession(scope: Scope): Session {
  let lastId = 0;
  return {
    scope,
    rowId: () => ++lastId,
    follows: new Map(),
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
      return bindNot(frame, tree);
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
