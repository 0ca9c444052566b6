// This file plans bulk edits: which rows a selection means, in chunks of keys, and what the outcome of each row was. It sends nothing itself.
import type { StructuredType } from '../../model/model.ts';
import { split } from '../../query/split.ts';
import { bothFilters } from '../list-request.ts';
import type { Selection } from '../selection.ts';

/** Rows that one request changes. */
export const CHUNK = 250;
/** Characters: proxies and browsers accept longer URLs, but not all of them. */
const LONGEST_FILTER = 6000;

/** A condition for rows by their keys, as `keyOf` returns them; undefined for none. */
export function keysFilter(type: StructuredType, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined;
  const [part, ...others] = type.key;
  if (part !== undefined && others.length === 0) return `${part.path} in (${keys.join(',')})`;
  const paths = new Map(type.key.map(({ alias, path }) => [alias, path]));
  const single = keys.map((key) => {
    const values = split(key, ',').map((pair) => {
      const at = pair.indexOf('=');
      return `${paths.get(pair.slice(0, at))} eq ${pair.slice(at + 1)}`;
    });
    return `(${values.join(' and ')})`;
  });
  return single.join(' or ');
}

/** The condition for the rows of a selection in a list with a filter. */
export function selectionFilter(
  type: StructuredType,
  selection: Selection,
  listFilter: string | undefined,
): string | undefined {
  if (selection.kind === 'keys') return keysFilter(type, [...selection.keys]);
  const except = keysFilter(type, [...selection.except]);
  return bothFilters(listFilter, except === undefined ? undefined : `not (${except})`);
}

/** Keys in chunks whose conditions are not too long. */
export function chunksOf(
  keys: readonly string[],
  size: number = CHUNK,
): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let length = 0;
  for (const key of keys) {
    const last = chunks.at(-1);
    length += encodeURIComponent(key).length + 3;
    if (last === undefined || last.length === size || length > LONGEST_FILTER) {
      chunks.push([key]);
      length = encodeURIComponent(key).length;
    } else last.push(key);
  }
  return chunks;
}

export interface Failure {
  readonly key: string;
  readonly message: string;
}

/** Failures by their messages, the most frequent first. */
export function byMessage(
  failures: readonly Failure[],
): readonly { readonly message: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { message } of failures) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts]
    .map(([message, count]) => ({ message, count }))
    .sort((one, other) => other.count - one.count);
}

/** A text as a cell of CSV (RFC 4180), which spreadsheets do not run as a formula. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
