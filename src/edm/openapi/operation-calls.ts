// This file writes key predicates and operation calls for OpenAPI: the parentheses in a path with their parameters, and the requests
// and responses of functions and actions.
// OData to OpenAPI Mapping, "Path Items for Action Imports", "Path Items for Function Imports", "Path Items for Bound Actions".

import {
  type EntityType,
  type Model,
  memberAt,
  type Operation,
  type Parameter,
  type Property,
  simpleName,
  type TypeReference,
} from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import { resolvePrimitive } from '../value/primitives.ts';
import { listSchema } from './entity-operations.ts';
import { componentName, describedSchema, merged, typeSchema } from './schemas.ts';
import { ERROR, json, parameterReference, responseReference } from './shared-components.ts';

/** The parentheses in a path template, and their parameters. */
export interface Call {
  readonly text: string;
  readonly parameters: readonly JsonObject[];
}

/**
 * The key predicate of an entity type, `({Id})` or `(Order={Order},Item='{Item}')`; undefined without a key.
 * @param depth the number of preceding navigations, which keeps parameter names unique: `{Id_1}`
 */
export function keyCall(model: Model, type: EntityType, depth: number): Call | undefined {
  const parts = keyParts(model, type, depth);
  if (parts.length === 0) return undefined;
  const literals = parts.map(({ name, parameter, property }) => ({
    name,
    text: literalText(model, property, parameter),
  }));
  const inner =
    literals.length === 1
      ? literals.map(({ text }) => text)
      : literals.map(({ name, text }) => `${name}=${text}`);
  return {
    text: `(${inner.join(',')})`,
    parameters: parts.map(({ parameter }) => ({
      $ref: `#/components/parameters/${keyName(type, parameter)}`,
    })),
  };
}

/** The parameters of the key predicates of all types, by component name. */
export function keyParameters(
  model: Model,
  maxDepth: number,
): Readonly<Record<string, JsonObject>> {
  const entities = model.definition.types.filter((type) => type.kind === 'entity');
  const entries = entities.flatMap((type) =>
    Array.from({ length: maxDepth + 1 }, (_, depth) =>
      keyParts(model, type, depth).map(
        (part) => [keyName(type, part.parameter), keyParameter(model, part)] as const,
      ),
    ).flat(),
  );
  return Object.fromEntries(entries);
}

function keyName(type: EntityType, parameter: string): string {
  return componentName(`key-${type.name}-${parameter}`);
}

interface KeyPart {
  readonly name: string;
  readonly parameter: string;
  readonly property: Property | undefined;
}

function keyParts(model: Model, type: EntityType, depth: number): readonly KeyPart[] {
  return model.key(type).map(({ path, alias }) => {
    const name = alias ?? path;
    const member = memberAt(model, type, path);
    const parameter = depth === 0 ? name : `${name}_${depth}`;
    return { name, parameter, property: member?.kind === 'property' ? member : undefined };
  });
}

function keyParameter(model: Model, { name, parameter, property }: KeyPart): JsonObject {
  return {
    name: parameter,
    in: 'path',
    required: true,
    description: `key: ${name}`,
    schema:
      property === undefined ? {} : typeSchema(model, { ...property, nullable: false }, 'read'),
  };
}

/** `(Name={Name})` for a function, with parameter aliases for values that are not primitive. Empty for an action. */
export function functionCall(
  model: Model,
  operation: Operation,
  parameters: readonly Parameter[],
): Call {
  if (operation.kind === 'action') return { text: '', parameters: [] };
  const required = parameters.filter(({ optional }) => optional !== true);
  const parts = required.map((parameter) => {
    const isInline = !parameter.collection && resolvePrimitive(model, parameter) !== undefined;
    return isInline
      ? `${parameter.name}=${literalText(model, parameter, parameter.name)}`
      : `${parameter.name}=@${parameter.name}`;
  });
  return {
    text: `(${parts.join(',')})`,
    parameters: required.map((parameter) => functionParameter(model, parameter)),
  };
}

