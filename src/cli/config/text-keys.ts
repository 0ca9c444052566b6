// This file contains the schemas of keys whose texts have a syntax of their own: addresses, URLs, origins and paths, and reads lists from
// variables and flags.
import { z } from 'zod';
import { isAddressRange } from '../../http/address-ranges.ts';
import { RESERVED_SEGMENTS } from '../../http/service-location.ts';

/** Anything else would be accepted here and never match the address of a request. */
export const addressRange = z
  .string()
  .refine(
    isAddressRange,
    'expected an IP address or a range such as 10.0.0.7, 10.0.0.0/8 or fd00::/8',
  );
export const origin = z
  .string()
  .regex(
    /^(\*|[a-z][a-z\d+.-]*:\/\/[^/?#\s]+)$/,
    'expected an origin such as https://desk.example.com, without a path, or *',
  );
/** Segments of characters that need no percent-encoding. */
export const basePath = z
  .string()
  .regex(
    /^\/$|^(?:\/[\w.~-]+)+$/,
    'expected a path such as /odata, without a slash at the end, or /',
  )
  .refine(
    (path) => !RESERVED_SEGMENTS.has(path.split('/')[1] ?? ''),
    `expected a path that does not start with one of ${[...RESERVED_SEGMENTS].join(', ')}, which are endpoints of the server`,
  );
export const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/,
    'expected a URL such as https://desk.example.com or https://www.example.com/desk, without basePath',
  );

/** Whether a text that names a directory or a database is meant as a URL. The letter of a drive is not a scheme. */
export function isUrl(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]+:\/|postgres(?:ql)?:)/i.test(text);
}

/** A directory of the file system. */
export const directory = z
  .string()
  .min(1)
  .refine(
    (text) => !isUrl(text),
    'expected a directory; the URL of a database belongs in the setting database (DOCKET_DATABASE)',
  );

/** The items of a comma-separated list. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The value of a list of sections, which is JSON, or the text itself if it is not. */
export function parseSections(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
