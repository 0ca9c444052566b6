// This file writes rows of a worksheet: texts, numbers, truth values, and dates as numbers with a style. ECMA-376, "SpreadsheetML".
import { escapeText } from '../../base/xml.ts';
import { type Cell, cellReader } from './cells.ts';
import type { CellKind, Column } from './columns.ts';
import { STYLES } from './workbook.ts';

/** Rows of a worksheet, with the headings. */
export const SHEET_ROWS = 1_048_576;

/** Characters of a cell; longer texts are cut. */
export const LONGEST_TEXT = 32_767;

const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;

export const SHEET_END = '</sheetData></worksheet>';

/** Writes the beginning of the sheet, with the headings, which stay visible. */
export function sheetStart(headings: readonly string[]): string {
  const cells = headings.map((text, index) => textCell(`${letters(index)}1`, text, STYLES.heading));
  return `${HEAD}<row r="1">${cells.join('')}</row>`;
}

/** Writes records as rows. @param before the number of rows above them, with the headings */
export function sheetRows(
  columns: readonly Column[],
  records: readonly string[],
  before: number,
): string {
  const cellsOf = cellReader(columns);
  let text = '';
  let row = before;
  for (const record of records) {
    row += 1;
    text += `<row r="${row}">`;
    const cells = cellsOf(record);
    for (const [index, { kind }] of columns.entries())
      text += sheetCell(`${letters(index)}${row}`, cells[index] ?? null, kind);
    text += '</row>';
  }
  return text;
}

function sheetCell(place: string, cell: Cell, kind: CellKind): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return numberCell(place, cell);
  switch (kind) {
    case 'number':
    case 'decimal':
      return isExact(cell) ? numberCell(place, Number(cell)) : textCell(place, cell);
    case 'date':
    case 'instant':
    case 'time': {
      const serial = serialOf(cell, kind);
      return serial === undefined ? textCell(place, cell) : numberCell(place, serial, STYLES[kind]);
    }
    default:
      return textCell(place, cell);
  }
}

function numberCell(place: string, value: number, style?: number): string {
  return `<c r="${place}"${styleOf(style)}><v>${value}</v></c>`;
}

function textCell(place: string, text: string, style?: number): string {
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
  // A text that looks like the escape of a character would be read as that character.
  const safe = escapeText(shown.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'));
  return `<c r="${place}" t="inlineStr"${styleOf(style)}><is><t xml:space="preserve">${safe}</t></is></c>`;
}

function styleOf(style: number | undefined): string {
  return style === undefined ? '' : ` s="${style}"`;
}

/** Spreadsheets keep 15 digits of a number; numbers with more become texts, and so do INF and NaN. */
function isExact(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/^-?0*|\.|-/g, '').length <= DIGITS;
}

const DIGITS = 15;

/** Days since 1899-12-30, in UTC; undefined before March 1900, where the calendars of spreadsheets differ. */
function serialOf(text: string, kind: 'date' | 'instant' | 'time'): number | undefined {
  if (kind === 'time') return Date.parse(`1970-01-01T${text}Z`) / DAY;
  const days = Date.parse(kind === 'date' ? `${text}T00:00:00Z` : text) / DAY + EPOCH;
  return days >= FIRST_DAY && days < LAST_DAY ? days : undefined;
}

/** Milliseconds. */
const DAY = 86_400_000;
/** 1970-01-01, 1900-03-01 and 10000-01-01 as days. */
const EPOCH = 25_569;
const FIRST_DAY = 61;
const LAST_DAY = 2_958_466;

/** The letters of a column: A to Z, AA and so on. */
function letters(index: number): string {
  const known = LETTERS[index];
  if (known !== undefined) return known;
  const rest = Math.floor(index / ALPHABET) - 1;
  const last = String.fromCharCode(FIRST_LETTER + (index % ALPHABET));
  const made = rest < 0 ? last : letters(rest) + last;
  LETTERS[index] = made;
  return made;
}

const LETTERS: string[] = [];
const ALPHABET = 26;
const FIRST_LETTER = 65;
