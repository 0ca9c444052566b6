// This file holds the commands about roles, sessions and tokens: what there is, and the end of it.
import { Fault } from '../base/fault.ts';
import { SESSION_TYPE, systemSet, TOKEN_TYPE } from '../edm/administration.ts';
import {
  accountNamed,
  administer,
  type Desk,
  isShown,
  roleNamed,
  type Shown,
} from './administer.ts';
import type { Config } from './config.ts';
import { type Terminal, table } from './terminal.ts';

type Flags = Readonly<Record<string, unknown>>;

/** `docket role list`. */
export async function listRoles(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
  return await administer(config, async (desk) => {
    const roles = await desk.all('Roles?$orderby=Name&$expand=Accounts($select=LoginName)');
    const rows = roles.map((role) => ({
      name: String(role.Name),
      accounts: Array.isArray(role.Accounts)
        ? role.Accounts.map((account: Shown) => String(account.LoginName))
        : [],
      description: String(role.Description ?? ''),
    }));
    if (flags.json === true) terminal.print(JSON.stringify(rows, null, 2));
    else
      terminal.print(
        table(
          ['Name', 'Accounts', 'Description'],
          rows.map(({ name, accounts, description }) => [
            name,
            String(accounts.length),
            description,
          ]),
        ),
      );
    return 0;
  });
}

const ACTIONS = ['Read', 'Create', 'Change', 'Delete', 'Attach'];

/** `docket role show NAME`. */
export async function showRole(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  name: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const role = await roleNamed(desk, name);
    if (flags.json === true) {
      terminal.print(JSON.stringify(withoutAnnotations(role), null, 2));
      return 0;
    }
    terminal.print(`${String(role.Name)}: ${String(role.Description ?? '')}`);
    const entities = records(role.EntityAccess).map((access) => [
      String(access.Entity),
      ACTIONS.filter((action) => access[action] === true).join(' '),
      String(access.Filter ?? ''),
    ]);
    terminal.print(table(['Entity', 'May', 'Only where'], entities));
    const attributes = records(role.AttributeAccess).map((access) => [
      `${String(access.Entity)}/${String(access.Attribute)}`,
      access.Read === true ? '' : 'not read',
      access.Modify === true ? '' : 'not changed',
    ]);
    if (attributes.length > 0) terminal.print(table(['Attribute', 'Read', 'Change'], attributes));
    return 0;
  });
}

/** `docket session list`. */
export async function listSessions(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await administer(config, async (desk) => {
    const url = `${setOf(desk, SESSION_TYPE)}?$orderby=Uid&$expand=Account($select=LoginName)`;
    const sessions = (await desk.all(url)).map((session) => ({
      uid: Number(session.Uid),
      account: isShown(session.Account) ? String(session.Account.LoginName) : '',
      address: String(session.Address ?? ''),
      opened: String(session.Opened),
      lastUsed: session.LastUsed === null ? null : String(session.LastUsed),
    }));
    if (flags.json === true) terminal.print(JSON.stringify(sessions, null, 2));
    else
      terminal.print(
        table(
          ['Uid', 'Account', 'Address', 'Opened', 'Last used'],
          sessions.map(({ uid, account, address, opened, lastUsed }) => [
            String(uid),
            account,
            address,
            opened,
            lastUsed ?? 'not yet',
          ]),
        ),
      );
    return 0;
  });
}

/** `docket session end UID`, or all of an account. */
export async function endSession(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  uid: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    const set = setOf(desk, SESSION_TYPE);
    const ends =
      flags.account === undefined ? [uid] : await sessionsOf(desk, String(flags.account));
    if (ends.includes('')) throw new Fault('cli.session-which');
    for (const one of ends) await removeFrom(desk, { set, uid: one, thing: 'session' });
    terminal.print(ends.length === 1 ? 'Ended 1 session.' : `Ended ${ends.length} sessions.`);
    return 0;
  });
}

async function sessionsOf(desk: Desk, name: string): Promise<readonly string[]> {
  const { Uid } = await accountNamed(desk, name);
  const filter = encodeURIComponent(`Account/Uid eq ${String(Uid)}`);
  const sessions = await desk.all(`${setOf(desk, SESSION_TYPE)}?$select=Uid&$filter=${filter}`);
  return sessions.map((session) => String(session.Uid));
}

/** `docket token list`. */
export async function listTokens(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await administer(config, async (desk) => {
    const expand = '$expand=Session($select=Uid;$expand=Account($select=LoginName))';
    const tokens = (await desk.all(`${setOf(desk, TOKEN_TYPE)}?$orderby=Uid&${expand}`)).map(
      ({ Uid, Kind, Issued, Expires, Used, Session }) => {
        const session: Shown = isShown(Session) ? Session : {};
        return {
          uid: Number(Uid),
          session: Number(session.Uid),
          account: isShown(session.Account) ? String(session.Account.LoginName) : '',
          kind: String(Kind),
          issued: String(Issued),
          expires: String(Expires),
          used: Used === null ? null : String(Used),
        };
      },
    );
    if (flags.json === true) terminal.print(JSON.stringify(tokens, null, 2));
    else
      terminal.print(
        table(
          ['Uid', 'Session', 'Account', 'Kind', 'Expires', 'Used'],
          tokens.map(({ uid, session, account, kind, expires, used }) => [
            String(uid),
            String(session),
            account,
            kind,
            expires,
            used ?? '',
          ]),
        ),
      );
    return 0;
  });
}

/** `docket token revoke UID`. */
export async function revokeToken(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  uid: string,
): Promise<number> {
  return await administer(config, async (desk) => {
    await removeFrom(desk, { set: setOf(desk, TOKEN_TYPE), uid, thing: 'token' });
    terminal.print(`Revoked the token ${uid}.`);
    return 0;
  });
}

interface Removal {
  readonly set: string;
  readonly uid: string;
  readonly thing: 'session' | 'token';
}

async function removeFrom(desk: Desk, { set, uid, thing }: Removal): Promise<void> {
  const isNumber = /^\d{1,18}$/.test(uid);
  const known = isNumber ? await desk.all(`${set}?$select=Uid&$filter=Uid%20eq%20${uid}`) : [];
  const hint = ` "docket ${thing} list" shows those that there are.`;
  if (known.length === 0) throw new Fault('cli.unknown', { thing, name: uid, hint });
  await desk.send('DELETE', `${set}(${uid})`);
}

/** What the set is called in this model. */
function setOf({ installation: { model } }: Desk, type: string): string {
  return systemSet(model, type)?.name ?? type;
}

function records(value: unknown): readonly Shown[] {
  return Array.isArray(value) ? value : [];
}

function withoutAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (!isShown(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !key.includes('@'));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutAnnotations(inner)]));
}
