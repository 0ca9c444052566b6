// This file finds the place in the text of a request that an error of the service is about.
import { parseRequest } from './request-text.ts';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The place of an error: its position in a system query option, or else the name in quotes that the message contains.
 *
 * @param target such as `$filter`, or `Status/Value` for a member of the body
 */
export function locateError(
  text: string,
  message: string,
  target: string | undefined,
): TextRange | undefined {
  const [, position, named] = /at position (\d+)(?: of (\$\w+))?/.exec(message) ?? [];
  const option = named ?? target;
  const start = option?.startsWith('$') === true ? startOfOption(text, option) : undefined;
  if (start !== undefined && position !== undefined)
    return wordAt(text, placeOnLines(text, start, Number(position)));
  return (
    quotedIn(text, message, start ?? 0) ?? (start === undefined ? undefined : wordAt(text, start))
  );
}

/** The index of the value of an option. */
function startOfOption(text: string, option: string): number | undefined {
  if (!parseRequest(text).options.some(([name]) => name === option)) return undefined;
  const match = new RegExp(`[?&]\\s*\\${option}\\s*=\\s*`).exec(text);
  return match === null ? undefined : match.index + match[0].length;
}

/** The index in a text whose line breaks, with the space around them, counted as one character when it was sent. */
function placeOnLines(text: string, start: number, position: number): number {
  let index = start;
  for (let sent = 0; sent < position && index < text.length; sent += 1) {
    const lineBreak = /^\s*\r?\n\s*/.exec(text.slice(index));
    index += lineBreak === null ? 1 : lineBreak[0].length;
  }
  return index;
}

function wordAt(text: string, from: number): TextRange {
  const length = /^(?:[\w.$@]+|'[^']*'?|\S)/.exec(text.slice(from))?.[0].length ?? 0;
  // At the end of the text the last character is marked.
  return length === 0
    ? { from: Math.max(0, Math.min(from, text.length) - 1), to: text.length }
    : { from, to: from + length };
}

/** The first word in quotes of the message that the text contains. */
function quotedIn(text: string, message: string, start: number): TextRange | undefined {
  for (const [, word = ''] of message.matchAll(/"([^"]+)"/g)) {
    const from = text.indexOf(word, start);
    if (from >= 0) return { from, to: from + word.length };
  }
  return undefined;
}
