// This file implements the action ChangePassword, by which accounts change their own password. Verifying the current password and hashing
// the new one take long, so both happen before the transaction that stores the hash.
import type { Principal } from '../../access/principal.ts';
import type { Actor, NewPassword } from '../../auth/administration-rules.ts';
import { hashPassword, requireGoodPassword } from '../../auth/password.ts';
import type { KnownHash } from '../../auth/token-grants.ts';
import { Fault } from '../../base/fault.ts';
import { CURRENT_PASSWORD, NEW_PASSWORD } from '../../edm/account-sets.ts';
import type { Work } from '../../store/database.ts';
import type { BoundInvoke } from '../action/run-action.ts';
import type { Service } from '../service.ts';

/** A new password, and the hash of the current one that it replaces. */
export interface OwnPassword {
  readonly account: bigint;
  readonly session: bigint | undefined;
  readonly known: KnownHash;
  readonly password: NewPassword;
}

/** Whether the operation is ChangePassword. */
export function isOwnPassword({ operation }: BoundInvoke): boolean {
  return operation.engine === 'own-password';
}

/**
 * Verifies the parameters. Returns faults instead of throwing them, since a repeated request gets its stored response whatever its
 * parameters are.
 * @param address IP address of the client
 */
export async function readOwnPassword(
  { parameters }: BoundInvoke,
  principal: Principal,
  address: string,
  { confirmPassword }: Pick<Service, 'confirmPassword'>,
): Promise<OwnPassword | Fault> {
  const { account, loginName, session } = principal;
  const parameter = (name: string) => String(parameters.get(name) ?? '');
  const [password, plain] = [parameter(CURRENT_PASSWORD), parameter(NEW_PASSWORD)];
  try {
    requireGoodPassword(plain, loginName);
    requireOther(password, plain);
    const known = await confirmPassword(principal, { password, address });
    return { account, session, known, password: { plain, hash: await hashPassword(plain) } };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Throws: auth.password, if the new password is the current one, which somebody else may know. */
function requireOther(current: string, next: string): void {
  if (current.normalize('NFC') !== next.normalize('NFC')) return;
  const reason = 'it must differ from the current one';
  throw new Fault('auth.password', { reason }, { target: NEW_PASSWORD });
}

/** Stores the new password. Throws: auth.current-password, auth.slowed, auth.busy, auth.password; batch.alone if it was not read before. */
export function storeOwnPassword(
  own: OwnPassword | Fault | undefined,
  { administration }: Pick<Service, 'administration'>,
  actor: Actor,
): Work<void> {
  if (own === undefined) throw new Fault('batch.alone', { name: 'ChangePassword' });
  if (own instanceof Fault) throw own;
  return administration.changePassword(own, own.password, actor);
}
