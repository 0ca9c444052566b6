// The commands `docket key`: add, list and revoke.
import { API_KEY_TYPE } from '../../edm/administration-sets.ts';
import { isRecord } from '../config/nested-value.ts';
import {
  accountNamed,
  type JsonObject,
  type ServiceClient,
  withService,
} from '../in-process-client.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';
import { listOf } from './options.ts';
import { removeFrom } from './session.ts';

/** `docket key add ACCOUNT --name NAME`. Throws: auth.account-unknown, cli.refused. */
export async function addKey(invocation: Invocation, account: string): Promise<void> {
  const { flags, terminal } = invocation;
  await withService(invocation, async (client) => {
    const { LoginName } = await accountNamed(client, account);
    const roles = listOf(flags.role);
    const { value } = await client.send('POST', actionIn(client), {
      Account: String(LoginName),
      Name: String(flags.name),
      Expires: flags.expires === undefined ? undefined : String(flags.expires),
      ReadOnly: flags.readOnly === true,
      Roles: roles.length === 0 ? undefined : roles,
      PageSize: flags.page === undefined ? undefined : Number(flags.page),
    });
    const key = String(value);
    if (flags.json === true) terminal.print(JSON.stringify({ key }));
    else terminal.print(`${key}\nStore this key now: it cannot be shown again.`);
  });
}

/** The name of the action CreateApiKey in the model. */
function actionIn({ installation: { model } }: ServiceClient): string {
  const { operations, imports } = model.definition;
  const action = operations.find(({ engine }) => engine === 'api-key');
  return imports.find(({ operation }) => operation === action?.name)?.name ?? 'CreateApiKey';
}

/** `docket key list`. Throws: auth.account-unknown. */
export async function listKeys(invocation: Invocation): Promise<void> {
  const { account } = invocation.flags;
  await withService(invocation, async (client) => {
    const url = `${client.setOf(API_KEY_TYPE)}?$orderby=Uid&$expand=Account($select=LoginName)`;
    const name =
      account === undefined
        ? undefined
        : String((await accountNamed(client, String(account))).LoginName);
    const keys = (await client.all(url)).map(listedKey);
    const listed = keys.filter((key) => name === undefined || key.account === name);
    printList(invocation, listed, KEY_COLUMNS);
  });
}

const KEY_COLUMNS: Columns<ReturnType<typeof listedKey>> = [
  ['Uid', ({ uid }) => String(uid)],
  ['Account', ({ account }) => account],
  ['Name', ({ name }) => name],
  ['Key', ({ start }) => `${start}…`],
  ['Rights', ({ readOnly, roles }) => [...(readOnly ? ['read only'] : []), ...roles].join(', ')],
  ['Page', ({ pageSize }) => (pageSize === null ? '' : String(pageSize))],
  ['Expires', ({ expires }) => expires ?? 'never'],
  ['Last used', ({ lastUsed }) => lastUsed ?? 'never'],
];

function listedKey(key: JsonObject) {
  const { Uid, Account, Name, Start, Created, Expires, LastUsed, ReadOnly, Roles, PageSize } = key;
  return {
    uid: Number(Uid),
    account: isRecord(Account) ? String(Account.LoginName) : '',
    name: String(Name),
    start: String(Start),
    created: String(Created),
    expires: textOrNull(Expires),
    lastUsed: textOrNull(LastUsed),
    readOnly: ReadOnly === true,
    roles: Array.isArray(Roles) ? Roles.map(String) : [],
    pageSize: PageSize === null ? null : Number(PageSize),
  };
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value);
}

/** `docket key revoke UID`. Throws: cli.unknown. */
export async function revokeKey(invocation: Invocation, uid: string): Promise<void> {
  await withService(invocation, async (client) => {
    await removeFrom(client, { set: client.setOf(API_KEY_TYPE), uid, thing: 'key' });
    invocation.terminal.print(`Revoked the API key ${uid}.`);
  });
}
