// This file holds the commands about accounts: list, add, block, unblock, delete, password, roles.
import { requireGoodLoginName } from '../../auth/login-name.ts';
import { requireGoodPassword } from '../../auth/password.ts';
import { Fault } from '../../base/fault.ts';
import { ADMINISTRATOR_ROLE } from '../../edm/account-sets.ts';
import type { Config, Flags } from '../config/config.ts';
import {
  accountNamed,
  administer,
  type Desk,
  isShown,
  roleNamed,
  type Shown,
} from '../in-process-client.ts';
import { type Columns, printList, readPassword, type Terminal } from '../terminal.ts';

/** `docket account list`. */
export async function listAccounts(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await administer(config, async (desk) => {
    const hasPerson = personKey(desk) !== undefined;
    const expand = hasPerson ? 'Roles($select=Name),Person($select=Uid)' : 'Roles($select=Name)';
    const accounts = await desk.all(`Accounts?$orderby=LoginName&$expand=${expand}`);
    printList(terminal, flags, accounts.map(listedAccount), ACCOUNT_COLUMNS);
    return 0;
  });
}

const ACCOUNT_COLUMNS: Columns<ReturnType<typeof listedAccount>> = [
  ['Uid', ({ uid }) => String(uid)],
  ['Name', ({ loginName }) => loginName],
  ['State', ({ blocked }) => (blocked ? 'blocked' : '')],
  ['Roles', ({ roles }) => roles.join(', ')],
  ['Person', ({ person }) => (person === null ? '' : String(person))],
];

function listedAccount({ Uid, LoginName, Blocked, Roles, Person }: Shown) {
  return {
    uid: Number(Uid),
    loginName: String(LoginName),
    blocked: Blocked === true,
    person: isShown(Person) ? Number(Person.Uid) : null,
    roles: rolesIn(Roles),
  };
}

function rolesIn(roles: unknown): readonly string[] {
  return Array.isArray(roles) ? roles.map((role: Shown) => String(role.Name)) : [];
}

/** The set of people, where accounts stand for people. */
function personKey({ installation: { model } }: Desk): string | undefined {
  const set = model.sets.get('Accounts');
  const type = set === undefined ? undefined : model.types.get(set.type);
  const isLinked = type?.kind === 'entity' && model.members(type).has('Person');
  return isLinked ? set?.bindings.Person : undefined;
}

/** `docket account add NAME`. */
export async function addAccount(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  loginName: string,
): Promise<number> {
  requireGoodLoginName(loginName);
  return await administer(config, async (desk) => {
    const password = await newPassword(loginName);
    const roles = await Promise.all(
      listed(flags.role).map(async (name) => await givenRole(desk, name)),
    );
    const people = personKey(desk);
    const person =
      flags.person === undefined || people === undefined
        ? {}
        : { 'Person@odata.bind': `${people}(${BigInt(String(flags.person))})` };
    const made = await desk.send('POST', 'Accounts', {
      LoginName: loginName,
      Name: loginName,
      Password: password,
      ...(roles.length === 0
        ? {}
        : { 'Roles@odata.bind': roles.map(({ Uid }) => `Roles(${Uid})`) }),
      ...person,
    });
    terminal.print(`Added the account ${loginName} (${String(made.Uid)}).`);
    return 0;
  });
}

/** The role of administrators is there even where no role was ever written down. */
async function givenRole(desk: Desk, name: string): Promise<Shown> {
  const known = await desk.all('Roles?$select=Uid,Name');
  const isMissing = name === ADMINISTRATOR_ROLE && !known.some((role) => role.Name === name);
  return isMissing ? await desk.send('POST', 'Roles', { Name: name }) : await roleNamed(desk, name);
}

async function newPassword(loginName: string): Promise<string> {
  const password = await readPassword(process.env.DOCKET_PASSWORD, `Password of ${loginName}`);
  if (password === undefined)
    throw new Fault('cli.password-missing', { variable: 'DOCKET_PASSWORD' });
  requireGoodPassword(password, loginName);
  return password;
}

/** `docket account block NAME`: refused from now on, sessions ended. */
export async function blockAccount(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await setBlocked(config, name, true, () =>
    terminal.print(`The account ${name} is blocked and its sessions are ended.`),
  );
}

/** `docket account unblock NAME`. */
export async function unblockAccount(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await setBlocked(config, name, false, () =>
    terminal.print(`The account ${name} may log in again.`),
  );
}

async function setBlocked(
  config: Config,
  name: string,
  isBlocked: boolean,
  tell: () => void,
): Promise<number> {
  return await administer(config, async (desk) => {
    const { Uid } = await accountNamed(desk, name);
    await desk.send('PATCH', `Accounts(${String(Uid)})`, { Blocked: isBlocked });
    tell();
    return 0;
  });
}

/** `docket account delete NAME`. Fault auth.last-administrator, as of any other deletion. */
export async function deleteAccount(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const { Uid, LoginName } = await accountNamed(desk, name);
    await desk.send('DELETE', `Accounts(${String(Uid)})`);
    terminal.print(`Deleted the account ${String(LoginName)} and ended its sessions.`);
    return 0;
  });
}

/** `docket account password NAME`: sessions are ended, since whoever knew the old one may hold them. */
export async function changePassword(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const { Uid } = await accountNamed(desk, name);
    await desk.send('PATCH', `Accounts(${String(Uid)})`, { Password: await newPassword(name) });
    terminal.print(`The account ${name} has another password; its sessions are ended.`);
    return 0;
  });
}

/** `docket account roles NAME`: shows them; `--add` and `--remove` change them. */
export async function changeRoles(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const { Uid } = await accountNamed(desk, name);
    const place = `Accounts(${String(Uid)})/Roles`;
    for (const role of listed(flags.add))
      await desk.send('POST', `${place}/$ref`, {
        '@odata.id': `Roles(${String((await givenRole(desk, role)).Uid)})`,
      });
    for (const role of listed(flags.remove))
      await desk.send('DELETE', `${place}(${String((await roleNamed(desk, role)).Uid)})/$ref`);
    const roles = rolesIn((await accountNamed(desk, name)).Roles);
    terminal.print(flags.json === true ? JSON.stringify(roles) : roles.join('\n'));
    return 0;
  });
}

function listed(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.map(String) : [];
}
