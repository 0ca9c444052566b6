// The signing keys of an issuer. They are read at the first token, kept for ten minutes, and read again when a token names an unknown key.
// A failure is reported for a few seconds without another attempt, so that requests do not queue for an issuer that does not respond.
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { Fault } from '../../base/fault.ts';
import type { Observe } from '../../base/observation.ts';
import type { World } from '../../base/world.ts';
import { type Issuer, isSecureUrl } from './issuer.ts';

/** Time limit for a response of the issuer. Milliseconds. */
const TIME_LIMIT = 5000;
/** Time after reading the keys in which an unknown key is not looked for again, and after a failure. Milliseconds. */
const KEY_COOLDOWN = 10_000;
const FAILURE_COOLDOWN = 5000;
/** Seconds after which clients should try again. */
const RETRY_SECONDS = 10;

export interface KeyParts {
  readonly world: World;
  readonly observe: Observe;
}

/** A request to the issuer that failed. The message is for administrators. */
class IssuerFailure extends Error {
  override readonly name = 'IssuerFailure';
}

/** The keys of one issuer. */
export class IssuerKeys {
  readonly #issuer: Issuer;
  readonly #parts: KeyParts;
  #remote: Promise<JWTVerifyGetKey> | undefined;
  #failure: { readonly fault: Fault; readonly at: number } | undefined;

  constructor(issuer: Issuer, parts: KeyParts) {
    this.#issuer = issuer;
    this.#parts = parts;
  }

  /** The key of a token. Throws: auth.issuer-unavailable, and the errors of jose for a token that matches no key. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    this.#requireNoFailure();
    try {
      this.#remote ??= this.#open();
      const find = await this.#remote;
      return await find(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      throw this.#failed(error);
    }
  };

  #requireNoFailure(): void {
    const { now } = this.#parts.world;
    if (this.#failure !== undefined && now() - this.#failure.at < FAILURE_COOLDOWN)
      throw this.#failure.fault;
  }

  async #open(): Promise<JWTVerifyGetKey> {
    const url = this.#issuer.jwksUri ?? (await discover(this.#issuer.url));
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIME_LIMIT,
      cooldownDuration: KEY_COOLDOWN,
    });
  }

  /** Forgets the URL of the keys as well, because the issuer may have changed it. Concurrent failures are reported once. */
  #failed(error: unknown): Fault {
    const { world, observe } = this.#parts;
    const at = world.now();
    if (this.#failure !== undefined && at - this.#failure.at < FAILURE_COOLDOWN)
      return this.#failure.fault;
    const parameters = {
      issuer: this.#issuer.url,
      reason: reasonOf(error),
      seconds: RETRY_SECONDS,
    };
    const headers = { 'Retry-After': String(RETRY_SECONDS) };
    const fault = new Fault('auth.issuer-unavailable', parameters, { headers });
    this.#remote = undefined;
    this.#failure = { fault, at };
    observe({ kind: 'failure', id: 'issuer', error: fault });
    return fault;
  }
}

interface DiscoveryDocument {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
}

/** OpenID Connect Discovery 1.0, 4: the document is below the URL of the issuer, and must contain this URL. */
async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT),
    headers: { Accept: 'application/json' },
  });
  if (!response.ok) throw new IssuerFailure(`${address} returned status ${response.status}`);
  const document: DiscoveryDocument | null = JSON.parse(await response.text());
  const { issuer: named, jwks_uri: keys } = document ?? {};
  if (named !== issuer)
    throw new IssuerFailure(`${address} names another issuer than the setting issuers`);
  if (typeof keys !== 'string' || !isSecureUrl(keys))
    throw new IssuerFailure(`${address} contains no HTTPS URL as jwks_uri`);
  return keys;
}

/** Whether the keys were read, but none of them fits the token. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof IssuerFailure) return error.message;
  const isAborted = error instanceof Error && error.name === 'TimeoutError';
  if (isAborted || error instanceof errors.JWKSTimeout)
    return `no response within ${TIME_LIMIT / 1000} seconds`;
  if (error instanceof errors.JOSEError || error instanceof SyntaxError)
    return 'its response is not a valid set of keys or discovery document';
  return 'the connection failed';
}
