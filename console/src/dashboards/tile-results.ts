// This file reads the responses to the requests of a tile: numbers with the filters of the entities behind them.
import { type ChartData, numberOf } from '../components/charts/chart-data.ts';
import { type Entity, literal, valueAt } from '../model/entity.ts';
import { type Model, memberAt, type StructuredType } from '../model/model.ts';
import { type Bucket, bucketFilter, type Unit } from '../query/buckets.ts';
import { allOf } from '../query/conditions.ts';
import type { Tile } from './tile.ts';
import type { TilePlan } from './tile-plan.ts';

/** The response to one of the requests of a tile. */
export type TileResponse =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: Error };

export type TileResult =
  | { readonly kind: 'failed'; readonly error: Error }
  | {
      readonly kind: 'chart';
      readonly data: ChartData;
      /** The filter behind the number of a category and series. */
      readonly filters: readonly (readonly string[])[];
    }
  | {
      readonly kind: 'number';
      readonly value: number | undefined;
      readonly isShare: boolean;
      readonly filter: string;
      readonly trend:
        | { readonly unit: Unit; readonly now: number; readonly before: number }
        | undefined;
    }
  | { readonly kind: 'records'; readonly rows: readonly Entity[]; readonly filter: string };

/** What people see of a bucket or of a missing value. */
export interface Words {
  readonly bucket: (bucket: Bucket, unit: Unit | undefined, index: number, count: number) => string;
  readonly none: string;
}

export function resultOf(
  type: StructuredType,
  model: Model,
  tile: Tile,
  plan: TilePlan,
  responses: readonly TileResponse[],
  words: Words,
): TileResult {
  const failed = responses.find((response) => response.kind === 'failed');
  if (failed?.kind === 'failed') return { kind: 'failed', error: failed.error };
  const lists = responses.map(rowsOf);
  switch (plan.kind) {
    case 'buckets':
      return bucketResult(plan, lists, words);
    case 'groups':
      return groupResult({ type, model, tile, plan, rows: lists[0] ?? [], words });
    case 'number':
      return numberResult(plan, lists);
    case 'records':
      return { kind: 'records', rows: lists[0] ?? [], filter: plan.filter };
  }
}

function rowsOf(response: TileResponse): readonly Entity[] {
  const body = response.kind === 'value' ? (response.value as { value?: readonly Entity[] }) : {};
  return body.value ?? [];
}

function countsOf(rows: readonly Entity[], length: number): readonly number[] {
  const counts = new Map(rows.map((row) => [Number(row.Bucket), Number(row.Count)]));
  return Array.from({ length }, (_, index) => counts.get(index) ?? 0);
}

function bucketResult(
  { filter, buckets, unit, series }: Extract<TilePlan, { kind: 'buckets' }>,
  lists: readonly (readonly Entity[])[],
  words: Words,
): TileResult {
  return {
    kind: 'chart',
    data: {
      categories: buckets.map((bucket, index) => words.bucket(bucket, unit, index, buckets.length)),
      series: series.map(({ name }, index) => ({
        name,
        values: countsOf(lists[index] ?? [], buckets.length),
      })),
    },
    filters: buckets.map((bucket) =>
      series.map(({ path }) => allOf([filter, bucketFilter(path, bucket)])),
    ),
  };
}

interface Grouped {
  readonly type: StructuredType;
  readonly model: Model;
  readonly tile: Tile;
  readonly plan: Extract<TilePlan, { kind: 'groups' }>;
  readonly rows: readonly Entity[];
  readonly words: Words;
}

function groupResult(grouped: Grouped): TileResult {
  const { tile, plan } = grouped;
  const isStacked = tile.kind === 'stacked' && plan.groups.length > 1;
  return isStacked ? stackedResult(grouped) : plainResult(grouped);
}

/** The filter of the entities of a row: each group with its value, null included. */
function rowFilter({ type, model, plan }: Grouped, row: Entity): string {
  const groups = plan.groups.filter((path) => !isDetermined(model, type, path, plan.groups));
  const conditions = groups.map((path) => {
    const member = memberAt(model, type, path);
    return `${path} eq ${literal(valueAt(row, path), member?.type ?? 'Edm.String')}`;
  });
  return allOf([plan.filter, ...conditions]);
}

/**
 * Whether another group decides the value of a group: the value of a code decides its text, and a key the members of its entity. Texts are
 * in the language of the reader, so filters with them would mean something else to others.
 */
function isDetermined(
  model: Model,
  type: StructuredType,
  path: string,
  groups: readonly string[],
): boolean {
  const slash = path.lastIndexOf('/');
  const parent = slash < 0 ? undefined : memberAt(model, type, path.slice(0, slash));
  const target = parent === undefined ? undefined : model.types.get(parent.type);
  const names =
    target?.coded === undefined ? target?.key.map((part) => part.path) : [target.coded.value];
  const deciding = (names ?? []).map((name) => `${path.slice(0, slash)}/${name}`);
  return (
    deciding.length > 0 && !deciding.includes(path) && deciding.every((one) => groups.includes(one))
  );
}

function groupName({ plan, tile, words }: Grouped, row: Entity, paths = plan.groups): string {
  const shown =
    tile.axes.label !== undefined && paths.includes(tile.axes.label) ? [tile.axes.label] : paths;
  const values = shown.map((path) => valueAt(row, path));
  return values
    .map((value) => (value === null || value === undefined ? words.none : String(value)))
    .join(' · ');
}

function plainResult(grouped: Grouped): TileResult {
  const { plan, rows } = grouped;
  return {
    kind: 'chart',
    data: {
      categories: rows.map((row) => groupName(grouped, row)),
      series: plan.aggregates.map((alias) => ({
        name: alias,
        values: rows.map((row) => numberOf(row[alias])),
      })),
    },
    filters: rows.map((row) => plan.aggregates.map(() => rowFilter(grouped, row))),
  };
}

/** The last group is the series, those before it are the category. */
function stackedResult(grouped: Grouped): TileResult {
  const { plan, rows } = grouped;
  const last = plan.groups.slice(-1);
  const first = plan.groups.slice(0, -1);
  const categories = [...new Set(rows.map((row) => groupName(grouped, row, first)))];
  const series = [...new Set(rows.map((row) => groupName(grouped, row, last)))];
  const find = (category: string, name: string) =>
    rows.find(
      (row) =>
        groupName(grouped, row, first) === category && groupName(grouped, row, last) === name,
    );
  const alias = plan.aggregates[0] ?? 'Count';
  return {
    kind: 'chart',
    data: {
      categories,
      series: series.map((name) => ({
        name,
        values: categories.map((category) => numberOf(find(category, name)?.[alias])),
      })),
    },
    filters: categories.map((category) =>
      series.map((name) => {
        const row = find(category, name);
        return row === undefined ? '' : rowFilter(grouped, row);
      }),
    ),
  };
}

function numberResult(
  { filter, share, alias, trend }: Extract<TilePlan, { kind: 'number' }>,
  lists: readonly (readonly Entity[])[],
): TileResult {
  const [total, part] = lists.map((rows) => numberOf(rows[0]?.[alias]) ?? 0);
  const [before = 0, now = 0] = trend === undefined ? [] : countsOf(lists.at(-1) ?? [], 2);
  const isShare = share !== undefined;
  return {
    kind: 'number',
    // Nothing has no share.
    value: isShare ? (total === 0 ? undefined : (part ?? 0) / (total ?? 1)) : total,
    isShare,
    filter: allOf([filter, share]),
    trend: trend === undefined ? undefined : { unit: trend.unit, now, before },
  };
}
