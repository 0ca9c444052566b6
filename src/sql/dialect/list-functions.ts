// This file calculates what functions ask of collections: whether one holds, begins or ends with another, where, and a part of it.
// Collections are JSON texts; their items stay text, so that numbers keep their digits.
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
    const sign = inside[at];
    if (isText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === ',' && depth === 0) {
      items.push(inside.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = inside.slice(start).trim();
  return last === '' ? items : [...items, last];
}

/** Zero-based place at which the part stands in the list without a gap for the first time; -1 where it does not. */
export function placeOfList(all: string, part: string): number {
  const [list, wanted] = [itemTexts(all), itemTexts(part)];
  for (let at = 0; at + wanted.length <= list.length; at++)
    if (standsAt(list, wanted, at)) return at;
  return -1;
}

/** Whether the list begins with the part. */
export function startsWithList(all: string, part: string): boolean {
  return standsAt(itemTexts(all), itemTexts(part), 0);
}

/** Whether the list ends with the part. */
export function endsWithList(all: string, part: string): boolean {
  const [list, wanted] = [itemTexts(all), itemTexts(part)];
  return standsAt(list, wanted, list.length - wanted.length);
}

/** The items from a place on, which counts from the end where it is negative; at most `length` of them. Fault: sql.negative-length. */
export function partOfList(all: string, start: number, length: number | undefined): string {
  const list = itemTexts(all);
  const first = start < 0 ? Math.max(list.length + start, 0) : start;
  if (length !== undefined && length < 0) throw new Fault('sql.negative-length');
  return `[${list.slice(first, length === undefined ? undefined : first + length).join(',')}]`;
}

function standsAt(list: readonly string[], wanted: readonly string[], at: number): boolean {
  return at >= 0 && wanted.every((item, index) => isSame(list[at + index], item));
}

/** Items are the same whose texts are, or that say the same in other words, as 1.10 and 1.1 do. */
function isSame(left: string | undefined, right: string): boolean {
  if (left === undefined || left === right) return left !== undefined;
  return plain(left) === plain(right);
}

/** A number without what says nothing, a text without escapes that need not be; what is neither, as it is. */
function plain(item: string): string {
  if (item.startsWith('"')) return JSON.stringify(JSON.parse(item));
  return /^-?\d+\.\d*$/.test(item) ? item.replace(/\.?0+$/, '') : item;
}
