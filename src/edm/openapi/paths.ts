// This file writes the paths of an OpenAPI document: sets, keys, navigations and operations. It omits operations that restrictions.ts
// excludes.
// OData to OpenAPI Mapping, "Paths".

import {
  type EntitySet,
  type EntityType,
  isAssignable,
  type Member,
  type Model,
  type Operation,
  type OperationImport,
  type Property,
  simpleName,
} from '../model.ts';
import { typedNavigations } from '../navigation-bindings.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import {
  deleteOperation,
  getEntity,
  getList,
  patchEntity,
  postEntity,
  type Resource,
} from './entity-operations.ts';
import { importItem } from './import-operation.ts';
import { countItem, referenceItem } from './link-operations.ts';
import { functionCall, keyCall, operationItem } from './operation-calls.ts';
import { operationId, relatedNames, setNames, withUniqueIds } from './operation-ids.ts';
import type { Capabilities } from './restrictions.ts';
import { parameterReference } from './shared-components.ts';
import { contentItem, propertyItem } from './streams.ts';

/** The maximum number of navigations in a path. */
export const MAX_DEPTH = 4;

/** The part of the model that a document describes. */
export interface Selection {
  /** Names of sets. Other sets and operations have no paths. */
  readonly sets?: ReadonlySet<string>;
  /** Omits navigations, $count, $ref and batch requests. */
  readonly isCompact?: boolean;
}

interface Walk extends Selection {
  readonly model: Model;
  readonly capabilities: Capabilities;
  /** The names of sets in operation ids. */
  readonly reserved: ReadonlySet<string>;
}

/** Path items by path, relative to the service root. */
export function modelPaths(
  model: Model,
  capabilities: Capabilities,
  { sets: chosen, isCompact = false }: Selection = {},
): Readonly<Record<string, JsonObject>> {
  const walk = { model, capabilities, isCompact, reserved: reservedNames(model) };
  const isChosen = (name = '') => chosen?.has(name) ?? true;
  const sets = [...model.sets.values()].filter(({ name }) => isChosen(name));
  const imports = [...model.imports.values()].filter(({ set }) => isChosen(set));
  const paths = [
    ...sets.flatMap((set) => setPaths(walk, set)),
    ...imports.flatMap((item) => importPaths(walk, item)),
  ];
  return Object.fromEntries(withUniqueIds(paths.filter(([, item]) => hasOperation(item))));
}

function reservedNames(model: Model): ReadonlySet<string> {
  return new Set(
    [...model.sets.values()].flatMap((set) => {
      const type = model.types.get(set.type);
      return type?.kind === 'entity' ? Object.values(setNames(set, type)) : [];
    }),
  );
}

type Paths = readonly (readonly [string, JsonObject])[];

function hasOperation(item: JsonObject): boolean {
  return Object.keys(item).some((name) => name !== 'parameters');
}

function setPaths(walk: Walk, set: EntitySet): Paths {
  const type = walk.model.types.get(set.type);
  if (type?.kind !== 'entity') return [];
  const resource: Resource = {
    model: walk.model,
    path: `/${set.name}`,
    type,
    set,
    route: [],
    parameters: [],
    tags: [set.name],
    isRelated: false,
    names: setNames(set, type),
  };
  return set.kind === 'set'
    ? [...listPaths(walk, resource), ...keyPaths(walk, resource)]
    : entityPaths(walk, resource);
}

function listPaths(walk: Walk, resource: Resource): Paths {
  return [
    pathItem(walk, resource, ['list', 'insert']),
    ...countPath(walk, resource),
    ...importPath(walk, resource),
    ...boundPaths(walk, resource, true),
  ];
}

/** Sets and their navigations can be counted, also deeper ones, but those would make the document much longer. */
function countPath({ capabilities, isCompact }: Walk, resource: Resource): Paths {
  const isReadable = capabilities.allows('list', resource);
  if (isCompact === true || resource.route.length > 1 || !isReadable) return [];
  if (!capabilities.supports('count', resource)) return [];
  const { parameters } = resource;
  return [[`${resource.path}/$count`, { parameters, ...countItem(resource, capabilities) }]];
}

