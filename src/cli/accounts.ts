// This file holds the commands about accounts: add, list, disable.
import { listAccounts as findAccounts, makeAccount, setBlocked } from '../auth/accounts.ts';
import { hashPassword, requireGoodPassword } from '../auth/password.ts';
import { endLogins, storePassword } from '../auth/tables.ts';
import { Fault } from '../base/fault.ts';
import type { Config } from './config.ts';
import { readPassword, type Terminal, table } from './terminal.ts';
import { openInstallation } from './wire.ts';

type Flags = Readonly<Record<string, unknown>>;

/** `docket account add NAME`. */
export async function addAccount(
  config: Config,
  flags: Flags,
  terminal: Terminal,
  loginName: string,
): Promise<number> {
  const installation = await openInstallation(config);
  try {
    const password = await readPassword(process.env.DOCKET_PASSWORD, `Password of ${loginName}`);
    if (password === undefined)
      throw new Fault('cli.password-missing', { variable: 'DOCKET_PASSWORD' });
    requireGoodPassword(password, loginName);
    const roles = Array.isArray(flags.role) ? flags.role.map(String) : [];
    const person = flags.person === undefined ? undefined : BigInt(String(flags.person));
    const hash = await hashPassword(password);
    const uid = await makeAccount(installation.auth, installation.layout, {
      loginName,
      displayName: loginName,
      roles,
      person,
    });
    await storePassword(installation.auth, uid, hash, installation.world.now());
    terminal.print(`Added the account ${loginName} (${uid}).`);
    return 0;
  } finally {
    await installation.database.close();
  }
}

/** `docket account list`. */
export async function listAccounts(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const installation = await openInstallation(config);
  try {
    const accounts = await findAccounts(installation.auth, installation.layout);
    if (flags.json === true) {
      const plain = accounts.map((account) => ({
        ...account,
        uid: Number(account.uid),
        person: account.person === undefined ? null : Number(account.person),
      }));
      terminal.print(JSON.stringify(plain, null, 2));
      return 0;
    }
    const rows = accounts.map((account) => [
      String(account.uid),
      account.loginName,
      account.blocked ? 'blocked' : '',
      account.roles.join(', '),
      account.person === undefined ? '' : String(account.person),
    ]);
    terminal.print(table(['Uid', 'Name', 'State', 'Roles', 'Person'], rows));
    return 0;
  } finally {
    await installation.database.close();
  }
}

/** `docket account disable NAME`: refused from now on, sessions ended. */
export async function blockAccount(
  config: Config,
  _flags: Flags,
  terminal: Terminal,
  loginName: string,
): Promise<number> {
  const installation = await openInstallation(config);
  try {
    const uid = await setBlocked(installation.auth, installation.layout, loginName, true);
    await endLogins(installation.auth, uid);
    terminal.print(`The account ${loginName} is blocked and its sessions are ended.`);
    return 0;
  } finally {
    await installation.database.close();
  }
}
