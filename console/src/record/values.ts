// This file takes the values of a form from an entity, compares them, and writes the changed ones as the body of a request.
import { isNumberType } from '../components/inputs/number-text.ts';
import {
  type Entity,
  entityPath,
  jsonValue,
  keyOf,
  valueAt,
  withValueAt,
} from '../model/entity.ts';
import { type Member, type Model, typeNamed } from '../model/model.ts';
import type { Field } from './fields.ts';

/** By path: `Assignment/AssigneePerson`. The form of a value is described at `InputProps`. */
export type Values = Readonly<Record<string, unknown>>;

/** The values of fields. What the entity does not contain is null. */
export function valuesOf(fields: readonly Field[], entity: Entity): Values {
  return Object.fromEntries(
    fields.map(({ path, member }) => [path, normal(member, valueAt(entity, path))]),
  );
}

function normal(member: Member, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && isNumberType(member.type) ? String(value) : value;
}

/** Whether two values are the same for the service: codes by their value, references by their key. */
export function sameValue(model: Model, member: Member, one: unknown, other: unknown): boolean {
  return (
    JSON.stringify(comparable(model, member, one)) ===
    JSON.stringify(comparable(model, member, other))
  );
}

function comparable(model: Model, member: Member, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value))
    return value.map((item) => comparable(model, { ...member, collection: false }, item));
  if (typeof value !== 'object') return comparableScalar(member, value);
  const entity = value as Entity;
  const type = model.types.get(member.type);
  // Places and values without a type are JSON objects that no type describes.
  if (type === undefined) return value;
  if (type.coded !== undefined) {
    const code = entity[type.coded.value];
    return code === undefined || code === null ? (entity[type.coded.text] ?? null) : String(code);
  }
  if (type.kind === 'entity') return keyOf(type, entity) ?? null;
  return [...type.members.values()].map((part) => comparable(model, part, entity[part.name]));
}

function comparableScalar(member: Member, value: unknown): unknown {
  if (member.type === 'Edm.DateTimeOffset') {
    const time = Date.parse(String(value));
    return Number.isNaN(time) ? value : time;
  }
  return isNumberType(member.type) ? String(value) : value;
}

/** The paths of fields whose values differ. */
export function changedPaths(
  model: Model,
  fields: readonly Field[],
  base: Values,
  values: Values,
): readonly string[] {
  return fields
    .filter(({ path, member }) => !sameValue(model, member, base[path], values[path]))
    .map(({ path }) => path);
}

/** The body of a request that sets the values of some fields. */
export function bodyOf(
  model: Model,
  fields: readonly Field[],
  values: Values,
  paths: readonly string[],
): Entity {
  const wanted = new Set(paths);
  let body: Entity = {};
  for (const field of fields) {
    if (!wanted.has(field.path)) continue;
    const { path, content } = part(model, field, values[field.path]);
    body = withValueAt(body, path, content);
  }
  return body;
}

function part(model: Model, { path, member, targetSet }: Field, value: unknown) {
  if (member.kind !== 'navigation') return { path, content: sent(model, member, value) };
  const key = keyOf(typeNamed(model, member.type), value);
  const content = key === undefined || targetSet === undefined ? null : entityPath(targetSet, key);
  return { path: `${path}@odata.bind`, content };
}

/** A value as requests contain it: short integers and floating-point numbers are JSON numbers, codes are given by their value. */
function sent(model: Model, member: Member, value: unknown): unknown {
  if (value === undefined || value === null) return member.collection ? [] : null;
  if (Array.isArray(value))
    return value
      .filter((item) => item !== null && item !== '')
      .map((item) => sent(model, { ...member, collection: false }, item));
  if (typeof value === 'object') return sentObject(model, member, value as Entity);
  return jsonValue(member.type, value);
}

function sentObject(model: Model, member: Member, value: Entity): unknown {
  const type = model.types.get(member.type);
  if (type === undefined) return value;
  if (type.coded !== undefined) {
    const { value: code, text } = type.coded;
    return value[code] === undefined ? { [text]: value[text] } : { [code]: value[code] };
  }
  const given = Object.entries(value).flatMap(([name, content]): [string, unknown][] => {
    const inner = type.members.get(name);
    // Dynamic properties, those of a derived type, and the types of both stay, since the whole value is replaced.
    if (inner === undefined) return /^[^@]*(?:@odata\.type)?$/.test(name) ? [[name, content]] : [];
    const isGiven = !inner.computed && inner.kind !== 'navigation' && content !== undefined;
    return isGiven ? [[name, sent(model, inner, content)]] : [];
  });
  return Object.fromEntries(given);
}
