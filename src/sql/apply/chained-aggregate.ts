// This file compiles aggregates in several steps: `Amount with sum from Day with average` adds up within each day and averages the
// days. Each step groups by fewer keys than the previous one. OData Data Aggregation 4.0, "Keyword from".

import { rowOf, variableOf } from '../../bind/apply/collection-paths.ts';
import type {
  Aggregation,
  RowExpression,
  RowVariable,
  StoredCollection,
} from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { collectionOrigin } from '../expression/collection.ts';
import { EMPTY, every, type Fragment, join, list, name, sql, where } from '../fragment.ts';
import { withoutOrdinal } from '../read/order-by.ts';
import { hasOneOwner, identityOf } from '../read/row-source.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { aggregateValues, countOf } from './aggregation-methods.ts';
import type { Stage } from './transformation-rows.ts';

/** The hidden column with a key of the group that a row belongs to. */
export function groupName(index: number): Fragment {
  return name(`$g${index + 1}`);
}

export function namedKeys(keys: readonly Fragment[]): readonly Fragment[] {
  return keys.map((key, index) => sql`${key} AS ${groupName(index)}`);
}

export function groupBy(keys: readonly Fragment[]): Fragment {
  return keys.length === 0 ? EMPTY : sql` GROUP BY ${list(keys.map(withoutOrdinal))}`;
}

export interface Chained {
  /** A query of the hidden key columns, with the value as `v`. */
  readonly rows: Fragment;
  /** The value, for its storage. */
  readonly value: Compiled;
}

/** Whether the aggregate needs a query of its own, apart from the query of its group. */
export function isChained(aggregation: Aggregation): boolean {
  const { from, over } = aggregation;
  return from.length > 0 || over !== undefined || distinctEntity(aggregation) !== undefined;
}

/** The aggregate for every group of the keys. */
export function chainedRows(
  stage: Stage,
  keys: readonly Fragment[],
  aggregation: Aggregation,
): Chained {
  const { from } = aggregation;
  const { scope } = stage;
  const steps = from.flatMap(({ groupings }) =>
    groupings.map((one) => scope.value(scope, one).sql),
  );
  const own = keys.map((_, index) => groupName(index));
  const named = [
    ...namedKeys(keys),
    ...steps.map((step, index) => sql`${step} AS ${stepName(index)}`),
  ];
  const all = [...own, ...steps.map((_, index) => stepName(index))];
  const { rows, content } = valuesOf(stage, aggregation, named);
  const first =
    content === undefined
      ? countOf(sql`count(*)`)
      : aggregateValues(scope, aggregation.method, content);
  const start: Chained = {
    rows: sql`SELECT ${list([...all, sql`${first.sql} AS v`])} FROM (${rows}) q${groupBy(all)}`,
    value: first,
  };
  let done = 0;
  return from.reduce<Chained>((previous, { groupings, method: next }) => {
    const value = aggregateValues(scope, next, { ...previous.value, sql: sql`v`, nullable: true });
    done += groupings.length;
    const remaining = steps.slice(done).map((_, at) => stepName(done + at));
    const columns = list([...own, ...remaining, sql`${value.sql} AS v`]);
    return {
      rows: sql`SELECT ${columns} FROM (${previous.rows}) q${groupBy([...own, ...remaining])}`,
      value,
    };
  }, start);
}

/**
 * The values to aggregate, with their keys. Values of related entities count once per entity, however many rows refer to it; each
 * item of a collection in the entity counts. OData Data Aggregation 4.0, "Aggregation Algorithm".
 */
function valuesOf(
  stage: Stage,
  aggregation: Aggregation,
  named: readonly Fragment[],
): { readonly rows: Fragment; readonly content: Compiled | undefined } {
  const { expression, over = [] } = aggregation;
  const distinct = repeatsNoEntity(stage, aggregation) ? undefined : distinctEntity(aggregation);
  const { scope, joins } = joinCollections(stage.scope, over);
  const content = expression === undefined ? undefined : scope.value(scope, expression);
  const value = content === undefined ? [] : [sql`${content.sql} AS "$v"`];
  const keyword = distinct === undefined ? EMPTY : sql`DISTINCT `;
  const identifying = distinct === undefined ? [] : distinctColumns(scope, distinct);
  const columns = list([...named, ...identifying, ...value, sql`1 AS "$one"`]);
  return {
    rows: sql`SELECT ${keyword}${columns} FROM ${stage.from}${join(joins, '')}${where(stage.conditions)}`,
    content: content === undefined ? undefined : { ...content, sql: sql`"$v"` },
  };
}

/** Joins the collections to the rows, each to the previous one. */
function joinCollections(
  outer: Scope,
  over: readonly StoredCollection[],
): { readonly scope: Scope; readonly joins: readonly Fragment[] } {
  let scope = outer;
  const always = outer.dialect.literal.true;
  const joins = over.map((collection) => {
    const origin = collectionOrigin(scope, collection, true);
    ({ scope } = origin);
    return sql` JOIN ${origin.from} ON ${every(origin.conditions, always)}`;
  });
  return { scope, joins };
}

/** An entity whose values count once, and the nested items in it that the values belong to, innermost first. */
interface Distinct {
  readonly entity: RowExpression;
  readonly items: readonly RowVariable[];
}

/** The columns that identify a value: its entity and the positions of its items. */
function distinctColumns(scope: Scope, { entity, items }: Distinct): readonly Fragment[] {
  const positions = items.map(
    (row, index) =>
      sql`${scope.dialect.json.itemIndex(aliasOf(scope, row))} AS ${name(`$p${index}`)}`,
  );
  return [sql`${identityOf(scope, entity)} AS "$i"`, ...positions];
}

/** The last entity on the path to the value, if the path follows a relation. Duplicates do not change min and max. */
function distinctEntity({ over = [], expression, method }: Aggregation): Distinct | undefined {
  const row = (expression && rowOf(expression)) ?? itemRow(over.at(-1));
  if (row === undefined) return undefined;
  const distinct = distinctIn(row, over);
  const isCounted = method === 'sum' || method === 'average' || method === 'count';
  return isCounted || over.length > 0 ? distinct : undefined;
}

/** Whether each entity and item is related to one row only, so that none appears twice. To find duplicates takes a database long. */
function repeatsNoEntity(
  { stored, scope }: Stage,
  { over = [], expression }: Aggregation,
): boolean {
  const row = (expression && rowOf(expression)) ?? itemRow(over.at(-1));
  const isOwned = (collection: StoredCollection) =>
    collection.kind === 'rows'
      ? hasOneOwner(scope, collection.rows)
      : rowOf(collection.of)?.kind === 'variable';
  return stored !== undefined && row?.kind === 'variable' && over.every(isOwned);
}

function itemRow(collection: StoredCollection | undefined): RowExpression | undefined {
  return collection === undefined ? undefined : { kind: 'variable', row: variableOf(collection) };
}

function distinctIn(row: RowExpression, over: readonly StoredCollection[]): Distinct | undefined {
  if (row.kind !== 'variable') return { entity: row, items: [] };
  const collection = over.find((one) => variableOf(one).id === row.row.id);
  if (collection === undefined) return undefined;
  if (collection.kind === 'rows') return { entity: row, items: [] };
  const container = rowOf(collection.of);
  const outer = container === undefined ? undefined : distinctIn(container, over);
  return outer === undefined ? undefined : { ...outer, items: [row.row, ...outer.items] };
}

function stepName(index: number): Fragment {
  return name(`$f${index + 1}`);
}
