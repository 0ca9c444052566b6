// This file decodes CSV as spreadsheets write it: in UTF-8 or UTF-16, with or without a byte order mark, and with the separator of the
// computer's language.
import { Fault } from '../../base/fault.ts';
import type { Mistake } from '../../edm/model-error.ts';
import { readCsv } from '../../edm/tables/csv.ts';
import type { ImportCell } from './table-row.ts';

/** The rows of a file by the numbers that spreadsheets show, without blank ones. */
export interface TableSource {
  readonly rows: Iterable<{ readonly number: number; readonly cells: readonly ImportCell[] }>;
  /** Rows that cannot be read. */
  readonly problems: readonly { readonly number: number; readonly reason: string }[];
}

const SEPARATORS = [',', ';', '\t', '|'] as const;

/** @param separator undefined if it is to be recognized. Throws: import.file. */
export function readCsvSource(
  bytes: Uint8Array,
  separator: string | undefined,
  keepsFormulas: boolean,
): TableSource {
  const whole = decode(bytes);
  const [hint = '', declared] = /^sep=(.)\r?\n/.exec(whole) ?? [];
  const text = whole.slice(hint.length);
  const mistakes: Mistake[] = [];
  const options = {
    separator: declared ?? separator ?? separatorOf(text),
    keepsBlankLines: true,
  };
  const rows = readCsv({ name: '', text }, mistakes, options);
  const lines = rows.map(([first]) => first?.line ?? 0);
  return {
    rows: rows.flatMap((cells, index) =>
      cells.every((cell) => cell.text === '')
        ? []
        : [{ number: index + 1, cells: cells.map((cell) => cellOf(cell, keepsFormulas)) }],
    ),
    problems: mistakes.map(({ path, message, remedy }) => {
      const line = Number(path.split(':')[1]);
      const reason = `${message} ${remedy}`.replace(/\.$/, '');
      return { number: lines.findLastIndex((start) => start <= line) + 1, reason };
    }),
  };
}

function cellOf(
  { text, isQuoted }: { readonly text: string; readonly isQuoted: boolean },
  keepsFormulas: boolean,
): ImportCell {
  return { raw: text, text: keepsFormulas ? text : text.replace(PROTECTED, ''), isQuoted };
}

/** The apostrophe that exports put in front of texts that spreadsheets take for formulas. */
const PROTECTED = /^'(?=[=+\-@\t\r\n])/;

/** The separator that occurs most often in the first line, outside quotes. */
function separatorOf(text: string): string {
  const [line = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/\r?\n/, 1);
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Throws: import.file. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const reason = 'it is neither UTF-8 nor UTF-16; in Excel, save it as "CSV UTF-8"';
    throw new Fault('import.file', { reason });
  }
}
