// This file enforces the restrictions that a model declares for reading the entities of a set, or of the target of a navigation.
// lint/capabilities.ts warns of declared capabilities that are not enforced.
// Vocabulary Org.OData.Capabilities.V1: FilterRestrictions, SortRestrictions, CountRestrictions, ExpandRestrictions,
// SearchRestrictions, TopSupported, SkipSupported, NavigationRestrictions.
import { Fault } from '../../base/fault.ts';
import { isPlainRecord, pathName } from '../../edm/model.ts';
import {
  isClosed,
  isInside,
  navigationTerm,
  restrictedPaths,
  restrictionTerm,
} from '../../edm/restrictions.ts';
import { misplacedOption, type OptionName } from '../../request/options/option-names.ts';
import type * as Tree from '../../request/tree.ts';
import type {
  Expansion,
  Expression,
  OrderItem,
  Query,
  Rows,
  RowVariable,
  Transformation,
} from '../bound.ts';
import { pathsIn } from '../expression/paths-in.ts';

/** The terms that decide whether an option is supported; the member of the record, if the term is one. */
const SUPPORT = {
  filter: ['FilterRestrictions', 'Filterable'],
  orderby: ['SortRestrictions', 'Sortable'],
  count: ['CountRestrictions', 'Countable'],
  expand: ['ExpandRestrictions', 'Expandable'],
  search: ['SearchRestrictions', 'Searchable'],
  top: ['TopSupported'],
  skip: ['SkipSupported'],
} as const;

const OPTIONS = ['filter', 'orderby', 'count', 'expand', 'search', 'top', 'skip'] as const;

/** Throws: request.misplaced-option, bind.option-on if the entities do not support an option or its use of a property. */
export function requireSupported(query: Query, options: Tree.NestedOptions): void {
  const { row } = query;
  if (!isRestricted(row)) return;
  for (const name of OPTIONS) if (isUsed(options, name)) requireOption(row, name);
  if (query.filter !== undefined) requireFilterable(row, query.filter);
  requireSortable(row, query.orderby);
}

/** Throws: request.misplaced-option if the entities do not support the option, whatever its value. */
export function requireOption(row: RowVariable, name: keyof typeof SUPPORT): void {
  if (!isRestricted(row)) return;
  const [term, member] = SUPPORT[name];
  const value = restrictionTerm(row, term);
  const isSupported = member !== undefined && isPlainRecord(value) ? value[member] : value;
  if (isSupported === false) throw misplacedOption(name, `on ${nameOf(row)}`, []);
}

/** Throws: bind.option-on, request.misplaced-option if the entities cannot be filtered by the condition. */
export function requireFilterable(row: RowVariable, condition: Expression): void {
  if (!isRestricted(row)) return;
  requireOption(row, 'filter');
  const listed = restrictedPaths(
    restrictionTerm(row, 'FilterRestrictions'),
    'NonFilterableProperties',
  );
  const denied = pathsIn(condition, row).find((path) => isIn(listed, path));
  if (denied !== undefined) throw unusable(denied, 'not filterable', 'filter');
}

/** Throws: bind.option-on, request.misplaced-option if the entities cannot be sorted by the items. */
function requireSortable(row: RowVariable, items: readonly OrderItem[]): void {
  if (items.length === 0 || !isRestricted(row)) return;
  requireOption(row, 'orderby');
  const term = restrictionTerm(row, 'SortRestrictions');
  for (const { expression, descending } of items) {
    const [path] = pathsIn(expression, row);
    if (path === undefined) continue;
    const is = (member: string) => isIn(restrictedPaths(term, member), path);
    if (is('NonSortableProperties')) throw unusable(path, 'not sortable', 'orderby');
    const wanted = descending ? 'in ascending order only' : 'in descending order only';
    if (is(descending ? 'AscendingOnlyProperties' : 'DescendingOnlyProperties'))
      throw unusable(path, `sortable ${wanted}`, 'orderby');
  }
}

/**
 * Throws: bind.filter-required if the entities can only be read with a filter, and none of the path, $filter and the first transformations
 * is one that uses the required properties. A restriction of a set concerns its own URL, not navigations to it.
 */
