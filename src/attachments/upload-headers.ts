// This file reads what a request says of the file that it brings: its type, its names, the digests of its bytes. Names are data of the
// client's and are given back as they came; they never become a path, a command or a URL.
// Sources: RFC 9110, "Content-Type"; RFC 6266 "Use of the Content-Disposition Header Field"; RFC 8187; RFC 7578, "Content-Disposition
// Header Field for Each Part"; RFC 5023, "The Slug Header"; RFC 9530 "Digest Fields".
import { createHash, type Hash } from 'node:crypto';
import { Fault } from '../base/fault.ts';
import { plainMediaType, splitHeader } from '../request/headers/media-types.ts';

/** A file on its way in. Its bytes can be read once. */
export interface IncomingFile {
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  /** As it is to be given back. */
  readonly mediaType: string;
  /** Bytes, where they are announced. */
  readonly length: number | undefined;
  /** Each piece is given away: nobody looks at it again. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Header values by lower-case names. */
export type PartHeaders = Readonly<Record<string, string | undefined>>;

const ANY_TYPE = 'application/octet-stream';

/** The media type of a file, application/octet-stream where none is told. Fault request.header. */
export function mediaTypeOf({ 'content-type': type }: PartHeaders): string {
  if (type === undefined || type.trim() === '') return ANY_TYPE;
  const plain = plainMediaType(type);
  if (plain !== undefined) return plain;
  throw new Fault(
    'request.header',
    {
      header: 'Content-Type',
      value: type.slice(0, 100),
      expected: 'write a media type, such as image/png',
    },
    { target: 'Content-Type' },
  );
}

/** What Content-Disposition says. */
export interface Disposition {
  readonly kind: string;
  readonly name: string | undefined;
  readonly fileName: string | undefined;
}

/**
 * Reads Content-Disposition. In a form, browsers write quotes and line ends of names as %22, %0D, %0A; a parameter that is given twice
 * would let two readers see two names, so it is rejected. Fault file.form.
 */
export function readDisposition(header: string | undefined, inForm: boolean): Disposition {
  const [kind = '', ...rest] = splitHeader(header ?? '', ';');
  const given = rest.map((part) => readParameter(part, inForm));
  const parameters = new Map(given);
  if (inForm && parameters.size < given.length) refuseTwice(given);
  const [name, alias] = [parameters.get('name'), extended(parameters.get('name*'))];
  if (inForm && name !== undefined && alias !== undefined && name !== alias) refuseTwice(given);
  return {
    kind: kind.toLowerCase(),
    name: extended(parameters.get('name*')) ?? parameters.get('name'),
    fileName: extended(parameters.get('filename*')) ?? parameters.get('filename'),
  };
}

function refuseTwice(given: readonly (readonly [string, string])[]): never {
  const names = given.map(([name]) => name.replace('*', ''));
  const twice = names.find((name, index) => names.indexOf(name) < index) ?? 'name';
  throw new Fault('file.form', { reason: `its file part gives ${twice} twice; give it once.` });
}

function readParameter(part: string, inForm: boolean): readonly [string, string] {
  const equals = part.indexOf('=');
  if (equals < 0) return [part.toLowerCase(), ''];
  const name = part.slice(0, equals).trim().toLowerCase();
  const value = part.slice(equals + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  if (!isQuoted) return [name, value];
  // A backslash before anything else is one: clients write paths as they are.
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

/** Headers come as Latin-1; names in them are UTF-8 wherever they can be. RFC 9110, "Field Values". */
function fromHeader(value: string | undefined): string | undefined {
  if (value === undefined || !/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

/** The names of a file whose bytes are the body: those of Content-Disposition, else the Slug. */
export function namesOf(headers: PartHeaders): Pick<IncomingFile, 'name' | 'fileName'> {
  const { name, fileName } = readDisposition(fromHeader(headers['content-disposition']), false);
  const { slug } = headers;
  const suggested = slug === undefined ? undefined : (decoded(slug) ?? fromHeader(slug));
  const file = blankless(fileName) ?? blankless(suggested);
  return { name: blankless(name) ?? file, fileName: file };
}

/** A name that is nothing is none. */
export function blankless(name: string | undefined): string | undefined {
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
 * The bytes as they are, proven to be those that Content-Digest and Repr-Digest tell of. Algorithms that are not known are passed
 * over, as RFC 9530 has it. Faults file.digest once all bytes are read, request.header.
 */
export function checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  headers: PartHeaders,
): AsyncIterable<Uint8Array> {
  const expected = ['Content-Digest', 'Repr-Digest'].flatMap((header) =>
    expectedIn(header, headers[header.toLowerCase()]),
  );
  return expected.length === 0 ? bytes : prove(bytes, expected);
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
          expected: 'write sha-256=:…: with the digest in base64',
        },
        { target: header },
      );
    const known = ALGORITHMS[algorithm];
    return known === undefined ? [] : [{ header, hash: createHash(known), value: digest }];
  });
}

async function* prove(
  bytes: AsyncIterable<Uint8Array>,
  expected: readonly Expected[],
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    for (const { hash } of expected) hash.update(piece);
    yield piece;
  }
  for (const { hash, value, header } of expected) {
    const isSame = hash.digest().equals(Buffer.from(value, 'base64'));
    if (!isSame) throw new Fault('file.digest', { header }, { target: header });
  }
}
