// This file makes the headers of answers. OData 4.01 Protocol, "Header Fields"; OData JSON Format 4.01, "Requesting the JSON Format".
import { unreachable } from '../base/fault.ts';
import type { Format, JsonFormat, Version, Wishes } from '../request/tree.ts';

/** The request headers that select a representation. RFC 9110, "Vary". */
const VARY =
  'Accept, Accept-Charset, Accept-Encoding, Accept-Language, Authorization, OData-MaxVersion, Prefer';

/** What an answer says of itself besides its status. */
export interface HeaderFacts {
  readonly etag?: string | undefined;
  /** Preferences that were followed. */
  readonly applied?: readonly string[] | undefined;
  /** Language of the texts in the answer. */
  readonly language?: string | undefined;
  readonly type?: string | undefined;
}

export function headersOf(
  { version }: Pick<Wishes, 'version'>,
  facts: HeaderFacts,
): Readonly<Record<string, string>> {
  const { etag, applied = [], language, type } = facts;
  // Made for every answer: putting objects together would take longer than all the rest of rendering.
  const headers: Record<string, string> = { 'OData-Version': version, Vary: VARY };
  if (type !== undefined) headers['Content-Type'] = type;
  if (language !== undefined) headers['Content-Language'] = language;
  if (etag !== undefined) headers.ETag = etag;
  if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ');
  return headers;
}

/** The Content-Type of an answer in the format; raw values are told by their own. */
export function contentType(format: Format, version: Version): string {
  switch (format.kind) {
    case 'json':
      return jsonType(format, version);
    case 'xml':
      return withCharset(format.type, format.charset);
    case 'text':
    case 'raw':
      return withCharset('text/plain', format.charset);
    case 'multipart':
      return 'multipart/mixed';
    default:
      return unreachable(format);
  }
}

export function withCharset(type: string, charset: boolean): string {
  return charset ? `${type}; charset=utf-8` : type;
}

function jsonType(format: JsonFormat, version: Version): string {
  const prefix = version === '4.0' ? 'odata.' : '';
  const parameters = [
    `${prefix}metadata=${format.metadata}`,
    ...(format.streaming ? [`${prefix}streaming=true`] : []),
    ...(format.ieee754Compatible ? ['IEEE754Compatible=true'] : []),
    ...(format.exponentialDecimals ? ['ExponentialDecimals=true'] : []),
  ];
  return withCharset(`application/json; ${parameters.join('; ')}`, format.charset);
}
