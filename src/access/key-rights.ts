// This file decides the rights of principals that use API keys.
import { ADMINISTRATOR_ROLE } from '../edm/account-sets.ts';
import type { Model } from '../edm/model.ts';
import { ownRecords } from './own-records.ts';
import { type Policy, type Rights, resolveRights } from './policy.ts';
import type { Principal } from './principal.ts';

/** What limits an API key. */
export interface KeyLimits {
  /** Names of the roles it is limited to; empty for all roles of the account. */
  readonly roles: readonly string[];
  readonly readOnly: boolean;
  /** Records per page of responses. */
  readonly pageSize: number | undefined;
}

/** The principal with what its key leaves of its roles. An administrator has the rights of every role, so its key may have any of them. */
export function limitedByKey(
  principal: Principal,
  { roles, readOnly, pageSize }: KeyLimits,
): Principal {
  const kept =
    roles.length === 0 ? principal.roles : roles.filter((role) => hasRightsOf(principal, role));
  return {
    ...principal,
    roles: kept,
    administrator: principal.administrator && kept.includes(ADMINISTRATOR_ROLE),
    key: { readOnly },
    pageSize,
  };
}

/** Whether a key of the principal may have this role. */
export function hasRightsOf(
  { administrator, roles }: Pick<Principal, 'administrator' | 'roles'>,
  role: string,
): boolean {
  return administrator || roles.includes(role);
}

/** Identifies principals with equal rights. */
export function rightsKey({ administrator, anonymous, service, roles, key }: Principal): string {
  const names = administrator ? [] : [...roles].sort();
  return JSON.stringify([
    administrator,
    anonymous === true,
    service === true,
    key?.readOnly === true,
    ...names,
  ]);
}

/** The rights of a principal. Cache the result per `rightsKey`. */
export function principalRights(policy: Policy, principal: Principal, model: Model): Rights {
  const own = ownRecords(principal.roles, model);
  const rights =
    principal.anonymous === true
      ? resolveRights(policy, principal, model)
      : resolveRights(
          { roles: [...policy.roles, own] },
          { ...principal, roles: [...principal.roles, own.name] },
          model,
        );
  if (principal.service === true) return { ...rights, records: true };
  return principal.key?.readOnly === true ? { ...rights, readOnly: true } : rights;
}
