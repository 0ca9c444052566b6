// This file is a tile: a number, a chart or a list, with its state while it is read.
import { Alert, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { Chart } from '../components/charts/chart.tsx';
import { useErrorText } from '../components/error-notice.tsx';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useLanguage, useText } from '../i18n/text.tsx';
import classes from './dashboards.module.css';
import type { Tile } from './tile.ts';
import { TileRecords } from './tile-records.tsx';
import type { TileResult } from './tile-results.ts';

export function TileView({
  tile,
  result,
  onVisible,
  menu,
}: {
  readonly tile: Tile;
  readonly result: TileResult | undefined;
  readonly onVisible: (tile: Tile, isVisible: boolean) => void;
  readonly menu?: ReactNode;
}) {
  const element = useVisibility(tile, onVisible);
  return (
    <Paper
      ref={element}
      component="section"
      aria-label={tile.title}
      aria-busy={result === undefined}
      withBorder
      p="md"
    >
      <Stack gap="xs">
        <div className={classes.head}>
          <Title order={2} size="sm">
            {tile.title}
          </Title>
          {menu}
        </div>
        <Content tile={tile} result={result} />
      </Stack>
    </Paper>
  );
}

function useVisibility(tile: Tile, onVisible: (tile: Tile, isVisible: boolean) => void) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      onVisible(tile, entries.at(-1)?.isIntersecting === true);
    });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
      onVisible(tile, false);
    };
  }, [tile, onVisible]);
  return element;
}

function Content({
  tile,
  result,
}: {
  readonly tile: Tile;
  readonly result: TileResult | undefined;
}) {
  const errorText = useErrorText();
  const text = useText();
  const navigate = useNavigate();
  if (result === undefined) return <Skeleton height={tile.kind === 'number' ? 60 : 220} />;
  switch (result.kind) {
    case 'failed':
      return (
        <Alert color="red" p="xs">
          {tile.set === result.error.message
            ? text('app.noSet', { name: tile.set })
            : errorText(result.error)}
        </Alert>
      );
    case 'number':
      return <NumberTile tile={tile} result={result} />;
    case 'records':
      return <TileRecords set={tile.set} rows={result.rows} filter={result.filter} />;
    case 'chart':
      return (
        <Chart
          kind={tile.kind === 'line' || tile.kind === 'stacked' ? tile.kind : 'bar'}
          title={tile.title}
          data={result.data}
          onSelect={(category, series) => {
            const filter = result.filters[category]?.[series] ?? '';
            if (filter !== '')
              void navigate({ to: '/s/$set', params: { set: tile.set }, search: { filter } });
          }}
        />
      );
  }
}

function NumberTile({
  tile,
  result,
}: {
  readonly tile: Tile;
  readonly result: Extract<TileResult, { kind: 'number' }>;
}) {
  const text = useText();
  const { number } = useFormats();
  const percent = usePercent();
  const { value, isShare, filter, trend } = result;
  const shown = value === undefined ? '–' : isShare ? percent(value) : number(value);
  return (
    <Stack gap={2}>
      <RouterAnchor
        to="/s/$set"
        params={{ set: tile.set }}
        search={{ filter }}
        className={classes.number ?? ''}
        c="inherit"
      >
        {shown}
      </RouterAnchor>
      {trend !== undefined && (
        <Text size="xs" c="dimmed">
          {text(`dashboard.trend.${trend.unit}`, {
            now: number(trend.now),
            before: number(trend.before),
          })}
        </Text>
      )}
    </Stack>
  );
}

function usePercent(): (share: number) => string {
  const language = useLanguage();
  const format = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  return (share) => format.format(share);
}
