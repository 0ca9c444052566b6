// This file reads values of entities: keys, paths, titles, and the URL of an entity.
import { alternateKey, titlePath } from './layout.ts';
import { type Member, type Model, type StructuredType, typeNamed } from './model.ts';

/** An entity as the service returns it. */
export type Entity = Readonly<Record<string, unknown>>;

/** The value at a path (`Assignment/AssigneePerson/Name`); undefined where a part of it is missing. */
export function valueAt(entity: unknown, path: string): unknown {
  let value: unknown = entity;
  for (const part of path.split('/')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** A copy with another value at a path. Missing objects in between are created. */
export function withValueAt(entity: Entity, path: string, value: unknown): Entity {
  const [name = '', ...rest] = path.split('/');
  if (rest.length === 0) return { ...entity, [name]: value };
  const inner = (entity[name] ?? {}) as Entity;
  return { ...entity, [name]: withValueAt(inner, rest.join('/'), value) };
}

/** A value as the service wants it in a body: with IEEE754Compatible=true only 64-bit integers and decimals are strings. */
export function jsonValue(type: string, value: unknown): unknown {
  const isShort = /^Edm\.(?:S?Byte|Int16|Int32|Double|Single)$/.test(type);
  return isShort && typeof value === 'string' && Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

/** A value as a literal of URLs (OData URL Conventions 4.01, "Primitive Literals"). */
export function literal(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'null';
  if (type === 'Edm.String') return `'${String(value).replaceAll("'", "''")}'`;
  if (type === 'Edm.Duration') return `duration'${String(value)}'`;
  if (type === 'Edm.Binary') return `binary'${String(value)}'`;
  return type.startsWith('Edm.') ? String(value) : `${type}'${String(value)}'`;
}

/** The key predicate of an entity, decoded: `12`, or `Product=1,Language='en'`; undefined if the entity lacks a key value. */
export function keyOf(type: StructuredType, entity: unknown): string | undefined {
  const parts = type.key.map(({ path, alias }) => {
    const value = valueAt(entity, path);
    const member = type.members.get(path);
    return value === undefined || value === null
      ? undefined
      : { alias, text: literal(value, member?.type ?? 'Edm.String') };
  });
  if (parts.length === 0 || parts.some((part) => part === undefined)) return undefined;
  const [first] = parts;
  if (parts.length === 1) return first?.text;
  return parts.map((part) => `${part?.alias}=${part?.text}`).join(',');
}

/** The path of an entity below the root of the service: `ServiceRequests(12)`. `key` is a decoded predicate. */
export function entityPath(set: string, key: string): string {
  return `${set}(${encodeURIComponent(key)})`;
}

/** What an entity is called: the value of its title property, else its key. */
export function titleOf(model: Model, type: StructuredType, entity: unknown): string {
  for (const path of [titlePath(model, type), alternateKey(type)]) {
    const title = path === undefined ? undefined : valueAt(entity, path);
    if (typeof title === 'string' && title.trim() !== '') return title;
    if (typeof title === 'number') return String(title);
  }
  return keyOf(type, entity) ?? '';
}

/** The properties that a read of related entities needs to show them: key and title. */
export function referenceSelect(model: Model, type: StructuredType): string {
  const title = titlePath(model, type);
  const names = [...type.key.map(({ path }) => path), ...(title === undefined ? [] : [title])];
  return [...new Set(names.map((path) => path.split('/')[0] ?? path))].join(',');
}

/** The expansion of a single navigation property with key and title of its target. */
export function referenceExpand(model: Model, path: string, member: Member): string {
  return `${path}($select=${referenceSelect(model, typeNamed(model, member.type))})`;
}
