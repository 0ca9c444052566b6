// This file stores states of lists that are too long for a URL, as views without a name. The same state is stored once, and those that nobody
// has needed for a while are deleted when another one is stored.
import { useMutation } from '@tanstack/react-query';
import { changeTogether } from '../../api/batch.ts';
import { repeatable, requestJson } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import { entityPath, literal } from '../../model/entity.ts';
import { pathWith } from '../../model/query-path.ts';
import { useModel } from '../../model/use-model.tsx';
import { printView, sortOut, type UnnamedView, type ViewState } from './view.ts';
import { useViewer, viewSet } from './view-store.ts';

/** Stores a state of the list of a set. Its result is the key of the view. */
export function useKeepState(set: string) {
  const name = viewSet(useModel()) ?? '';
  const { loginName } = useViewer();
  return useMutation({
    mutationFn: async (state: ViewState) => {
      const wanted = { EntitySet: set, ...printView(state) };
      const { same, outdated } = sortOut(await readUnnamed(name, loginName), wanted, Date.now());
      const prefer = 'return=minimal';
      if (outdated.length > 0)
        await changeTogether(outdated.map((uid) => ({ path: entityPath(name, uid), prefer })));
      if (same !== undefined) return same;
      const { Uid } = await requestJson<UnnamedView>(name, {
        method: 'POST',
        headers: { Prefer: 'return=representation', ...repeatable() },
        body: wanted,
      });
      return Uid;
    },
  });
}

async function readUnnamed(name: string, owner: string): Promise<readonly UnnamedView[]> {
  const filter = `Name eq null and Owner eq ${literal(owner, 'Edm.String')}`;
  const path = pathWith(name, [['$filter', filter]]);
  return (await readAll(path, new AbortController().signal)) as unknown as UnnamedView[];
}
