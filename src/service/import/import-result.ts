// This file writes the result of an import: counts, and errors with their rows and columns, as JSON or as a table.
import { counted } from '../../base/counted.ts';
import { Fault, toDetail } from '../../base/fault.ts';
import { appliedPreference } from '../../request/headers/parse-prefer.ts';
import type { Tree } from '../../request/tree.ts';
import { contentType, headersOf } from '../../response/headers.ts';
import type { Answer } from '../../response/response.ts';
import type { Column } from '../../response/table/columns.ts';
import { csvHeadings, csvRows } from '../../response/table/csv.ts';
import type { ImportRequest } from './import-request.ts';
import type { ImportRow } from './import-row.ts';

export interface ImportError {
  readonly row: number;
  readonly column?: string | undefined;
  readonly value?: string | undefined;
  readonly code: string;
  readonly message: string;
}

/** What became of a row. */
export type RowOutcome = 'created' | 'updated' | 'unchanged' | readonly ImportError[];

/** The errors of a row, by which a write has failed. Throws other errors, and those of the service. */
export function errorsOf(
  error: unknown,
  { number, placeOf }: Pick<ImportRow, 'number' | 'placeOf'>,
): readonly ImportError[] {
  if (!(error instanceof Fault) || error.status >= 500 || error.status === 429) throw error;
  const details = error.details.length === 0 ? [toDetail(error)] : error.details;
  return details.map(({ code, message, target }) => {
    const { column, value } = placeOf(target);
    const shown = value === undefined ? {} : { value: value.slice(0, LONGEST_VALUE) };
    return { row: number, ...(column === undefined ? {} : { column }), ...shown, code, message };
  });
}

/** Characters of a value in an error. */
const LONGEST_VALUE = 200;

interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** The result of rows, of which nothing is stored if `isKept` is false. */
export function answerResult(
  request: ImportRequest,
  outcomes: readonly RowOutcome[],
  isKept: boolean,
): Answer {
  const counts = countsOf(outcomes);
  const errors = outcomes.flatMap((outcome) => (typeof outcome === 'string' ? [] : outcome));
  errors.sort((one, other) => one.row - other.row);
  const listed = errors.slice(0, request.service.limits.importErrors);
  const { negotiated } = request.tree;
  const status = isKept || counts.failed === 0 ? 200 : 400;
  const type = request.answersCsv ? 'text/csv' : contentType(negotiated.format, negotiated.version);
  const headers = headersOf(negotiated, { type, applied: appliedIn(request.tree) });
  if (request.answersCsv) return { status, headers, body: errorTable(listed) };
  const result = { ...counts, errors: listed };
  const body = status === 200 ? result : { error: errorOf(result, errors.length) };
  return { status, headers, body: JSON.stringify(body) };
}

function countsOf(outcomes: readonly RowOutcome[]): Counts {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const outcome of outcomes) counts[typeof outcome === 'string' ? outcome : 'failed'] += 1;
  return counts;
}

function appliedIn({ negotiated: { prefer } }: Tree): readonly string[] {
  return [
    ...(prefer.dryRun ? [appliedPreference(prefer, 'dry-run')] : []),
    ...(prefer.continueOnError === true ? [appliedPreference(prefer, 'continue-on-error')] : []),
  ];
}

interface Result extends Counts {
  readonly errors: readonly ImportError[];
}

/** The error of an import of which nothing is stored, with the result as annotation. */
function errorOf(result: Result, count: number): object {
  const { failed, errors } = result;
  const shown = count > errors.length ? `, of which the first ${errors.length} are listed` : '';
  const stored = `${counted(failed, 'row has', 'rows have')} errors. Nothing was imported.`;
  const { code, message } = new Fault('service.import', { stored, count, shown });
  const details = errors.map(({ row, column, code: own, message: text }) => ({
    code: own,
    message: text,
    target: column === undefined ? `row ${row}` : `row ${row}: ${column}`,
  }));
  const annotation = { ...result, created: 0, updated: 0 };
  return { code, message, details, '@Docket.System.ImportResult': annotation };
}

// ---- the table of errors --------------------------------------------------------------------------------------------

const COLUMNS: readonly Column[] = (['row', 'column', 'value', 'code', 'message'] as const).map(
  (name) => ({ path: [name], name, label: name, kind: name === 'row' ? 'number' : 'text' }),
);

/** With a byte order mark, since it is meant for spreadsheets. */
function errorTable(errors: readonly ImportError[]): string {
  const form = { keepsFormulas: false };
  const headings = COLUMNS.map(({ name }) => name);
  const records = errors.map((error) => JSON.stringify(error));
  return `\uFEFF${csvHeadings(headings, form)}${csvRows(COLUMNS, records, form)}`;
}
