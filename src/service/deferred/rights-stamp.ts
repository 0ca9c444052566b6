// This file records with a stored response which rights it was made with, so that it is shown again only to somebody who still has them.
// Rights of several roles add up: an account that has gained a role is still covered, one that has lost a role is not.
import { createHash } from 'node:crypto';
import type { Policy, Role } from '../../access/policy.ts';
import type { Principal } from '../../access/principal.ts';
import type { Service } from '../service.ts';

/** Digests separated by blanks: of who asks, and of each of the roles; `*` for an administrator, who needs no role. */
export type RightsStamp = string;

const EVERYTHING = '*';

/** Of a response that shows nothing of the records. */
export const NO_RIGHTS: RightsStamp = '';

const stamps = new WeakMap<Principal, { readonly policy: Policy; readonly stamp: RightsStamp }>();
const digests = new WeakMap<Role, string>();

/** The rights that the principal has now. */
export function stampOf(
  { roles: { policy } }: Pick<Service, 'roles'>,
  principal: Principal,
): RightsStamp {
  const known = stamps.get(principal);
  if (known?.policy === policy) return known.stamp;
  const stamp = [digestOf(whoOf(principal)), ...rightsIn(policy, principal)].join(' ');
  stamps.set(principal, { policy, stamp });
  return stamp;
}

/** The rights that a response needs which was made with the first and, in parts, with the second. */
export function bothStamps(first: RightsStamp, second: RightsStamp): RightsStamp {
  return first === second ? first : [...new Set(`${first} ${second}`.split(' '))].join(' ');
}

/** Whether somebody with the rights of now may be shown what was made with those of then; never where these are not known. */
export function covers(now: RightsStamp, then: RightsStamp | undefined): boolean {
  if (then === undefined) return false;
  if (now === then || then === NO_RIGHTS) return true;
  const [who = '', ...rights] = now.split(' ');
  const needed = then.split(' ');
  if (rights.includes(EVERYTHING)) return needed[0] === who;
  const present = new Set([who, ...rights]);
  return needed.every((one) => present.has(one));
}

/** What conditions of roles may name: `$me` and `$account`. */
function whoOf({ account, loginName, person }: Principal): unknown {
  return [account, loginName, person];
}

function rightsIn({ roles }: Policy, principal: Principal): readonly string[] {
  if (principal.administrator) return [EVERYTHING];
  return roles.filter(({ name }) => principal.roles.includes(name)).map(digestOfRole);
}

function digestOfRole(role: Role): string {
  const known = digests.get(role) ?? digestOf(role);
  digests.set(role, known);
  return known;
}

function digestOf(content: unknown): string {
  const text = JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
