// Reads the Authorization header: bearer tokens and API keys (RFC 6750), or the name of an account with an API key (RFC 7617). Passwords
// are accepted by /token only, because clients send Basic credentials with every request.
import { invalidToken } from './challenge.ts';
import { isJwt } from './issuers/jwt-form.ts';
import { hashToken, isKey } from './token.ts';

export interface Credentials {
  /** A token of the service itself, an API key, or a token with the form of those of issuers. */
  readonly kind: 'token' | 'key' | 'jwt';
  readonly text: string;
  readonly hash: string;
  /** The login name that was sent with a key. */
  readonly loginName?: string;
}

export interface CredentialRules {
  /** Whether Basic authentication with API keys is accepted. */
  readonly acceptsBasic: boolean;
  /** Where clients sign in. */
  readonly authorizationUri: string | undefined;
}

/** Throws: auth.token-invalid. */
export function readCredentials(authorization: string, rules: CredentialRules): Credentials {
  const [, basic] = /^basic +([\w+/-]+=*) *$/i.exec(authorization) ?? [];
  if (basic !== undefined) return readBasic(basic, rules);
  const [, text] = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  if (text === undefined) throw invalidToken(rules.authorizationUri);
  return { kind: kindOf(text), text, hash: hashToken(text) };
}

function kindOf(text: string): Credentials['kind'] {
  if (isKey(text)) return 'key';
  return isJwt(text) ? 'jwt' : 'token';
}

const BASIC_OFF =
  ' Basic authentication is turned off (basicKeys): send an API key as "Authorization: Bearer <key>".';
const KEY_NEEDED =
  ' Basic authentication accepts no passwords: send an API key in place of the password. CreateApiKey creates one.';

function readBasic(
  encoded: string,
  { acceptsBasic, authorizationUri }: CredentialRules,
): Credentials {
  if (!acceptsBasic) throw invalidToken(authorizationUri, BASIC_OFF);
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  // Login names may contain colons, which RFC 7617 does not provide for; keys contain none.
  const colon = decoded.lastIndexOf(':');
  const text = decoded.slice(colon + 1);
  if (colon < 0 || !isKey(text)) throw invalidToken(authorizationUri, KEY_NEEDED);
  return { kind: 'key', text, hash: hashToken(text), loginName: decoded.slice(0, colon) };
}
