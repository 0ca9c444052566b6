// The commands `docket role`: list, show, add, edit and delete.
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import {
  ACCESS_ACTIONS,
  ATTRIBUTE_ACCESS,
  ENTITY_ACCESS,
  FACTOR_REQUIRED,
} from '../../edm/account-sets.ts';
import { ConfigError, type Flags } from '../config/config.ts';
import { isRecord } from '../config/nested-value.ts';
import { readText } from '../config/read-file.ts';
import { type JsonObject, roleNamed, withService } from '../in-process-client.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';
import { table } from '../terminal.ts';
import { listOf } from './options.ts';

/** `docket role list`. */
export async function listRoles(invocation: Invocation): Promise<void> {
  await withService(invocation, async (client) => {
    const roles = await client.all('Roles?$orderby=Name&$expand=Accounts($select=LoginName)');
    printList(invocation, roles.map(listedRole), ROLE_COLUMNS);
  });
}

const ROLE_COLUMNS: Columns<ReturnType<typeof listedRole>> = [
  ['Name', ({ name }) => name],
  ['Accounts', ({ accounts }) => String(accounts.length)],
  ['Description', ({ description }) => description],
];

function listedRole({ Name, Accounts, Description }: JsonObject) {
  return {
    name: String(Name),
    accounts: records(Accounts).map(({ LoginName }) => String(LoginName)),
    description: String(Description ?? ''),
  };
}

/** `docket role show NAME`. */
export async function showRole(invocation: Invocation, name: string): Promise<void> {
  await withService(invocation, async (client) => {
    printRole(invocation, await roleNamed(client, name));
  });
}

/** `docket role add NAME`. Throws: cli.refused, cli.file, a ConfigError. */
export async function addRole(invocation: Invocation, name: string): Promise<void> {
  const { flags, terminal } = invocation;
  await withService(invocation, async (client) => {
    const start = baseRole(flags, { EntityAccess: [], AttributeAccess: [] });
    const created = await client.send('POST', 'Roles', {
      ...withChanges(start, flags),
      Name: name,
    });
    if (flags.json !== true) terminal.print(`Added the role ${name} (${String(created.Uid)}).`);
    printRole(invocation, await roleNamed(client, name));
  });
}

/** `docket role edit NAME`: applies all options in one request. Throws: cli.refused, cli.unknown, cli.file, a ConfigError. */
export async function editRole(invocation: Invocation, name: string): Promise<void> {
  const { flags, terminal } = invocation;
  if (!EDITING.some((option) => flags[option] !== undefined))
    throw new ConfigError(
      'Specify what to change, as in --allow ServiceRequest=Read. "docket help role edit" lists the options.',
    );
  await withService(invocation, async (client) => {
    const role = await roleNamed(client, name);
    const newName = String(flags.name ?? name);
    const base = baseRole(flags, withoutAnnotations(role));
    const body = { ...withChanges(base, flags), Name: newName };
    await client.send('PATCH', `Roles(${String(role.Uid)})`, body);
    if (flags.json !== true) terminal.print(`Changed the role ${newName}.`);
    printRole(invocation, await roleNamed(client, newName));
  });
}

const EDITING = [
  'name',
  'description',
  'updateAll',
  'secondFactor',
  'allow',
  'deny',
  'withhold',
  'readOnly',
  'release',
  'from',
];

/** `docket role delete NAME`. Throws: cli.unknown, cli.refused. */
export async function deleteRole(invocation: Invocation, name: string): Promise<void> {
  await withService(invocation, async (client) => {
    const { Uid } = await roleNamed(client, name);
    const accounts = await client.all(`Roles(${String(Uid)})/Accounts?$select=LoginName`);
    await client.send('DELETE', `Roles(${String(Uid)})`);
    const names = accounts.map(({ LoginName }) => String(LoginName)).join(', ');
    invocation.terminal.print(
      `Deleted the role ${name}${names === '' ? '' : ` and removed it from ${names}`}.`,
    );
  });
}

