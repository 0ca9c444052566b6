// This file finds out what the annotations of a set say about what can be done with it and along its navigations, so that an OpenAPI
// description offers nothing that is refused.
// Vocabulary Org.OData.Capabilities.V1: ReadRestrictions, InsertRestrictions, UpdateRestrictions, DeleteRestrictions,
// NavigationRestrictions and the restrictions of query options.
import type { Annotations, EntitySet, Json, ModelDefinition, Navigation } from '../model.ts';

export type Deed = 'list' | 'read' | 'insert' | 'update' | 'delete';
export type QueryOption =
  | 'top'
  | 'skip'
  | 'search'
  | 'filter'
  | 'count'
  | 'orderby'
  | 'select'
  | 'expand';

/** Where something is done: a set, and the navigations that lead on from it. */
export interface Spot {
  readonly set: EntitySet;
  readonly route: readonly { readonly path: string; readonly navigation: Navigation }[];
}

export interface Rights {
  readonly may: (deed: Deed, spot: Spot) => boolean;
  readonly takes: (option: QueryOption, spot: Spot) => boolean;
  /** Whether single entities of the collection can be addressed. */
  readonly byKey: (spot: Spot) => boolean;
  /** Whether URLs go on along the last navigation of the spot. */
  readonly leads: (spot: Spot) => boolean;
}

type Said = Readonly<Record<string, Json | undefined>>;

/** @param capabilities annotations by target, as toCsdl takes them */
export function rightsOf(
  definition: ModelDefinition,
  capabilities: Readonly<Record<string, Annotations>> = {},
): Rights {
  const sets = new Map(
    definition.sets.map((set) => [set.name, saidOfSet(definition, capabilities, set)]),
  );
  const saidOf = (name: string) => sets.get(name) ?? {};
  return {
    may: (deed, spot) => {
      const [restriction, told] = restrictionsAt(spot, saidOf);
      const bound = boundSet(spot);
      const related = bound === undefined ? {} : saidOf(bound);
      return isAllowed(deed, spot, {
        own: told,
        restriction,
        related,
        isBound: bound !== undefined,
      });
    },
    takes: (option, spot) => {
      const [restriction, told] = restrictionsAt(spot, saidOf);
      const bound = boundSet(spot);
      const fallback = bound === undefined ? told : saidOf(bound);
      return isTaken(option, { ...(spot.route.length === 0 ? told : fallback), ...restriction });
    },
    byKey: (spot) => {
      const [restriction, told] = restrictionsAt(spot, saidOf);
      return (spot.route.length === 0 ? told : restriction).IndexableByKey !== false;
    },
    leads: (spot) => {
      const [restriction, told] = restrictionsAt(spot, saidOf);
      return isOpen(told, restriction);
    },
  };
}

function saidOfSet(
  definition: ModelDefinition,
  capabilities: Readonly<Record<string, Annotations>>,
  set: EntitySet,
): Said {
  const given = { ...set.annotations, ...capabilities[`${definition.container}/${set.name}`] };
  const terms = Object.entries(given).flatMap(([term, value]) =>
    term.startsWith('Capabilities.') ? [[term.slice('Capabilities.'.length), value] as const] : [],
  );
  const { insertable, updatable, deletable } = set;
  const said: Record<string, Json> = Object.fromEntries(terms);
  if (insertable !== undefined) said.InsertRestrictions = { Insertable: insertable };
  if (updatable !== undefined) said.UpdateRestrictions = { Updatable: updatable };
  if (deletable !== undefined) said.DeleteRestrictions = { Deletable: deletable };
  return said;
}

/** What is said of the navigation itself, and what is said of the set that it begins at. */
function restrictionsAt(spot: Spot, saidOf: (name: string) => Said): readonly [Said, Said] {
  const own = saidOf(spot.set.name);
  if (spot.route.length === 0) return [{}, own];
  const path = spot.route.map((step) => step.path).join('/');
  const list = record(own.NavigationRestrictions)?.RestrictedProperties;
  const restricted = Array.isArray(list) ? list.map(record) : [];
  return [restricted.find((item) => item?.NavigationProperty === path) ?? {}, own];
}

function boundSet({ set, route }: Spot): string | undefined {
  const last = route.at(-1);
  if (last === undefined || last.navigation.contained) return undefined;
  return set.bindings[route.map((step) => step.path).join('/')];
}

interface Told {
  readonly own: Said;
  readonly restriction: Said;
  readonly related: Said;
  readonly isBound: boolean;
}

const FLAGS: Readonly<Record<Deed, readonly [string, string]>> = {
  list: ['ReadRestrictions', 'Readable'],
  read: ['ReadRestrictions', 'Readable'],
  insert: ['InsertRestrictions', 'Insertable'],
  update: ['UpdateRestrictions', 'Updatable'],
  delete: ['DeleteRestrictions', 'Deletable'],
};

/**
 * What is said of a navigation counts before what is said of the set that it leads to; entities that it contains belong to no set
 * and can be changed unless that is restricted. New entities come into a set along a navigation only where it is bound to one.
 */
function isAllowed(deed: Deed, spot: Spot, told: Told): boolean {
  const navigation = spot.route.at(-1)?.navigation;
  const said = navigation === undefined ? told.own : told.restriction;
  const here = readFlag(said, deed);
  if (here !== undefined || navigation === undefined || navigation.contained) return here ?? true;
  return (told.isBound || deed !== 'insert') && (readFlag(told.related, deed) ?? true);
}

/** Reading by key can be allowed or forbidden apart from reading the list. */
function readFlag(said: Said, deed: Deed): boolean | undefined {
  const [term, flag] = FLAGS[deed];
  const restriction = record(said[term]);
  const byKey = deed === 'read' ? record(restriction?.ReadByKeyRestrictions)?.[flag] : undefined;
  const value = byKey ?? restriction?.[flag];
  return typeof value === 'boolean' ? value : undefined;
}

/** A navigation can be closed, or all of a set's but those that are said to be open. */
function isOpen(own: Said, restriction: Said): boolean {
  const { Navigability: whole } = record(own.NavigationRestrictions) ?? {};
  return (restriction.Navigability ?? whole) !== 'None';
}

const OPTION_FLAGS: Readonly<Record<QueryOption, readonly [string, string | undefined]>> = {
  top: ['TopSupported', undefined],
  skip: ['SkipSupported', undefined],
  search: ['SearchRestrictions', 'Searchable'],
  filter: ['FilterRestrictions', 'Filterable'],
  count: ['CountRestrictions', 'Countable'],
  orderby: ['SortRestrictions', 'Sortable'],
  select: ['SelectSupport', 'Supported'],
  expand: ['ExpandRestrictions', 'Expandable'],
};

function isTaken(option: QueryOption, said: Said): boolean {
  const [term, flag] = OPTION_FLAGS[option];
  const value = flag === undefined ? said[term] : record(said[term])?.[flag];
  return value !== false;
}

function record(value: Json | undefined): Said | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Said)
    : undefined;
}
