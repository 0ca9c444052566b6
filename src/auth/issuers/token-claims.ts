// Reads the login name, the display name and the roles of an account from the claims of a verified token.
import type { JWTPayload } from 'jose';
import type { Issuer } from './issuer.ts';
import { RejectedToken } from './verify-token.ts';

/** The login name that a token contains. Throws: RejectedToken. */
export function loginNameIn(claims: JWTPayload, { claim }: Pick<Issuer, 'claim'>): string {
  const name = claimAt(claims, claim);
  if (typeof name !== 'string' || name === '')
    throw new RejectedToken(`it has no text in the claim ${claim}, which names the account`);
  // Otherwise anybody could register the address of another user with the issuer. Some issuers, such as Apple, write a text.
  if (claim === 'email' && String(claims.email_verified) === 'false')
    throw new RejectedToken('its e-mail address has not been verified (claim email_verified)');
  return name;
}

/** The name that a created account shows to others. */
export function displayNameIn(claims: JWTPayload, loginName: string): string {
  return typeof claims.name === 'string' && claims.name.trim() !== '' ? claims.name : loginName;
}

/** The roles of a created account. Throws: RejectedToken if there are none, because the account would be useless. */
export function rolesIn(claims: JWTPayload, { roles }: Issuer): readonly string[] {
  const values = [claimAt(claims, roles.claim)].flat();
  const map = new Map(Object.entries(roles.map));
  const mapped = values.flatMap((value) => map.get(String(value)) ?? []);
  const found = new Set([...roles.default, ...mapped]);
  if (found.size === 0)
    throw new RejectedToken(`its claim ${roles.claim} contains no role for this service`);
  return [...found];
}

/** The claim of that name, or in objects by a path such as `realm_access.roles`. Names may contain dots themselves. */
function claimAt(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>(memberOf, claims);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}
