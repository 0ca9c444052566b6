// This file looks up codes by value and by text. A code list comes from the model or, if an installation has changed its codes, from
// the database. Properties refer to their code list by name.
import { perObject } from '../base/memo.ts';
import type { CodeList, Model, Texts } from '../edm/model.ts';

export interface CodeEntry {
  readonly value: bigint;
  readonly texts: Texts;
  /** Entities that have the code keep it; it cannot be newly assigned. */
  readonly disabled: boolean;
  /** The symbol that does not change when the code is renamed. */
  readonly meaning?: string | undefined;
}

/** The codes of one list with their indexes. Texts of all languages are indexed, ignoring case. */
export interface CodeListing {
  readonly name: string;
  readonly entries: readonly CodeEntry[];
  readonly byValue: ReadonlyMap<bigint, CodeEntry>;
  readonly byText: ReadonlyMap<string, readonly CodeEntry[]>;
}

/** All code lists by name. */
export type CodeBook = Pick<ReadonlyMap<string, CodeListing>, 'get'>;

/** The code lists as the model defines them. */
export function codeBook(lists: Iterable<CodeList>): CodeBook {
  const listings = [...lists].map((list) =>
    codeListing(
      list.name,
      list.codes.map(({ value, texts, disabled = false, meaning }) => ({
        value,
        texts,
        disabled,
        meaning,
      })),
    ),
  );
  return new Map(listings.map((listing) => [listing.name, listing]));
}

/**
 * The code lists that defaults of the model refer to: its own, whose texts do not change when an administrator renames a code. Defaults can
 * be neither disabled nor deleted.
 */
export const codesOfDefaults: (model: Model) => CodeBook = perObject((model: Model) =>
  codeBook(model.codeLists.values()),
);

export function codeListing(name: string, entries: readonly CodeEntry[]): CodeListing {
  const byText = new Map<string, CodeEntry[]>();
  for (const entry of entries) {
    for (const text of new Set(Object.values(entry.texts).map(fold))) {
      byText.set(text, [...(byText.get(text) ?? []), entry]);
    }
  }
  return { name, entries, byValue: new Map(entries.map((entry) => [entry.value, entry])), byText };
}

/**
 * The codes that have the text in some language, ignoring case. Enabled codes take precedence over disabled ones, and a single
 * match with exactly the same case over other matches.
 */
export function codesByText(listing: CodeListing, text: string): readonly CodeEntry[] {
  const found = listing.byText.get(fold(text)) ?? [];
  const inUse = found.filter((entry) => !entry.disabled);
  const candidates = inUse.length === 0 ? found : inUse;
  const exact = candidates.filter((entry) => Object.values(entry.texts).includes(text));
  return exact.length === 1 ? exact : candidates;
}

/** Whether the code has the text in some language, ignoring case. */
export function hasText(entry: CodeEntry, text: string): boolean {
  return Object.values(entry.texts).some((own) => fold(own) === fold(text));
}

/** The text in the language, else in the first available language. */
export function textOf(entry: CodeEntry, language: string): string {
  const texts = new Map(Object.entries(entry.texts));
  return texts.get(language) ?? [...texts.values()][0] ?? '';
}

const MAX_LISTED = 60;

/** `1001 "Calm", 1002 "Angry"`: the enabled codes, for messages. */
export function permittedCodes(listing: CodeListing, language: string): string {
  const inUse = listing.entries.filter((entry) => !entry.disabled);
  const shown = inUse.slice(0, MAX_LISTED).map((entry) => showCode(entry, language));
  const others = inUse.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

export function showCode(entry: CodeEntry, language: string): string {
  return `${entry.value} ${JSON.stringify(textOf(entry, language))}`;
}

/** The texts of all enabled codes, as candidates for suggestions. */
export function textsInUse(listing: CodeListing): readonly string[] {
  return listing.entries
    .filter((entry) => !entry.disabled)
    .flatMap((entry) => Object.values(entry.texts));
}

function fold(text: string): string {
  return text.toLowerCase();
}
