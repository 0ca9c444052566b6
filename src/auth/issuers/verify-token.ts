// Verifies access tokens (RFC 9068, RFC 8725) and ID tokens (OpenID Connect Core 1.0, 3.1.3.7) of issuers: signature, algorithm, issuer,
// audience and time. Clients learn the precise reason of a rejection. The reasons contain nothing of the token itself.
import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
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

/** A token that is not accepted. The message completes the sentence "The token is not accepted: …". */
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
  const { issuer } = known;
  const { payload, protectedHeader } = await verifySigned(token, known, now, {
    audience: [...issuer.audience],
    requiredClaims: ['exp'],
  });
  requireAccessToken(payload, protectedHeader.typ);
  const expires = ((payload.exp ?? 0) + issuer.clockSkew) * 1000;
  return { issuer, claims: payload, expires };
}

/** What a client expects of an ID token. */
interface ExpectedSignIn {
  readonly clientId: string;
  /** The value that the client has sent with the browser. */
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Verifies the ID token that an issuer has sent to its client. Throws: RejectedToken, auth.issuer-unavailable. */
export async function verifyIdToken(
  token: string,
  known: KnownIssuer,
  { clientId, nonce, now }: ExpectedSignIn,
): Promise<VerifiedToken> {
  const { payload, protectedHeader } = await verifySigned(token, known, now, {
    audience: clientId,
    requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
  });
  if (payload.nonce !== nonce)
    throw new RejectedToken('it belongs to another sign-in (claim nonce)');
  if (protectedHeader.typ !== undefined && protectedHeader.typ.toLowerCase() !== 'jwt')
    throw new RejectedToken('it is not an ID token');
  const isForOther = Array.isArray(payload.aud) && payload.aud.length > 1;
  if ((isForOther || payload.azp !== undefined) && payload.azp !== clientId)
    throw new RejectedToken('it was issued to another client (claim azp)');
  return { issuer: known.issuer, claims: payload, expires: (payload.exp ?? 0) * 1000 };
}

async function verifySigned(
  token: string,
  { issuer, keys }: KnownIssuer,
  now: number,
  expected: Required<Pick<JWTVerifyOptions, 'audience' | 'requiredClaims'>>,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys.find, {
      ...expected,
      issuer: issuer.url,
      algorithms: [...issuer.algorithms],
      clockTolerance: issuer.clockSkew,
      currentDate: new Date(now),
    });
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    throw rejection(error, issuer, [expected.audience].flat());
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
  const isIdToken = claims.typ === 'ID' || 'at_hash' in claims || 'nonce' in claims;
  if (isIdToken || !TYPES.has(type?.toLowerCase()))
    throw new RejectedToken('it is not an access token; send the access token of the sign-in');
  if ('cnf' in claims)
    throw new RejectedToken('it is bound to a key of the client; request a Bearer token');
}

function rejection(
  error: errors.JOSEError,
  issuer: Issuer,
  audience: readonly string[],
): RejectedToken {
  if (error instanceof errors.JWTExpired) return new RejectedToken('it has expired (claim exp)');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new RejectedToken(claimReason(error, audience));
  return new RejectedToken(REASONS.get(error.code)?.(issuer) ?? 'it is not a valid signed token');
}

function claimReason(
  { claim, reason }: errors.JWTClaimValidationFailed,
  audience: readonly string[],
): string {
  if (reason === 'missing') return `the claim ${claim} is missing`;
  if (claim === 'aud') return `its audience (claim aud) does not contain ${audience.join(' or ')}`;
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
