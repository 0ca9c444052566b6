// This file reads the rows of a CSV file one after another. A row goes on in the next line while a quoted cell is open.
import type { Mistake } from '../../edm/model-error.ts';
import { type Cell, readCsv } from '../../edm/tables/csv.ts';
import { type MistakeList, mistakeAt } from '../../service/import.ts';
import { type Line, RECORD_LIMIT } from './lines.ts';

const QUOTE = 34;

/** The rows of a file. Rows that cannot be read are reported and left out. */
export function* rowsOf(
  lines: Iterable<Line>,
  place: { readonly file: string; readonly set: string },
  list: MistakeList,
): Generator<readonly Cell[]> {
  const reject = (at: { line: number; column?: number }, reason: string) =>
    list.add(mistakeAt({ ...place, ...at }, 'service.import-record', { reason }));
  for (const { line, bytes, problem } of joined(lines)) {
    const text = problem === undefined ? decode(bytes) : '';
    if (text === undefined || problem !== undefined) {
      reject({ line }, problem ?? 'it is not valid UTF-8');
      continue;
    }
    const mistakes: Mistake[] = [];
    const rows = readCsv({ name: '', text }, mistakes, { line });
    for (const { path, message, remedy } of mistakes) {
      const [, at, column] = path.split(':').map(Number);
      reject({ line: at ?? line, column: column ?? 1 }, `${message} ${remedy}`.replace(/\.$/, ''));
    }
    if (mistakes.length === 0) yield* rows;
  }
}

interface Piece {
  readonly line: number;
  readonly bytes: Uint8Array;
  readonly problem?: string | undefined;
}

/** Lines, joined as long as their number of quotes is odd. */
function* joined(lines: Iterable<Line>): Generator<Piece> {
  let parts: Uint8Array[] = [];
  let [line, size, isOpen] = [0, 0, false];
  for (const { number, bytes, problem } of lines) {
    if (parts.length === 0) line = number;
    parts.push(bytes, LINE_END);
    size += bytes.length;
    if (hasOddQuotes(bytes)) isOpen = !isOpen;
    const failure = problem ?? (size > RECORD_LIMIT ? UNCLOSED : undefined);
    if (isOpen && failure === undefined) continue;
    yield { line, bytes: Buffer.concat(parts), problem: failure };
    [parts, size, isOpen] = [[], 0, false];
  }
  if (parts.length > 0) yield { line, bytes: Buffer.concat(parts) };
}

const LINE_END = Buffer.from('\n');
const UNCLOSED = 'the closing quote of a cell is missing, or the row is too long';

function hasOddQuotes(bytes: Uint8Array): boolean {
  let isOdd = false;
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) isOdd = !isOdd;
  return isOdd;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
