// The interface of the store of accounts, logins, tokens and API keys, which auth-store.ts implements on the database. It receives only hashes of
// tokens and passwords.

import type { KeyLimits } from '../access/key-rights.ts';
import type { RequiredStep } from '../access/principal.ts';

/** The members of an account that authentication needs. */
export interface AccountRecord {
  readonly uid: bigint;
  readonly loginName: string;
  /** The name that others see. */
  readonly displayName: string;
  /** The language that the account prefers, if the model has one. */
  readonly language: string | undefined;
  readonly blocked: boolean;
  /** PHC string; undefined for accounts that cannot log in with a password. */
  readonly passwordHash: string | undefined;
  /** What a login by password must do before it may do anything else. */
  readonly requiredStep?: RequiredStep | undefined;
  /** Key of the person who owns the account. */
  readonly person: bigint | undefined;
  readonly roles: readonly string[];
}

/** A login: all tokens that descend from one use of a password. It has at most one session. */
export interface LoginRecord {
  readonly id: bigint;
  readonly account: bigint;
  /** The machine it is bound to: an IPv4 address or an IPv6 /64; empty if binding is off. */
  readonly client: string;
  /** When its session was last used, in milliseconds since 1970; undefined before the first use. */
  readonly lastUsed: number | undefined;
  /** How the account has proved who it is; undefined for logins of earlier versions. */
  readonly method: string | undefined;
}

/** The owner of a request: the account, and the session or the API key if there is one. */
export interface Owner {
  readonly account: bigint;
  readonly session?: bigint | undefined;
}

/** How an account proves who it is. */
export type LoginMethod = 'password' | 'issuer';

export interface NewLogin {
  readonly account: bigint;
  readonly client: string;
  /** IP address of the client. */
  readonly address: string;
  /** The program, as its User-Agent header names it. */
  readonly agent?: string | undefined;
  readonly method: LoginMethod;
}

/** A request of a login or an API key for a session slot. */
export interface SlotRequest {
  readonly login: bigint;
  readonly now: number;
  /** Logins that were last used before this time have no slot. */
  readonly idleSince: number;
  /** Maximum number of slots of all accounts, and of the account of the login. */
  readonly limit: number;
  readonly accountLimit: number;
}

/** Whether the login got a slot, which limit prevents it, or that the login has ended. */
export type SlotOutcome = 'taken' | 'limit' | 'account-limit' | 'ended';

export interface TokenRecord {
  readonly hash: string;
  readonly login: bigint;
  readonly kind: 'access' | 'refresh';
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The outcome of spending a refresh token. Of two concurrent attempts exactly one is `spent`. */
export type Spending =
  | { readonly kind: 'spent'; readonly login: LoginRecord; readonly account: AccountRecord }
  | { readonly kind: 'reused'; readonly login: LoginRecord; readonly usedAt: number }
  | { readonly kind: 'unknown' };

/** An account, with the limits of the API key by which it is used. */
export interface AccountAccess extends AccountRecord {
  readonly key?: KeyLimits | undefined;
}

/** What a token of the service, a token of an issuer or an API key gives access to. */
export interface FoundAccess {
  /** The session of the token, or the API key. */
  readonly id: bigint;
  /** The machine that the token is bound to; empty if it is not bound. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly account: AccountAccess;
}

export interface AuthRecords {
  /** The account of that name, regardless of case. An exact match takes precedence, then the older account. */
  readonly findAccount: (loginName: string) => Promise<AccountRecord | undefined>;
  /** Whether log-ins of the account by password need a code of its second factor. */
  readonly needsCode: (account: bigint) => Promise<boolean>;
  /** Whether a code of the second factor is valid. It cannot be used again. */
  readonly spendCode: (account: bigint, code: string, now: number) => Promise<boolean>;
  /** Stores a new login and its first tokens in one transaction. */
  readonly openLogin: (
    login: NewLogin,
    tokens: (login: bigint) => readonly TokenRecord[],
    now: number,
  ) => Promise<void>;
  /** Marks a refresh token as used and stores its successors in one transaction. Stores nothing unless this call spends the token. */
  readonly spendRefresh: (
    hash: string,
    now: number,
    successors: (login: LoginRecord) => readonly TokenRecord[] | undefined,
  ) => Promise<Spending>;
  /** Stores another access token of a login, and returns its account; undefined if the login has ended or the account is blocked. */
  readonly addAccess: (token: TokenRecord, now: number) => Promise<AccountRecord | undefined>;
  /**
   * The login that all tokens of issuers for an account share, on any machine. It is opened at its first use, and lasts while it is used at
   * least once in seven days.
   */
  readonly sharedLogin: (
    login: Omit<NewLogin, 'client' | 'method'>,
    now: number,
  ) => Promise<bigint>;
  /** The account of an access token or API key that has not expired. */
  readonly findAccess: (hash: string, now: number) => Promise<FoundAccess | undefined>;
  /** The account; undefined if it does not exist any more, or if the session or the API key has ended or expired. */
  readonly findOwner: (owner: Owner, now: number) => Promise<AccountAccess | undefined>;
  /**
   * Allocates a session slot for the login or API key, unless it has one or the limits are reached. All keys of an account share one with
   * its shared login, and with its other logins if it is used by machines.
   */
  readonly takeSlot: (slot: SlotRequest) => Promise<SlotOutcome>;
  /** Stores when sessions and API keys were last used. */
  readonly touch: (uses: ReadonlyMap<bigint, number>) => Promise<void>;
  /** Ends a login, revokes its tokens and frees its session slot. */
  readonly endLogin: (login: bigint) => Promise<void>;
  /** The same for the login of a refresh token, used or not. Returns its account; undefined if there is no such token. */
  readonly endLoginOf: (refreshHash: string) => Promise<AccountRecord | undefined>;
  /** Changes whenever any process ends a login or changes accounts, roles or rights. */
  readonly revision: () => Promise<string>;
  /** Deletes expired tokens and logins. */
  readonly prune: (before: number) => Promise<void>;
}
