// This file reads the state of a list from its URL, and writes it back: OData system query options, and the columns with their widths.
import { split } from '../query/split.ts';

export interface Order {
  readonly path: string;
  readonly descending: boolean;
}

export interface ColumnChoice {
  readonly path: string;
  /** Pixels; undefined for the usual width. */
  readonly width: number | undefined;
}

/** The state of a list; in its URL, differences from its saved view. */
export interface ListState {
  /** The id of a saved view. */
  readonly view?: string | undefined;
  readonly filter?: string | undefined;
  readonly orderby?: string | undefined;
  /** The text for `$search`. */
  readonly q?: string | undefined;
  readonly cols?: string | undefined;
  /** The path of the property by which rows are grouped. */
  readonly group?: string | undefined;
  /** The key of the record in the side panel. */
  readonly peek?: string | undefined;
}

const NAMES = ['view', 'filter', 'orderby', 'q', 'cols', 'group', 'peek'] as const;

export function readState(search: Readonly<Record<string, unknown>>): ListState {
  const entries = NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Reads `$orderby`; expressions other than paths stay as they are. */
export function readOrder(text: string | undefined): readonly Order[] {
  if (text === undefined || text.trim() === '') return [];
  return split(text, ',').map((item) => {
    const match = /^(.*?)(?:\s+(asc|desc))?$/.exec(item.trim());
    return { path: match?.[1] ?? item, descending: match?.[2] === 'desc' };
  });
}

export function orderText(order: readonly Order[]): string {
  return order.map(({ path, descending }) => `${path}${descending ? ' desc' : ''}`).join(',');
}

/**
 * The order after a click on the header of a path: ascending, descending, then the default again.
 *
 * @param keepOthers the path becomes the last criterion instead of the only one
 */
export function nextOrder(
  order: readonly Order[],
  path: string,
  keepOthers = false,
): readonly Order[] {
  const present = order.find((item) => item.path === path);
  const others = keepOthers ? order.filter((item) => item.path !== path) : [];
  if (present === undefined) return [...others, { path, descending: false }];
  return present.descending ? others : replaceOrder(order, path, keepOthers);
}

function replaceOrder(order: readonly Order[], path: string, keepOthers: boolean) {
  const kept = keepOthers ? order : order.filter((item) => item.path === path);
  return kept.map((item) => (item.path === path ? { path, descending: true } : item));
}

/** Reads `Description:320,Status`. */
export function readColumns(text: string | undefined): readonly ColumnChoice[] | undefined {
  if (text === undefined) return undefined;
  const seen = new Set<string>();
  return text.split(',').flatMap((item) => {
    const [path = '', width] = item.split(':');
    if (path === '' || seen.has(path)) return [];
    seen.add(path);
    const pixels = Number(width);
    return [{ path, width: pixels > 0 ? clampWidth(pixels) : undefined }];
  });
}

export function columnsText(columns: readonly ColumnChoice[]): string {
  return columns
    .map(({ path, width }) => (width === undefined ? path : `${path}:${Math.round(width)}`))
    .join(',');
}

const NARROWEST = 60;
const WIDEST = 900;

export function clampWidth(pixels: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.round(pixels)));
}

/** Moves an item of a list to another place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  return list.filter((_, index) => index !== from).toSpliced(to, 0, item);
}
