// This file receives the file of an import: the body itself, or the file of a form, as browsers and `curl -F` send it.
import { chunksOf, readAll } from '../../attachments/byte-streams.ts';
import { Fault } from '../../base/fault.ts';
import { XLSX } from '../../request/headers/export-formats.ts';
import { readFile } from '../files/uploads.ts';
import type { ImportRequest } from './import-request.ts';

export interface SentFile {
  /** The media type without parameters. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Types by the extension of the file name, as forms often lack the type. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['xlsx', XLSX],
  ['ndjson', 'application/x-ndjson'],
  ['jsonl', 'application/jsonl'],
]);

/** Throws: request.media-type, file.form. */
export async function readSentFile({ call, tree }: ImportRequest): Promise<SentFile> {
  const bytes = call.body ?? new Uint8Array();
  const { contentType } = tree.negotiated;
  if (contentType?.name !== 'multipart/form-data') {
    requireUnicode(contentType?.parameters.get('charset'));
    return { type: contentType?.name ?? '', bytes };
  }
  // The body has been decompressed already.
  const headers = { 'content-type': call.headers['content-type'] };
  const file = await readFile(chunksOf(bytes), headers);
  const [type = ''] = file.mediaType.toLowerCase().split(';');
  const [, extension = ''] = /\.(\w+)$/.exec(file.fileName ?? '') ?? [];
  return {
    type: TYPES.get(extension.toLowerCase()) ?? type.trim(),
    bytes: await readAll(file.bytes),
  };
}

/** Throws: request.media-type. */
function requireUnicode(charset: string | undefined): void {
  if (charset === undefined || /^"?utf-?(?:8|16)"?$/i.test(charset)) return;
  const parameters = { type: `charset=${charset}`, supported: 'charset=utf-8 or charset=utf-16' };
  throw new Fault('request.media-type', parameters, { target: 'Content-Type' });
}
