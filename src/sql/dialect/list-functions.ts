// This file implements the canonical functions on collections: contains, startswith, endswith, indexof and substring. Collections are
// JSON texts. Their items remain text, so that numbers keep all digits.
// OData 4.01 URL Conventions, "String and Collection Functions".
import { Fault } from '../../base/fault.ts';

/** The texts of the items of a JSON array. */
function itemTexts(array: string): readonly string[] {
  const items: string[] = [];
  const inside = array.trim().slice(1, -1);
  let start = 0;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < inside.length; at++) {
    const character = inside[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',' && depth === 0) {
      items.push(inside.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = inside.slice(start).trim();
  return last === '' ? items : [...items, last];
}

/** Zero-based index of the first contiguous occurrence of the part in the list; -1 if there is none. */
export function indexOfList(all: string, part: string): number {
  const [list, wanted] = [itemTexts(all), itemTexts(part)];
  for (let at = 0; at + wanted.length <= list.length; at++)
    if (matchesAt(list, wanted, at)) return at;
  return -1;
}

/** Whether the list starts with the part. */
export function startsWithList(all: string, part: string): boolean {
  return matchesAt(itemTexts(all), itemTexts(part), 0);
}

/** Whether the list ends with the part. */
export function endsWithList(all: string, part: string): boolean {
  const [list, wanted] = [itemTexts(all), itemTexts(part)];
  return matchesAt(list, wanted, list.length - wanted.length);
}

/** At most `length` items from `start`, which counts from the end if negative. Throws: sql.negative-length. */
export function sublist(all: string, start: number, length: number | undefined): string {
  const list = itemTexts(all);
  const first = start < 0 ? Math.max(list.length + start, 0) : start;
  if (length !== undefined && length < 0) throw new Fault('sql.negative-length');
  return `[${list.slice(first, length === undefined ? undefined : first + length).join(',')}]`;
}

function matchesAt(list: readonly string[], wanted: readonly string[], at: number): boolean {
  return at >= 0 && wanted.every((item, index) => isSame(list[at + index], item));
}

/** Whether two items are the same text or the same value, such as 1.10 and 1.1. */
function isSame(left: string | undefined, right: string): boolean {
  if (left === undefined || left === right) return left !== undefined;
  return normalize(left) === normalize(right);
}

/** A number without trailing zeros, a text without optional escapes, anything else unchanged. */
function normalize(item: string): string {
  if (item.startsWith('"')) return JSON.stringify(JSON.parse(item));
  return /^-?\d+\.\d*$/.test(item) ? item.replace(/\.?0+$/, '') : item;
}
