// This file notes what a row lets go of when it changes or goes: the rows it referred to, its container, the other ends of its pairs.
// They look different afterwards to whoever reads them with what leads to them, and nothing else would tell which they were.

import { type Fragment, join, list, name, sql, text } from '../fragment.ts';
import { columnName, type Layout, PARENT_COLUMN, type TableUse } from '../schema/layout.ts';
import { leaving } from '../schema/model-layout.ts';
import { arrivalOf } from '../schema/relation-storage.ts';
import { noteRows } from './change-log.ts';
import type { Setting } from './column-values.ts';

/** Notes of the targets that rows will no longer refer to; to be run before the columns are set. */
export function noteFormerTargets(
  layout: Layout,
  use: TableUse,
  settings: readonly Pick<Setting, 'column' | 'content'>[],
  condition: Fragment,
): readonly Fragment[] {
  const references = referenceColumns(layout, use);
  return settings
    .filter(({ column }) => references.includes(column.name))
    .map(({ column, content }) =>
      noteFormer(use, column.name, sql`${condition} AND ${name(column.name)} IS NOT ${content}`),
    );
}

/** A note for each row of the condition whose column refers to something: `unlink` of what it refers to. */
export function noteFormer(use: TableUse, column: string, condition: Fragment): Fragment {
  const { source, table } = use;
  return noteRows(
    {
      deed: 'unlink',
      source,
      identity: name(table.identity),
      navigation: text(column),
      other: name(column),
    },
    sql`${name(table.name)} WHERE ${condition} AND ${name(column)} IS NOT NULL`,
  );
}

/** Notes of everything that the one row `gone` was connected with; to be run before it goes. */
export function noteConnections(
  layout: Layout,
  use: TableUse,
  gone: Fragment,
): readonly Fragment[] {
  const connections = [...references(layout, use, gone), ...pairs(layout, use, gone)];
  if (connections.length === 0) return [];
  const rows = sql`(${join(connections, ' UNION ALL ')}) WHERE "other" IS NOT NULL`;
  return [
    noteRows(
      {
        deed: 'unlink',
        source: use.source,
        identity: gone,
        navigation: name('by'),
        other: name('other'),
      },
      rows,
    ),
  ];
}

function references(layout: Layout, use: TableUse, gone: Fragment): readonly Fragment[] {
  const parent = use.columns.has(PARENT_COLUMN) ? [PARENT_COLUMN] : [];
  return [...parent, ...referenceColumns(layout, use)].map((column) => {
    const named = list([sql`${text(column)} AS "by"`, sql`${name(column)} AS "other"`]);
    return sql`SELECT ${named} FROM ${name(use.table.name)} WHERE ${name(use.table.identity)} = ${gone}`;
  });
}

/** Where the targets of a link table are rows of several tables, each of them may be an end of it. */
function pairs(layout: Layout, use: TableUse, gone: Fragment): readonly Fragment[] {
  return layout.links.flatMap((link) => {
    const far = (near: 'source' | 'target') => (near === 'source' ? 'target' : 'source');
    const isTarget = link.target === use.table.name || link.target === undefined;
    const ends = [
      ...(link.source === use.table.name ? (['source'] as const) : []),
      ...(isTarget ? (['target'] as const) : []),
    ];
    return ends.map(
      (near) =>
        sql`SELECT ${text(link.name)} AS "by", ${name(far(near))} AS "other" FROM ${name(link.name)} WHERE ${name(near)} = ${gone}`,
    );
  });
}

/** Columns in which rows of the table refer to others. */
function referenceColumns(layout: Layout, use: TableUse): readonly string[] {
  return leaving(layout.model, use.source).flatMap(({ path, navigation }) => {
    const { relation } = arrivalOf(layout, { from: use.source, path, navigation });
    const column = columnName(use, [...path, navigation]);
    return relation.kind === 'reference' && use.columns.has(column) ? [column] : [];
  });
}
