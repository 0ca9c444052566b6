// This file draws the patterns that distinguish series without colours.
import type { ReactNode } from 'react';
import classes from './charts.module.css';

/** Number of colours, and of patterns. */
const KINDS = 6;

/** The colour of a series, which depends on the theme. */
export function seriesColour(index: number): string {
  return `var(--series-${index % KINDS})`;
}

/** The paint of a series: the first one is plain. */
export function seriesFill(chart: string, index: number): string {
  return index % KINDS === 0 ? seriesColour(0) : `url(#${chart}-${index % KINDS})`;
}

/** Dashes of lines, as lengths of dash and gap. */
export const DASHES = ['0', '6 3', '2 3', '8 3 2 3', '4 4', '1 4'] as const;

const LINES: readonly ReactNode[] = [
  null,
  <path key="diagonal" d="M0 8L8 0" />,
  <path key="horizontal" d="M0 4H8" />,
  <path key="vertical" d="M4 0V8" />,
  <path key="cross" d="M0 4H8M4 0V8" />,
  <path key="zigzag" d="M0 6L4 2L8 6" fill="none" />,
];

/** The definitions of patterns for an SVG element. */
export function PatternDefinitions({ chart }: { readonly chart: string }) {
  return (
    <defs>
      {LINES.map((lines, index) => (
        <pattern
          // biome-ignore lint/suspicious/noArrayIndexKey: The list never changes.
          key={index}
          id={`${chart}-${index}`}
          width="8"
          height="8"
          patternUnits="userSpaceOnUse"
        >
          <rect width="8" height="8" fill={seriesColour(index)} />
          <g className={classes.lines ?? ''}>{lines}</g>
        </pattern>
      ))}
    </defs>
  );
}
