// This file binds the expressions that a model holds for the values of its properties: defaults and computed values, over the entity
// that is being written.

import type { Expression } from '../../bind/bound.ts';
import { bindExpression, startSession } from '../../bind/expression/expression.ts';
import { contextParameters } from '../../bind/expression/operation-call.ts';
import { DEFAULT_BIND_LIMITS, reachVariable, startFrame, subjectOf } from '../../bind/scope.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type * as Tree from '../../request/tree.ts';

/** Variables of these expressions are numbered from here, apart from those of requests. */
const FIRST_ROW = 3_000_000;

/**
 * The expression over an entity of the type in the source; `@me`, `@account` and `@now` are what the running request knows. It has
 * passed the check of the model, so it can be read and bound.
 */
export function bindModelExpression(
  model: Model,
  text: string,
  source: Source,
  type: EntityType,
): Expression {
  const tree = readModelExpression(text);
  let last = FIRST_ROW;
  const session = {
    ...startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS }),
    rowId: () => ++last,
  };
  const subject = subjectOf(reachVariable({ kind: 'entity', id: FIRST_ROW, source, type }));
  const frame = startFrame(session, { name: undefined, target: 'the model' }, subject);
  return bindExpression({ ...frame, parameters: contextParameters(frame) }, tree);
}

/** An expression of the model as a tree. Faults: request.syntax where the model is wrong. */
export function readModelExpression(text: string): Tree.Expression {
  return parseExpression(text, 'the model');
}
