// The interface of the store of accounts, logins and tokens, which auth-store.ts implements on the database. It receives only hashes of
// tokens and passwords.

/** The members of an account that authentication needs. */
export interface AccountRecord {
  readonly uid: bigint;
  readonly loginName: string;
  readonly blocked: boolean;
  /** PHC string; undefined for accounts that cannot log in with a password. */
  readonly passwordHash: string | undefined;
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
}

/** The owner of a request: the account, and the session if there is one. */
export interface Owner {
  readonly account: bigint;
  readonly session?: bigint | undefined;
}

export interface NewLogin {
  readonly account: bigint;
  readonly client: string;
  /** IP address of the client. */
  readonly address: string;
}

/** A request of a login for a session slot. */
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

export interface AuthRecords {
  /** The account of that name, regardless of case. An exact match takes precedence, then the older account. */
  readonly findAccount: (loginName: string) => Promise<AccountRecord | undefined>;
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
  /** The login and the account of an access token that has not expired. */
  readonly findAccess: (
    hash: string,
    now: number,
  ) => Promise<
    | { readonly token: TokenRecord; readonly login: LoginRecord; readonly account: AccountRecord }
    | undefined
  >;
  /** The account; undefined if it does not exist any more, or if the session has ended or expired. */
  readonly findOwner: (owner: Owner, now: number) => Promise<AccountRecord | undefined>;
  /** Allocates a session slot for the login, unless it has one or the limits are reached. */
  readonly takeSlot: (slot: SlotRequest) => Promise<SlotOutcome>;
  /** Stores when sessions were last used. */
  readonly touch: (uses: ReadonlyMap<bigint, number>) => Promise<void>;
  /** Ends a login, revokes its tokens and frees its session slot. */
  readonly endLogin: (login: bigint) => Promise<void>;
  /** Changes whenever any process ends a login or changes accounts, roles or rights. */
  readonly revision: () => Promise<string>;
  /** Deletes expired tokens and logins. */
  readonly prune: (before: number) => Promise<void>;
}
