// This file reads the account that a subscription acts for.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { Service } from '../service/service.ts';
import { ownerPrincipal } from '../service/webhooks/webhook-state.ts';
import type { Subscription } from './read-subscriptions.ts';

/** The account of the subscription has been deleted, blocked or renamed. */
export class OwnerGone extends Error {
  constructor(owner: string) {
    super(`The account ${owner} no longer exists, is blocked, or has been renamed.`);
  }
}

/**
 * The account with the rights that it has now.
 * @param account identifies it for the cache of sessions
 * Throws: OwnerGone.
 */
export async function currentOwner(
  { sessions }: Service,
  { owner, roles }: Pick<Subscription, 'owner' | 'roles'>,
  account: { readonly account: bigint },
): Promise<Principal> {
  const principal = await Promise.resolve(sessions.current(account)).catch((error) => {
    throw error instanceof Fault && error.status === 401 ? new OwnerGone(owner) : error;
  });
  if (principal.loginName !== owner) throw new OwnerGone(owner);
  return ownerPrincipal(principal, roles);
}
