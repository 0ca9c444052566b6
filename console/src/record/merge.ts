// This file merges the changes of two people to the same record: three versions of each value are compared.
import type { Values } from './values.ts';

export interface Merge {
  /** The values of all: theirs, with mine where only I have changed them, and mine where both have. */
  readonly values: Values;
  /** Paths that only I have changed, or both in the same way. */
  readonly mine: readonly string[];
  /** Paths that only they have changed. */
  readonly theirs: readonly string[];
  /** Paths that both have changed differently. */
  readonly conflicts: readonly string[];
}

/** @param same whether two values of a path are the same */
export function mergeChanges(
  { base, mine, theirs }: { readonly base: Values; readonly mine: Values; readonly theirs: Values },
  same: (path: string, one: unknown, other: unknown) => boolean,
): Merge {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])];
  const changedByMe = paths.filter((path) => !same(path, base[path], mine[path]));
  const changedByThem = paths.filter((path) => !same(path, base[path], theirs[path]));
  const isTheirs = new Set(changedByThem);
  const isMine = new Set(changedByMe);
  const conflicts = changedByMe.filter(
    (path) => isTheirs.has(path) && !same(path, mine[path], theirs[path]),
  );
  return {
    values: Object.fromEntries(
      paths.map((path) => [path, isMine.has(path) ? mine[path] : theirs[path]]),
    ),
    mine: changedByMe.filter((path) => !conflicts.includes(path)),
    theirs: changedByThem.filter((path) => !isMine.has(path)),
    conflicts,
  };
}
