// This file reads the tables of a model: CSV files whose first line has the column names. It checks the names and reads cells as
// text, integers or flags. An empty cell counts as absent.
import { didYouMean } from '../../base/nearest-name.ts';
import type { Texts } from '../model.ts';
import type { Mistake } from '../model-error.ts';
import { type Cell, formatLocation, readCsv, type TextFile } from './csv.ts';

/** The columns of a table, plus an optional column for each language. */
interface TableColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly languages: readonly string[];
}

/** A row below the column names. */
export interface TableRow {
  readonly file: string;
  readonly cells: readonly Cell[];
  /** The index of each column. */
  readonly columns: ReadonlyMap<string, number>;
  readonly languages: readonly string[];
  readonly mistakes: Mistake[];
}

/** The rows of a table. Returns none if the columns are wrong, because every row would then be wrong. */
export function readTable(
  file: TextFile,
  columns: TableColumns,
  mistakes: Mistake[],
): readonly TableRow[] {
  const known = mistakes.length;
  const [header, ...lines] = readCsv(file, mistakes);
  checkHeader(file, header ?? [], columns, mistakes);
  if (header === undefined || mistakes.length > known) return [];
  const indexes = new Map(header.map(({ text }, index) => [text, index]));
  const { languages } = columns;
  return lines.flatMap((cells) => {
    if (cells.length === header.length)
      return [{ file: file.name, cells, columns: indexes, languages, mistakes }];
    const path = formatLocation(file.name, cells[0] ?? START);
    const message = `The line has ${cells.length} cells, but there are ${header.length} columns.`;
    const remedy = 'Separate cells with commas, and enclose text that contains a comma in quotes.';
    mistakes.push({ path, message, remedy });
    return [];
  });
}

const START = { line: 1, column: 1 };

function checkHeader(
  file: TextFile,
  header: readonly Cell[],
  columns: TableColumns,
  mistakes: Mistake[],
): void {
  const { required, optional, languages } = columns;
  const known = [...required, ...optional, ...languages];
  const names = header.map(({ text }) => text);
  if (names.length < 2 && /[;\t]/.test(names[0] ?? '')) {
    const message = 'The columns are not separated by commas.';
    mistakes.push({
      path: formatLocation(file.name, START),
      message,
      remedy: 'Save the file as comma-separated values.',
    });
    return;
  }
  for (const [index, cell] of header.entries()) {
    const { text } = cell;
    if (!known.includes(text)) {
      const remedy = `Use ${known.join(', ')}.${didYouMean(text, known)}`;
      const message = `"${text}" is not a known column.`;
      mistakes.push({ path: formatLocation(file.name, cell), message, remedy });
    } else if (names.indexOf(text) < index) {
      const message = `The column "${text}" occurs twice.`;
      mistakes.push({
        path: formatLocation(file.name, cell),
        message,
        remedy: 'Remove one of them.',
      });
    }
  }
  for (const name of required.filter((column) => !names.includes(column))) {
    const message = `The column "${name}" is missing.`;
    mistakes.push({
      path: formatLocation(file.name, START),
      message,
      remedy: `Add it to the first line.`,
    });
  }
}

/** The text of a cell; undefined if the cell is empty or the column absent. */
export function cellText(row: TableRow, column: string): string | undefined {
  return cellOf(row, column)?.text || undefined;
}

function cellOf({ cells, columns }: TableRow, column: string): Cell | undefined {
  return cells[columns.get(column) ?? -1];
}

/** The text of a cell; reports a mistake if it is empty. */
export function requiredCell(row: TableRow, column: string): string | undefined {
  const text = cellText(row, column);
  if (text === undefined)
    reportCell(row, column, `The column "${column}" is empty.`, 'Fill it in.');
  return text;
}

export function integerCell(row: TableRow, column: string): bigint | undefined {
  const text = cellText(row, column);
  if (text === undefined) return undefined;
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
  const message = `"${text}" in the column "${column}" is not an integer.`;
  reportCell(row, column, message, 'Write a 64-bit integer, using digits only.');
  return undefined;
}

/** A flag; undefined if the cell is empty. */
export function flagCell(row: TableRow, column: string): boolean | undefined {
  const text = cellText(row, column);
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  const message = `"${text}" in the column "${column}" is neither true nor false.`;
  reportCell(row, column, message, 'Write true or false, or leave the cell empty.');
  return undefined;
}

/** The texts of a row by language. */
export function textsOfRow(row: TableRow): Texts {
  const texts: Record<string, string> = {};
  for (const language of row.languages) {
    const text = cellText(row, language);
    if (text !== undefined) texts[language] = text;
  }
  return texts;
}

export function reportCell(row: TableRow, column: string, message: string, remedy: string): void {
  const path = formatLocation(row.file, cellOf(row, column) ?? row.cells[0] ?? START);
  row.mistakes.push({ path, message, remedy });
}
