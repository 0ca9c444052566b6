// This file checks the restrictions that a model declares with the vocabulary Org.OData.Capabilities.V1 and Core.Permissions: their paths
// must exist, and those that the service does not enforce are reported, because clients would rely on them.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type Annotations,
  type Described,
  type EntitySet,
  isPlainRecord,
  isStructured,
  type Json,
  type Model,
  memberAt,
  type QualifiedName,
} from '../model.ts';
import { elementPath, type Mistake, missing, mistake, warning } from '../model-error.ts';
import { restrictedNavigations, restrictedPaths } from '../restrictions.ts';

/** The restrictions of a set that the service enforces, by term; `true` for the whole term. */
const ENFORCED: Readonly<Record<string, readonly string[] | true>> = {
  FilterRestrictions: [
    'Filterable',
    'RequiresFilter',
    'RequiredProperties',
    'NonFilterableProperties',
  ],
  SortRestrictions: [
    'Sortable',
    'NonSortableProperties',
    'AscendingOnlyProperties',
    'DescendingOnlyProperties',
  ],
  CountRestrictions: ['Countable'],
  ExpandRestrictions: ['Expandable', 'NonExpandableProperties'],
  SearchRestrictions: ['Searchable'],
  InsertRestrictions: [
    'Insertable',
    'NonInsertableProperties',
    'NonInsertableNavigationProperties',
  ],
  UpdateRestrictions: ['Updatable', 'NonUpdatableProperties', 'NonUpdatableNavigationProperties'],
  DeleteRestrictions: ['Deletable'],
  TopSupported: true,
  SkipSupported: true,
  NavigationRestrictions: ['RestrictedProperties'],
};
/** The terms that are enforced for navigations, with the same members. */
const OF_NAVIGATIONS = [
  'FilterRestrictions',
  'SortRestrictions',
  'SearchRestrictions',
  'InsertRestrictions',
  'UpdateRestrictions',
  'DeleteRestrictions',
  'TopSupported',
  'SkipSupported',
];

/** Terms and members that restrict what a client may do. */
const RESTRICTING = /Restrictions$|Supported$|Support$|^Permissions$/;
const PREFIX = 'Capabilities.';
const REMEDY = 'Remove it, or restrict the rights of the roles.';

/** Returns a warning for each restriction that is not enforced, and a mistake for each path that does not exist. */
export function lintCapabilities(model: Model): readonly Mistake[] {
  const { definition } = model;
  const { container, containerAnnotations, sets, types } = definition;
  const inContainer = (name: string) => elementPath(container, name);
  return [
    ...unenforced(containerAnnotations, {}, (term) => inContainer(term)),
    ...sets.flatMap((set) => lintSet(model, set)),
    ...types
      .filter(isStructured)
      .flatMap((type) => [
        ...lintElement(type, (term) => elementPath(type.name, term)),
        ...type.members.flatMap((member) =>
          lintElement(member, (term) => elementPath(type.name, member.name, term)),
        ),
      ]),
  ];
}

type PathOf = (...members: string[]) => string;

function lintElement({ annotations }: Described, path: PathOf): readonly Mistake[] {
  const { 'Core.Permissions': permissions } = annotations ?? {};
  const isRestricted = permissions === 'Read' || permissions === 'None';
  const remedy = 'Use @Core.Computed or @Docket.Computed, or withhold the right in the roles.';
  return [
    ...unenforced(annotations, {}, path),
    ...(isRestricted
      ? [
          warning(
            path('@Core.Permissions'),
            'Core.Permissions is published but not enforced.',
            remedy,
          ),
        ]
      : []),
  ];
}

function lintSet(model: Model, set: EntitySet): readonly Mistake[] {
  const { container } = model.definition;
  const path: PathOf = (...members) => elementPath(container, set.name, ...members);
  return [
    ...unenforced(set.annotations, ENFORCED, path),
    ...unreadable(termsOf(set.annotations), ENFORCED, path),
    ...lintPaths(model, set.type, termsOf(set.annotations), path),
    ...[...restrictedNavigations(set)].flatMap(([name, terms]) => {
      const place: PathOf = (...members) =>
        path(`@${PREFIX}NavigationRestrictions`, 'RestrictedProperties', name, ...members);
      return lintNavigation(model, set, { name, terms, place });
    }),
  ];
}

