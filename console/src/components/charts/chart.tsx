// This file is the figure around a chart: its name, one sentence with what it shows, a legend, and the numbers as a table on demand.
import '@mantine/core/styles/Table.css';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useId, useState } from 'react';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { type ChartData, type ChartKind, firstCategories, summaryOf } from './chart-data.ts';
import { ChartTable } from './chart-table.tsx';
import classes from './charts.module.css';
import { PatternDefinitions, seriesFill } from './patterns.tsx';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

/** More would not be readable; the table has all. */
const CATEGORIES = 60;

export function Chart({
  kind,
  title,
  data,
  height = 220,
  onSelect,
}: {
  readonly kind: ChartKind;
  readonly title: string;
  readonly data: ChartData;
  readonly height?: number;
  /** Called with the indexes of category and series of the chosen bar. */
  readonly onSelect?: ((category: number, series: number) => void) | undefined;
}) {
  const text = useText();
  const [isTable, setTable] = useState(false);
  const summary = useSummary(data);
  return (
    <figure className={classes.figure ?? ''} aria-label={title}>
      <Stack gap={4}>
        {isTable ? (
          <ChartTable title={title} data={data} onSelect={onSelect} />
        ) : (
          <Suspense fallback={<Skeleton height={height} />}>
            <Plot
              kind={kind}
              title={title}
              data={firstCategories(data, CATEGORIES)}
              height={height}
              onSelect={onSelect}
            />
          </Suspense>
        )}
        {data.series.length > 1 && !isTable && <Legend data={data} />}
        <Group component="figcaption" justify="space-between" gap="xs" wrap="nowrap" align="start">
          <Text size="xs" c="dimmed">
            {summary}
          </Text>
          <Button
            variant="subtle"
            size="compact-xs"
            flex="none"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {text(isTable ? 'chart.showChart' : 'chart.showTable')}
          </Button>
        </Group>
      </Stack>
    </figure>
  );
}

/** One sentence: sums, and where the largest value is. */
function useSummary(data: ChartData): string {
  const text = useText();
  const { number } = useFormats();
  const parts = summaryOf(data).map(({ name, total, largest }) =>
    largest === undefined
      ? text('chart.nothing')
      : text('chart.summary', {
          name,
          total: number(total),
          category: largest.category,
          value: number(largest.value),
        }),
  );
  return parts.length === 0 ? text('chart.nothing') : parts.join(' ');
}

function Legend({ data }: { readonly data: ChartData }) {
  const chart = useId();
  return (
    <ul className={classes.legend ?? ''}>
      {data.series.map(({ name }, index) => (
        <li key={name}>
          <svg className={classes.swatch} width="14" height="14" aria-hidden="true">
            <PatternDefinitions chart={chart} />
            <rect width="14" height="14" fill={seriesFill(chart, index)} />
          </svg>{' '}
          {name}
        </li>
      ))}
    </ul>
  );
}
