// This file writes the messages that follow from a change: for each recipient, from the template in the recipient's language, with the values
// that the recipient may read. What must not be sent is only logged, with the reason.

import type { Principal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { counted } from '../../base/counted.ts';
import type { EntityType } from '../../edm/model.ts';
import { sender } from '../../service/internal-requests.ts';
import type { Service } from '../../service/service.ts';
import { rootReference, type Sign, withoutTag } from '../message-tokens.ts';
import { type BoundRule, isUsableAddress, pathInPart } from './bind-rule.ts';
import { countTo, type Draft, threadOf } from './queue.ts';
import { messageOf, ReadError } from './read-error.ts';
import { receiptMistake } from './receipt-limits.ts';
import { type Directory, findRecipients, principalOf, type Recipient } from './recipients.ts';
import type { StoredTemplate } from './stored-rules.ts';
import { fillTemplate, oneLine, type TemplateValues, templatePaths } from './template.ts';
import { blockedReason } from './undeliverable-addresses.ts';
import { type ReaderSettings, valueQuery, valueText } from './value-paths.ts';

/** A change that a rule concerns. */
export interface MailEvent {
  readonly rule: BoundRule;
  /** Number of the change. */
  readonly change: bigint;
  /** Login name of the author. */
  readonly author: string;
  readonly request: string;
  /** The entity relative to the service root, and the added entity. */
  readonly entity: string;
  readonly added: string | undefined;
}

export interface Composer extends Directory {
  readonly from: string;
  /** Addresses that never get mail, without their tags. */
  readonly ownAddresses: ReadonlySet<string>;
  readonly limits: { readonly hourly: number; readonly daily: number };
  readonly templates: readonly StoredTemplate[];
  readonly sign: Sign;
  /** How many messages to an address have been written, but are not in the queue yet. */
  readonly waiting: (address: string) => number;
}

const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
/** Characters of a name, as in the queue. */
const NAME_LENGTH = 255;
/** Message-IDs in References. */
const THREAD_LENGTH = 20;

/** The messages for an event. The entity has already been found to match the rule. */
export async function composeMessages(
  composer: Composer,
  event: MailEvent,
): Promise<readonly Draft[]> {
  const recipients = await findRecipients(composer, event.rule, event.entity);
  const drafts = await Promise.all(recipients.map((one) => composeFor(composer, event, one)));
  return drafts.filter((draft) => draft !== undefined);
}

async function composeFor(
  composer: Composer,
  event: MailEvent,
  recipient: Recipient,
): Promise<Draft | undefined> {
  const { rule } = event;
  const principal = await principalOf(composer, recipient);
  if (rule.skipsAuthor && principal?.anonymous !== true && principal?.loginName === event.author)
    return undefined;
  const head = await headOf(composer, event, recipient);
  const unaddressed = addressMistake(composer, recipient);
  if (unaddressed !== undefined) return suppressed(head, unaddressed);
  if (principal === undefined)
    return suppressed(
      head,
      'The recipient has no account, and mail.smtp.recipientRole is not set.',
    );
  const contents = await contentsFor(composer, event, recipient, principal);
  if (typeof contents === 'string') return suppressed(head, contents);
  return { ...head, ...contents, suppressed: await limitReached(composer, event, recipient) };
}

type Head = Omit<Draft, 'subject' | 'text' | 'html' | 'suppressed'>;

function suppressed(head: Head, reason: string): Draft {
  return { ...head, subject: '', text: undefined, html: undefined, suppressed: reason };
}

async function headOf(
  { service, from, sign }: Composer,
  { rule, change, entity }: MailEvent,
  recipient: Recipient,
): Promise<Head> {
  const { address = '', name } = recipient;
  const host = from.slice(from.indexOf('@') + 1);
  const record = entity.replace(/\W+/g, '.').replace(/\.$/, '');
  const thread = await threadOf(authDatabase(service.database), entity, address, THREAD_LENGTH - 1);
  return {
    rule: rule.name,
    entity,
    recipient: recipient.entity,
    address: recipient.address,
    addressName: name === undefined ? undefined : oneLine(name).slice(0, NAME_LENGTH),
    // Stable over attempts, unique for rule and recipient, and known to those only who have got the message.
    messageId: `<${record}.${change}.${sign(`${rule.uid} ${address.toLowerCase()}`)}@${host}>`,
    references: [rootReference(sign, entity, host), ...thread.map(({ messageId }) => messageId)],
    isReceipt: rule.isReceipt,
  };
}

function addressMistake({ ownAddresses }: Composer, { address }: Recipient): string | undefined {
  if (address === undefined) return 'The recipient has no address.';
  if (!isUsableAddress(address)) return 'The address is not valid.';
  return ownAddresses.has(withoutTag(address)) ? 'The address is one of this service.' : undefined;
}

/** Why an address gets no more messages, for now or until it is unblocked. */
async function limitReached(
  composer: Composer,
  { rule, entity }: MailEvent,
  { address = '' }: Recipient,
): Promise<string | undefined> {
  const { service, limits } = composer;
  const database = authDatabase(service.database);
  const now = service.world.now();
  const blocked = await blockedReason(database, address);
  if (blocked !== undefined) return blocked;
  if (rule.isReceipt) {
    const mistake = await receiptMistake(composer, rule, entity, address);
    if (mistake !== undefined) return mistake;
  }
  const waiting = composer.waiting(address);
  if ((await countTo(database, address, now - HOUR)) + waiting >= limits.hourly)
    return `The address got ${counted(limits.hourly, 'message')} in the last hour (limits.hourlyMails).`;
  if ((await countTo(database, address, now - DAY)) + waiting >= limits.daily)
    return `The address got ${counted(limits.daily, 'message')} in the last 24 hours (limits.dailyMails).`;
  return undefined;
}

type Contents = Pick<Draft, 'subject' | 'text' | 'html'>;

/** The filled template, or why the recipient gets none. */
async function contentsFor(
  composer: Composer,
  event: MailEvent,
  { language, timeZone = 'UTC' }: Recipient,
  principal: Principal,
): Promise<Contents | string> {
  const template = templateIn(composer, event.rule.template, language);
  if (template === undefined) return `There is no template "${event.rule.template}".`;
  const reader = { language: template.language, timeZone };
  const values = await readValues(composer, event, templatePaths(template), reader, principal);
  return typeof values === 'string' ? values : fillTemplate(template, values);
}

/** The template in the language, in its main language, in that of the installation, or in any. */
function templateIn(
  { templates, service }: Composer,
  name: string,
  language = '',
): StoredTemplate | undefined {
  const own = templates.filter((template) => template.name === name);
  const wanted = [language, language.replace(/[-_].*$/, ''), service.languages[0] ?? ''];
  const isIn = (code: string) => (one: StoredTemplate) =>
    one.language.toLowerCase() === code.toLowerCase();
  return wanted.map((code) => own.find(isIn(code))).find((one) => one !== undefined) ?? own[0];
}

/** The values as the recipient reads them. A recipient who may not read the entity or the added one gets none. */
async function readValues(
  { service }: Composer,
  { rule, entity, added }: MailEvent,
  paths: readonly string[],
  reader: ReaderSettings,
  principal: Principal,
): Promise<TemplateValues | string> {
  const inAdded = paths.flatMap((path) => {
    const inner = pathInPart(rule, path);
    return inner === undefined ? [] : [{ path, inner }];
  });
  const inEntity = paths
    .filter((path) => inAdded.every((one) => one.path !== path))
    .map((path) => ({ path, inner: path }));
  const place = { url: entity, type: rule.type };
  const values = await readTemplateValues(service, principal, reader, place, inEntity);
  if (typeof values === 'string') return values;
  if (rule.part === undefined || added === undefined) return new Map(values);
  const part = { url: added, type: rule.part.type };
  const addedValues = await readTemplateValues(service, principal, reader, part, inAdded);
  return typeof addedValues === 'string' ? addedValues : new Map([...values, ...addedValues]);
}

/** Reads values of an entity with the rights of a principal. Returns why that is not possible. */
export async function readTemplateValues(
  service: Service,
  principal: Principal,
  reader: ReaderSettings,
  { url, type }: { readonly url: string; readonly type: EntityType },
  paths: readonly Path[],
): Promise<readonly (readonly [string, string])[] | string> {
  const { model } = service;
  const query = valueQuery(
    model,
    type,
    paths.map(({ inner }) => inner),
  );
  const send = sender(service, principal, { id: 'mail', address: '' });
  const { status, body } = await send('GET', `${url}?${query}`, undefined, {
    accept: 'application/json;IEEE754Compatible=true',
    'accept-language': reader.language,
  });
  if (status >= 500 && status !== 501) throw new ReadError(url, status, body);
  if (status !== 200) return `The recipient cannot read ${url}: ${reasonFor(status, body)}`;
  return paths.map(({ path, inner }) => [path, valueText(model, type, inner, body, reader)]);
}

/** In place of 403, recipients without an account get 401, whose message is for clients without a token. */
function reasonFor(status: number, body: Readonly<Record<string, unknown>>): string {
  return status === 401 ? 'The role in mail.smtp.recipientRole may not read it.' : messageOf(body);
}

/** A path in a template, and the same path from the entity that is read. */
interface Path {
  readonly path: string;
  readonly inner: string;
}
