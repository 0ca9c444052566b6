// Verifies access tokens of issuers (RFC 9068, RFC 8725): signature, algorithm, issuer, audience and time. Clients learn the precise reason
// of a rejection. The reasons contain nothing of the token itself.
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Issuer } from './issuer.ts';
import type { IssuerKeys } from './issuer-keys.ts';

export interface KnownIssuer {
  readonly issuer: Issuer;
  readonly keys: Pick<IssuerKeys, 'find'>;
}

export interface VerifiedToken {
  readonly issuer: Issuer;
  readonly claims: JWTPayload;
  /** Milliseconds since 1970, with the permitted difference of clocks. */
  readonly expires: number;
}

/** A token that is not accepted. The message completes the sentence "The access token is not accepted: …". */
export class RejectedToken extends Error {
  override readonly name = 'RejectedToken';
}

/** Values of the header `typ`. Tokens of other types, such as logout tokens, are signed by the same keys. */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/**
 * Verifies a token. Throws: RejectedToken, auth.issuer-unavailable.
 * @param now milliseconds since 1970
 */
export async function verifyToken(
  token: string,
  issuers: ReadonlyMap<string, KnownIssuer>,
  now: number,
): Promise<VerifiedToken> {
  const known = issuers.get(issuerOf(token));
  if (known === undefined)
    throw new RejectedToken('its issuer (claim iss) is not one that this service trusts');
  const { issuer, keys } = known;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      issuer: issuer.url,
      audience: [...issuer.audience],
      algorithms: [...issuer.algorithms],
      clockTolerance: issuer.clockSkew,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    });
    requireAccessToken(payload, protectedHeader.typ);
    const expires = ((payload.exp ?? 0) + issuer.clockSkew) * 1000;
    return { issuer, claims: payload, expires };
  } catch (error) {
    throw error instanceof errors.JOSEError ? rejection(error, issuer) : error;
  }
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    throw new RejectedToken('it is not a valid JSON Web Token');
  }
}

/** Rejects ID tokens and tokens that are bound to a key of the client, which RFC 9449 and RFC 8705 accept with a proof only. */
function requireAccessToken(claims: JWTPayload, type: string | undefined): void {
  const isIdToken = claims.typ === 'ID' || 'at_hash' in claims;
  if (isIdToken || !TYPES.has(type?.toLowerCase()))
    throw new RejectedToken('it is not an access token; send the access token of the sign-in');
  if ('cnf' in claims)
    throw new RejectedToken('it is bound to a key of the client; request a Bearer token');
}

function rejection(error: errors.JOSEError, issuer: Issuer): RejectedToken {
  if (error instanceof errors.JWTExpired) return new RejectedToken('it has expired (claim exp)');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new RejectedToken(claimReason(error, issuer));
  return new RejectedToken(REASONS.get(error.code)?.(issuer) ?? 'it is not a valid signed token');
}

function claimReason({ claim, reason }: errors.JWTClaimValidationFailed, issuer: Issuer): string {
  if (reason === 'missing') return `the claim ${claim} is missing`;
  if (claim === 'aud')
    return `its audience (claim aud) does not contain ${issuer.audience.join(' or ')}`;
  return claim === 'nbf' ? 'it is not valid yet (claim nbf)' : `the claim ${claim} is not valid`;
}

const REASONS: ReadonlyMap<string, (issuer: Issuer) => string> = new Map([
  [
    errors.JOSEAlgNotAllowed.code,
    ({ algorithms }: Issuer) => `its algorithm (alg) is not one of ${algorithms.join(', ')}`,
  ],
  [
    errors.JWKSNoMatchingKey.code,
    ({ url }: Issuer) => `no key of ${url} matches its key ID (kid) and algorithm`,
  ],
  [
    errors.JWKSMultipleMatchingKeys.code,
    ({ url }: Issuer) => `it has no key ID (kid), and ${url} has several keys`,
  ],
  [
    errors.JWSSignatureVerificationFailed.code,
    ({ url }: Issuer) => `its signature was not made by a key of ${url}`,
  ],
]);
