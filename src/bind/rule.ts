// This file binds rules of the policy: conditions on a row in the syntax of $filter, in which `@me` is the key of the asker's person and
// `@account` its login name.
import type { EntityType } from '../edm/model.ts';
import type { Expression as Rule } from '../request/tree.ts';
import type { Expression, RowExpression } from './bound.ts';
import { startSession } from './expression.ts';
import { contextParameters } from './operation.ts';
import { bindCondition } from './promotion.ts';
import { type Frame, type Scope, subjectOf } from './scope.ts';

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
    const frame: Frame = {
      session,
      part: { name: undefined, target: 'a rule of the policy' },
      current: subject,
      it: subject,
      this: undefined,
      variables: new Map(),
      aliases: new Map(),
      parameters: new Map(),
      custom: new Map(),
      resolving: [],
    };
    return bindCondition({ ...frame, parameters: contextParameters(frame) }, rule);
  };
}
