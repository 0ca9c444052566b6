// This file checks the keys and alternate keys of entity types.
// OData CSDL 4.01, "Key"; OData Vocabularies 4.0, "Core.AlternateKeys".
import { type EntityType, type KeyPart, type Model, memberAt, type Property } from '../model.ts';
import { elementPath, type Mistake, mistake, mistakeIf } from '../model-error.ts';
import { isDocument } from '../property-storage.ts';
import { primitiveRow, resolvePrimitive } from '../value/primitives.ts';
import { requireProperty } from './members.ts';

export function lintKeys(model: Model, type: EntityType): readonly Mistake[] {
  const path = elementPath(type.name, '$Key');
  const base = type.base === undefined ? undefined : model.types.get(type.base);
  const inherited = base?.kind === 'entity' ? model.key(base) : [];
  const isMissing = model.key(type).length === 0 && type.abstract !== true;
  return [
    ...mistakeIf(isMissing, () =>
      mistake(path, `${type.name} has no key.`, 'Add $Key with the key properties.'),
    ),
    ...mistakeIf(inherited.length > 0 && (type.key?.length ?? 0) > 0, () =>
      mistake(
        path,
        `${type.name} already inherits a key.`,
        'Remove $Key here or in the base type.',
      ),
    ),
    ...(type.key ?? []).flatMap((part) => lintKeyPart(model, type, part, path)),
    ...(type.alternateKeys ?? [])
      .flat()
      .flatMap((part) =>
        lintAlternatePart(model, type, part.path, elementPath(type.name, '@Core.AlternateKeys')),
      ),
  ];
}

/** Whether a complex value on the path is stored as a whole, so that no index covers its members. */
function isInsideDocument(model: Model, type: EntityType, path: string): boolean {
  const steps = path.split('/').slice(0, -1);
  return steps.some((_, index) => {
    const member = memberAt(model, type, steps.slice(0, index + 1).join('/'));
    return member?.kind === 'property' && isDocument(model, member);
  });
}

function lintKeyPart(
  model: Model,
  type: EntityType,
  part: KeyPart,
  path: string,
): readonly Mistake[] {
  const property = memberAt(model, type, part.path);
  if (property?.kind !== 'property') return requireProperty(model, type, part.path, path);
  const primitive = resolvePrimitive(model, property);
  const isEnum = model.types.get(property.type)?.kind === 'enum';
  const mayBeKey = isEnum || (primitive !== undefined && primitiveRow(primitive.type).key);
  return [
    ...mistakeIf(!mayBeKey || property.collection, () =>
      mistake(
        path,
        `${property.type} cannot be the type of a key.`,
        'Use an integer, decimal, string, GUID, date or time.',
      ),
    ),
    ...lintColumn(model, type, part.path, path),
    ...mistakeIf(property.nullable, () =>
      mistake(path, `The key property ${part.path} is nullable.`, 'Remove $Nullable from it.'),
    ),
    ...mistakeIf(part.path.includes('/') && part.alias === undefined, () =>
      mistake(path, `The key path ${part.path} has no alias.`, `Write {"alias": "${part.path}"}.`),
    ),
    ...mistakeIf(isUndefined(model, type, property), () =>
      mistake(
        path,
        `The key property ${part.path} is computed, but the model does not define how.`,
        'Add "@Docket.Generated": {"By": "key"} to it, or remove @Core.Computed.',
      ),
    ),
  ];
}

/** An index of the database covers the property. */
function lintColumn(
  model: Model,
  type: EntityType,
  keyPath: string,
  path: string,
): readonly Mistake[] {
  return mistakeIf(isInsideDocument(model, type, keyPath), () =>
    mistake(
      path,
      `${keyPath} cannot be part of a key, since it is in a value whose type is open, abstract or recursive, or has derived types.`,
      'Use a property of the entity type, or of a complex type without derived types.',
    ),
  );
}

function lintAlternatePart(
  model: Model,
  type: EntityType,
  keyPath: string,
  path: string,
): readonly Mistake[] {
  const property = memberAt(model, type, keyPath);
  if (property?.kind !== 'property') return requireProperty(model, type, keyPath, path);
  const complex = model.types.get(property.type);
  const isWhole = complex?.kind === 'complex' && complex.coded === undefined;
  return [
    ...mistakeIf(isWhole && !property.collection, () =>
      mistake(
        path,
        `${property.type} cannot be the type of a key.`,
        `Use one of its properties: "${keyPath}/…".`,
      ),
    ),
    ...lintColumn(model, type, keyPath, path),
  ];
}

/**
 * Whether neither clients nor the service determine the key property of new entities. A dependent property has the value of its relation.
 */
function isUndefined(
  model: Model,
  type: EntityType,
  { name, computed, generated }: Property,
): boolean {
  if (computed !== true || generated !== undefined) return false;
  const isFixed = [...model.sets.values()].some(
    (set) => set.type === type.name && set.insertable === false,
  );
  if (isFixed) return false;
  return ![...model.members(type).values()].some(
    (member) =>
      member.kind === 'navigation' && member.constraints?.some(({ property }) => property === name),
  );
}
