// Translates the rights of a principal into conditions on rows: which rows are visible, in which rows a member is readable, and which
// rows clients cannot write because the service has recorded them. read-rights.ts adds these conditions to bound reads.

import {
  type Reach,
  type Rights,
  readReachOf,
  rightsTo,
  type TypeRights,
} from '../../access/policy.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { perPair } from '../../base/memo.ts';
import type { Expression, RowExpression, Rows } from '../../bind/bound.ts';
import {
  call,
  comparison,
  entityIn,
  entityValue,
  instanceOf,
  joinConditions,
  not,
  propertyOf,
  variable,
} from '../../bind/expression/constructors.ts';
import { constant, TRUE } from '../../bind/expression/literal.ts';
import { BOOLEAN, STRING } from '../../bind/expression/types.ts';
import type { EntityRow } from '../../bind/scope.ts';
import { disclosureOf } from '../../edm/disclosure.ts';
import {
  type Disclosure,
  type EntityType,
  entityType,
  lineage,
  type Model,
  type Navigation,
  type Property,
} from '../../edm/model.ts';
import { approvalsAmong, type TypeApproval } from '../../edm/workflow/approvals.ts';
import type { Expression as Rule } from '../../request/tree.ts';
import { readModelExpression } from '../write/model-expression.ts';

/** Binds a rule of the policy as a condition on a row, with variable ids of its own. */
export type BindRule = (rule: Rule, row: RowExpression, type: EntityType) => Expression;

export interface Guard {
  readonly model: Model;
  readonly rights: Rights;
  readonly bindRule: BindRule;
  /** Minutes for which their authors may change entities with `Docket.Editable`. */
  readonly noteMinutes?: number | undefined;
}

/** Always true, never true, or a condition on the row. */
export type Condition = boolean | Expression;

/**
 * The conditions under which the principal sees a row. `via` is the navigation property used to reach it.
 * Throws: access.read if no row of the type is visible, or the set is reserved for administrators.
 */
export function visibleRows(guard: Guard, row: EntityRow, via?: Navigation): readonly Expression[] {
  const condition = visibilityOf(guard, row, via);
  if (condition === false) throw new Fault('access.read', { type: row.type.name });
  return condition === true ? [] : [condition];
}

/** Whether the principal may see any row of the source. */
export function maySeeAny(guard: Guard, row: EntityRow, via?: Navigation): boolean {
  return visibilityOf(guard, row, via) !== false;
}

/**
 * The condition under which a row is visible. Administrative rows are visible only through a navigation property that discloses
 * some of their members.
 */
export function visibilityOf(guard: Guard, row: EntityRow, via?: Navigation): Condition {
  if (guard.rights.everything) return true;
  if (via?.discloses !== undefined) return isDisclosed(guard, row, via.discloses);
  const { set } = row.source;
  if (set?.administrative === true && set.grantable !== true) return false;
  return rightsCondition(guard, variable(row), row.type, (rights) => rights.actions.read);
}

/** The condition under which something of an administrative row is disclosed. */
function isDisclosed(guard: Guard, row: EntityRow, { through }: Disclosure): Condition {
  if (through === undefined) return true;
  const isSet = guard.bindRule(readModelExpression(`${through} ne null`), variable(row), row.type);
  invariant(isSet.kind === 'compare' && isSet.left.kind === 'row', 'the model is validated');
  const other = isSet.left.row;
  const type = entityIn(other)?.type;
  invariant(type !== undefined, 'the targets of navigations are entities');
  const mayRead = rightsCondition(guard, other, type, (rights) => rights.actions.read);
  return either([wholeRow(guard, variable(row), row.type), both(isSet, mayRead)]);
}

/** The condition under which a member of the row is readable. */
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
  const conditionIn = (of: EntityType) =>
    rightsCondition(guard, row, of, (rights) => readReachOf(rights, member));
  const owners = ownersAmongDerived(guard.model, type, member);
  const isUnreadable = owners.length > 0 && owners.every((owner) => conditionIn(owner) === false);
  return isUnreadable ? false : conditionIn(type);
}

/** The derived types that declare the member, if the type itself does not have it. */
export function ownersAmongDerived(
  model: Model,
  type: EntityType,
  member: string,
): readonly EntityType[] {
  if (model.members(type).has(member)) return [];
  return model.derived(type).filter(({ members }) => members.some(({ name }) => name === member));
}

