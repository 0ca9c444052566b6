// This file evaluates the capability annotations of sets and navigations, so that an OpenAPI document lists only supported operations.
// Vocabulary Org.OData.Capabilities.V1: ReadRestrictions, InsertRestrictions, UpdateRestrictions, DeleteRestrictions,
// NavigationRestrictions and the restrictions of query options.
import {
  type Annotations,
  type EntitySet,
  isPlainRecord,
  type Json,
  type ModelDefinition,
  type Navigation,
} from '../model.ts';

type Action = keyof typeof FLAGS;

type QueryOption = keyof typeof OPTION_FLAGS;

/** A set and the navigations that follow it. */
export interface ResourcePath {
  readonly set: EntitySet;
  readonly route: readonly { readonly path: string; readonly navigation: Navigation }[];
}

export interface Capabilities {
  readonly allows: (action: Action, path: ResourcePath) => boolean;
  readonly supports: (option: QueryOption, path: ResourcePath) => boolean;
  /** Whether entities of the collection can be addressed by key. */
  readonly isIndexable: (path: ResourcePath) => boolean;
  /** Whether changes of the entity need its ETag (Core.OptimisticConcurrency). */
  readonly requiresEtag: (path: ResourcePath) => boolean;
  /** Whether URLs may contain the last navigation. */
  readonly isNavigable: (path: ResourcePath) => boolean;
}

/** Terms of Org.OData.Capabilities.V1 without their prefix. */
type Terms = Readonly<Record<string, Json | undefined>>;

/** @param capabilities annotations by target, as toCsdl takes them */
export function capabilitiesOf(
  definition: ModelDefinition,
  capabilities: Readonly<Record<string, Annotations>> = {},
): Capabilities {
  const sets = new Map(
    definition.sets.map((set) => [set.name, setTerms(definition, capabilities, set)]),
  );
  const termsOf = (name: string) => sets.get(name) ?? {};
  const tagged = new Set(definition.sets.filter(needsTags).map(({ name }) => name));
  return {
    allows: (action, path) => {
      const [restriction, own] = restrictionsAt(path, termsOf);
      const bound = boundSet(path);
      const related = bound === undefined ? {} : termsOf(bound);
      return isAllowed(action, path, { own, restriction, related, isBound: bound !== undefined });
    },
    supports: (option, path) => {
      const [restriction, own] = restrictionsAt(path, termsOf);
      const bound = boundSet(path);
      const fallback = bound === undefined ? own : termsOf(bound);
      return isSupported(option, { ...(path.route.length === 0 ? own : fallback), ...restriction });
    },
    isIndexable: (path) => {
      const [restriction, own] = restrictionsAt(path, termsOf);
      return (path.route.length === 0 ? own : restriction).IndexableByKey !== false;
    },
    requiresEtag: (path) => tagged.has(boundSet(path) ?? path.set.name),
    isNavigable: (path) => {
      const [restriction, own] = restrictionsAt(path, termsOf);
      return isOpen(own, restriction);
    },
  };
}

function setTerms(
  definition: ModelDefinition,
  capabilities: Readonly<Record<string, Annotations>>,
  set: EntitySet,
): Terms {
  const all = { ...set.annotations, ...capabilities[`${definition.container}/${set.name}`] };
  const entries = Object.entries(all).flatMap(([term, value]) =>
    term.startsWith('Capabilities.') ? [[term.slice('Capabilities.'.length), value] as const] : [],
  );
  const { insertable, updatable, deletable } = set;
  const terms: Record<string, Json> = Object.fromEntries(entries);
  if (insertable !== undefined) terms.InsertRestrictions = { Insertable: insertable };
  if (updatable !== undefined) terms.UpdateRestrictions = { Updatable: updatable };
  if (deletable !== undefined) terms.DeleteRestrictions = { Deletable: deletable };
  return terms;
}

/** The restrictions of the navigation itself, and the terms of the set where the path starts. */
function restrictionsAt(
  { set, route }: ResourcePath,
  termsOf: (name: string) => Terms,
): readonly [Terms, Terms] {
  const own = termsOf(set.name);
  if (route.length === 0) return [{}, own];
  const path = route.map((step) => step.path).join('/');
  const list = record(own.NavigationRestrictions)?.RestrictedProperties;
  const restricted = Array.isArray(list) ? list.map(record) : [];
  return [restricted.find((item) => item?.NavigationProperty === path) ?? {}, own];
}

function boundSet({ set, route }: ResourcePath): string | undefined {
  const last = route.at(-1);
  if (last === undefined || last.navigation.contained) return undefined;
  return set.bindings[route.map((step) => step.path).join('/')];
}

function needsTags({ annotations }: EntitySet): boolean {
  return !NO_VALUES.has(annotations?.['Core.OptimisticConcurrency']);
}

const NO_VALUES: ReadonlySet<Json | undefined> = new Set([undefined, null, false]);

interface ApplicableTerms {
  readonly own: Terms;
  readonly restriction: Terms;
  readonly related: Terms;
  readonly isBound: boolean;
}

const FLAGS = {
  list: ['ReadRestrictions', 'Readable'],
  read: ['ReadRestrictions', 'Readable'],
  insert: ['InsertRestrictions', 'Insertable'],
  update: ['UpdateRestrictions', 'Updatable'],
  delete: ['DeleteRestrictions', 'Deletable'],
} as const;

/**
 * Restrictions of a navigation override those of its target set. Contained entities belong to no set and allow every action by
 * default. A navigation without a binding does not allow inserts.
 */
function isAllowed(action: Action, path: ResourcePath, terms: ApplicableTerms): boolean {
  const navigation = path.route.at(-1)?.navigation;
  const flag = readFlag(navigation === undefined ? terms.own : terms.restriction, action);
  if (flag !== undefined || navigation === undefined || navigation.contained) return flag ?? true;
  return (terms.isBound || action !== 'insert') && (readFlag(terms.related, action) ?? true);
}

/** Reading by key can be restricted separately from reading the collection. */
function readFlag(terms: Terms, action: Action): boolean | undefined {
  const [term, flag] = FLAGS[action];
  const restriction = record(terms[term]);
  const byKey = action === 'read' ? record(restriction?.ReadByKeyRestrictions)?.[flag] : undefined;
  const value = byKey ?? restriction?.[flag];
  return typeof value === 'boolean' ? value : undefined;
}

/** The Navigability of a single navigation overrides the default of the set. */
function isOpen(own: Terms, restriction: Terms): boolean {
  const { Navigability: fallback } = record(own.NavigationRestrictions) ?? {};
  return (restriction.Navigability ?? fallback) !== 'None';
}

const OPTION_FLAGS = {
  top: ['TopSupported', undefined],
  skip: ['SkipSupported', undefined],
  search: ['SearchRestrictions', 'Searchable'],
  filter: ['FilterRestrictions', 'Filterable'],
  count: ['CountRestrictions', 'Countable'],
  orderby: ['SortRestrictions', 'Sortable'],
  select: ['SelectSupport', 'Supported'],
  expand: ['ExpandRestrictions', 'Expandable'],
} as const;

function isSupported(option: QueryOption, terms: Terms): boolean {
  const [term, flag] = OPTION_FLAGS[option];
  const value = flag === undefined ? terms[term] : record(terms[term])?.[flag];
  return value !== false;
}

function record(value: Json | undefined): Terms | undefined {
  return isPlainRecord(value) ? value : undefined;
}
