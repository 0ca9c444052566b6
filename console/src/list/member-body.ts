// This file writes the value of a member as the body of a PATCH.
import { type Entity, jsonValue, keyOf } from '../model/entity.ts';
import type { Column } from '../model/layout.ts';
import type { Model } from '../model/model.ts';

/**
 * The body that sets the member of a column to a value, in the form in which the service returns values. Codes are sent by their value,
 * related entities by their path.
 *
 * @param target the set that contains the related entities
 */
export function bodyFor(
  model: Model,
  { path, member }: Column,
  value: unknown,
  target: string | undefined,
): Entity {
  const names = path.split('/');
  const last = names.at(-1) ?? path;
  const [name, content] = memberBody(model, member.type, last, value, target);
  return names
    .slice(0, -1)
    .reduceRight<Entity>((inner, outer) => ({ [outer]: inner }), { [name]: content });
}

function memberBody(
  model: Model,
  typeName: string,
  name: string,
  value: unknown,
  target: string | undefined,
): readonly [string, unknown] {
  const type = model.types.get(typeName);
  if (value === null || value === undefined || value === '') return [name, null];
  if (type === undefined) return [name, jsonValue(typeName, value)];
  if (type.coded !== undefined) {
    const { value: coded } = type.coded;
    const valueType = type.members.get(coded)?.type ?? 'Edm.String';
    return [name, { [coded]: jsonValue(valueType, (value as Entity)[coded]) }];
  }
  return [`${name}@odata.bind`, `${target}(${keyOf(type, value)})`];
}