/** The condition under which the whole row is visible, including its URL and ETag. Otherwise only the disclosed members are. */
export function wholeRow(guard: Guard, row: RowExpression, type: EntityType): Condition {
  const disclosure = guard.rights.everything ? undefined : disclosureOf(guard.model, type);
  if (disclosure === undefined) return true;
  const { whole } = disclosure;
  return whole !== undefined && guard.bindRule(readModelExpression(whole), row, type);
}

/** Names of members that are not readable in every entity of the type. */
export function restrictedMembers(
  { model, rights }: Pick<Guard, 'model' | 'rights'>,
  type: EntityType,
): ReadonlySet<string> {
  return rights.everything ? NO_NAMES : restrictedIn(rights, type, model);
}

const NO_NAMES: ReadonlySet<string> = new Set();

const restrictedIn = perPair(
  (rights: Rights, type: EntityType, model: Model): ReadonlySet<string> => {
    const types = [type, ...model.derived(type)];
    const disclosure = disclosureOf(model, type);
    if (disclosure !== undefined) {
      const members = types.flatMap((other) => [...model.members(other).keys()]);
      return new Set(members.filter((name) => !disclosure.members.includes(name)));
    }
    return new Set(types.flatMap((other) => [...rightsTo(rights, other).reading.keys()]));
  },
);

/** The fault for a member that the principal may read in no row. */
export function unreadableMember(type: EntityType, member: string): Fault {
  return new Fault('access.member', { member, type: type.name, reason: '' }, { target: member });
}

/** The value where the condition holds, otherwise null. */
export function mask(then: Expression, when: Expression): Expression {
  return { kind: 'case', branches: [{ when, then }], type: then.type };
}

/**
 * The condition under which a right applies. Rows of derived types with rights of their own use those; all others use the rights
 * of the type.
 */
export function rightsCondition(
  guard: Guard,
  row: RowExpression,
  type: EntityType,
  pick: (rights: TypeRights) => Reach,
): Condition {
  const own = reachCondition(guard, row, type, pick(rightsTo(guard.rights, type)));
  const special = nearestWithOwnRights(guard.rights, type, guard.model);
  if (special.length === 0) return own;
  const inner = special.map((derived) => ({
    derived,
    condition: rightsCondition(guard, row, derived, pick),
  }));
  if (inner.every(({ condition }) => condition === own)) return own;
  const cases = inner.map(({ derived, condition }) => both(isOfType(row, derived), condition));
  const others = special.map((derived) => not(isOfType(row, derived)));
  return either([others.reduce<Condition>(both, own), ...cases]);
}

/** The derived types whose rights differ from those of the type, without types derived from one of them. */
const nearestWithOwnRights = perPair(
  (rights: Rights, type: EntityType, model: Model): readonly EntityType[] => {
    const own = rightsTo(rights, type);
    const differing = model.derived(type).filter((other) => rightsTo(rights, other) !== own);
    return differing.filter(
      (other) => !differing.some((above) => model.derived(above).includes(other)),
    );
  },
);

function reachCondition(
  guard: Guard,
  row: RowExpression,
  type: EntityType,
  reach: Reach,
): Condition {
  if (reach.kind !== 'some') return reach.kind === 'all';
  return either(reach.rules.map(({ condition }) => guard.bindRule(condition, row, type)));
}

function isOfType(row: RowExpression, type: EntityType): Expression {
  return instanceOf(entityValue(row, type), type);
}

/** True if the condition is false or null. */
export function isNot(condition: Expression): Expression {
  return not(holds(condition));
}

/** True or false, never null. */
export function holds(condition: Expression): Expression {
  return comparison('eq', condition, TRUE);
}

export function both(left: Condition, right: Condition): Condition {
  if (left === false || right === false) return false;
  if (left === true) return right;
  return right === true ? left : joinConditions('and', [left, right]);
}

function either(conditions: readonly Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const undecided = conditions.filter((condition) => typeof condition !== 'boolean');
  return joinConditions('or', undecided) ?? false;
}

/** Conditions for history entries that the principal may see; empty for other rows. */
export function visibleEntries(guard: Guard, rows: Rows): readonly Expression[] {
  if (guard.rights.everything) return [];
  const { row, origin } = rows;
  const [memberName] = memberNameProperties(guard.model, row.type);
  const owner = 'from' in origin ? recordOf(origin.from) : row.source.owner;
  if (memberName === undefined || owner?.kind !== 'entity') return [];
  const value = propertyOf(row, [memberName], STRING);
  const ofRecord = [...restrictedMembers(guard, owner)].flatMap((member) => [
    isNot(call('startswith', [value, constant(STRING, `${member}/`)], BOOLEAN)),
    isNot(comparison('eq', value, constant(STRING, member))),
  ]);
  // `HistoryLines(991)/Information`, about another entry.
  const ofEntries = [...restrictedMembers(guard, row.type)].flatMap((member) => [
    isNot(call('contains', [value, constant(STRING, `)/${member}/`)], BOOLEAN)),
    isNot(call('endswith', [value, constant(STRING, `)/${member}`)], BOOLEAN)),
  ]);
  const ofVotes = approvalsAmong(guard.model, owner).flatMap((approval) =>
    visibleVotes(guard, value, approval),
  );
  return [...ofRecord, ...ofEntries, ...ofVotes];
}

