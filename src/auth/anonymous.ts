// This file defines the principal of requests without a token. It has no account, no person and no session; its only role is the one that
// the installation has chosen for such requests (anonymousRole).

import type { Policy } from '../access/policy.ts';
import type { Principal } from '../access/principal.ts';
import { ANONYMOUS_NAME } from './login-name.ts';

/** The principal with this role; without roles, it may only use what needs no rights. */
export function anonymousPrincipal(role?: string): Principal {
  return {
    // Not 0, under which the stored responses of all accounts are counted.
    account: -1n,
    loginName: ANONYMOUS_NAME,
    person: undefined,
    roles: role === undefined ? [] : [role],
    administrator: false,
    anonymous: true,
  };
}

/**
 * Returns the principal of requests without a token, as long as the role exists.
 * @param role anonymousRole; without it such requests are rejected
 * @param roles the roles of the installation, as they are now
 */
export function anonymousCallers(
  role: string | undefined,
  roles: { readonly policy: Policy },
): () => Principal | undefined {
  if (role === undefined) return () => undefined;
  const principal = anonymousPrincipal(role);
  return () => (hasRole(roles.policy, role) ? principal : undefined);
}

/** Whether the installation has a role of that name. */
export function hasRole({ roles }: Policy, name: string): boolean {
  return roles.some((role) => role.name === name);
}
