// This file writes the OpenAPI operations on streams: the content of media entities, and stream properties.
// OData to OpenAPI Mapping, "Path Items for Entities"; OData 4.01 Protocol, "Managing Media Entities", "Managing Stream Properties".
import type { Property } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import { changeOf, entityOf, type Resource, typedResponse } from './entity-operations.ts';
import { operationId } from './operation-ids.ts';
import type { Capabilities } from './restrictions.ts';
import { ERROR, parameterReference, responseReference } from './shared-components.ts';
import { mayCreate } from './upserts.ts';

const CONTENT = { '*/*': { schema: { type: 'string', format: 'binary' } } };

/** The path item for the content of a media entity. */
export function contentItem(resource: Resource, capabilities: Capabilities): JsonObject {
  const stream = { name: 'Content', text: 'media stream' };
  const get = getStream(resource, stream);
  if (!capabilities.allows('update', resource)) return { get };
  const put = putStream(resource, stream, capabilities);
  if (!mayCreate(resource, capabilities, 'media')) return { get, put };
  return { get, put: withCreation(put, resource) };
}

/** The path item for a stream property, which has no content until it is put. */
export function propertyItem(
  resource: Resource,
  capabilities: Capabilities,
  { name }: Property,
): JsonObject {
  const stream = { name, text: `stream ${name}` };
  const { responses, ...others } = getStream(resource, stream);
  const get = { ...others, responses: { ...responses, 204: responseReference('noContent') } };
  if (!capabilities.allows('update', resource)) return { get };
  const remove = {
    operationId: operationId('delete', resource.names.entity + name),
    summary: `Delete ${stream.text} of ${entityOf(resource)}`,
    tags: resource.tags,
    ...changeOf(resource, capabilities),
  };
  return { get, put: putStream(resource, stream, capabilities), delete: remove };
}

/** A stream in operation ids, and in summaries. */
interface Stream {
  readonly name: string;
  readonly text: string;
}

function getStream(resource: Resource, { name, text }: Stream) {
  return {
    operationId: operationId('get', resource.names.entity + name),
    summary: `Get ${text} of ${entityOf(resource)}`,
    tags: resource.tags,
    parameters: [parameterReference('ifNoneMatch')],
    responses: {
      200: { description: `Retrieved ${text}`, content: CONTENT },
      304: responseReference('notModified'),
      '4XX': ERROR,
    },
  };
}

function putStream(resource: Resource, { name, text }: Stream, capabilities: Capabilities) {
  return {
    operationId: operationId('replace', resource.names.entity + name),
    summary: `Replace ${text} of ${entityOf(resource)}`,
    tags: resource.tags,
    requestBody: { description: `New ${text}`, required: true, content: CONTENT },
    ...changeOf(resource, capabilities),
  };
}

/** The content of an entity that does not exist creates it. */
function withCreation(put: ReturnType<typeof putStream>, resource: Resource): JsonObject {
  return {
    ...put,
    summary: put.summary.replace(/^Replace/, 'Replace or create'),
    parameters: [...put.parameters, parameterReference('ifNoneMatch')],
    responses: { ...put.responses, 201: typedResponse('entity', resource.type) },
  };
}
