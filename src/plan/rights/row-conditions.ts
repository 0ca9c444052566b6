// This file turns the rights of one principal into conditions on rows: which rows are visible, and in which of them a member is
// readable. read-rights.ts puts the conditions wherever rows and members are spoken of.
import {
  mayReadMember,
  type Reach,
  type Rights,
  rightsTo,
  type TypeRights,
} from '../../access/policy.ts';
import { Fault } from '../../base/fault.ts';
import type { Expression, RowExpression, RowVariable } from '../../bind/bound.ts';
import { BOOLEAN } from '../../bind/expression/types.ts';
import { disclosureOf } from '../../edm/disclosure.ts';
import type { EntityType, Model, Navigation } from '../../edm/model.ts';
import type { Expression as Rule } from '../../request/tree.ts';
import { readModelExpression } from '../write/model-expression.ts';

export type EntityRow = RowVariable & { readonly kind: 'entity' };

/** Binds a rule of the policy as a condition on the row; its variables have numbers of their own. */
export type BindRule = (rule: Rule, row: RowExpression, type: EntityType) => Expression;

export interface Guard {
  readonly model: Model;
  readonly rights: Rights;
  readonly bindRule: BindRule;
}

/** True, false, or what decides it. */
export type Condition = boolean | Expression;

/**
 * What must hold of a row for the principal to see it. `via` is the navigation that leads to it.
 * Faults: access.read where no row of the type can be seen, or the set is reserved to administrators.
 */
export function visibleRows(guard: Guard, row: EntityRow, via?: Navigation): readonly Expression[] {
  const condition = visibilityOf(guard, row, via);
  if (condition === false) throw new Fault('access.read', { type: row.type.name });
  return condition === true ? [] : [condition];
}

/** Whether the principal can see any row of the source. */
export function maySeeSome(guard: Guard, row: EntityRow, via?: Navigation): boolean {
  return visibilityOf(guard, row, via) !== false;
}

/** Administrative rows are seen only by way of a navigation that discloses something of them. */
export function visibilityOf(guard: Guard, row: EntityRow, via?: Navigation): Condition {
  if (guard.rights.everything || via?.discloses !== undefined) return true;
  const { set } = row.source;
  if (set?.administrative === true && set.grantable !== true) return false;
  return whereReaching(guard, variable(row), row.type, (rights) => rights.actions.read);
}

/** Where a member of the row can be read. */
export function readableMember(
  guard: Guard,
  row: RowExpression,
  type: EntityType,
  member: string,
): Condition {
  if (guard.rights.everything) return true;
  const disclosure = disclosureOf(guard.model, type);
  if (disclosure !== undefined)
    return disclosure.members.includes(member) || wholeRow(guard, row, type);
  return whereReaching(guard, row, type, (rights) => mayReadMember(rights, member));
}

/** Where everything of the row is shown: its address and its ETag too, of which only what a navigation discloses is shown elsewhere. */
export function wholeRow(guard: Guard, row: RowExpression, type: EntityType): Condition {
  const disclosure = guard.rights.everything ? undefined : disclosureOf(guard.model, type);
  if (disclosure === undefined) return true;
  const { whole } = disclosure;
  return whole !== undefined && guard.bindRule(readModelExpression(whole), row, type);
}

/** Members of the type that are not readable in every entity. */
export function restrictedMembers(guard: Guard, type: EntityType): ReadonlySet<string> {
  if (guard.rights.everything) return new Set();
  const types = [type, ...guard.model.derived(type)].filter((other) => other.kind === 'entity');
  const disclosure = disclosureOf(guard.model, type);
  if (disclosure !== undefined) {
    const members = types.flatMap((other) => [...guard.model.members(other).keys()]);
    return new Set(members.filter((name) => !disclosure.members.includes(name)));
  }
  return new Set(types.flatMap((other) => [...rightsTo(guard.rights, other).reading.keys()]));
}

/** The fault for a member that the principal can read nowhere. */
export function unreadableMember(type: EntityType, member: string): Fault {
  return new Fault('access.member', { member, type: type.name }, { target: member });
}

/** The members' condition on a value: where it does not hold the value is null. */
export function mask(then: Expression, when: Expression): Expression {
  return { kind: 'case', branches: [{ when, then }], type: then.type };
}

export function variable(row: RowVariable): RowExpression {
  return { kind: 'variable', row };
}

/** Rows of a derived type that has rights of its own follow those, all others the rights of the type. */
export function whereReaching(
  guard: Guard,
  row: RowExpression,
  type: EntityType,
  pick: (rights: TypeRights) => Reach,
): Condition {
  const own = reachCondition(guard, row, type, pick(rightsTo(guard.rights, type)));
  const special = nearestSpecial(guard, type);
  if (special.length === 0) return own;
  const inner = special.map((derived) => whereReaching(guard, row, derived, pick));
  if (inner.every((condition) => condition === own)) return own;
  const cases = special.map((derived, index) => both(isOf(row, derived), inner[index] ?? false));
  const others = special.map((derived) => negate(isOf(row, derived)));
  return either([others.reduce<Condition>(both, own), ...cases]);
}

/** The derived types, nearest first and none below another, whose rights differ from those of the type. */
function nearestSpecial(guard: Guard, type: EntityType): readonly EntityType[] {
  const rights = rightsTo(guard.rights, type);
  const differing = guard.model
    .derived(type)
    .filter((other): other is EntityType => other.kind === 'entity')
    .filter((other) => rightsTo(guard.rights, other) !== rights);
  return differing.filter(
    (other) => !differing.some((above) => guard.model.derived(above).includes(other)),
  );
}

function reachCondition(
  guard: Guard,
  row: RowExpression,
  type: EntityType,
  reach: Reach,
): Condition {
  if (reach.kind !== 'some') return reach.kind === 'all';
  return either(reach.rules.map((rule) => guard.bindRule(rule, row, type)));
}

function isOf(row: RowExpression, type: EntityType): Expression {
  const operand: Expression = {
    kind: 'row',
    row,
    type: { kind: 'entity', type, collection: false },
  };
  return { kind: 'instance', operand, of: type, type: BOOLEAN };
}

function negate(operand: Expression): Expression {
  return { kind: 'not', operand, type: BOOLEAN };
}

/** The condition is false or null. */
export function isNot(condition: Expression): Expression {
  return { kind: 'not', operand: holds(condition), type: BOOLEAN };
}

/** True or false, where the condition itself may be null. */
export function holds(condition: Expression): Expression {
  const right: Expression = { kind: 'literal', type: BOOLEAN, value: true };
  const sides = { left: condition, right, operandType: BOOLEAN } as const;
  return { kind: 'compare', operator: 'eq', ...sides, type: BOOLEAN };
}

/** Both conditions. */
export function both(left: Condition, right: Condition): Condition {
  if (left === false || right === false) return false;
  if (left === true) return right;
  return right === true ? left : allOf([left, right]);
}

function either(conditions: readonly Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const open = conditions.filter((condition) => typeof condition !== 'boolean');
  const [only, ...others] = open;
  if (only === undefined) return false;
  return others.length === 0 ? only : { kind: 'or', operands: open, type: BOOLEAN };
}

/** All of the conditions as one, at least one being given. */
export function allOf(conditions: readonly [Expression, ...Expression[]]): Expression {
  const [first, ...others] = conditions.flatMap((condition) =>
    condition.kind === 'and' ? condition.operands : [condition],
  );
  if (first === undefined || others.length === 0) return first ?? conditions[0];
  return { kind: 'and', operands: [first, ...others], type: BOOLEAN };
}
