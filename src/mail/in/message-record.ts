// This file writes the body of the request that creates the record of a message, as the model declares it.
import { createHash } from 'node:crypto';
import { filePartOf } from '../../bind/body/uploaded-file-names.ts';
import { type EntityType, type MailRecord, type Model, memberAt } from '../../edm/model.ts';
import { textOf } from './html-text.ts';
import { type Delivery, type MailFile, MESSAGE_TYPE, type Message } from './message.ts';
import { markQuotedText } from './quoted-text.ts';
import { sanitizeHtml } from './sanitize-html.ts';
import type { SenderTrust } from './sender-trust.ts';

/** The entity type with the declared members. */
export interface MailType {
  readonly model: Model;
  readonly type: EntityType;
  readonly mail: MailRecord;
}

type Values = Readonly<Record<string, unknown>>;

/** The body of the request that creates a record. */
export interface RecordBody {
  readonly values: Values;
  /** The files that the record lacks, with the reasons. */
  readonly droppedFiles: readonly string[];
}

/** Why the service rejects a file; undefined if it does not. */
export type Refusal = (file: Pick<MailFile, 'mediaType' | 'bytes'>) => string | undefined;

const NO_SUBJECT = '(no subject)';
const UNREADABLE = '(unreadable message)';
const RAW_NAME = 'message.eml';
const RAW: Pick<MailFile, 'name' | 'mediaType' | 'contentId'> = {
  name: RAW_NAME,
  mediaType: MESSAGE_TYPE,
  contentId: undefined,
};

/** The Message-ID, or one made of the bytes of a message that has none. */
export function identityOf(message: Message | undefined, { raw }: Pick<Delivery, 'raw'>): string {
  const digest = createHash('sha256').update(raw).digest('hex');
  return message?.messageId ?? `<${digest}@message.invalid>`;
}

/** The record of a message that could be parsed, without the files that are rejected: its text begins with their names and the reasons. */
export function recordOf(
  mailType: MailType,
  message: Message,
  delivery: Delivery,
  { sender, isAutomatic, distrust }: Omit<SenderTrust, 'mayAct'>,
  refusalOf: Refusal,
): RecordBody {
  const { mail } = mailType;
  const { files, droppedFiles } = storableFiles(message, delivery, refusalOf);
  const parent = message.inReplyTo[0] ?? message.references.at(-1);
  const text = message.text ?? (message.html === undefined ? undefined : textOf(message.html));
  const values = {
    ...textMembers(mailType, {
      subject: message.subject || NO_SUBJECT,
      messageId: identityOf(message, delivery),
      body: textAfter(droppedFiles, text === undefined ? undefined : markQuotedText(text)),
      bodyHtml: safeHtml(mailType, message, files),
      fromAddress: message.from?.address,
      fromName: message.from?.name || undefined,
      inReplyTo: parent,
      language: message.language,
      distrust,
    }),
    ...member(mail.to, fitting(mailType, mail.to, message.to)),
    ...member(mail.cc, fitting(mailType, mail.cc, message.cc)),
    ...member(mail.receivedAt, new Date(delivery.receivedAt).toISOString()),
    ...member(mail.automatic, isAutomatic),
    ...(mail.sender === undefined || sender === undefined
      ? {}
      : { [`${mail.sender}@odata.bind`]: sender }),
    [mail.files]: fileMembers(mailType, files),
  };
  return { values, droppedFiles };
}

/** The files of the message, and of the message itself if its exact bytes matter. */
function storableFiles(message: Message, delivery: Delivery, refusalOf: Refusal) {
  const rawFiles = message.keepsRaw ? [{ ...RAW, bytes: delivery.raw }] : [];
  const named = namedFiles([...message.files, ...rawFiles]);
  const dropped = new Map<string, string[]>();
  const files = named.filter((file, index) => {
    const reason = index < message.files.length ? refusalOf(asStored(file)) : undefined;
    if (reason !== undefined) dropped.set(reason, [...(dropped.get(reason) ?? []), file.name]);
    return reason === undefined;
  });
  const droppedFiles = [...dropped].map(
    ([reason, names]) => `Not stored: ${names.map((name) => `"${name}"`).join(', ')}. ${reason}`,
  );
  return { files, droppedFiles };
}

/** A quotation stays at the end of the text, where clients fold it. */
function textAfter(lines: readonly string[], text: string | undefined): string | undefined {
  if (lines.length === 0) return text;
  return [...lines, '', text ?? ''].join('\n').trimEnd();
}

/** The record of a message that cannot be parsed or stored: the reason, and its bytes. */
export function errorRecordOf(
  mailType: MailType,
  delivery: Delivery,
  reason: string,
  { identity, subject }: { readonly identity: string; readonly subject?: string | undefined },
): RecordBody {
  const { mail } = mailType;
  const files = [{ ...RAW, name: RAW_NAME, bytes: delivery.raw }];
  const texts = { subject: subject || UNREADABLE, messageId: identity, body: reason };
  const values = {
    ...textMembers(mailType, texts),
    ...member(mail.receivedAt, new Date(delivery.receivedAt).toISOString()),
    ...errorStatus(mailType),
    [mail.files]: fileMembers(mailType, files),
  };
  return { values, droppedFiles: [] };
}

