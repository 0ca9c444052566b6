// This file checks the expressions of workflows at startup: guards of transitions, and what states write into members.
import { type EntityType, memberAt } from '../../edm/model.ts';
import { elementPath, type Mistake, mistake } from '../../edm/model-error.ts';
import { targetAt } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import { startSession } from '../expression/expression.ts';
import { contextParameters } from '../expression/operation-call.ts';
import { DEFAULT_BIND_LIMITS, type Resolved, startFrame, subjectOf } from '../scope.ts';
import { type ExpressionCheck, tryExpression } from './expression-check.ts';
import { checkCondition, checkValue, reachEntity } from './operation-check.ts';

/** Returns all mistakes in expressions of workflows (`Docket.Workflow`). The model must have passed lint. */
export function checkWorkflows(check: ExpressionCheck): readonly Mistake[] {
  return check.model.definition.types.flatMap((type) =>
    type.kind === 'entity'
      ? [
          ...checkWorkflow(check, type),
          ...checkApprovers(check, type),
          ...checkAssignment(check, type),
        ]
      : [],
  );
}

/** The condition on approvers (`Docket.Approval`). */
function checkApprovers(check: ExpressionCheck, type: EntityType): readonly Mistake[] {
  const { approval } = type;
  const approvers = approval && memberAt(check.model, type, approval.approvers);
  if (approval === undefined || approvers?.kind !== 'navigation') return [];
  const path = elementPath(type.name, '@Docket.Approval');
  return checkCondition(check, approvers.target, approval.where, path);
}

/** The conditions on open work and on members of the group (`Docket.Assigned`). */
function checkAssignment(check: ExpressionCheck, type: EntityType): readonly Mistake[] {
  const { assigned: rules } = type;
  const groupType = rules && targetAt(check.model, type, rules.group);
  if (rules === undefined || groupType === undefined) return [];
  const members = memberAt(check.model, groupType, rules.members);
  const path = elementPath(type.name, '@Docket.Assigned');
  return [
    ...checkCondition(check, type.name, rules.open, path),
    ...(members?.kind === 'navigation'
      ? checkCondition(check, members.target, rules.where, path)
      : []),
  ];
}

function checkWorkflow(check: ExpressionCheck, type: EntityType): readonly Mistake[] {
  const { workflow } = type;
  if (workflow === undefined) return [];
  const path = elementPath(type.name, '@Docket.Workflow');
  const guards = workflow.transitions.flatMap(({ guard, symbol }) =>
    checkCondition(check, type.name, guard, `${path} (${symbol})`),
  );
  const additions = workflow.transitions.flatMap(({ on, added, symbol }) =>
    on === undefined || added === undefined
      ? []
      : checkCondition(check, type.name, `${on}/any(${added})`, `${path} (${symbol})`),
  );
  const effects = workflow.states.flatMap(({ symbol, onEnter, onExit }) =>
    [onEnter, onExit].flatMap((values) =>
      Object.entries(values).flatMap(([member, text]) =>
        checkEffect(check, type, { member, text, path: `${path} (${symbol})` }),
      ),
    ),
  );
  const relations = workflow.relations.flatMap(({ member, guard }) =>
    checkCondition(check, type.name, guard, `${path} (${member})`),
  );
  return [...guards, ...additions, ...effects, ...relations];
}

function checkEffect(
  check: ExpressionCheck,
  type: EntityType,
  { member, text, path }: Readonly<Record<'member' | 'text' | 'path', string>>,
): readonly Mistake[] {
  const { model } = check;
  const target = 'the expression';
  const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const frame = startFrame(
    session,
    { name: undefined, target },
    subjectOf(reachEntity(session, type)),
  );
  const known = { ...frame, parameters: contextParameters(frame) };
  let bound: Resolved | undefined;
  const mistakes = tryExpression(check, path, text, () => {
    bound = session.resolve(known, parseExpression(text, target));
    return bound;
  });
  const reasons = checkValue(model, type, member, bound);
  return [
    ...mistakes,
    ...reasons.map((reason) => mistake(path, `${member}: ${reason}`, 'Change the expression.')),
  ];
}
