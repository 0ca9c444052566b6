// This file reads and writes batches in the multipart format. Bodies stay bytes; only headers are decoded. Variations among clients
// (preambles, epilogues, bare line feeds) are accepted where they are unambiguous.
// Source: OData 4.01 Protocol, "Multipart Batch Format"; RFC 2046, "Multipart Media Type".
import { STATUS_CODES } from 'node:http';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import type { AnsweredItem, BatchAnswer, BatchItem, BatchRequest } from './batch-request.ts';

const LF = 10;
const CR = 13;
const DASH = 45;

/**
 * Reads the items of a batch.
 * @param boundary parameter of the Content-Type
 * Throws: request.body if the boundary line or the closing line is missing.
 */
export function readMultipart(body: Uint8Array, boundary: string): readonly BatchItem[] {
  return splitParts(body, boundary).map((part) => readItem(part, true));
}

/** The boundary parameter of a multipart Content-Type. Throws: request.body if it is missing or too long. */
export function boundaryOf(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined || boundary.length > 70) {
    throw new Fault('request.body', {
      reason: 'the Content-Type of a multipart batch needs a boundary of at most 70 characters',
    });
  }
  return boundary;
}

/**
 * Writes a batch response. `boundary` must be random, as it must not occur in any part. Boundaries of change sets contain it as suffix,
 * not as prefix, since parsers may compare only the start of a line. RFC 2046, "Common Syntax".
 */
export function writeMultipart(items: readonly AnsweredItem[], boundary: string): Uint8Array {
  const chunks: (string | Uint8Array)[] = [];
  items.forEach((item, index) => {
    chunks.push(`--${boundary}\r\n`);
    if (item.kind === 'answer') writeAnswer(chunks, item.answer);
    else if (item.failure !== undefined) writeAnswer(chunks, item.failure);
    else writeGroup(chunks, item.answers, `changesetresponse_${index + 1}_${boundary}`);
  });
  chunks.push(`--${boundary}--\r\n`);
  return Buffer.concat(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk)),
  );
}

function writeGroup(
  chunks: (string | Uint8Array)[],
  answers: readonly BatchAnswer[],
  boundary: string,
): void {
  chunks.push(`Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`);
  for (const answer of answers) {
    chunks.push(`--${boundary}\r\n`);
    writeAnswer(chunks, answer);
  }
  chunks.push(`--${boundary}--\r\n\r\n`);
}

function writeAnswer(chunks: (string | Uint8Array)[], answer: BatchAnswer): void {
  const contentId = answer.id === undefined ? '' : `Content-ID: ${answer.id}\r\n`;
  chunks.push(
    `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${contentId}\r\n`,
    ...writeMessage(answer),
    '\r\n',
  );
}

