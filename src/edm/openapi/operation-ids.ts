// This file names the operations of an OpenAPI document: listServiceRequests, getServiceRequest, setServiceRequestCallerReference.
// Generated clients name their functions after them, so an id does not depend on which part of the
// model a document describes.
// OpenAPI 3.1, "Operation Object".
import { type EntitySet, type EntityType, simpleName } from '../model.ts';
import type { NavigationPath } from '../navigation-bindings.ts';
import { isJsonObject, type JsonObject } from '../value/lossless-json.ts';
import { componentName } from './schemas.ts';

/** The names of a resource in operation ids: those of the collection and of one of its entities. */
export interface ResourceNames {
  readonly list: string;
  readonly entity: string;
}

/** The names of a set or singleton. */
export function setNames(set: EntitySet, type: EntityType): ResourceNames {
  return set.kind === 'set'
    ? { list: set.name, entity: singular(set.name, type) }
    : { list: set.name, entity: set.name };
}

/**
 * The names of a navigation: `ServiceRequestCaller`.
 * @param owner the entity with the navigation: `ServiceRequest`
 * @param reserved the names of sets; `CodeList` of a code is not an entity of CodeLists but `CodeRelatedList`
 */
export function relatedNames(
  owner: string,
  { path, navigation }: NavigationPath,
  type: EntityType,
  reserved: ReadonlySet<string>,
): ResourceNames {
  const name = path.split('/').map(simpleName).join('');
  const entity = navigation.collection ? singular(name, type) : name;
  const isTaken = reserved.has(owner + name) || reserved.has(owner + entity);
  const prefix = isTaken ? `${owner}Related` : owner;
  return { list: prefix + name, entity: prefix + entity };
}

/** `ApproverVotes` of type Vote: `ApproverVote`; `Members` of type Person: `Member`. A name without a plural ending remains. */
function singular(name: string, { name: qualified }: EntityType): string {
  const type = simpleName(qualified);
  const plurals = [`${type}s`, `${type}es`, type.replace(/y$/, 'ies')];
  const plural = plurals.find((one) => name.endsWith(one));
  if (plural !== undefined) return name.slice(0, -plural.length) + type;
  const [ending, replacement] = ENDINGS.find(([one]) => one.test(name)) ?? [/$/, ''];
  return name.replace(ending, replacement);
}

/** Plural endings of English. */
const ENDINGS = [
  [/ies$/, 'y'],
  [/(?<=ss|x|ch|sh)es$/, ''],
  [/(?<=[^su])s$/, ''],
] as const;

/** The id of an operation: `list` and `ServiceRequests`, or `Lend` and `Book`. */
export function operationId(verb: string, name = ''): string {
  return componentName(verb.charAt(0).toLowerCase() + verb.slice(1) + name);
}

/** The paths with a number after each id that appears again, such as that of an overload. */
export function withUniqueIds(
  paths: readonly (readonly [string, JsonObject])[],
): readonly (readonly [string, JsonObject])[] {
  const used = new Set<string>();
  const unique = (operation: JsonObject): JsonObject => {
    const id = String(operation.operationId);
    let next = id;
    for (let at = 2; used.has(next); at++) next = `${id}_${at}`;
    used.add(next);
    return next === id ? operation : { ...operation, operationId: next };
  };
  return paths.map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, value]) => [
        method,
        isJsonObject(value) ? unique(value) : value,
      ]),
    ),
  ]);
}
