// This file writes the OpenAPI operations on entities: list, get, create, update, delete, and the streams of media entities.
// OData to OpenAPI Mapping, "Path Items for Entity Sets", "Path Items for Entities", "Query Options".

import { type EntitySet, type EntityType, isStructured, type Model, simpleName } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import type { Capabilities, QueryOption, ResourcePath } from './restrictions.ts';
import { componentName, schemaReference } from './schemas.ts';

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
}

export const ERROR = { $ref: '#/components/responses/error' };

const COMMON_OPTIONS: readonly QueryOption[] = ['top', 'skip', 'search', 'filter', 'count'];
const TYPED_OPTIONS: readonly QueryOption[] = ['orderby', 'select', 'expand'];

export function getList(resource: Resource, capabilities: Capabilities): JsonObject {
  const options = [...COMMON_OPTIONS, ...TYPED_OPTIONS].filter((option) =>
    capabilities.supports(option, resource),
  );
  return {
    summary: `Get entities from ${resource.isRelated ? 'related ' : ''}${nameOf(resource)}`,
    tags: resource.tags,
    parameters: options.map((option) => optionReference(option, resource.type)),
    responses: {
      200: {
        description: 'Retrieved entities',
        content: json(
          listSchema(schemaReference(resource.type.name), simpleName(resource.type.name)),
        ),
      },
      '4XX': ERROR,
    },
  };
}

export function getEntity(resource: Resource, capabilities: Capabilities): JsonObject {
  const options = TYPED_OPTIONS.slice(1).filter((option) =>
    capabilities.supports(option, resource),
  );
  const navigation = resource.route.at(-1)?.navigation;
  const mayBeEmpty = navigation?.nullable === true && !navigation.collection;
  return {
    summary: resource.isRelated ? `Get related ${nameOf(resource)}` : `Get ${entityOf(resource)}`,
    tags: resource.tags,
    parameters: options.map((option) => optionReference(option, resource.type)),
    responses: {
      200: { description: 'Retrieved entity', content: json(schemaReference(resource.type.name)) },
      ...(mayBeEmpty ? { 204: { description: 'There is no related entity' } } : {}),
      '4XX': ERROR,
    },
  };
}

export function postEntity(resource: Resource): JsonObject {
  return {
    summary: `Add new entity to ${resource.isRelated ? 'related ' : ''}${nameOf(resource)}`,
    tags: resource.tags,
    requestBody: {
      description: 'New entity',
      required: true,
      content:
        resource.type.hasStream === true
          ? mediaContent()
          : json(schemaReference(resource.type.name, 'create')),
    },
    responses: {
      201: { description: 'Created entity', content: json(schemaReference(resource.type.name)) },
      '4XX': ERROR,
    },
  };
}

export function patchEntity(resource: Resource): JsonObject {
  return {
    summary: `Update ${entityOf(resource)}`,
    tags: resource.tags,
    requestBody: {
      description: 'New property values',
      required: true,
      content: json(schemaReference(resource.type.name, 'update')),
    },
    responses: SUCCESS,
  };
}

export function deleteOperation(resource: Resource): JsonObject {
  return { summary: `Delete ${entityOf(resource)}`, tags: resource.tags, responses: SUCCESS };
}

/** The path item for the stream of a media entity. */
export function streamItem(resource: Resource, mayWrite: boolean): JsonObject {
  const { tags } = resource;
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const get = {
    summary: `Get media stream of ${entityOf(resource)}`,
    tags,
    responses: { 200: { description: 'Retrieved media stream', content }, '4XX': ERROR },
  };
  const put = {
    summary: `Replace media stream of ${entityOf(resource)}`,
    tags,
    requestBody: { description: 'New media stream', required: true, content },
    responses: SUCCESS,
  };
  return mayWrite ? { get, put } : { get };
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
  };
}

export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
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

const SUCCESS = { 204: { description: 'Success' }, '4XX': ERROR };

function nameOf({ set, route }: Resource): string {
  return route.at(-1)?.path ?? set.name;
}

function entityOf(resource: Resource): string {
  if (resource.isRelated) return `entity in ${nameOf(resource)}`;
  return resource.set.kind === 'set' ? `entity in ${resource.set.name} by key` : resource.set.name;
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

function optionReference(option: QueryOption, type: EntityType): JsonObject {
  const name = TYPED_OPTIONS.includes(option) ? optionName(option, type) : option;
  return { $ref: `#/components/parameters/${name}` };
}

function optionName(option: QueryOption, type: EntityType): string {
  return componentName(`${option}-${type.name}`);
}

const TYPED_TEXTS: Readonly<Record<string, string>> = {
  orderby: 'Order items by property values',
  select: 'Select properties to be returned',
  expand: 'Expand related entities',
};

/** Lists the members of the type as values. Any string is valid as well, because paths and nested options are allowed. */
function typedParameter(model: Model, type: EntityType, option: QueryOption): JsonObject {
  const known = { enum: optionValues(model, type, option) };
  return {
    name: `$${option}`,
    in: 'query',
    description: TYPED_TEXTS[option] ?? '',
    explode: false,
    schema: { type: 'array', items: { anyOf: [known, { type: 'string' }] } },
  };
}

function optionValues(model: Model, type: EntityType, option: QueryOption): readonly string[] {
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
