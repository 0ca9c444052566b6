// This file binds the rules of a policy: conditions in the syntax of $filter become conditions on the rows they are put on. Row
// variables that come in with them have numbers of their own, above those of the request and of shapes.
import { bindExpression, startSession } from '../bind/expression.ts';
import { contextParameters } from '../bind/operation.ts';
import { type Frame, type Scope, subjectOf } from '../bind/scope.ts';
import type { BindRule } from './guard.ts';

const FIRST_ROW = 2_000_000;

/**
 * Binds rules for one request: a new one for each, so that the same request always comes to the same plan.
 * Faults: bind.* where a rule does not fit the model.
 */
export function ruleBinder(scope: Scope): BindRule {
  let last = FIRST_ROW;
  return (rule, row, type) => {
    const subject = subjectOf({ kind: 'row', row, type, guards: [] });
    const frame: Frame = {
      session: { ...startSession(scope), rowId: () => ++last },
      part: { name: undefined, target: `the rights to ${type.name}` },
      current: subject,
      it: subject,
      this: subject,
      variables: new Map(),
      aliases: new Map(),
      parameters: new Map(),
      resolving: [],
    };
    return bindExpression({ ...frame, parameters: contextParameters(frame) }, rule);
  };
}
