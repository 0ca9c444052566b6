// This file makes the faults that database drivers have in common, and measures results, so that they answer alike.

import { Fault } from '../base/fault.ts';
import { MEGABYTE } from '../base/sizes.ts';
import { PARENT_COLUMN } from '../sql/schema/layout.ts';
import type { Row } from './database.ts';

export function busy(): Fault {
  return new Fault('store.busy', {}, { headers: { 'Retry-After': '1' } });
}

/** @param setting the setting that limits the time; undefined if none does */
export function locked(seconds: number, setting?: string): Fault {
  const values = { seconds, setting: setting === undefined ? '' : ` (${setting})` };
  return new Fault('store.locked', values, { headers: { 'Retry-After': '1' } });
}

export function stopping(): Fault {
  return new Fault('store.stopping', {}, { headers: { 'Retry-After': '5' } });
}

export function full(): Fault {
  return new Fault('store.full', {}, { headers: { 'Retry-After': '30' } });
}

/**
 * The size of a row of a result, to which limits.resultMegabytes applies: the characters of its texts and the bytes of its binary values.
 * Numbers do not count.
 */
export function sizeOf(row: Row): number {
  let size = 0;
  for (const cell of row) {
    if (typeof cell === 'string') size += cell.length;
    else if (cell instanceof Uint8Array) size += cell.byteLength;
  }
  return size;
}

/** @param limit the most characters that the result may have; undefined if the database itself limits it */
export function tooLarge(limit?: number): Fault {
  const size = limit === undefined ? 'the database can return' : `${limit / MEGABYTE} MB`;
  return new Fault('store.too-large', {
    size,
    setting: limit === undefined ? '' : ' (limits.resultMegabytes)',
  });
}

/**
 * The fault of a violated unique constraint.
 * @param columns the columns of the constraint
 * @param place locates the values in the request
 */
export function uniqueFault(columns: readonly string[], place: string | undefined): Fault {
  const names = columns.filter((name) => name !== PARENT_COLUMN);
  const scope = names.length < columns.length ? ' in the record that contains both' : '';
  const [first = ''] = names;
  return new Fault(
    'store.unique',
    { names: names.map((name) => `"${name}"`).join(', ') + scope },
    { target: place === undefined ? first : `${place}/${first}` },
  );
}
