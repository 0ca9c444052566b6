// This file summarizes what a principal may do with each set, as far as that does not depend on the record: user interfaces need it before
// they read any. EffectiveRights answers the same for one record.
import { type Action, type Rights, rightsTo, type TypeRights } from '../../access/policy.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  type Member,
  type Model,
  type Navigation,
} from '../../edm/model.ts';
import { changesPartner } from '../../edm/property-storage.ts';
import { type Source, typeSource } from '../../edm/source.ts';
import { restrictedMembers } from './row-conditions.ts';

/** Rights to a set. A right counts if the principal has it for some records. */
export interface SetRights {
  readonly Set: string;
  readonly Read: boolean;
  readonly Create: boolean;
  readonly Update: boolean;
  readonly Delete: boolean;
  /** Members that are readable in no record; empty if no record is readable. */
  readonly Unreadable: readonly string[];
  /** Members that cannot be changed in any record; empty if no record can be changed. */
  readonly Unchangeable: readonly string[];
}

/** The rights to all sets and singletons that are not hidden. */
export function setRights(model: Model, rights: Rights): readonly SetRights[] {
  return [...model.sets.values()]
    .filter(({ hidden }) => hidden !== true)
    .map((set) => rightsToSet(model, rights, set));
}

function rightsToSet(model: Model, rights: Rights, set: EntitySet): SetRights {
  const type = entityType(model, set.type);
  const types = withDerived(model, type);
  const mayRead = mayAct(rights, set, types, 'read');
  const mayWrite = (action: Action, isSupported: boolean | undefined) =>
    isSupported !== false && rights.readOnly !== true && mayAct(rights, set, types, action);
  const isMany = set.kind === 'set';
  const mayUpdate = mayWrite('change', set.updatable);
  const members = [...new Set(types.flatMap((one) => [...model.members(one).values()]))];
  const namesWhere = (isListed: (member: Member) => boolean) => [
    ...new Set(members.filter(isListed).map(({ name }) => name)),
  ];
  return {
    Set: set.name,
    Read: mayRead,
    Create: isMany && mayWrite('create', set.insertable),
    Update: mayUpdate,
    Delete: isMany && mayWrite('delete', set.deletable),
    Unreadable: mayRead ? namesWhere((one) => !mayReadMember(model, rights, types, one)) : [],
    Unchangeable: mayUpdate ? namesWhere((one) => !mayChangeMember(model, rights, types, one)) : [],
  };
}

function mayAct(
  rights: Rights,
  set: EntitySet,
  types: readonly EntityType[],
  action: Action,
): boolean {
  if (rights.everything) return true;
  if (isReserved(rights, { set })) return false;
  return types.some((type) => rightsTo(rights, type).actions[action].kind !== 'none');
}

/** A navigation property is readable if its targets are, or if it discloses some of their members. */
function mayReadMember(
  model: Model,
  rights: Rights,
  types: readonly EntityType[],
  member: Member,
): boolean {
  if (rights.everything) return true;
  if (isWithheld(rights, types, member, 'reading')) return false;
  if (member.kind === 'property' || member.discloses !== undefined) return true;
  const target = entityType(model, member.target);
  const targets = withDerived(model, target);
  return targets.some((one) => rightsTo(rights, one).actions.read.kind !== 'none');
}

function mayChangeMember(
  model: Model,
  rights: Rights,
  types: readonly EntityType[],
  member: Member,
): boolean {
  const isKey = types.some((type) => model.key(type).some(({ path }) => path === member.name));
  if (isKey || member.computed === true || member.immutable === true) return false;
  if (member.kind === 'navigation' && isPartnerFixed(model, rights, member)) return false;
  return rights.everything || !isWithheld(rights, types, member, 'writing');
}

/** Whether every type of the set that grants anything withholds the member from all records. */
function isWithheld(
  rights: Rights,
  types: readonly EntityType[],
  { name }: Member,
  part: 'reading' | 'writing',
): boolean {
  const action = part === 'reading' ? 'read' : 'change';
  const granted = types
    .map((type): TypeRights => rightsTo(rights, type))
    .filter(({ actions }) => actions[action].kind !== 'none');
  return granted.every((one) => one[part].get(name)?.kind === 'none');
}

/** Whether only administrators use the set of the source: those of the engine are reserved for them unless roles can grant them. */
export function isReserved(rights: Rights, { set }: Pick<Source, 'set'>): boolean {
  return !rights.everything && set?.administrative === true && set.grantable !== true;
}

/** Whether a change of the navigation would change entities none of which the principal may change. */
export function isPartnerFixed(model: Model, rights: Rights, navigation: Navigation): boolean {
  if (rights.everything || !changesPartner(model, navigation)) return false;
  const source = typeSource(model, navigation.target);
  const isNone = (type: EntityType) => rightsTo(rights, type).actions.change.kind === 'none';
  return isReserved(rights, source) || withDerived(model, source.type).every(isNone);
}

/** Whether the principal has rights to all rows of a source. */
export function reachesAll(
  model: Model,
  rights: Rights,
  source: Source,
  actions: readonly Action[],
): boolean {
  if (rights.everything) return true;
  if (isReserved(rights, source)) return false;
  return withDerived(model, source.type).every((type) =>
    actions.every((action) => rightsTo(rights, type).actions[action].kind === 'all'),
  );
}

/** Whether the principal may read the member in all rows of a source. */
export function isReadInAll(model: Model, rights: Rights, source: Source, member: string): boolean {
  if (!reachesAll(model, rights, source, ['read'])) return false;
  return !restrictedMembers({ model, rights }, source.type).has(member);
}

export function withDerived(model: Model, type: EntityType): readonly EntityType[] {
  return [type, ...model.derived(type)];
}
