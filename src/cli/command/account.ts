// The commands `docket account`: list, add, block, unblock, delete, password and roles.
import { requireGoodLoginName } from '../../auth/login-name.ts';
import { requireGoodPassword } from '../../auth/password.ts';
import { ADMINISTRATOR_ROLE, HAS_FACTOR } from '../../edm/account-sets.ts';
import { ConfigError } from '../config/config.ts';
import { isRecord } from '../config/nested-value.ts';
import {
  accountNamed,
  type JsonObject,
  roleNamed,
  type ServiceClient,
  withService,
} from '../in-process-client.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';
import { readPassword } from '../terminal.ts';
import { listOf } from './options.ts';

/** `docket account list`. */
export async function listAccounts(invocation: Invocation): Promise<void> {
  await withService(invocation, async (client) => {
    const hasPerson = personKey(client) !== undefined;
    const expand = hasPerson ? 'Roles($select=Name),Person($select=Uid)' : 'Roles($select=Name)';
    const accounts = await client.all(`Accounts?$orderby=LoginName&$expand=${expand}`);
    printList(invocation, accounts.map(listedAccount), ACCOUNT_COLUMNS);
  });
}

const ACCOUNT_COLUMNS: Columns<ReturnType<typeof listedAccount>> = [
  ['Uid', ({ uid }) => String(uid)],
  ['Name', ({ loginName }) => loginName],
  ['State', ({ blocked }) => (blocked ? 'blocked' : '')],
  ['Second factor', ({ hasSecondFactor }) => (hasSecondFactor === true ? 'yes' : '')],
  ['Roles', ({ roles }) => roles.join(', ')],
  ['Person', ({ person }) => (person === null ? '' : String(person))],
];

/** Whether accounts have a second factor is null if the model has accounts of its own that do not show it. */
function listedAccount(account: JsonObject) {
  const { Uid, LoginName, Blocked, Roles, Person } = account;
  return {
    uid: Number(Uid),
    loginName: String(LoginName),
    blocked: Blocked === true,
    hasSecondFactor: HAS_FACTOR in account ? account[HAS_FACTOR] === true : null,
    person: isRecord(Person) ? Number(Person.Uid) : null,
    roles: rolesIn(Roles),
  };
}

function rolesIn(roles: unknown): readonly string[] {
  return Array.isArray(roles) ? roles.map((role: JsonObject) => String(role.Name)) : [];
}

/** The set that the navigation property Person of accounts refers to, if the model has one. */
function personKey({ installation: { model } }: ServiceClient): string | undefined {
  const set = model.sets.get('Accounts');
  const type = set === undefined ? undefined : model.types.get(set.type);
  const isLinked = type?.kind === 'entity' && model.members(type).has('Person');
  return isLinked ? set?.bindings.Person : undefined;
}

/** `docket account add NAME`. Throws: auth.login-name, auth.password, cli.unknown, cli.refused, a ConfigError. */
export async function addAccount(invocation: Invocation, loginName: string): Promise<void> {
  requireGoodLoginName(loginName);
  const { flags, terminal } = invocation;
  await withService(invocation, async (client) => {
    const password = await newPassword(loginName);
    const roles = await Promise.all(
      listOf(flags.role).map(async (name) => await roleToAssign(client, name)),
    );
    const people = personKey(client);
    const isLinked = flags.person !== undefined && people !== undefined;
    const created = await client.send('POST', 'Accounts', {
      LoginName: loginName,
      Name: loginName,
      Password: password,
      MustChangePassword: mustChange(invocation),
      'Roles@odata.bind': roles.length === 0 ? undefined : roles.map(({ Uid }) => `Roles(${Uid})`),
      'Person@odata.bind': isLinked ? `${people}(${BigInt(String(flags.person))})` : undefined,
    });
    terminal.print(`Added the account ${loginName} (${String(created.Uid)}).`);
  });
}

/** Whether the account must change the password; undefined to leave it to the setting temporaryPasswords. */
function mustChange({ flags }: Invocation): true | undefined {
  return flags.temporary === true ? true : undefined;
}

/** The role of that name. The administrator role is created if it does not exist. Throws: cli.unknown. */
async function roleToAssign(client: ServiceClient, name: string): Promise<JsonObject> {
  const known = await client.all('Roles?$select=Uid,Name');
  const isMissing = name === ADMINISTRATOR_ROLE && !known.some((role) => role.Name === name);
  return isMissing
    ? await client.send('POST', 'Roles', { Name: name })
    : await roleNamed(client, name);
}

/** Reads the password of a new account. Throws: auth.password, a ConfigError. */
export async function newPassword(
  loginName: string,
  variable: 'DOCKET_PASSWORD' | 'DOCKET_ADMIN_PASSWORD' = 'DOCKET_PASSWORD',
): Promise<string> {
  const password = await readPassword(process.env[variable], `Password of ${loginName}`);
  if (password === undefined)
    throw new ConfigError(`A password is required: set ${variable}, or pass it on standard input.`);
  requireGoodPassword(password, loginName);
  return password;
}

/** `docket account block NAME`. */
export async function blockAccount(invocation: Invocation, name: string): Promise<void> {
  await setBlocked(invocation, name, true);
  invocation.terminal.print(`Blocked the account ${name} and ended its sessions.`);
}

/** `docket account unblock NAME`. */
export async function unblockAccount(invocation: Invocation, name: string): Promise<void> {
  await setBlocked(invocation, name, false);
  invocation.terminal.print(`Unblocked the account ${name}. It can log in again.`);
}

async function setBlocked(invocation: Invocation, name: string, isBlocked: boolean): Promise<void> {
  await withService(invocation, async (client) => {
    const { Uid } = await accountNamed(client, name);
    await client.send('PATCH', `Accounts(${String(Uid)})`, { Blocked: isBlocked });
  });
}

/** `docket account delete NAME`. */
export async function deleteAccount(invocation: Invocation, name: string): Promise<void> {
  await withService(invocation, async (client) => {
    const { Uid, LoginName } = await accountNamed(client, name);
    await client.send('DELETE', `Accounts(${String(Uid)})`);
    invocation.terminal.print(`Deleted the account ${String(LoginName)} and ended its sessions.`);
  });
}

/** `docket account password NAME`. Ends all sessions, because someone who knew the old password may have opened them. */
export async function changePassword(invocation: Invocation, name: string): Promise<void> {
  await withService(invocation, async (client) => {
    const { Uid } = await accountNamed(client, name);
    await client.send('PATCH', `Accounts(${String(Uid)})`, {
      Password: await newPassword(name),
      MustChangePassword: mustChange(invocation),
    });
    invocation.terminal.print(
      `Changed the password of the account ${name} and ended its sessions.`,
    );
  });
}

/** `docket account roles NAME`, with `--add` and `--remove` to change them. */
export async function changeRoles(invocation: Invocation, name: string): Promise<void> {
  const { flags, terminal } = invocation;
  await withService(invocation, async (client) => {
    const { Uid } = await accountNamed(client, name);
    const rolesUrl = `Accounts(${String(Uid)})/Roles`;
    for (const role of listOf(flags.add))
      await client.send('POST', `${rolesUrl}/$ref`, {
        '@odata.id': `Roles(${String((await roleToAssign(client, role)).Uid)})`,
      });
    for (const role of listOf(flags.remove))
      await client.send(
        'DELETE',
        `${rolesUrl}(${String((await roleNamed(client, role)).Uid)})/$ref`,
      );
    const roles = rolesIn((await accountNamed(client, name)).Roles);
    terminal.print(flags.json === true ? JSON.stringify(roles) : roles.join('\n'));
  });
}
