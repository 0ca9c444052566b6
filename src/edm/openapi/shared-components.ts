// This file contains the components that do not depend on the model: query options, request headers and responses that many operations
// refer to, so that each is written once.
// OData to OpenAPI Mapping, "Components"; OData 4.01 Protocol, "Header Fields"; RFC 9110.
import type { JsonInput, JsonObject } from '../value/lossless-json.ts';

/** The parameters that are not generated from types. */
export type SharedParameter = keyof typeof PARAMETERS;

/** The responses that are not generated from types. */
export type SharedResponse = keyof typeof RESPONSES;

export function parameterReference(name: SharedParameter): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

export function responseReference(name: SharedResponse): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

export const ERROR = responseReference('error');

/** The content of a body in JSON. */
export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name: `$${name}`,
  in: 'query',
  description,
  schema,
});

const header = (name: string, description: string, example: JsonInput): JsonObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  example,
});

/** An option without $, which the service defines. */
const option = (name: string, description: string, values?: readonly string[]): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', ...(values === undefined ? {} : { enum: values }) },
});

const IF_MATCH = header(
  'If-Match',
  'The ETag of the state to be changed; * accepts any state. Returns 412 if the state is another one.',
  'W/"1"',
);

export const PARAMETERS = {
  top: query('top', 'Show only the first n items', { type: 'integer', minimum: 0 }),
  skip: query('skip', 'Skip the first n items', { type: 'integer', minimum: 0 }),
  search: query('search', 'Search items by search phrases', { type: 'string' }),
  filter: query('filter', 'Filter items by property values', { type: 'string' }),
  count: query('count', 'Include count of items', { type: 'boolean' }),
  id: {
    ...query('id', 'The URL of the related entity', { type: 'string', format: 'uri-reference' }),
    required: true,
  },
  prefer: header(
    'Prefer',
    'Preferences, separated by commas: maxpagesize, return, dry-run, respond-async and others',
    'return=representation',
  ),
  ifMatch: IF_MATCH,
  ifMatchRequired: { ...IF_MATCH, required: true },
  ifNoneMatch: header('If-None-Match', 'The ETag of an earlier response', 'W/"1"'),
  idempotencyKey: header(
    'Idempotency-Key',
    'A unique key of the request, which allows it to be sent again if its response was lost',
    '5f0c8a1e-7a52-4a3e-9d5e-1a2b3c4d5e6f',
  ),
  slug: header(
    'Slug',
    'The name of the file, percent-encoded; the key, if clients set it and the entity has no property for the name',
    'report%202026.pdf',
  ),
  acceptLanguage: header('Accept-Language', 'The language of texts and messages', 'de'),
  importMode: option('mode', 'Whether rows create or update records; insert if absent', [
    'insert',
    'update',
    'upsert',
  ]),
  importMap: option('map', 'Properties of columns: Column:Property,Other column:Property'),
  importHeadings: option('headings', 'What the headings are; recognized if absent', [
    'names',
    'labels',
  ]),
  importFormulas: option(
    'formulas',
    'escape removes the apostrophe that exports put before formulas, keep does not; escape if absent',
    ['escape', 'keep'],
  ),
} as const satisfies Readonly<Record<string, JsonObject>>;

const ETAG_HEADERS = {
  ETag: { description: 'The state of the entity', schema: { type: 'string' } },
};

/** The headers of a response with an entity. */
export const ENTITY_HEADERS: JsonObject = ETAG_HEADERS;

const REFERENCE = { $ref: '#/components/schemas/entityReference' };

export const RESPONSES = {
  error: { description: 'Error', content: json({ $ref: '#/components/schemas/error' }) },
  success: { description: 'Success' },
  importResult: {
    description: 'What became of the rows; with Accept: text/csv, the errors as a table',
    content: {
      ...json({ $ref: '#/components/schemas/importResult' }),
      'text/csv': { schema: { type: 'string' } },
    },
  },
  noEntity: { description: 'There is no entity' },
  noContent: { description: 'There is no content' },
  notModified: { description: 'The response would be the same as the earlier one' },
  etagRequired: {
    description: 'The request needs If-Match',
    content: json({ $ref: '#/components/schemas/error' }),
  },
  number: {
    description: 'The number of entities',
    content: { 'text/plain': { schema: { type: 'integer', minimum: 0 } } },
  },
  reference: { description: 'The reference to the related entity', content: json(REFERENCE) },
  references: {
    description: 'The references to the related entities',
    content: json({
      type: 'object',
      properties: { value: { type: 'array', items: REFERENCE } },
      required: ['value'],
    }),
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

const DETAIL = {
  code: { type: 'string' },
  message: { type: 'string' },
  target: { type: 'string' },
};

const COUNT = { type: 'integer', minimum: 0 };

export const SCHEMAS = {
  count: {
    type: ['integer', 'string'],
    minimum: 0,
    description: 'The number of entities in the collection, returned with $count=true',
  },
  error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          ...DETAIL,
          details: {
            type: 'array',
            items: { type: 'object', required: ['code', 'message'], properties: DETAIL },
          },
        },
      },
    },
  },
  importResult: {
    type: 'object',
    required: ['created', 'updated', 'unchanged', 'failed', 'errors'],
    properties: {
      created: COUNT,
      updated: COUNT,
      unchanged: COUNT,
      failed: COUNT,
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['row', 'code', 'message'],
          properties: {
            row: { type: 'integer', minimum: 1 },
            column: { type: 'string' },
            value: { type: 'string' },
            code: { type: 'string' },
            message: { type: 'string' },
          },
        },
      },
    },
  },
  entityReference: {
    type: 'object',
    required: ['@odata.id'],
    properties: { '@odata.id': { type: 'string', format: 'uri-reference' } },
  },
} as const satisfies Readonly<Record<string, JsonObject>>;
