// This file finds and marks the conversation that programs for mail add below the text of a reply. Marks are those of RFC 3676,
// section 4.5: `>` at the beginning of lines. A mistake can fold a text, but never lose one.
import { introductionEnd, isConclusive } from './quotation-introductions.ts';

/** The parts of a text, in its order. Together they are the whole text. */
interface QuotedText {
  /** What the sender has written, with the quotations that are answered in between. */
  readonly own: string;
  /** What introduces the quotation: an attribution, such as "On Monday, Isla wrote:", or headers. */
  readonly introduction: string;
  /** The quotation below it, up to the end. */
  readonly quoted: string;
}

const isBlank = (line: string) => line.trim() === '';
const isMarked = (line: string) => line.startsWith('>');
const linesOf = (text: string) => text.split(/(?<=\n)/);

/** Splits a text where everything below is quoted. A text that consists only of a quotation is the sender's: it is all they have sent. */
export function splitQuotedText(text: string): QuotedText {
  const lines = linesOf(text);
  const [start, end] = findQuotation(lines);
  const part = (from: number, to?: number) => lines.slice(from, to).join('');
  const own = part(0, start);
  if (isBlank(own)) return { own: text, introduction: '', quoted: '' };
  return { own, introduction: part(start, end), quoted: part(end) };
}

/** The lines at which the introduction and the quotation begin; the number of lines if there is none. */
function findQuotation(lines: readonly string[]): readonly [number, number] {
  const lastUnmarked = lines.findLastIndex((line) => !isMarked(line) && !isBlank(line));
  for (let start = 0; start <= lastUnmarked; start++) {
    const end = introductionEnd(lines, start);
    if (end !== undefined && reachesEnd(lines, start, end, lastUnmarked)) return [start, end];
  }
  const rest = lines.slice(lastUnmarked + 1).findIndex(isMarked);
  const start = rest < 0 ? lines.length : lastUnmarked + 1 + rest;
  return [start, start];
}

/** If the quotation has marks, lines without them are answers. */
function reachesEnd(
  lines: readonly string[],
  start: number,
  end: number,
  lastUnmarked: number,
): boolean {
  if (lastUnmarked < end) return true;
  let next = end;
  while (next < lastUnmarked && isBlank(lines[next] ?? '')) next++;
  return !isMarked(lines[next] ?? '') && isConclusive(lines.slice(start, end));
}

/** Marks what a text quotes without marks, so that clients need to know no attributions. Nothing else is changed. */
export function markQuotedText(text: string): string {
  const { own, introduction, quoted } = splitQuotedText(text);
  const lines = linesOf(quoted);
  const hasMarks = lines.every((line) => isMarked(line) || isBlank(line));
  return `${own}${marked(linesOf(introduction))}${hasMarks ? quoted : marked(lines)}`;
}

/** Lines that are quoted already get a second mark. */
function marked(lines: readonly string[]): string {
  return lines.map((line) => (isBlank(line) ? line : `> ${line}`)).join('');
}
