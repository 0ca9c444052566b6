// This file reads the cells of rows that the engine selects itself, without a plan, and writes the values that such statements bind.
import { type Fragment, value } from '../sql/fragment.ts';
import type { Cell } from './database.ts';

/** A boolean, which SQLite returns as a number. */
export function isTrue(cell: Cell | undefined): boolean {
  return cell === true || cell === 1n;
}

/** A text; undefined if it is null or blank. */
export function optionalText(cell: Cell | undefined): string | undefined {
  return typeof cell === 'string' && cell.trim() !== '' ? cell : undefined;
}

/** A collection of texts, which is stored as JSON. */
export function textsOf(cell: Cell | undefined): readonly string[] {
  const texts: unknown = typeof cell === 'string' ? JSON.parse(cell) : [];
  return Array.isArray(texts) ? texts.map(String) : [];
}

/** A point in time as milliseconds since 1970; undefined if it is null. */
export function instantOf(cell: Cell | undefined): number | undefined {
  return typeof cell === 'string' ? Date.parse(cell) : undefined;
}

/** A point in time in stored format. @param milliseconds since 1970; undefined for null */
export function instant(milliseconds: number | undefined): Fragment {
  return value(milliseconds === undefined ? null : new Date(milliseconds).toISOString());
}
