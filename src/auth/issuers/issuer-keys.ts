// The signing keys of an issuer. They are read at the first token, kept for ten minutes, and read again when a token names an unknown key.
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { discover, TIME_LIMIT } from './discovery.ts';
import type { Issuer } from './issuer.ts';
import { IssuerOutage, type OutageParts } from './issuer-outage.ts';

/** Time after reading the keys in which an unknown key is not looked for again. Milliseconds. */
const KEY_COOLDOWN = 10_000;

/** The keys of one issuer. */
export class IssuerKeys {
  readonly #issuer: Issuer;
  readonly #outage: IssuerOutage;
  #remote: Promise<JWTVerifyGetKey> | undefined;

  constructor(issuer: Issuer, parts: OutageParts) {
    this.#issuer = issuer;
    this.#outage = new IssuerOutage(issuer.url, parts);
  }

  /** The key of a token. Throws: auth.issuer-unavailable, and the errors of jose for a token that matches no key. */
  readonly find: JWTVerifyGetKey = async (header, token) =>
    await this.#outage.watch(async () => {
      try {
        this.#remote ??= this.#open();
        const find = await this.#remote;
        return await find(header, token);
      } catch (error) {
        // The issuer may have changed the URL of its keys.
        if (!isAboutToken(error)) this.#remote = undefined;
        throw error;
      }
    }, isAboutToken);

  async #open(): Promise<JWTVerifyGetKey> {
    const url = this.#issuer.jwksUri ?? (await discover(this.#issuer.url)).jwksUri;
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIME_LIMIT,
      cooldownDuration: KEY_COOLDOWN,
    });
  }
}

/** Whether the keys were read, but none of them fits the token. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
