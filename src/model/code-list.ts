// This file says how the code lists of the suite are written down and numbered: the value of a code is the number of its list
// times 1000 plus the code's ordinal, and each code has its text in the four languages of the installation.
import { codeList, codeValue } from '../edm/define.ts';
import type { Code, CodeList, Json, Texts } from '../edm/model.ts';

/** Languages of all texts of the model, the default one first. */
export const LANGUAGES = ['en', 'nl', 'de', 'fr'] as const;

/** The same text in English, Dutch, German and French. */
export type Translated = readonly [en: string, nl: string, de: string, fr: string];

/** A code of a flat list: its symbol and its texts. Its ordinal is its place in the list, from 1. */
export type CodeRow = readonly [meaning: string, ...texts: Translated];

/** A code of a tree: its ordinal, that of its parent (0 for none), its symbol and its texts. */
export type TreeRow = readonly [
  ordinal: number,
  parent: number,
  meaning: string,
  ...texts: Translated,
];

/** Texts by language. */
export function textsOf([en, nl, de, fr]: Translated): Texts {
  return { en, nl, de, fr };
}

/** The value of a code: 101 and 3 give 101003. */
export function codeNumber(list: number, ordinal: number): number {
  return list * 1000 + ordinal;
}

/** A default of a coded property, as a model wants it. */
export function defaultCode(list: number, ordinal: number): Json {
  return { Value: codeNumber(list, ordinal) };
}

/** A list whose order says nothing but where a code stands in a menu. */
export function flatList(
  number: number,
  name: string,
  label: Translated,
  rows: readonly CodeRow[],
): CodeList {
  return codeList(name, flatCodes(number, rows), { labels: textsOf(label) });
}

/** A list whose order has a meaning: priorities from high to low, a status and the one that follows. */
export function orderedList(
  number: number,
  name: string,
  label: Translated,
  rows: readonly CodeRow[],
): CodeList {
  return codeList(name, flatCodes(number, rows), { ordered: true, labels: textsOf(label) });
}

/** A list whose codes have parents. */
export function treeList(
  number: number,
  name: string,
  label: Translated,
  rows: readonly TreeRow[],
): CodeList {
  const codes = rows.map(([ordinal, parent, meaning, ...texts]) =>
    codeValue(codeNumber(number, ordinal), textsOf(texts), {
      meaning,
      ...(parent === 0 ? {} : { parent: codeNumber(number, parent) }),
    }),
  );
  return codeList(name, codes, { hierarchical: true, labels: textsOf(label) });
}

function flatCodes(number: number, rows: readonly CodeRow[]): readonly Code[] {
  return rows.map(([meaning, ...texts], index) =>
    codeValue(codeNumber(number, index + 1), textsOf(texts), { meaning }),
  );
}
