// Checks the current password when an account changes its own. The check uses the login throttle and takes the same time as a login, so
// that a stolen token does not help to guess the password.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { type Grants, machineIn, tryPassword } from './token-grants.ts';

/** The hash that the current password matched. Only this hash may be replaced. */
export type KnownHash = string;

/**
 * Checks the current password of an account. Throws: auth.current-password, auth.slowed, auth.busy.
 * @param address the client's IP address
 */
export async function confirmPassword(
  { account: key, loginName }: Pick<Principal, 'account' | 'loginName'>,
  { password, address }: { readonly password: string; readonly address: string },
  grants: Pick<Grants, 'records' | 'throttle' | 'bound'>,
): Promise<KnownHash> {
  const machine = machineIn(grants, address);
  const result = await tryPassword({ loginName, machine, password }, grants);
  if (result.kind === 'slowed') {
    const { seconds } = result;
    throw new Fault('auth.slowed', { seconds }, { headers: { 'Retry-After': String(seconds) } });
  }
  const hash = result.kind === 'right' ? result.account.passwordHash : undefined;
  if (result.kind === 'wrong' || result.account.uid !== key || hash === undefined)
    throw wrongPassword();
  return hash;
}

/** The error for a password that is wrong, or has been changed in the meantime. */
export function wrongPassword(): Fault {
  return new Fault('auth.current-password', {}, { target: 'CurrentPassword' });
}
