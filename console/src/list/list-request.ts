// This file builds the requests of a list: pages of rows, their number, groups, and files.
import { referenceExpand, valueAt } from '../model/entity.ts';
import type { Column } from '../model/layout.ts';
import { isTracked, type Model, memberAt, type StructuredType } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { searchText } from '../model/search-text.ts';

/** What a list asks for. */
export interface ListQuery {
  readonly set: string;
  readonly columns: readonly Column[];
  readonly filter: string | undefined;
  readonly search: string | undefined;
  readonly orderby: string | undefined;
}

type Options = readonly (readonly [string, string | undefined])[];

/** The properties and relations that columns need: key, columns, and key and title of related entities. */
export function selectAndExpand(
  model: Model,
  type: StructuredType,
  columns: readonly Column[],
): { readonly select: string; readonly expand: string | undefined } {
  const select = new Set(type.key.map(({ path }) => path));
  const expand: string[] = [];
  for (const { path, member } of columns) {
    if (member.kind !== 'navigation') select.add(path);
    else if (!member.collection) expand.push(referenceExpand(model, path, member));
  }
  return {
    select: [...select].join(','),
    expand: expand.length === 0 ? undefined : expand.join(','),
  };
}

function searchAndFilter({ filter, search }: Pick<ListQuery, 'filter' | 'search'>): Options {
  return [
    ['$filter', filter],
    ['$search', searchText(search)],
  ];
}

/** The path of the first page, or of one that skips rows. */
export function rowsPath(model: Model, type: StructuredType, query: ListQuery, skip = 0): string {
  const { select, expand } = selectAndExpand(model, type, query.columns);
  return pathWith(query.set, [
    ['$select', select],
    ['$expand', expand],
    ...searchAndFilter(query),
    ['$orderby', query.orderby],
    ['$skip', skip === 0 ? undefined : String(skip)],
  ]);
}

export function countPath(query: Pick<ListQuery, 'set' | 'filter' | 'search'>): string {
  return pathWith(`${query.set}/$count`, searchAndFilter(query));
}

/** The path whose changes are those of the rows; undefined if the service does not report them. */
export function changesPath(
  model: Model,
  { key }: StructuredType,
  query: Pick<ListQuery, 'set' | 'filter' | 'search'>,
): string | undefined {
  const set = model.sets.get(query.set);
  if (set === undefined || !isTracked(set)) return undefined;
  const select = key.map(({ path }) => path).join(',');
  return pathWith(query.set, [['$select', select], ...searchAndFilter(query)]);
}

/** The path of a file with all rows. */
export function exportPath(
  model: Model,
  type: StructuredType,
  query: ListQuery,
  format: 'csv' | 'xlsx',
): string {
  const { select, expand } = selectAndExpand(model, type, query.columns);
  return pathWith(query.set, [
    ['$select', select],
    ['$expand', expand],
    ...searchAndFilter(query),
    ['$orderby', query.orderby],
    ['$format', format === 'csv' ? 'csv;headings=labels;bom=true' : 'xlsx;headings=labels'],
  ]);
}

export interface GroupRow {
  /** The value of the grouping member as a row would have it. */
  readonly value: unknown;
  readonly count: number;
  /** The condition that selects the rows of the group. */
  readonly filter: string;
}

/** The name of the count in the result; one that no property has. */
const COUNT = 'DocketRows';

/** The path of the groups with their numbers of rows: codes by value and text, related entities by key and title. */
export function groupsPath(
  model: Model,
  type: StructuredType,
  query: Omit<ListQuery, 'columns' | 'orderby'>,
  column: Column,
): string {
  const search = searchText(query.search);
  const steps = [
    ...(search === undefined ? [] : [`search(${search})`]),
    ...(query.filter === undefined ? [] : [`filter(${query.filter})`]),
    `groupby((${groupedPaths(model, type, column).join(',')}),aggregate($count as ${COUNT}))`,
  ];
  return pathWith(query.set, [
    ['$apply', steps.join('/')],
    ['$orderby', `${COUNT} desc`],
    ['$top', '250'],
  ]);
}

function groupedPaths(model: Model, _type: StructuredType, { path, member }: Column) {
  const target = model.types.get(member.type);
  if (member.kind === 'code' && target?.coded !== undefined)
    return [`${path}/${target.coded.value}`, `${path}/${target.coded.text}`];
  if (member.kind !== 'navigation' || target === undefined) return [path];
  const select = /\$select=([^)]*)/.exec(referenceExpand(model, path, member))?.[1] ?? '';
  return select.split(',').map((name) => `${path}/${name}`);
}

/** Reads the groups of a response. */
export function readGroups(
  rows: readonly Readonly<Record<string, unknown>>[],
  column: Column,
  conditionFor: (value: unknown) => string | undefined,
): readonly GroupRow[] {
  return rows.flatMap((row) => {
    const value = valueAt(row, column.path) ?? null;
    const filter = conditionFor(value);
    return filter === undefined ? [] : [{ value, count: Number(row[COUNT]), filter }];
  });
}

/** Whether rows can be grouped by a member: codes, enumerations, booleans and single related entities. */
export function isGroupable(model: Model, type: StructuredType, path: string): boolean {
  const member = memberAt(model, type, path);
  if (member === undefined || member.collection) return false;
  return (
    member.kind === 'code' ||
    member.kind === 'enumeration' ||
    member.kind === 'navigation' ||
    member.type === 'Edm.Boolean'
  );
}

/** Both conditions, each optional. */
export function bothFilters(
  one: string | undefined,
  other: string | undefined,
): string | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : `(${one}) and (${other})`;
}
