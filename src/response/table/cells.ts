// This file reads the cells of records. Plans of tables request large numbers as strings, so JSON.parse rounds no number.
import type { Column } from './columns.ts';

/** null = the record has no such value. Structured values, such as places, are their JSON. */
export type Cell = string | number | boolean | null;

/** How one column is reached from the one before, whose first steps it shares. */
interface Step {
  readonly shared: number;
  readonly path: readonly string[];
}

/**
 * Returns a function that reads the cells of a record, in the order of the columns. Its result is valid until the next call: an export
 * reads millions of cells.
 */
export function cellReader(columns: readonly Column[]): (record: string) => readonly Cell[] {
  const steps = columns.map(({ path }, index) => stepFrom(columns[index - 1]?.path ?? [], path));
  const cells: Cell[] = columns.map(() => null);
  const values: unknown[] = [];
  return (record) => {
    values[0] = JSON.parse(record);
    for (const [index, step] of steps.entries()) cells[index] = cellOf(follow(values, step));
    return cells;
  };
}

function stepFrom(before: readonly string[], path: readonly string[]): Step {
  const different = path.findIndex((name, at) => name !== before[at]);
  return { shared: different < 0 ? 0 : different, path };
}

/** Reads the value at the end of the path. `values` contains the values along the path of the column before. */
function follow(values: unknown[], { shared, path }: Step): unknown {
  for (let at = shared; at < path.length; at++) {
    const from = values[at];
    values[at + 1] = isObject(from) ? from[path[at] ?? ''] : undefined;
  }
  return values[path.length];
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
