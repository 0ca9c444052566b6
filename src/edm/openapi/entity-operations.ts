// This file writes the OpenAPI operations on entities: list, get, create, update and delete.
// OData to OpenAPI Mapping, "Path Items for Entity Sets", "Path Items for Entities", "Query Options".

import { type EntitySet, type EntityType, isStructured, type Model, simpleName } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import { operationId, type ResourceNames } from './operation-ids.ts';
import type { Capabilities, ResourcePath } from './restrictions.ts';
import { componentName, schemaReference } from './schemas.ts';
import {
  ENTITY_HEADERS,
  ERROR,
  json,
  parameterReference,
  responseReference,
} from './shared-components.ts';
import { hasUniqueFileName, isAlone, mayCreate, takesSlug } from './upserts.ts';

/** The resource that a path identifies. */
export interface Resource extends ResourcePath {
  readonly model: Model;
  /** The path template: `/Books({Id})/Pages`. */
  readonly path: string;
  readonly type: EntityType;
  readonly set: EntitySet;
  /** The key parameters in the path. */
  readonly parameters: readonly JsonObject[];
  readonly tags: readonly string[];
  readonly isRelated: boolean;
  /** Addressed by an item that identifies it. */
  readonly isReferred?: boolean;
  readonly names: ResourceNames;
}

const COMMON_OPTIONS = ['top', 'skip', 'search', 'filter', 'count'] as const;
const TYPED_OPTIONS = ['orderby', 'select', 'expand'] as const;

type TypedOption = (typeof TYPED_OPTIONS)[number];

export function getList(resource: Resource, capabilities: Capabilities): JsonObject {
  const { type } = resource;
  const common = COMMON_OPTIONS.filter((option) => capabilities.supports(option, resource));
  const typed = TYPED_OPTIONS.filter((option) => capabilities.supports(option, resource));
  return {
    operationId: operationId('list', resource.names.list),
    summary: `Get entities from ${resource.isRelated ? 'related ' : ''}${nameOf(resource)}`,
    tags: resource.tags,
    parameters: [
      ...common.map(parameterReference),
      ...typed.map((option) => typedReference(option, type)),
      parameterReference('prefer'),
    ],
    responses: { 200: typedResponse('list', type), '4XX': ERROR },
  };
}

export function getEntity(resource: Resource, capabilities: Capabilities): JsonObject {
  const options = TYPED_OPTIONS.slice(1).filter((option) =>
    capabilities.supports(option, resource),
  );
  const navigation = resource.route.at(-1)?.navigation;
  const mayBeEmpty =
    navigation === undefined
      ? resource.set.kind === 'singleton' && resource.set.nullable === true
      : navigation.nullable && !navigation.collection;
  return {
    operationId: operationId('get', resource.names.entity),
    summary: resource.isRelated ? `Get related ${nameOf(resource)}` : `Get ${entityOf(resource)}`,
    tags: resource.tags,
    parameters: [
      ...options.map((option) => typedReference(option, resource.type)),
      parameterReference('ifNoneMatch'),
    ],
    responses: {
      200: typedResponse('entity', resource.type),
      ...(mayBeEmpty ? { 204: responseReference('noEntity') } : {}),
      304: responseReference('notModified'),
      '4XX': ERROR,
    },
  };
}

/** With `Prefer: conflict-resolution=replace`, an uploaded file replaces a related one of the same name: 200. */
export function postEntity(resource: Resource): JsonObject {
  const { model, type } = resource;
  const isNamed = type.hasStream === true && takesSlug(model, type);
  const mayReplace = resource.route.length > 0 && hasUniqueFileName(model, type);
  return {
    operationId: operationId('create', resource.names.entity),
    summary: `Add new entity to ${resource.isRelated ? 'related ' : ''}${nameOf(resource)}`,
    tags: resource.tags,
    parameters: [
      ...(isNamed ? [parameterReference('slug')] : []),
      parameterReference('prefer'),
      parameterReference('idempotencyKey'),
    ],
    requestBody: typedBody('create', type),
    responses: {
      ...(mayReplace ? { 200: typedResponse('entity', type) } : {}),
      201: typedResponse('entity', type),
      '4XX': ERROR,
    },
  };
}

/** With `Prefer: return=representation`, the response contains the entity. */
export function patchEntity(resource: Resource, capabilities: Capabilities): JsonObject {
  const { parameters, responses } = changeOf(resource, capabilities);
  const isUpsert = mayCreate(resource, capabilities, 'json');
  const created = isUpsert ? { 201: typedResponse('entity', resource.type) } : {};
  return {
    operationId: operationId('update', resource.names.entity),
    summary: `${isUpsert ? 'Update or create' : 'Update'} ${entityOf(resource)}`,
    tags: resource.tags,
    parameters: [
      ...parameters,
      ...(isUpsert ? [parameterReference('ifNoneMatch')] : []),
      parameterReference('prefer'),
    ],
    requestBody:
      isUpsert && isAlone(resource)
        ? completeBody(resource.type)
        : typedBody('update', resource.type),
    responses: { 200: typedResponse('entity', resource.type), ...created, ...responses },
  };
}

export function deleteOperation(resource: Resource, capabilities: Capabilities): JsonObject {
  return {
    operationId: operationId('delete', resource.names.entity),
    summary: `Delete ${entityOf(resource)}`,
    tags: resource.tags,
    ...changeOf(resource, capabilities),
  };
}

