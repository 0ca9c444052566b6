// This file is the window of loaded rows over a list of any length. Pages are found by their place; of those far from the visible rows
// only the keys stay, and the link that reads them again.
import type { Entity } from '../model/entity.ts';

export const PAGE_SIZE = 100;
/** Rows that stay in memory. */
const MOST_ROWS = 1000;

/** A page of rows, as it was read by a link. */
export interface Page {
  /** The place of its first row in the list. */
  readonly start: number;
  /** The path or link that reads it. */
  readonly link: string;
  readonly keys: readonly string[];
  /** Undefined after the rows have been dropped. */
  readonly rows: readonly Entity[] | undefined;
  /** The link of the following page; undefined for the last one. */
  readonly next: string | undefined;
}

/** Pages in order of their places, without overlaps; there may be gaps between them. */
export type RowWindow = readonly Page[];

const endOf = ({ start, keys }: Page): number => start + keys.length;

export type Slot =
  | { readonly kind: 'row'; readonly key: string; readonly row: Entity }
  /** Not loaded; the key is known if the row has been loaded before. */
  | { readonly kind: 'missing'; readonly key: string | undefined };

export function slotAt(window: RowWindow, index: number): Slot {
  const page = window.find((one) => one.start <= index && index < endOf(one));
  const offset = index - (page?.start ?? 0);
  const key = page?.keys[offset];
  const row = page?.rows?.[offset];
  if (key === undefined || row === undefined) return { kind: 'missing', key };
  return { kind: 'row', key, row };
}

/** The place of a key; -1 if it has not been loaded. */
export function placeOf(window: RowWindow, key: string): number {
  for (const page of window) {
    const offset = page.keys.indexOf(key);
    if (offset >= 0) return page.start + offset;
  }
  return -1;
}

/** The number of rows, if the end of the list has been read. */
function knownEnd(window: RowWindow): number | undefined {
  const last = window.at(-1);
  return last !== undefined && last.next === undefined ? endOf(last) : undefined;
}

/** The number of rows to make room for: the end of the list, else its count, else one page more than is loaded. */
export function extentOf(window: RowWindow, count: number | undefined): number {
  const end = knownEnd(window);
  if (end !== undefined) return end;
  const last = window.at(-1);
  const loaded = last === undefined ? 0 : endOf(last);
  return Math.max(
    count ?? 0,
    last === undefined ? 0 : loaded + (count === undefined ? PAGE_SIZE : 1),
  );
}

export type Need =
  /** The page that follows a loaded one, or one whose rows have been dropped. */
  | { readonly kind: 'follow'; readonly link: string; readonly start: number }
  /** A page far from the others, which is read by `$skip`. */
  | { readonly kind: 'jump'; readonly start: number };

/** What to read next so that the rows from `first` to `last` are there; undefined if they are. */
export function needFor(window: RowWindow, first: number, last: number): Need | undefined {
  let index = Math.max(0, first);
  while (index <= last) {
    const page = window.findLast(({ start }) => start <= index);
    if (page === undefined) return { kind: 'jump', start: jumpBefore(window, index) };
    const end = endOf(page);
    if (index < end && page.rows === undefined)
      return { kind: 'follow', link: page.link, start: page.start };
    if (index < end) {
      index = end;
      continue;
    }
    if (page.next === undefined) return undefined;
    // Within a page after the end the next link is faster than a jump, because the service need not skip.
    if (index - end < PAGE_SIZE) return { kind: 'follow', link: page.next, start: end };
    return { kind: 'jump', start: jumpBefore(window, index) };
  }
  return undefined;
}

/** Some rows before the wanted place, but none that are loaded. */
function jumpBefore(window: RowWindow, index: number): number {
  const before = window.findLast(({ start }) => start <= index);
  return Math.max(before === undefined ? 0 : endOf(before), index - PAGE_SIZE / 2, 0);
}

/** The window with a page added or replaced. Rows that are loaded elsewhere are left out of it, and overlaps are cut. */
export function withPage(window: RowWindow, page: Page): RowWindow {
  const others = window.filter(({ start }) => start !== page.start);
  const after = others.find(({ start }) => start > page.start);
  const known = new Set(others.flatMap(({ keys }) => keys));
  const room = after === undefined ? Number.POSITIVE_INFINITY : after.start - page.start;
  const kept = page.keys
    .map((key, index) => ({ key, row: page.rows?.[index] }))
    .filter(({ key }) => !known.has(key))
    .slice(0, room);
  const rows = kept.flatMap(({ row }) => (row === undefined ? [] : [row]));
  const cut = {
    ...page,
    keys: kept.map(({ key }) => key),
    rows: page.rows === undefined ? undefined : rows,
  };
  return closeGap(
    [...others, cut].sort((one, other) => one.start - other.start),
    cut,
  );
}

/** Where a page was shorter than the room before the following one, the pages after it move up to it, since no row is between them. */
function closeGap(window: RowWindow, page: Page): RowWindow {
  const after = window.find(({ start }) => start > page.start);
  const isReached =
    after !== undefined && (page.next === undefined || page.keys.length < PAGE_SIZE);
  if (!isReached) return window;
  const shift = after.start - endOf(page);
  return window.map((one) => (one.start > page.start ? { ...one, start: one.start - shift } : one));
}

/** The window without the rows of the pages farthest from the visible ones, where it has more than `most`. */
export function evicted(
  window: RowWindow,
  first: number,
  last: number,
  most = MOST_ROWS,
): RowWindow {
  const distance = (page: Page) => Math.max(page.start - last, first - endOf(page), 0);
  const loaded = window
    .filter(({ rows }) => rows !== undefined)
    .sort((one, other) => distance(one) - distance(other));
  const kept = new Set<Page>();
  let total = 0;
  for (const page of loaded) {
    total += page.keys.length;
    if (total <= most || distance(page) === 0) kept.add(page);
  }
  if (kept.size === loaded.length) return window;
  return window.map((page) =>
    page.rows === undefined || kept.has(page) ? page : { ...page, rows: undefined },
  );
}

/** The window with another row in place of the one with the same key. */
export function withRow(window: RowWindow, key: string, row: Entity): RowWindow {
  return window.map((page) => {
    const offset = page.keys.indexOf(key);
    if (offset < 0 || page.rows === undefined) return page;
    return { ...page, rows: page.rows.with(offset, row) };
  });
}
