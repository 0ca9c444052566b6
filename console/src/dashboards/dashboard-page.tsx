// This file is a dashboard: its tiles, a filter for all of them, and how often they are read again. Filter and refresh are in the URL and
// are never stored with the dashboard.
import { Button, Collapse, Group, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useState } from 'react';
import { usePageTitle } from '../app/page-title.ts';
import { useRights } from '../app/rights.ts';
import { NotFound } from '../app/shell.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useLanguage, useText } from '../i18n/text.tsx';
import { navigationSets } from '../model/layout.ts';
import { typeOfSet } from '../model/model.ts';
import { useService } from '../model/use-model.tsx';
import { ConditionsInput } from '../query/conditions-input.tsx';
import { DashboardEditor } from './dashboard-editor.tsx';
import { type Dashboard, useCanStore, useDashboards } from './dashboard-store.ts';
import classes from './dashboards.module.css';
import { defaultTiles } from './default-dashboard.ts';
import type { Tile } from './tile.ts';
import { TileView } from './tile-view.tsx';
import { useTiles } from './use-tiles.ts';

interface Search {
  readonly edit?: string | undefined;
  readonly filter?: string | undefined;
  /** Minutes. */
  readonly refresh?: string | undefined;
}

/** Minutes. */
const INTERVALS = [1, 5, 15] as const;

export function DashboardPage() {
  const { dashboard: id } = useParams({ strict: false });
  const { data, error, refetch, isLoading } = useDashboards();
  const shipped = useDefaultDashboard();
  const search: Search = useSearch({ strict: false });
  if (id === 'default') return <DashboardView dashboard={shipped} search={search} />;
  if (isLoading) return <Skeleton m="md" h={240} />;
  if (error !== null) return <ErrorNotice error={error} retry={() => void refetch()} />;
  const found = data?.find(({ uid }) => uid === id);
  if (found === undefined) return <NotFound />;
  return <DashboardView key={found.uid} dashboard={found} search={search} />;
}

function useDefaultDashboard(): Dashboard {
  const text = useText();
  const { model, listed } = useService();
  const { setsToRead } = useRights();
  return useMemo(() => {
    const sets = navigationSets(model, new Set(listed.filter((name) => setsToRead.has(name))));
    return {
      uid: undefined,
      etag: undefined,
      owner: undefined,
      name: text('dashboard.default'),
      scope: 'own',
      isDefault: false,
      tiles: defaultTiles(model, sets, text),
    };
  }, [model, listed, setsToRead, text]);
}

function DashboardView({
  dashboard,
  search,
}: {
  readonly dashboard: Dashboard;
  readonly search: Search;
}) {
  const text = useText();
  const navigate = useNavigate();
  const canStore = useCanStore();
  usePageTitle(dashboard.name, text('app.dashboards'));
  const change = (changes: Search) =>
    void navigate({ to: '.', search: { ...search, ...changes } as never, replace: true });
  if (search.edit === '1')
    return <DashboardEditor dashboard={dashboard} onClose={() => change({ edit: undefined })} />;
  return (
    <Stack className={classes.page ?? ''}>
      <Group justify="space-between" align="end">
        <Title order={1} size="h3">
          {dashboard.name}
        </Title>
        {canStore && (
          <Button size="xs" variant="default" onClick={() => change({ edit: '1' })}>
            {text(dashboard.uid === undefined ? 'dashboard.copy' : 'common.edit')}
          </Button>
        )}
      </Group>
      <TileGrid tiles={dashboard.tiles} search={search} change={change} />
    </Stack>
  );
}

function TileGrid({
  tiles,
  search: { filter = '', refresh = '' },
  change,
}: {
  readonly tiles: readonly Tile[];
  readonly search: Search;
  readonly change: (changes: Search) => void;
}) {
  const text = useText();
  const { results, isReading, onVisible, refresh: readAgain } = useTiles(tiles, filter);
  const minutes = INTERVALS.find((interval) => String(interval) === refresh);
  useRefresh(minutes, readAgain);
  const oldest = [...results.values()]
    .map(({ at }) => at)
    .sort((a, b) => a.getTime() - b.getTime())[0];
  return (
    <>
      <Group gap="md" align="start">
        <AsOf time={oldest} />
        <Button size="compact-xs" variant="subtle" onClick={readAgain} loading={isReading}>
          {text('dashboard.refresh')}
        </Button>
        <RefreshChoice minutes={minutes} change={change} />
        <FilterOfAll
          tiles={tiles}
          filter={filter}
          onChange={(next) => change({ filter: next || undefined })}
        />
      </Group>
      {tiles.length === 0 && <Text>{text('dashboard.empty')}</Text>}
      <div className={classes.tiles}>
        {tiles.map((tile, index) => (
          <TileView
            key={tile.uid ?? index}
            tile={tile}
            result={results.get(tile)?.result}
            onVisible={onVisible}
          />
        ))}
      </div>
    </>
  );
}

function RefreshChoice({
  minutes,
  change,
}: {
  readonly minutes: number | undefined;
  readonly change: (changes: Search) => void;
}) {
  const text = useText();
  const id = useId();
  const intervals = INTERVALS.map((interval) => ({
    value: String(interval),
    label: text('dashboard.minutes', { minutes: interval }),
  }));
  return (
    <Group gap="xs">
      <Text component="label" htmlFor={id} size="sm">
        {text('dashboard.refreshEach')}
      </Text>
      <Select
        id={id}
        size="xs"
        w={150}
        allowDeselect={false}
        data={[{ value: '', label: text('dashboard.never') }, ...intervals]}
        value={minutes === undefined ? '' : String(minutes)}
        onChange={(value) => change({ refresh: value || undefined })}
      />
    </Group>
  );
}

function AsOf({ time }: { readonly time: Date | undefined }) {
  const text = useText();
  const language = useLanguage();
  if (time === undefined) return null;
  const shown = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(time);
  return (
    <Text size="sm" c="dimmed" role="status">
      {text('dashboard.asOf', { time: shown })}
    </Text>
  );
}

/** Reads again each so many minutes, while the page is visible. */
function useRefresh(minutes: number | undefined, readAgain: () => void): void {
  useEffect(() => {
    if (minutes === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') readAgain();
    }, minutes * 60_000);
    return () => clearInterval(timer);
  }, [minutes, readAgain]);
}

/** A filter for all tiles whose entities have its members. */
function FilterOfAll({
  tiles,
  filter,
  onChange,
}: {
  readonly tiles: readonly Tile[];
  readonly filter: string;
  readonly onChange: (filter: string) => void;
}) {
  const text = useText();
  const { model } = useService();
  const [isOpen, setOpen] = useState(filter !== '');
  const set = model.sets.get(tiles[0]?.set ?? '');
  if (set === undefined) return null;
  return (
    <Stack gap={4}>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {text('dashboard.filter')}
      </Button>
      <Collapse expanded={isOpen}>
        <ConditionsInput
          label={text('dashboard.filter')}
          type={typeOfSet(model, set)}
          value={filter}
          onChange={onChange}
        />
      </Collapse>
    </Stack>
  );
}
