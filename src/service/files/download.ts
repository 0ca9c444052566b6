// This file answers downloads of files: in full, in ranges, or with 304. Responses are attachments with their stored media type and
// `nosniff`, so that browsers never render a file as a page of this service.
// Sources: RFC 9110, "Range Requests", "Conditional Requests"; RFC 6266, RFC 8187 for file names; RFC 9530 for Repr-Digest.
import { Readable } from 'node:stream';
import { readAll } from '../../attachments/byte-streams.ts';
import type { ByteRange } from '../../attachments/store.ts';
import type { Vault } from '../../attachments/vault.ts';
import { Fault } from '../../base/fault.ts';
import type { Conditions } from '../../request/headers/entity-tags.ts';
import { accepts, plainMediaType } from '../../request/headers/media-types.ts';
import type { EntityTags, Tree } from '../../request/tree.ts';
import { headersOf } from '../../response/headers.ts';
import type { Answer, ByteSource } from '../../response/response.ts';
import type { Call } from '../service.ts';

/** Metadata of a file, from its row. */
export interface DownloadFile {
  readonly key: string;
  readonly store: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly fileName: string | null;
}

export interface Download {
  readonly call: Call;
  readonly tree: Tree;
  readonly vault: Vault;
  readonly file: DownloadFile;
  readonly conditions: Conditions;
}

/** Maximum of ranges in one request. With more, the response is the complete file. */
const RANGE_LIMIT = 32;

/** Answers a download. Throws: request.not-acceptable, response.changed, file.range, and the faults of the store. */
export async function answerDownload(download: Download): Promise<Answer> {
  const { call, tree, file, conditions } = download;
  requireAcceptable(tree, file);
  const etag = `"${file.sha256}"`;
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifMatch !== undefined && !isAmong(ifMatch, file.sha256, false))
    throw new Fault('response.changed', { etag }, { target: 'If-Match' });
  const headers = { ...headersOf(tree.negotiated, { etag }), ...headersOfFile(file) };
  if (ifNoneMatch !== undefined && isAmong(ifNoneMatch, file.sha256, true))
    return { status: 304, headers, body: undefined };
  const ranges = call.method === 'GET' ? rangesOf(call, file, etag) : undefined;
  if (ranges === undefined) return await answerComplete(download, headers);
  const [first, ...more] = ranges;
  if (first === undefined)
    throw new Fault(
      'file.range',
      { size: file.size, range: String(call.headers.range).slice(0, 100) },
      { target: 'Range', headers: { 'Content-Range': `bytes */${file.size}` } },
    );
  return more.length === 0
    ? await answerRange(download, headers, first)
    : await answerRanges(download, headers, ranges);
}

function requireAcceptable({ negotiated }: Tree, { mediaType }: DownloadFile): void {
  const name = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (accepts(negotiated.accept, name)) return;
  const accept = negotiated.accept.map((range) => range.name).join(', ');
  const supported = `the file is available as ${name}`;
  throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
}

/** If-Match compares strongly. RFC 9110, "Comparison". */
function isAmong(tags: EntityTags, sha256: string, allowsWeak: boolean): boolean {
  if (tags.kind === 'any') return true;
  return tags.tags.some(({ weak, value }) => value === sha256 && (allowsWeak || !weak));
}

type Headers = Readonly<Record<string, string>>;

function headersOfFile({ mediaType, sha256, fileName }: DownloadFile): Headers {
  return {
    'Content-Type': plainMediaType(mediaType) ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    'Content-Disposition': disposition(fileName),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  };
}

/** The name in ASCII for old clients, and in UTF-8 if it differs. RFC 6266, "Examples". */
export function disposition(fileName: string | null): string {
  if (fileName === null || fileName === '') return 'attachment';
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
  const simple = `attachment; filename="${ascii}"`;
  return ascii === fileName ? simple : `${simple}; filename*=UTF-8''${percentEncoded(fileName)}`;
}

/** Encodes everything but attr-char. RFC 8187, "Definition". */
function percentEncoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

