// This file holds the commands about roles: list, show, add, edit, delete.
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { ACCESS_ACTIONS, ATTRIBUTE_ACCESS, ENTITY_ACCESS } from '../../edm/account-sets.ts';
import type { Config, Flags } from '../config/config.ts';
import { readBytes } from '../config/read-file.ts';
import { administer, isShown, roleNamed, type Shown } from '../in-process-client.ts';
import { type Columns, printList, type Terminal, table } from '../terminal.ts';

/** `docket role list`. */
export async function listRoles(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
  return await administer(config, async (desk) => {
    const roles = await desk.all('Roles?$orderby=Name&$expand=Accounts($select=LoginName)');
    printList(terminal, flags, roles.map(listedRole), ROLE_COLUMNS);
    return 0;
  });
}

const ROLE_COLUMNS: Columns<ReturnType<typeof listedRole>> = [
  ['Name', ({ name }) => name],
  ['Accounts', ({ accounts }) => String(accounts.length)],
  ['Description', ({ description }) => description],
];

function listedRole({ Name, Accounts, Description }: Shown) {
  return {
    name: String(Name),
    accounts: records(Accounts).map(({ LoginName }) => String(LoginName)),
    description: String(Description ?? ''),
  };
}

/** `docket role show NAME`. */
export async function showRole(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    printRole(terminal, flags, await roleNamed(desk, name));
    return 0;
  });
}

/** `docket role add NAME`. Faults of the service for what it does not understand. */
export async function addRole(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const start = startOf(flags, { EntityAccess: [], AttributeAccess: [] });
    const made = await desk.send('POST', 'Roles', { ...changed(start, flags), Name: name });
    if (flags.json !== true) terminal.print(`Added the role ${name} (${String(made.Uid)}).`);
    printRole(terminal, flags, await roleNamed(desk, name));
    return 0;
  });
}

/** `docket role edit NAME`: everything that is given is changed in one step, the rest stays. */
export async function editRole(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  if (!EDITING.some((option) => flags[option] !== undefined))
    throw new Fault('cli.refused', {
      reason:
        'Say what to change, as in --allow ServiceRequest=Read; "docket help role edit" shows how.',
    });
  return await administer(config, async (desk) => {
    const role = await roleNamed(desk, name);
    const newName = String(flags.name ?? name);
    const body = { ...changed(startOf(flags, withoutAnnotations(role)), flags), Name: newName };
    await desk.send('PATCH', `Roles(${String(role.Uid)})`, body);
    if (flags.json !== true) terminal.print(`Changed the role ${newName}.`);
    printRole(terminal, flags, await roleNamed(desk, newName));
    return 0;
  });
}

const EDITING = [
  'name',
  'description',
  'updateAll',
  'allow',
  'deny',
  'withhold',
  'readOnly',
  'release',
  'from',
];

/** `docket role delete NAME`. Fault auth.last-administrator, as of any other deletion. */
export async function deleteRole(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const { Uid } = await roleNamed(desk, name);
    const had = await desk.all(`Roles(${String(Uid)})/Accounts?$select=LoginName`);
    await desk.send('DELETE', `Roles(${String(Uid)})`);
    const names = had.map(({ LoginName }) => String(LoginName)).join(', ');
    terminal.print(
      `Deleted the role ${name}${names === '' ? '' : `; it was taken from ${names}`}.`,
    );
    return 0;
  });
}

