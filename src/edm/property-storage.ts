// This file decides whether a property is stored in columns of its own or as a JSON document, and finds the navigations inside complex
// values. Reading bodies and creating tables follow the same rules. It also finds properties that only the service sets.
import { perPair } from '../base/memo.ts';
import type {
  ComplexType,
  EntityType,
  Member,
  Model,
  Navigation,
  Property,
  StructuredType,
  TypeReference,
} from './model.ts';
import { structuredType } from './model.ts';
import { partnersOf } from './partners.ts';
import { alternateKeys } from './source.ts';

/**
 * Whether values of the type are stored as JSON: collections, and complex values whose type is open, abstract, recursive or has
 * derived types. A coded value is stored as its code, and other complex values are flattened into one column per member.
 */
export function isDocument(model: Model, reference: TypeReference): boolean {
  if (reference.collection) return true;
  const type = model.types.get(reference.type);
  if (type?.kind !== 'complex' || type.coded !== undefined) return false;
  if (isOpen(model, type) || type.abstract === true || model.derived(type).length > 0) return true;
  return isRecursive(model, type, []);
}

/** The type of a complex property whose members are stored in columns of their own; undefined for all others. */
export function flattenedType(model: Model, property: TypeReference): ComplexType | undefined {
  const type = model.types.get(property.type);
  const isComplex = type?.kind === 'complex' && type.coded === undefined;
  return isComplex && !isDocument(model, property) ? type : undefined;
}

/** A navigation, and the complex properties before it. */
export interface InnerNavigation {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}

/**
 * The navigations of a member: itself, or those of a complex value and of single complex values in it, those of derived types included.
 * Relations of a value that is stored as a JSON document have columns next to it, so items of collections and values that contain
 * themselves have none, which the lint rejects.
 */
export const navigationsOfMember = perPair((model: Model, member: Member) =>
  navigationsIn(model, member, { path: [], enclosing: [] }),
);

interface Walk {
  readonly path: readonly Property[];
  readonly enclosing: readonly StructuredType[];
}

function navigationsIn(
  model: Model,
  member: Member,
  { path, enclosing }: Walk,
): readonly InnerNavigation[] {
  if (member.kind === 'navigation') return [{ path, navigation: member }];
  const type = model.types.get(member.type);
  const isSingle = type?.kind === 'complex' && type.coded === undefined && !member.collection;
  if (!isSingle || enclosing.includes(type) || !hasNavigations(model, type)) return [];
  const inside = { path: [...path, member], enclosing: [...enclosing, type] };
  return membersWithDerived(model, type).flatMap((inner) => navigationsIn(model, inner, inside));
}

function hasNavigations(model: Model, type: ComplexType): boolean {
  return membersInside(model, type).some(({ kind }) => kind === 'navigation');
}

/** The members of the type, of types derived from it, and of complex values and collections in them. */
export const membersInside = perPair((model: Model, type: ComplexType): readonly Member[] => {
  const found = new Set<Member>();
  const add = (one: ComplexType): void => {
    for (const member of membersWithDerived(model, one)) {
      const inner = member.kind === 'property' ? model.types.get(member.type) : undefined;
      const isNew = !found.has(member);
      found.add(member);
      if (isNew && inner?.kind === 'complex') add(inner);
    }
  };
  add(type);
  return [...found];
});

/** Whether the database rejects a second entity with the same value of the member, or of a part of it. The key is not considered. */
export function isUnique(model: Model, type: EntityType, name: string): boolean {
  const member = model.members(type).get(name);
  if (member?.kind !== 'property') return false;
  const inner = model.types.get(member.type);
  const inside = inner?.kind === 'complex' ? membersInside(model, inner) : [];
  return (
    [member, ...inside].some((one) => one.kind === 'property' && isDeclaredUnique(one)) ||
    alternateKeys(model, type)
      .flat()
      .some(({ path }) => path.split('/')[0] === name)
  );
}

function isDeclaredUnique({ unique, itemKey }: Property): boolean {
  return unique === true || itemKey !== undefined;
}

/** The members of the type and of types derived from it. Derived types can have different members of one name. */
export function membersWithDerived(model: Model, type: StructuredType): readonly Member[] {
  const types = [type, ...model.derived(type)];
  return [...new Set(types.flatMap((one) => [...model.stored(one).values()]))];
}

/**
 * Whether the row of the entity holds the identity of the related one. The row of a contained entity has a column for its owner, which
 * stays empty, if only the owner's navigation names the other as its partner.
 */
export function isReference(model: Model, navigation: Navigation): boolean {
  if (navigation.collection || navigation.contained || navigation.inverse === true) return false;
  const target = model.types.get(navigation.target);
  const isEntity = target?.kind === 'entity';
  const partner = isEntity ? model.stored(target).get(navigation.partner ?? '') : undefined;
  return !(partner?.kind === 'navigation' && isOwning(partner));
}

/** Whether the navigation points from a contained entity to the one that contains it, which is always the same. */
export function isToContainer(model: Model, navigation: Navigation): boolean {
  return !navigation.collection && partnersOf(model, navigation).some(isOwning);
}

/**
 * Whether setting the navigation changes its target entities: they hold the reference, or both sides are collections. If the other
 * side has no navigation, only the entity itself changes.
 */
export function changesPartner(model: Model, navigation: Navigation): boolean {
  return !isReference(model, navigation) && partnersOf(model, navigation).length > 0;
}

/** Whether the targets exist only within the entity. An inverse containment has entities of a set, which only refer to it. */
export function isOwning({ contained, inverse }: Navigation): boolean {
  return contained && inverse !== true;
}

/** Whether the type or one of its ancestors is open, so that it accepts undeclared properties. */
export function isOpen(model: Model, type: StructuredType): boolean {
  if (type.open === true) return true;
  return type.base !== undefined && isOpen(model, structuredType(model, type.base));
}

/**
 * Whether an undeclared name is that of a dynamic property. The name of a property that a derived type declares is not: an entity of the base
 * type can be of the derived type, whose property is reached by a cast.
 */
export function isDynamicName(model: Model, type: StructuredType, name: string): boolean {
  return isOpen(model, type) && derivedWith(model, type, name) === undefined;
}

/** A derived type that declares the member. */
export function derivedWith(
  model: Model,
  type: StructuredType,
  name: string,
): StructuredType | undefined {
  const declares = (member: Member): boolean => member.name === name && member.hidden !== true;
  return model.derived(type).find(({ members }) => members.some(declares));
}

function isRecursive(
  model: Model,
  type: StructuredType,
  enclosing: readonly StructuredType[],
): boolean {
  if (enclosing.includes(type)) return true;
  return [...model.stored(type).values()].some((member) => {
    if (member.kind === 'navigation' || member.collection) return false;
    const inner = model.types.get(member.type);
    return inner?.kind === 'complex' && isRecursive(model, inner, [...enclosing, type]);
  });
}

/** Whether only the service sets the property. */
export function isServerGenerated({ computed, generated, computedDefault }: Property): boolean {
  return computed === true || (generated?.by === 'key' && computedDefault !== true);
}
