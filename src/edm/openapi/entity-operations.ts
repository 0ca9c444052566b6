// This file writes the operations on entities for an OpenAPI description: reading lists and single ones, adding, changing, deleting,
// and the streams of media entities.
// OData to OpenAPI Mapping, "Path Items for Entity Sets", "Path Items for Entities", "Query Options".

import { type EntitySet, type EntityType, isStructured, type Model, simpleName } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import type { QueryOption, Rights, Spot } from './restrictions.ts';
import { componentName, schemaReference } from './schemas.ts';

/** A place that a path leads to. */
export interface Place extends Spot {
  readonly model: Model;
  /** As it stands in the description: `/Books({Id})/Pages`. */
  readonly path: string;
  readonly type: EntityType;
  readonly set: EntitySet;
  /** Parameters for the keys in the path. */
  readonly parameters: readonly JsonObject[];
  readonly tags: readonly string[];
  readonly isRelated: boolean;
}

export const ERROR = { $ref: '#/components/responses/error' };

const COMMON_OPTIONS: readonly QueryOption[] = ['top', 'skip', 'search', 'filter', 'count'];
const TYPED_OPTIONS: readonly QueryOption[] = ['orderby', 'select', 'expand'];

export function getList(place: Place, rights: Rights): JsonObject {
  const options = [...COMMON_OPTIONS, ...TYPED_OPTIONS].filter((option) =>
    rights.takes(option, place),
  );
  return {
    summary: `Get entities from ${place.isRelated ? 'related ' : ''}${nameOf(place)}`,
    tags: place.tags,
    parameters: options.map((option) => optionReference(option, place.type)),
    responses: {
      200: {
        description: 'Retrieved entities',
        content: json(listSchema(schemaReference(place.type.name), simpleName(place.type.name))),
      },
      '4XX': ERROR,
    },
  };
}

export function getEntity(place: Place, rights: Rights): JsonObject {
  const options = TYPED_OPTIONS.slice(1).filter((option) => rights.takes(option, place));
  const navigation = place.route.at(-1)?.navigation;
  const mayBeNothing = navigation?.nullable === true && !navigation.collection;
  return {
    summary: place.isRelated ? `Get related ${nameOf(place)}` : `Get ${entityOf(place)}`,
    tags: place.tags,
    parameters: options.map((option) => optionReference(option, place.type)),
    responses: {
      200: { description: 'Retrieved entity', content: json(schemaReference(place.type.name)) },
      ...(mayBeNothing ? { 204: { description: 'There is no related entity' } } : {}),
      '4XX': ERROR,
    },
  };
}

export function postEntity(place: Place): JsonObject {
  return {
    summary: `Add new entity to ${place.isRelated ? 'related ' : ''}${nameOf(place)}`,
    tags: place.tags,
    requestBody: {
      description: 'New entity',
      required: true,
      content:
        place.type.hasStream === true
          ? mediaContent()
          : json(schemaReference(place.type.name, 'create')),
    },
    responses: {
      201: { description: 'Created entity', content: json(schemaReference(place.type.name)) },
      '4XX': ERROR,
    },
  };
}

export function patchEntity(place: Place): JsonObject {
  return {
    summary: `Update ${entityOf(place)}`,
    tags: place.tags,
    requestBody: {
      description: 'New property values',
      required: true,
      content: json(schemaReference(place.type.name, 'update')),
    },
    responses: SUCCESS,
  };
}

export function deleteOperation(place: Place): JsonObject {
  return { summary: `Delete ${entityOf(place)}`, tags: place.tags, responses: SUCCESS };
}

/** The bytes of a media entity. */
export function streamItem(place: Place, mayWrite: boolean): JsonObject {
  const { tags } = place;
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const get = {
    summary: `Get media stream of ${entityOf(place)}`,
    tags,
    responses: { 200: { description: 'Retrieved media stream', content }, '4XX': ERROR },
  };
  const put = {
    summary: `Replace media stream of ${entityOf(place)}`,
    tags,
    requestBody: { description: 'New media stream', required: true, content },
    responses: SUCCESS,
  };
  return mayWrite ? { get, put } : { get };
}

/** The answer to a request for a collection. */
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

/** The query options that name members of a type, by component name. */
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

function nameOf({ set, route }: Place): string {
  return route.at(-1)?.path ?? set.name;
}

function entityOf(place: Place): string {
  if (place.isRelated) return `entity in ${nameOf(place)}`;
  return place.set.kind === 'set' ? `entity in ${place.set.name} by key` : place.set.name;
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

/** The members at hand are listed; paths and options in parentheses can be written too. */
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
      const single = properties.filter((property) => {
        const named = model.types.get(property.type);
        return !property.collection && (named === undefined || !isStructured(named));
      });
      return single.flatMap(({ name }) => [name, `${name} desc`]);
    }
    case 'select':
      return properties.map(({ name }) => name);
    default: {
      const navigations = members.filter((member) => member.kind === 'navigation');
      return ['*', ...navigations.map(({ name }) => name)];
    }
  }
}
