// This file reads and writes `Docket.MailRecord`: the members of an entity type that keep the parts of an incoming message.
import { type Part, report } from './csdl/document-reader.ts';
import type { Terms } from './csdl/terms.ts';
import { definedMembers } from './defined-members.ts';
import type { Json, MailRecord } from './model.ts';

/** The members of the annotation and their names in the model. A question mark follows optional members. */
const MEMBERS = {
  Subject: 'subject',
  MessageId: 'messageId',
  Files: 'files',
  Body: 'body',
  BodyHtml: 'bodyHtml',
  FromAddress: 'fromAddress',
  FromName: 'fromName',
  To: 'to',
  Cc: 'cc',
  InReplyTo: 'inReplyTo',
  ReceivedAt: 'receivedAt',
  Language: 'language',
  Automatic: 'automatic',
  Distrust: 'distrust',
  Status: 'status',
  ErrorStatus: 'errorStatus',
  Sender: 'sender',
  SenderAddress: 'senderAddress',
  Record: 'record',
  Reply: 'reply',
} as const satisfies Record<string, keyof MailRecord>;

const MAIL_MEMBERS = Object.keys(MEMBERS) as readonly (keyof typeof MEMBERS)[];
const REQUIRED_MAIL_MEMBERS = ['Subject', 'MessageId', 'Files'] as const;
const TERM = 'Docket.MailRecord';

/** Undefined without the annotation. Mistakes are added to those of the part. */
export function readMailRecord(part: Part, terms: Terms): MailRecord | undefined {
  const record = terms.takeRecord(TERM);
  if (record === undefined) return undefined;
  const wrong = Object.entries(record).find(
    ([name, value]) => !(name in MEMBERS) || typeof value !== 'string' || value === '',
  );
  const isComplete = REQUIRED_MAIL_MEMBERS.every((name) => name in record);
  if (wrong === undefined && isComplete) return recordOf(record);
  const required = REQUIRED_MAIL_MEMBERS.join(', ');
  const others = MAIL_MEMBERS.slice(REQUIRED_MAIL_MEMBERS.length).join(', ');
  const message =
    wrong === undefined ? `One of ${required} is missing.` : `${wrong[0]} is unknown or no text.`;
  report(part, `@${TERM}`, message, `Write names of members for ${required}, and for ${others}.`);
  return undefined;
}

function recordOf(record: Readonly<Record<string, Json>>): MailRecord {
  const text = (name: (typeof MAIL_MEMBERS)[number]) =>
    record[name] === undefined ? undefined : String(record[name]);
  const [subject = '', messageId = '', files = ''] = REQUIRED_MAIL_MEMBERS.map(text);
  const others = MAIL_MEMBERS.map((name) => [MEMBERS[name], text(name)] as const);
  return { ...definedMembers(Object.fromEntries(others)), subject, messageId, files };
}

/** Writes the annotation as CSDL JSON. */
export function writeMailRecord(mail: MailRecord): Json {
  return definedMembers(
    Object.fromEntries(MAIL_MEMBERS.map((name) => [name, mail[MEMBERS[name]]])),
  ) as Json;
}
