// This file reads who the person behind the account is.
import { useQuery } from '@tanstack/react-query';
import { requestJson } from '../api/client.ts';
import { type Entity, literal, valueAt } from '../model/entity.ts';
import { type EntitySet, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ownPaths, personType } from './portal-model.ts';

export interface Me {
  /** The name of the key property. */
  readonly path: string;
  /** The key as a literal of URLs. */
  readonly literal: string;
}

/** Null while it loads; undefined for an account without a person, and where requests name none. */
export function useMe(set: EntitySet): Me | undefined | null {
  const model = useModel();
  const person = personType(model);
  const path = person?.key[0]?.path;
  const isNeeded = path !== undefined && ownPaths(model, typeOfSet(model, set)).length > 0;
  const { data, isPending } = useQuery({
    queryKey: ['me', path],
    // The response is 204 for an account without a person.
    queryFn: async ({ signal }) =>
      (await requestJson<Entity | undefined>(`Me?$select=${path}`, { signal })) ?? null,
    enabled: isNeeded,
  });
  if (!isNeeded) return undefined;
  if (isPending) return null;
  if (data === null || data === undefined) return undefined;
  const type = person?.members.get(path)?.type ?? 'Edm.String';
  return { path, literal: literal(valueAt(data, path), type) };
}
