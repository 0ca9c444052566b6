// This file stamps stored responses with the rights they were created with, so that they are only returned to accounts that still have
// these rights. Rights of roles add up: an account that gains a role is still covered, one that loses a role is not.
import { createHash } from 'node:crypto';
import type { Policy, Role } from '../../access/policy.ts';
import type { Principal } from '../../access/principal.ts';
import type { Service } from '../service.ts';

/** Digests separated by spaces: of the account and of each role, or `*` instead of roles for administrators. */
export type RightsStamp = string;

const EVERYTHING = '*';

/** Stamp of a response that contains no records. */
export const NO_RIGHTS: RightsStamp = '';

const stamps = new WeakMap<Principal, { readonly policy: Policy; readonly stamp: RightsStamp }>();
const digests = new WeakMap<Role, string>();

/** The current rights of the principal. */
export function stampOf(
  { roles: { policy } }: Pick<Service, 'roles'>,
  principal: Principal,
): RightsStamp {
  const cached = stamps.get(principal);
  if (cached?.policy === policy) return cached.stamp;
  const stamp = [digestOf(identityOf(principal)), ...rightsIn(policy, principal)].join(' ');
  stamps.set(principal, { policy, stamp });
  return stamp;
}

/** The stamp of a response that was created partly with the first rights and partly with the second. */
export function bothStamps(first: RightsStamp, second: RightsStamp): RightsStamp {
  return first === second ? first : [...new Set(`${first} ${second}`.split(' '))].join(' ');
}

/** Whether `current` rights allow reading a response created with the `required` ones; false if these are unknown. */
export function covers(current: RightsStamp, required: RightsStamp | undefined): boolean {
  if (required === undefined) return false;
  if (current === required || required === NO_RIGHTS) return true;
  const [identity = '', ...rights] = current.split(' ');
  const needed = required.split(' ');
  if (rights.includes(EVERYTHING)) return needed[0] === identity;
  const available = new Set([identity, ...rights]);
  return needed.every((digest) => available.has(digest));
}

/** The values that conditions of roles refer to as `$me` and `$account`. */
function identityOf({ account, loginName, person }: Principal): unknown {
  return [account, loginName, person];
}

function rightsIn({ roles }: Policy, principal: Principal): readonly string[] {
  if (principal.administrator) return [EVERYTHING];
  return roles.filter(({ name }) => principal.roles.includes(name)).map(digestOfRole);
}

function digestOfRole(role: Role): string {
  const digest = digests.get(role) ?? digestOf(role);
  digests.set(role, digest);
  return digest;
}

function digestOf(content: unknown): string {
  const text = JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