/** What a role is before the other options change it: what a file says, or what it is now. */
function startOf({ from }: Flags, now: Shown): Shown {
  if (from === undefined) return now;
  const file = String(from);
  const reason = 'it is not what "docket role show --json" writes';
  try {
    const read: unknown = JSON.parse(Buffer.from(readBytes(file)).toString('utf8'));
    if (isShown(read)) return read;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Fault('cli.file', { file, reason: `${reason}.` });
}

/** The role as it shall be, as the body of a request. Faults cli.refused, cli.unknown. */
function changed(start: Shown, flags: Flags): Shown {
  const { Uid: _uid, EntityAccess, AttributeAccess, ...plain } = start;
  const { description, updateAll } = flags;
  return {
    ...plain,
    ...(description === undefined ? {} : { Description: String(description) }),
    ...(updateAll === undefined ? {} : { UpdateAllAllowed: updateAll === 'yes' }),
    [ENTITY_ACCESS]: entityAccess(withoutKeys(EntityAccess), flags),
    [ATTRIBUTE_ACCESS]: attributeAccess(withoutKeys(AttributeAccess), flags),
  };
}

function withoutKeys(value: unknown): readonly Shown[] {
  return records(value).map(({ Uid: _uid, ...rest }) => rest);
}

function entityAccess(now: readonly Shown[], { allow, deny }: Flags): readonly Shown[] {
  const denied = texts(deny);
  for (const entity of denied)
    requireKnown(
      'access to',
      entity,
      now.map((access) => String(access.Entity)),
    );
  const added = texts(allow).map(readAccess);
  const isReplaced = (access: Shown) =>
    added.some((one) => one.Entity === access.Entity && one.Filter === (access.Filter ?? null));
  const kept = now.filter((one) => !denied.includes(String(one.Entity)) && !isReplaced(one));
  return [...kept, ...added];
}

/** `ServiceRequest=Read,Change where Caller/Uid eq $me`. Fault cli.refused. */
function readAccess(text: string): Shown {
  const [, entity, list = '', filter] =
    /^([\w.]+)=([\w,\s]+?)(?:\s+where\s+(.+))?$/s.exec(text) ?? [];
  const words = list.split(',').map((word) => word.trim());
  const actions = words.map((word) =>
    ACCESS_ACTIONS.find((action) => action.toLowerCase() === word.toLowerCase()),
  );
  if (entity === undefined || actions.includes(undefined))
    throw new Fault('cli.refused', {
      reason: `--allow ${JSON.stringify(text)} is not understood: write TYPE=${ACCESS_ACTIONS.join(',')} with those of the actions that are meant, and "where CONDITION" after them.`,
    });
  return {
    Entity: entity,
    ...Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, actions.includes(action)])),
    Filter: filter ?? null,
  };
}

function attributeAccess(now: readonly Shown[], flags: Flags): readonly Shown[] {
  const released = texts(flags.release);
  for (const member of released) requireKnown('restriction of', member, now.map(memberOf));
  const added = [
    ...texts(flags.withhold).map((text) => restriction(text, false)),
    ...texts(flags.readOnly).map((text) => restriction(text, true)),
  ];
  const replaced = new Set([...released, ...added.map(memberOf)]);
  return [...now.filter((one) => !replaced.has(memberOf(one))), ...added];
}

/** `Person/Birthdate`. Fault cli.refused. */
function restriction(text: string, isRead: boolean): Shown {
  const [, entity, attribute] = /^([\w.]+)\/(\w+)$/.exec(text) ?? [];
  if (entity === undefined)
    throw new Fault('cli.refused', {
      reason: `${JSON.stringify(text)} is no member: write TYPE/MEMBER, as in Person/Birthdate.`,
    });
  return { Entity: entity, Attribute: attribute, Read: isRead, Modify: false };
}

function memberOf({ Entity, Attribute }: Shown): string {
  return `${String(Entity)}/${String(Attribute)}`;
}

function requireKnown(thing: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const hint = didYouMean(name, names) || ' "docket role show" shows what the role says.';
  throw new Fault('cli.unknown', { thing, name, hint });
}

function texts(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.map(String) : [];
}

function printRole(terminal: Terminal, { json }: Flags, role: Shown): void {
  if (json === true) {
    terminal.print(JSON.stringify(withoutAnnotations(role), null, 2));
    return;
  }
  const description = String(role.Description ?? '');
  const many = role.UpdateAllAllowed === true ? ' It may change many records by one request.' : '';
  terminal.print(`${String(role.Name)}:${description === '' ? '' : ` ${description}.`}${many}`);
  const entities = records(role.EntityAccess).map((access) => [
    String(access.Entity),
    ACCESS_ACTIONS.filter((action) => access[action] === true).join(' '),
    String(access.Filter ?? ''),
  ]);
  if (entities.length > 0) terminal.print(table(['Entity', 'May', 'Only where'], entities));
  const attributes = records(role.AttributeAccess).map((access) => [
    memberOf(access),
    access.Read === true ? '' : 'not read',
    access.Modify === true ? '' : 'not changed',
  ]);
  if (attributes.length > 0) terminal.print(table(['Attribute', 'Read', 'Change'], attributes));
}

function records(value: unknown): readonly Shown[] {
  return Array.isArray(value) ? value : [];
}

function withoutAnnotations(record: Shown): Shown {
  const entries = Object.entries(record).filter(([key]) => !key.includes('@'));
  return Object.fromEntries(entries.map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return isShown(value) ? withoutAnnotations(value) : value;
}
