// Parses and binds expressions from the model, such as defaults and computed values, over the entity being written.

import { memoized, perPair } from '../../base/memo.ts';
import type { Expression } from '../../bind/bound.ts';
import { bindExpression, startSession } from '../../bind/expression/expression.ts';
import { contextParameters } from '../../bind/expression/operation-call.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import {
  DEFAULT_BIND_LIMITS,
  type EntityRow,
  type Frame,
  resolvedVariable,
  startFrame,
  subjectOf,
} from '../../bind/scope.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type * as Tree from '../../request/tree.ts';

/** First variable id of these expressions, apart from those of requests. */
const FIRST_ROW = 3_000_000;

type BindOver = (model: Model, text: string, source: Source, type: EntityType) => Expression;

/** Binds each expression over a source once. */
function boundOnce(bind: (frame: Frame, tree: Tree.Expression) => Expression): BindOver {
  const known = perPair((_model: Model, _: EntityType) => new Map<string, Expression>());
  return (model, text, source, type) =>
    memoized(known(model, type), `${source.id} ${text}`, () =>
      bind(frameOver(model, source, type), readModelExpression(text)),
    );
}

/**
 * Binds an expression over an entity of the type in the source; `@me`, `@account` and `@now` come from the running request. The
 * model is validated at startup, so binding cannot fail.
 */
export const bindModelExpression: BindOver = boundOnce(bindExpression);

/** The same for an expression that must be Boolean. */
export const bindModelCondition: BindOver = boundOnce(bindCondition);

function frameOver(model: Model, source: Source, type: EntityType): Frame {
  let last = FIRST_ROW;
  const row = { kind: 'entity', id: FIRST_ROW, source, type } as const;
  return modelFrame(model, row, () => ++last);
}

/** The frame of an expression over the row. @param rowId allocates the ids of further variables */
export function modelFrame(model: Model, row: EntityRow, rowId: () => number): Frame {
  const session = {
    ...startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS }),
    rowId,
  };
  const subject = subjectOf(resolvedVariable(row));
  const frame = startFrame(session, { name: undefined, target: 'the model' }, subject);
  return { ...frame, parameters: contextParameters(frame) };
}

/** Parses an expression of the model. Throws: request.syntax. */
export function readModelExpression(text: string): Tree.Expression {
  return memoized(parsed, text, () => parseExpression(text, 'the model'), MAX_PARSED);
}

/** A model has far fewer expressions. */
const MAX_PARSED = 10_000;

const parsed = new Map<string, Tree.Expression>();
