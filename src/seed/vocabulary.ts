// This file defines the vocabulary of demo records: the names and texts to choose from. The words are in demo.json in the model
// directory.

/** A non-empty list. */
export type Some<Item> = readonly [Item, ...Item[]];

/** Given and family names of one language. */
interface NameList {
  readonly language: string;
  readonly given: Some<string>;
  readonly family: Some<string>;
}

/** A location or organization. `parent` is the `code` of an earlier one; `type` and `category` are code values. */
interface Place {
  readonly code: string;
  readonly name: string;
  readonly parent?: string | undefined;
}

export interface DemoVocabulary {
  /** Names in several scripts. Most people get a name from the first four lists. */
  readonly names: Some<NameList>;
  readonly jobTitles: Some<string>;
  /** Login names and their roles. */
  readonly accounts: Some<{ readonly login: string; readonly roles: readonly string[] }>;
  readonly workgroups: Some<string>;
  readonly organizations: Some<
    Place & { readonly secondName?: string | undefined; readonly category: number }
  >;
  readonly locations: Some<Place & { readonly type: number; readonly timeZone: string }>;
  /** `12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[];
  /** `days`: the number of days from the start of the week. Without `to`, until the end of the day. */
  readonly schedules: Some<{
    readonly name: string;
    readonly days: number;
    readonly from: string;
    readonly to?: string | undefined;
  }>;
  /** Response and resolution times by priority, from priority 1. */
  readonly serviceLevels: Some<{
    readonly name: string;
    readonly responseMinutes: readonly number[];
    readonly resolutionHours: readonly number[];
  }>;
  readonly services: Some<string>;
  readonly products: Some<string>;
  /** The subjects of requests, and the complaints about them. */
  readonly things: Some<string>;
  readonly complaints: Some<string>;
  /** Subjects in other languages, and ones that reveal errors in quoting, search and formatting. */
  readonly oddSubjects: Some<string>;
  readonly sentences: Some<string>;
  readonly solutions: Some<string>;
  readonly noteSubjects: Some<string>;
  /** A word in very few descriptions. */
  readonly rareWord: string;
  /** A word in one of a hundred descriptions. */
  readonly frequentWord: string;
}

/** A text of about 4,000 characters. */
export function longText(vocabulary: DemoVocabulary): string {
  return paragraphs(vocabulary, 11);
}

/** A text of about 20,000 characters. */
export function veryLongText(vocabulary: DemoVocabulary): string {
  return paragraphs(vocabulary, 55);
}

function paragraphs({ sentences }: DemoVocabulary, count: number): string {
  const paragraph = `${sentences.join(' ')}\r\n\r\n"Quoted text", it's said; 100 % of it — naïve, Straße, 東京.\n`;
  return paragraph.repeat(count);
}
