// This file knows what identifies records in imports: the keys of a type, and how their values are written in URLs.
import type { EntityType, KeyPart, Model } from '../../edm/model.ts';
import { keyedCollectionOf } from '../../edm/reference-functions.ts';
import { alternateKeys } from '../../edm/source.ts';

export type Keys = readonly (readonly KeyPart[])[];

/** The key of a type, its alternate keys, and that of items. */
export function keysOf(model: Model, type: EntityType): Keys {
  const collection = keyedCollectionOf(model, type);
  const item = collection?.members.map(({ name }) => ({
    path: `${collection.property.name}/${name}`,
    alias: name,
  }));
  return [model.key(type), ...alternateKeys(model, type), ...(item === undefined ? [] : [item])];
}

/** Whether values of a key property are in quotes in URLs. */
export function isTextKey(model: Model, owner: EntityType, path: string): boolean {
  const type = keyType(model, owner, path);
  return type === 'Edm.String' || !type.startsWith('Edm.');
}

/** The primitive type of a key property; the name of an enumeration type. */
function keyType(model: Model, owner: EntityType, path: string): string {
  const [first = '', ...rest] = path.split('/');
  const member = model.members(owner).get(first);
  if (member?.kind !== 'property') return '';
  const type = model.types.get(member.type);
  if (type?.kind === 'complex') {
    const inner = rest.length === 1 ? model.members(type).get(rest[0] ?? '') : undefined;
    return inner?.kind === 'property' ? primitiveOf(model, inner.type) : '';
  }
  return primitiveOf(model, member.type);
}

/** The primitive type of a type, which may be a type definition. */
export function primitiveOf(model: Model, name: string): string {
  const type = model.types.get(name);
  return type?.kind === 'definition' ? type.underlying : name;
}

/** A value as in a URL. */
export function keyLiteral(text: string, isText: boolean): string {
  return encodeURIComponent(isText ? `'${text.replaceAll("'", "''")}'` : text);
}