function member(name: string | undefined, value: unknown): Values {
  return name === undefined ? {} : { [name]: value };
}

/** The members with texts, shortened to their maximum lengths. */
function textMembers(
  { model, type, mail }: MailType,
  texts: Readonly<Partial<Record<keyof MailRecord, string | undefined>>>,
): Values {
  const values: Record<string, unknown> = {};
  for (const [part, text] of Object.entries(texts)) {
    const name = mail[part as keyof MailRecord];
    if (name === undefined || text === undefined) continue;
    values[name] = shortened(text, lengthOf(model, type, name));
  }
  return values;
}

function lengthOf(model: Model, type: EntityType, path: string): number {
  const found = memberAt(model, type, path);
  const length = found?.kind === 'property' ? found.facets?.maxLength : undefined;
  return Number(length ?? Number.POSITIVE_INFINITY);
}

/** Does not split a character of two UTF-16 code units. */
function shortened(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** The addresses that the collection can hold. */
function fitting({ model, type }: MailType, name: string | undefined, all: readonly string[]) {
  const length = name === undefined ? 0 : lengthOf(model, type, name);
  return all.filter((address) => address.length <= length);
}

function errorStatus({ model, type, mail }: MailType): Values {
  const { status, errorStatus: text } = mail;
  if (status === undefined || text === undefined) return {};
  const found = memberAt(model, type, status);
  const isText = found?.kind === 'property' && found.type === 'Edm.String';
  const value: unknown = isText ? text : Number(text);
  const nested = status.split('/').reduceRight((inner, step) => ({ [step]: inner }), value);
  return Object(nested);
}

interface NamedFile extends MailFile {
  readonly name: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'text/calendar': '.ics',
  'text/plain': '.txt',
  'text/html': '.html',
};
const NAME_LENGTH = 200;

/** Files with names that differ from one another, without directories and control characters. */
function namedFiles(files: readonly MailFile[]): readonly NamedFile[] {
  const names = new Set<string>();
  return files.map((file, index) => {
    const extension = EXTENSIONS[file.mediaType] ?? '';
    const plain = shortened(plainName(file.name ?? ''), NAME_LENGTH);
    const name = uniqueName(plain || `part-${index + 1}${extension}`, names);
    names.add(name.toLowerCase());
    return { ...file, name };
  });
}

function plainName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]{1,10})?$/su.exec(name) ?? [];
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number++)
    unique = `${stem} (${number})${extension}`;
  return unique;
}

function filesType({ model, type, mail }: MailType): EntityType | undefined {
  const navigation = model.members(type).get(mail.files);
  const target = navigation?.kind === 'navigation' ? model.types.get(navigation.target) : undefined;
  return target?.kind === 'entity' ? target : undefined;
}

/** Media entities with their content, as in a deep insert. */
function fileMembers(mailType: MailType, files: readonly NamedFile[]): readonly Values[] {
  const type = filesType(mailType);
  if (type === undefined) return [];
  const name = filePartOf(mailType.model, type, 'name')?.name;
  const fileName = filePartOf(mailType.model, type, 'file-name')?.name;
  return files.map((file) => ({
    ...member(name, file.name),
    ...member(fileName, file.name),
    '@odata.mediaContentType': asStored(file).mediaType,
    '$value@odata.type': '#Binary',
    $value: Buffer.from(file.bytes).toString('base64url'),
  }));
}

/** The file with a valid media type. */
function asStored<File extends Pick<MailFile, 'mediaType'>>(file: File): File {
  const pattern = /^[!#$&^_.+*0-9A-Za-z-]{1,100}\/[!#$&^_.+*0-9A-Za-z-]{1,100}$/;
  return pattern.test(file.mediaType) ? file : { ...file, mediaType: 'application/octet-stream' };
}

/** The HTML, in which images of the message have URLs relative to the record. */
function safeHtml(
  mailType: MailType,
  { html }: Message,
  files: readonly NamedFile[],
): string | undefined {
  if (html === undefined || mailType.mail.bodyHtml === undefined) return undefined;
  const key = nameKey(mailType);
  return sanitizeHtml(html, (contentId) => {
    const file = files.find((one) => one.contentId === contentId);
    if (file === undefined || key === undefined) return undefined;
    const literal = encodeURIComponent(file.name.replaceAll("'", "''"));
    return `${mailType.mail.files}(${key}='${literal}')/$value`;
  });
}

/** The property with the name of a file, if it is a key within its record. */
function nameKey(mailType: MailType): string | undefined {
  const type = filesType(mailType);
  const name = type && filePartOf(mailType.model, type, 'name')?.name;
  const isKey = type?.alternateKeys?.some(([part, ...rest]) => part?.path === name && !rest.length);
  return isKey === true ? name : undefined;
}
