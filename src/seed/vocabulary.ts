// This file defines the vocabulary of demo records: the names and texts to choose from. The words are in demo.json in the model
// directory.

type NonEmpty<Item> = readonly [Item, ...Item[]];

/** Given and family names of one language. */
interface NameList {
  readonly language: string;
  readonly given: NonEmpty<string>;
  readonly family: NonEmpty<string>;
}

/** A location or organization. `parent` is the `code` of an earlier one; `type` and `category` are code values. */
interface Place {
  readonly code: string;
  readonly name: string;
  readonly parent?: string | undefined;
}

export interface DemoVocabulary {
  /** Names in several scripts. Most people get a name from the first four lists. */
  readonly names: NonEmpty<NameList>;
  readonly jobTitles: NonEmpty<string>;
  /** Login names and their roles. */
  readonly accounts: NonEmpty<{ readonly login: string; readonly roles: readonly string[] }>;
  readonly workgroups: NonEmpty<string>;
  readonly organizations: NonEmpty<
    Place & { readonly secondName?: string | undefined; readonly category: number }
  >;
  readonly locations: NonEmpty<Place & { readonly type: number; readonly timeZone: string }>;
  /** `12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[];
  /** `days`: the number of days from the start of the week. Without `to`, until the end of the day. */
  readonly schedules: NonEmpty<{
    readonly name: string;
    readonly days: number;
    readonly from: string;
    readonly to?: string | undefined;
  }>;
  /** Response and resolution times by priority, from priority 1. */
  readonly serviceLevels: NonEmpty<{
    readonly name: string;
    readonly responseMinutes: readonly number[];
    readonly resolutionHours: readonly number[];
  }>;
  readonly services: NonEmpty<string>;
  readonly products: NonEmpty<string>;
  /** The subjects of requests, and the complaints about them. */
  readonly things: NonEmpty<string>;
  readonly complaints: NonEmpty<string>;
  /** Subjects in other languages, and ones that reveal errors in quoting, search and formatting. */
  readonly oddSubjects: NonEmpty<string>;
  readonly sentences: NonEmpty<string>;
  readonly solutions: NonEmpty<string>;
  readonly noteSubjects: NonEmpty<string>;
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
