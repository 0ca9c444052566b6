// Authenticates requests with access tokens of issuers. All tokens of one account share one login, and its API keys use the same session slot. What was
// verified is cached until the token expires, so that an issuer that cannot be reached affects new tokens only.
import type { World } from '../../base/world.ts';
import type { AccountRecord, AuthRecords, FoundAccess } from '../auth-records.ts';
import { invalidIssuerToken } from '../challenge.ts';
import type { Issuer } from './issuer.ts';
import { IssuerKeys, type KeyParts } from './issuer-keys.ts';
import { displayNameIn, loginNameIn, rolesIn } from './token-claims.ts';
import {
  type KnownIssuer,
  RejectedToken,
  type VerifiedToken,
  verifyToken,
} from './verify-token.ts';

/** Maximum number of verified tokens in the cache. */
const CACHE_LIMIT = 10_000;

/** An account that a token creates. */
export interface IssuedAccount {
  readonly loginName: string;
  readonly displayName: string;
  readonly roles: readonly string[];
  /** The issuer and the address of the client, for the audit trail. */
  readonly issuer: string;
  readonly address: string;
}

export interface IssuerParts extends KeyParts {
  readonly records: Pick<AuthRecords, 'findAccount' | 'sharedLogin'>;
  readonly world: World;
  /** Creates an account with an entry in the audit trail. Returns the reason if it cannot be created. */
  readonly createAccount: (account: IssuedAccount) => Promise<string | undefined>;
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

  constructor(issuers: readonly Issuer[], parts: IssuerParts) {
    this.#parts = parts;
    this.#issuers = new Map(
      issuers.map((issuer) => [issuer.url, { issuer, keys: new IssuerKeys(issuer, parts) }]),
    );
    this.authorizationUri = issuers.find((one) => one.authorizationUri)?.authorizationUri;
  }

  /** The account of a token and the login that it shares. Throws: auth.issuer-token, auth.issuer-unavailable. */
  async findAccess(token: SentToken, now: number): Promise<FoundAccess> {
    try {
      const verified = await this.#verify(token, now);
      const account = await this.#accountOf(verified, token.address);
      if (account.blocked) throw new RejectedToken('the account is blocked');
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

  async #accountOf({ issuer, claims }: VerifiedToken, address: string): Promise<AccountRecord> {
    const { records, createAccount } = this.#parts;
    const loginName = loginNameIn(claims, issuer);
    const known = await records.findAccount(loginName);
    if (known !== undefined) return known;
    if (!issuer.createAccounts)
      throw new RejectedToken(`no account has the name in its claim ${issuer.claim}`);
    const displayName = displayNameIn(claims, loginName);
    const roles = rolesIn(claims, issuer);
    const reason = await createAccount({
      loginName,
      displayName,
      roles,
      issuer: issuer.url,
      address,
    });
    // Concurrent requests create the account once; the others find it.
    const created = await records.findAccount(loginName);
    if (created !== undefined) return created;
    throw new RejectedToken(`its account cannot be created: ${reason ?? 'it was deleted'}`);
  }
}
