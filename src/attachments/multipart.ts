// Streaming parser for multipart bodies. It yields the parts in order and buffers no more than a chunk of their bytes. Malformed bodies
// are rejected: a missing final boundary, headers that are too long, text between the parts.
// Sources: RFC 2046, "Multipart Media Type"; RFC 7578 "Returning Values from Forms".
import { Fault } from '../base/fault.ts';
import { readMediaType } from '../request/headers/media-types.ts';
import { readAll } from './byte-streams.ts';
import type { PartHeaders } from './upload-headers.ts';

/** One part. Its bytes must be read before the next part is requested. */
export interface Part {
  readonly headers: PartHeaders;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Maximum size of the headers of a part. */
const HEAD_LIMIT = 16_384;
/** Maximum number of bytes before the first part. */
const PREAMBLE_LIMIT = 65_536;

const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/** The boundary of a multipart Content-Type. Throws: file.form. */
export function boundaryOf(contentType: string): string {
  const boundary = readMediaType(contentType)?.parameters.get('boundary');
  if (boundary !== undefined && /^[\x20-\x7e]{1,200}$/.test(boundary)) return boundary;
  throw malformed('its Content-Type has no valid boundary');
}

/** The parts in order. Throws: file.form. */
export async function* readParts(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Part> {
  const input = new Input(source);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  try {
    // The first boundary may be at the very beginning, without a line end before it.
    input.push(LINE_END);
    await drain(input.until(delimiter, PREAMBLE_LIMIT));
    while (!(await isLast(input))) {
      const headers = await readHead(input);
      const bytes = input.until(delimiter);
      yield { headers, bytes };
      await drain(bytes);
    }
    await input.skipRest();
  } finally {
    await input.close();
  }
}

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

/** Reads the rest of a boundary line: two hyphens after the last part, otherwise optional whitespace. */
async function isLast(input: Input): Promise<boolean> {
  const start = await input.take(2);
  if (start.toString('latin1') === '--') return true;
  input.push(start);
  const rest = await input.line(100);
  if (/^[ \t]*$/.test(rest)) return false;
  throw malformed('there is text after a boundary');
}

async function readHead(input: Input): Promise<PartHeaders> {
  // For a part without headers, the line end of the boundary is part of the delimiter.
  input.push(LINE_END);
  const head = await readAll(input.until(HEAD_END, HEAD_LIMIT));
  const headers: Record<string, string> = Object.create(null);
  for (const line of unfold(head.toString('utf8'))) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || headers[name] !== undefined)
      throw malformed(`the line ${JSON.stringify(line.slice(0, 60))} is not a valid part header`);
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

function unfold(text: string): readonly string[] {
  return text
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .filter((line) => line !== '');
}

/** The body with look-ahead. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Bytes that have been read from the source but not consumed. */
  #held: Buffer = Buffer.alloc(0);
  #isDone = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Puts bytes back. */
  push(bytes: Uint8Array): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.byteLength < count)
      this.#held = Buffer.concat([this.#held, await this.#next()]);
    return this.#cut(count);
  }

  /** The text up to the line end, which is consumed. */
  async line(limit: number): Promise<string> {
    const bytes = await readAll(this.until(LINE_END, limit));
    return bytes.toString('latin1');
  }

  /** The bytes up to the delimiter, which is consumed. */
  async *until(delimiter: Buffer, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
    let count = 0;
    for (;;) {
      const at = this.#held.indexOf(delimiter);
      const free = at < 0 ? this.#held.byteLength - delimiter.byteLength + 1 : at;
      count += Math.max(free, 0);
      if (count > limit) throw malformed(`there are more than ${limit} bytes before a part`);
      if (free > 0) yield this.#cut(free);
      if (at >= 0) {
        this.#cut(delimiter.byteLength);
        return;
      }
      const next = await this.#next();
      // Buffers are concatenated only if a delimiter may span both.
      if (!this.#mayContinue(next, delimiter)) {
        count += this.#held.byteLength;
        if (this.#held.byteLength > 0) yield this.#held;
        this.#held = next;
      } else this.#held = Buffer.concat([this.#held, next]);
    }
  }

  async skipRest(): Promise<void> {
    this.#held = Buffer.alloc(0);
    while (!this.#isDone) this.#isDone = (await this.#source.next()).done === true;
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#source.return?.();
  }

  #cut(count: number): Buffer {
    const chunk = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return chunk;
  }

  /** Whether a delimiter that starts in the held bytes continues, or may continue, in the given bytes. */
  #mayContinue(bytes: Buffer, delimiter: Buffer): boolean {
    const length = delimiter.byteLength - 1;
    if (bytes.byteLength < length) return true;
    return Buffer.concat([this.#held, bytes.subarray(0, length)]).includes(delimiter);
  }

  async #next(): Promise<Buffer> {
    const next = await this.#source.next();
    this.#isDone = next.done === true;
    if (next.done === true) throw malformed('it ends before its last boundary');
    const { buffer, byteOffset, byteLength } = next.value;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}

export function malformed(reason: string): Fault {
  return new Fault('file.form', { reason });
}
