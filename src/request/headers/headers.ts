// This file parses the request headers and negotiates the version and format of the response. parse-prefer.ts parses preferences,
// media-types.ts the syntax that headers share. It is long because responses and errors choose their formats from the same offers.

import { Fault } from '../../base/fault.ts';
import { memoized, perObject } from '../../base/memo.ts';
import type {
  ErrorFormat,
  Format,
  JsonFormat,
  MediaRange,
  MediaType,
  Negotiated,
  Segment,
  Version,
  XmlFormat,
} from '../tree.ts';
import { readConditions } from './entity-tags.ts';
import {
  EXPORT_NAMES,
  EXPORT_PARAMETERS,
  readLinesFormat,
  readTableFormat,
  XLSX,
} from './export-formats.ts';
import { covers, invalidHeader, readAccept, readMediaType, readWeighted } from './media-types.ts';
import { readPreferences } from './parse-prefer.ts';

/** Header values by lower-case name; repeated headers are joined by commas. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** What is negotiated for headers, by kind of resource and $format. Requests of one connection mostly share their headers. */
const negotiatedFor = perObject((_: Headers) => new Map<string, Negotiated>());

/** Resources and formats that are remembered for the same headers. */
const REMEMBERED = 20;

/**
 * Parses all relevant headers. `last` is the kind of the last segment of the path, `format` the value of $format.
 * Throws: request.not-acceptable, request.version, request.header.
 * Source: OData 4.01 Protocol, "Header Fields"; OData 4.01 JSON Format, "Requesting the JSON Format".
 */
export function negotiateHeaders(
  headers: Headers,
  last: Segment['kind'] | undefined,
  format: string | undefined,
): Negotiated {
  const key = format === undefined ? (last ?? '') : `${last ?? ''} ${format}`;
  const compute = () => negotiateFor(headers, last, format);
  return memoized(negotiatedFor(headers), key, compute, REMEMBERED);
}

function negotiateFor(
  headers: Headers,
  last: Segment['kind'] | undefined,
  format: string | undefined,
): Negotiated {
  const accept =
    format === undefined ? readAccept(headers.accept ?? '') : [readFormatOption(format)];
  const version = readMaxVersion(headers['odata-maxversion']);
  const contentType = readContentType(headers['content-type']);
  const input = { accept, last, version, contentType, hasFormat: format !== undefined };
  const chosen = negotiate(input, headers);
  return {
    version,
    bodyVersion: readBodyVersion(headers['odata-version'], headers['odata-maxversion'], version),
    supports401: version === '4.01' || bareVersion(headers['odata-version'] ?? '') === '4.01',
    format: chosen,
    errorFormat: errorFormatOf(input, chosen),
    accept,
    prefer: readPreferences(headers.prefer),
    ...readConditions(headers),
    isolation: readIsolation(headers.isolation ?? headers['odata-isolation']),
    languages: readWeighted(headers['accept-language'] ?? '').filter((tag) => tag !== '*'),
    contentType,
  };
}

// ---- Versions ----

/** Returns the version of the response to a request that cannot be parsed. Never throws. */
export function responseVersionFor({ 'odata-maxversion': value }: Headers): Version {
  return value !== undefined && Number(bareVersion(value)) >= 4.01 ? '4.01' : '4.0';
}

/**
 * Returns the error format for a request that cannot be parsed, or that is rejected before parsing: that of $format or Accept if errors
 * support it. Never throws.
 * @param query percent-encoded, without the question mark
 */
export function errorFormFor(
  headers: Headers,
  query: string,
): Pick<Negotiated, 'version' | 'errorFormat'> {
  const version = responseVersionFor(headers);
  try {
    const format = formatIn(query);
    const accept =
      format === undefined ? readAccept(headers.accept ?? '') : [readFormatOption(format)];
    return { version, errorFormat: chooseErrorFormat(accept) };
  } catch (fault) {
    if (fault instanceof Fault) return { version, errorFormat: DEFAULT_JSON };
    throw fault;
  }
}

