// Authenticates requests with access tokens of issuers. All tokens of one account share one login, and its API keys use the same session slot. What was
// verified is cached until the token expires, so that an issuer that cannot be reached affects new tokens only.
import type { AuthRecords, FoundAccess } from '../auth-records.ts';
import { invalidIssuerToken } from '../challenge.ts';
import { type AccountParts, accountOf } from './issued-account.ts';
import type { OutageParts } from './issuer-outage.ts';
import {
  type KnownIssuer,
  RejectedToken,
  type VerifiedToken,
  verifyToken,
} from './verify-token.ts';

/** Maximum number of verified tokens in the cache. */
const CACHE_LIMIT = 10_000;

export interface IssuerParts extends OutageParts, AccountParts {
  readonly records: Pick<AuthRecords, 'findAccount' | 'sharedLogin'>;
}

/** A token in a request. */
interface SentToken {
  readonly text: string;
  readonly hash: string;
  /** The client's IP address. */
  readonly address: string;
}

/** The tokens of all issuers. */
export class IssuerTokens {
  readonly #parts: IssuerParts;
  readonly #issuers: ReadonlyMap<string, KnownIssuer>;
  readonly #verified = new Map<string, VerifiedToken>();
  /** The first URL to sign in at. */
  readonly authorizationUri: string | undefined;

  constructor(issuers: readonly KnownIssuer[], parts: IssuerParts) {
    this.#parts = parts;
    this.#issuers = new Map(issuers.map((known) => [known.issuer.url, known]));
    this.authorizationUri = issuers.find(
      ({ issuer }) => issuer.authorizationUri,
    )?.issuer.authorizationUri;
  }

  /** The account of a token and the login that it shares. Throws: auth.issuer-token, auth.issuer-unavailable. */
  async findAccess(token: SentToken, now: number): Promise<FoundAccess> {
    try {
      const verified = await this.#verify(token, now);
      const account = await accountOf(verified, token.address, this.#parts);
      const { address } = token;
      const id = await this.#parts.records.sharedLogin({ account: account.uid, address }, now);
      return { id, client: '', expires: verified.expires, account };
    } catch (error) {
      if (error instanceof RejectedToken)
        throw invalidIssuerToken(error.message, this.authorizationUri);
      throw error;
    }
  }

  async #verify({ text, hash }: SentToken, now: number): Promise<VerifiedToken> {
    const cached = this.#verified.get(hash);
    if (cached !== undefined && cached.expires > now) return cached;
    this.#verified.delete(hash);
    const verified = await verifyToken(text, this.#issuers, now);
    this.#verified.set(hash, verified);
    const oldest = this.#verified.keys().next();
    if (this.#verified.size > CACHE_LIMIT && !oldest.done) this.#verified.delete(oldest.value);
    return verified;
  }
}