/** Conditions for entries about votes, `ApproverVotes(7001)/Reason`. @param path the property with the path of the changed member */
function visibleVotes(
  guard: Guard,
  path: Expression,
  { rules, votes }: TypeApproval,
): readonly Expression[] {
  const isAbout = call('startswith', [path, constant(STRING, `${rules.votes}(`)], BOOLEAN);
  if (rightsTo(guard.rights, votes).actions.read.kind !== 'all') return [isNot(isAbout)];
  return [...restrictedMembers(guard, votes)].map((member) => {
    const isOf = call('endswith', [path, constant(STRING, `)/${member}`)], BOOLEAN);
    return isNot(joinConditions('and', [isAbout, isOf]) ?? TRUE);
  });
}

/** The property that names the changed member, if there is one. */
const memberNameProperties = perPair((model: Model, type: EntityType): readonly Property[] =>
  [...model.members(type).values()].filter(
    (member): member is Property => member.kind === 'property' && member.changePart === 'property',
  ),
);

/** The type of the record that the history belongs to. */
function recordOf(from: Rows | RowExpression): EntityType | undefined {
  return 'kind' in from ? entityIn(from)?.type : from.row.type;
}

/** The condition that neither the row nor an entity that contains it is recorded; true if that is always so. */
export function isUnrecorded(guard: Guard, row: RowExpression, rows: Rows): Condition {
  return both(isOwnUnrecorded(guard, row, rows.row.type), isOwnerUnrecorded(guard, rows));
}

/** The condition that no entity containing the row is recorded. */
export function isOwnerUnrecorded(guard: Guard, { origin }: Rows): Condition {
  if (origin.kind !== 'related' || !origin.navigation.contained) return true;
  return isUnrecorded(guard, { kind: 'addressed', rows: origin.from }, origin.from);
}

/** The condition that the row itself is not recorded. */
export function isOwnUnrecorded(guard: Guard, row: RowExpression, type: EntityType): Condition {
  return conditionsOf(guard.model, type).reduce<Condition>((found, { on, text }) => {
    const recorded = guard.bindRule(readModelExpression(text), row, on);
    const isOf = instanceOf(entityValue(row, type), on);
    const condition = on === type ? recorded : joinConditions('and', [isOf, recorded]);
    return both(found, isNot(condition));
  }, true);
}

/** The condition that clients may still change the row: both the author and the time must be right. */
export function isEditable(guard: Guard, row: RowExpression, type: EntityType): Condition {
  const { author, time } = editingConditions(guard, row, type);
  return both(author, time);
}

/** The conditions of `Docket.Editable`; true without it. */
export function editingConditions(
  { model, bindRule, noteMinutes = 0 }: Guard,
  row: RowExpression,
  type: EntityType,
): Record<'author' | 'time', Condition> {
  const rule = lineage(type, model.types)
    .map((one) => (one.kind === 'entity' ? one.editable : undefined))
    .find((one) => one !== undefined);
  if (rule === undefined) return { author: true, time: true };
  const { where, since } = rule;
  const limit = `${since} gt @now sub duration'PT${noteMinutes}M'`;
  return {
    author: bindRule(readModelExpression(where), row, type),
    time: bindRule(readModelExpression(noteMinutes === 0 ? 'false' : limit), row, type),
  };
}

interface TypeCondition {
  readonly on: EntityType;
  readonly text: string;
}

/** The conditions of the type, its base types and its derived types. */
export function conditionsOf(model: Model, type: EntityType): readonly TypeCondition[] {
  const derived = model
    .derived(type)
    .flatMap((on): readonly TypeCondition[] =>
      on.recorded !== undefined ? [{ on, text: on.recorded }] : [],
    );
  return [...inheritedConditions(model, type).map((text) => ({ on: type, text })), ...derived];
}

function inheritedConditions(model: Model, { recorded, base }: EntityType): readonly string[] {
  const above = base === undefined ? [] : inheritedConditions(model, entityType(model, base));
  return recorded === undefined ? above : [...above, recorded];
}
