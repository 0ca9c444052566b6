// This file binds rules of the policy: conditions on a row in the syntax of $filter, in which `@me` is the key of the asker's person and
// `@account` its login name.
import type { EntityType, Model } from '../../edm/model.ts';
import { isAssignable } from '../../edm/model.ts';
import { allSources, type Source, typeSource } from '../../edm/source.ts';
import type { Expression as Rule } from '../../request/tree.ts';
import type { Expression, RowExpression } from '../bound.ts';
import { startSession } from '../expression/expression.ts';
import { contextParameters } from '../expression/operation-call.ts';
import { bindCondition } from '../expression/promotion.ts';
import { type Scope, startFrame, subjectOf } from '../scope.ts';

/** Variables of rules are numbered from here, apart from those of requests. */
const FIRST_ROW = 2_000_000;

/** Binds rules to rows. Faults: bind.* where a rule does not fit the type. */
export function ruleBinder(
  scope: Scope,
): (rule: Rule, row: RowExpression, type: EntityType) => Expression {
  let next = FIRST_ROW;
  return (rule, row, type) => {
    const session = { ...startSession(scope), rowId: () => next++ };
    const subject = subjectOf({ kind: 'row', row, type, guards: [] });
    const frame = startFrame(session, { name: undefined, target: 'the condition' }, subject);
    const parameters = contextParameters(frame);
    return bindCondition({ ...frame, this: undefined, parameters }, rule);
  };
}

/** Tells whether a rule can be bound to rows of the type, wherever they are kept. Faults: bind.*. */
export function ruleCheck(scope: Scope): (rule: Rule, type: EntityType) => void {
  const bindRule = ruleBinder(scope);
  return (rule, type) => {
    for (const source of sourcesOf(scope.model, type)) {
      const row: RowExpression = { kind: 'variable', row: { kind: 'entity', id: 1, source, type } };
      bindRule(rule, row, type);
    }
  };
}

function sourcesOf(model: Model, type: EntityType): readonly Source[] {
  const holding = allSources(model).filter(
    (source) => isAssignable(model, type, source.type) || isAssignable(model, source.type, type),
  );
  return holding.length === 0 ? [typeSource(model, type.name)] : holding;
}
