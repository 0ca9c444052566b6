// This file reads the media types of exports and their parameters: CSV (RFC 4180, RFC 7111), XLSX, and JSON with one record per line.
import type { ExportFormat, JsonFormat, MediaType } from '../tree.ts';

export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The short names in $format, which take parameters as the media types do. */
export const EXPORT_NAMES: ReadonlyMap<string, ExportFormat['type']> = new Map([
  ['csv', 'text/csv'],
  ['xlsx', XLSX],
  ['ndjson', 'application/x-ndjson'],
  ['jsonl', 'application/jsonl'],
]);

/** Parameters by media type, for error messages. */
export const EXPORT_PARAMETERS: readonly (readonly [ExportFormat['type'], string])[] = [
  [
    'text/csv',
    'headings=names or labels, formulas=escape or keep, bom=true or false, and charset=utf-8',
  ],
  [XLSX, 'headings=names or labels and no other parameter'],
];

/** Records become cells: without annotations, and with numbers that are too long for JSON as strings. */
const CELLS: Omit<JsonFormat, 'charset'> = {
  kind: 'json',
  metadata: 'none',
  ieee754Compatible: true,
  exponentialDecimals: false,
  streaming: false,
};

type Draft = { -readonly [K in keyof ExportFormat]: ExportFormat[K] };

/** Reads the parameters of CSV and XLSX. Returns undefined if a parameter or its value is unknown. */
export function readTableFormat(
  type: 'text/csv' | typeof XLSX,
  parameters: MediaType['parameters'],
): ExportFormat | undefined {
  const draft: Draft = { ...plainExport(type), records: { ...CELLS, charset: false } };
  for (const [name, value] of parameters) {
    if (!readParameter(draft, name, value.toLowerCase())) return undefined;
  }
  return draft;
}

/** One record per line takes the parameters of JSON, but has no annotations unless they are requested. */
export function readLinesFormat(
  type: 'application/x-ndjson' | 'application/jsonl',
  parameters: MediaType['parameters'],
  records: JsonFormat | undefined,
): ExportFormat | undefined {
  if (records === undefined) return undefined;
  const hasLevel = ['metadata', 'odata.metadata', 'odata'].some((name) => parameters.has(name));
  const metadata = hasLevel ? records.metadata : 'none';
  return { ...plainExport(type), charset: records.charset, records: { ...records, metadata } };
}

function plainExport(type: ExportFormat['type']): Omit<ExportFormat, 'records'> {
  const parameters = {
    headings: 'names',
    keepsFormulas: false,
    bom: false,
    charset: false,
  } as const;
  return { kind: 'export', type, ...parameters };
}

function readParameter(draft: Draft, name: string, value: string): boolean {
  if (name === 'headings') {
    draft.headings = value === 'labels' ? 'labels' : 'names';
    return value === draft.headings;
  }
  if (draft.type !== 'text/csv') return false;
  switch (name) {
    case 'formulas':
      draft.keepsFormulas = value === 'keep';
      return draft.keepsFormulas || value === 'escape';
    case 'bom':
      draft.bom = value === 'true';
      return draft.bom || value === 'false';
    case 'charset':
      draft.charset = true;
      return /^utf-?8$/.test(value);
    default:
      return false;
  }
}
