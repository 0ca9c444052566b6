// This file writes the OpenAPI operations of relations that return no entities: the number of entities, and references to them.
// OData 4.01 Protocol, "Requesting the Number of Items in a Collection", "Requesting Entity References", "Modifying Relationships
// between Entities".
import type { JsonObject } from '../value/lossless-json.ts';
import { changeOf, type Resource } from './entity-operations.ts';
import { operationId } from './operation-ids.ts';
import type { Capabilities } from './restrictions.ts';
import { ERROR, json, parameterReference, responseReference } from './shared-components.ts';

/** GET of `/Books/$count`. */
export function countItem(resource: Resource, capabilities: Capabilities): JsonObject {
  const options = (['search', 'filter'] as const).filter((option) =>
    capabilities.supports(option, resource),
  );
  return {
    get: {
      operationId: operationId('count', resource.names.list),
      summary: `Count ${resource.isRelated ? 'related ' : ''}${resource.names.list}`,
      tags: resource.tags,
      parameters: options.map(parameterReference),
      responses: { 200: responseReference('number'), '4XX': ERROR },
    },
  };
}

/**
 * The path item of `/Books({Id})/Author/$ref`.
 * @param owner the entity with the navigation property, whose state a change of the relation changes
 */
export function referenceItem(
  owner: Resource,
  related: Resource,
  capabilities: Capabilities,
): JsonObject {
  const navigation = related.route.at(-1)?.navigation;
  if (navigation === undefined || navigation.computed === true || navigation.immutable === true)
    return {};
  const { collection, nullable } = navigation;
  const { tags, names } = related;
  const name = `${names.entity}Reference`;
  const { parameters, responses } = changeOf(owner, capabilities);
  const get = {
    operationId: operationId(collection ? 'list' : 'get', collection ? `${name}s` : name),
    summary: `Get references of ${names.list}`,
    tags,
    responses: {
      200: responseReference(collection ? 'references' : 'reference'),
      ...(nullable && !collection ? { 204: responseReference('noEntity') } : {}),
      '4XX': ERROR,
    },
  };
  const write = {
    operationId: operationId(collection ? 'add' : 'set', name),
    summary: `${collection ? 'Add' : 'Set'} reference of ${names.list}`,
    tags,
    parameters,
    requestBody: BODY,
    responses,
  };
  const remove = {
    operationId: operationId(collection ? 'remove' : 'clear', name),
    summary: `Remove reference of ${names.list}`,
    tags,
    parameters: collection ? [parameterReference('id'), ...parameters] : parameters,
    responses,
  };
  const reads = capabilities.allows(collection ? 'list' : 'read', related) ? { get } : {};
  if (collection) return { ...reads, post: write, delete: remove };
  return nullable ? { ...reads, put: write, delete: remove } : { ...reads, put: write };
}

const BODY = {
  required: true,
  content: json({ $ref: '#/components/schemas/entityReference' }),
};
