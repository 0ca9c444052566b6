// This file plans a tile: the requests that it needs, and the filter of the entities behind each of its numbers. Both are made of the same
// conditions, so that the list behind a bar has as many entities as the bar shows.

import { referenceExpand } from '../model/entity.ts';
import { columnAt, listColumns } from '../model/layout.ts';
import { type Model, memberAt, type StructuredType, typeOfSet } from '../model/model.ts';
import { applyAfter, COUNT, parseApply, printApply } from '../query/apply-text.ts';
import {
  ages,
  type Bucket,
  bucketFilter,
  bucketIndex,
  lastUnits,
  type Unit,
} from '../query/buckets.ts';
import { allOf } from '../query/conditions.ts';
import { type QueryOption, requestUrl } from '../query/request-text.ts';
import type { Tile } from './tile.ts';

export interface Moment {
  readonly now: Date;
  /** IANA name of the time zone of the person. */
  readonly zone: string;
}

export type TilePlan =
  | {
      readonly kind: 'buckets';
      readonly filter: string;
      readonly buckets: readonly Bucket[];
      /** Undefined for ages. */
      readonly unit: Unit | undefined;
      readonly series: readonly { readonly path: string; readonly name: string }[];
      readonly requests: readonly string[];
    }
  | {
      readonly kind: 'groups';
      readonly filter: string;
      readonly groups: readonly string[];
      readonly aggregates: readonly string[];
      readonly requests: readonly string[];
    }
  | {
      readonly kind: 'number';
      readonly filter: string;
      readonly share: string | undefined;
      readonly alias: string;
      readonly trend:
        | { readonly unit: Unit; readonly path: string; readonly buckets: readonly Bucket[] }
        | undefined;
      readonly requests: readonly string[];
    }
  | {
      readonly kind: 'records';
      readonly filter: string;
      readonly columns: readonly string[];
      readonly requests: readonly string[];
    };

/** Groups of a chart at most. */
const GROUPS = 200;
const RECORDS = 10;

/**
 * Plans a tile. Throws if its set is not in the model.
 *
 * @param condition of the dashboard; it applies to tiles whose entities have its members
 */
export function planTile(model: Model, tile: Tile, moment: Moment, condition = ''): TilePlan {
  const set = model.sets.get(tile.set);
  if (set === undefined) throw new Error(`The model has no set ${tile.set}.`);
  const filter = allOf([tile.filter, condition]);
  if (tile.kind === 'table') return planRecords(model, typeOfSet(model, set), tile, filter);
  if (tile.kind === 'number') return planNumber(tile, moment, filter);
  const { time, age } = tile.axes;
  if (time !== undefined)
    return planBuckets(
      tile,
      filter,
      lastUnits(time.unit, time.count, moment.now, moment.zone),
      time,
    );
  if (age !== undefined)
    return planBuckets(tile, filter, ages(age.days, moment.now), {
      unit: undefined,
      series: [{ path: age.path, name: tile.title }],
    });
  return planGroups(tile, filter);
}

function url(set: string, options: readonly QueryOption[]): string {
  const given = options.filter(([, value]) => value !== '');
  return requestUrl({ method: 'GET', path: set, options: given, body: '' });
}

/** The instants that some buckets contain. */
function rangeOf(path: string, buckets: readonly Bucket[]): string {
  const isOpen = buckets.some(({ from, to }) => from === undefined || to === undefined);
  if (isOpen) return `${path} ne null`;
  return bucketFilter(path, { from: buckets[0]?.from, to: buckets.at(-1)?.to });
}

function countByBucket(set: string, filter: string, path: string, buckets: readonly Bucket[]) {
  const within = allOf([filter, rangeOf(path, buckets)]);
  const index = bucketIndex(path, buckets);
  const apply = `compute(${index} as Bucket)/groupby((Bucket),aggregate($count as Count))`;
  return url(set, [['$apply', applyAfter(within, apply)]]);
}

function planBuckets(
  { set }: Tile,
  filter: string,
  buckets: readonly Bucket[],
  { unit, series }: { unit: Unit | undefined; series: readonly { path: string; name: string }[] },
): TilePlan {
  const requests = series.map(({ path }) => countByBucket(set, filter, path, buckets));
  return { kind: 'buckets', filter, buckets, unit, series, requests };
}

function planGroups({ set, apply }: Tile, filter: string): TilePlan {
  const parsed = parseApply(apply);
  const aggregates = parsed?.aggregates ?? [];
  const used = aggregates.length === 0 ? [COUNT] : aggregates;
  const groups = parsed?.groups ?? [];
  const within = allOf([filter, parsed?.filter]);
  const grouped = printApply({ filter: undefined, groups, aggregates: used });
  const request = url(set, [
    ['$apply', applyAfter(within, parsed === undefined && apply !== '' ? apply : grouped)],
    ['$orderby', groups.length === 0 ? '' : `${used[0]?.alias} desc`],
    ['$top', groups.length === 0 ? '' : String(GROUPS)],
  ]);
  return {
    kind: 'groups',
    filter: within,
    groups,
    aggregates: used.map(({ alias }) => alias),
    requests: [request],
  };
}

function planNumber({ set, apply, axes }: Tile, { now, zone }: Moment, filter: string): TilePlan {
  const aggregate = parseApply(apply)?.aggregates[0] ?? COUNT;
  const total = (condition: string) => {
    const text = printApply({ filter: undefined, groups: [], aggregates: [aggregate] });
    return url(set, [['$apply', applyAfter(condition, text)]]);
  };
  const { time, share } = axes;
  const [series] = time?.series ?? [];
  const trend =
    time === undefined || series === undefined
      ? undefined
      : { unit: time.unit, path: series.path, buckets: lastUnits(time.unit, 2, now, zone) };
  const requests = [
    total(filter),
    ...(share === undefined ? [] : [total(allOf([filter, share]))]),
    ...(trend === undefined ? [] : [countByBucket(set, filter, trend.path, trend.buckets)]),
  ];
  return { kind: 'number', filter, share, alias: aggregate.alias, trend, requests };
}

function planRecords(
  model: Model,
  type: StructuredType,
  { set, axes }: Tile,
  filter: string,
): TilePlan {
  const columns = listColumns(model, type).slice(0, 4);
  const roots = columns.map(({ path }) => path.split('/')[0] ?? path);
  const names = new Set([...type.key.map(({ path }) => path), ...roots]);
  const navigation = [...names].filter(
    (name) => memberAt(model, type, name)?.kind === 'navigation',
  );
  const expand = navigation.flatMap((name) => {
    const column = columnAt(model, type, name);
    return column === undefined ? [] : [referenceExpand(model, name, column.member)];
  });
  const request = url(set, [
    ['$select', [...names].filter((name) => !navigation.includes(name)).join(',')],
    ['$expand', expand.join(',')],
    ['$filter', filter],
    ['$orderby', axes.order ?? ''],
    ['$top', String(RECORDS)],
  ]);
  return { kind: 'records', filter, columns: columns.map(({ path }) => path), requests: [request] };
}
