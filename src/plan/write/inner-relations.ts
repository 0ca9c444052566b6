// Plans the relations that start in complex values: a value that becomes null or gets another type loses the relations of its previous
// type, and a value that is stored as a JSON document needs those that its type requires. Documents do not contain their relations, which
// have columns and link tables of their own.
import { memberPath } from '../../bind/body/body-errors.ts';
import type { EntityInput } from '../../bind/write/bound-write.ts';
import {
  type ComplexType,
  type EntityType,
  type Member,
  type Model,
  type Property,
  pathName,
  structuredType,
} from '../../edm/model.ts';
import {
  type InnerNavigation,
  isDocument,
  navigationsOfMember,
} from '../../edm/property-storage.ts';
import { bindingPath, castBefore } from '../../edm/source.ts';
import { isJsonObject, type JsonInput, parseExactJson } from '../../edm/value/lossless-json.ts';
import type { Register, Steps, StoredValue } from '../write-plan.ts';
import { bindModelExpression } from './model-expression.ts';
import { plannedFault, type Writer } from './write-scope.ts';

/** Clears relations that start in complex values which become null or get a type without them. */
export function clearInside(
  { model }: Writer,
  row: Register,
  values: readonly StoredValue[],
): Steps {
  return [...new Set(values)].flatMap((value) =>
    lostRelations(model, value).map(
      (lost) => ({ kind: 'link', row, ...lost, action: 'clear' }) as const,
    ),
  );
}

function lostRelations(model: Model, value: StoredValue): readonly InnerNavigation[] {
  const property = value.path.at(-1);
  const inside = property === undefined ? [] : navigationsOfMember(model, property);
  if (property === undefined || inside.length === 0) return [];
  const before = value.path.slice(0, -1);
  const keeps = keptBy(model, property, value);
  return inside.flatMap(({ path, navigation }) =>
    navigation.contained || keeps([...path.slice(1), navigation])
      ? []
      : [{ path: [...before, ...path], navigation }],
  );
}

/** Whether the written value has the member at the end of a path. */
function keptBy(
  model: Model,
  property: Property,
  value: StoredValue,
): (steps: readonly Member[]) => boolean {
  if (value.kind === 'presence') {
    if (!value.present) return () => false;
    return value.typed === true ? ([first]) => hasMember(model, value.type, first) : () => true;
  }
  if (value.kind !== 'json') return () => true;
  const document = value.text === null ? null : parseExactJson(value.text);
  return (steps) => containsMember(model, document, property, steps);
}

function hasMember(model: Model, type: ComplexType, member: Member | undefined): boolean {
  return member !== undefined && model.stored(type).get(member.name) === member;
}

function containsMember(
  model: Model,
  document: JsonInput,
  property: Property,
  [first, ...others]: readonly Member[],
): boolean {
  if (!isJsonObject(document)) return false;
  const declared = structuredType(model, property.type);
  const annotated = document['@odata.type'];
  const type = [declared, ...model.derived(declared)].find(({ name }) => `#${name}` === annotated);
  const actual = type ?? declared;
  if (actual.kind !== 'complex' || !hasMember(model, actual, first)) return false;
  return first?.kind !== 'property'
    ? true
    : containsMember(model, document[first.name] ?? null, first, others);
}

/** Requires the relations that the types of documents need. They are written after the values. */
export function requireInside(
  { model }: Writer,
  row: Register,
  { type, target }: Pick<EntityInput, 'type' | 'target'>,
  values: readonly StoredValue[],
): Steps {
  return values.flatMap(({ kind, path }): Steps => {
    const property = path.at(-1);
    const isWritten = kind === 'json' || kind === 'members';
    if (property === undefined || !isWritten || !isDocument(model, property)) return [];
    return navigationsOfMember(model, property).flatMap((inner): Steps => {
      const { nullable, collection, inverse, computed } = inner.navigation;
      if (nullable || collection || inverse === true || computed === true) return [];
      const whole = { ...inner, path: [...path.slice(0, -1), ...inner.path] };
      const name = memberPath(target, pathName([...whole.path, inner.navigation]));
      const parameters = { name, type: inner.navigation.target, hint: '' };
      return [
        {
          kind: 'require',
          row,
          expression: bindModelExpression(model, isRelated(model, type, whole), row.source, type),
          fault: plannedFault('write.required', parameters, name),
        },
      ];
    });
  });
}

/** Whether a value that can have the relation has it. */
function isRelated(model: Model, type: EntityType, { path, navigation }: InnerNavigation): string {
  const declared = structuredType(model, path.at(-1)?.type ?? '');
  const owner = castBefore(model, declared, navigation) ?? declared;
  const value = bindingPath(model, type, path);
  return `not isof(${value},${owner.name}) or ${bindingPath(model, type, [...path, navigation])} ne null`;
}

/** Requires the document around a relation to have a value. */
export function requireDocument(
  { model }: Writer,
  row: Register,
  type: EntityType,
  path: readonly Property[],
): Steps {
  const name = bindingPath(model, type, path);
  return [
    {
      kind: 'require',
      row,
      expression: bindModelExpression(model, `${name} ne null`, row.source, type),
      fault: plannedFault('write.no-value', { name: pathName(path) }, pathName(path)),
    },
  ];
}
