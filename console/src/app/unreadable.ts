// This file knows which members of a set an account cannot read, so that no request asks for them.
import { type EntitySet, type Model, memberAt, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { type Rights, useRights } from './rights.ts';

/**
 * Paths of members that rights exclude, and of relations to sets that the account may not read and of which nothing is disclosed: to expand
 * them would return 403.
 */
export function unreadablePaths(
  model: Model,
  set: EntitySet,
  { of, setsToRead }: Rights,
): readonly string[] {
  const type = typeOfSet(model, set);
  const isDisclosed = (path: string) =>
    memberAt(model, type, path)?.annotations['Docket.Discloses'] !== undefined;
  const relations = [...set.bindings].flatMap(([path, target]) =>
    setsToRead.has(target) || isDisclosed(path) ? [] : [path],
  );
  return [...(of(set.name).Unreadable ?? []), ...relations];
}

export function useUnreadable(set: EntitySet): readonly string[] {
  return unreadablePaths(useModel(), set, useRights());
}
