// This file shows the groups of a response as a chart.
import { SegmentedControl, Stack } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useState } from 'react';
import { Chart } from '../components/charts/chart.tsx';
import { type ChartData, type ChartKind, numberOf } from '../components/charts/chart-data.ts';
import { useText } from '../i18n/text.tsx';
import { valueAt } from '../model/entity.ts';
import { parseApply } from '../query/apply-text.ts';
import { optionOf, type RequestParts } from '../query/request-text.ts';
import { cellText, type Rows } from './result-rows.ts';

/** What a chart shows of a response; undefined where its groups have no numbers. */
export function chartDataOf(parts: RequestParts, rows: Rows): ChartData | undefined {
  const aggregation = parseApply(optionOf(parts, '$apply'));
  if (aggregation === undefined || aggregation.groups.length === 0) return undefined;
  if (aggregation.aggregates.length === 0 || rows.rows.length === 0) return undefined;
  const categories = rows.rows.map((row) =>
    aggregation.groups.map((path) => cellText(valueAt(row, path)) || '–').join(' · '),
  );
  const series = aggregation.aggregates.map(({ alias }) => ({
    name: alias,
    values: rows.rows.map((row) => numberOf(row[alias])),
  }));
  return { categories, series };
}

export function ResultChart({
  parts,
  data,
}: {
  readonly parts: RequestParts;
  readonly data: ChartData;
}) {
  const text = useText();
  const [kind, setKind] = useState<ChartKind>('bar');
  const kinds = (['bar', 'stacked', 'line'] as const).map((value) => ({
    value,
    label: text(`chart.${value}`),
  }));
  return (
    <Stack align="stretch">
      <SegmentedControl
        size="xs"
        aria-label={text('chart.kind')}
        data={kinds}
        value={kind}
        onChange={(value) => setKind(value as ChartKind)}
        style={{ alignSelf: 'start' }}
      />
      <Chart kind={kind} title={parts.path} data={data} height={320} />
    </Stack>
  );
}
