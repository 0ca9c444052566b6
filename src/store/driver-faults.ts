// This file makes the faults that database drivers have in common, and measures results, so that they answer alike.

import { Fault, type FaultCode } from '../base/fault.ts';
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

/** Whether the error is the fault of a full disk. */
export function isFull(error: unknown): boolean {
  return error instanceof Fault && error.code === 'store.full';
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

/** A value does not fit into an index. */
export class TooLong extends Fault {
  /** The name of the index in the database, if it is known. */
  readonly index: string;

  /** @param place locates the values in the request */
  constructor(index: string, place: string | undefined) {
    const names = columnsOf(index).filter((name) => name !== PARENT_COLUMN);
    const [first = ''] = names;
    super(
      'store.too-long',
      { place: names.length === 0 ? '' : ` of ${quotedList(names)}`, remedy: 'Shorten it.' },
      names.length === 1 ? { target: targetAt(first, place) } : {},
    );
    this.index = index;
  }
}

/** The columns in the name of an index. Those of a shortened name are unknown. */
function columnsOf(index: string): readonly string[] {
  const [, columns] = /^[^|]+\|([^|]+)$/.exec(index) ?? [];
  return columns === undefined || /~\w{11}$/.test(columns) ? [] : columns.split(',');
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function targetAt(name: string, place: string | undefined): string {
  return place === undefined ? name : `${place}/${name}`;
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
    { names: quotedList(names) + scope },
    { target: targetAt(first, place) },
  );
}

/** Why a statement could not calculate, by the codes of faults whose texts are about queries. */
const CALCULATIONS: Partial<Record<FaultCode, string>> = {
  'sql.division-by-zero': 'a divisor is zero',
  'sql.long-text': 'a text is longer than 16777216 characters',
  'sql.negative-length': 'the third argument of substring is negative',
  'sql.overflow':
    'a result is out of range for its type (64-bit integers, durations of up to 106751 days, years 0001 to 9999)',
};

/** The fault of a change that failed to calculate a property; undefined for other faults and errors. */
export function calculationFault(error: unknown, place: string | undefined): Fault | undefined {
  const reason = error instanceof Fault ? CALCULATIONS[error.code] : undefined;
  if (reason === undefined) return undefined;
  return new Fault('write.calculation', { reason }, place === undefined ? {} : { target: place });
}
