// This file finds out whether who wants another password for the own account knows the present one. It is tried as at a log-in, by the
// same brake and in the same time, so that a token in wrong hands is no way to guess.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { type Grants, machineIn, tryPassword } from './token-grants.ts';

/** The hash that the present password was found to belong to: only in its place may there be another. */
export type KnownHash = string;

/**
 * Tries the present password of the account that asks.
 * @param address the client's IP address
 * Faults auth.current-password, auth.slowed (with Retry-After), auth.busy.
 */
export async function confirmPassword(
  { account: key, loginName }: Pick<Principal, 'account' | 'loginName'>,
  { password, address }: { readonly password: string; readonly address: string },
  grants: Pick<Grants, 'records' | 'throttle' | 'bound'>,
): Promise<KnownHash> {
  const machine = machineIn(grants, address);
  const trial = await tryPassword({ loginName, machine, password }, grants);
  if (trial.kind === 'slowed') {
    const { seconds } = trial;
    throw new Fault('auth.slowed', { seconds }, { headers: { 'Retry-After': String(seconds) } });
  }
  const hash = trial.kind === 'right' ? trial.account.passwordHash : undefined;
  if (trial.kind === 'wrong' || trial.account.uid !== key || hash === undefined)
    throw wrongPassword();
  return hash;
}

/** The refusal of a password that is not, or is no longer, that of the account. */
export function wrongPassword(): Fault {
  return new Fault('auth.current-password', {}, { target: 'CurrentPassword' });
}
