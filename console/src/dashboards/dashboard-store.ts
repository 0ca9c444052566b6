// This file reads and writes dashboards in the set ConsoleDashboards. The service decides who sees and changes them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { repeatable, request, requestJson } from '../api/client.ts';
import { entityPath } from '../model/entity.ts';
import type { Model } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { parseAxes, printAxes, TILE_KINDS, type Tile } from './tile.ts';

export interface Dashboard {
  /** Undefined for one that is not stored. */
  readonly uid: string | undefined;
  readonly etag: string | undefined;
  readonly name: string;
  readonly owner: string | undefined;
  readonly scope: string;
  readonly isDefault: boolean;
  readonly tiles: readonly Tile[];
}

interface TileRow {
  readonly Uid: string;
  readonly Title: string;
  readonly Kind: string;
  readonly EntitySet: string;
  readonly Filter: string | null;
  readonly Apply: string | null;
  readonly Axes: string | null;
}

interface Row {
  readonly '@odata.etag'?: string;
  readonly Uid: string;
  readonly Name: string;
  readonly Owner?: string | null;
  readonly Scope: string;
  readonly IsDefault: boolean;
  readonly Tiles: readonly TileRow[];
}

/** Models of an installation may use the name of the set themselves; undefined where the service has no dashboards. */
function setName(model: Model): string | undefined {
  return ['DocketConsoleDashboards', 'ConsoleDashboards'].find((name) => model.sets.has(name));
}

const EXPAND = '$expand=Tiles($orderby=Position,Uid)';
const KEY = ['dashboards'];

/** All dashboards that the account sees. */
export function useDashboards() {
  const set = setName(useModel());
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const path = `${set}?${EXPAND}&$orderby=Position,Name,Uid&$top=250`;
      const { value } = await requestJson<{ readonly value: readonly Row[] }>(path, { signal });
      return value.map(toDashboard);
    },
    enabled: set !== undefined,
  });
}

/** Whether dashboards can be stored. */
export const useCanStore = (): boolean => setName(useModel()) !== undefined;

function toDashboard(row: Row): Dashboard {
  return {
    uid: row.Uid,
    etag: row['@odata.etag'],
    name: row.Name,
    owner: row.Owner ?? undefined,
    scope: row.Scope,
    isDefault: row.IsDefault,
    tiles: row.Tiles.map(toTile),
  };
}

function toTile(row: TileRow): Tile {
  return {
    uid: row.Uid,
    title: row.Title,
    kind: TILE_KINDS.find((kind) => kind === row.Kind) ?? 'table',
    set: row.EntitySet,
    filter: row.Filter ?? '',
    apply: row.Apply ?? '',
    axes: parseAxes(row.Axes),
  };
}

/** Tiles that are not in the list are deleted with the change. */
function bodyOf({ name, scope, isDefault, tiles }: Dashboard) {
  return {
    Name: name,
    Scope: scope,
    IsDefault: isDefault,
    Tiles: tiles.map(({ uid, title, kind, set, filter, apply, axes }, index) => ({
      ...(uid === undefined ? {} : { Uid: uid }),
      Title: title,
      Kind: kind,
      EntitySet: set,
      Filter: filter === '' ? null : filter,
      Apply: apply === '' ? null : apply,
      Axes: printAxes(axes),
      Position: index,
    })),
  };
}

/** Stores a dashboard, and deletes one. */
export function useStoreDashboard() {
  const set = setName(useModel()) ?? '';
  const client = useQueryClient();
  // After a failure as well: if others have changed the dashboard, the change can then be repeated.
  const onSettled = async () => await client.invalidateQueries({ queryKey: KEY });
  const save = useMutation({
    mutationFn: async (dashboard: Dashboard) => await store(set, dashboard),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: async ({ uid = '', etag = '*' }: Dashboard) =>
      await request(entityPath(set, uid), { method: 'DELETE', headers: { 'If-Match': etag } }),
    onSettled,
  });
  return { save, remove };
}

async function store(set: string, dashboard: Dashboard): Promise<string> {
  const { uid, etag = '*' } = dashboard;
  const isNew = uid === undefined;
  const row = await requestJson<{ readonly Uid: string }>(isNew ? set : entityPath(set, uid), {
    method: isNew ? 'POST' : 'PATCH',
    headers: { Prefer: 'return=representation', ...(isNew ? repeatable() : { 'If-Match': etag }) },
    body: bodyOf(dashboard),
  });
  return row.Uid;
}
