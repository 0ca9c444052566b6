// This file reads and writes batches in the JSON format: an object with `requests`, and one with `responses`.
// Source: OData 4.01 JSON Format, "Batch Requests and Responses".
import { Fault, type FaultDetail } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { isRequestId } from '../../request/headers/headers.ts';
import type { AnsweredItem, BatchAnswer, BatchItem, BatchRequest } from './batch-request.ts';

interface Entry {
  readonly request: BatchRequest;
  readonly group: string | undefined;
}

/**
 * Reads the items of a batch. Throws: request.body with one detail per mistake, such as a duplicate id, a group with the id of a request,
 * a group that is not contiguous, a dependency on a later request, or a member that is unknown or of the wrong type.
 */
export function readJsonBatch(batch: JsonInput): readonly BatchItem[] {
  const requests = isJsonObject(batch) ? batch.requests : undefined;
  if (!isJsonArray(requests))
    throw new Fault('request.body', {
      reason: 'a JSON batch is an object with an array "requests"',
    });
  const mistakes = new Mistakes();
  const entries = requests.map((item, index) =>
    readEntry(item, `requests[${index}]`, mistakes.report),
  );
  if (isJsonObject(batch))
    rejectUnknown(batch, { target: '', known: BATCH_MEMBERS }, mistakes.report);
  checkOrder(entries, mistakes.report);
  mistakes.raise();
  return groupEntries(entries);
}

/** Writes a batch response. JSON bodies are embedded unchanged, and copied only once, when the response is sent. */
export function writeJsonBatch(items: readonly AnsweredItem[]): string {
  let responses = '';
  for (const item of items) {
    const isGroup = item.kind === 'group';
    for (const answer of isGroup ? item.answers : [item.answer]) {
      const response = writeResponse(answer, isGroup ? item.id : undefined);
      responses += responses === '' ? response : `,${response}`;
    }
  }
  return `{"responses":[${responses}]}`;
}

const BATCH_MEMBERS: ReadonlySet<string> = new Set(['requests']);

const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'method',
  'url',
  'headers',
  'body',
  'atomicityGroup',
  'dependsOn',
  'if',
]);

/** Maximum length of an id, since every response repeats it. */
const ID_LENGTH = 255;

/** Maximum number of reported mistakes, so that a malformed body cannot cause an even larger response. */
const MISTAKE_LIMIT = 100;

class Mistakes {
  readonly #details: FaultDetail[] = [];

