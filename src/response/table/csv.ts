// This file writes rows of CSV. RFC 4180: lines end with CR LF, and quotes within quotes are doubled.
import { type Cell, cellsOf } from './cells.ts';
import type { CellKind, Column } from './columns.ts';

export interface CsvForm {
  /** Whether texts that spreadsheets take for formulas are written as they are. */
  readonly keepsFormulas: boolean;
}

/** Writes the headings, which are texts too. */
export function csvHeadings(headings: readonly string[], form: CsvForm): string {
  return lineOf(headings.map((heading) => csvCell(heading, 'text', form)));
}

/** Writes records as lines. */
export function csvRows(
  columns: readonly Column[],
  records: readonly string[],
  form: CsvForm,
): string {
  let text = '';
  for (const record of records) {
    const cells = cellsOf(columns, record);
    text += lineOf(columns.map(({ kind }, index) => csvCell(cells[index] ?? null, kind, form)));
  }
  return text;
}

function lineOf(cells: readonly string[]): string {
  // A line with one empty cell would be an empty line, which readers skip.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.join(',')}\r\n`;
}

/** Null is an empty cell, and an empty text is quoted. */
function csvCell(cell: Cell, kind: CellKind, { keepsFormulas }: CsvForm): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  if (cell === '') return '""';
  const isFormula = kind === 'text' && !keepsFormulas && FORMULA.test(cell);
  const text = isFormula ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run texts that begin like this. OWASP, "CSV Injection". */
const FORMULA = /^[=+\-@\t\r\n]/;

const QUOTED = /[",\r\n]|^\s|\s$/;
