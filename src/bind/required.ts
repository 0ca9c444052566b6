// This file says which members of a new or replaced entity are missing: those that must have a value and get none from the body,
// from a default or from the service.
import { isDocument } from '../edm/keeping.ts';
import type { Member, Model, Property, StructuredType } from '../edm/model.ts';
import { pathText } from './body.ts';
import { isGivenByServer, keyProperties } from './keyed.ts';
import type { EntityInput } from './writing.ts';

export interface MissingMember {
  /** `Description`, `Care/Name`. */
  readonly path: string;
  readonly type: string;
}

export interface RequiredScope {
  readonly model: Model;
  /** Whether an entity is made; a replaced one keeps its key, its relations and what is settable at creation only. */
  readonly create: boolean;
  /** Navigations that follow from where the entity stands. */
  readonly supplied: { readonly has: (name: string) => boolean };
}

/** The members without which the entity cannot be. */
export function missingMembers(scope: RequiredScope, input: EntityInput): readonly MissingMember[] {
  const given = givenPaths(input);
  const keys = scope.create ? [] : keyProperties(scope.model, input.type).map(({ name }) => name);
  return missingIn({ ...scope, given, keys: new Set(keys) }, input.type, []);
}

interface Search extends RequiredScope {
  readonly given: Given;
  readonly keys: ReadonlySet<string>;
}

interface Given {
  readonly paths: ReadonlySet<string>;
  /** Complex values that are null. */
  readonly absent: ReadonlySet<string>;
}

function givenPaths({ values, links, children }: EntityInput): Given {
  const paths = new Set<string>();
  const absent = new Set<string>();
  for (const value of values) {
    const path = value.path.map((step) => step.name).join('/');
    paths.add(path);
    if (value.kind === 'presence' && !value.present) absent.add(path);
  }
  for (const { path, navigation } of [...links, ...children])
    paths.add(pathText(path, navigation.name));
  return { paths, absent };
}

function missingIn(
  search: Search,
  type: StructuredType,
  path: readonly Property[],
): readonly MissingMember[] {
  return [...search.model.members(type).values()].flatMap((member) => {
    const text = pathText(path, member.name);
    if (member.computed === true || (member.immutable === true && !search.create)) return [];
    return member.kind === 'navigation'
      ? missingNavigation(search, member, text)
      : missingProperty(search, member, path, text);
  });
}

function missingNavigation(
  search: Search,
  navigation: Member & { readonly kind: 'navigation' },
  text: string,
): readonly MissingMember[] {
  const isFree = navigation.nullable || navigation.collection || navigation.inverse === true;
  if (isFree || !search.create || search.given.paths.has(text) || search.supplied.has(text))
    return [];
  return [{ path: text, type: navigation.target }];
}

function missingProperty(
  search: Search,
  property: Property,
  path: readonly Property[],
  text: string,
): readonly MissingMember[] {
  const { model, given } = search;
  const type = model.types.get(property.type);
  const isTakenApart =
    type?.kind === 'complex' && type.coded === undefined && !isDocument(model, property);
  if (isTakenApart) {
    const isThere = !property.nullable || given.paths.has(text);
    return isThere && !given.absent.has(text) ? missingIn(search, type, [...path, property]) : [];
  }
  const isFree = property.nullable || property.collection || property.defaultValue !== undefined;
  const isGiven = given.paths.has(text) || search.keys.has(text);
  if (isFree || isGiven || property.generated !== undefined || isGivenByServer(property)) return [];
  return [{ path: text, type: property.type }];
}
