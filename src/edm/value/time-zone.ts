// This file checks names of the IANA time zone database, of which the runtime has a copy.
import { memoized } from '../../base/memo.ts';
import { didYouMean } from '../../base/nearest-name.ts';

/** Whether the text is the name of a time zone, in its usual upper and lower case. Offsets such as +01:00 are no names. */
export function isTimeZone(text: string): boolean {
  return memoized(known, text, () => ({ isName: isName(text) }), MAX_KNOWN).isName;
}

/** There are about 600 names; requests can contain any text. */
const MAX_KNOWN = 2000;
const known = new Map<string, { readonly isName: boolean }>();

/** ` Did you mean "Europe/Amsterdam"?` */
export function timeZoneHint(text: string): string {
  return didYouMean(text, Intl.supportedValuesOf('timeZone'));
}

/** The runtime lists only current names, but also knows those that they replaced, such as Europe/Kiev. */
function isName(text: string): boolean {
  const names = Intl.supportedValuesOf('timeZone');
  if (names.includes(text)) return true;
  const isMisspelled = names.some((name) => name.toLowerCase() === text.toLowerCase());
  return !isMisspelled && /^[A-Za-z]/.test(text) && isKnownToRuntime(text);
}

function isKnownToRuntime(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
