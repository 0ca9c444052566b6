// This file reads and writes views in the set ConsoleViews. The service decides who sees and changes them.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeTogether } from '../../api/batch.ts';
import { repeatable, request, requestJson } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import { useRights } from '../../app/rights.ts';
import { entityPath, keyOf, literal } from '../../model/entity.ts';
import type { Model } from '../../model/model.ts';
import { typeOfSet } from '../../model/model.ts';
import { pathWith } from '../../model/query-path.ts';
import { useModel } from '../../model/use-model.tsx';
import { useSession } from '../../session/use-session.ts';
import {
  printView,
  readView,
  rivals,
  type Sharing,
  type View,
  type Viewer,
  type ViewState,
  type ViewText,
} from './view.ts';

/** Models of an installation may use the name of the set themselves; undefined where the service has no views. */
export function viewSet(model: Model): string | undefined {
  return ['DocketConsoleViews', 'ConsoleViews'].find((name) => model.sets.has(name));
}

/** The relations that say whom a view is shared with, and the scope of each. */
const SHARED_BY = { workgroup: 'Workgroup', role: 'Role' } as const;

interface Row extends ViewText {
  readonly '@odata.etag'?: string;
  readonly Uid: string;
  readonly EntitySet: string;
  readonly Name: string | null;
  readonly Owner: string;
  readonly Scope: Sharing['scope'];
  readonly IsDefault: boolean;
}

const KEY = 'views';

export function useViewer(): Viewer {
  const session = useSession();
  const { isAdministrator } = useRights();
  const loginName = session.kind === 'signed-in' ? session.grant.Account.LoginName : '';
  return { loginName, isAdministrator };
}

/** Where views are, and what of their relations the account may read. */
function useSource() {
  const model = useModel();
  const { setsToRead } = useRights();
  const name = viewSet(model) ?? '';
  const set = model.sets.get(name);
  const relations = Object.values(SHARED_BY).filter((one) =>
    setsToRead.has(set?.bindings.get(one) ?? ''),
  );
  const expand = relations.length === 0 ? undefined : relations.join(',');
  const toView = (row: Row): View => {
    const { Scope: scope } = row;
    const member = scope === 'workgroup' || scope === 'role' ? SHARED_BY[scope] : undefined;
    const target = set && member && typeOfSet(model, set).members.get(member)?.type;
    const type = target === undefined ? undefined : model.types.get(target);
    const shared = member && (row as unknown as Readonly<Record<string, unknown>>)[member];
    return {
      uid: row.Uid,
      etag: row['@odata.etag'],
      set: row.EntitySet,
      name: row.Name ?? undefined,
      owner: row.Owner,
      sharing: { scope, key: type && keyOf(type, shared) },
      isDefault: row.IsDefault,
      state: readView(row),
    };
  };
  return { name, expand, toView };
}

/** The named views of a set that the account sees, without those that others keep for themselves. */
export function useViews(set: string) {
  const { loginName } = useViewer();
  const { name, expand, toView } = useSource();
  const own = `Owner eq ${literal(loginName, 'Edm.String')}`;
  const path = pathWith(name, [
    [
      '$filter',
      `EntitySet eq ${literal(set, 'Edm.String')} and Name ne null and (${own} or Scope ne 'own')`,
    ],
    ['$expand', expand],
    ['$orderby', 'Position,Name,Uid'],
  ]);
  return useQuery({
    queryKey: [KEY, set],
    queryFn: async ({ signal }) =>
      ((await readAll(path, signal)) as unknown as readonly Row[]).map(toView),
    enabled: name !== '',
    retry: false,
  });
}

/** A view that is not among the named ones of the list, such as one that only a URL refers to. */
export function useSingleView(uid: string | undefined) {
  const { name, expand, toView } = useSource();
  return useQuery({
    queryKey: [KEY, 'single', uid],
    queryFn: async ({ signal }) => {
      const path = pathWith(entityPath(name, uid ?? ''), [['$expand', expand]]);
      return toView(await requestJson<Row>(path, { signal }));
    },
    enabled: name !== '' && uid !== undefined,
    retry: false,
  });
}

/** What the form of a view asks for. */
export interface ViewForm {
  readonly name: string;
  readonly sharing: Sharing;
  readonly isDefault: boolean;
}

/** What is stored: the form, the state, or both. `view` is undefined for a new one. */
export interface ViewChange {
  readonly view: View | undefined;
  readonly form?: ViewForm;
  readonly state?: ViewState;
}

/** Stores and deletes views of a set. */
export function useStoreView(set: string) {
  const model = useModel();
  const client = useQueryClient();
  const viewer = useViewer();
  const { name, expand, toView } = useSource();
  const targets = model.sets.get(name)?.bindings;
  // After a failure as well: if others have changed the view, the change can then be repeated.
  const onSettled = async () => await client.invalidateQueries({ queryKey: [KEY] });
  const save = useMutation({
    mutationFn: async ({ view, form, state }: ViewChange) => {
      const row = await requestJson<Row>(
        pathWith(view === undefined ? name : entityPath(name, view.uid), [['$expand', expand]]),
        {
          method: view === undefined ? 'POST' : 'PATCH',
          headers: {
            Prefer: 'return=representation',
            ...(view === undefined ? repeatable() : { 'If-Match': view.etag ?? '*' }),
          },
          body: {
            ...(view === undefined ? { EntitySet: set } : {}),
            ...(form === undefined ? {} : formBody(form, targets)),
            ...(state === undefined ? {} : printView(state)),
          },
        },
      );
      const stored = toView(row);
      if (form?.isDefault === true) await yieldTo(stored, name, client, viewer);
      remember(client, stored);
      return stored;
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: async ({ uid, etag = '*' }: View) =>
      await request(entityPath(name, uid), { method: 'DELETE', headers: { 'If-Match': etag } }),
    onSettled,
  });
  return { save, remove };
}

function formBody(form: ViewForm, targets: ReadonlyMap<string, string> | undefined) {
  const { scope, key } = form.sharing;
  const member = scope === 'workgroup' || scope === 'role' ? SHARED_BY[scope] : undefined;
  const target = member && targets?.get(member);
  return {
    Name: form.name,
    Scope: scope,
    IsDefault: form.isDefault,
    ...(member === undefined || target === undefined || key === undefined
      ? {}
      : { [member]: { '@id': entityPath(target, key) } }),
  };
}

/** The other defaults for the same people stop being so. */
async function yieldTo(view: View, name: string, client: QueryClient, viewer: Viewer) {
  const known = client.getQueryData<readonly View[]>([KEY, view.set]) ?? [];
  const changes = rivals(known, view, viewer).map(({ uid }) => ({
    path: entityPath(name, uid),
    body: { IsDefault: false },
    prefer: 'return=minimal',
  }));
  if (changes.length > 0) await changeTogether(changes);
}

/** The list opens with the stored view before the views have been read again. */
function remember(client: QueryClient, view: View): void {
  client.setQueryData([KEY, 'single', view.uid], view);
  client.setQueryData<readonly View[]>([KEY, view.set], (known) =>
    known?.map((one) => (one.uid === view.uid ? view : one)),
  );
}
