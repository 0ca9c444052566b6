// Logs the relations that a row loses when it is updated or deleted: references, its container and links. Delta queries need these
// entries, because responses that expand the relation from the other end change, too, and nothing else records the previous targets.

import { perPair } from '../../base/memo.ts';
import { type Fragment, join, list, name, sql, tableName, text } from '../fragment.ts';
import {
  columnName,
  type Layout,
  type LinkTable,
  PARENT_COLUMN,
  type TableUse,
} from '../schema/layout.ts';
import { navigationsOf } from '../schema/model-layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import { logChangesOf } from './change-log.ts';
import type { Setting } from './column-values.ts';
import type { WriteScope } from './steps.ts';

/** Log entries for references that are about to be replaced. Run them before the update. */
export function logReplacedReferences(
  { layout, dialect }: WriteScope,
  use: TableUse,
  settings: readonly Pick<Setting, 'column' | 'content'>[],
  condition: Fragment,
): readonly Fragment[] {
  const references = referenceColumns(layout, use);
  return settings
    .filter(({ column }) => references.has(column.name))
    .map(({ column, content }) =>
      logLostReference(
        use,
        column.name,
        sql`${condition} AND ${dialect.values.notSame(name(column.name), content)}`,
      ),
    );
}

/** An `unlink` entry for each row that meets the condition and has a reference in the column. */
export function logLostReference(use: TableUse, column: string, condition: Fragment): Fragment {
  const { source, table } = use;
  return logChangesOf(
    {
      kind: 'unlink',
      source,
      identity: name(table.identity),
      navigation: text(column),
      other: name(column),
    },
    sql`${tableName(table.name)} WHERE ${condition} AND ${name(column)} IS NOT NULL`,
  );
}

/** Log entries for all relations of a row that is about to be deleted. Run them before the deletion. */
export function logLostRelations(
  layout: Layout,
  use: TableUse,
  deleted: Fragment,
): readonly Fragment[] {
  const relations = [...references(layout, use, deleted), ...pairs(layout, use, deleted)];
  if (relations.length === 0) return [];
  const rows = sql`(${join(relations, ' UNION ALL ')}) r WHERE "other" IS NOT NULL`;
  return [
    logChangesOf(
      {
        kind: 'unlink',
        source: use.source,
        identity: deleted,
        navigation: name('by'),
        other: name('other'),
      },
      rows,
    ),
  ];
}

function references(layout: Layout, use: TableUse, deleted: Fragment): readonly Fragment[] {
  const parent = use.columns.has(PARENT_COLUMN) ? [PARENT_COLUMN] : [];
  return [...parent, ...referenceColumns(layout, use)].map((column) => {
    const columns = list([sql`${text(column)} AS "by"`, sql`${name(column)} AS "other"`]);
    return sql`SELECT ${columns} FROM ${tableName(use.table.name)} WHERE ${name(use.table.identity)} = ${deleted}`;
  });
}

type LinkEnd = 'source' | 'target';

/** The ends at which rows of a table can be linked. A link table without a target table may contain rows of any table as its target. */
export function linkEnds({ source, target }: LinkTable, { table }: TableUse): readonly LinkEnd[] {
  const ends: LinkEnd[] = [];
  if (source === table.name) ends.push('source');
  if (target === table.name || target === undefined) ends.push('target');
  return ends;
}

function pairs(layout: Layout, use: TableUse, deleted: Fragment): readonly Fragment[] {
  return layout.links.flatMap((link) => {
    const far = (near: LinkEnd) => (near === 'source' ? 'target' : 'source');
    return linkEnds(link, use).map(
      (near) =>
        sql`SELECT ${text(link.name)} AS "by", ${name(far(near))} AS "other" FROM ${tableName(link.name)} WHERE ${name(near)} = ${deleted}`,
    );
  });
}

/** The reference columns of a table. */
const referenceColumns = perPair((layout: Layout, use: TableUse): ReadonlySet<string> => {
  const columns = navigationsOf(layout.model, use.source).flatMap(({ path, navigation }) => {
    const { relation } = resolveNavigation(layout, { from: use.source, path, navigation });
    const column = columnName(use, [...path, navigation]);
    return relation.kind === 'reference' && use.columns.has(column) ? [column] : [];
  });
  return new Set(columns);
});
