// This file adds the function ByReference to entity types with a collection whose items identify them across a set, such as references
// to records in other systems. Paths can also contain the item as a key predicate: both address the same entity.
import { about, SYSTEM_NAMESPACE, withEngine } from './engine-schema.ts';
import type { EntityType, Member, Model, ModelDefinition, Property } from './model.ts';
import type { JsonObject } from './value/lossless-json.ts';

const REFERENCE_FUNCTION = 'ByReference';

/** A collection of which each item identifies one entity of a set. */
export interface KeyedCollection {
  readonly property: Property;
  /** The members that identify an item, in order. */
  readonly members: readonly Property[];
}

/** The collection of the type whose items identify entities; undefined if it has none, or an extension hides it. */
export function keyedCollectionOf(model: Model, type: EntityType): KeyedCollection | undefined {
  return keyedCollections(model, model.members(type))[0];
}

/** The collections among the members whose items identify entities. A model that has passed lint has at most one per type. */
export function keyedCollections(
  model: Pick<Model, 'types' | 'stored'>,
  members: ReadonlyMap<string, Member>,
): readonly KeyedCollection[] {
  return [...members.values()].flatMap((property) => {
    if (property.kind !== 'property' || property.itemKey === undefined) return [];
    const item = model.types.get(property.type);
    const inItem = item?.kind === 'complex' ? model.stored(item) : undefined;
    const parts = property.itemKey.map((name) => inItem?.get(name));
    return [{ property, members: parts.filter((part) => part?.kind === 'property') }];
  });
}

/** Adds `ByReference`, bound to the collections of every type that declares such a collection. */
export function withReferenceFunctions(definition: ModelDefinition): ModelDefinition {
  const own = definition.namespaces[0]?.name ?? SYSTEM_NAMESPACE;
  const isTaken = definition.operations.some(({ name }) => name === `${own}.${REFERENCE_FUNCTION}`);
  const overloads = definition.types.flatMap((type) =>
    type.kind === 'entity' ? type.members.flatMap((member) => overloadsOf(type, member)) : [],
  );
  if (overloads.length === 0) return definition;
  return withEngine('by-reference', definition, {
    elements: { [REFERENCE_FUNCTION]: overloads },
    namespace: isTaken ? SYSTEM_NAMESPACE : own,
  });
}

function overloadsOf({ name: type }: EntityType, member: Member): readonly JsonObject[] {
  if (member.kind !== 'property' || member.itemKey === undefined || member.hidden === true)
    return [];
  return [
    {
      $Kind: 'Function',
      $IsBound: true,
      $IsComposable: true,
      $EntitySetPath: 'these',
      $Parameter: [
        { $Name: 'these', $Type: type, $Collection: true },
        ...member.itemKey.map((part) => ({ $Name: part })),
      ],
      $ReturnType: { $Type: type },
      ...about(`The entity with this item in ${member.name}`),
    },
  ];
}
