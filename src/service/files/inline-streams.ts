// This file inlines the content of streams into JSON responses: JSON unchanged, text as a string, anything else as base64url. Content
// that is not the text or JSON its media type claims is annotated as #Binary. OData JSON Format 4.01, "Stream Property".
import { readAll } from '../../attachments/byte-streams.ts';
import type { Vault } from '../../attachments/vault.ts';
import { Fault } from '../../base/fault.ts';
import { isJsonText } from '../../edm/value/lossless-json.ts';
import type { Answer } from '../../response/response.ts';
import { MARKER } from '../../sql/read/file-json.ts';
import type { DownloadFile } from './download.ts';

/** Maximum size of all inline files in one response. */
export const INLINE_BYTES_LIMIT = 8_388_608;

/** A placeholder in the JSON of a record. */
interface Mark {
  /** Name of the member with the content. */
  readonly name: string;
  /** Name of the annotation with the member's type. */
  readonly typeName: string;
  readonly file: DownloadFile;
}

/** Replaces the placeholders in a response with the content of their files. Throws: file.shown, and the faults of the store. */
export async function withInlineFiles(answer: Answer, vault: Vault): Promise<Answer> {
  if (typeof answer.body !== 'string' || !answer.body.includes(MARKER)) return answer;
  // Even parts are text, odd parts are placeholders.
  const parts = answer.body.split(MARKER);
  const marks = parts.map((part, index): Mark | undefined =>
    index % 2 === 0 ? undefined : JSON.parse(part),
  );
  checkSize(marks);
  const texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    const mark = marks[index];
    if (mark === undefined) texts.push(part);
    else texts.push(writeMember(mark, await readAll(await vault.open(mark.file))));
  }
  return { ...answer, body: texts.join('') };
}

function checkSize(marks: readonly (Mark | undefined)[]): void {
  const size = marks.reduce((sum, mark) => sum + (mark?.file.size ?? 0), 0);
  if (size > INLINE_BYTES_LIMIT) {
    throw new Fault('file.shown', { size, limit: INLINE_BYTES_LIMIT }, { target: '$expand' });
  }
}

function writeMember({ name, typeName, file }: Mark, bytes: Buffer): string {
  const value = toJson(file.mediaType, bytes);
  if (value !== undefined) return `${JSON.stringify(name)}:${value}`;
  const encoded = `${JSON.stringify(name)}:${JSON.stringify(bytes.toString('base64url'))}`;
  return claimsText(file.mediaType) ? `${JSON.stringify(typeName)}:"#Binary",${encoded}` : encoded;
}

const IS_JSON = /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i;
const IS_TEXT = /^text\//i;

/** Whether the media type is text or JSON. */
function claimsText(mediaType: string): boolean {
  return IS_JSON.test(mediaType) || IS_TEXT.test(mediaType);
}

/** The content as JSON text; undefined if it is not the text or JSON that its media type claims. */
function toJson(mediaType: string, bytes: Buffer): string | undefined {
  if (!claimsText(mediaType) || !isUnicode(mediaType)) return undefined;
  const text = decoded(bytes);
  if (text === undefined) return undefined;
  if (IS_TEXT.test(mediaType)) return JSON.stringify(text);
  return isJsonText(text) ? text.trim() : undefined;
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