/** The headers of a request that changes an existing entity, and its responses without content. */
export function changeOf(path: ResourcePath, capabilities: Capabilities) {
  const needsTag = capabilities.requiresEtag(path);
  return {
    parameters: [
      parameterReference(needsTag ? 'ifMatchRequired' : 'ifMatch'),
      parameterReference('idempotencyKey'),
    ],
    responses: {
      204: responseReference('success'),
      ...(needsTag ? { 428: responseReference('etagRequired') } : {}),
      '4XX': ERROR,
    },
  };
}

/** The response schema of a collection. */
export function listSchema(items: JsonObject, title: string): JsonObject {
  return {
    type: 'object',
    title: `Collection of ${title}`,
    properties: {
      '@odata.count': { $ref: '#/components/schemas/count' },
      '@odata.nextLink': { type: 'string', format: 'uri-reference' },
      value: { type: 'array', items },
    },
    required: ['value'],
  };
}

/** The query options that list the members of a type, by component name. */
export function typedParameters(model: Model): Readonly<Record<string, JsonObject>> {
  const entities = model.definition.types.filter((type) => type.kind === 'entity');
  const entries = entities.flatMap((type) =>
    TYPED_OPTIONS.map(
      (option) => [optionName(option, type), typedParameter(model, type, option)] as const,
    ),
  );
  return Object.fromEntries(entries);
}

/** The responses with entities of each type, by component name. */
export function typedResponses(model: Model): Readonly<Record<string, JsonObject>> {
  const entities = model.definition.types.filter((type) => type.kind === 'entity');
  const entries = entities.flatMap(({ name }) => {
    const entity = schemaReference(name);
    const list = json(listSchema(entity, simpleName(name)));
    return [
      [
        componentName(`entity-${name}`),
        { description: 'Entity', headers: ENTITY_HEADERS, content: json(entity) },
      ] as const,
      [
        componentName(`list-${name}`),
        { description: 'Retrieved entities', content: list },
      ] as const,
    ];
  });
  return Object.fromEntries(entries);
}

/** The bodies with new entities and changes of each type, by component name. */
export function typedBodies(model: Model): Readonly<Record<string, JsonObject>> {
  const entities = model.definition.types.filter((type) => type.kind === 'entity');
  const entries = entities.flatMap(({ name, hasStream }) => {
    const create = hasStream === true ? mediaContent() : json(schemaReference(name, 'create'));
    const update = json(schemaReference(name, 'update'));
    return [
      [
        componentName(`create-${name}`),
        { description: 'New entity', required: true, content: create },
      ] as const,
      [
        componentName(`update-${name}`),
        { description: 'New property values', required: true, content: update },
      ] as const,
    ];
  });
  return Object.fromEntries(entries);
}

function typedBody(kind: 'create' | 'update', { name }: EntityType): JsonObject {
  return { $ref: `#/components/requestBodies/${componentName(`${kind}-${name}`)}` };
}

/** Changes of an entity, or the whole entity if it does not exist, with its key, which the URL does not contain. */
function completeBody({ name }: EntityType): JsonObject {
  const variants = (['create', 'update'] as const).map((kind) => schemaReference(name, kind));
  return {
    description: 'New property values, or a new entity if none exists',
    required: true,
    content: json({ anyOf: variants }),
  };
}

/** A reference to the response with entities of the type. */
export function typedResponse(kind: 'entity' | 'list', { name }: EntityType): JsonObject {
  return { $ref: `#/components/responses/${componentName(`${kind}-${name}`)}` };
}

function nameOf({ set, route }: Resource): string {
  return route.at(-1)?.path ?? set.name;
}

/** The entity in summaries. */
export function entityOf(resource: Resource): string {
  if (resource.isRelated) return `entity in ${nameOf(resource)}`;
  const by = resource.isReferred === true ? 'reference' : 'key';
  return resource.set.kind === 'set'
    ? `entity in ${resource.set.name} by ${by}`
    : resource.set.name;
}

function mediaContent(): JsonObject {
  const file = { type: 'string', format: 'binary' };
  return {
    '*/*': { schema: file },
    'multipart/form-data': {
      schema: { type: 'object', properties: { file }, required: ['file'] },
    },
  };
}

function typedReference(option: TypedOption, type: EntityType): JsonObject {
  return { $ref: `#/components/parameters/${optionName(option, type)}` };
}

function optionName(option: TypedOption, type: EntityType): string {
  return componentName(`${option}-${type.name}`);
}

const TYPED_TEXTS = {
  orderby: 'Order items by property values',
  select: 'Select properties to be returned',
  expand: 'Expand related entities',
} as const satisfies Record<TypedOption, string>;

/** Lists the members of the type as values. Any string is valid as well, because paths and nested options are allowed. */
function typedParameter(model: Model, type: EntityType, option: TypedOption): JsonObject {
  const known = { enum: optionValues(model, type, option) };
  return {
    name: `$${option}`,
    in: 'query',
    description: TYPED_TEXTS[option],
    explode: false,
    schema: { type: 'array', items: { anyOf: [known, { type: 'string' }] } },
  };
}

function optionValues(model: Model, type: EntityType, option: TypedOption): readonly string[] {
  const members = [...model.members(type).values()];
  const properties = members.filter((member) => member.kind === 'property');
  switch (option) {
    case 'orderby': {
      const sortable = properties.filter((property) => {
        const type = model.types.get(property.type);
        return !property.collection && (type === undefined || !isStructured(type));
      });
      return sortable.flatMap(({ name }) => [name, `${name} desc`]);
    }
    case 'select':
      return properties.map(({ name }) => name);
    default: {
      const navigations = members.filter((member) => member.kind === 'navigation');
      return ['*', ...navigations.map(({ name }) => name)];
    }
  }
}
