// This file decides which set the portal shows.
import type { EntitySet, Model } from '../model/model.ts';
import { useService } from '../model/use-model.tsx';
import { type SetRights, useRights } from './rights.ts';

/** The set of the portal: the first one with the annotation Portal, else the first one that the account may read and add to. */
export function portalSet(
  model: Model,
  listed: readonly string[],
  rightsOf: (set: string) => SetRights,
): EntitySet | undefined {
  const sets = listed.flatMap((name) => model.sets.get(name) ?? []);
  const readable = sets.filter(({ name, kind }) => kind === 'set' && rightsOf(name).Read);
  return (
    readable.find(({ annotations }) => annotations['Docket.Console.V1.Portal'] !== undefined) ??
    readable.find(({ name }) => rightsOf(name).Create) ??
    readable[0]
  );
}

/** The path of the page of a record, which is in the portal for people who work there. */
export function useRecordPage(): (set: string, key: string) => string {
  const { model, listed } = useService();
  const { of, isRequester } = useRights();
  const requests = isRequester ? portalSet(model, listed, of)?.name : undefined;
  return (set, key) =>
    set === requests
      ? `/portal/${encodeURIComponent(key)}`
      : `/s/${set}/${encodeURIComponent(key)}`;
}
