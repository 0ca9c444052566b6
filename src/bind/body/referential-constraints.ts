// Applies referential constraints to writes: a relation sets its dependent properties, and a relation that sets a part of the key
// cannot change after creation. OData CSDL 4.01, "Referential Constraint".
import {
  type EntityType,
  type Model,
  type NamedType,
  type Navigation,
  pathName,
  type StructuredType,
} from '../../edm/model.ts';
import type { Rows } from '../bound.ts';
import type { EntityInput, InputValue } from '../write/bound-write.ts';
import type { Body, EntityPlace } from './body-context.ts';
import { keyOf, keyProperties } from './body-keys.ts';

/** Whether the relation determines a part of the key on either end, so that it cannot change later. */
export function affectsKey(
  model: Model,
  type: StructuredType | undefined,
  navigation: Navigation,
): boolean {
  const target = model.types.get(navigation.target);
  const partner =
    target?.kind === 'entity' ? model.members(target).get(navigation.partner ?? '') : undefined;
  const setsOther = partner?.kind === 'navigation' && setsKeyPart(model, target, partner);
  return setsOther || setsKeyPart(model, type, navigation);
}

/** Whether the relation determines a part of the key of the type. */
export function setsKeyPart(
  model: Model,
  type: StructuredType | NamedType | undefined,
  { constraints = [] }: Navigation,
): boolean {
  if (type?.kind !== 'entity') return false;
  const parts = model.key(type).map(({ path }) => path);
  return constraints.some(({ property }) => parts.includes(property));
}

/** The values that relations in the body, or its position, imply for properties that the body omits. */
export function constrainedValues(
  body: Body,
  place: EntityPlace,
  input: Pick<EntityInput, 'type' | 'values' | 'links'>,
): readonly InputValue[] {
  const { model } = body;
  const written = new Set(input.values.map(({ path }) => pathName(path)));
  const values = [...model.members(input.type).values()].flatMap((member) => {
    const isConstraining = member.kind === 'navigation' && member.constraints !== undefined;
    if (!isConstraining) return [];
    const rows = place.supplied.get(member.name) ?? linkedRows(input, member);
    return rows === undefined ? [] : valuesOf(model, input.type, member, rows);
  });
  const implied = values.filter(({ path }) => !written.has(pathName(path)));
  if (implied.length > 0) body.parameters?.reject();
  return implied;
}

function linkedRows(
  { links }: Pick<EntityInput, 'links'>,
  navigation: Navigation,
): Rows | undefined {
  const link = links.find((one) => one.path.length === 0 && one.navigation === navigation);
  return link?.mode === 'set' ? link.references[0]?.rows : undefined;
}

/** The implied values; empty unless the rows are identified by key. */
function valuesOf(
  model: Model,
  type: EntityType,
  { constraints = [] }: Navigation,
  rows: Rows,
): readonly InputValue[] {
  const key = keyOf(model, rows);
  const names = keyProperties(model, rows.row.type).map(({ name }) => name);
  return constraints.flatMap(({ property, referenced }): readonly InputValue[] => {
    const member = model.members(type).get(property);
    const value = key?.[names.indexOf(referenced)];
    return member?.kind === 'property' && value !== undefined
      ? [{ kind: 'value', path: [member], value }]
      : [];
  });
}
