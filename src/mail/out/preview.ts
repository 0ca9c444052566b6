// This file answers previews of templates: POST MailTemplates(3)/Docket.System.Preview with an entity and a recipient. Nothing is stored or sent.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import { systemSet } from '../../edm/administration-sets.ts';
import { MAIL_TEMPLATE_TYPE } from '../../edm/mail-sets.ts';
import { type EntityType, entityType, type Model } from '../../edm/model.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Answer } from '../../response/response.ts';
import { LOCAL_ROOT, type Send, sender } from '../../service/internal-requests.ts';
import { readJson } from '../../service/json-body.ts';
import type { Call, Service } from '../../service/service.ts';
import { asSentence, recipientMembers } from './bind-rule.ts';
import { readTemplateValues } from './compose.ts';
import { messageOf } from './read-error.ts';
import { type Directory, principalOf, type Recipient, recipientOf } from './recipients.ts';
import { fillTemplate, type TemplateTexts, templatePaths } from './template.ts';
import { valueMistake } from './value-paths.ts';

const PATH = /^((\w+)\(.*\))\/Docket\.System\.Preview(?:\(\))?\/?$/;
const MEMBERS = ['Entity', 'Recipient'] as const;

/** Whether the path previews a template. */
export function isPreview({ path }: Pick<Call, 'path'>, model: Model): boolean {
  if (!path.includes('Docket.System.Preview')) return false;
  const set = systemSet(model, MAIL_TEMPLATE_TYPE);
  const [, , name] = PATH.exec(decodedIfPossible(path)) ?? [];
  return name !== undefined && (name === set?.name || name === set?.singular);
}

/**
 * The message that the recipient would get about the entity, with the rights of the recipient.
 * Throws: request.method, request.body, mail.template, mail.preview.
 */
export async function answerPreview(
  service: Service,
  recipientRole: string | undefined,
  call: Call,
  principal: Principal,
): Promise<Answer> {
  if (call.method !== 'POST')
    throw new Fault(
      'request.method',
      { method: call.method, allow: 'POST' },
      { headers: { Allow: 'POST' } },
    );
  const [, address = ''] = PATH.exec(decodedIfPossible(call.path)) ?? [];
  const send = sender(service, principal, { id: call.id, address: call.address });
  const template = await send('GET', address);
  if (template.status !== 200) return answerOf(template.status, template.body);
  const texts = textsOf(template.body);
  const preview = { service, send, recipientRole, language: String(template.body.Language) };
  const { subject, text, html = null } = await fillFor(preview, texts, parametersOf(call));
  return answerOf(200, { Subject: subject, Text: text, Html: html });
}

function textsOf({ Subject, Text, Html }: JsonRow): TemplateTexts {
  const html = typeof Html === 'string' ? Html : undefined;
  return { subject: String(Subject), text: String(Text), html };
}

interface Preview extends Directory {
  readonly language: string;
}

/** The texts with the values of the entity, as the recipient reads them. */
async function fillFor(
  preview: Preview,
  texts: TemplateTexts,
  { Entity, Recipient }: Parameters,
): Promise<TemplateTexts> {
  const { service, send, language } = preview;
  const { model } = service;
  const entity = await entityAt(model, send, Entity, 'Entity');
  const recipient = await recipientAt(model, send, Recipient);
  const paths = templatePaths(texts);
  const reason = paths.map((path) => valueMistake(model, entity.type, path)).find((one) => one);
  if (reason !== undefined) throw mistake('Entity', reason);
  const account = await principalOf(preview, recipient);
  if (account === undefined)
    throw mistake(
      'Recipient',
      'the recipient has no account, and mail.smtp.recipientRole is not set',
    );
  const reader = { language, timeZone: recipient.timeZone ?? 'UTC' };
  const place = { url: entity.address, type: entity.type };
  const values = await readTemplateValues(service, account, reader, place, paths.map(ownPath));
  if (typeof values === 'string') throw mistake('Recipient', values);
  return fillTemplate(texts, new Map(values));
}

async function recipientAt(model: Model, send: Send, url: string): Promise<Recipient> {
  const { type, row } = await entityAt(model, send, url, 'Recipient');
  const members = recipientMembers(model, type);
  if (members !== undefined) return recipientOf(row, members);
  throw mistake('Recipient', `${type.name} has no annotation Docket.Recipient`);
}

const ownPath = (path: string) => ({ path, inner: path });

type Parameters = Readonly<Record<(typeof MEMBERS)[number], string>>;

/** URLs of entities as in other requests: absolute, or relative to the service root. */
function parametersOf({ body, root, contentIds = new Map() }: Call): Parameters {
  const json = readJson(body ?? Buffer.from('{}'));
  const members = new Map(Object.entries(Object(json)));
  const unknown = [...members.keys()].find((name) => !MEMBERS.some((one) => one === name));
  if (unknown !== undefined)
    throw mistake(unknown, `"${unknown}" is not one of ${MEMBERS.join(', ')}`);
  const urlOf = (name: string) => {
    const text = members.get(name);
    const path = relativePath({ root, contentIds }, typeof text === 'string' ? text : '');
    if ('relative' in path && /^\w+\(.*\)$/.test(path.relative)) return path.relative;
    throw mistake(name, `${name} must be the URL of an entity, such as "Persons(7)"`);
  };
  return { Entity: urlOf('Entity'), Recipient: urlOf('Recipient') };
}

type JsonRow = Readonly<Record<string, unknown>>;

interface FoundEntity {
  readonly address: string;
  readonly type: EntityType;
  readonly row: JsonRow;
}

/** The entity at a URL relative to the service root, as the caller reads it. */
async function entityAt(
  model: Model,
  send: Send,
  url: string,
  target: string,
): Promise<FoundEntity> {
  const accept = 'application/json;odata.metadata=full';
  const { status, body } = await send('GET', url, undefined, { accept });
  if (status !== 200) throw mistake(target, messageOf(body));
  const address = String(body['@odata.id']).replace(LOCAL_ROOT, '');
  const type = String(body['@odata.type']).replace(/^#/, '');
  return { address, type: entityType(model, type), row: body };
}

function mistake(target: string, reason: string): Fault {
  return new Fault('mail.preview', { reason: asSentence(reason) }, { target });
}

function answerOf(status: number, body: object): Answer {
  const headers = { 'Content-Type': 'application/json', 'OData-Version': '4.0' };
  return { status, headers, body: JSON.stringify(body) };
}
