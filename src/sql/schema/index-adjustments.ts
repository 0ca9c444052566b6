// This file adjusts the indexes of a layout to an installation, whose administrator has added indexes and dropped some of the model. It
// also defines why a table has an index.

import { isReference } from '../../edm/property-storage.ts';
import type { Source } from '../../edm/source.ts';
import {
  columnName,
  FILE_COLUMN,
  type Index,
  type Layout,
  PARENT_COLUMN,
  type StoredLayout,
  type Table,
  type TableUse,
} from './layout.ts';
import { navigationsOf } from './model-layout.ts';

/** The indexes in which an installation differs from its model. */
export interface IndexAdjustments {
  readonly added: readonly AddedIndex[];
  /** Names of indexes that the model declares. */
  readonly dropped: readonly string[];
}

interface AddedIndex {
  readonly table: string;
  readonly columns: readonly string[];
}

export const NO_ADJUSTMENTS: IndexAdjustments = { added: [], dropped: [] };

/** The name of an index on columns of a table. */
export function indexName(table: string, columns: readonly string[]): string {
  return `${table}|${columns.join(',')}`;
}

/** The layout with the indexes of the installation. Adjustments of tables and columns that it does not have are ignored. */
export function withAdjustedIndexes(
  { tables, links, expressions }: StoredLayout,
  adjustments: IndexAdjustments,
): StoredLayout {
  return { tables: tables.map((table) => adjustTable(table, adjustments)), links, expressions };
}

/** As withAdjustedIndexes, for a layout with its model. */
export function adjustLayout(layout: Layout, adjustments: IndexAdjustments): Layout {
  if (adjustments.added.length + adjustments.dropped.length === 0) return layout;
  const bySource = new Map<string, TableUse>();
  for (const [id, use] of layout.bySource)
    bySource.set(id, { ...use, table: adjustTable(use.table, adjustments) });
  return { ...layout, bySource, tables: [...bySource.values()].map(({ table }) => table) };
}

function adjustTable(table: Table, { added, dropped }: IndexAdjustments): Table {
  const kept = table.indexes.filter((index) => index.unique || !dropped.includes(index.name));
  const names = new Set(kept.map((index) => index.name));
  const own = added
    .filter((index) => index.table === table.name && hasColumns(table, index))
    .map(({ columns }) => ({ name: indexName(table.name, columns), columns, unique: false }))
    .filter((index) => !names.has(index.name));
  if (own.length === 0 && kept.length === table.indexes.length) return table;
  return { ...table, indexes: [...kept, ...own] };
}

function hasColumns(table: Table, { columns }: AddedIndex): boolean {
  return columns.every((column) => table.columns.some(({ name }) => name === column));
}

/** The adjustments that have an effect on the layout of a model. */
export function effectiveAdjustments(
  { tables }: StoredLayout,
  { added, dropped }: IndexAdjustments,
): IndexAdjustments {
  const isKnown = (index: AddedIndex) =>
    tables.some((table) => table.name === index.table && hasColumns(table, index));
  const declared = new Set(
    tables.flatMap(({ indexes }) =>
      indexes.filter(({ unique }) => !unique).map(({ name }) => name),
    ),
  );
  return { added: added.filter(isKnown), dropped: dropped.filter((name) => declared.has(name)) };
}

/** Why a table has an index. Those of keys, unique properties and relations are needed for correct and fast writes. */
export type IndexPurpose = 'key' | 'unique' | 'relation' | 'model';

/** The purpose of an index of the model. */
export function purposeOf(layout: Layout, use: TableUse, { columns, unique }: Index): IndexPurpose {
  const [first = '', ...others] = columns;
  if (unique) return isUniqueProperty(layout, use.source, columns) ? 'unique' : 'key';
  const isFile = first === FILE_COLUMN || first.endsWith('#file');
  const isRelation = first === PARENT_COLUMN || isFile || referenceColumns(layout, use).has(first);
  return isRelation && others.length === 0 ? 'relation' : 'model';
}

function isUniqueProperty(
  { model }: Layout,
  { type }: Source,
  [only = '', ...others]: readonly string[],
): boolean {
  const member = model.members(type).get(only);
  return others.length === 0 && member?.kind === 'property' && member.unique === true;
}

function referenceColumns({ model }: Layout, use: TableUse): ReadonlySet<string> {
  const references = navigationsOf(model, use.source).filter(({ navigation }) =>
    isReference(model, navigation),
  );
  return new Set(references.map(({ path, navigation }) => columnName(use, [...path, navigation])));
}
