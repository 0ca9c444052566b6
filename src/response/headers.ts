// This file builds response headers. OData 4.01 Protocol, "Header Fields"; OData JSON Format 4.01, "Requesting the JSON Format".
import { unreachable } from '../base/fault.ts';
import type { Format, JsonFormat, Negotiated, Version } from '../request/tree.ts';

/** The request headers that select a representation. RFC 9110, "Vary". */
const VARY =
  'Accept, Accept-Charset, Accept-Encoding, Accept-Language, Authorization, OData-MaxVersion, Prefer';

export interface HeaderFacts {
  readonly etag?: string | undefined;
  /** Applied preferences. */
  readonly applied?: readonly string[] | undefined;
  /** Language of the texts in the response. */
  readonly language?: string | undefined;
  readonly type?: string | undefined;
}

export function headersOf(
  { version }: Pick<Negotiated, 'version'>,
  facts: HeaderFacts,
): Readonly<Record<string, string>> {
  const { etag, applied = [], language, type } = facts;
  // Called for every response: spreading objects would take longer than all other rendering.
  const headers: Record<string, string> = { 'OData-Version': version, Vary: VARY };
  if (type !== undefined) headers['Content-Type'] = type;
  if (language !== undefined) headers['Content-Language'] = language;
  if (etag !== undefined) headers.ETag = etag;
  if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ');
  return headers;
}

/** Returns the Content-Type of a response in the format. Raw values may have other types. */
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
    case 'export':
      return withCharset(format.type, format.charset);
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
