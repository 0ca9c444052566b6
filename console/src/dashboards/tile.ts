// This file is a tile of a dashboard, with its axes as they are stored: JSON that a later version may extend.
import type { Unit } from '../query/buckets.ts';
import { UNITS } from '../query/buckets.ts';

export const TILE_KINDS = ['number', 'bar', 'stacked', 'line', 'table'] as const;
export type TileKind = (typeof TILE_KINDS)[number];

export interface Tile {
  /** Undefined before it is stored. */
  readonly uid: string | undefined;
  readonly title: string;
  readonly kind: TileKind;
  readonly set: string;
  /** In $filter syntax, or empty. */
  readonly filter: string;
  /** Groups and aggregates, in $apply syntax; or empty. */
  readonly apply: string;
  readonly axes: Axes;
}

export interface Axes {
  /** Counts entities by time; each path is a series. */
  readonly time?: TimeAxis;
  /** Counts entities by the age of a time, with the limits in days. */
  readonly age?: { readonly path: string; readonly days: readonly number[] };
  /** Of a number: the share of the entities for which the condition is true. */
  readonly share?: string;
  /** Of groups with a key: the path of what they are called. */
  readonly label?: string;
  /** Of lists: the order, in $orderby syntax. */
  readonly order?: string;
}

interface TimeAxis {
  readonly unit: Unit;
  readonly count: number;
  readonly series: readonly { readonly path: string; readonly name: string }[];
}

/** At most: days of a year fit, and no chart shows more. */
const UNITS_SHOWN = 120;

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads stored axes. What is not understood is left out. */
export function parseAxes(text: string | null): Axes {
  const stored = parsed(text);
  const { time, age, share, label, order } = stored;
  return {
    ...(isRecord(time) ? { time: timeAxis(time) } : {}),
    ...(isRecord(age) && typeof age.path === 'string'
      ? { age: { path: age.path, days: numbers(age.days) } }
      : {}),
    ...(typeof share === 'string' ? { share } : {}),
    ...(typeof label === 'string' ? { label } : {}),
    ...(typeof order === 'string' ? { order } : {}),
  };
}

function parsed(text: string | null): Json {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function timeAxis({ unit, count, series }: Json): TimeAxis {
  const listed = Array.isArray(series) ? series.filter(isRecord) : [];
  return {
    unit: UNITS.find((name) => name === unit) ?? 'week',
    count: Math.min(UNITS_SHOWN, Math.max(1, Math.trunc(Number(count)) || 12)),
    series: listed.flatMap(({ path, name }) =>
      typeof path === 'string' ? [{ path, name: typeof name === 'string' ? name : path }] : [],
    ),
  };
}

function numbers(value: unknown): readonly number[] {
  const list = Array.isArray(value) ? value.map(Number) : [];
  return list.filter((number) => number > 0).sort((one, other) => one - other);
}

export const printAxes = (axes: Axes): string => JSON.stringify(axes);
