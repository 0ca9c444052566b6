// This file knows what referential constraints mean for writes: a relation gives its values to the properties that depend on it, and one that
// gives a part of the key is settled when the entity is made. OData CSDL 4.01, "Referential Constraint".
import type { EntityType, Model, NamedType, Navigation, StructuredType } from '../../edm/model.ts';
import type { Rows } from '../bound.ts';
import type { EntityInput, InputValue } from '../write/bound-write.ts';
import type { Body, EntityPlace } from './body-context.ts';
import { keyOf, keyProperties } from './body-keys.ts';

/** Whether an end of the relation has a part of its key from it, so that it cannot lead elsewhere later. */
export function settlesKey(
  model: Model,
  type: StructuredType | undefined,
  navigation: Navigation,
): boolean {
  const target = model.types.get(navigation.target);
  const back =
    target?.kind === 'entity' ? model.members(target).get(navigation.partner ?? '') : undefined;
  const isBack = back?.kind === 'navigation' && givesKey(model, target, back);
  return isBack || givesKey(model, type, navigation);
}

/** Whether entities of the type have a part of their key from the relation. */
export function givesKey(
  model: Model,
  type: StructuredType | NamedType | undefined,
  { constraints = [] }: Navigation,
): boolean {
  if (type?.kind !== 'entity') return false;
  const parts = model.key(type).map(({ path }) => path);
  return constraints.some(({ property }) => parts.includes(property));
}

/** The values that follow from the relations of the body and of its place, for properties of which the body says nothing. */
export function constrainedValues(
  body: Body,
  place: EntityPlace,
  input: Pick<EntityInput, 'type' | 'values' | 'links'>,
): readonly InputValue[] {
  const { model } = body;
  const said = new Set(input.values.map(({ path }) => path.map(({ name }) => name).join('/')));
  const values = [...model.members(input.type).values()].flatMap((member) => {
    const isConstraining = member.kind === 'navigation' && member.constraints !== undefined;
    if (!isConstraining) return [];
    const rows = place.supplied.get(member.name) ?? linkedRows(input, member);
    return rows === undefined ? [] : valuesOf(model, input.type, member, rows);
  });
  const open = values.filter(({ path }) => !said.has(path.map(({ name }) => name).join('/')));
  if (open.length > 0) body.lifting?.spoil();
  return open;
}

function linkedRows(
  { links }: Pick<EntityInput, 'links'>,
  navigation: Navigation,
): Rows | undefined {
  const link = links.find((one) => one.path.length === 0 && one.navigation === navigation);
  return link?.mode === 'set' ? link.references[0]?.rows : undefined;
}

/** Known where the other entity is named by its key. */
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
