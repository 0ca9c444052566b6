// This file splits OData expressions at separators that are outside of literals and parentheses.

interface Options {
  /** Whether separators inside of parentheses count. */
  readonly inParentheses?: boolean;
}

/** Where a text is inside of a literal or parentheses. */
export interface Place {
  readonly quote: string;
  readonly depth: number;
}

/** Calls `visit` with each index that is outside of literals, until it returns false. */
export function scan(text: string, visit: (index: number, place: Place) => boolean): void {
  let quote = '';
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (quote !== '') {
      if (character === quote) quote = '';
      continue;
    }
    if (character === ')') depth = Math.max(0, depth - 1);
    if (!visit(index, { quote, depth })) return;
    if (character === "'" || character === '"') quote = character;
    if (character === '(') depth += 1;
  }
}

/** The parts of a text between separators, as they are. A text without separators is one part. */
export function split(
  text: string,
  separator: string,
  { inParentheses = false }: Options = {},
): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  scan(text, (index, { depth }) => {
    const isHere = index >= start && text.startsWith(separator, index);
    if (isHere && (inParentheses || depth === 0)) {
      parts.push(text.slice(start, index));
      start = index + separator.length;
    }
    return true;
  });
  return [...parts, text.slice(start)];
}

/** The index of the first separator outside of literals; -1 if there is none. */
export function indexOutside(text: string, separator: string): number {
  let found = -1;
  scan(text, (index) => {
    if (text.startsWith(separator, index)) found = index;
    return found < 0;
  });
  return found;
}
