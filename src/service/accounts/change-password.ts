// This file lets whoever asks change the own password: the action ChangePassword. Whether the present one is known, and the hash of the new
// one, are found out before the transaction, as both take their time; in it, the one takes the place of the other.
import type { Principal } from '../../access/principal.ts';
import type { Actor, NewPassword } from '../../auth/administration-rules.ts';
import type { RunStatement } from '../../auth/database.ts';
import { hashPassword, requireGoodPassword } from '../../auth/password.ts';
import type { KnownHash } from '../../auth/verify-current-password.ts';
import { Fault } from '../../base/fault.ts';
import { CURRENT_PASSWORD, NEW_PASSWORD } from '../../edm/account-sets.ts';
import type { BoundInvoke } from '../action/action.ts';
import type { Service } from '../service.ts';

/** A password that may take the place of the one whose hash is known. */
export interface OwnPassword {
  readonly account: bigint;
  readonly session: bigint | undefined;
  readonly known: KnownHash;
  readonly password: NewPassword;
}

/** Whether the call is about the password of who asks. */
export function isOwnPassword({ operation }: BoundInvoke): boolean {
  return operation.engine === 'own-password';
}

/**
 * The password that the call brings, or why it cannot be taken: a request that is sent again is answered as the first one was, whatever it
 * brings. Nothing is thrown but failures of the service.
 * @param address the client's IP address
 */
export async function readOwnPassword(
  { parameters }: BoundInvoke,
  principal: Principal,
  address: string,
  { confirmPassword }: Pick<Service, 'confirmPassword'>,
): Promise<OwnPassword | Fault> {
  const { account, loginName, session } = principal;
  const text = (name: string) => String(parameters.get(name) ?? '');
  const [password, plain] = [text(CURRENT_PASSWORD), text(NEW_PASSWORD)];
  try {
    requireGoodPassword(plain, loginName);
    const known = await confirmPassword(principal, { password, address });
    return { account, session, known, password: { plain, hash: await hashPassword(plain) } };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Keeps it. Faults auth.current-password, auth.slowed, auth.busy, auth.password; batch.alone where it was not read before. */
export function keepOwnPassword(
  own: OwnPassword | Fault | undefined,
  { administration }: Pick<Service, 'administration'>,
  run: RunStatement,
  actor: Actor,
): void {
  if (own === undefined) throw new Fault('batch.alone', { name: 'ChangePassword' });
  if (own instanceof Fault) throw own;
  administration.changePassword(run, own, own.password, actor);
}
