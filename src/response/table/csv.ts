// This file writes rows of CSV. RFC 4180: lines end with CR LF, and quotes within quotes are doubled.
import { type Cell, cellReader } from './cells.ts';
import type { CellKind, Column } from './columns.ts';

export interface CsvForm {
  /** Whether texts that spreadsheets take for formulas are written as they are. */
  readonly keepsFormulas: boolean;
}

/** Writes the headings, which are texts too. */
export function csvHeadings(headings: readonly string[], form: CsvForm): string {
  const kinds = headings.map(() => 'text' as const);
  return lineOf(headings, kinds, form);
}

/** Writes records as lines. */
export function csvRows(
  columns: readonly Column[],
  records: readonly string[],
  form: CsvForm,
): string {
  const cellsOf = cellReader(columns);
  const kinds = columns.map(({ kind }) => kind);
  let text = '';
  for (const record of records) text += lineOf(cellsOf(record), kinds, form);
  return text;
}

function lineOf(cells: readonly Cell[], kinds: readonly CellKind[], form: CsvForm): string {
  let line = csvCell(cells[0] ?? null, kinds[0] ?? 'text', form);
  // A line with one empty cell would be an empty line, which readers skip.
  if (cells.length === 1 && line === '') return '""\r\n';
  for (let index = 1; index < cells.length; index++)
    line += `,${csvCell(cells[index] ?? null, kinds[index] ?? 'text', form)}`;
  return `${line}\r\n`;
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
