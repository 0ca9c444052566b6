// This file checks Docket.ItemKey: the collection must be one of an entity type, and the members must be strings that are stored in
// each of its items.
import type { EntityType, Member, Model, Property, StructuredType } from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';
import { keyedCollections } from '../reference-functions.ts';

/** The mistakes in the item key of a property. */
export function lintItemKey(
  model: Model,
  owner: StructuredType,
  property: Property,
): readonly Mistake[] {
  const { itemKey, name } = property;
  if (itemKey === undefined) return [];
  const place = elementPath(owner.name, name, '@Docket.ItemKey');
  const item = model.types.get(property.type);
  if (owner.kind !== 'entity' || !property.collection || item?.kind !== 'complex') {
    const message = `${name} is not a collection of complex values of an entity type.`;
    return [mistake(place, message, 'Remove the annotation.')];
  }
  const members = model.stored(item);
  return [
    ...mistakeIf(itemKey.length === 0 || new Set(itemKey).size < itemKey.length, () =>
      mistake(
        place,
        'The key must name each of its members once.',
        `Name members of ${item.name}.`,
      ),
    ),
    ...itemKey.flatMap((part) => lintPart(part, members, place)),
    ...lintOnly(model, owner, property, place),
  ];
}

function lintPart(
  part: string,
  members: ReadonlyMap<string, Member>,
  place: string,
): readonly Mistake[] {
  const member = members.get(part);
  if (member === undefined) return [missing(place, `the member ${part}`, part, members.keys())];
  const isText = member.kind === 'property' && member.type === 'Edm.String' && !member.collection;
  return mistakeIf(!isText, () =>
    mistake(place, `${part} is not a single string.`, 'Name members of the type Edm.String.'),
  );
}

/** An entity is found by the items of one collection. */
function lintOnly(
  model: Model,
  owner: EntityType,
  property: Property,
  place: string,
): readonly Mistake[] {
  const types = [owner, ...model.derived(owner)];
  const others = types.flatMap((type) =>
    keyedCollections(model, model.stored(type)).filter((one) => one.property !== property),
  );
  return others
    .slice(0, 1)
    .map((other) =>
      mistake(
        place,
        `${owner.name} or a type derived from it also has an item key in ${other.property.name}.`,
        'Remove one of the annotations.',
      ),
    );
}
