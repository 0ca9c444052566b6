// This file writes a model as an OpenAPI 3.1 document. It combines the paths from paths.ts with the schemas from schemas.ts and keeps
// only the components in use.
// OData to OpenAPI Mapping 1.0 (OASIS Committee Note); OpenAPI 3.1.

import { type Annotations, type Model, type ModelDefinition, makeModel } from '../model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';
import { typedBodies, typedParameters, typedResponses } from './entity-operations.ts';
import { keyParameters } from './operation-calls.ts';
import { MAX_DEPTH, modelPaths, type Selection } from './paths.ts';
import { capabilitiesOf } from './restrictions.ts';
import { describedSchema, modelSchemas } from './schemas.ts';
import { ERROR, PARAMETERS, RESPONSES, SCHEMAS } from './shared-components.ts';

export interface OpenApiOptions extends Selection {
  /** Version of the described service. */
  readonly version: string;
  /** The URL of the service root. */
  readonly server: string;
  /** Annotations by target, as for toCsdl. Restricted operations are omitted. */
  readonly capabilities?: Readonly<Record<string, Annotations>>;
  /** `components.securitySchemes`, as alternatives. */
  readonly securitySchemes?: Readonly<Record<string, JsonObject>>;
  /** Path items outside the model, such as a token endpoint. */
  readonly morePaths?: Readonly<Record<string, JsonObject>>;
}

/** Writes a definition as an OpenAPI document. */
export function toOpenApi(definition: ModelDefinition, options: OpenApiOptions): JsonObject {
  const model = makeModel(definition);
  const capabilities = capabilitiesOf(definition, options.capabilities);
  const container = options.capabilities?.[definition.container];
  const annotations = { ...definition.containerAnnotations, ...container };
  const paths = {
    ...modelPaths(model, capabilities, options),
    ...(options.isCompact !== true && supportsBatch(annotations) ? { '/$batch': BATCH } : {}),
    ...options.morePaths,
  };
  const schemes = options.securitySchemes ?? {};
  return {
    openapi: '3.1.0',
    info: info(model, options.version),
    servers: [{ url: options.server.replace(/\/$/, '') }],
    tags: tags(model, paths),
    ...(Object.keys(schemes).length === 0
      ? {}
      : { security: Object.keys(schemes).map((name) => ({ [name]: [] })) }),
    paths,
    components: components(model, paths, options),
  };
}

/** Vocabulary Org.OData.Capabilities.V1: BatchSupported, and BatchSupport, which replaced it. */
function supportsBatch(annotations: Annotations): boolean {
  const support = annotations['Capabilities.BatchSupport'] ?? null;
  const isDenied = isJsonObject(support) && support.Supported === false;
  return !isDenied && annotations['Capabilities.BatchSupported'] !== false;
}

function info(model: Model, version: string): JsonObject {
  const { definition } = model;
  const namespace = definition.namespaces[0]?.name ?? '';
  const { title = `Service for namespace ${namespace}`, ...described } = describedSchema(
    model,
    definition,
  );
  return { title, ...described, version };
}

/** The tags in use, with the descriptions of their sets. */
function tags(model: Model, paths: JsonObject): readonly JsonObject[] {
  const used = new Set(
    Object.values(paths).flatMap((item) =>
      Object.values(isJsonObject(item) ? item : {}).flatMap((operation) =>
        isJsonObject(operation) && isJsonArray(operation.tags) ? operation.tags : [],
      ),
    ),
  );
  return [...used]
    .filter((name) => typeof name === 'string')
    .map((name) => {
      const set = model.sets.get(name);
      const { title, description = title } = set === undefined ? {} : describedSchema(model, set);
      return { name, ...(description === undefined ? {} : { description }) };
    });
}

function components(
  model: Model,
  paths: JsonObject,
  { securitySchemes = {}, isCompact = false }: OpenApiOptions,
): JsonObject {
  const all = {
    schemas: { ...modelSchemas(model, !isCompact), ...SCHEMAS },
    parameters: { ...PARAMETERS, ...typedParameters(model), ...keyParameters(model, MAX_DEPTH) },
    responses: { ...RESPONSES, ...typedResponses(model) },
    requestBodies: typedBodies(model),
  };
  const used = reachableReferences(all, [paths, ERROR]);
  const keep = (section: keyof typeof all) =>
    Object.fromEntries(
      Object.entries(all[section]).filter(([name]) => used.has(`#/components/${section}/${name}`)),
    );
  return {
    schemas: keep('schemas'),
    parameters: keep('parameters'),
    responses: keep('responses'),
    requestBodies: keep('requestBodies'),
    ...(Object.keys(securitySchemes).length === 0 ? {} : { securitySchemes }),
  };
}

/** All direct and indirect references from the roots. */
function reachableReferences(
  all: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>,
  roots: readonly JsonInput[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = roots.flatMap(referencesIn);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const [, , section = '', name = ''] = next.split('/');
    const component = all[section]?.[name];
    if (component !== undefined) queue.push(...referencesIn(component));
  }
  return found;
}

function referencesIn(value: JsonInput): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

const BATCH = {
  post: {
    operationId: 'sendBatch',
    summary: 'Send a group of requests',
    tags: ['Batch Requests'],
    requestBody: {
      description: 'Batch request',
      required: true,
      content: {
        'multipart/mixed': {
          schema: { type: 'string' },
          example:
            '--request-separator\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n' +
            'GET $metadata HTTP/1.1\r\n\r\n\r\n--request-separator--',
        },
        'application/json': {
          schema: {
            type: 'object',
            required: ['requests'],
            properties: { requests: { type: 'array', items: { type: 'object' } } },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'Batch response',
        content: {
          'multipart/mixed': { schema: { type: 'string' } },
          'application/json': { schema: { type: 'object' } },
        },
      },
      '4XX': ERROR,
    },
  },
};
