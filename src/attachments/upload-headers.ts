// Reads the headers of an uploaded file: its media type, its names and its digests. Names are client data, which are returned unchanged
// and never become part of a path, a command or a URL.
// Sources: RFC 9110, "Content-Type"; RFC 6266 "Use of the Content-Disposition Header Field"; RFC 8187; RFC 7578, "Content-Disposition
// Header Field for Each Part"; RFC 5023, "The Slug Header"; RFC 9530 "Digest Fields".
import { createHash, type Hash } from 'node:crypto';
import { Fault } from '../base/fault.ts';
import { plainMediaType, splitHeader } from '../request/headers/media-types.ts';

/** A file that is being uploaded. Its bytes can be read once. */
export interface IncomingFile {
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  readonly mediaType: string;
  /** Size in bytes, if the client has announced it. */
  readonly length: number | undefined;
  /** The reader takes ownership of each chunk. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether the limits of size and media type do not apply. */
  readonly isExempt?: boolean;
}

/** Header values by lower-case names. */
export type PartHeaders = Readonly<Record<string, string | undefined>>;

const ANY_TYPE = 'application/octet-stream';

/** The media type of a file; application/octet-stream by default. Throws: request.header. */
export function mediaTypeOf({ 'content-type': type }: PartHeaders): string {
  if (type === undefined || type.trim() === '') return ANY_TYPE;
  const plain = plainMediaType(type);
  if (plain !== undefined) return plain;
  throw new Fault(
    'request.header',
    {
      header: 'Content-Type',
      value: type.slice(0, 100),
      expected: 'use a media type, such as image/png',
    },
    { target: 'Content-Type' },
  );
}

/** A parsed Content-Disposition header. */
export interface Disposition {
  readonly kind: string;
  readonly name: string | undefined;
  readonly fileName: string | undefined;
}

/**
 * Parses Content-Disposition. In forms, browsers encode quotes and line breaks in names as %22, %0D and %0A, and repeated parameters are
 * rejected, because two readers could see different names. Throws: file.form.
 */
export function readDisposition(header: string | undefined, inForm: boolean): Disposition {
  const [kind = '', ...rest] = splitHeader(header ?? '', ';');
  const pairs = rest.map((part) => readParameter(part, inForm));
  const parameters = new Map(pairs);
  if (inForm && parameters.size < pairs.length) rejectRepeated(pairs);
  const [name, alias] = [parameters.get('name'), extended(parameters.get('name*'))];
  if (inForm && name !== undefined && alias !== undefined && name !== alias) rejectRepeated(pairs);
  return {
    kind: kind.toLowerCase(),
    name: extended(parameters.get('name*')) ?? parameters.get('name'),
    fileName: extended(parameters.get('filename*')) ?? parameters.get('filename'),
  };
}

function rejectRepeated(pairs: readonly (readonly [string, string])[]): never {
  const names = pairs.map(([name]) => name.replace('*', ''));
  const repeated = names.find((name, index) => names.indexOf(name) < index) ?? 'name';
  throw new Fault('file.form', {
    reason: `the Content-Disposition of its file part repeats the parameter ${repeated}.`,
  });
}

function readParameter(part: string, inForm: boolean): readonly [string, string] {
  const equals = part.indexOf('=');
  if (equals < 0) return [part.toLowerCase(), ''];
  const name = part.slice(0, equals).trim().toLowerCase();
  const value = part.slice(equals + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  if (!isQuoted) return [name, value];
  // Any other backslash is literal, because some clients send unescaped paths.
  const plain = value.slice(1, -1).replace(/\\(["\\])/g, '$1');
  return [
    name,
    inForm && !name.endsWith('*')
      ? plain.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code))
      : plain,
  ];
}

/** `UTF-8'en'na%C3%AFve`. RFC 8187, "Parameter Value Character Encoding and Language Information". */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
  return encoded === undefined ? undefined : decoded(encoded);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Node decodes headers as Latin-1. Values that are valid UTF-8 are taken as UTF-8. RFC 9110, "Field Values". */
function fromHeader(value: string | undefined): string | undefined {
  if (value === undefined || !/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

/** The names of a file that is sent as the body: those of Content-Disposition, or else the Slug. */
export function namesOf(headers: PartHeaders): Pick<IncomingFile, 'name' | 'fileName'> {
  const { name, fileName } = readDisposition(fromHeader(headers['content-disposition']), false);
  const { slug } = headers;
  const suggested = slug === undefined ? undefined : (decoded(slug) ?? fromHeader(slug));
  const file = nonEmpty(fileName) ?? nonEmpty(suggested);
  return { name: nonEmpty(name) ?? file, fileName: file };
}

/** The name; undefined if it is empty. */
export function nonEmpty(name: string | undefined): string | undefined {
  return name === '' ? undefined : name;
}

// ---- digests --------------------------------------------------------------------------------------------------------

interface Expected {
  readonly header: string;
  readonly hash: Hash;
  readonly value: string;
}

const ALGORITHMS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' };

/**
 * The bytes, checked against Content-Digest and Repr-Digest. Unknown algorithms are ignored, as RFC 9530 requires.
 * Throws: request.header; and file.digest, when all bytes have been read.
 */
export function checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  headers: PartHeaders,
): AsyncIterable<Uint8Array> {
  const expected = ['Content-Digest', 'Repr-Digest'].flatMap((header) =>
    expectedIn(header, headers[header.toLowerCase()]),
  );
  return expected.length === 0 ? bytes : verify(bytes, expected);
}

function expectedIn(header: string, value: string | undefined): readonly Expected[] {
  if (value === undefined) return [];
  return splitHeader(value, ',').flatMap((part): readonly Expected[] => {
    const [, algorithm = '', digest] =
      /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):$/.exec(part) ?? [];
    if (digest === undefined)
      throw new Fault(
        'request.header',
        {
          header,
          value: value.slice(0, 100),
          expected: 'use sha-256=:…: with the digest in base64',
        },
        { target: header },
      );
    const known = ALGORITHMS[algorithm];
    return known === undefined ? [] : [{ header, hash: createHash(known), value: digest }];
  });
}

async function* verify(
  bytes: AsyncIterable<Uint8Array>,
  expected: readonly Expected[],
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (const { hash } of expected) hash.update(chunk);
    yield chunk;
  }
  for (const { hash, value, header } of expected) {
    const isSame = hash.digest().equals(Buffer.from(value, 'base64'));
    if (!isSame) throw new Fault('file.digest', { header }, { target: header });
  }
}
