// This file answers with the bytes of files: whole, in ranges, or not at all where the client has them. Nothing of a file is ever shown
// as a page of this service: it is a download, of the type that was stored, which browsers must not guess anew.
// Sources: RFC 9110, "Range Requests", "Conditional Requests"; RFC 6266, RFC 8187 for file names; RFC 9530 for Repr-Digest.
import { Readable } from 'node:stream';
import type { ByteRange } from '../../attachments/store.ts';
import type { Vault } from '../../attachments/vault.ts';
import { Fault } from '../../base/fault.ts';
import type { Conditions } from '../../request/headers/entity-tags.ts';
import { accepts, plainMediaType } from '../../request/headers/media-types.ts';
import type { EntityTags, Tree } from '../../request/tree.ts';
import { headersOf } from '../../response/headers.ts';
import type { Answer, ByteSource } from '../../response/response.ts';
import type { Call } from '../service.ts';

/** What a row tells of its bytes. */
export interface FileRow {
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
  readonly file: FileRow;
  readonly conditions: Conditions;
}

/** Ranges of one request; who asks for more gets the whole. */
const MOST_RANGES = 32;

/**
 * The bytes. Faults request.not-acceptable (406), response.changed (412), file.range (416), and those of the store.
 */
export async function answerBytes(download: Download): Promise<Answer> {
  const { call, tree, file, conditions } = download;
  requireAcceptable(tree, file);
  const etag = `"${file.sha256}"`;
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifMatch !== undefined && !isAmong(ifMatch, file.sha256, false))
    throw new Fault('response.changed', { etag }, { target: 'If-Match' });
  const headers = { ...headersOf(tree.wishes, { etag }), ...headersOfFile(file) };
  if (ifNoneMatch !== undefined && isAmong(ifNoneMatch, file.sha256, true))
    return { status: 304, headers, body: undefined };
  const ranges = call.method === 'GET' ? rangesOf(call, file, etag) : undefined;
  if (ranges === undefined) return await whole(download, headers);
  const [first, ...more] = ranges;
  if (first === undefined)
    throw new Fault(
      'file.range',
      { size: file.size, range: String(call.headers.range).slice(0, 100) },
      { target: 'Range', headers: { 'Content-Range': `bytes */${file.size}` } },
    );
  return more.length === 0
    ? await partial(download, headers, first)
    : await several(download, headers, ranges);
}

function requireAcceptable({ wishes }: Tree, { mediaType }: FileRow): void {
  const name = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (accepts(wishes.accept, name)) return;
  const accept = wishes.accept.map((range) => range.name).join(', ');
  const supported = `it can be given as ${name}`;
  throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
}

/** RFC 9110, "Comparison": If-Match compares strongly. */
function isAmong(tags: EntityTags, sha256: string, takesWeak: boolean): boolean {
  if (tags.kind === 'any') return true;
  return tags.tags.some(({ weak, value }) => value === sha256 && (takesWeak || !weak));
}

type Headers = Readonly<Record<string, string>>;

function headersOfFile({ mediaType, sha256, fileName }: FileRow): Headers {
  return {
    'Content-Type': plainMediaType(mediaType) ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    'Content-Disposition': disposition(fileName),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Repr-Digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  };
}

/** The name twice: in ASCII for old clients, and as it is. RFC 6266, "Examples". */
function disposition(fileName: string | null): string {
  if (fileName === null || fileName === '') return 'attachment';
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
  const simple = `attachment; filename="${plain}"`;
  return plain === fileName ? simple : `${simple}; filename*=UTF-8''${percentEncoded(fileName)}`;
}

/** RFC 8187, "Definition": all but attr-char. */
function percentEncoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

/** The ranges that lie in the file; undefined where all of it is to be given. RFC 9110, "Range", "If-Range". */
function rangesOf(
  { headers }: Call,
  { size }: FileRow,
  etag: string,
): readonly ByteRange[] | undefined {
  const { range, 'if-range': condition } = headers;
  if (range === undefined || (condition !== undefined && condition.trim() !== etag))
    return undefined;
  const set = /^bytes=(.*)$/i.exec(range.trim())?.[1];
  const specs = set?.split(',').map((spec) => /^\s*(\d*)-(\d*)\s*$/.exec(spec)) ?? [];
  if (specs.length === 0 || specs.length > MOST_RANGES) return undefined;
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

/** Ranges that come to more than the file are no use to anybody. */
function isWasteful(ranges: readonly ByteRange[], size: number): boolean {
  return ranges.length > 1 && ranges.reduce((sum, range) => sum + lengthOf(range), 0) > size;
}

function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

async function whole(download: Download, headers: Headers): Promise<Answer> {
  const { file } = download;
  return await withSource(
    download,
    { status: 200, headers, length: file.size },
    async (vault) => await vault.open(file),
  );
}

async function partial(download: Download, headers: Headers, range: ByteRange): Promise<Answer> {
  const { file } = download;
  const told = { ...headers, 'Content-Range': contentRange(range, file) };
  const length = lengthOf(range);
  return await withSource(
    download,
    { status: 206, headers: told, length },
    async (vault) => await vault.open(file, range),
  );
}

/** RFC 9110, "Media Type multipart/byteranges". */
async function several(
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
  const told = { ...headers, 'Content-Type': `multipart/byteranges; boundary=${boundary}` };
  return await withSource(download, { status: 206, headers: told, length }, async (vault) => {
    const [first, ...more] = parts;
    const opened = first === undefined ? undefined : await vault.open(file, first.range);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(first?.head ?? '');
      if (opened !== undefined) yield* opened;
      for (const { range, head } of more) {
        yield Buffer.from(head);
        yield* await vault.open(file, range);
      }
      yield Buffer.from(end);
    }
    const stream = Readable.from(pieces());
    // A generator that was never begun does not end what it was to read.
    return stream.once('close', () => opened?.destroy());
  });
}

function contentRange({ first, last }: ByteRange, { size }: FileRow): string {
  return `bytes ${first}-${last}/${size}`;
}

interface Described {
  readonly status: number;
  readonly headers: Headers;
  /** Bytes. */
  readonly length: number;
}

/** The answer; HEAD is told everything but the bytes, which are not even looked for. */
async function withSource(
  { call, vault }: Download,
  { status, headers, length }: Described,
  open: (vault: Vault) => Promise<ByteSource>,
): Promise<Answer> {
  if (call.method === 'HEAD')
    return { status, headers: { ...headers, 'Content-Length': String(length) }, body: undefined };
  return {
    status,
    headers: { ...headers, 'Content-Length': String(length) },
    body: undefined,
    source: await open(vault),
  };
}

/** The answer with its bytes in memory, for what cannot be streamed: parts of a batch. Fault batch.too-large. */
export async function inMemory(answer: Answer, limit: number): Promise<Answer> {
  const { source, ...rest } = answer;
  if (source === undefined) return answer;
  if (Number(answer.headers['Content-Length'] ?? 0) > limit) {
    source.destroy();
    throw new Fault('batch.too-large', { limit });
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return { ...rest, body: Buffer.concat(pieces) };
}
