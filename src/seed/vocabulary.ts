// This file says what the generator of demo records draws its names and texts from. The words themselves are data: demo.json in the
// directory of the model.

/** A list that has at least one item. */
export type Some<Item> = readonly [Item, ...Item[]];

/** Given and family names that go together, and the language of the people who have them. */
interface NameList {
  readonly language: string;
  readonly given: Some<string>;
  readonly family: Some<string>;
}

/** A location or organisation; `parent` is the code of one before it. `type` and `category` are values of codes. */
interface Place {
  readonly code: string;
  readonly name: string;
  readonly parent?: string | undefined;
}

export interface DemoVocabulary {
  /** Names in several scripts; most people have one of the first four lists. */
  readonly names: Some<NameList>;
  readonly jobTitles: Some<string>;
  /** Who can log in, and the roles of each. */
  readonly accounts: Some<{ readonly login: string; readonly roles: readonly string[] }>;
  readonly workgroups: Some<string>;
  readonly organizations: Some<
    Place & { readonly secondName?: string | undefined; readonly category: number }
  >;
  readonly locations: Some<Place & { readonly type: number; readonly timeZone: string }>;
  /** `12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[];
  /** The first so many days of the week; without times the whole day. */
  readonly schedules: Some<{
    readonly name: string;
    readonly days: number;
    readonly from: string;
    readonly to?: string | undefined;
  }>;
  /** Times by priority, from 1. */
  readonly serviceLevels: Some<{
    readonly name: string;
    readonly responseMinutes: readonly number[];
    readonly resolutionHours: readonly number[];
  }>;
  readonly services: Some<string>;
  readonly products: Some<string>;
  /** What requests are about, and what is wrong with it. */
  readonly things: Some<string>;
  readonly complaints: Some<string>;
  /** Subjects in other languages, and ones that find mistakes in quoting, searching and printing. */
  readonly oddSubjects: Some<string>;
  readonly sentences: Some<string>;
  readonly solutions: Some<string>;
  readonly noteSubjects: Some<string>;
  /** A word that very few descriptions contain. */
  readonly rareWord: string;
  /** A word that one description in a hundred contains. */
  readonly frequentWord: string;
}

/** A text of some 4,000 characters. */
export function longText(vocabulary: DemoVocabulary): string {
  return paragraphs(vocabulary, 11);
}

/** A text of some 20,000 characters. */
export function veryLongText(vocabulary: DemoVocabulary): string {
  return paragraphs(vocabulary, 55);
}

function paragraphs({ sentences }: DemoVocabulary, count: number): string {
  const paragraph = `${sentences.join(' ')}\r\n\r\n"Quoted text", it's said; 100 % of it — naïve, Straße, 東京.\n`;
  return paragraph.repeat(count);
}
