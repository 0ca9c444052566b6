// Keys in bodies: their properties, whether the server generates them, and the conversion between keys and rows.
import type { EntityType, Model, Property } from '../../edm/model.ts';
import { pathName, propertyPath } from '../../edm/model.ts';
import { isServerGenerated } from '../../edm/property-storage.ts';
import type { Source } from '../../edm/source.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  printJson,
} from '../../edm/value/lossless-json.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Expression, RowOrigin, Rows } from '../bound.ts';
import { comparison, propertyOf } from '../expression/constructors.ts';
import { constant } from '../expression/literal.ts';
import { typeOfReference } from '../expression/types.ts';
import { itemReferenceOf } from '../path/item-reference.ts';
import type { InputValue } from '../write/bound-write.ts';
import { memberPath, type ValueScope, type Written } from './body-errors.ts';
import { readScalar } from './property-value.ts';

/** A property of a key, with the path to it. */
export interface KeyProperty {
  /** `Id`, `First/Name`. */
  readonly name: string;
  readonly path: readonly Property[];
  readonly property: Property;
}

/** The key properties in order. */
export function keyProperties(model: Model, type: EntityType): readonly KeyProperty[] {
  return model.key(type).flatMap(({ path: name }) => {
    const path = propertyPath(model, type, name) ?? [];
    const property = path.at(-1);
    return property === undefined ? [] : [{ name, path, property }];
  });
}

/** Whether the service generates at least one property of the key. */
export function isServerKeyed(model: Model, type: EntityType): boolean {
  return keyProperties(model, type).some(({ property }) => isServerGenerated(property));
}

/**
 * Reads the key from an object: its values in key order, or undefined if the object has no part of it. Adds a mistake for each
 * missing or invalid part.
 */
export function readKey(
  scope: ValueScope,
  type: EntityType,
  object: JsonInput,
  target: string,
): readonly Value[] | undefined {
  const parts = keyProperties(scope.model, type);
  const written = parts.map((part) => memberAt(object, part.name.split('/')) ?? null);
  if (written.every((input) => input === null)) return undefined;
  return parts.flatMap((part, index) => {
    const input = written[index] ?? null;
    const place = memberPath(target, part.name);
    if (input === null)
      scope.mistakes.add(
        'write.required',
        { name: place, type: part.property.type, hint: '' },
        place,
      );
    const value = input === null ? null : readScalar(scope, part.property, input, place);
    return value === undefined ? [] : [value];
  });
}

/** The values of the key or item that the rows are identified by, without those that the body contains. */
export function keyInputs(
  model: Model,
  rows: Rows,
  values: readonly InputValue[],
): readonly InputValue[] {
  const key = inputsOf(model, rows.row.type, keyOf(model, rows) ?? []);
  const reference = itemReferenceOf(model, rows);
  if (reference === undefined) return key;
  const path = [reference.collection.property];
  const isGiven = values.some((value) => pathName(value.path) === pathName(path));
  return isGiven ? key : [...key, { kind: 'json', path, text: printJson([reference.item]) }];
}

/** Whether the rows are identified by values with which a write can create them. */
export function isNamed(model: Model, rows: Rows): boolean {
  if (itemReferenceOf(model, rows) !== undefined) return true;
  return !isServerKeyed(model, rows.row.type) && keyOf(model, rows) !== undefined;
}

/**
 * The body of an entity that is addressed by an item, with that item in its collection: the entity must keep its address. A change
 * keeps collections that it does not contain. Adds a mistake if the body has another item of the same kind instead.
 */
export function withReference(
  scope: ValueScope,
  rows: Rows,
  mode: 'create' | 'merge' | 'replace',
  { input, target }: Written,
): JsonInput {
  const reference = itemReferenceOf(scope.model, rows);
  if (reference === undefined || !isJsonObject(input)) return input;
  const { collection, item } = reference;
  const { name } = collection.property;
  const items = Object.hasOwn(input, name) ? input[name] : undefined;
  if (items === undefined) return mode === 'replace' ? { ...input, [name]: [item] } : input;
  if (!isJsonArray(items)) return input;
  const agrees = (other: JsonInput, members: readonly Property[]) =>
    isJsonObject(other) && members.every((member) => other[member.name] === item[member.name]);
  if (items.some((other) => agrees(other, collection.members))) return input;
  if (items.some((other) => agrees(other, collection.members.slice(0, -1)))) {
    const place = memberPath(target, name);
    scope.mistakes.add('write.item-contradiction', { name: place, item: printJson(item) }, place);
  }
  return { ...input, [name]: [...items, item] };
}

/** The values of a key, in key order, as inputs. */
export function inputsOf(
  model: Model,
  type: EntityType,
  key: readonly Value[],
): readonly InputValue[] {
  return keyProperties(model, type).flatMap(({ path }, index) => {
    const value = key[index];
    return value === undefined ? [] : [{ kind: 'value', path, value } as const];
  });
}

/** The rows among which a key identifies one. */
export interface KeyedRows {
  readonly rowId: number;
  readonly model: Model;
  readonly source: Source;
  readonly type: EntityType;
  readonly origin: RowOrigin;
}

/** The row with the key. */
export function rowsByKey(
  { rowId, model, source, type, origin }: KeyedRows,
  key: readonly Value[],
): Rows {
  const row = { kind: 'entity', id: rowId, source, type } as const;
  const where = keyProperties(model, type).map(({ path, property }, index): Expression => {
    const valueType = typeOfReference(model, property);
    return comparison(
      'eq',
      propertyOf(row, path, valueType),
      constant(valueType, key[index] ?? null),
    );
  });
  return { row, origin, where };
}

/** The key values in the conditions of the rows, in key order; undefined if the conditions do not contain the key. */
export function keyOf(model: Model, rows: Rows): readonly Value[] | undefined {
  const values = new Map(rows.where.flatMap((expression) => keyEntry(expression, rows)));
  const key: Value[] = [];
  for (const { name } of keyProperties(model, rows.row.type)) {
    const value = values.get(name);
    if (value === undefined || value === null) return undefined;
    key.push(value);
  }
  return key.length === 0 ? undefined : key;
}

/** Whether both refer to the same row of a source by its key. */
export function isSameRow(model: Model, one: Rows, other: Rows): boolean {
  if (one.row.source.id !== other.row.source.id) return false;
  if (one.origin.kind !== 'source' || other.origin.kind !== 'source') return false;
  const key = keyOf(model, one);
  const otherKey = keyOf(model, other);
  return (
    key !== undefined && otherKey !== undefined && key.every((value, at) => value === otherKey[at])
  );
}

function keyEntry(expression: Expression, rows: Rows): readonly (readonly [string, Value])[] {
  if (expression.kind === 'and') return expression.operands.flatMap((part) => keyEntry(part, rows));
  if (expression.kind !== 'compare' || expression.operator !== 'eq') return [];
  const { left, right } = expression;
  if (left.kind !== 'property' || right.kind !== 'literal') return [];
  const isOwn = left.row.kind === 'variable' && left.row.row.id === rows.row.id;
  return isOwn ? [[pathName(left.path), right.value]] : [];
}

function memberAt(input: JsonInput, names: readonly string[]): JsonInput | undefined {
  let current: JsonInput | undefined = input;
  for (const name of names) {
    if (!isJsonObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}