/** The role that the other options change: the one in the file of --from, or the current one. Throws: cli.file. */
function baseRole({ from }: Flags, current: JsonObject): JsonObject {
  if (from === undefined) return current;
  const file = String(from);
  const reason = 'it is not in the format of "docket role show --json"';
  try {
    const read: unknown = JSON.parse(readText(file));
    if (isRecord(read)) return read;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Fault('cli.file', { file, reason: `${reason}.` });
}

/** The changed role as a request body. Throws: cli.unknown, a ConfigError. */
function withChanges(start: JsonObject, flags: Flags): JsonObject {
  const { Uid: _uid, EntityAccess, AttributeAccess, ...plain } = start;
  const { description, updateAll, secondFactor } = flags;
  return {
    ...plain,
    ...(description === undefined ? {} : { Description: String(description) }),
    ...(updateAll === undefined ? {} : { UpdateAllAllowed: updateAll === 'yes' }),
    ...(secondFactor === undefined ? {} : { [FACTOR_REQUIRED]: secondFactor === 'yes' }),
    [ENTITY_ACCESS]: entityAccess(withoutKeys(EntityAccess), flags),
    [ATTRIBUTE_ACCESS]: attributeAccess(withoutKeys(AttributeAccess), flags),
  };
}

function withoutKeys(value: unknown): readonly JsonObject[] {
  return records(value).map(({ Uid: _uid, ...rest }) => rest);
}

function entityAccess(
  current: readonly JsonObject[],
  { allow, deny }: Flags,
): readonly JsonObject[] {
  const denied = listOf(deny);
  for (const entity of denied)
    requireKnown(
      'access to',
      entity,
      current.map((access) => String(access.Entity)),
    );
  const added = listOf(allow).map(readAccess);
  const isReplaced = (access: JsonObject) =>
    added.some((one) => one.Entity === access.Entity && one.Filter === (access.Filter ?? null));
  const kept = current.filter((one) => !denied.includes(String(one.Entity)) && !isReplaced(one));
  return [...kept, ...added];
}

/** Parses `ServiceRequest=Read,Change where Caller/Uid eq $me`. Throws a ConfigError. */
function readAccess(text: string): JsonObject {
  const [, entity, list = '', filter] =
    /^([\w.]+)=([\w,\s]+?)(?:\s+where\s+(.+))?$/s.exec(text) ?? [];
  const words = list.split(',').map((word) => word.trim());
  const actions = words.map((word) =>
    ACCESS_ACTIONS.find((action) => action.toLowerCase() === word.toLowerCase()),
  );
  if (entity === undefined || actions.includes(undefined))
    throw new ConfigError(
      `--allow ${JSON.stringify(text)} is invalid. Use TYPE=ACTIONS or "TYPE=ACTIONS where CONDITION", with a comma-separated list of actions from ${ACCESS_ACTIONS.join(', ')}.`,
    );
  return {
    Entity: entity,
    ...Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, actions.includes(action)])),
    Filter: filter ?? null,
  };
}

function attributeAccess(current: readonly JsonObject[], flags: Flags): readonly JsonObject[] {
  const released = listOf(flags.release);
  for (const member of released) requireKnown('restriction of', member, current.map(memberOf));
  const added = [
    ...listOf(flags.withhold).map((text) => restriction(text, false)),
    ...listOf(flags.readOnly).map((text) => restriction(text, true)),
  ];
  const replaced = new Set([...released, ...added.map(memberOf)]);
  return [...current.filter((one) => !replaced.has(memberOf(one))), ...added];
}

/** Parses `Person/Birthdate`. Throws a ConfigError. */
function restriction(text: string, isReadable: boolean): JsonObject {
  const [, entity, attribute] = /^([\w.]+)\/(\w+)$/.exec(text) ?? [];
  if (entity === undefined)
    throw new ConfigError(
      `${JSON.stringify(text)} is not a member. Use TYPE/MEMBER, as in Person/Birthdate.`,
    );
  return { Entity: entity, Attribute: attribute, Read: isReadable, Modify: false };
}

function memberOf({ Entity, Attribute }: JsonObject): string {
  return `${String(Entity)}/${String(Attribute)}`;
}

function requireKnown(thing: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const hint = didYouMean(name, names) || ' "docket role show" lists the rights of the role.';
  throw new Fault('cli.unknown', { thing, name, hint });
}

function printRole({ terminal, flags }: Invocation, role: JsonObject): void {
  if (flags.json === true) {
    terminal.print(JSON.stringify(withoutAnnotations(role), null, 2));
    return;
  }
  const description = String(role.Description ?? '');
  const many =
    role.UpdateAllAllowed === true ? ' It may change many records with one request.' : '';
  const factor = role[FACTOR_REQUIRED] === true ? ' Its accounts need a second factor.' : '';
  terminal.print(
    `${String(role.Name)}:${description === '' ? '' : ` ${description}.`}${many}${factor}`,
  );
  const entities = records(role.EntityAccess).map((access) => [
    String(access.Entity),
    ACCESS_ACTIONS.filter((action) => access[action] === true).join(' '),
    String(access.Filter ?? ''),
  ]);
  if (entities.length > 0) terminal.print(table(['Entity', 'May', 'Only where'], entities));
  const attributes = records(role.AttributeAccess).map((access) => [
    memberOf(access),
    access.Read === true ? '' : 'denied',
    access.Modify === true ? '' : 'denied',
  ]);
  if (attributes.length > 0) terminal.print(table(['Attribute', 'Read', 'Change'], attributes));
}

function records(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function withoutAnnotations(record: JsonObject): JsonObject {
  const entries = Object.entries(record).filter(([key]) => !key.includes('@'));
  return Object.fromEntries(entries.map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return isRecord(value) ? withoutAnnotations(value) : value;
}
