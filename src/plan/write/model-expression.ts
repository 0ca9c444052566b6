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

/**
 * Binds an expression over an entity of the type in the source; `@me`, `@account` and `@now` come from the running request. The
 * model is validated at startup, so binding cannot fail.
 */
export function bindModelExpression(
  model: Model,
  text: string,
  source: Source,
  type: EntityType,
): Expression {
  const key = `${source.id} ${text}`;
  return memoized(boundFor(model, type), key, () =>
    bindExpression(frameOver(model, source, type), readModelExpression(text)),
  );
}

/** The same for an expression that must be Boolean. */
export function bindModelCondition(
  model: Model,
  text: string,
  source: Source,
  type: EntityType,
): Expression {
  const key = `${source.id} ${text}`;
  return memoized(conditionsFor(model, type), key, () =>
    bindCondition(frameOver(model, source, type), readModelExpression(text)),
  );
}

/** By source and text. */
const boundFor = perPair((_model: Model, _: EntityType) => new Map<string, Expression>());
const conditionsFor = perPair((_model: Model, _: EntityType) => new Map<string, Expression>());

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
