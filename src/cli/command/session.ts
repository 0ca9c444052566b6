// The commands `docket session` and `docket token`: list, end and revoke.
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { SESSION_TYPE, TOKEN_TYPE } from '../../edm/administration-sets.ts';
import { ConfigError } from '../config/config.ts';
import { isRecord } from '../config/nested-value.ts';
import {
  accountNamed,
  type JsonObject,
  type ServiceClient,
  withService,
} from '../in-process-client.ts';
import { type Columns, type Invocation, printList } from '../invocation.ts';

/** `docket session list`. */
export async function listSessions(invocation: Invocation): Promise<void> {
  await withService(invocation, async (client) => {
    const url = `${client.setOf(SESSION_TYPE)}?$orderby=Uid&$expand=Account($select=LoginName)`;
    printList(invocation, (await client.all(url)).map(listedSession), SESSION_COLUMNS);
  });
}

const SESSION_COLUMNS: Columns<ReturnType<typeof listedSession>> = [
  ['Uid', ({ uid }) => String(uid)],
  ['Account', ({ account }) => account],
  ['Address', ({ address }) => address],
  ['Opened', ({ opened }) => opened],
  ['Last used', ({ lastUsed }) => lastUsed ?? 'never'],
];

function listedSession({ Uid, Account, Address, Opened, LastUsed }: JsonObject) {
  return {
    uid: Number(Uid),
    account: loginName(Account),
    address: String(Address ?? ''),
    opened: String(Opened),
    lastUsed: LastUsed === null ? null : String(LastUsed),
  };
}

function loginName(account: unknown): string {
  return isRecord(account) ? String(account.LoginName) : '';
}

/** `docket session end UID`, or `docket session end --account NAME`. Throws: cli.unknown, auth.account-unknown, a ConfigError. */
export async function endSession(invocation: Invocation, uid = ''): Promise<void> {
  await withService(invocation, async (client) => {
    const set = client.setOf(SESSION_TYPE);
    const { account } = invocation.flags;
    if ((account === undefined) === (uid === ''))
      throw new ConfigError(
        'Specify either a session, as in "docket session end UID", or --account NAME for all sessions of an account.',
      );
    const ends = account === undefined ? [uid] : await sessionsOf(client, String(account));
    for (const one of ends) await removeFrom(client, { set, uid: one, thing: 'session' });
    invocation.terminal.print(`Ended ${counted(ends.length, 'session')}.`);
  });
}

async function sessionsOf(client: ServiceClient, name: string): Promise<readonly string[]> {
  const { Uid } = await accountNamed(client, name);
  const filter = encodeURIComponent(`Account/Uid eq ${String(Uid)}`);
  const sessions = await client.all(`${client.setOf(SESSION_TYPE)}?$select=Uid&$filter=${filter}`);
  return sessions.map((session) => String(session.Uid));
}

/** `docket token list`. */
export async function listTokens(invocation: Invocation): Promise<void> {
  await withService(invocation, async (client) => {
    const expand = '$expand=Session($select=Uid;$expand=Account($select=LoginName))';
    const tokens = await client.all(`${client.setOf(TOKEN_TYPE)}?$orderby=Uid&${expand}`);
    printList(invocation, tokens.map(listedToken), TOKEN_COLUMNS);
  });
}

const TOKEN_COLUMNS: Columns<ReturnType<typeof listedToken>> = [
  ['Uid', ({ uid }) => String(uid)],
  ['Session', ({ session }) => String(session)],
  ['Account', ({ account }) => account],
  ['Kind', ({ kind }) => kind],
  ['Expires', ({ expires }) => expires],
  ['Used', ({ used }) => used ?? ''],
];

function listedToken({ Uid, Kind, Issued, Expires, Used, Session }: JsonObject) {
  const session: JsonObject = isRecord(Session) ? Session : {};
  return {
    uid: Number(Uid),
    session: Number(session.Uid),
    account: loginName(session.Account),
    kind: String(Kind),
    issued: String(Issued),
    expires: String(Expires),
    used: Used === null ? null : String(Used),
  };
}

/** `docket token revoke UID`. Throws: cli.unknown. */
export async function revokeToken(invocation: Invocation, uid: string): Promise<void> {
  await withService(invocation, async (client) => {
    await removeFrom(client, { set: client.setOf(TOKEN_TYPE), uid, thing: 'token' });
    invocation.terminal.print(`Revoked the token ${uid}.`);
  });
}

interface Removal {
  readonly set: string;
  readonly uid: string;
  readonly thing: 'session' | 'token' | 'key';
}

/** Deletes a record by its Uid. Throws: cli.unknown. */
export async function removeFrom(
  client: ServiceClient,
  { set, uid, thing }: Removal,
): Promise<void> {
  const isNumber = /^\d{1,18}$/.test(uid);
  const known = isNumber ? await client.all(`${set}?$select=Uid&$filter=Uid%20eq%20${uid}`) : [];
  const hint = ` "docket ${thing} list" lists all ${thing}s.`;
  if (known.length === 0) throw new Fault('cli.unknown', { thing, name: uid, hint });
  await client.send('DELETE', `${set}(${uid})`);
}
