// This file writes the types of a model as JSON Schemas for OpenAPI 3.1. Each structured type has a schema for responses, for create
// and for update. Primitive types are written inline.
// OData to OpenAPI Mapping, "Schemas"; JSON Schema 2020-12.

import { counted } from '../../base/counted.ts';
import {
  type Described,
  type EntityType,
  type EnumType,
  isStructured,
  type Member,
  type Model,
  type Navigation,
  type Property,
  type QualifiedName,
  type StructuredType,
  simpleName,
  type TypeReference,
} from '../model.ts';
import { flattenedType, isServerGenerated } from '../property-storage.ts';
import { isJsonArray, type JsonObject } from '../value/lossless-json.ts';
import { isPrimitive, type PrimitiveName, primitiveRow } from '../value/primitives.ts';
import { countKeywords, ruleDescription, ruleKeywords } from './value-rules.ts';

/** read: responses; related: entities that responses contain with $expand; create: bodies of POST; update: bodies of PATCH. */
export type Variant = 'read' | 'related' | BodyVariant;

/** What clients send. */
export type BodyVariant = 'create' | 'update';

const VARIANTS = ['read', 'related', 'create', 'update'] as const satisfies readonly Variant[];
const SUFFIX = { read: '', related: '-related', create: '-create', update: '-update' } as const;
const TITLE = {
  read: '',
  related: ' (related)',
  create: ' (for create)',
  update: ' (for update)',
} as const;

/** Not required: responses omit it with odata.metadata=none, and for entities that the caller sees in part. */
const ETAG: JsonObject = { '@odata.etag': { type: 'string', readOnly: true } };

/** A reference to the schema of a model type. */
export function schemaReference(name: QualifiedName, variant: Variant = 'read'): JsonObject {
  return { $ref: `#/components/schemas/${componentName(name + SUFFIX[variant])}` };
}

/** Escapes characters other than ASCII letters, digits, dots, hyphens and underscores, which component names must not contain. */
export function componentName(name: string): string {
  return name.replace(
    /[^A-Za-z0-9._-]/gu,
    (character) => `_x${(character.codePointAt(0) ?? 0).toString(16)}_`,
  );
}

/**
 * The schemas of all types by component name. The caller selects those in use.
 * @param hasRelations whether entities of responses have navigation properties
 */
export function modelSchemas(
  model: Model,
  hasRelations: boolean,
): Readonly<Record<string, JsonObject>> {
  const entries = model.definition.types.flatMap((type) => {
    if (type.kind === 'enum') return [[componentName(type.name), enumSchema(model, type)] as const];
    if (!isStructured(type)) {
      return [[componentName(type.name), definitionSchema(model, type)] as const];
    }
    return VARIANTS.map((variant) => {
      const members = variant === 'read' && !hasRelations ? 'related' : variant;
      const { title, ...schema } = structuredSchema(model, type, members);
      return [
        componentName(type.name + SUFFIX[variant]),
        { title: `${String(title)}${TITLE[variant]}`, ...schema },
      ] as const;
    });
  });
  return { ...Object.fromEntries(entries), ...GEO_SCHEMAS };
}

/** The schema of a value of that type, or of an array for a collection. */
export function typeSchema(
  model: Model,
  reference: TypeReference & Pick<Described, 'annotations'>,
  variant: Variant,
): JsonObject {
  const { collection, nullable, annotations } = reference;
  const item = merged(itemSchema(model, reference, variant), ruleKeywords(annotations));
  const value = nullable ? orNull(item) : item;
  return collection ? { type: 'array', items: value, ...countKeywords(reference) } : value;
}

