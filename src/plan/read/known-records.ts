// Writes and reads the addresses of the records that a client knows, as a part of delta tokens. Accounts that may read some records need
// them: the change log does not say who could see a record before. They are URL-safe text of a few bits for each record:
//     Persons(7), Persons(9), Persons(130)     1, 8 "Persons(", 1 ")", 7, 2, 121     numeric keys: the first and the differences
//     Codes('new'), Codes('next')              0, 0 12 "Codes('new')", 9 4 "xt')"    others: what differs from the one before
// Each number takes one byte for seven bits, as in Protocol Buffers. The text is not signed: for an address that a client invents, the response
// shows whether the account sees the record now, which a read shows as well.

/** A token may take half of the longest URL. */
const MAXIMUM_LENGTH = 8000;

/** The regular expression of such texts. */
export const KNOWN = `[\\w-]{1,${MAXIMUM_LENGTH}}`;

/** More records than fit in a token, at one byte each. */
export const MOST_KNOWN_RECORDS = Math.floor((MAXIMUM_LENGTH * 3) / 4);

/** Returns the text of addresses; undefined if they are too many for a URL. */
export function writeKnown(addresses: Iterable<string>): string | undefined {
  const bytes: number[] = [];
  const all = [...addresses];
  const numbered = numberedOf(all);
  if (numbered === undefined) writeTexts(bytes, all.sort());
  else writeNumbers(bytes, numbered);
  if (bytes.length > MOST_KNOWN_RECORDS) return undefined;
  return toBase64Url(bytes);
}

/** Parses a text written by `writeKnown`; undefined for any other. */
export function readKnown(text: string): readonly string[] | undefined {
  const bytes = fromBase64Url(text);
  if (bytes === undefined) return undefined;
  const reader = new Reader(bytes);
  const kind = reader.number();
  const addresses = kind === NUMBERS ? readNumbers(reader) : readTexts(reader);
  if (kind > NUMBERS || reader.isDamaged) return undefined;
  return addresses.every(isAddress) ? addresses : undefined;
}

/** An address is not empty, and contains neither U+0000 nor halves of characters, which databases reject. */
function isAddress(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

const TEXTS = 0;
const NUMBERS = 1;

// ---- numeric keys ---------------------------------------------------------------------------------------------------

interface Numbered {
  readonly prefix: string;
  readonly suffix: string;
  readonly keys: readonly number[];
}

/** The parts of addresses that differ in one number only; undefined for others. */
function numberedOf(addresses: readonly string[]): Numbered | undefined {
  const [, prefix = '', , suffix = ''] = NUMBERED.exec(addresses[0] ?? '') ?? [];
  const keys: number[] = [];
  for (const address of addresses) {
    const match = NUMBERED.exec(address);
    if (match === null || match[1] !== prefix || match[3] !== suffix) return undefined;
    keys.push(Number(match[2]));
  }
  return { prefix, suffix, keys: keys.sort((left, right) => left - right) };
}

const NUMBERED = /^([^(]*\()(0|[1-9]\d{0,14})(\))$/;

function writeNumbers(bytes: number[], { prefix, suffix, keys }: Numbered): void {
  bytes.push(NUMBERS);
  writeText(bytes, prefix);
  writeText(bytes, suffix);
  let last = 0;
  for (const key of keys) {
    writeNumber(bytes, key - last);
    last = key;
  }
}

function readNumbers(reader: Reader): readonly string[] {
  const [prefix, suffix] = [reader.text(), reader.text()];
  const addresses: string[] = [];
  for (let key = 0; reader.hasMore; ) {
    key += reader.number();
    addresses.push(`${prefix}${key}${suffix}`);
  }
  return addresses;
}

// ---- other keys -----------------------------------------------------------------------------------------------------

function writeTexts(bytes: number[], sorted: readonly string[]): void {
  bytes.push(TEXTS);
  let last = '';
  for (const address of sorted) {
    const shared = sharedLength(last, address);
    writeNumber(bytes, shared);
    writeText(bytes, address.slice(shared));
    last = address;
  }
}

function readTexts(reader: Reader): readonly string[] {
  const addresses: string[] = [];
  for (let last = ''; reader.hasMore; ) {
    const shared = reader.number();
    last = last.slice(0, shared) + reader.text();
    addresses.push(last);
  }
  return addresses;
}

function sharedLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  // The two halves of a character are not separated.
  return /[\ud800-\udbff]$/.test(left.slice(0, length)) ? length - 1 : length;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function writeText(bytes: number[], text: string): void {
  const encoded = new TextEncoder().encode(text);
  writeNumber(bytes, encoded.length);
  bytes.push(...encoded);
}

/** Reads what `writeNumber` and `writeText` have written. At the end of the bytes it returns 0 or "" and is damaged. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  isDamaged = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return !this.isDamaged && this.#at < this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; factor <= LARGEST_FACTOR; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
    this.isDamaged = true;
    return 0;
  }

  text(): string {
    const end = this.number() + this.#at;
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    if (end > this.#bytes.length) this.isDamaged = true;
    return new TextDecoder().decode(part);
  }
}

const LARGEST_FACTOR = 128 ** 7;

function toBase64Url(bytes: readonly number[]): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array | undefined {
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
