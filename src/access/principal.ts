// This file defines Principal: an authenticated account, a caller without one, or the service itself.

/** Somebody else has chosen the password of the account, or one of its roles requires a second factor and it has none. */
export type RequiredStep = 'change-password' | 'add-second-factor';

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
  /** Whether the service itself acts for the account, so that it may create entities that only the service writes. */
  readonly service?: boolean;
  /** Whether the request has no token. Such a principal has no account. */
  readonly anonymous?: boolean;
  /** The API key of the request; undefined without one. Its roles are those that the key leaves. */
  readonly key?: { readonly readOnly: boolean };
  /** The login session of the token, or the API key; undefined without a token, for example in deferred requests. */
  readonly session?: bigint | undefined;
  /** What the account must do before it may do anything else. */
  readonly requiredStep?: RequiredStep | undefined;
  /** Records per page if the request asks for no other size; undefined for the setting `limits.pageSize`. */
  readonly pageSize?: number | undefined;
}

/** The service itself, with all rights. @param loginName as history and the audit trail show it */
export function servicePrincipal(loginName: string): Principal {
  return { account: 0n, loginName, person: undefined, roles: [], administrator: true };
}
