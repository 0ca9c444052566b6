// Binds rules of the policy: conditions on a row in the syntax of $filter, where `@me` is the key of the caller's person and
// `@account` the login name.
import { Fault } from '../../base/fault.ts';
import { memoized, perPair } from '../../base/memo.ts';
import { type EntityType, isAssignable, type Model } from '../../edm/model.ts';
import { allSources, type Source, typeSource } from '../../edm/source.ts';
import type { Expression as Rule } from '../../request/tree.ts';
import type { Expression, RowExpression } from '../bound.ts';
import { variable } from '../expression/constructors.ts';
import { startSession } from '../expression/expression.ts';
import { contextParameters } from '../expression/operation-call.ts';
import { bindCondition } from '../expression/promotion.ts';
import {
  type Resolved,
  resolvedValue,
  type Scope,
  type Session,
  startFrame,
  subjectOf,
} from '../scope.ts';

/**
 * The first ids of row variables in rules; requests use lower ids. Rules on a followed row have ids of their own, since they contain
 * the condition under which that row is visible.
 */
const FIRST_ROW = 2_000_000;
const FIRST_ROW_OF_FOLLOWED = 2_500_000;

type BindRule = (rule: Rule, row: RowExpression, type: EntityType) => Expression;

/** Returns a function that binds rules to rows. It throws bind.* if a rule does not fit the type. */
export function ruleBinder(scope: Scope): BindRule {
  const bindRule = bindAnew(scope);
  return (rule, row, type) => {
    if (row.kind !== 'variable' || row.row.kind !== 'entity') return bindRule(rule, row, type);
    const { id, source } = row.row;
    const key = `${id} ${source.id} ${type.name}`;
    return memoized(boundRules(scope.model, rule), key, () => bindRule(rule, row, type), LIMIT);
  };
}

/** Conditions by row variable and type. Clients choose the number of variables, so it has a limit. */
const boundRules = perPair((_model: Model, _: Rule) => new Map<string, Expression>());
const LIMIT = 100;

function bindAnew(scope: Scope): BindRule {
  return (rule, row, type) => {
    let next = row.kind === 'variable' ? FIRST_ROW : FIRST_ROW_OF_FOLLOWED;
    // Clients can change the instant in a token, which must not change what they may see.
    const session: Session = { ...startSession(scope), rowId: () => next++, now: 'present' };
    const subject = subjectOf({ kind: 'row', row, type, guards: [] });
    const frame = startFrame(session, { name: undefined, target: 'the condition' }, subject);
    const parameters = contextParameters(frame);
    return bindCondition({ ...frame, this: undefined, parameters }, rule);
  };
}

/**
 * Returns a function that checks a rule against all sources of the type. It throws bind.* if the rule cannot be bound.
 * @param compile compiles the condition for every database, and throws a Fault if that is not possible. With it, the condition must depend
 *   on stored values only
 */
export function ruleCheck(
  scope: Scope,
  compile?: (condition: Resolved) => boolean,
): (rule: Rule, type: EntityType) => void {
  const bindRule = ruleBinder(scope);
  return (rule, type) => {
    for (const source of sourcesOf(scope.model, type)) {
      const row = variable({ kind: 'entity', id: 1, source, type });
      const condition = bindRule(rule, row, type);
      if (compile?.(resolvedValue(condition)) === true) throw new Fault('bind.clock-time');
    }
  };
}

/** The sources whose rows can be of the type. */
export function sourcesOf(model: Model, type: EntityType): readonly Source[] {
  const candidates = allSources(model).filter(
    (source) => isAssignable(model, type, source.type) || isAssignable(model, source.type, type),
  );
  return candidates.length === 0 ? [typeSource(model, type.name)] : candidates;
}