/** What the operation's place in the model adds to its description. */
export interface OperationPlace {
  readonly operationId: string;
  readonly tags: readonly string[];
  /** Whether an action needs the ETag of the entity that it is bound to. */
  readonly needsTag: boolean;
}

/** The path item of an operation: GET for a function, POST for an action. */
export function operationItem(
  model: Model,
  operation: Operation,
  parameters: readonly Parameter[],
  { needsTag, ...place }: OperationPlace,
): JsonObject {
  const { title = `Invoke ${operation.kind} ${simpleName(operation.name)}`, ...described } =
    describedSchema(model, operation);
  const head = { operationId: place.operationId, summary: title, ...described, tags: place.tags };
  const responses = responsesOf(model, operation);
  if (operation.kind === 'function') return { get: { ...head, responses } };
  const body = parameters.length === 0 ? {} : { requestBody: actionBody(model, parameters) };
  const headers = [
    parameterReference('idempotencyKey'),
    ...(needsTag ? [parameterReference('ifMatchRequired')] : []),
  ];
  const missing = needsTag ? { 428: responseReference('etagRequired') } : {};
  return {
    post: { ...head, parameters: headers, ...body, responses: { ...responses, ...missing } },
  };
}

function responsesOf(model: Model, operation: Operation): JsonObject {
  const { returns } = operation;
  const content = returns === undefined ? undefined : json(responseSchema(model, returns));
  return {
    ...(content === undefined ? {} : { 200: { description: 'Success', content } }),
    ...(returns === undefined || returns.nullable ? { 204: responseReference('success') } : {}),
    '4XX': ERROR,
  };
}

/** Entities and complex values are returned directly, other values in a member named `value`. */
function responseSchema(model: Model, returns: TypeReference): JsonObject {
  const item = typeSchema(model, { ...returns, collection: false, nullable: false }, 'read');
  if (returns.collection) return listSchema(item, simpleName(returns.type));
  const kind = model.types.get(returns.type)?.kind;
  if (kind === 'entity' || kind === 'complex') return item;
  return { type: 'object', properties: { value: item } };
}

function actionBody(model: Model, parameters: readonly Parameter[]): JsonObject {
  const properties = parameters.map((parameter) => [
    parameter.name,
    merged(typeSchema(model, parameter, 'create'), describedSchema(model, parameter)),
  ]);
  const required = parameters
    .filter(({ optional, nullable, collection }) => optional !== true && !nullable && !collection)
    .map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
  const isRequired = required.length === 0 ? {} : { required: true };
  return { description: 'Action parameters', ...isRequired, content: json(schema) };
}

/** Null has no quotation marks, so that no value in the quotation marks of the path is null. */
function functionParameter(model: Model, parameter: Parameter): JsonObject {
  const { name, nullable } = parameter;
  const isInline = !parameter.collection && resolvePrimitive(model, parameter) !== undefined;
  const isQuoted = isInline && literalText(model, parameter, name) !== `{${name}}`;
  const schema = typeSchema(model, { ...parameter, nullable: nullable && !isQuoted }, 'read');
  const text = `For null, write ${name}=null without quotation marks`;
  const described = describedSchema(model, parameter);
  const { description } =
    isQuoted && nullable ? merged(described, { description: text }) : described;
  return {
    name: isInline ? name : `@${name}`,
    in: isInline ? 'path' : 'query',
    required: true,
    ...(description === undefined ? {} : { description }),
    ...(isInline ? { schema } : { content: json(schema) }),
  };
}

/** A placeholder formatted as a literal of its type. */
function literalText(
  model: Model,
  reference: Pick<TypeReference, 'type' | 'facets'> | undefined,
  parameter: string,
): string {
  const type = reference === undefined ? undefined : resolvePrimitive(model, reference)?.type;
  switch (type) {
    case 'Edm.String':
      return `'{${parameter}}'`;
    case 'Edm.Duration':
      return `duration'{${parameter}}'`;
    case 'Edm.Binary':
      return `binary'{${parameter}}'`;
    case undefined:
      return reference === undefined ? `{${parameter}}` : `${reference.type}'{${parameter}}'`;
    default:
      return `{${parameter}}`;
  }
}