/** Files are imported into sets. Media entities are created from their content instead. */
function importPath({ capabilities, isCompact, model }: Walk, resource: Resource): Paths {
  const { path, type, route } = resource;
  if (model.definition.unpublishedEngine === true) return [];
  const isWritable =
    capabilities.allows('insert', resource) || capabilities.allows('update', resource);
  if (isCompact === true || route.length > 0 || !isWritable || type.hasStream === true) return [];
  return [
    withParameters({ ...resource, path: `${path}/Docket.System.Import` }, importItem(resource)),
  ];
}

/** The method and description of each operation. */
const OPERATIONS = {
  list: ['get', getList],
  insert: ['post', postEntity],
  read: ['get', getEntity],
  update: ['patch', patchEntity],
  delete: ['delete', deleteOperation],
} as const;

/** The path item of a resource, with those of the operations that its capabilities allow. */
function pathItem(
  { capabilities }: Walk,
  resource: Resource,
  actions: readonly (keyof typeof OPERATIONS)[],
): readonly [string, JsonObject] {
  const allowed = actions.filter((action) => capabilities.allows(action, resource));
  const operations = allowed.map((action) => {
    const [method, describe] = OPERATIONS[action];
    return [method, describe(resource, capabilities)] as const;
  });
  return withParameters(resource, Object.fromEntries(operations));
}

function keyPaths(walk: Walk, resource: Resource): Paths {
  const key = keyCall(walk.model, resource.type, resource.route.length);
  if (key === undefined || !walk.capabilities.isIndexable(resource)) return [];
  return entityPaths(walk, {
    ...resource,
    path: resource.path + key.text,
    parameters: [...resource.parameters, ...key.parameters],
  });
}

function entityPaths(walk: Walk, resource: Resource): Paths {
  const isPermanent =
    resource.set.kind === 'singleton' &&
    resource.set.nullable !== true &&
    resource.route.length === 0;
  return [
    pathItem(walk, resource, isPermanent ? ['read', 'update'] : ['read', 'update', 'delete']),
    ...streamPaths(walk, resource),
    ...boundPaths(walk, resource, false),
    ...navigationPaths(walk, resource),
  ];
}

function streamPaths({ capabilities, model }: Walk, resource: Resource): Paths {
  const { path, type } = resource;
  const at = (segment: string) => ({ ...resource, path: `${path}/${segment}` });
  const content = () => withParameters(at('$value'), contentItem(resource, capabilities));
  const properties = [...model.members(type).values()].filter(isStream);
  return [
    ...(type.hasStream === true ? [content()] : []),
    ...properties.map((property) =>
      withParameters(at(property.name), propertyItem(resource, capabilities, property)),
    ),
  ];
}

function isStream(member: Member): member is Property {
  return member.kind === 'property' && member.type === 'Edm.Stream' && !member.collection;
}

function navigationPaths(walk: Walk, resource: Resource): Paths {
  if (walk.isCompact === true || resource.route.length >= MAX_DEPTH) return [];
  return typedNavigations(walk.model, resource.type).flatMap(({ path, navigation }) => {
    const target = walk.model.types.get(navigation.target);
    if (target?.kind !== 'entity') return [];
    const next: Resource = {
      ...resource,
      path: `${resource.path}/${path}`,
      type: target,
      route: [...resource.route, { path, navigation }],
      tags: relatedTags(walk.model, resource, path),
      isRelated: true,
      names: relatedNames(resource.names.entity, { path, navigation }, target, walk.reserved),
    };
    if (!walk.capabilities.isNavigable(next)) return [];
    return navigation.contained
      ? containedPaths(walk, next)
      : [...relatedPaths(walk, next), ...referencePath(walk, resource, next)];
  });
}

function relatedTags(model: Model, resource: Resource, path: string): readonly string[] {
  const route = [...resource.route.map((step) => step.path), path].join('/');
  const bound = resource.set.bindings[route];
  const isKnown = bound !== undefined && model.sets.has(bound);
  return isKnown ? [...new Set([resource.set.name, bound])] : [resource.set.name];
}

