// This file finds what referential constraints determine: the dependent properties of a navigation, and the navigations that dependent
// properties determine. A relation and its dependent properties are one fact: a change of one changes the other.
// OData CSDL 4.01, "Referential Constraint".
import { perPair } from '../base/memo.ts';
import {
  type EntityType,
  entityType,
  type Model,
  type Navigation,
  type Property,
  type StructuredType,
} from './model.ts';
import { isReference, membersWithDerived } from './property-storage.ts';

/** A dependent property, and the property of the related entity that has the same value. */
export interface DependentPair {
  readonly property: Property;
  readonly referenced: Property;
}

/** The dependent properties of a navigation of the type or a type derived from it. */
export function dependentPairs(
  model: Model,
  type: EntityType,
  navigation: Navigation,
): readonly DependentPair[] {
  const { target, constraints = [] } = navigation;
  // The properties that a relation inside a complex value names are not those of the entity.
  if (!membersWithDerived(model, type).includes(navigation)) return [];
  const referencedIn = entityType(model, target);
  return constraints.flatMap(({ property: name, referenced: other }) => {
    const property = propertyOf(model, [type, ...model.derived(type)], name);
    const referenced = propertyOf(model, [referencedIn, ...model.derived(referencedIn)], other);
    return property === undefined || referenced === undefined ? [] : [{ property, referenced }];
  });
}

function propertyOf(
  model: Model,
  types: readonly StructuredType[],
  name: string,
): Property | undefined {
  for (const type of types) {
    const member = model.members(type).get(name);
    if (member?.kind === 'property') return member;
  }
  return undefined;
}

/** A navigation whose dependent properties contain a key of its target, so that they determine the related entity. */
export interface DeterminedNavigation {
  readonly navigation: Navigation;
  readonly pairs: readonly DependentPair[];
}

/** The navigations of the type that dependent properties determine. */
export const determinedNavigations = perPair(
  (model: Model, type: EntityType): readonly DeterminedNavigation[] =>
    [...model.members(type).values()].flatMap((navigation) => {
      if (navigation.kind !== 'navigation' || !isReference(model, navigation)) return [];
      const pairs = dependentPairs(model, type, navigation);
      const referenced = pairs.map((pair) => pair.referenced.name);
      const target = entityType(model, navigation.target);
      const keys = [model.key(target), ...(target.alternateKeys ?? [])];
      const isWhole = keys.some(
        (key) => key.length > 0 && key.every(({ path }) => referenced.includes(path)),
      );
      return isWhole ? [{ navigation, pairs }] : [];
    }),
);

/**
 * The dependent properties that become null with the relation: those that may be null, without those that another navigation also
 * determines. Empty if the relation cannot be removed.
 */
export function clearedDependents(
  model: Model,
  type: EntityType,
  navigation: Navigation,
): readonly Property[] {
  const nullable = dependentPairs(model, type, navigation)
    .map(({ property }) => property)
    .filter((property) => property.nullable);
  const others = [...model.members(type).values()].flatMap((member) =>
    member.kind === 'navigation' && member !== navigation ? (member.constraints ?? []) : [],
  );
  const own = nullable.filter(({ name }) => !others.some(({ property }) => property === name));
  return own.length > 0 ? own : nullable;
}

/** Whether the relation can be removed: not if its dependent properties must have values. */
export function mayBeCleared(model: Model, type: EntityType, navigation: Navigation): boolean {
  if (!navigation.nullable) return false;
  const hasDependents = dependentPairs(model, type, navigation).length > 0;
  return !hasDependents || clearedDependents(model, type, navigation).length > 0;
}

/** The same from either end: related entities lose their dependent properties, too. */
export function mayBeRemoved(
  model: Model,
  type: EntityType,
  { navigation, isDirect }: { readonly navigation: Navigation; readonly isDirect: boolean },
): boolean {
  if (!navigation.collection)
    return isDirect ? mayBeCleared(model, type, navigation) : navigation.nullable;
  const target = entityType(model, navigation.target);
  const partner = model.members(target).get(navigation.partner ?? '');
  if (partner?.kind !== 'navigation' || partner.constraints === undefined) return true;
  return clearedDependents(model, target, partner).length > 0;
}
