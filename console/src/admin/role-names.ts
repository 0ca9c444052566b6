// This file reads the names of the roles.
import { useQuery } from '@tanstack/react-query';
import { requestJson } from '../api/client.ts';
import { useModel } from '../model/use-model.tsx';
import { engineSet } from './admin-sets.ts';

/** The names in alphabetical order; none while they load. */
export function useRoleNames(): readonly string[] {
  const set = engineSet(useModel(), 'Roles')?.name;
  const { data } = useQuery({
    queryKey: ['role-names', set],
    queryFn: async ({ signal }) =>
      await requestJson<{ readonly value: readonly { readonly Name: string }[] }>(
        `${set}?$select=Name&$orderby=Name&$top=250`,
        { signal },
      ),
    enabled: set !== undefined,
  });
  return data?.value.map(({ Name }) => Name) ?? [];
}
