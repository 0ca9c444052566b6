// This file finds out who gets a message: the address, name, language and account of each recipient of a rule.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { ACCOUNT_SET } from '../../edm/account-sets.ts';
import { entityType, type Model, type RecipientMembers } from '../../edm/model.ts';
import { LOCAL_ROOT, type Send } from '../../service/internal-requests.ts';
import type { Service } from '../../service/service.ts';
import { type BoundRule, isAddress, recipientMembers } from './bind-rule.ts';
import { ReadError } from './read-error.ts';
import { resolvePath } from './value-paths.ts';

/** Somebody who gets a message. */
export interface Recipient {
  /** The entity, relative to the service root; undefined for an address without one. */
  readonly entity: string | undefined;
  readonly address: string | undefined;
  readonly name: string | undefined;
  readonly language: string | undefined;
  readonly timeZone: string | undefined;
}

export interface Directory {
  readonly service: Service;
  /** Sends requests with all rights. */
  readonly send: Send;
  /** The role of recipients without an account. */
  readonly recipientRole: string | undefined;
}

/** The recipients of a rule for an entity, each address once. */
export async function findRecipients(
  directory: Directory,
  rule: BoundRule,
  entity: string,
): Promise<readonly Recipient[]> {
  const found = await Promise.all(
    rule.recipients.map(async (text) =>
      isAddress(text) ? [addressOnly(text)] : await recipientsAt(directory, rule, entity, text),
    ),
  );
  const byKey = new Map(
    found.flat().map((one) => [one.address?.toLowerCase() ?? one.entity, one] as const),
  );
  return [...byKey.values()];
}

function addressOnly(address: string): Recipient {
  const unknown = undefined;
  return { entity: unknown, address, name: unknown, language: unknown, timeZone: unknown };
}

async function recipientsAt(
  { service, send }: Directory,
  rule: BoundRule,
  entity: string,
  path: string,
): Promise<readonly Recipient[]> {
  const { model } = service;
  const resolved = resolvePath(model, rule.type, path);
  const last = resolved.kind === 'members' ? resolved.members.at(-1) : undefined;
  if (last?.kind !== 'navigation') {
    const [row] = await readRows(send, `${entity}/${path}`);
    const address = textAt(row, 'value');
    return address === undefined ? [] : [addressOnly(address)];
  }
  const type = entityType(model, last.target);
  return await recipientsIn(model, send, `${entity}/${path}`, recipientMembers(model, type));
}

/** The recipients at a URL; in place of an entity without an address, its members. */
async function recipientsIn(
  model: Model,
  send: Send,
  url: string,
  members: RecipientMembers | undefined,
): Promise<readonly Recipient[]> {
  if (members === undefined) return [];
  const rows = await readRows(send, url);
  const found = await Promise.all(
    rows.map(async (row) => {
      const recipient = recipientOf(row, members);
      const { entity } = recipient;
      if (recipient.address !== undefined || members.members === undefined || entity === undefined)
        return [recipient];
      return await membersOf(model, send, entity, members.members);
    }),
  );
  return found.flat();
}

async function membersOf(
  model: Model,
  send: Send,
  entity: string,
  collection: string,
): Promise<readonly Recipient[]> {
  const set = model.sets.get(entity.replace(/\(.*$/s, ''));
  const navigation = set && model.members(entityType(model, set.type)).get(collection);
  if (navigation?.kind !== 'navigation') return [];
  const own = recipientMembers(model, entityType(model, navigation.target));
  if (own === undefined) return [];
  // Members of members are no recipients, so that a cycle cannot occur.
  const { members: _, ...direct } = own;
  return await recipientsIn(model, send, `${entity}/${collection}`, direct);
}

type JsonRow = Readonly<Record<string, unknown>>;

/** Pages of recipients beyond this number are not read. */
const MOST_RECIPIENTS = 200;

async function readRows(send: Send, url: string): Promise<readonly JsonRow[]> {
  const { status, body } = await send('GET', url, undefined, {
    accept: 'application/json;odata.metadata=full',
    prefer: `maxpagesize=${MOST_RECIPIENTS}`,
  });
  if (status === 204 || status === 404) return [];
  if (status !== 200) throw new ReadError(url, status, body);
  return Array.isArray(body.value) ? body.value : [body];
}

/** The recipient in a row of an entity. */
export function recipientOf(row: JsonRow, members: RecipientMembers): Recipient {
  const id = textAt(row, '@odata.id');
  const optional = (name: string | undefined) =>
    name === undefined ? undefined : textAt(row, name);
  return {
    entity: id?.replace(LOCAL_ROOT, ''),
    address: textAt(row, members.address),
    name: optional(members.name),
    language: optional(members.language),
    timeZone: optional(members.timeZone),
  };
}

function textAt(row: JsonRow | undefined, name: string): string | undefined {
  const found = row?.[name];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Whose rights decide what a message contains; undefined if the recipient may read nothing. */
export async function principalOf(
  { service, send, recipientRole }: Directory,
  { entity }: Recipient,
): Promise<Principal | undefined> {
  const person = personKey(service.model, entity);
  const loginName = person === undefined ? undefined : await loginNameOf(service, send, person);
  const account = loginName === undefined ? undefined : await accountNamed(service, loginName);
  if (account !== undefined) return account;
  if (recipientRole === undefined) return undefined;
  return {
    account: -1n,
    loginName: '',
    person,
    roles: [recipientRole],
    administrator: false,
    anonymous: true,
  };
}

function personKey({ definition }: Model, entity: string | undefined): bigint | undefined {
  const [, set, key] = /^([^(]*)\((\d+)\)$/.exec(entity ?? '') ?? [];
  return set !== undefined && set === definition.people && key !== undefined
    ? BigInt(key)
    : undefined;
}

/** The first account of a person that is not blocked. */
async function loginNameOf(
  { model }: Service,
  send: Send,
  person: bigint,
): Promise<string | undefined> {
  const accounts = model.sets.get(ACCOUNT_SET);
  const owner = accounts && model.members(entityType(model, accounts.type)).get('Person');
  if (owner?.kind !== 'navigation') return undefined;
  const [key] = [...model.members(entityType(model, owner.target)).values()].filter(
    (one) => one.kind === 'property' && one.generated?.by === 'key',
  );
  const filter = encodeURIComponent(`Person/${key?.name} eq ${person} and Blocked ne true`);
  const [row] = await readRows(send, `${ACCOUNT_SET}?$filter=${filter}&$top=1&$select=LoginName`);
  return textAt(row, 'LoginName');
}

async function accountNamed(service: Service, name: string): Promise<Principal | undefined> {
  try {
    const account = await service.sessions.accountNamed(name);
    return account === 'blocked' ? undefined : account;
  } catch (error) {
    if (error instanceof Fault && error.code === 'auth.account-unknown') return undefined;
    throw error;
  }
}
