// This file says which members of a new or replaced entity are missing: those that must have a value and get none from the body,
// from a default or from the service.
import { isDocument } from '../edm/keeping.ts';
import type { ComplexType, Member, Model, Property, StructuredType } from '../edm/model.ts';
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
  return neededMembers(search.model, type).flatMap((member) => {
    const text = pathText(path, member.name);
    if (member.immutable === true && !search.create) return [];
    if (search.create && member.kind === 'property' && member.nullable && isLasting(member))
      return [];
    return member.kind === 'navigation'
      ? missingNavigation(search, member, text)
      : missingProperty(search, member, path, text);
  });
}

/** Whether the property keeps a value as long as its entity is there. A file always has a name, though it may be made without one. */
export function isLasting({ nullable, filePart }: Property): boolean {
  return !nullable || filePart === 'name';
}

/** Most members are free to be left out, and every body is asked for all of them: the others are looked for once. */
const needed = new WeakMap<Model, Map<StructuredType, readonly Member[]>>();

function neededMembers(model: Model, type: StructuredType): readonly Member[] {
  const byType = needed.get(model) ?? new Map<StructuredType, readonly Member[]>();
  needed.set(model, byType);
  const known = byType.get(type);
  if (known !== undefined) return known;
  const found = [...model.members(type).values()].filter((member) => !isFree(model, member));
  byType.set(type, found);
  return found;
}

/** Whether the member can be left out whatever else there is. */
function isFree(model: Model, member: Member): boolean {
  if (member.computed === true) return true;
  if (member.kind === 'navigation')
    return member.nullable || member.collection || member.inverse === true;
  if (takenApart(model, member) !== undefined) return false;
  const isFilled = member.generated !== undefined || isGivenByServer(member);
  return !isLasting(member) || member.collection || member.defaultValue !== undefined || isFilled;
}

/** The type of a complex value whose members are looked at one by one. */
function takenApart(model: Model, property: Property): ComplexType | undefined {
  const type = model.types.get(property.type);
  const isWhole =
    type?.kind !== 'complex' || type.coded !== undefined || isDocument(model, property);
  return isWhole ? undefined : type;
}

function missingNavigation(
  search: Search,
  navigation: Member & { readonly kind: 'navigation' },
  text: string,
): readonly MissingMember[] {
  if (!search.create || search.given.paths.has(text) || search.supplied.has(text)) return [];
  return [{ path: text, type: navigation.target }];
}

function missingProperty(
  search: Search,
  property: Property,
  path: readonly Property[],
  text: string,
): readonly MissingMember[] {
  const { model, given } = search;
  const type = takenApart(model, property);
  if (type !== undefined) {
    const isThere = !property.nullable || given.paths.has(text);
    return isThere && !given.absent.has(text) ? missingIn(search, type, [...path, property]) : [];
  }
  const isGiven = given.paths.has(text) || search.keys.has(text);
  return isGiven ? [] : [{ path: text, type: property.type }];
}
