// This file makes the faults that database drivers have in common, so that they answer alike.
import { Fault } from '../base/fault.ts';
import { PARENT_COLUMN } from '../sql/schema/layout.ts';

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
