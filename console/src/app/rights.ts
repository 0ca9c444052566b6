// This file knows what the account may do with each set. The service decides on each request; this is to leave out what would be denied.
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { requestJson } from '../api/client.ts';
import type { Model } from '../model/model.ts';
import { type Service, useService } from '../model/use-model.tsx';

export interface SetRights {
  readonly Set: string;
  readonly Read: boolean;
  readonly Create: boolean;
  readonly Update: boolean;
  readonly Delete: boolean;
  /** Paths of members that the account cannot read. */
  readonly Unreadable?: readonly string[];
  /** Paths of members that the account cannot change. */
  readonly Unchangeable?: readonly string[];
}

export interface Rights {
  readonly of: (set: string) => SetRights;
  readonly setsToRead: ReadonlySet<string>;
  /** Whether the account may do everything. */
  readonly isAdministrator: boolean;
  /** Whether the account works in the portal: it may create entities of listed sets, but not change or delete any. */
  readonly isRequester: boolean;
}

const NOTHING = { Read: false, Create: false, Update: false, Delete: false } as const;

/** The name of the function, which has a prefix where the model uses the name itself. */
function functionName({ imports }: Model): string {
  const found = [...imports].find(([, operation]) => operation === 'Docket.System.SetRights');
  return found?.[0] ?? 'SetRights';
}

async function readRights(model: Model, signal: AbortSignal): Promise<readonly SetRights[]> {
  const path = `${functionName(model)}()`;
  const { value } = await requestJson<{ readonly value: readonly SetRights[] }>(path, { signal });
  return value;
}

const rightsQuery = ({ model, listed }: Service) => ({
  queryKey: ['set-rights'],
  // Made once, because every cell with a code asks for it.
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    toRights(await readRights(model, signal), new Set(listed)),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The rights of the account, read once per session. Suspends until they are there. */
export function useRights(): Rights {
  return useSuspenseQuery(rightsQuery(useService())).data;
}

/** Whether the rights are being read for the first time. React shows what suspends for 300 ms at least; who asks before need not wait so long. */
export function useAreRightsPending(): boolean {
  return useQuery(rightsQuery(useService())).isPending;
}

function toRights(list: readonly SetRights[], listed: ReadonlySet<string>): Rights {
  const bySet = new Map(list.map((rights) => [rights.Set, rights]));
  const work = list.filter(({ Set: name }) => listed.has(name));
  return {
    of: (set) => bySet.get(set) ?? { Set: set, ...NOTHING },
    setsToRead: new Set(list.filter(({ Read }) => Read).map(({ Set: name }) => name)),
    isAdministrator: bySet.get('Settings')?.Update === true,
    isRequester:
      work.some(({ Create }) => Create) && work.every(({ Update, Delete }) => !Update && !Delete),
  };
}
