// This file reads CSV text into cells that know their place, so that a mistake can name its line and column.
// RFC 4180: cells are separated by commas; a cell with a comma, a quotation mark or a line break is quoted, and a quotation mark in it
// is doubled. Lines end with LF or CRLF. Lines without any text are ignored, and so is a byte order mark.
import type { Mistake } from '../model-error.ts';

/** A cell with the line and column at which it begins, both counted from 1. */
export interface Cell {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

interface Reader {
  readonly file: TextFile;
  readonly text: string;
  readonly mistakes: Mistake[];
  at: number;
  line: number;
  /** Where the line begins and ends. */
  lineStart: number;
  lineEnd: number;
}

/** The lines of a file as cells. Mistakes are added to the list; a file with a mistake is read as far as possible. */
export function readCsv(file: TextFile, mistakes: Mistake[]): readonly (readonly Cell[])[] {
  const text = file.text.replace(/^\uFEFF/, '');
  const reader: Reader = { file, text, mistakes, at: 0, line: 1, lineStart: 0, lineEnd: 0 };
  const rows: Cell[][] = [];
  reader.lineEnd = endOfLine(reader);
  while (reader.at < text.length) {
    const row = readRow(reader);
    const isBlank = row.length === 1 && row[0]?.text.trim() === '';
    if (!isBlank) rows.push(row);
  }
  return rows;
}

/** `codes.csv:14:9` */
export function placeOf(file: string, { line, column }: Pick<Cell, 'line' | 'column'>): string {
  return `${file}:${line}:${column}`;
}

function readRow(reader: Reader): Cell[] {
  const cells = [readCell(reader)];
  while (reader.text[reader.at] === ',') {
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
  const text = reader.text[reader.at] === '"' ? readQuoted(reader) : readPlain(reader);
  return { text, line, column };
}

function readPlain(reader: Reader): string {
  const start = reader.at;
  reader.at = endOfCell(reader);
  const text = reader.text.slice(start, reader.at);
  const quote = text.indexOf('"');
  if (quote >= 0) {
    const message = 'The cell contains a quotation mark.';
    const remedy = 'Put the whole cell in quotation marks and double those inside it.';
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
      const path = placeOf(reader.file.name, { line, column: column + 1 });
      const message = 'The quotation mark that opens the cell is never closed.';
      const remedy = 'Add a quotation mark at the end of the cell.';
      reader.mistakes.push({ path, message, remedy });
      return value;
    }
    if (reader.text[reader.at] !== '"') break;
    value += '"';
  }
  const after = endOfCell(reader);
  if (after > reader.at) {
    const remedy = 'Double quotation marks that belong to the text, or add a comma.';
    const message = 'The cell goes on after its closing quotation mark.';
    report(reader, { line: reader.line, at: reader.at }, message, remedy);
    reader.at = after;
  }
  return value;
}

/** The next comma of the line, or its end. */
function endOfCell({ text, at, lineEnd }: Reader): number {
  const comma = text.indexOf(',', at);
  return comma < 0 || comma > lineEnd ? lineEnd : comma;
}

/** Quoted text may contain line breaks. */
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
  const path = placeOf(file.name, { line, column: at - lineStart + 1 });
  mistakes.push({ path, message, remedy });
}
