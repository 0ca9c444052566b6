// This file knows which members of a set an account cannot read, so that no request asks for them.
import type { EntitySet } from '../model/model.ts';
import { type Rights, useRights } from './rights.ts';

/** Paths of members that rights exclude, and of relations to sets that the account may not read: to expand them would return 403. */
export function unreadablePaths(set: EntitySet, { of, setsToRead }: Rights): readonly string[] {
  const relations = [...set.bindings].flatMap(([path, target]) =>
    setsToRead.has(target) ? [] : [path],
  );
  return [...(of(set.name).Unreadable ?? []), ...relations];
}

export function useUnreadable(set: EntitySet): readonly string[] {
  return unreadablePaths(set, useRights());
}
