// This file puts the bytes of files into the records that were asked for with them: JSON as it is, text as a string, everything else
// in base64url, and so told, where the type promises text or JSON that the bytes are not. OData JSON Format 4.01, "Stream Property".
import type { Vault } from '../../attachments/vault.ts';
import { Fault } from '../../base/fault.ts';
import type { Answer } from '../../response/response.ts';
import { MARK } from '../../sql/read/file-json.ts';
import type { FileRow } from './download.ts';

/** Bytes of all files that one answer may hold. Larger ones are read at their own addresses. */
export const SHOWN_BYTES = 8_388_608;

/** What a mark in a record says. */
interface Mark {
  /** The member that the bytes become. */
  readonly name: string;
  /** The annotation that tells the member's type. */
  readonly typeName: string;
  readonly file: FileRow;
}

/** The answer with the bytes in the place of their marks. Faults file.shown (413), and those of the store. */
export async function withFiles(answer: Answer, vault: Vault): Promise<Answer> {
  if (typeof answer.body !== 'string' || !answer.body.includes(MARK)) return answer;
  // What stands between two marks comes first, then a mark, and so on.
  const parts = answer.body.split(MARK);
  const marks = parts.map((part, index): Mark | undefined =>
    index % 2 === 0 ? undefined : JSON.parse(part),
  );
  requireFew(marks);
  const shown: string[] = [];
  for (const [index, part] of parts.entries()) {
    const mark = marks[index];
    shown.push(mark === undefined ? part : member(mark, await bytesOf(vault, mark.file)));
  }
  return { ...answer, body: shown.join('') };
}

/** Looked at before a byte is read. */
function requireFew(marks: readonly (Mark | undefined)[]): void {
  const size = marks.reduce((sum, mark) => sum + (mark?.file.size ?? 0), 0);
  if (size > SHOWN_BYTES) {
    throw new Fault('file.shown', { size, limit: SHOWN_BYTES }, { target: '$expand' });
  }
}

async function bytesOf(vault: Vault, file: FileRow): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await vault.open(file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function member({ name, typeName, file }: Mark, bytes: Buffer): string {
  const value = asJson(file.mediaType, bytes);
  if (value !== undefined) return `${JSON.stringify(name)}:${value}`;
  const coded = `${JSON.stringify(name)}:${JSON.stringify(bytes.toString('base64url'))}`;
  return promises(file.mediaType) ? `${JSON.stringify(typeName)}:"#Binary",${coded}` : coded;
}

const IS_JSON = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;
const IS_TEXT = /^text\//i;

/** Whether a reader would expect JSON or a text. */
function promises(mediaType: string): boolean {
  return IS_JSON.test(mediaType) || IS_TEXT.test(mediaType);
}

/** The bytes as JSON or as a text, where their type says so and they are that. */
function asJson(mediaType: string, bytes: Buffer): string | undefined {
  if (!promises(mediaType) || !isUnicode(mediaType)) return undefined;
  const text = decoded(bytes);
  if (text === undefined) return undefined;
  if (IS_TEXT.test(mediaType)) return JSON.stringify(text);
  return isJson(text) ? text.trim() : undefined;
}

function isUnicode(mediaType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(mediaType)?.[1]?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'us-ascii';
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
