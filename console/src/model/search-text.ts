// This file turns what people type into the text of `$search`.

/**
 * Each word as it is, since most would not expect that AND, OR, NOT, quotes and parentheses have a meaning. A text that has quotes or
 * operators in capitals is passed on, for those who do. Undefined for an empty text.
 */
export function searchText(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  if (/^[^"]*(?:"[^"]+"[^"]*)+$/.test(trimmed) || /(?:^|\s)(?:AND|OR|NOT)\s/.test(trimmed))
    return trimmed;
  const words = trimmed.split(/\s+/).map((word) => word.replaceAll('"', ''));
  const quoted = words.flatMap((word) => {
    if (word === '') return [];
    return isPlainWord(word) ? [word] : [`"${word.replaceAll('\\', '\\\\')}"`];
  });
  return quoted.length === 0 ? undefined : quoted.join(' ');
}

function isPlainWord(word: string): boolean {
  return /^\p{L}[\p{L}\p{N}]*$/u.test(word) && !/^(?:AND|OR|NOT)$/.test(word);
}