function containedPaths(walk: Walk, resource: Resource): Paths {
  const isList = resource.route.at(-1)?.navigation.collection === true;
  if (!isList) return entityPaths(walk, resource);
  return [
    ...listPaths(walk, resource),
    ...(resource.route.length < MAX_DEPTH ? keyPaths(walk, resource) : []),
  ];
}

/** Related entities can be read and created through the navigation. Other operations are listed under their own set. */
function relatedPaths(walk: Walk, resource: Resource): Paths {
  const isList = resource.route.at(-1)?.navigation.collection === true;
  if (!isList) return [pathItem(walk, resource, ['read'])];
  return [pathItem(walk, resource, ['list', 'insert']), ...countPath(walk, resource)];
}

/** The path of the references of a relation, if changes of its owner in the set may change it. */
function referencePath({ capabilities }: Walk, owner: Resource, related: Resource): Paths {
  if (owner.route.length > 0 || !capabilities.allows('update', owner)) return [];
  const item = referenceItem(owner, related, capabilities);
  return [[`${related.path}/$ref`, { parameters: related.parameters, ...item }]];
}

/** Texts and messages of all resources depend on the language. */
function withParameters(
  { path, parameters }: Pick<Resource, 'path' | 'parameters'>,
  item: JsonObject,
): readonly [string, JsonObject] {
  return [path, { parameters: [...parameters, parameterReference('acceptLanguage')], ...item }];
}

function boundPaths(walk: Walk, resource: Resource, collection: boolean): Paths {
  const { model, capabilities } = walk;
  const { tags, names } = resource;
  const needsTag = !collection && capabilities.requiresEtag(resource);
  return model.definition.operations
    .filter((operation) => isBoundTo(model, operation, resource.type, collection))
    .map((operation) => {
      const [, ...others] = operation.parameters;
      const call = functionCall(model, operation, others);
      const path = `${resource.path}/${aliasedName(model, operation.name)}${call.text}`;
      const parameters = [...resource.parameters, ...call.parameters];
      if (operation.engine === 'by-reference')
        return referredEntity(walk, { ...resource, path, parameters });
      const name = collection ? names.list : names.entity;
      const id = operationId(simpleName(operation.name), name);
      const item = operationItem(model, operation, others, { tags, operationId: id, needsTag });
      return withParameters({ path, parameters }, item);
    });
}

/** A reference addresses one entity of the set, as a key does. */
function referredEntity(walk: Walk, resource: Resource): readonly [string, JsonObject] {
  const names = { ...resource.names, entity: `${resource.names.entity}ByReference` };
  const actions = ['read', 'update', 'delete'] as const;
  return pathItem(walk, { ...resource, names, isReferred: true }, actions);
}

function isBoundTo(
  model: Model,
  operation: Operation,
  type: EntityType,
  collection: boolean,
): boolean {
  const [binding] = operation.bound ? operation.parameters : [];
  if (binding === undefined || binding.collection !== collection) return false;
  const bound = model.types.get(binding.type);
  return bound?.kind === 'entity' && isAssignable(model, type, bound);
}

/** Uses the alias of the namespace, because it is shorter and equally valid in a URL. */
function aliasedName(model: Model, name: string): string {
  const namespace = name.slice(0, name.lastIndexOf('.'));
  const alias = model.definition.namespaces.find((item) => item.name === namespace)?.alias;
  return `${alias ?? namespace}.${simpleName(name)}`;
}

function importPaths({ model }: Walk, item: OperationImport): Paths {
  const overloads = (model.operations.get(item.operation) ?? []).filter(({ bound }) => !bound);
  const tags = [item.set ?? 'Service Operations'];
  return overloads.map((operation) => {
    const call = functionCall(model, operation, operation.parameters);
    const described = operationItem(model, operation, operation.parameters, {
      tags,
      operationId: operationId(item.name),
      needsTag: false,
    });
    return withParameters({ ...call, path: `/${item.name}${call.text}` }, described);
  });
}
