// This file says which members of a new or replaced entity are missing: those that must have a value and get none from the body,
// from a default or from the service. What the service would make of others is missing-computed-values.ts's business.

import type {
  ComplexType,
  EntityType,
  Member,
  Model,
  Property,
  StructuredType,
} from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import type { EntityInput } from '../write/bound-write.ts';
import { type Body, type EntityPlace, pathText } from './body-context.ts';
import { within } from './body-errors.ts';
import { isGivenByServer, keyProperties } from './body-keys.ts';
import { absentSources, isMade } from './missing-computed-values.ts';

export interface MissingMember {
  /** `Description`, `Care/Name`. */
  readonly path: string;
  readonly type: string;
  /** Properties of which any would do in its stead. */
  readonly sources?: readonly string[];
}

/** What write.required says of a missing member of the entity at the place of the body. */
export function lackOf(
  place: string,
  { path, type, sources = [] }: MissingMember,
): { readonly name: string; readonly type: string; readonly hint: string } {
  const named = sources.map((source) => `"${within(place, source)}"`).join(' or ');
  const hint = named === '' ? '' : `; where ${named} is given, it is made of that`;
  return { name: within(place, path), type, hint };
}

export interface RequiredScope {
  readonly model: Model;
  /** Whether an entity is made; a replaced one keeps its key, its relations and what is settable at creation only. */
  readonly create: boolean;
  /** Navigations that follow from where the entity stands. */
  readonly supplied: { readonly has: (name: string) => boolean };
  /** Whether something is said of a member that is a mistake. */
  readonly isMistaken?: (path: string) => boolean;
}

/** One mistake for each missing member that no other mistake speaks of. */
export function noteMissing(
  { model, mistakes }: Pick<Body, 'model' | 'mistakes'>,
  place: EntityPlace,
  input: EntityInput,
): void {
  const scope = {
    model,
    create: place.deed === 'create',
    supplied: place.supplied,
    isMistaken: (path: string) => mistakes.hasUnder(within(place.target, path)),
  };
  for (const missing of missingMembers(scope, input)) {
    const lack = lackOf(place.target, missing);
    if (!mistakes.hasUnder(lack.name)) mistakes.add('write.required', lack, lack.name);
  }
}

/** The members without which the entity cannot be. */
export function missingMembers(scope: RequiredScope, input: EntityInput): readonly MissingMember[] {
  const given = givenPaths(input);
  const keys = scope.create ? [] : keyProperties(scope.model, input.type).map(({ name }) => name);
  return missingIn({ ...scope, given, keys: new Set(keys), entity: input.type }, input.type, []);
}

interface Search extends RequiredScope {
  readonly given: Given;
  readonly keys: ReadonlySet<string>;
  readonly entity: EntityType;
}

interface Given {
  readonly paths: ReadonlySet<string>;
  /** Complex values that are null. */
  readonly absent: ReadonlySet<string>;
  /** Other values that are null. */
  readonly empty: ReadonlySet<string>;
}

function givenPaths({ values, links, children }: EntityInput): Given {
  const paths = new Set<string>();
  const absent = new Set<string>();
  const empty = new Set<string>();
  for (const value of values) {
    const path = value.path.map((step) => step.name).join('/');
    paths.add(path);
    if (value.kind === 'presence' && !value.present) absent.add(path);
    if (value.kind === 'value' && value.value === null) empty.add(path);
  }
  for (const { path, navigation } of [...links, ...children])
    paths.add(pathText(path, navigation.name));
  return { paths, absent, empty };
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
  if (member.kind === 'property' && isMade(member)) return false;
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
  if (given.paths.has(text) || search.keys.has(text)) return [];
  if (!isMade(property)) return [{ path: text, type: property.type }];
  const isAbsent = (other: Property) => isLeftNull(search, other);
  const sources = absentSources(model, search.entity, property, isAbsent);
  return sources === undefined ? [] : [{ path: text, type: property.type, sources }];
}

/** Whether a property of the entity will certainly be null: nobody says anything of it, or that it is null. */
function isLeftNull(search: Search, property: Property): boolean {
  const { model, given, create, keys, isMistaken } = search;
  const { name, collection, computed, generated, defaultValue, immutable } = property;
  if (given.paths.has(name)) return given.empty.has(name);
  if (isMistaken?.(name) === true) return false;
  const isFilled = generated !== undefined || computed === true || isGivenByServer(property);
  const isKept = !create && (immutable === true || keys.has(name));
  const isWhole = takenApart(model, property) === undefined && !collection;
  return isWhole && !isFilled && !isKept && defaultValue === undefined;
}
