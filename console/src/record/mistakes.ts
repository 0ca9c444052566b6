// This file finds the fields that the mistakes of an error belong to.
import type { ErrorDetail } from '../api/request-failed.ts';

export interface PlacedMistakes {
  /** By path of the field, in the order of the fields. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Mistakes that belong to no field. */
  readonly others: readonly ErrorDetail[];
}

/** The path that a target names: without annotations, key predicates and positions: `Items(3)/Price@odata.bind` is `Items/Price`. */
function pathOf(target: string): string {
  return target
    .replace(/@.*$/, '')
    .replace(/\([^)]*\)|\[\d+\]/g, '')
    .replace(/^\/+|\/+$/g, '');
}

/** The field of a target: the longest path that contains it, else the first field inside of it; undefined if there is none. */
export function fieldOf(target: string, paths: readonly string[]): string | undefined {
  const wanted = pathOf(target);
  if (wanted === '') return undefined;
  const containing = paths
    .filter((path) => wanted === path || wanted.startsWith(`${path}/`))
    .sort((one, other) => other.length - one.length);
  return containing[0] ?? paths.find((path) => path.startsWith(`${wanted}/`));
}

/** Distributes mistakes to fields. */
export function placeMistakes(
  mistakes: readonly ErrorDetail[],
  paths: readonly string[],
): PlacedMistakes {
  const found = new Map<string, string[]>();
  const others: ErrorDetail[] = [];
  for (const mistake of mistakes) {
    const path = mistake.target === undefined ? undefined : fieldOf(mistake.target, paths);
    if (path === undefined) others.push(mistake);
    else found.set(path, [...(found.get(path) ?? []), mistake.message]);
  }
  const inOrder = paths.filter((path) => found.has(path));
  return { fields: new Map(inOrder.map((path) => [path, found.get(path) ?? []])), others };
}