/** Returns the value of $format in a query that may be malformed elsewhere; undefined if it is absent or malformed. */
function formatIn(query: string): string | undefined {
  const value = /(?:^|&)(?:\$|%24)?format=([^&]*)/i.exec(query)?.[1];
  try {
    return value === undefined ? undefined : decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Removes the client name that .NET clients append to the version: `4.0;NetFx`. */
function bareVersion(value: string): string {
  const [version = ''] = value.split(';', 1);
  return version.trim();
}

/** "OData-MaxVersion" ":" OWS 1*DIGIT "." 1*DIGIT ; the highest supported version that is not above it */
function readMaxVersion(value: string | undefined): Version {
  if (value === undefined) return '4.0';
  const text = bareVersion(value);
  const version = /^[0-9]+\.[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (version >= 4.01) return '4.01';
  if (version >= 4) return '4.0';
  throw versionFault('OData-MaxVersion', value);
}

/** Without OData-Version, the body has the highest version that both sides support. */
function readBodyVersion(
  value: string | undefined,
  maxVersion: string | undefined,
  answerVersion: Version,
): Version {
  if (value === undefined) return maxVersion === undefined ? '4.01' : answerVersion;
  const text = bareVersion(value);
  if (text === '4.0' || text === '4.01') return text;
  throw versionFault('OData-Version', value);
}

function versionFault(header: string, value: string): Fault {
  return new Fault('request.version', { header, value: value.slice(0, 100) }, { target: header });
}

// ---- Formats ----

/** format = "atom" / "json" / "xml" / 1*pchar "/" 1*pchar ; of the abbreviations, those of exports take parameters */
function readFormatOption(format: string): MediaRange {
  const name = ABBREVIATIONS.get(format.toLowerCase());
  if (name !== undefined) return { name, parameters: new Map(), quality: 1 };
  const [short = ''] = format.split(';', 1);
  const full = EXPORT_NAMES.get(short.trim().toLowerCase());
  const type = readMediaType(full === undefined ? format : full + format.slice(short.length));
  if (type === undefined) throw notAcceptable(format, SHORT_FORMATS, '$format');
  return { ...type, quality: 1 };
}

const SHORT_FORMATS =
  'supported formats are json, xml, atom, csv, xlsx, ndjson, jsonl, and media types such as application/json;odata.metadata=full';

const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['atom', 'application/atom+xml'],
]);

interface NegotiationInput {
  readonly accept: readonly MediaRange[];
  readonly last: Segment['kind'] | undefined;
  readonly version: Version;
  readonly contentType: MediaType | undefined;
  readonly hasFormat: boolean;
}

/** A supported media type, and the format for the requested parameters; undefined if they are not supported. */
interface Offer {
  readonly name: string;
  readonly read: (parameters: MediaType['parameters']) => Format | undefined;
}

function negotiate(input: NegotiationInput, headers: Headers): Format {
  const offers = offersFor(input);
  const format = choose(input.accept, offers);
  if (format === undefined) {
    const requested = input.accept.map(describeRange).join(', ');
    const target = input.hasFormat ? '$format' : 'Accept';
    throw notAcceptable(requested, describeOffers(input.accept, offers), target);
  }
  return withCharset(format, headers['accept-charset']);
}

/** Errors have the format of records. Clients that accept JSON get XML for $metadata, but JSON errors. */
function errorFormatOf({ accept, last }: NegotiationInput, format: Format): ErrorFormat {
  const isForErrors = format.kind === 'json' || format.kind === 'xml';
  return isForErrors && last !== 'metadata' ? format : chooseErrorFormat(accept);
}

function chooseErrorFormat(accept: readonly MediaRange[]): ErrorFormat {
  const format = choose(accept, RECORD_OFFERS);
  return format?.kind === 'json' || format?.kind === 'xml' ? format : DEFAULT_JSON;
}

function describeRange(range: MediaRange): string {
  const parameters = [...range.parameters].map(([name, value]) => `;${name}=${value}`);
  return `${range.name}${parameters.join('')}`;
}

/** Describes the supported parameters of the requested type, or else the supported types. */
function describeOffers(accept: readonly MediaRange[], offers: readonly Offer[]): string {
  const isRequested = ({ name }: Offer) =>
    accept.some((range) => range.quality > 0 && range.parameters.size > 0 && range.name === name);
  const requested = offers.find(isRequested);
  if (requested !== undefined)
    return `${requested.name} takes ${PARAMETERS.get(requested.name) ?? CHARSET}`;
  return listFormats(offers.filter((offer) => !UNLISTED.has(offer)).map((offer) => offer.name));
}

const CHARSET = 'charset=utf-8 and no other parameter';

const PARAMETERS: ReadonlyMap<string, string> = new Map([
  [
    'application/json',
    'odata.metadata=none, minimal or full, IEEE754Compatible, ExponentialDecimals and odata.streaming=true or false, and charset=utf-8',
  ],
  ...EXPORT_PARAMETERS,
]);

function listFormats(names: readonly string[]): string {
  return `supported formats are ${[...new Set(names)].join(', ')}`;
}

function notAcceptable(accept: string, supported: string, target: string): Fault {
  return new Fault(
    'request.not-acceptable',
    { accept: accept.slice(0, 200), supported },
    { target },
  );
}

/** Returns the supported formats of the resource, best first. */
function offersFor(input: NegotiationInput): readonly Offer[] {
  switch (input.last) {
    case 'metadata':
      return input.hasFormat || input.version === '4.01'
        ? [XML, TEXT_XML, JSON_OFFER]
        : [XML, TEXT_XML, JSON_AS_XML];
    case 'batch':
      if (input.contentType?.name === 'application/json') return [JSON_OFFER, MULTIPART];
      return input.version === '4.01' ? [MULTIPART, JSON_OFFER] : [MULTIPART, JSON_AS_MULTIPART];
    case 'count':
      return input.hasFormat ? [TEXT] : [TEXT, JSON_AS_TEXT];
    case 'value':
    case 'ping':
      return [];
    default:
      return RESOURCE_OFFERS;
  }
}

/** Chooses by weight; a wildcard applies only to offers that no more specific range covers. RFC 9110, "Accept". */
function choose(accept: readonly MediaRange[], offers: readonly Offer[]): Format | undefined {
  const first = offers[0];
  if (first === undefined) return { kind: 'raw', charset: false };
  if (accept.length === 0) return first.read(new Map());
  const byWeight = accept.length === 1 ? accept : [...accept].sort((a, b) => b.quality - a.quality);
  for (const range of byWeight) {
    if (range.quality === 0) return undefined;
    for (const offer of offers) {
      if (!covers(range, offer.name) || hasMoreSpecificRange(accept, range, offer)) continue;
      const format = offer.read(range.parameters);
      if (format !== undefined) return format;
    }
  }
  return undefined;
}

function hasMoreSpecificRange(
  accept: readonly MediaRange[],
  range: MediaRange,
  offer: Offer,
): boolean {
  if (!range.name.endsWith('*')) return false;
  return accept.some(
    (other) =>
      other.name.length > range.name.length &&
      covers(other, offer.name) &&
      offer.read(other.parameters) !== undefined,
  );
}

const JSON_OFFER: Offer = { name: 'application/json', read: readJsonFormat };
const ATOM: Offer = xmlOffer('application/atom+xml');
const XML: Offer = xmlOffer('application/xml');
const TEXT_XML: Offer = xmlOffer('text/xml');
const RECORD_OFFERS: readonly Offer[] = [JSON_OFFER, ATOM, XML, TEXT_XML];
const RESOURCE_OFFERS: readonly Offer[] = [
  ...RECORD_OFFERS,
  { name: 'text/csv', read: (parameters) => readTableFormat('text/csv', parameters) },
  { name: XLSX, read: (parameters) => readTableFormat(XLSX, parameters) },
  linesOffer('application/x-ndjson'),
  linesOffer('application/jsonl'),
];
const TEXT: Offer = {
  name: 'text/plain',
  read: (parameters) => ifCharsetOnly(parameters, (charset) => ({ kind: 'text', charset })),
};
const MULTIPART: Offer = { name: 'multipart/mixed', read: () => ({ kind: 'multipart' }) };

/** Many clients request JSON everywhere. Where it is not available ($batch in 4.0, for example), they get the standard format. */
const jsonAs = (format: Format): Offer => ({ name: 'application/json', read: () => format });
const JSON_AS_XML = jsonAs({ kind: 'xml', type: 'application/xml', charset: false });
const JSON_AS_TEXT = jsonAs({ kind: 'text', charset: false });
const JSON_AS_MULTIPART = jsonAs({ kind: 'multipart' });

/** Accepted, but not listed in error messages. */
const UNLISTED: ReadonlySet<Offer> = new Set([JSON_AS_XML, JSON_AS_TEXT, JSON_AS_MULTIPART]);

function xmlOffer(type: XmlFormat['type']): Offer {
  return {
    name: type,
    read: (parameters) => ifCharsetOnly(parameters, (charset) => ({ kind: 'xml', type, charset })),
  };
}

function linesOffer(name: 'application/x-ndjson' | 'application/jsonl'): Offer {
  return {
    name,
    read: (parameters) => readLinesFormat(name, parameters, readJsonFormat(parameters)),
  };
}

/** Ignores the parameter type=feed of Atom clients. */
function ifCharsetOnly(
  parameters: MediaType['parameters'],
  make: (charset: boolean) => Format,
): Format | undefined {
  for (const [name, value] of parameters) {
    if (name !== 'type' && !(name === 'charset' && isUtf8(value))) return undefined;
  }
  return make(parameters.has('charset'));
}

function isUtf8(charset: string): boolean {
  return /^utf-?8$/i.test(charset);
}

type JsonDraft = { -readonly [K in keyof JsonFormat]: JsonFormat[K] };

/** JSON without parameters. OData JSON Format 4.01, "Controlling the Amount of Control Information in Responses". */
export const DEFAULT_JSON: JsonFormat = {
  kind: 'json',
  metadata: 'minimal',
  ieee754Compatible: false,
  exponentialDecimals: false,
  streaming: false,
  charset: false,
};

/** Returns undefined if a parameter or its value is unknown. */
function readJsonFormat(parameters: MediaType['parameters']): JsonFormat | undefined {
  if (parameters.size === 0) return DEFAULT_JSON;
  const draft: JsonDraft = { ...DEFAULT_JSON };
  for (const [name, value] of parameters) {
    if (!readJsonParameter(draft, name.replace(/^odata\./, ''), value.toLowerCase()))
      return undefined;
  }
  return draft;
}

/** The metadata levels of version 3, such as `odata=verbose`, mapped to the most similar ones. */
const OLD_LEVELS: ReadonlyMap<string, JsonFormat['metadata']> = new Map([
  ['verbose', 'minimal'],
  ['light', 'minimal'],
  ['minimalmetadata', 'minimal'],
  ['fullmetadata', 'full'],
  ['nometadata', 'none'],
]);

function readJsonParameter(draft: JsonDraft, name: string, value: string): boolean {
  switch (name) {
    case 'metadata':
      if (value !== 'none' && value !== 'minimal' && value !== 'full') return false;
      draft.metadata = value;
      return true;
    case 'odata':
      draft.metadata = OLD_LEVELS.get(value) ?? draft.metadata;
      return OLD_LEVELS.has(value);
    case 'charset':
      draft.charset = true;
      return isUtf8(value);
    default:
      return readFlag(draft, name, value);
  }
}

const FLAGS = ['ieee754Compatible', 'exponentialDecimals', 'streaming'] as const;

function readFlag(draft: JsonDraft, name: string, value: string): boolean {
  const flag = FLAGS.find((known) => known.toLowerCase() === name);
  if (flag === undefined) return false;
  draft[flag] = value === 'true';
  return value === 'true' || value === 'false';
}

function withCharset(format: Format, acceptCharset: string | undefined): Format {
  if (acceptCharset === undefined || format.kind === 'multipart') return format;
  const charsets = readWeighted(acceptCharset);
  if (charsets.some(isUtf8)) return { ...format, charset: true };
  if (charsets.length === 0 || charsets.includes('*')) return format;
  throw notAcceptable(acceptCharset, 'the only supported charset is utf-8', 'Accept-Charset');
}

// ---- Other headers ----

/** [ "OData-" ] "Isolation" ":" OWS "snapshot" */
function readIsolation(value: string | undefined): 'snapshot' | undefined {
  if (value === undefined) return undefined;
  if (value.trim().toLowerCase() === 'snapshot') return 'snapshot';
  throw invalidHeader('Isolation', value, 'the only defined isolation level is snapshot');
}

/** request-id = 1*unreserved ; other requests of a batch refer to it as `$id` */
export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9\-._~]+$/.test(text);
}

function readContentType(value: string | undefined): MediaType | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const type = readMediaType(value);
  if (type === undefined)
    throw invalidHeader('Content-Type', value, 'write a media type such as application/json');
  return type;
}