  readonly report: Report = (target, message) => {
    this.#details.push({ code: 'request.body', message, target });
    if (this.#details.length >= MISTAKE_LIMIT) this.raise();
  };

  /** Throws: request.body if there are mistakes. */
  raise(): void {
    if (this.#details.length === 0) return;
    const reason = 'its requests have mistakes';
    throw new Fault('request.body', { reason }, { details: this.#details });
  }
}

type Report = (target: string, message: string) => void;

function readEntry(item: JsonInput, target: string, report: Report): Entry {
  const entry: JsonObject = isJsonObject(item) ? item : {};
  if (!isJsonObject(item)) report(target, 'A request must be an object.');
  const text = (name: string): string | undefined => {
    const value = entry[name];
    if (value === undefined || typeof value === 'string') return value;
    report(`${target}/${name}`, `${name} must be a string.`);
    return undefined;
  };
  const required = (name: string): string | undefined => {
    const value = text(name);
    const isMissing = isJsonObject(item) && (entry[name] === undefined || value === '');
    if (isMissing) report(`${target}/${name}`, `${name} is missing.`);
    return value;
  };
  const group = text('atomicityGroup');
  const [id, method, url] = [required('id'), required('method')?.toUpperCase(), required('url')];
  const headers = readHeaderObject(entry.headers, `${target}/headers`, report);
  const body = readBody(entry.body, headers);
  rejectUnknown(entry, { target: `${target}/`, known: MEMBERS }, report);
  if (id !== undefined && id !== '') checkId(id, `${target}/id`, report);
  if (body !== undefined && (method === 'GET' || method === 'DELETE'))
    report(`${target}/body`, `A ${method} request has no body.`);
  const request = {
    id,
    method: method ?? '',
    url: url ?? '',
    headers,
    body,
    dependsOn: readStrings(entry.dependsOn, `${target}/dependsOn`, report),
    condition: text('if'),
  };
  return { request, group };
}

/** Reports members that are neither known nor control information. @param target the place of the object, up to its members */
function rejectUnknown(
  object: JsonObject,
  { target, known }: { readonly target: string; readonly known: ReadonlySet<string> },
  report: Report,
): void {
  for (const name of Object.keys(object))
    if (!known.has(name) && !name.includes('@'))
      report(`${target}${name}`, `There is no member "${name}".${didYouMean(name, known)}`);
}

function checkId(id: string, target: string, report: Report): void {
  if (isRequestId(id) && id.length <= ID_LENGTH) return;
  const text = JSON.stringify(id.slice(0, 60));
  const expected = `at most ${ID_LENGTH} letters, digits, "-", ".", "_" and "~"`;
  report(target, `The id ${text} is not valid. Use ${expected}.`);
}

function readHeaderObject(
  value: JsonInput | undefined,
  target: string,
  report: Report,
): Map<string, string> {
  if (value === undefined) return new Map();
  if (!isJsonObject(value)) report(target, 'headers must be an object.');
  const headers = new Map<string, string>();
  for (const [name, text] of Object.entries(isJsonObject(value) ? value : {})) {
    if (typeof text === 'string') headers.set(name.toLowerCase(), text);
    else report(`${target}/${name}`, 'A header must be a string.');
  }
  return headers;
}

/** Reads a body: JSON as a value, text as a string, anything else as base64url. */
function readBody(
  value: JsonInput | undefined,
  headers: Map<string, string>,
): Uint8Array | undefined {
  if (value === undefined || value === null) return undefined;
  const type = headers.get('content-type') ?? 'application/json';
  if (typeof value !== 'string' || /^application\/(?:json|[\w.+-]+\+json)\b/i.test(type)) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return Buffer.from(printJson(value), 'utf8');
  }
  if (!/^text\//i.test(type)) return Buffer.from(value, 'base64url');
  // The text is a JSON string, whatever its charset was: its bytes are UTF-8 now.
  headers.set('content-type', type.replace(/(;\s*charset\s*=)[^;]*/i, '$1utf-8'));
  return Buffer.from(value, 'utf8');
}

function readStrings(
  value: JsonInput | undefined,
  target: string,
  report: Report,
): readonly string[] {
  if (value === undefined) return [];
  const list = isJsonArray(value) ? value : [value];
  if (list.some((item) => typeof item !== 'string'))
    report(target, 'dependsOn must be an array of ids.');
  return list.filter((item) => typeof item === 'string');
}

function checkOrder(entries: readonly Entry[], report: Report): void {
  const earlier = new Set<string>();
  const closed = new Set<string>();
  const groups = new Set(entries.flatMap(({ group }) => (group === undefined ? [] : [group])));
  entries.forEach(({ request, group }, index) => {
    const target = `requests[${index}]`;
    const { id } = request;
    if (id !== undefined && (earlier.has(id) || groups.has(id)))
      report(`${target}/id`, `The id "${id}" is used twice.`);
    if (group !== undefined && closed.has(group))
      report(
        `${target}/atomicityGroup`,
        `The requests of the group "${group}" must be consecutive.`,
      );
    for (const other of request.dependsOn) {
      if (!earlier.has(other) && !(groups.has(other) && closed.has(other)))
        report(`${target}/dependsOn`, `"${other}" is not the id of an earlier request or group.`);
    }
    if (id !== undefined) earlier.add(id);
    if (group !== undefined && entries[index + 1]?.group !== group) closed.add(group);
  });
}

function groupEntries(entries: readonly Entry[]): readonly BatchItem[] {
  const items: BatchItem[] = [];
  for (const { request, group } of entries) {
    const last = items.at(-1);
    if (group === undefined) items.push({ kind: 'request', request });
    else if (last?.kind === 'group' && last.id === group)
      items[items.length - 1] = { ...last, requests: [...last.requests, request] };
    else items.push({ kind: 'group', id: group, requests: [request] });
  }
  return items;
}

function writeResponse(
  { id, status, headers, requestId, body }: BatchAnswer,
  group: string | undefined,
): string {
  const named = id === undefined ? '' : `"id":${quoted(id)},`;
  const grouped = group === undefined ? '' : `"atomicityGroup":${quoted(group)},`;
  const hasBody = body !== undefined && body.length > 0;
  const content = hasBody ? `,"body":${writeBody(headers['Content-Type'] ?? '', body)}` : '';
  return `{${named}${grouped}"status":${status},"headers":{${writeHeaders(headers)}"x-request-id":${quoted(requestId)}}${content}}`;
}

/** Writes a body: JSON unchanged, text as a string, anything else as base64url. */
function writeBody(type: string, body: string | Uint8Array): string {
  const text = () => (typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  if (/^application\/(?:json|[\w.+-]+\+json)\b/i.test(type)) return text();
  if (/^text\//i.test(type)) return JSON.stringify(text());
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
  return JSON.stringify(bytes.toString('base64url'));
}

/** Writes headers with lower-case names, each followed by a comma. */
function writeHeaders(headers: BatchAnswer['headers']): string {
  let written = '';
  for (const name in headers) written += `"${name.toLowerCase()}":${quoted(headers[name] ?? '')},`;
  return written;
}

/** A JSON string. Fast for the usual text without characters to escape. */
function quoted(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
