// This file defines Principal, an authenticated account. Only auth/ creates principals.

export interface Principal {
  /** Key of the account. */
  readonly account: bigint;
  readonly loginName: string;
  /** Key of the person to whom the account belongs, if any. */
  readonly person: bigint | undefined;
  /** Names of the account's roles. */
  readonly roles: readonly string[];
  /** Has all rights, including those reserved to administrators. */
  readonly administrator: boolean;
  /** The login session of the token; undefined without a token, for example in deferred requests. */
  readonly session?: bigint | undefined;
}
