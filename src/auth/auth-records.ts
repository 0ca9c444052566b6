// This file defines what the log-in rules need to have kept: accounts, log-ins and their tokens. auth/auth-store.ts keeps them in the
// database. Only hashes of tokens and passwords are ever handed over.

/** An account as far as logging in and asking are concerned. */
export interface AccountRecord {
  readonly uid: bigint;
  readonly loginName: string;
  readonly blocked: boolean;
  /** PHC string; undefined for accounts that cannot log in by password. */
  readonly passwordHash: string | undefined;
  /** Key of the person behind the account. */
  readonly person: bigint | undefined;
  readonly roles: readonly string[];
}

/** One log-in: the family of tokens that descend from one use of a password. It holds at most one session. */
export interface LoginRecord {
  readonly id: bigint;
  readonly account: bigint;
  /** The machine it is bound to: an IPv4 address or an IPv6 /64; empty when binding is off. */
  readonly client: string;
  /** When its session was last used, in milliseconds since 1970; undefined before the first use. */
  readonly seen: number | undefined;
}

/** Whose request one is: the account, and the session by which it asked, if it had one. */
export interface Owner {
  readonly account: bigint;
  readonly session?: bigint | undefined;
}

/** A log-in that is to be kept. */
export interface NewLogin {
  readonly account: bigint;
  readonly client: string;
  /** IP address that logs in. */
  readonly address: string;
}

/** A session slot that a log-in needs. */
export interface WantedSlot {
  readonly login: bigint;
  readonly now: number;
  /** Log-ins that were not used since have no slot. */
  readonly idleSince: number;
  /** Slots that all accounts together, and the account of the log-in, may have. */
  readonly limit: number;
  readonly accountLimit: number;
}

/** Whether the log-in has a slot, which limit is in its way, or that it has ended meanwhile. */
export type SlotOutcome = 'taken' | 'limit' | 'account-limit' | 'ended';

export interface TokenRecord {
  readonly hash: string;
  readonly login: bigint;
  readonly kind: 'access' | 'refresh';
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The outcome of spending a refresh token: of two attempts at once exactly one is `spent`. */
export type Spending =
  | { readonly kind: 'spent'; readonly login: LoginRecord; readonly account: AccountRecord }
  | { readonly kind: 'reused'; readonly login: LoginRecord; readonly usedAt: number }
  | { readonly kind: 'unknown' };

export interface AuthRecords {
  /** The account of that name, upper and lower case being alike unless two differ by that alone: then the one that is written so, or the older. */
  readonly findAccount: (loginName: string) => Promise<AccountRecord | undefined>;
  /** Keeps a new log-in and its first tokens, in one transaction. */
  readonly openLogin: (
    login: NewLogin,
    tokens: (login: bigint) => readonly TokenRecord[],
    now: number,
  ) => Promise<void>;
  /** Marks a refresh token as used and keeps its successors, in one transaction; nothing is kept unless it is spent by this call. */
  readonly spendRefresh: (
    hash: string,
    now: number,
    successors: (login: LoginRecord) => readonly TokenRecord[] | undefined,
  ) => Promise<Spending>;
  /** The log-in and account behind an access token that has not expired. */
  readonly findAccess: (
    hash: string,
    now: number,
  ) => Promise<
    | { readonly token: TokenRecord; readonly login: LoginRecord; readonly account: AccountRecord }
    | undefined
  >;
  /** The account; undefined where it is gone, or the session that it asked by has ended or can no longer be used. */
  readonly findOwner: (owner: Owner, now: number) => Promise<AccountRecord | undefined>;
  /** Takes a session slot for the log-in unless it has one, or others that are not idle have taken as many as there may be. */
  readonly takeSlot: (slot: WantedSlot) => Promise<SlotOutcome>;
  /** Notes that sessions were used, so that they stay alive. */
  readonly touch: (uses: ReadonlyMap<bigint, number>) => Promise<void>;
  /** Ends a log-in: its tokens are dead, its session slot is free. */
  readonly endLogin: (login: bigint) => Promise<void>;
  /** Changes whenever a log-in ends or an account, its roles or what they say change, on whichever node. */
  readonly revision: () => Promise<string>;
  /** Forgets tokens and log-ins that can no longer matter. */
  readonly prune: (before: number) => Promise<void>;
}