export function requireFilter({ row, origin, where }: Rows, query: Query): void {
  if (!isRestricted(row)) return;
  const term =
    origin.kind === 'source'
      ? restrictionTerm(row, 'FilterRestrictions')
      : navigationTerm(row.route, 'FilterRestrictions');
  if (!isPlainRecord(term)) return;
  const first = query.apply.findIndex(({ kind }) => kind !== 'filter');
  const applied = query.apply
    .slice(0, first < 0 ? query.apply.length : first)
    .flatMap((one) => (one.kind === 'filter' ? [one.predicate] : []));
  const path = where.filter(({ kind }) => kind !== 'instance');
  const conditions = [...path, ...(query.filter === undefined ? [] : [query.filter]), ...applied];
  const used = conditions.flatMap((one) => pathsIn(one, row));
  const missing = restrictedPaths(term, 'RequiredProperties').filter(
    (one) => !used.some((other) => isInside(other, one)),
  );
  const isMissing = conditions.length === 0 ? term.RequiresFilter === true : missing.length > 0;
  if (!isMissing) return;
  const by = missing.length === 0 ? '' : ` by ${missing.map((one) => `"${one}"`).join(' and ')}`;
  throw new Fault('bind.filter-required', { name: nameOf(row), by }, { target: '$filter' });
}

/** Throws: request.misplaced-option, bind.option-on if the entities do not support a transformation. */
export function requireTransformable(step: Transformation): void {
  const { input: row } = step;
  switch (step.kind) {
    case 'filter':
      requireFilterable(row, step.predicate);
      break;
    case 'orderby':
      requireSortable(row, step.items);
      break;
    case 'search':
    case 'top':
    case 'skip':
      requireOption(row, step.kind);
      break;
    case 'extreme':
      requireSortable(row, [{ expression: step.by, descending: step.end === 'top' }]);
      break;
    case 'aggregate':
    case 'groupby':
      if (step.aggregations.some(({ method, expression }) => method === 'count' && !expression))
        requireOption(row, 'count');
      break;
    default:
      break;
  }
}

/** Throws: bind.option-on if URLs must not contain the navigation to the rows. */
export function requireNavigable({ row, origin }: Rows): void {
  if (!isClosed(row.route) || origin.kind === 'source' || origin.kind === 'these') return;
  const parameters = { name: origin.navigation.name, what: 'not navigable', place: 'in the path' };
  throw new Fault('bind.option-on', { ...parameters, instead: 'leave it out' });
}

/** The expansions that the entities support; `*` includes only those. Throws: bind.option-on. */
export function supportedExpansions(
  row: RowVariable,
  expansions: readonly Expansion[],
): readonly Expansion[] {
  if (!isRestricted(row)) return expansions;
  const listed = restrictedPaths(
    restrictionTerm(row, 'ExpandRestrictions'),
    'NonExpandableProperties',
  );
  return expansions.filter(({ path, navigation, isStarred, rows }) => {
    const name = pathName([...path, navigation]);
    if (!listed.includes(name) && !isClosed(rows.row.route)) return true;
    if (isStarred !== true) throw unusable(name, 'not expandable', 'expand');
    return false;
  });
}

type EntityRow = Rows['row'];

/** Whether a model may declare something for the rows. */
function isRestricted(row: RowVariable): row is EntityRow {
  return row.kind === 'entity' && (row.source.set?.annotations ?? row.route) !== undefined;
}

function nameOf({ source, route }: EntityRow): string {
  return source.set?.name ?? route?.path ?? source.id;
}

function isUsed(options: Tree.NestedOptions, name: OptionName): boolean {
  const value = Object.entries(options).find(([option]) => option === name)?.[1];
  return value !== undefined && value !== false;
}

/** Whether the path is one of the paths, or inside the complex value at one of them. */
function isIn(listed: readonly string[], path: string): boolean {
  return listed.some((one) => isInside(path, one));
}

function unusable(name: string, what: string, option: OptionName): Fault {
  const parameters = { name, what, place: `in $${option}`, instead: 'leave it out' };
  return new Fault('bind.option-on', parameters, { target: `$${option}` });
}
