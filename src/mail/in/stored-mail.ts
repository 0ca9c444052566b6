// This file reads the records that a message concerns: its own, those of its thread, and the person who sent it.
import { type EntityType, lineage } from '../../edm/model.ts';
import { LOCAL_ROOT, type Send } from '../../service/internal-requests.ts';
import type { SentMail } from '../sent-mail.ts';
import type { Message } from './message.ts';
import type { MailType } from './message-record.ts';

type JsonRow = Readonly<Record<string, unknown>>;

/** The record of a message. URLs are relative to the service root. */
export interface StoredMail {
  readonly address: string;
  /** The entity that it belongs to. */
  readonly record: string | undefined;
}

/** A response with an error that another attempt may not have. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;

  constructor(status: number, body: JsonRow) {
    const message = Reflect.get(Object(body.error), 'message') ?? 'The response has no message.';
    const details = [Reflect.get(Object(body.error), 'details') ?? []].flat();
    const more = details.map((one) => ` ${Reflect.get(Object(one), 'message')}`).join('');
    super(`${message}${more}`);
    this.status = status;
  }
}

/** Most Message-IDs that a thread is looked for with. */
const ID_LIMIT = 40;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
const literals = (texts: readonly string[]) => texts.map(literal).join(',');

/** The set of the type. */
export function setOf({ model }: Pick<MailType, 'model'>, type: EntityType): string {
  const found = [...model.sets.values()].find((set) => set.type === type.name);
  return found?.name ?? '';
}

/** The record with the Message-ID. */
export async function findStored(
  send: Send,
  mailType: MailType,
  id: string,
): Promise<StoredMail | undefined> {
  const { mail } = mailType;
  const rows = await readRows(send, mailType, `${mail.messageId} eq ${literal(id)}`);
  return rows.map((row) => storedIn(mailType, row)).at(0);
}

/**
 * The entity that the thread of the message belongs to, by the first match that has not been deleted: the messages that it names, from the nearest to the root, or other replies
 * to these; then the message whose token it has. Subjects and Thread-Index are no evidence of a thread.
 * @param tokens texts that may be tokens
 */
export async function findThread(
  send: Send,
  mailType: MailType,
  { inReplyTo, references, reported }: Pick<Message, 'inReplyTo' | 'references' | 'reported'>,
  sent: Pick<SentMail, 'entitiesOf' | 'entityOf'>,
  tokens: readonly string[],
): Promise<string | undefined> {
  if (mailType.mail.record === undefined) return undefined;
  const named = [...inReplyTo, ...[...references].reverse(), ...reported.messageIds];
  const ids = [...new Set(named)].slice(0, ID_LIMIT);
  const notices = ids.length === 0 ? [] : [...(await sent.entitiesOf(ids))];
  const records = ids.length === 0 ? [] : [...(await recordsOf(send, mailType, ids))];
  const own = notices.filter(([, entity]) => isRecord(mailType, entity));
  const found = new Map([...own, ...records]);
  const threads = new Set(ids.map((id) => found.get(id)).filter((one) => one !== undefined));
  for (const thread of threads) if (await exists(send, thread)) return thread;
  const replied = await sent.entityOf(tokens);
  if (replied === undefined || !isRecord(mailType, replied)) return undefined;
  return (await exists(send, replied)) ? replied : undefined;
}

/** Notices remain when their entity is deleted. */
async function exists(send: Send, entity: string): Promise<boolean> {
  const { status, body } = await send('GET', `${entity}/$ref`);
  if (![200, 404].includes(status)) throw new RequestError(status, body);
  return status === 200;
}

/** Whether messages can belong to the entity: notices may be about others, too. */
function isRecord({ model, type, mail }: MailType, entity: string): boolean {
  const navigation = model.members(type).get(mail.record ?? '');
  const target = navigation?.kind === 'navigation' ? model.types.get(navigation.target) : undefined;
  return target?.kind === 'entity' && entity.startsWith(`${setOf({ model }, target)}(`);
}

/** The entities of stored messages by Message-ID, and of replies to messages that are not stored. */
async function recordsOf(
  send: Send,
  mailType: MailType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { messageId, inReplyTo, record } = mailType.mail;
  const of = (name: string) => `${name} in (${literals(ids)})`;
  const either = inReplyTo === undefined ? of(messageId) : `${of(messageId)} or ${of(inReplyTo)}`;
  const rows = await readRows(send, mailType, `(${either}) and ${record} ne null`);
  const records = new Map<string, string>();
  for (const name of [inReplyTo, messageId]) {
    for (const row of rows) {
      const address = storedIn(mailType, row).record;
      if (name !== undefined && address !== undefined) records.set(String(row[name]), address);
    }
  }
  return records;
}

/** The persons with the address, at most two. */
export async function findSenders(
  send: Send,
  { model, type, mail }: MailType,
  address: string,
): Promise<readonly string[]> {
  const navigation = model.members(type).get(mail.sender ?? '');
  const target = navigation?.kind === 'navigation' ? model.types.get(navigation.target) : undefined;
  if (target?.kind !== 'entity') return [];
  const filter = `${mail.senderAddress} eq ${literal(address.toLowerCase())}`;
  const url = `${setOf({ model }, target)}?$filter=${encodeURIComponent(filter)}&$top=2`;
  const persons = await rowsAt(send, `${url}&$select=${mail.senderAddress}`);
  return persons.flatMap((person) => addressIn(person) ?? []);
}

async function readRows(
  send: Send,
  mailType: MailType,
  filter: string,
): Promise<readonly JsonRow[]> {
  const { model, type, mail } = mailType;
  const { messageId, inReplyTo, record } = mail;
  const keys = lineage(type, model.types).flatMap((one) =>
    one.kind === 'entity' ? (one.key ?? []).map(({ path }) => path) : [],
  );
  const members = [...keys, messageId, ...(inReplyTo === undefined ? [] : [inReplyTo])];
  const select = [...new Set(members)].join(',');
  const expand = record === undefined ? '' : `&$expand=${record}/$ref`;
  const set = setOf(mailType, type);
  return await rowsAt(
    send,
    `${set}?$filter=${encodeURIComponent(filter)}&$select=${select}${expand}`,
  );
}

async function rowsAt(send: Send, url: string): Promise<readonly JsonRow[]> {
  const { status, body } = await send('GET', url, undefined, {
    accept: 'application/json;odata.metadata=full',
  });
  if (status !== 200) throw new RequestError(status, body);
  return body.value as readonly JsonRow[];
}

function storedIn({ mail }: MailType, row: JsonRow): StoredMail {
  const record = mail.record === undefined ? undefined : row[mail.record];
  const isRelated = typeof record === 'object' && record !== null;
  return { address: addressIn(row), record: isRelated ? addressIn(record) : undefined };
}

function addressIn(row: object): string {
  return String(Reflect.get(row, '@odata.id')).replace(LOCAL_ROOT, '');
}
