// This file finds the restrictions that a model declares for the entities of a set, or for those that a navigation reaches. Restrictions
// of a navigation take precedence over those of its target set.
// OData Vocabularies 4.0, Org.OData.Capabilities.V1.
import { perObject } from '../base/memo.ts';
import { type Annotations, type EntitySet, isPlainRecord, type Json } from './model.ts';

/** How the entities were reached from a set that restricts its navigations: the path from its entities. */
export interface Route {
  readonly set: EntitySet;
  readonly path: string;
}

/** Entities of a set, of a containment, or of the target of a navigation. */
export interface Reached {
  readonly source: { readonly set?: EntitySet | undefined };
  readonly route?: Route | undefined;
}

/** The route after one more navigation; undefined if no set restricts it. @param path the path of the navigation from the entities */
export function nextRoute({ source: { set }, route }: Reached, path: string): Route | undefined {
  const start = set === undefined ? route : { set, path: '' };
  if (start === undefined || restrictedNavigations(start.set).size === 0) return undefined;
  return { set: start.set, path: start.path === '' ? path : `${start.path}/${path}` };
}

/** A term such as `FilterRestrictions`; the records of set and navigation are not merged. */
export function restrictionTerm({ source, route }: Reached, term: string): Json | undefined {
  return navigationTerm(route, term) ?? source.set?.annotations?.[`Capabilities.${term}`];
}

/** The paths in a member such as `NonFilterableProperties` of a term. */
export function restrictedPaths(term: Json | undefined, member: string): readonly string[] {
  const value = isPlainRecord(term) ? term[member] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

const WRITES = {
  insertable: ['InsertRestrictions', 'Insertable'],
  updatable: ['UpdateRestrictions', 'Updatable'],
  deletable: ['DeleteRestrictions', 'Deletable'],
} as const;

/** Whether the entities can be created, changed or deleted; undefined if nothing is declared. */
export function allowsWrite(reached: Reached, what: keyof typeof WRITES): boolean | undefined {
  const [term, member] = WRITES[what];
  const { route, source } = reached;
  const record = navigationTerm(route, term);
  const own = isPlainRecord(record) ? record[member] : undefined;
  return typeof own === 'boolean' ? own : source.set?.[what];
}

/** Whether URLs and $expand must not contain the navigation at the end of the route. */
export function isClosed(route: Route | undefined): boolean {
  return route !== undefined && navigationTerms(route).Navigability === 'None';
}

/** A term of the navigation at the end of the route, whatever its target set declares. */
export function navigationTerm(route: Route | undefined, term: string): Json | undefined {
  return route === undefined ? undefined : navigationTerms(route)[term];
}

/** The paths of members that cannot be set by creating or by changing an entity. */
export function unwritablePaths(reached: Reached, mode: 'create' | 'change'): readonly string[] {
  const [term, what] =
    mode === 'create'
      ? ['InsertRestrictions', 'NonInsertable']
      : ['UpdateRestrictions', 'NonUpdatable'];
  const restriction = restrictionTerm(reached, term);
  return restriction === undefined
    ? []
    : ['Properties', 'NavigationProperties'].flatMap((kind) =>
        restrictedPaths(restriction, `${what}${kind}`),
      );
}

/** Whether the path is the other one, or inside the complex value at it. */
export function isInside(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

function navigationTerms({ set, path }: Route): Annotations {
  return restrictedNavigations(set).get(path) ?? {};
}

/** The items of NavigationRestrictions/RestrictedProperties by path. */
export const restrictedNavigations = perObject(
  (set: EntitySet): ReadonlyMap<string, Annotations> => {
    const term = set.annotations?.['Capabilities.NavigationRestrictions'];
    const items = isPlainRecord(term) ? term.RestrictedProperties : undefined;
    return new Map(
      (Array.isArray(items) ? items : []).flatMap((item) =>
        isPlainRecord(item) && typeof item.NavigationProperty === 'string'
          ? [[item.NavigationProperty, item] as const]
          : [],
      ),
    );
  },
);
