// This file reads the cells of records. Plans of tables request large numbers as strings, so JSON.parse rounds no number.
import type { Column } from './columns.ts';

/** null = the record has no such value. Structured values, such as places, are their JSON. */
export type Cell = string | number | boolean | null;

/** Reads the cells of a record, in the order of the columns. */
export function cellsOf(columns: readonly Column[], record: string): readonly Cell[] {
  const members: unknown = JSON.parse(record);
  return columns.map(({ path }) => cellAt(members, path));
}

function cellAt(record: unknown, path: readonly string[]): Cell {
  let value = record;
  for (const name of path) {
    if (!isObject(value)) return null;
    value = value[name];
  }
  return cellOf(value);
}

function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : JSON.stringify(value);
    default:
      return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