/** Writes a response as an HTTP message. RFC 9112, "Message Format". */
export function writeMessage({
  status,
  headers,
  requestId,
  body,
}: Answer & Partial<BatchAnswer>): readonly (string | Uint8Array)[] {
  const hasLength = status !== 204 && status !== 304;
  const ids = requestId === undefined ? [] : [['X-Request-ID', requestId] as const];
  const lengths = hasLength ? [['Content-Length', Buffer.byteLength(body ?? '')] as const] : [];
  const lines = [...Object.entries(headers), ...ids, ...lengths].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n${lines.join('')}\r\n`;
  return body === undefined ? [head] : [head, body];
}

function readItem(part: Uint8Array, mayBeGroup: boolean): BatchItem {
  let id: string | undefined;
  try {
    const { headers, next } = readHeaders(part, 0);
    id = headers.get('content-id');
    const type = headers.get('content-type') ?? '';
    if (mayBeGroup && /^multipart\/mixed\b/i.test(type))
      return readGroup(part.subarray(next), type);
    if (!/^application\/http\b/i.test(type))
      throw malformed(`a part must be of type application/http, not "${type.slice(0, 100)}"`);
    return { kind: 'request', request: readRequest(part.subarray(next), id) };
  } catch (error) {
    if (error instanceof Fault) return { kind: 'malformed', id, fault: error };
    throw error;
  }
}

function malformed(reason: string): Fault {
  return new Fault('batch.part', { reason });
}

function readGroup(body: Uint8Array, type: string): BatchItem {
  const requests: BatchRequest[] = [];
  for (const inner of splitParts(body, boundaryOf(type))) {
    const item = readItem(inner, false);
    if (item.kind !== 'request') return item;
    requests.push(item.request);
  }
  return { kind: 'group', id: undefined, requests };
}

/** Reads a request in the form of an HTTP message: request line, headers, blank line, body. */
function readRequest(message: Uint8Array, contentId: string | undefined): BatchRequest {
  let at = 0;
  while (message[at] === CR || message[at] === LF) at++;
  const line = readLine(message, at);
  const match = /^([A-Za-z]+) +(\S+|\S.*?(?= +HTTP\/\d))(?: +HTTP\/\d(?:\.\d)?)?\s*$/.exec(
    line.text,
  );
  if (match === null)
    throw malformed(`the request line "${line.text.slice(0, 100)}" is not "METHOD URL HTTP/1.1"`);
  const { headers, next } = readHeaders(message, line.next);
  if (headers.has('transfer-encoding')) throw malformed('it cannot have a Transfer-Encoding');
  const rest = message.subarray(next);
  const body = rest.subarray(0, bodyLength(rest, headers.get('content-length')));
  return {
    id: contentId ?? headers.get('content-id'),
    method: (match[1] ?? '').toUpperCase(),
    url: (match[2] ?? '').replaceAll(' ', '%20'),
    headers,
    body: body.byteLength === 0 || isBlank(body) ? undefined : body,
    dependsOn: [],
    condition: undefined,
  };
}

/** The declared length, unless more than line breaks follows. Then it was wrong, and the boundary ends the body. */
function bodyLength(rest: Uint8Array, declared: string | undefined): number {
  const length = Number(declared ?? Number.NaN);
  return Number.isSafeInteger(length) && length >= 0 && isBlank(rest.subarray(length))
    ? length
    : rest.byteLength;
}

/** The parts between the boundary lines, without preamble and epilogue. */
function splitParts(body: Uint8Array, boundary: string): readonly Uint8Array[] {
  const marks = boundaryLines(body, Buffer.from(`--${boundary}`, 'latin1'));
  if (marks.length === 0)
    throw new Fault('request.body', { reason: `no line "--${boundary}" was found` });
  if (marks.at(-1)?.closing !== true)
    throw new Fault('request.body', { reason: `the closing line "--${boundary}--" is missing` });
  const parts: Uint8Array[] = [];
  for (let index = 0; index + 1 < marks.length; index++) {
    const [from, to] = [marks[index], marks[index + 1]];
    if (from === undefined || to === undefined || from.closing) break;
    parts.push(body.subarray(from.end, withoutLineEnd(body, from.end, to.start)));
  }
  return parts;
}

interface BoundaryLine {
  readonly start: number;
  readonly end: number;
  readonly closing: boolean;
}

/** Lines that consist of the delimiter, `--` on the closing one, and trailing whitespace. */
function boundaryLines(body: Uint8Array, delimiter: Uint8Array): readonly BoundaryLine[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const lines: BoundaryLine[] = [];
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + 1)) {
    if (at > 0 && bytes[at - 1] !== LF) continue;
    const line = readLine(bytes, at + delimiter.byteLength);
    const closing =
      bytes[at + delimiter.byteLength] === DASH && bytes[at + delimiter.byteLength + 1] === DASH;
    if (!/^(?:--)?[ \t]*$/.test(line.text)) continue;
    lines.push({ start: at, end: line.next, closing });
    if (closing) break;
  }
  return lines;
}

/** The line break before a boundary belongs to the boundary. */
function withoutLineEnd(body: Uint8Array, start: number, end: number): number {
  let at = end;
  if (at > start && body[at - 1] === LF) at--;
  if (at > start && body[at - 1] === CR) at--;
  return at;
}

function readHeaders(
  bytes: Uint8Array,
  from: number,
): { readonly headers: ReadonlyMap<string, string>; readonly next: number } {
  const headers = new Map<string, string>();
  let at = from;
  while (at < bytes.byteLength) {
    const line = readLine(bytes, at);
    at = line.next;
    if (line.text === '') break;
    const colon = line.text.indexOf(':');
    if (colon <= 0) throw malformed(`the line "${line.text.slice(0, 100)}" is not a header`);
    headers.set(line.text.slice(0, colon).trim().toLowerCase(), line.text.slice(colon + 1).trim());
  }
  return { headers, next: at };
}

/** Decodes the line at `at`, and returns the start of the next one. */
function readLine(bytes: Uint8Array, at: number): { readonly text: string; readonly next: number } {
  const found = bytes.indexOf(LF, at);
  const end = found < 0 ? bytes.byteLength : found;
  const textEnd = end > at && bytes[end - 1] === CR ? end - 1 : end;
  return {
    text: Buffer.from(bytes.subarray(at, textEnd)).toString('utf8'),
    next: found < 0 ? end : end + 1,
  };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === CR || byte === LF || byte === 32);
}

/** RFC 9110 has renamed one of the reason phrases that Node.js knows. */
const REASONS: typeof STATUS_CODES = { ...STATUS_CODES, 413: 'Content Too Large' };
