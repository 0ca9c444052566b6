// This file finds members that expose the same information: both sides of a relation, and a navigation and its dependent properties.
// Rights to one of them must also cover the others.
import {
  type EntityType,
  entityType,
  isStructured,
  type Model,
  type Navigation,
  type StructuredType,
} from './model.ts';

/** The navigations on the other side of the relation. */
export function partnersOf(model: Model, navigation: Navigation): readonly Navigation[] {
  const target = entityType(model, navigation.target);
  const members = [target, ...model.derived(target)].flatMap((type) => [
    ...model.stored(type).values(),
  ]);
  return members.filter(
    (member): member is Navigation =>
      member.kind === 'navigation' &&
      (member.name === navigation.partner || isPartner(model, member, navigation)),
  );
}

function isPartner(model: Model, member: Navigation, navigation: Navigation): boolean {
  const owner = entityType(model, member.target);
  return (
    member.partner === navigation.name &&
    [owner, ...model.derived(owner)].some(
      (type) => model.stored(type).get(navigation.name) === navigation,
    )
  );
}

/** A member of an entity type. */
export interface OwnedMember {
  readonly type: EntityType;
  readonly name: string;
}

/** The member and all equivalent ones: partners, also of navigations inside complex values, and dependent properties. */
export function equivalentMembers(model: Model, start: OwnedMember): readonly OwnedMember[] {
  const found: OwnedMember[] = [start];
  for (const member of found) {
    const added = directEquivalents(model, member).filter(
      (other) => !found.some(({ type, name }) => type === other.type && name === other.name),
    );
    found.push(...added);
  }
  return found;
}

function directEquivalents(model: Model, { type, name }: OwnedMember): readonly OwnedMember[] {
  const members = model.stored(type);
  const member = members.get(name);
  if (member === undefined) return [];
  const navigations =
    member.kind === 'navigation' ? [member] : navigationsIn(model, member.type, []);
  const dependents = navigations.flatMap(({ constraints = [] }) =>
    constraints.map(({ property }) => property),
  );
  const principals = [...members.values()].filter(
    (other) =>
      other.kind === 'navigation' && other.constraints?.some(({ property }) => property === name),
  );
  return [
    ...navigations.flatMap((navigation) => ownedPartners(model, navigation)),
    ...[...dependents, ...principals.map((principal) => principal.name)]
      .filter((other) => members.has(other))
      .map((other) => ({ type, name: other })),
  ];
}

/** The navigations of a complex type, nested ones included. */
function navigationsIn(
  model: Model,
  name: string,
  enclosing: readonly StructuredType[],
): readonly Navigation[] {
  const type = model.types.get(name);
  if (type === undefined || !isStructured(type) || enclosing.includes(type)) return [];
  return [...model.stored(type).values()].flatMap((member) =>
    member.kind === 'navigation'
      ? [member]
      : navigationsIn(model, member.type, [...enclosing, type]),
  );
}

function ownedPartners(model: Model, navigation: Navigation): readonly OwnedMember[] {
  const target = entityType(model, navigation.target);
  const types = [target, ...model.derived(target)];
  return partnersOf(model, navigation).flatMap((partner) => {
    const type = types.find((owner) => model.stored(owner).get(partner.name) === partner);
    return type === undefined ? [] : [{ type, name: partner.name }];
  });
}
