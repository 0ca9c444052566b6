// This file groups rows by the references and codes that they store, before the names and texts of these are looked up: once per group
// instead of once per row. Groups with the same names and texts are then merged.
//     groupby((Caller/Name),aggregate($count as N))
//     SELECT (SELECT t2."Name" … WHERE t2."Uid" = t1."Caller"), sum(t1."$a1")
//     FROM (SELECT t1."Caller", count(*) AS "$a1" FROM … GROUP BY t1."Caller") t1 GROUP BY (SELECT t2."Name" …)
import type { Aggregation, Grouping, RowExpression, RowVariable } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { isReference } from '../expression/navigation-lookup.ts';
import { codeColumn } from '../expression/property.ts';
import { column, type Fragment, list, name, sql, where } from '../fragment.ts';
import { sourceOf } from '../read/row-source.ts';
import { useOf } from '../read/union-source.ts';
import { columnName, PARENT_COLUMN } from '../schema/layout.ts';
import { resolveNavigation } from '../schema/relation-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { mergedAggregate } from './aggregation-methods.ts';
import { groupBy, groupName, isChained, namedKeys } from './chained-aggregate.ts';
import { fromRows, type Stage } from './transformation-rows.ts';

/** Groups of one grouping set. */
export interface Groups {
  readonly groupings: readonly Grouping[];
  readonly aggregations: readonly Aggregation[];
  /** The value of each grouping, by position. */
  readonly keys: readonly Fragment[];
  /** Positions of the groupings in this set. */
  readonly set: readonly number[];
}

export interface GroupsByReference {
  /** A row for each group, with the columns that the keys need. */
  readonly stage: Stage;
  readonly keys: readonly Fragment[];
  readonly values: ReadonlyMap<Aggregation, Compiled>;
}

/** The rows in groups that remain to be merged; undefined unless the rows refer to a key, and aggregates can be merged. */
export function groupByReferences(stage: Stage, groups: Groups): GroupsByReference | undefined {
  const { groupings, aggregations, keys, set } = groups;
  const { scope, row, partition } = stage;
  if (row.kind !== 'entity' || partition.length > 0) return undefined;
  const stored = groupings.map((one, index) =>
    set.includes(index) ? storedColumn(scope, row, one) : undefined,
  );
  const names = new Set(stored.flatMap((one) => one?.name ?? []));
  if (names.size === 0 || aggregations.some(isChained)) return undefined;
  const alias = aliasOf(scope, row);
  const parts: Fragment[] = [];
  const values = new Map<Aggregation, Compiled>();
  for (const one of aggregations) {
    const value = mergedAggregate(scope, one, (part) => {
      const as = name(`$a${parts.length + 1}`);
      parts.push(sql`${part} AS ${as}`);
      return sql`${alias}.${as}`;
    });
    if (value === undefined) return undefined;
    values.set(one, value);
  }
  const others = set.filter((index) => stored[index] === undefined);
  const own = others.flatMap((index) => keys[index] ?? []);
  // The order of an index serves if no other column of the rows is read.
  const isAlone = names.size + own.length + stage.conditions.length === 1;
  const isIndexed = isAlone && aggregations.every(({ expression }) => expression === undefined);
  const columns = [...names].map((one) => {
    const content = column(alias, one);
    const isCode = stored.some((other) => other?.name === one && other.isCode);
    return isCode || isIndexed ? content : scope.dialect.unindexed(content);
  });
  const named = [...names].map((one, index) => sql`${columns[index] ?? alias} AS ${name(one)}`);
  const rows = sql`SELECT ${list([...named, ...namedKeys(own), ...parts])} FROM ${stage.from}${where(stage.conditions)}${groupBy([...columns, ...own])}`;
  const merged = keys.map((key, index) => {
    const at = others.indexOf(index);
    return at < 0 ? key : sql`${alias}.${groupName(at)}`;
  });
  return { stage: fromRows(stage, rows), keys: merged, values };
}

/** The column of the row by which a value is looked up. */
interface StoredColumn {
  readonly name: string;
  /** Few rows have the same reference, but many the same code. */
  readonly isCode: boolean;
}

function storedColumn(
  scope: Scope,
  row: RowVariable,
  { expression }: Grouping,
): StoredColumn | undefined {
  if (expression.kind !== 'property') return undefined;
  // The key of a target is also the reference to it.
  const from = isReference(scope, expression) ? expression.row.from : expression.row;
  const reference = referenceColumn(scope, row, from);
  const found = reference ?? codeColumn(scope, row, expression);
  return found === undefined ? undefined : { name: found, isCode: reference === undefined };
}

/** The column for the first of the single-valued navigations from a row to another; undefined if it is stored otherwise. */
function referenceColumn(scope: Scope, start: RowVariable, row: RowExpression): string | undefined {
  if (row.kind !== 'follow' || scope.bound.has(row.target.id)) return undefined;
  const { from, path, navigation } = row;
  if (from.kind === 'follow') return referenceColumn(scope, start, from);
  if (from.kind !== 'variable' || from.row.id !== start.id) return undefined;
  const source = sourceOf(from);
  const { relation } = resolveNavigation(scope.layout, { from: source, path, navigation });
  if (relation.kind === 'parent') return PARENT_COLUMN;
  return relation.kind === 'reference'
    ? columnName(useOf(scope.layout, source), [...path, navigation])
    : undefined;
}
