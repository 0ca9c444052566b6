// This file parses CSV into cells with their line and column, for use in error messages.
// RFC 4180: commas (or another separator) separate cells; a cell that contains a comma, quote or line break is quoted, and quotes in it are doubled. Lines end
// with LF or CRLF. Blank lines and a byte order mark are ignored.
import type { Mistake } from '../model-error.ts';

/** A cell with the line and column where it starts, both counted from 1. */
export interface Cell {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly isQuoted: boolean;
}

export interface CsvOptions {
  /** The number of the first line, if the text is a part of the file. */
  readonly line?: number;
  readonly separator?: string;
  /** Whether blank lines are rows, so that rows have the numbers that spreadsheets show. */
  readonly keepsBlankLines?: boolean;
}

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

interface Reader {
  readonly file: TextFile;
  readonly text: string;
  readonly mistakes: Mistake[];
  readonly separator: string;
  at: number;
  line: number;
  /** Offsets of the current line. */
  lineStart: number;
  lineEnd: number;
}

/** Parses a file into rows of cells. Appends mistakes to the list and continues after them. */
export function readCsv(
  file: TextFile,
  mistakes: Mistake[],
  { line = 1, separator = ',', keepsBlankLines = false }: CsvOptions = {},
): readonly (readonly Cell[])[] {
  const text = file.text.replace(/^\uFEFF/, '');
  const start = { at: 0, line, lineStart: 0, lineEnd: 0 };
  const reader: Reader = { file, text, mistakes, separator, ...start };
  const rows: Cell[][] = [];
  reader.lineEnd = endOfLine(reader);
  while (reader.at < text.length) {
    const row = readRow(reader);
    const isBlank = row.length === 1 && row[0]?.text.trim() === '';
    if (!isBlank || keepsBlankLines) rows.push(row);
  }
  return rows;
}

/** Formats the location of a cell: `codes.csv:14:9`. */
export function formatLocation(
  file: string,
  { line, column }: Pick<Cell, 'line' | 'column'>,
): string {
  return `${file}:${line}:${column}`;
}

function readRow(reader: Reader): Cell[] {
  const cells = [readCell(reader)];
  while (reader.text[reader.at] === reader.separator) {
    reader.at++;
    cells.push(readCell(reader));
  }
  startLine(reader, reader.text.indexOf('\n', reader.at) + 1 || reader.text.length);
  reader.at = reader.lineStart;
  return cells;
}

function startLine(reader: Reader, at: number): void {
  reader.line++;
  reader.lineStart = at;
  reader.lineEnd = endOfLine(reader);
}

function endOfLine({ text, lineStart }: Reader): number {
  const feed = text.indexOf('\n', lineStart);
  if (feed < 0) return text.length;
  return text[feed - 1] === '\r' ? feed - 1 : feed;
}

function readCell(reader: Reader): Cell {
  const { line } = reader;
  const column = reader.at - reader.lineStart + 1;
  const isQuoted = reader.text[reader.at] === '"';
  const text = isQuoted ? readQuoted(reader) : readPlain(reader);
  return { text, line, column, isQuoted };
}

function readPlain(reader: Reader): string {
  const start = reader.at;
  reader.at = endOfCell(reader);
  const text = reader.text.slice(start, reader.at);
  const quote = text.indexOf('"');
  if (quote >= 0) {
    const message = 'An unquoted cell contains a quote.';
    const remedy = 'Enclose the cell in quotes and double the quotes inside it.';
    report(reader, { line: reader.line, at: start + quote }, message, remedy);
  }
  return text;
}

function readQuoted(reader: Reader): string {
  const { line } = reader;
  const column = reader.at - reader.lineStart;
  let value = '';
  for (;;) {
    const end = reader.text.indexOf('"', reader.at + 1);
    const part = reader.text.slice(reader.at + 1, end < 0 ? undefined : end);
    countLines(reader, reader.at + 1, part);
    value += part;
    reader.at = end < 0 ? reader.text.length : end + 1;
    if (end < 0) {
      const path = formatLocation(reader.file.name, { line, column: column + 1 });
      const message = 'The closing quote of the cell is missing.';
      const remedy = 'Add a quote at the end of the cell.';
      reader.mistakes.push({ path, message, remedy });
      return value;
    }
    if (reader.text[reader.at] !== '"') break;
    value += '"';
  }
  const end = endOfCell(reader);
  if (end > reader.at) {
    const remedy = 'Double the quotes that belong to the text, or add a comma.';
    const message = 'There is text after the closing quote of the cell.';
    report(reader, { line: reader.line, at: reader.at }, message, remedy);
    reader.at = end;
  }
  return value;
}

/** The offset of the next separator or of the end of the line. */
function endOfCell({ text, at, lineEnd, separator }: Reader): number {
  const next = text.indexOf(separator, at);
  return next < 0 || next > lineEnd ? lineEnd : next;
}

/** Counts the line breaks in quoted text. */
function countLines(reader: Reader, start: number, part: string): void {
  for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) {
    startLine(reader, start + at + 1);
  }
}

function report(
  { file, lineStart, mistakes }: Reader,
  { line, at }: { readonly line: number; readonly at: number },
  message: string,
  remedy: string,
): void {
  const path = formatLocation(file.name, { line, column: at - lineStart + 1 });
  mistakes.push({ path, message, remedy });
}
