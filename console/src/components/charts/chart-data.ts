// This file is what a chart shows: series of numbers over the same categories.

export type ChartKind = 'bar' | 'stacked' | 'line';

interface Series {
  readonly name: string;
  /** A number for each category; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  readonly categories: readonly string[];
  readonly series: readonly Series[];
}

/** A value as a number of a series. */
export function numberOf(value: unknown): number | null {
  const number = Number(value);
  return value === null || value === undefined || Number.isNaN(number) ? null : number;
}

/** The sum of a series, and its largest value with the category. */
export interface SeriesSummary {
  readonly name: string;
  readonly total: number;
  readonly largest: { readonly category: string; readonly value: number } | undefined;
}

export function summaryOf({ categories, series }: ChartData): readonly SeriesSummary[] {
  return series.map(({ name, values }) => {
    const known = values.map((value) => value ?? 0);
    const index = known.indexOf(Math.max(...known));
    const category = categories[index];
    return {
      name,
      total: known.reduce((sum, value) => sum + value, 0),
      largest: category === undefined ? undefined : { category, value: known[index] ?? 0 },
    };
  });
}

/** The data with at most `limit` categories: those after it are left out. */
export function firstCategories({ categories, series }: ChartData, limit: number): ChartData {
  return {
    categories: categories.slice(0, limit),
    series: series.map(({ name, values }) => ({ name, values: values.slice(0, limit) })),
  };
}
