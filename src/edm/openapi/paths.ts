// This file walks a model and writes the paths of its OpenAPI description: per set, per key, along navigations, and for operations.
// What cannot be done is left out: the walk asks restrictions.ts.
// OData to OpenAPI Mapping, "Paths".
import { typedNavigations } from '../complete-definition.ts';
import {
  type EntitySet,
  type EntityType,
  isAssignable,
  type Model,
  type Operation,
  type OperationImport,
  simpleName,
} from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import {
  deleteOperation,
  getEntity,
  getList,
  type Place,
  patchEntity,
  postEntity,
  streamItem,
} from './entity-operations.ts';
import { functionCall, keyCall, operationItem } from './operation-calls.ts';
import type { Rights } from './restrictions.ts';

/** How many navigations a path goes on through contained entities. */
const MAX_DEPTH = 4;

interface Walk {
  readonly model: Model;
  readonly rights: Rights;
}

/** Path items by path, relative to the service root. */
export function modelPaths(model: Model, rights: Rights): Readonly<Record<string, JsonObject>> {
  const walk = { model, rights };
  const sets = [...model.sets.values()].flatMap((set) => setPaths(walk, set));
  const imports = [...model.imports.values()].flatMap((item) => importPaths(walk, item));
  return Object.fromEntries([...sets, ...imports].filter(([, item]) => hasOperation(item)));
}

type Paths = readonly (readonly [string, JsonObject])[];

function hasOperation(item: JsonObject): boolean {
  return Object.keys(item).some((name) => name !== 'parameters');
}

function setPaths(walk: Walk, set: EntitySet): Paths {
  const type = walk.model.types.get(set.type);
  if (type?.kind !== 'entity') return [];
  const place: Place = {
    model: walk.model,
    path: `/${set.name}`,
    type,
    set,
    route: [],
    parameters: [],
    tags: [set.name],
    isRelated: false,
  };
  return set.kind === 'set'
    ? [...listPaths(walk, place), ...keyPaths(walk, place)]
    : entityPaths(walk, place);
}

function listPaths({ model, rights }: Walk, place: Place): Paths {
  const item = {
    ...(rights.may('list', place) ? { get: getList(place, rights) } : {}),
    ...(rights.may('insert', place) ? { post: postEntity(place) } : {}),
  };
  return [withParameters(place, item), ...boundPaths(model, place, true)];
}

function keyPaths(walk: Walk, place: Place): Paths {
  const key = keyCall(walk.model, place.type, place.route.length);
  if (key === undefined || !walk.rights.byKey(place)) return [];
  return entityPaths(walk, {
    ...place,
    path: place.path + key.text,
    parameters: [...place.parameters, ...key.parameters],
  });
}

function entityPaths(walk: Walk, place: Place): Paths {
  const { model, rights } = walk;
  const isLasting =
    place.set.kind === 'singleton' && place.set.nullable !== true && place.route.length === 0;
  const item = {
    ...(rights.may('read', place) ? { get: getEntity(place, rights) } : {}),
    ...(rights.may('update', place) ? { patch: patchEntity(place) } : {}),
    ...(!isLasting && rights.may('delete', place) ? { delete: deleteOperation(place) } : {}),
  };
  return [
    withParameters(place, item),
    ...(place.type.hasStream === true ? [streamPath(walk, place)] : []),
    ...boundPaths(model, place, false),
    ...navigationPaths(walk, place),
  ];
}

function streamPath({ rights }: Walk, place: Place): readonly [string, JsonObject] {
  const mayWrite = rights.may('update', place);
  return withParameters({ ...place, path: `${place.path}/$value` }, streamItem(place, mayWrite));
}

function navigationPaths(walk: Walk, place: Place): Paths {
  if (place.route.length >= MAX_DEPTH) return [];
  return typedNavigations(walk.model, place.type).flatMap(({ path, navigation }) => {
    const target = walk.model.types.get(navigation.target);
    if (target?.kind !== 'entity') return [];
    const next: Place = {
      ...place,
      path: `${place.path}/${path}`,
      type: target,
      route: [...place.route, { path, navigation }],
      tags: relatedTags(walk.model, place, path),
      isRelated: true,
    };
    if (!walk.rights.leads(next)) return [];
    return navigation.contained ? containedPaths(walk, next) : relatedPaths(walk, next);
  });
}

function relatedTags(model: Model, place: Place, path: string): readonly string[] {
  const route = [...place.route.map((step) => step.path), path].join('/');
  const bound = place.set.bindings[route];
  const isKnown = bound !== undefined && model.sets.has(bound);
  return isKnown ? [...new Set([place.set.name, bound])] : [place.set.name];
}

function containedPaths(walk: Walk, place: Place): Paths {
  const isList = place.route.at(-1)?.navigation.collection === true;
  if (!isList) return entityPaths(walk, place);
  return [
    ...listPaths(walk, place),
    ...(place.route.length < MAX_DEPTH ? keyPaths(walk, place) : []),
  ];
}

/** Entities of other sets can be read along the navigation, and added to a collection; the rest is done in their own set. */
function relatedPaths({ rights }: Walk, place: Place): Paths {
  const isList = place.route.at(-1)?.navigation.collection === true;
  const item = isList
    ? {
        ...(rights.may('list', place) ? { get: getList(place, rights) } : {}),
        ...(rights.may('insert', place) ? { post: postEntity(place) } : {}),
      }
    : { ...(rights.may('read', place) ? { get: getEntity(place, rights) } : {}) };
  return [withParameters(place, item)];
}

function withParameters(place: Place, item: JsonObject): readonly [string, JsonObject] {
  const { parameters } = place;
  return [place.path, parameters.length === 0 ? item : { parameters, ...item }];
}

function boundPaths(model: Model, place: Place, collection: boolean): Paths {
  return model.definition.operations
    .filter((operation) => isBoundTo(model, operation, place.type, collection))
    .map((operation) => {
      const [, ...others] = operation.parameters;
      const name = `${place.path}/${aliasedName(model, operation.name)}`;
      const call = functionCall(model, operation, others);
      const item = operationItem(model, operation, others, place.tags);
      const parameters = [...place.parameters, ...call.parameters];
      return [name + call.text, parameters.length === 0 ? item : { parameters, ...item }] as const;
    });
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

/** The alias of the namespace is shorter, and as good in a URL. */
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
    const described = operationItem(model, operation, operation.parameters, tags);
    const { parameters } = call;
    return [
      `/${item.name}${call.text}`,
      parameters.length === 0 ? described : { parameters, ...described },
    ] as const;
  });
}
