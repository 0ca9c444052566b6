// This file parses the bytes of a message within limits. RFC 5322; RFC 2045 to 2047.
import PostalMime, { type Address, addressParser, type Email } from 'postal-mime';
import { fallbackSource, standardSource, withoutControls } from './fallback-charset.ts';
import { decodeFlowedText } from './flowed-text.ts';
import { type Headers, type MailFile, type Message, MessageError, messageIds } from './message.ts';
import { reportedHeaders } from './reported-headers.ts';

const DEPTH_LIMIT = 20;
const PART_LIMIT = 500;
const HEADER_LIMIT = 262_144;
const REPLACEMENT = '\ufffd';

/** Throws: MessageError. */
export async function parseMessage(raw: Uint8Array): Promise<Message> {
  if (raw.includes(0)) throw new MessageError('The message contains NUL bytes.');
  const source = standardSource(raw);
  if (hasTooManyParts(source))
    throw new MessageError(`The message has more than ${PART_LIMIT} parts.`);
  const email = await parse(source);
  const isDamaged = [email.subject, email.text, email.html, email.from?.name].some(hasReplacement);
  const fallback = isDamaged ? await parse(fallbackSource(source)) : undefined;
  return messageOf(email, fallback);
}

/** Counts the lines that begin a part, because the package joins parts of text without counting them. RFC 2046, section 5.1.1. */
function hasTooManyParts(source: Uint8Array): boolean {
  const text = Buffer.from(source).toString('latin1');
  const declared = text.matchAll(/\bboundary[ \t]*=[ \t]*(?:"([^"\r\n]+)"|([^\s";]+))/gi);
  const boundaries = new Set([...declared].map(([, quoted, plain]) => quoted ?? plain ?? ''));
  const starts = text.matchAll(/^--(.*)$/gm);
  let count = 0;
  for (const [, boundary = ''] of starts)
    if (boundaries.has(boundary.trimEnd()) && ++count > PART_LIMIT) return true;
  return false;
}

async function parse(raw: Uint8Array): Promise<Email> {
  try {
    return await new FlowedMime({
      maxNestingDepth: DEPTH_LIMIT,
      maxHeadersSize: HEADER_LIMIT,
      forceRfc822Attachments: true,
    }).parse(raw);
  } catch (error) {
    throw new MessageError(error instanceof Error ? error.message : String(error));
  }
}

/** The package joins lines of quotations of different depths. It calls this method for each part of a message, and that of the part for its text. */
class FlowedMime extends PostalMime {
  collectNode(node: object, ...context: readonly unknown[]): unknown {
    const collect = Reflect.get(PostalMime.prototype, 'collectNode');
    return Reflect.apply(collect, this, [Object.assign(node, { decodeFlowedText }), ...context]);
  }
}

function messageOf(email: Email, fallback: Email | undefined): Message {
  const headers = headersOf(email);
  const ids = (name: string) => messageIds(headers.get(name));
  const from = mailboxes([email.from ?? email.sender]).at(0);
  const name = choose(from?.name, mailboxes([fallback?.from ?? fallback?.sender]).at(0)?.name);
  const files = email.attachments.map(fileOf);
  return {
    fields: email.headers.map(({ key, value }) => ({ name: key, value })),
    headers,
    messageId: ids('message-id').at(0),
    inReplyTo: ids('in-reply-to'),
    references: ids('references'),
    reported: reportedHeaders(headers, files),
    from: from === undefined ? undefined : { address: from.address, name: clean(name) ?? '' },
    senders: sendersIn(email),
    to: addressesOf(email.to),
    cc: addressesOf(email.cc),
    subject: (clean(choose(email.subject, fallback?.subject)) ?? '').replace(/\s+/g, ' ').trim(),
    text: clean(choose(email.text, fallback?.text)),
    html: clean(choose(email.html, fallback?.html)),
    language: languageOf(headers),
    files,
    keepsRaw: fallback !== undefined || isProtected(headers, files) || lacksParts(email),
  };
}

/** The text, or that in the fallback encoding if it has bytes that are invalid in its own. */
function choose(text: string | undefined, fallback: string | undefined): string | undefined {
  // A valid character U+FFFD reads as this in windows-1252.
  const isValid = !hasReplacement(text) || fallback === undefined || fallback.includes('ï¿½');
  return isValid ? text : fallback;
}

function hasReplacement(text: string | undefined): boolean {
  return text?.includes(REPLACEMENT) === true;
}

/** No database stores NUL in a text. */
function clean(text: string | undefined): string | undefined {
  return text === undefined ? undefined : withoutControls(text.replaceAll('\0', REPLACEMENT));
}

function headersOf({ headers }: Email): Headers {
  const found = new Map<string, string[]>();
  for (const { key, value } of headers) found.set(key, [...(found.get(key) ?? []), value]);
  return found;
}

function mailboxes(addresses: readonly (Address | undefined)[] = []) {
  const isPresent = (address: Address | undefined) => address !== undefined;
  return addresses.filter(isPresent).flatMap((one) => one.group ?? [one]);
}

/** Of several senders, the package returns one. */
function sendersIn({ headerLines }: Email): number {
  const lines = headerLines.filter(({ key }) => key === 'from');
  const texts = lines.map(({ line }) => line.slice(line.indexOf(':') + 1));
  return mailboxes(texts.flatMap((text) => addressParser(text))).filter(
    ({ address }) => address?.includes('@') === true,
  ).length;
}

function addressesOf(addresses: readonly Address[] | undefined): readonly string[] {
  const found = mailboxes(addresses).map(({ address }) => clean(address) ?? '');
  return found.filter((address) => address !== '');
}

function fileOf({
  filename,
  mimeType,
  content,
  contentId,
}: Email['attachments'][number]): MailFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    name: clean(filename ?? undefined),
    mediaType: mimeType,
    bytes,
    contentId: contentId?.replace(/^<|>$/g, ''),
  };
}

/** The first language tag of Content-Language, or of Accept-Language. */
function languageOf(headers: Headers): string | undefined {
  const tags = [
    ...(headers.get('content-language') ?? []),
    ...(headers.get('accept-language') ?? []),
  ];
  return /^\s*([a-z]{2,3}(?:-[a-z]{2})?)\b/i.exec(tags[0] ?? '')?.[1];
}

/** Whether the message is signed or encrypted by S/MIME or PGP. */
function isProtected(headers: Headers, files: readonly MailFile[]): boolean {
  const type = headers.get('content-type')?.[0] ?? '';
  return (
    /^\s*(multipart\/(signed|encrypted)|application\/(x-)?pkcs7-mime)/i.test(type) ||
    files.some(({ mediaType }) => mediaType === 'application/pgp-encrypted')
  );
}

/** Whether nothing was found in a message of parts, such as one whose boundary is missing or wrong. RFC 2046, section 5.1. */
function lacksParts({ text, html, attachments, headers }: Email): boolean {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? '';
  const isEmpty = attachments.length === 0 && [text, html].every((one) => !one?.trim());
  return isEmpty && /^\s*multipart\//i.test(type);
}
