// This file parses the Prefer header. As RFC 7240 requires, it ignores unknown preferences and values, and uses the first of duplicates.

import { splitHeader, splitPair, unquote } from './media-types.ts';
import type { PreferenceSpelling, Preferences } from './preferences.ts';

type Draft = { -readonly [K in keyof Omit<Preferences, 'spellings'>]: Preferences[K] };

/** Reads the value after the equals sign and the parameters after semicolons into the draft. */
type PreferenceReader = (
  draft: Draft,
  value: string | undefined,
  parameters: ReadonlyMap<string, string | undefined>,
) => void;

/** By name in lower case without the prefix odata. */
const READERS: ReadonlyMap<string, PreferenceReader> = new Map<string, PreferenceReader>([
  ['allow-entityreferences', (draft) => (draft.allowEntityReferences = true)],
  ['callback', (draft, _value, parameters) => (draft.callback = parameters.get('url'))],
  ['conflict-resolution', (draft, value) => (draft.conflictResolution = oneOf(value, CONFLICTS))],
  ['continue-on-error', (draft, value) => (draft.continueOnError = readSwitch(value))],
  ['dry-run', (draft) => (draft.dryRun = true)],
  ['handling', (draft, value) => (draft.handling = oneOf(value, HANDLINGS))],
  ['include-annotations', (draft, value) => (draft.includeAnnotations = readPatterns(value))],
  ['maxpagesize', (draft, value) => (draft.maxpagesize = readNumber(value, 1))],
  ['omit-values', (draft, value) => (draft.omitValues = oneOf(value, OMISSIONS))],
  ['respond-async', (draft) => (draft.respondAsync = true)],
  ['return', (draft, value) => (draft.return = oneOf(value, RETURNS))],
  ['track-changes', (draft) => (draft.trackChanges = true)],
  ['wait', (draft, value) => (draft.wait = readNumber(value, 0))],
]);

const CONFLICTS = ['replace', 'rename', 'none'] as const;
const HANDLINGS = ['strict', 'lenient'] as const;
const OMISSIONS = ['nulls', 'defaults'] as const;
const RETURNS = ['minimal', 'representation'] as const;

/** Preferences with the prefix odata. in 4.0, which is optional in 4.01. */
const PREFIXED =
  /^odata\.(?=(?:allow-entityreferences|callback|continue-on-error|include-annotations|maxpagesize|track-changes)$)/;

export const NO_PREFERENCES: Preferences = {
  return: undefined,
  maxpagesize: undefined,
  includeAnnotations: undefined,
  omitValues: undefined,
  continueOnError: undefined,
  trackChanges: false,
  respondAsync: false,
  wait: undefined,
  allowEntityReferences: false,
  callback: undefined,
  conflictResolution: undefined,
  dryRun: false,
  handling: undefined,
  spellings: new Map(),
};

/**
 * Parses the value of the Prefer header, or of several joined by commas. Never throws.
 * Source: RFC 7240, "The Prefer Request Header Field"; OData 4.01 Protocol, "Header Prefer".
 */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined) return NO_PREFERENCES;
  const spellings = new Map<string, PreferenceSpelling>();
  const draft: Draft & Pick<Preferences, 'spellings'> = { ...NO_PREFERENCES, spellings };
  for (const preference of splitHeader(header, ',')) {
    const [head = '', ...rest] = splitHeader(preference, ';');
    const [fullName, value] = splitPair(head);
    const name = fullName.replace(PREFIXED, '');
    const read = READERS.get(name);
    if (read === undefined || spellings.has(name)) continue;
    spellings.set(name, { name: head.slice(0, fullName.length), hasValue: value !== undefined });
    read(draft, value, new Map(rest.map(splitPair)));
  }
  return draft;
}

/**
 * Formats an applied preference for Preference-Applied: in the spelling of the request, with the value that was applied.
 * @param name in lower case without the prefix odata
 * Source: RFC 7240, "The Preference-Applied Response Header Field".
 */
export function appliedPreference(
  { spellings }: Pick<Preferences, 'spellings'>,
  name: string,
  value?: string | number | boolean,
): string {
  const spelling = spellings.get(name) ?? { name, hasValue: true };
  return value === undefined || !spelling.hasValue ? spelling.name : `${spelling.name}=${value}`;
}

function oneOf<T extends string>(value: string | undefined, known: readonly T[]): T | undefined {
  const lower = value?.toLowerCase();
  return known.find((candidate) => candidate === lower);
}

/** A preference without a value is true. */
function readSwitch(value: string | undefined): boolean | undefined {
  if (value === undefined) return true;
  const lower = value.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

function readNumber(value: string | undefined, least: number): number | undefined {
  if (value === undefined || !/^[0-9]+$/.test(value)) return undefined;
  const number = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  return number < least ? undefined : number;
}

const NAME = '[\\p{L}\\p{Nl}_][\\p{L}\\p{Nl}\\p{Nd}\\p{Mn}\\p{Mc}\\p{Pc}\\p{Cf}]*';
/** annotationIdentifier = [ "-" ] ( STAR / namespace "." ( termName / STAR ) ) [ "#" odataIdentifier ] */
const PATTERN = new RegExp(
  `^-?(?:\\*|${NAME}(?:\\.${NAME})*\\.(?:${NAME}|\\*))(?:#${NAME})?$`,
  'u',
);

function readPatterns(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const patterns = unquote(value)
    .split(',')
    .map((pattern) => pattern.trim());
  return patterns.every((pattern) => PATTERN.test(pattern)) ? patterns : undefined;
}