/** The label of an element in the default language as title, and its description. */
export function describedSchema(model: Model, element: Described): JsonObject {
  const [language = ''] = model.definition.languages;
  const label = element.labels?.[language];
  const description = ruleDescription(element.description, element, language);
  return {
    ...(label === undefined ? {} : { title: label }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Adds keywords to a schema. A description is added to the one that the schema has. */
export function merged(schema: JsonObject, added: JsonObject): JsonObject {
  const texts = [added, schema].flatMap(({ description: text }) =>
    typeof text === 'string' ? [text] : [],
  );
  const description = texts.length === 0 ? {} : { description: texts.join('\n\n') };
  return { ...schema, ...added, ...description };
}

function definitionSchema(
  model: Model,
  type: Described & { readonly underlying: string; readonly facets: TypeReference['facets'] },
): JsonObject {
  const reference = { type: type.underlying, collection: false, nullable: false };
  const schema = itemSchema(model, { ...reference, facets: type.facets }, 'read');
  return merged(merged(schema, ruleKeywords(type.annotations)), describedSchema(model, type));
}

function enumSchema(model: Model, type: EnumType): JsonObject {
  const names = type.members.map(({ name }) => name);
  const values = type.flags
    ? { description: `One or more of ${names.join(', ')}, separated by commas` }
    : { enum: names };
  return {
    title: simpleName(type.name),
    type: 'string',
    ...values,
    ...describedSchema(model, type),
  };
}

function structuredSchema(model: Model, type: StructuredType, variant: Variant): JsonObject {
  const members = [...model.members(type).values()];
  const keys = type.kind === 'entity' ? keyNames(model, type) : [];
  const sent = members.filter((member) => isSent(member, variant, keys));
  const required =
    variant === 'create'
      ? sent.filter((one) => isRequired(model, one)).map(({ name }) => name)
      : [];
  const children = model.definition.types.filter(
    (other) => isStructured(other) && other.base === type.name,
  );
  const derived = children.map(({ name }) => schemaReference(name, variant));
  const { title = simpleName(type.name), ...described } = describedSchema(model, type);
  return {
    title,
    ...described,
    type: 'object',
    properties: {
      ...(type.kind === 'entity' && isResponse(variant) ? ETAG : {}),
      ...Object.fromEntries(
        sent.flatMap((member) => Object.entries(memberSchemas(model, member, variant))),
      ),
    },
    ...(required.length === 0 ? {} : { required }),
    // The empty schema is for values of the type itself, unless it is abstract.
    ...(derived.length === 0 ? {} : { anyOf: type.abstract === true ? derived : [...derived, {}] }),
  };
}

export function keyNames(model: Model, type: EntityType): readonly string[] {
  return model.key(type).map(({ path }) => path);
}

/**
 * Members that only the service sets are never sent, other keys and immutable members only on create, contained entities not on update. Related entities have
 * no relations, because otherwise each schema would contain nearly all others.
 */
export function isSent(member: Member, variant: Variant, keys: readonly string[]): boolean {
  if (variant === 'read') return true;
  if (variant === 'related') return member.kind === 'property';
  if (member.kind === 'property' ? isServerGenerated(member) : member.computed === true)
    return false;
  if (variant === 'create') return true;
  if (member.immutable === true || keys.includes(member.name)) return false;
  return member.kind === 'property' || !member.contained;
}

/** Whether a new entity without the member is rejected. A complex value is added with its defaults, unless a member of it is required. */
export function isRequired(model: Model, member: Member): boolean {
  if (member.kind === 'navigation' || member.nullable || member.collection) return false;
  if (member.defaultValue !== undefined || member.generated !== undefined) return false;
  const type = flattenedType(model, member);
  const inner = type === undefined ? [] : [...model.members(type).values()];
  return type === undefined || inner.some((one) => isRequiredInside(model, one));
}

function isRequiredInside(model: Model, member: Member): boolean {
  if (member.computed === true) return false;
  return member.kind === 'property'
    ? isRequired(model, member)
    : !member.nullable && !member.collection;
}

function memberSchemas(model: Model, member: Member, variant: Variant): JsonObject {
  if (member.kind === 'property') return { [member.name]: propertySchema(model, member, variant) };
  if (variant === 'create' && member.contained && isMedia(model, member)) return {};
  return variant === 'read' || (member.contained && variant === 'create')
    ? navigationSchemas(model, member, variant)
    : { [`${member.name}@odata.bind`]: linkSchema(member) };
}

/** A media entity is created with its content and cannot be nested in its owner. */
export function isMedia(model: Model, navigation: Navigation): boolean {
  const target = model.types.get(navigation.target);
  return target?.kind === 'entity' && target.hasStream === true;
}

function propertySchema(model: Model, property: Property, variant: Variant): JsonObject {
  const list = property.codeList;
  const codes = list === undefined ? {} : { description: `A value of the code list ${list}` };
  const { defaultValue } = property;
  const described = { ...codes, ...describedSchema(model, property) };
  return {
    ...merged(typeSchema(model, property, variant), described),
    // A subschema, because type generators take a property with a default for one that is always present.
    ...(defaultValue === undefined || variant !== 'create'
      ? {}
      : { allOf: [{ default: defaultValue }] }),
    ...(isResponse(variant) && property.computed === true ? { readOnly: true } : {}),
  };
}

function isResponse(variant: Variant): boolean {
  return variant === 'read' || variant === 'related';
}

function navigationSchemas(model: Model, navigation: Navigation, variant: Variant): JsonObject {
  const target = schemaReference(navigation.target, variant === 'read' ? 'related' : variant);
  const described = describedSchema(model, navigation);
  if (!navigation.collection) {
    const schema = navigation.nullable ? orNull(target) : target;
    return { [navigation.name]: { ...schema, ...described } };
  }
  const list = { [navigation.name]: { type: 'array', items: target, ...described } };
  return variant === 'read'
    ? { ...list, [`${navigation.name}@odata.count`]: { $ref: '#/components/schemas/count' } }
    : list;
}

function linkSchema(navigation: Navigation): JsonObject {
  const link = { type: 'string', format: 'uri-reference' };
  if (navigation.collection) return { type: 'array', items: link };
  return navigation.nullable ? orNull(link) : link;
}

function itemSchema(model: Model, reference: TypeReference, variant: Variant): JsonObject {
  const { type, facets } = reference;
  if (isPrimitive(type)) return primitiveSchema(type, facets);
  const named = model.types.get(type);
  if (named === undefined || !isStructured(named)) return schemaReference(type);
  return schemaReference(type, variant === 'related' && isFlat(model, named) ? 'read' : variant);
}

/** Whether both schemas for responses are the same, since no value of the type contains a navigation property. */
function isFlat(model: Model, type: StructuredType): boolean {
  return (
    !model.definition.types.some((other) => isStructured(other) && other.base === type.name) &&
    [...model.members(type).values()].every(
      (member) => member.kind === 'property' && flattenedType(model, member) === undefined,
    )
  );
}

/** Allows null: as another type, or as an alternative to a reference. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, ...rest } = schema;
  const others = isJsonArray(values) ? { ...rest, enum: [...values, null] } : rest;
  if (typeof type === 'string') return { type: [type, 'null'], ...others };
  if (Array.isArray(type)) return { type: [...type, 'null'], ...others };
  return Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
}

const INTEGER_FORMATS: Readonly<Record<string, string>> = {
  'Edm.Byte': 'uint8',
  'Edm.SByte': 'int8',
  'Edm.Int16': 'int16',
  'Edm.Int32': 'int32',
};

function primitiveSchema(type: PrimitiveName, facets: TypeReference['facets']): JsonObject {
  const { maxLength } = facets;
  const length = maxLength === undefined ? {} : { maxLength };
  const row = primitiveRow(type);
  switch (row.class) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return type === 'Edm.Int64'
        ? { type: ['integer', 'string'], format: 'int64' }
        : { type: 'integer', format: INTEGER_FORMATS[type] ?? 'int32' };
    case 'decimal':
      return decimalSchema(facets);
    case 'floating':
      return { type: ['number', 'string'], format: type === 'Edm.Single' ? 'float' : 'double' };
    case 'string':
      return { type: 'string', ...length };
    case 'guid':
      return { type: 'string', format: 'uuid' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'point':
      return { type: 'string', format: 'date-time' };
    case 'time':
      return { type: 'string', format: 'time' };
    case 'duration':
      return { type: 'string', format: 'duration' };
    case 'binary':
      return { type: 'string', format: 'base64url' };
    case 'stream':
      return { type: 'string', format: 'base64url', readOnly: true };
    case 'geo':
      return { $ref: `#/components/schemas/geo${row.geo?.shape ?? ''}` };
    case 'untyped':
    case 'abstract':
      return {};
  }
}

/** A scale is described in words, because validators calculate with doubles and find that 2467.45 is not a multiple of 0.01. */
function decimalSchema({ scale = 'variable' }: TypeReference['facets']): JsonObject {
  const schema = { type: ['number', 'string'], format: 'decimal' };
  if (typeof scale !== 'number') return schema;
  if (scale === 0) return { ...schema, multipleOf: 1 };
  return { ...schema, description: `At most ${counted(scale, 'decimal place')}` };
}

const position = { $ref: '#/components/schemas/geoPosition' };
const listOf = (items: JsonObject, minItems?: number): JsonObject => ({
  type: 'array',
  items,
  ...(minItems === undefined ? {} : { minItems }),
});
const shape = (name: string, coordinates: JsonObject): JsonObject => ({
  type: 'object',
  properties: { type: { const: name }, coordinates },
  required: ['type', 'coordinates'],
});
const rings = listOf(listOf(position, 4));

/** GeoJSON, RFC 7946. */
const GEO_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  geo: {
    anyOf: [
      'Point',
      'LineString',
      'Polygon',
      'MultiPoint',
      'MultiLineString',
      'MultiPolygon',
      'GeometryCollection',
    ].map((name) => ({ $ref: `#/components/schemas/geo${name}` })),
  },
  geoPosition: listOf({ type: 'number' }, 2),
  geoPoint: shape('Point', position),
  geoLineString: shape('LineString', listOf(position, 2)),
  geoPolygon: shape('Polygon', rings),
  geoMultiPoint: shape('MultiPoint', listOf(position)),
  geoMultiLineString: shape('MultiLineString', listOf(listOf(position, 2))),
  geoMultiPolygon: shape('MultiPolygon', listOf(rings)),
  geoGeometryCollection: {
    type: 'object',
    properties: {
      type: { const: 'GeometryCollection' },
      geometries: listOf({ $ref: '#/components/schemas/geo' }),
    },
    required: ['type', 'geometries'],
  },
};
