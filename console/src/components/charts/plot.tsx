// This file draws bars, stacked bars and lines with Recharts. It is a chunk of its own.
import { useId } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts';
import { useFormats } from '../../i18n/formats.ts';
import type { ChartData, ChartKind } from './chart-data.ts';
import classes from './charts.module.css';
import { DASHES, PatternDefinitions, seriesColour, seriesFill } from './patterns.tsx';

interface PlotProps {
  readonly kind: ChartKind;
  readonly title: string;
  readonly data: ChartData;
  readonly height: number;
  readonly onSelect?: ((category: number, series: number) => void) | undefined;
}

/** Margins that keep the outer labels visible. */
const MARGIN = { top: 8, right: 12, bottom: 0, left: 0 };
/** Recharts writes the colour into the style of the text, where a class cannot change it. */
const TICK = { className: classes.text ?? '', fill: 'currentColor' };
const LABEL_LENGTH = 14;

const shortened = (label: string): string =>
  label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1)}…` : label;

export function Plot(props: PlotProps) {
  const { kind, data, height } = props;
  const rows = data.categories.map((category, index) => ({
    category,
    ...Object.fromEntries(data.series.map(({ values }, at) => [String(at), values[index]])),
  }));
  return (
    <ResponsiveContainer width="100%" height={height}>
      {kind === 'line' ? (
        <LinePlot title={props.title} data={data} rows={rows} />
      ) : (
        <BarPlot {...props} rows={rows} />
      )}
    </ResponsiveContainer>
  );
}

type Rows = readonly Readonly<Record<string, unknown>>[];

function BarPlot({ kind, title, data, onSelect, rows, ...size }: PlotProps & { rows: Rows }) {
  const chart = useId();
  const format = useFormats().number;
  return (
    <BarChart {...size} data={[...rows]} margin={MARGIN} title={title} accessibilityLayer>
      <PatternDefinitions chart={chart} />
      {axes(format)}
      {data.series.map(({ name }, index) => (
        <Bar
          key={name}
          name={name}
          dataKey={String(index)}
          className={onSelect === undefined ? '' : (classes.clickable ?? '')}
          fill={seriesFill(chart, index)}
          {...(kind === 'stacked' ? { stackId: 'all' } : {})}
          maxBarSize={56}
          isAnimationActive={false}
          onClick={(_, category) => onSelect?.(category, index)}
        />
      ))}
    </BarChart>
  );
}

/** Axes and grid, which Recharts finds among the children of a chart only. */
function axes(format: (value: number) => string) {
  return [
    <CartesianGrid
      key="grid"
      vertical={false}
      className={classes.grid ?? ''}
      stroke="currentColor"
      strokeOpacity={0.15}
    />,
    <XAxis
      key="x"
      dataKey="category"
      tick={TICK}
      tickLine={false}
      tickFormatter={shortened}
      interval="preserveStartEnd"
      minTickGap={8}
    />,
    <YAxis
      key="y"
      tick={TICK}
      tickLine={false}
      axisLine={false}
      allowDecimals={false}
      width="auto"
      tickFormatter={format}
    />,
    <Tooltip key="tip" content={Tip} isAnimationActive={false} cursor={{ fillOpacity: 0.1 }} />,
  ];
}

function LinePlot({
  title,
  data,
  rows,
  ...size
}: Pick<PlotProps, 'title' | 'data'> & { readonly rows: Rows }) {
  const format = useFormats().number;
  return (
    <LineChart {...size} data={[...rows]} margin={MARGIN} title={title} accessibilityLayer>
      {axes(format)}
      {data.series.map(({ name }, index) => (
        <Line
          key={name}
          name={name}
          dataKey={String(index)}
          stroke={seriesColour(index)}
          strokeWidth={2}
          strokeDasharray={DASHES[index % DASHES.length] ?? '0'}
          dot={{ r: 3 }}
          isAnimationActive={false}
        />
      ))}
    </LineChart>
  );
}

function Tip({ active, label, payload }: TooltipContentProps) {
  const format = useFormats().number;
  if (active !== true) return null;
  return (
    <div className={classes.tip ?? ''}>
      <strong>{label}</strong>
      {payload.map(({ name, value }) => (
        <div key={String(name)}>
          {String(name)}: {format(Number(value))}
        </div>
      ))}
    </div>
  );
}