interface RestrictedNavigation {
  readonly name: string;
  readonly terms: Annotations;
  readonly place: PathOf;
}

function lintNavigation(
  model: Model,
  set: EntitySet,
  { name, terms, place }: RestrictedNavigation,
): readonly Mistake[] {
  const type = model.types.get(set.type);
  if (type?.kind !== 'entity') return [];
  const member = memberAt(model, type, name);
  if (member?.kind !== 'navigation')
    return [
      missing(place(), `the navigation ${set.type}/${name}`, name, model.members(type).keys()),
    ];
  const { NavigationProperty: _, Navigability = 'Recursive', ...restrictions } = terms;
  const isEnforced = Navigability === 'Recursive' || Navigability === 'None';
  const entries = Object.entries(restrictions);
  const enforced = Object.fromEntries(OF_NAVIGATIONS.map((term) => [term, ENFORCED[term] ?? []]));
  const own = Object.fromEntries(entries.map(([term, value]) => [`${PREFIX}${term}`, value]));
  return [
    ...(isEnforced
      ? []
      : [warning(place(), 'Navigability is published but not enforced.', REMEDY)]),
    ...unenforced(own, enforced, place),
    ...unreadable(entries, enforced, place),
    ...lintPaths(model, member.target, entries, place),
  ];
}

/** Paths of enforced restrictions that the type does not have. */
function lintPaths(
  model: Model,
  name: QualifiedName,
  terms: readonly (readonly [string, Json])[],
  path: PathOf,
): readonly Mistake[] {
  const type = model.types.get(name);
  if (type?.kind !== 'entity') return [];
  return terms.flatMap(([term, value]) => {
    const enforced = ENFORCED[term];
    if (enforced === undefined || enforced === true) return [];
    return enforced.flatMap((member) =>
      restrictedPaths(value, member)
        .filter((one) => memberAt(model, type, one) === undefined)
        .map((one) =>
          missing(
            path(`@${PREFIX}${term}`, member),
            `the member ${name}/${one}`,
            one,
            model.members(type).keys(),
          ),
        ),
    );
  });
}

function termsOf(annotations: Annotations = {}): readonly (readonly [string, Json])[] {
  return Object.entries(annotations).flatMap(([term, value]) =>
    term.startsWith(PREFIX) ? [[term.slice(PREFIX.length), value] as const] : [],
  );
}

function unenforced(
  annotations: Annotations | undefined,
  enforced: typeof ENFORCED,
  path: PathOf,
): readonly Mistake[] {
  return termsOf(annotations).flatMap(([name, value]) => {
    const known = enforced[name];
    if (known === true || !RESTRICTING.test(name)) return [];
    const members = isPlainRecord(value) ? Object.entries(value) : [['', value] as const];
    return members
      .filter(([member, inner]) => known?.includes(member) !== true && isRestriction(member, inner))
      .map(([member]) => {
        const thing = member === '' ? name : `${name}/${member}`;
        const message = `Capabilities.${thing} is published but not enforced.`;
        const hint = known === undefined ? '' : didYouMean(member, known);
        return warning(path(`@${PREFIX}${name}`), message, `${REMEDY}${hint}`);
      });
  });
}

/** Enforced restrictions that are neither true nor false, and so have no effect. */
function unreadable(
  terms: readonly (readonly [string, Json])[],
  enforced: typeof ENFORCED,
  path: PathOf,
): readonly Mistake[] {
  return terms.flatMap(([name, value]) => {
    const known = enforced[name];
    const flags =
      known === true ? [''] : (known?.filter((one) => /(able|Filter)$/.test(one)) ?? []);
    const values = known === true ? { '': value } : isPlainRecord(value) ? value : {};
    return flags
      .filter((flag) => values[flag] !== undefined && typeof values[flag] !== 'boolean')
      .map((flag) => {
        const place = flag === '' ? [] : [flag];
        const message = `Expected true or false, found ${JSON.stringify(values[flag])}.`;
        return mistake(
          path(`@${PREFIX}${name}`, ...place),
          message,
          'Write true or false without quotes.',
        );
      });
  });
}

function isRestriction(member: string, value: Json): boolean {
  if (/Description$/.test(member) || value === null || isEmpty(value)) return false;
  return /^Requires/.test(member) ? value !== false : value !== true;
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value)
    ? value.length === 0
    : isPlainRecord(value) && Object.keys(value).length === 0;
}
