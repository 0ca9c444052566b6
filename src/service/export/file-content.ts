// This file writes the text of an export, page by page: each page is read while the one before is written.

import { Fault } from '../../base/fault.ts';
import type { OutcomeRow } from '../../plan/outcome.ts';
import type { ExportFormat } from '../../request/tree.ts';
import type { Column } from '../../response/table/columns.ts';
import { csvHeadings, csvRows } from '../../response/table/csv.ts';
import { SHEET_END, sheetRows, sheetStart } from '../../response/table/sheet.ts';
import type { ExportPage } from './pages.ts';

/** The text around the rows of a file, and of some of its rows. */
interface Writer {
  readonly start: string;
  /** @param before the number of rows written before these */
  readonly rows: (records: readonly string[], before: number) => string;
  readonly end: string;
}

/** Rows that are written in one piece, between which other requests are answered. */
const ROWS_OF_PIECE = 500;

/**
 * Returns the text in pieces. Throws: export.rows, if rows that were added meanwhile exceed the limit, and the faults of reading; the file
 * then has no end.
 */
export async function* fileContent(
  first: ExportPage,
  writer: Writer,
  limit: { readonly limit: number; readonly reason: string },
): AsyncGenerator<string> {
  yield writer.start;
  let written = 0;
  let page: ExportPage | undefined = first;
  while (page !== undefined) {
    const next: Promise<ExportPage> | undefined = page.next?.();
    // An error is thrown where the page is awaited.
    next?.catch(() => undefined);
    if (written + page.rows.length > limit.limit)
      throw new Fault('export.rows', { rows: `more than ${limit.limit}`, ...limit });
    for (let at = 0; at < page.rows.length; at += ROWS_OF_PIECE)
      yield writer.rows(page.rows.slice(at, at + ROWS_OF_PIECE).map(recordOf), written + at);
    written += page.rows.length;
    page = await next;
  }
  yield writer.end;
}

function recordOf({ json }: OutcomeRow): string {
  return json ?? 'null';
}

/** How a format writes its rows. */
export function writerOf(format: ExportFormat, columns: readonly Column[]): Writer {
  const headings = columns.map(({ name, label }) => (format.headings === 'labels' ? label : name));
  switch (format.type) {
    case 'text/csv':
      return {
        start: `${format.bom ? '\uFEFF' : ''}${csvHeadings(headings, format)}`,
        rows: (records) => csvRows(columns, records, format),
        end: '',
      };
    case 'application/x-ndjson':
    case 'application/jsonl':
      return { start: '', rows: (records) => `${records.join('\n')}\n`, end: '' };
    default:
      return {
        start: sheetStart(headings),
        rows: (records, before) => sheetRows(columns, records, before + 1),
        end: SHEET_END,
      };
  }
}
