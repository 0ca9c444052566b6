// Writes the types of values in TypeScript: as the service returns them, as it takes them, and as fields of filters. Numbers of all types
// are numbers, as in the JSON of the service.
import { unreachable } from '../../base/fault.ts';
import { isStructured, type Property, type StructuredType, type TypeReference } from '../model.ts';
import type { BodyVariant } from '../openapi/schemas.ts';
import { isPrimitive, primitiveRow, resolvePrimitive } from '../value/primitives.ts';
import { type ClientScope, codeName, multiplied, typeName } from './client-scope.ts';
import { textLiteral } from './names.ts';

type Value = TypeReference & Pick<Property, 'codeList'>;

/** Larger code lists are not written as unions, which compilers and editors would take long for. */
const MAX_CODES = 1000;

const SUFFIX = { read: '', create: 'Create', update: 'Update' } as const;

/** The type of a value: `string | null`, `Care[]`. */
export function valueType(scope: ClientScope, value: Value, variant: 'read' | BodyVariant): string {
  return multiplied(itemType(scope, value, variant), value);
}

function itemType(scope: ClientScope, value: Value, variant: 'read' | BodyVariant): string {
  const type = scope.model.types.get(value.type);
  if (type?.kind === 'enum') return typeName(scope, type.name);
  if (type?.kind === 'entity' && variant !== 'read') return "{ '@odata.id': string }";
  if (type === undefined || !isStructured(type)) return primitiveType(scope, value, variant);
  if (type.kind === 'complex' && type.coded !== undefined)
    return `${typeName(scope, type.name)}${variant === 'read' ? '' : 'Input'}${codeArguments(scope, value)}`;
  return variant === 'read' ? typeName(scope, type.name) : inputType(scope, type, variant);
}

/** The body of the type itself, or of a derived type with its name. */
export function inputType(scope: ClientScope, type: StructuredType, variant: BodyVariant): string {
  const own = typeName(scope, type.name) + SUFFIX[variant];
  const derived = scope.model
    .derived(type)
    .filter(({ name, abstract }) => abstract !== true && scope.typeNames.has(name));
  if (derived.length === 0) return own;
  const others = derived.map(
    ({ name }) =>
      `(${typeName(scope, name)}${SUFFIX[variant]} & { '@odata.type': ${textLiteral(`#${name}`)} })`,
  );
  const all = type.abstract === true ? others : [own, ...others];
  return all.length === 0 ? 'never' : all.join(' | ');
}

/** `<StatusText, StatusValue>`; nothing for a code without a list, or with a very large one. */
function codeArguments(scope: ClientScope, { codeList }: Value): string {
  const list = codeList === undefined ? undefined : scope.model.codeLists.get(codeList);
  if (list === undefined || list.codes.length === 0 || list.codes.length > MAX_CODES) return '';
  const name = codeName(scope, list.name);
  return `<${name}Text, ${name}Value>`;
}

function primitiveType(scope: ClientScope, value: Value, variant: 'read' | BodyVariant): string {
  const type = resolvePrimitive(scope.model, value)?.type;
  const kind = type === undefined ? 'untyped' : primitiveRow(type).class;
  switch (kind) {
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'floating':
    case 'decimal':
      return 'number';
    case 'point':
      // JSON.stringify writes a Date as a point in time.
      return variant === 'read' ? 'string' : 'string | Date';
    case 'string':
    case 'guid':
    case 'date':
    case 'time':
    case 'duration':
    case 'binary':
      return 'string';
    case 'geo':
      return 'GeoValue';
    case 'stream':
    case 'untyped':
    case 'abstract':
      return 'unknown';
    default:
      return unreachable(kind);
  }
}

/** The type of a value in a key predicate. */
export function keyType(scope: ClientScope, property: Value): string {
  const type = resolvePrimitive(scope.model, property)?.type;
  if (type === 'Edm.Int64') return 'number | bigint';
  return itemType(scope, { ...property, nullable: false }, 'create');
}

/** The type of a field in filters. */
export function fieldType(scope: ClientScope, value: Value): string {
  const item = itemFieldType(scope, value);
  return value.collection ? `ManyField<${item}>` : item;
}

function itemFieldType(scope: ClientScope, value: Value): string {
  const type = scope.model.types.get(value.type);
  const name = typeName(scope, value.type);
  if (type?.kind === 'enum') return `EnumField<${type.flags ? `${name}Flag` : name}>`;
  if (type?.kind === 'complex' && type.coded !== undefined)
    return `${name}Fields${codeArguments(scope, value)}`;
  if (type !== undefined && isStructured(type)) return `${name}Fields`;
  return primitiveField(scope, value);
}

function primitiveField(scope: ClientScope, value: Value): string {
  const type = resolvePrimitive(scope.model, value)?.type;
  const kind = type === undefined ? 'untyped' : primitiveRow(type).class;
  switch (kind) {
    case 'boolean':
      return 'Field<boolean>';
    case 'integer':
    case 'floating':
    case 'decimal':
      return 'NumberField';
    case 'string':
      return 'TextField';
    case 'date':
    case 'point':
      return 'DateField';
    case 'guid':
    case 'time':
    case 'duration':
      return 'OrderedField<string>';
    // The service compares these with null only.
    case 'binary':
    case 'geo':
    case 'stream':
    case 'untyped':
    case 'abstract':
      return 'Field<never>';
    default:
      return unreachable(kind);
  }
}

/** What a member is at run time, which decides how literals are written: a string with a primitive type, or a constant. */
export function memberInfo(scope: ClientScope, value: Value): string {
  const item = itemInfo(scope, value);
  return value.collection ? `[${item}]` : item;
}

function itemInfo(scope: ClientScope, value: Value): string {
  const type = scope.model.types.get(value.type);
  if (type !== undefined && (type.kind === 'enum' || isStructured(type)))
    return `${typeName(scope, type.name)}Info`;
  const primitive = isPrimitive(value.type)
    ? value.type
    : resolvePrimitive(scope.model, value)?.type;
  return textLiteral(primitive ?? '');
}
