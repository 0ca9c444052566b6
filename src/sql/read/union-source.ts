// Reads the rows of a type that is stored in several sets: a UNION ALL subquery with the columns of all of their tables, and with
// identity, type and version in every row.
import { perPair } from '../../base/memo.ts';
import type { RowVariable } from '../../bind/bound.ts';
import { isAssignable, type Member } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { nullIn } from '../expression/convert-storage.ts';
import {
  column,
  type Fragment,
  flattened,
  join,
  list,
  name,
  sql,
  tableName,
  text,
} from '../fragment.ts';
import {
  type Column,
  IDENTITY_COLUMN,
  type Layout,
  type TableUse,
  TYPE_COLUMN,
  tableOf,
  VERSION_COLUMN,
} from '../schema/layout.ts';
import { membersOf } from '../schema/relation-storage.ts';
import { INTEGER, TEXT } from '../schema/value-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';

type OfEntity = RowVariable & { readonly kind: 'entity' };

/** The table of a source; for a union, a virtual table with the shared columns. */
export function useOf(layout: Layout, source: Source): TableUse {
  return source.kind === 'union' ? useOfUnion(layout, source) : tableOf(layout, source);
}

const useOfUnion = perPair((layout: Layout, source: Source): TableUse => {
  const uses = membersOf(source).map((member) => tableOf(layout, member));
  const columns = new Map<string, Column>([
    [IDENTITY_COLUMN, { name: IDENTITY_COLUMN, storage: INTEGER, notNull: true }],
    [TYPE_COLUMN, { name: TYPE_COLUMN, storage: TEXT, notNull: true }],
    [VERSION_COLUMN, { name: VERSION_COLUMN, storage: INTEGER, notNull: true }],
  ]);
  for (const [at, column] of sharedColumns(layout, source, uses)) columns.set(at, column);
  return {
    source,
    table: { name: '', identity: IDENTITY_COLUMN, columns: [...columns.values()], indexes: [] },
    columns,
    renamed: new Map(uses.flatMap((use) => [...use.renamed])),
    clocks: new Map(uses.flatMap((use) => [...use.clocks])),
  };
});

/** The identity of the row of a variable. */
export function identityColumn(scope: Scope, row: OfEntity): Fragment {
  return column(aliasOf(scope, row), useOf(scope.layout, row.source).table.identity);
}

/** The FROM item for all rows of a source. */
export function fromSource(layout: Layout, source: Source, alias: Fragment): Fragment {
  if (source.kind !== 'union')
    return sql`${tableName(tableOf(layout, source).table.name)} ${alias}`;
  return sql`(${unionRows(layout, source)}) ${alias}`;
}

const unionRows = perPair((layout: Layout, source: Source): Fragment => {
  const use = useOf(layout, source);
  const parts = membersOf(source).map((member) => selectMember(layout, use, member));
  return flattened(join(parts, ' UNION ALL '));
});

/** The columns for members of the type and its derived types, nullable unless they are NOT NULL in every table. */
function sharedColumns(
  layout: Layout,
  source: Source,
  uses: readonly TableUse[],
): ReadonlyMap<string, Column> {
  const names = memberNames(layout, source, uses);
  const shared = new Map<string, Column>();
  for (const column of uses.flatMap((use) => [...use.columns.values()])) {
    const [first = ''] = column.name.split(/[/#]/);
    if (shared.has(column.name) || !names.has(first)) continue;
    const notNull = uses.every((use) => use.columns.get(column.name)?.notNull === true);
    shared.set(column.name, { ...column, notNull });
  }
  return shared;
}

function memberNames(
  { model }: Layout,
  source: Source,
  uses: readonly TableUse[],
): ReadonlySet<string> {
  const types = [source.type, ...model.derived(source.type)];
  const members = new Set<Member>(types.flatMap((type) => [...model.members(type).values()]));
  const renamed = uses.flatMap((use) => [...use.renamed]);
  const names = [...members].map((member) => member.name);
  return new Set([
    ...names,
    ...renamed.flatMap(([member, column]) => (members.has(member) ? [column] : [])),
  ]);
}

function selectMember(layout: Layout, union: TableUse, member: Source): Fragment {
  const { model } = layout;
  const use = tableOf(layout, member);
  const members = membersOf(union.source).map((one) => tableOf(layout, one));
  const isEverywhere = (column: string) => members.every(({ columns: own }) => own.has(column));
  const columns = union.table.columns.map((column) => {
    if (column.name === IDENTITY_COLUMN) {
      return sql`${name(use.table.identity)} AS ${name(IDENTITY_COLUMN)}`;
    }
    if (column.name === TYPE_COLUMN && !use.columns.has(TYPE_COLUMN)) {
      return sql`CAST(${text(member.type.name)} AS text) AS ${name(TYPE_COLUMN)}`;
    }
    if (!use.columns.has(column.name))
      return sql`${nullIn(column.storage)} AS ${name(column.name)}`;
    // SQLite reads whole tables to find one row of a union in which a column and a null instead of it differ in affinity.
    const isCast = column.storage.kind === 'boolean' && !isEverywhere(column.name);
    return isCast
      ? sql`CAST(${name(column.name)} AS boolean) AS ${name(column.name)}`
      : name(column.name);
  });
  const rows = sql`SELECT ${list(columns)} FROM ${tableName(use.table.name)}`;
  const { type } = union.source;
  if (isAssignable(model, member.type, type)) return rows;
  // The set also holds rows of a base type.
  const types = [type, ...model.derived(type)].map((one) => text(one.name));
  return sql`${rows} WHERE ${name(TYPE_COLUMN)} IN (${list(types)})`;
}
