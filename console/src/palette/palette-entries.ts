// This file decides what the palette offers for a text: commands and sets that contain its words, and requests that find records.
import { referenceSelect } from '../model/entity.ts';
import { subtitlePath } from '../model/layout.ts';
import type { EntitySet, Model, StructuredType } from '../model/model.ts';

export interface Entry {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** Keys that do the same. */
  readonly keys?: string | undefined;
  readonly run: () => void;
}

/** Sets that one search covers. A model that has more keeps requests and results short. */
const SEARCHED_SETS = 20;
/** Hits of each set. */
const HITS = 5;

/** The entries whose label contains each word of a text, those that start with it first. The order within is kept. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ label }) => {
    const lower = label.toLocaleLowerCase();
    return words.every((word) => lower.includes(word));
  });
  const starts = ({ label }: Entry) => label.toLocaleLowerCase().startsWith(words[0] ?? '');
  return [...found.filter(starts), ...found.filter((entry) => !starts(entry))];
}

/** The number in `#1234`; undefined if the text is none. */
export function numberIn(text: string): string | undefined {
  return /^#\s*(\d{1,18})$/.exec(text.trim())?.[1];
}

/** What to search for: the number in `#1234`; for plain digits the record with this number first, then what contains them. */
export function searches(text: string, phrase: string): readonly Wanted[] {
  const number = numberIn(text);
  if (number !== undefined) return [{ phrase, number }];
  const digits = numberIn(`#${text.trim()}`);
  const byText = phrase === '' ? [] : [{ phrase, number }];
  return digits === undefined ? byText : [{ phrase, number: digits }, ...byText];
}

/** What records are searched by: a number, or else a phrase. */
interface Wanted {
  readonly phrase: string;
  readonly number: string | undefined;
}

/** The sets to search: the one on the page, then the first ones of the navigation. */
export function searchedSets(
  sets: readonly EntitySet[],
  current: string | undefined,
): readonly EntitySet[] {
  const first = sets.filter(({ name }) => name === current);
  const others = sets.filter(({ name }) => name !== current);
  return [...first, ...others].slice(0, SEARCHED_SETS);
}

/** The property that people call a record by its number: one of an alternate key or named so, else a key that is a number. */
export function numberProperty(type: StructuredType): string | undefined {
  const isNumber = (name: string) => /^Edm\.Int(?:32|64)$/.test(type.members.get(name)?.type ?? '');
  const keys = type.annotations['Core.AlternateKeys'] as
    | readonly { readonly Key: readonly { readonly Name: string }[] }[]
    | undefined;
  const alternate = (keys ?? []).flatMap(({ Key }) => (Key.length === 1 ? Key : []));
  const candidates = [...alternate.map(({ Name }) => Name), 'ID', 'Number', 'Id'];
  const key = type.key.length === 1 ? type.key.map(({ path }) => path) : [];
  return [...candidates, ...key].find(isNumber);
}

/** The request for records of a set; undefined if its records have no numbers and the text is one, or if the set has no search. */
export function recordsPath(
  model: Model,
  set: EntitySet,
  type: StructuredType,
  { phrase, number }: Wanted,
): string | undefined {
  const subtitle = subtitlePath(model, type);
  const property = numberProperty(type);
  if (number === undefined ? !hasSearch(set) : property === undefined) return undefined;
  const select = [referenceSelect(model, type), subtitle, property];
  const names = new Set(select.flatMap((name) => name?.split(',') ?? []));
  const condition =
    number === undefined
      ? `$search=${encodeURIComponent(phrase)}`
      : `$filter=${encodeURIComponent(`${property} eq ${number}`)}`;
  return `${set.name}?$select=${[...names].join(',')}&${condition}&$top=${HITS}`;
}

/** Org.OData.Capabilities.V1, "SearchRestrictions". */
function hasSearch({ annotations }: EntitySet): boolean {
  const terms = ['Capabilities.SearchRestrictions', 'Org.OData.Capabilities.V1.SearchRestrictions'];
  return terms.every(
    (term) => (annotations[term] as { Searchable?: unknown } | undefined)?.Searchable !== false,
  );
}

/** Letters after `g`, each for the first set whose label starts with it, so that sets keep their letters. */
export function goLetters(sets: readonly EntitySet[]): ReadonlyMap<string, EntitySet> {
  const letters = new Map<string, EntitySet>();
  for (const set of sets) {
    const free = [...set.label.toLocaleLowerCase()].find(
      (letter) => /\p{L}/u.test(letter) && !letters.has(letter),
    );
    if (free !== undefined) letters.set(free, set);
  }
  return letters;
}