/** The satisfiable ranges; undefined if the response is the complete file. RFC 9110, "Range", "If-Range". */
function rangesOf(
  { headers }: Call,
  { size }: DownloadFile,
  etag: string,
): readonly ByteRange[] | undefined {
  const { range, 'if-range': condition } = headers;
  if (range === undefined || (condition !== undefined && condition.trim() !== etag))
    return undefined;
  const set = /^bytes=(.*)$/i.exec(range.trim())?.[1];
  const specs = set?.split(',').map((spec) => /^\s*(\d*)-(\d*)\s*$/.exec(spec)) ?? [];
  if (specs.length === 0 || specs.length > RANGE_LIMIT) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const [, from = '', to = ''] = spec ?? [];
    const isInvalid =
      (from === '' && to === '') || (from !== '' && to !== '' && Number(to) < Number(from));
    if (isInvalid) return undefined;
    const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
    const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
    if (first <= last) ranges.push({ first, last });
  }
  return isWasteful(ranges, size) ? undefined : ranges;
}

/** Whether the ranges add up to more than the file, so that the complete file is smaller. */
function isWasteful(ranges: readonly ByteRange[], size: number): boolean {
  return ranges.length > 1 && ranges.reduce((sum, range) => sum + lengthOf(range), 0) > size;
}

function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

async function answerComplete(download: Download, headers: Headers): Promise<Answer> {
  const { file } = download;
  const head = { status: 200, headers, length: file.size };
  return await withSource(download, head, async (vault) => await vault.open(file));
}

async function answerRange(
  download: Download,
  headers: Headers,
  range: ByteRange,
): Promise<Answer> {
  const { file } = download;
  const partHeaders = { ...headers, 'Content-Range': contentRange(range, file) };
  const head = { status: 206, headers: partHeaders, length: lengthOf(range) };
  return await withSource(download, head, async (vault) => await vault.open(file, range));
}

/** Answers with multipart/byteranges. RFC 9110, "Media Type multipart/byteranges". */
async function answerRanges(
  download: Download,
  headers: Headers,
  ranges: readonly ByteRange[],
): Promise<Answer> {
  const { file } = download;
  const boundary = `docket-${file.sha256.slice(0, 24)}`;
  const parts = ranges.map((range) => ({
    range,
    head: `\r\n--${boundary}\r\nContent-Type: ${file.mediaType}\r\nContent-Range: ${contentRange(range, file)}\r\n\r\n`,
  }));
  const end = `\r\n--${boundary}--\r\n`;
  const length = parts.reduce(
    (sum, { range, head }) => sum + Buffer.byteLength(head) + lengthOf(range),
    end.length,
  );
  const type = `multipart/byteranges; boundary=${boundary}`;
  const head = { status: 206, headers: { ...headers, 'Content-Type': type }, length };
  return await withSource(download, head, async (vault) => {
    const [first, ...more] = parts;
    const opened = first === undefined ? undefined : await vault.open(file, first.range);
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(first?.head ?? '');
      if (opened !== undefined) yield* opened;
      for (const { range, head } of more) {
        yield Buffer.from(head);
        yield* await vault.open(file, range);
      }
      yield Buffer.from(end);
    }
    const stream = Readable.from(chunks());
    // A generator that was never started does not close its source.
    return stream.once('close', () => opened?.destroy());
  });
}

function contentRange({ first, last }: ByteRange, { size }: DownloadFile): string {
  return `bytes ${first}-${last}/${size}`;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  /** Bytes. */
  readonly length: number;
}

/** The response with its content. HEAD does not open the file. */
async function withSource(
  { call, vault }: Download,
  { status, headers: all, length }: ResponseHead,
  open: (vault: Vault) => Promise<ByteSource>,
): Promise<Answer> {
  const headers = { ...all, 'Content-Length': String(length) };
  if (call.method === 'HEAD') return { status, headers, body: undefined };
  return { status, headers, body: undefined, source: await open(vault) };
}

/** Reads the content of a response into memory, for parts of a batch and stored responses. Throws: batch.too-large. */
export async function inMemory(answer: Answer, limit: number): Promise<Answer> {
  const { source, ...rest } = answer;
  if (source === undefined) return answer;
  const tooLarge = new Fault('batch.too-large', { limit });
  if (Number(answer.headers['Content-Length'] ?? 0) > limit) {
    source.destroy();
    throw tooLarge;
  }
  return { ...rest, body: await readAll(source, { limit, tooLarge }) };
}
