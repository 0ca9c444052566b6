// The errors of requests that are not authenticated, with the challenge of RFC 6750. It names where to sign in, as Excel, Power BI and
// MSAL expect.
import { Fault } from '../base/fault.ts';

/** The fault of a request that needs a token. */
export function tokenMissing(authorizationUri: string | undefined): Fault {
  return new Fault('auth.token-missing', {}, challenge(authorizationUri));
}

/**
 * The fault of a token of the service itself, or of another header.
 * @param hint how to use Basic authentication instead
 */
export function invalidToken(authorizationUri: string | undefined, hint = ''): Fault {
  return new Fault('auth.token-invalid', { hint }, challenge(authorizationUri, { error: INVALID }));
}

/** The fault of an API key. */
export function invalidKey(authorizationUri: string | undefined): Fault {
  return new Fault('auth.key-invalid', {}, challenge(authorizationUri, { error: INVALID }));
}

/** The fault of a wrong name or password. */
export function wrongCredentials(): Fault {
  return new Fault('auth.credentials', {}, challenge(undefined));
}

/** The fault of a log-in that needs a code of the second factor. */
export function codeMissing(): Fault {
  return new Fault('auth.code-missing', {}, challenge(undefined));
}

/** The fault of a log-in with a code that is wrong or has been used. */
export function wrongLoginCode(): Fault {
  return new Fault('auth.code', {}, challenge(undefined));
}

/** The fault of a browser without a session. */
export function signedOut(headers: Readonly<Record<string, string>>): Fault {
  const { headers: challenges } = challenge(undefined);
  return new Fault('auth.signed-out', {}, { headers: { ...challenges, ...headers } });
}

/** The fault of a token of an issuer. The reason is also in the header, for clients that do not read bodies. */
export function invalidIssuerToken(reason: string, authorizationUri: string | undefined): Fault {
  const details = {
    error: INVALID,
    error_description: `The access token is not accepted: ${reason}.`,
  };
  return new Fault('auth.issuer-token', { reason }, challenge(authorizationUri, details));
}

const INVALID = 'invalid_token';

function challenge(
  authorizationUri: string | undefined,
  details: Readonly<Record<string, string>> = {},
) {
  const place = authorizationUri === undefined ? {} : { authorization_uri: authorizationUri };
  const parameters = Object.entries({ realm: 'docket', ...place, ...details });
  const text = parameters.map(([name, content]) => `${name}="${quotable(content)}"`).join(', ');
  return { headers: { 'WWW-Authenticate': `Bearer ${text}` } };
}

/** RFC 6750, 3: the characters that a description may contain. */
function quotable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?');
}
