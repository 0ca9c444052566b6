// This file plans the result of AllowedTransitions: for each row, the transitions that start in its state, and what keeps the account from
// taking them. The conditions are those of the check of writes, evaluated on the row as it is, if the account may read what they depend on.
import { Fault, invariant } from '../../base/fault.ts';
import type { BoundRead, Expression } from '../../bind/bound.ts';
import { comparison, joinConditions, not } from '../../bind/expression/constructors.ts';
import { bindExpression } from '../../bind/expression/expression.ts';
import { constant } from '../../bind/expression/literal.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import { BOOLEAN, INT64 } from '../../bind/expression/types.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { urlsOfRows } from '../read/row-urls.ts';
import type { ListItem, Shape, ShapeMember } from '../read-plan.ts';
import { secureExpression } from '../rights/read-rights.ts';
import { both, type Condition, holds } from '../rights/row-conditions.ts';
import {
  type CheckedTransition,
  makeCheck,
  type TransitionCheck,
} from '../workflow/transition-check.ts';
import { modelFrame, readModelExpression } from '../write/model-expression.ts';
import { type Clocked, clockInputsMember, clocksMember } from './clock-effects.ts';
import { links, visibleUrls } from './control-information.ts';
import { mayChange } from './effective-rights.ts';
import { constant as constantMember, type ShapeScope } from './shape-scope.ts';

/** What the members of a transition are made of. */
interface Part {
  readonly check: TransitionCheck;
  readonly workflow: TypeWorkflow;
  readonly state: Expression;
  readonly clocked: Clocked;
  /** Whether the account may change the state at all. */
  readonly mayWrite: Condition;
}

/** The transitions of the rows. Throws: not-built in XML, access.member if the account may not read the state. */
export function transitionsShape(scope: ShapeScope, { rows, address }: BoundRead): Shape {
  if (scope.isXml) throw new Fault('not-built', { feature: 'AllowedTransitions in XML' });
  const { row } = rows;
  const part = partOf(scope, row);
  const urls = visibleUrls(scope, row, urlsOfRows(scope.model, rows, address));
  return {
    row,
    form: scope.form,
    members: [
      ...links('Entity', urls),
      { kind: 'value', name: 'State', value: part.state },
      {
        kind: 'list',
        name: 'Transitions',
        items: part.check.transitions.map((one) => transitionItem(part, one)),
      },
      // The last member, so that the service finds it.
      ...clockInputsMember(part.clocked),
    ],
  };
}

function partOf(scope: ShapeScope, row: EntityRow): Part {
  const { model, guard, form, workflows } = scope;
  const workflow = workflows.get(row.type.name);
  invariant(workflow !== undefined, `${row.type.name} has no workflow`);
  const frame = modelFrame(model, row, () => scope.newElement(BOOLEAN).id);
  const bind = (text: string) => bindCondition(frame, readModelExpression(text));
  const check = makeCheck(workflow, {
    model,
    guard,
    language: form.language,
    bind,
    isTraceless: true,
  });
  const state = secureExpression(guard, bindExpression(frame, readModelExpression(workflow.path)));
  const clocked = { model, row, guard, frame };
  return { check, workflow, state, clocked, mayWrite: mayChange(guard, row, workflow.property) };
}

function transitionItem(part: Part, transition: CheckedTransition): ListItem {
  const { check, workflow, state } = part;
  const { symbol, from, to, takers } = transition;
  const next = workflow.states.get(to)?.symbol ?? '';
  const starts = from.map((value) => comparison('eq', state, constant(INT64, value), BOOLEAN));
  return {
    when: joinConditions('or', starts) ?? comparison('ne', state, constant(INT64, to), BOOLEAN),
    members: [
      constantMember('Symbol', JSON.stringify(symbol)),
      { kind: 'value', name: 'To', value: constant(INT64, to) },
      constantMember('State', JSON.stringify(next)),
      constantMember('Label', JSON.stringify(check.labels.get(to) ?? '')),
      allowedMember(part, transition),
      conditionMember('Permitted', permission(part, transition)),
      constantMember('Takers', JSON.stringify(takers)),
      ...guardMembers(check, transition),
      constantMember('Comment', JSON.stringify(transition.needsComment)),
      missingMember(check, transition),
      promptMember(workflow, to),
      clocksMember(part.clocked, { symbol: next, value: to }),
    ],
  };
}

function allowedMember(part: Part, transition: CheckedTransition): ShapeMember {
  const { check } = part;
  const { guard } = transition;
  const needed = [
    ...(guard === undefined ? [] : [guard.condition]),
    ...requiredBy(check, transition).map(({ condition }) => condition),
  ].map((condition) => expressionAt(check, condition));
  const isFulfilled: Condition = joinConditions('and', needed) ?? true;
  return conditionMember('Allowed', both(permission(part, transition), isFulfilled));
}

/** Whether the account may take a transition that lacks nothing. */
function permission({ mayWrite }: Part, transition: CheckedTransition): Condition {
  return transition.mayTake && (transition.isGranted || mayWrite);
}

function conditionMember(name: string, condition: Condition): ShapeMember {
  return typeof condition === 'boolean'
    ? constantMember(name, JSON.stringify(condition))
    : { kind: 'value', name, value: holds(condition) };
}

/** The guard if it is not true, else null. */
function guardMembers(
  check: TransitionCheck,
  { guard }: CheckedTransition,
): readonly ShapeMember[] {
  if (guard === undefined) return [constantMember('Guard', 'null')];
  const isTrue = holds(expressionAt(check, guard.condition));
  const constantGuard = { kind: 'constant', name: 'Guard' } as const;
  return [
    { ...constantGuard, json: 'null', when: isTrue },
    { ...constantGuard, json: JSON.stringify(guard.text), when: not(isTrue) },
  ];
}

function missingMember(check: TransitionCheck, transition: CheckedTransition): ShapeMember {
  const items = requiredBy(check, transition).map(({ path, condition }) => ({
    when: not(holds(expressionAt(check, condition))),
    json: JSON.stringify(path),
  }));
  return { kind: 'list', name: 'Missing', items };
}

/** The members that the next state declares with the flag `prompt`. */
function promptMember({ states }: TypeWorkflow, to: bigint): ShapeMember {
  const members = states.get(to)?.members ?? [];
  const paths = members.flatMap(({ member, flag }) => (flag === 'prompt' ? [member] : []));
  return constantMember('Prompt', JSON.stringify(paths));
}

function requiredBy({ required }: TransitionCheck, transition: CheckedTransition) {
  const all = [...(required.get(transition.to) ?? []), ...transition.required];
  return [...new Map(all.map((one) => [one.path, one])).values()];
}

function expressionAt({ conditions }: TransitionCheck, condition: number): Expression {
  const found = conditions[condition];
  invariant(found !== undefined, 'a check has all its conditions');
  return found.expression;
}
