// This file writes batches as clients write them and takes the answers apart, in both formats, without the service's own readers.
import type { Desk, DeskAnswer } from './desk.ts';

interface Part {
  readonly id?: string;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
}

/** A list of parts is a change set; a text stands as it is. */
export type Item = Part | readonly Part[] | string;

export interface PartAnswer {
  readonly id: string | undefined;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect of it
  readonly json: any;
}

export interface BatchOutcome {
  readonly answer: DeskAnswer;
  /** A change set that succeeded is a list. */
  readonly items: readonly (PartAnswer | readonly PartAnswer[])[];
}

const BOUNDARY = 'batch_of:tests';
const END = '\r\n';

/** A multipart body. */
export function multipart(items: readonly Item[], boundary = BOUNDARY): string {
  const parts = items.map((item, index) => {
    if (typeof item === 'string') return item;
    return Array.isArray(item) ? changeSet(item, `set_${index}`) : partText(item as Part);
  });
  return `${parts.map((part) => `--${boundary}${END}${part}${END}`).join('')}--${boundary}--${END}`;
}

function changeSet(parts: readonly Part[], boundary: string): string {
  return `Content-Type: multipart/mixed; boundary=${boundary}${END}${END}${multipart(parts, boundary)}`;
}

function partText({ id, method, url, headers = {}, body }: Part): string {
  const type =
    body === undefined || typeof body === 'string' ? {} : { 'Content-Type': 'application/json' };
  const lines = Object.entries({ ...type, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    ...(id === undefined ? [] : [`Content-ID: ${id}`]),
    '',
    `${method} ${url} HTTP/1.1`,
    ...lines,
    '',
    text,
  ].join(END);
}

/** Sends a batch in the multipart format. */
export async function sendBatch(
  desk: Pick<Desk, 'send'>,
  items: readonly Item[],
  headers: Readonly<Record<string, string>> = {},
): Promise<BatchOutcome> {
  const answer = await desk.send('POST', '/$batch', {
    headers: { 'content-type': `multipart/mixed; boundary="${BOUNDARY}"`, ...headers },
    body: multipart(items),
  });
  return { answer, items: readAnswers(answer.text, String(answer.headers['content-type'])) };
}

/** The parts of a multipart answer. */
function readAnswers(text: string, type: string): readonly (PartAnswer | readonly PartAnswer[])[] {
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (!type.startsWith('multipart/mixed') || boundary === undefined) return [];
  const pieces = text.split(`--${boundary}`);
  if (!pieces.at(-1)?.startsWith('--')) throw new Error('the closing boundary is missing');
  return pieces.slice(1, -1).map((piece) => {
    const [head, rest] = halves(piece.slice(END.length));
    const headers = readLines(head.split(END));
    const inner = headers['content-type'] ?? '';
    if (inner.startsWith('multipart/mixed')) return readAnswers(rest, inner) as PartAnswer[];
    return readPart(rest, headers['content-id']);
  });
}

/** An HTTP message. */
export function readPart(message: string, id?: string): PartAnswer {
  const [head, rest] = halves(message);
  const [line = '', ...lines] = head.split(END);
  const headers = readLines(lines);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
  const bytes = Buffer.from(rest, 'utf8').subarray(0, Number(headers['content-length'] ?? 0));
  const text = bytes.toString('utf8');
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { id, status, headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined };
}

function halves(text: string): readonly [string, string] {
  const at = text.indexOf(`${END}${END}`);
  if (at < 0) throw new Error(`no blank line in ${text}`);
  return [text.slice(0, at), text.slice(at + 2 * END.length)];
}

function readLines(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
}

export interface JsonRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly atomicityGroup?: string;
  readonly dependsOn?: readonly string[];
  readonly if?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a batch in the JSON format; the answers by id. */
export async function sendJsonBatch(
  desk: Pick<Desk, 'send'>,
  requests: readonly JsonRequest[],
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await desk.send('POST', '/$batch', { headers, body: { requests } });
  const responses: readonly { id: string; status: number }[] = answer.json?.responses ?? [];
  const statuses = Object.fromEntries(responses.map(({ id, status }) => [id, status]));
  // biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect of it
  const of = (id: string): any => responses.find((response) => response.id === id);
  return { answer, statuses, of };
}
