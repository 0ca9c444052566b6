// This file edits a dashboard: its name, who sees it, and its tiles in their order. Nothing is stored before Save.

import { Alert, Button, Group, Menu, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useErrorText } from '../components/error-notice.tsx';
import { Icon } from '../components/icons.tsx';
import { useDraft } from '../components/use-draft.ts';
import { useText } from '../i18n/text.tsx';
import { type Dashboard, useStoreDashboard } from './dashboard-store.ts';
import classes from './dashboards.module.css';
import type { Tile } from './tile.ts';
import { TileForm } from './tile-form.tsx';
import { TileView } from './tile-view.tsx';
import { useTiles } from './use-tiles.ts';

/** A dashboard that is not stored yet is copied: its tiles get new keys. */
function draftOf(dashboard: Dashboard): Dashboard {
  if (dashboard.uid !== undefined) return dashboard;
  return { ...dashboard, tiles: dashboard.tiles.map((tile) => ({ ...tile, uid: undefined })) };
}

export function DashboardEditor({
  dashboard,
  onClose,
}: {
  readonly dashboard: Dashboard;
  readonly onClose: () => void;
}) {
  const text = useText();
  const errorText = useErrorText();
  const navigate = useNavigate();
  const { save, remove } = useStoreDashboard();
  const { draft, change, isMoved } = useDraft(useMemo(() => draftOf(dashboard), [dashboard]));
  const store = async () => {
    const uid = await save.mutateAsync(draft);
    await navigate({ to: '/d/$dashboard', params: { dashboard: uid }, search: {} });
  };
  const drop = async () => {
    await remove.mutateAsync(draft);
    await navigate({ to: '/d' });
  };
  const error = save.error ?? remove.error;
  return (
    <Stack className={classes.page ?? ''}>
      <Title order={1} size="h3">
        {text('dashboard.edit')}
      </Title>
      <Group align="end">
        <TextInput
          size="xs"
          label={text('dashboard.name')}
          required
          value={draft.name}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
        />
        <Select
          size="xs"
          label={text('dashboard.scope')}
          allowDeselect={false}
          data={(['own', 'everybody'] as const).map((value) => ({
            value,
            label: text(`dashboard.scope.${value}`),
          }))}
          value={draft.scope}
          onChange={(scope) => change({ scope: scope ?? 'own' })}
        />
        <Button
          size="xs"
          disabled={draft.name.trim() === ''}
          loading={save.isPending}
          onClick={() => void store().catch(() => undefined)}
        >
          {text('common.save')}
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          {text('common.cancel')}
        </Button>
        {dashboard.uid !== undefined && (
          <DeleteButton name={draft.name} onConfirm={() => void drop().catch(() => undefined)} />
        )}
      </Group>
      {(error !== null || (isMoved && save.isIdle)) && (
        <Alert color="red" role="alert">
          {error === null ? text('common.changed') : errorText(error)}
        </Alert>
      )}
      <EditedTiles tiles={draft.tiles} onChange={(tiles) => change({ tiles })} />
    </Stack>
  );
}

function DeleteButton({
  name,
  onConfirm,
}: {
  readonly name: string;
  readonly onConfirm: () => void;
}) {
  const text = useText();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button size="xs" variant="subtle" color="red">
          {text('common.delete')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" p="xs">
          {text('dashboard.deleteAsk', { name })}
        </Text>
        <Menu.Item color="red" onClick={onConfirm}>
          {text('common.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function EditedTiles({
  tiles,
  onChange,
}: {
  readonly tiles: readonly Tile[];
  readonly onChange: (tiles: readonly Tile[]) => void;
}) {
  const text = useText();
  const { results, onVisible } = useTiles(tiles, '');
  /** The index of the tile in the form; the number of tiles for a new one. */
  const [edited, setEdited] = useState<number>();
  const move = (from: number, to: number) => {
    const others = tiles.filter((_, index) => index !== from);
    const tile = tiles[from];
    if (tile !== undefined) onChange([...others.slice(0, to), tile, ...others.slice(to)]);
  };
  const put = (tile: Tile) => {
    const index = edited ?? tiles.length;
    onChange(index === tiles.length ? [...tiles, tile] : tiles.with(index, tile));
    setEdited(undefined);
  };
  return (
    <>
      <div className={classes.tiles}>
        {tiles.map((tile, index) => (
          <TileView
            key={tile.uid ?? `new ${index}`}
            tile={tile}
            result={results.get(tile)?.result}
            onVisible={onVisible}
            menu={
              <TileMenu
                title={tile.title}
                onEdit={() => setEdited(index)}
                onEarlier={index === 0 ? undefined : () => move(index, index - 1)}
                onLater={index === tiles.length - 1 ? undefined : () => move(index, index + 1)}
                onRemove={() => onChange(tiles.filter((_, at) => at !== index))}
              />
            }
          />
        ))}
      </div>
      <Group>
        <Button size="xs" variant="default" onClick={() => setEdited(tiles.length)}>
          {text('dashboard.addTile')}
        </Button>
      </Group>
      {edited !== undefined && (
        <TileForm tile={tiles[edited]} onSave={put} onCancel={() => setEdited(undefined)} />
      )}
    </>
  );
}

function TileMenu({
  title,
  onEdit,
  onEarlier,
  onLater,
  onRemove,
}: {
  readonly title: string;
  readonly onEdit: () => void;
  readonly onEarlier: (() => void) | undefined;
  readonly onLater: (() => void) | undefined;
  readonly onRemove: () => void;
}) {
  const text = useText();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={text('dashboard.tileMenu', { title })}
        >
          <Icon name="more" />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onEdit}>{text('common.edit')}</Menu.Item>
        <Menu.Item disabled={onEarlier === undefined} onClick={onEarlier}>
          {text('dashboard.earlier')}
        </Menu.Item>
        <Menu.Item disabled={onLater === undefined} onClick={onLater}>
          {text('dashboard.later')}
        </Menu.Item>
        <Menu.Item onClick={onRemove}>{text('common.remove')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
