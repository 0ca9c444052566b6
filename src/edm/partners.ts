// This file says which members of a model hold the same: the two sides of a relation, and a relation with the properties that depend on
// it. Who knows one of them knows the others.
import {
  type EntityType,
  entityType,
  isStructured,
  type Model,
  type Navigation,
  type StructuredType,
} from './model.ts';

/** The navigations that are the other side of the relation. */
export function partnersOf(model: Model, navigation: Navigation): readonly Navigation[] {
  const target = entityType(model, navigation.target);
  const members = [target, ...model.derived(target)].flatMap((type) => [
    ...model.members(type).values(),
  ]);
  return members.filter(
    (member): member is Navigation =>
      member.kind === 'navigation' &&
      (member.name === navigation.partner || leadsBack(model, member, navigation)),
  );
}

function leadsBack(model: Model, member: Navigation, navigation: Navigation): boolean {
  const owner = entityType(model, member.target);
  return (
    member.partner === navigation.name &&
    [owner, ...model.derived(owner)].some(
      (type) => model.members(type).get(navigation.name) === navigation,
    )
  );
}

/** A member of an entity type. */
export interface OwnedMember {
  readonly type: EntityType;
  readonly name: string;
}

/** The member and all that tell the same: other sides of relations, also of those inside complex values, and dependent properties. */
export function alikeMembers(model: Model, start: OwnedMember): readonly OwnedMember[] {
  const found: OwnedMember[] = [start];
  for (const one of found) {
    const more = besides(model, one).filter(
      (other) => !found.some(({ type, name }) => type === other.type && name === other.name),
    );
    found.push(...more);
  }
  return found;
}

function besides(model: Model, { type, name }: OwnedMember): readonly OwnedMember[] {
  const members = model.members(type);
  const member = members.get(name);
  if (member === undefined) return [];
  const inside = member.kind === 'navigation' ? [member] : navigationsIn(model, member.type, []);
  const dependents = inside.flatMap(({ constraints = [] }) =>
    constraints.map((one) => one.property),
  );
  const principals = [...members.values()].filter(
    (one) =>
      one.kind === 'navigation' && one.constraints?.some(({ property }) => property === name),
  );
  return [
    ...inside.flatMap((navigation) => ownedPartners(model, navigation)),
    ...[...dependents, ...principals.map((one) => one.name)]
      .filter((other) => members.has(other))
      .map((other) => ({ type, name: other })),
  ];
}

/** Navigations that start inside values of the complex type. */
function navigationsIn(
  model: Model,
  name: string,
  around: readonly StructuredType[],
): readonly Navigation[] {
  const type = model.types.get(name);
  if (type === undefined || !isStructured(type) || around.includes(type)) return [];
  return [...model.members(type).values()].flatMap((member) =>
    member.kind === 'navigation' ? [member] : navigationsIn(model, member.type, [...around, type]),
  );
}

function ownedPartners(model: Model, navigation: Navigation): readonly OwnedMember[] {
  const target = entityType(model, navigation.target);
  const types = [target, ...model.derived(target)].filter((type) => type.kind === 'entity');
  return partnersOf(model, navigation).flatMap((partner) => {
    const type = types.find((one) => model.members(one).get(partner.name) === partner);
    return type === undefined ? [] : [{ type, name: partner.name }];
  });
}
