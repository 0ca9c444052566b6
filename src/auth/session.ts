// Authenticates tokens and API keys. A session begins with the first use of an access token of a login and occupies a session slot. It ends
// by /connect/endsession, by revocation or by idleness. Validated tokens are cached, so that most requests need no database access; the
// revision reveals changes of any process within a second.
import { limitedByKey } from '../access/key-rights.ts';
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';
import { ADMINISTRATOR_ROLE } from '../edm/account-sets.ts';
import type { AccountAccess, AuthRecords, FoundAccess, Owner } from './auth-records.ts';
import { invalidKey, invalidToken, tokenMissing } from './challenge.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import type { IssuerTokens } from './issuers/issuer-tokens.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { machineOf } from './token.ts';

/** Intervals of checking the revision and of storing when sessions were used. Milliseconds. */
const REVISION_INTERVAL = 500;
const TOUCH_INTERVAL = 30_000;
const CACHE_LIMIT = 10_000;
/** Maximum length of a header whose hash is cached. Headers with our tokens have 50 characters, those with a name and a key more; JWT are hashed again. */
const LONGEST_HEADER = 200;
/** Number of wrong API keys that are remembered. */
const WRONG_KEYS_LIMIT = 1000;

/** Maximum numbers of concurrent sessions. */
interface SessionSlots {
  readonly total: number;
  /** Per account. */
  readonly account: number;
  /** The part of the total that is reserved for administrators; at most half of it. */
  readonly reserved: number;
}

export interface SessionSettings {
  readonly records: AuthRecords;
  readonly world: World;
  readonly bound: boolean;
  /** Counts wrong API keys. */
  readonly throttle: LoginThrottle;
  /** Whether Basic authentication with API keys is accepted. */
  readonly basicKeys: () => boolean;
  /** Milliseconds without use after which a session slot is free again. */
  readonly idleTimeout: () => number;
  readonly slots: () => SessionSlots;
  /** Accepts the tokens of configured issuers; undefined if there are none. */
  readonly issuers?: IssuerTokens | undefined;
  /** The principal of requests without a token; undefined if they are rejected. */
  readonly anonymousPrincipal: () => Principal | undefined;
  /** Reloads roles and settings after a change of the revision. */
  readonly reload: () => Promise<void>;
  /** Called when the service stops. */
  readonly atEnd: () => Promise<void>;
}

interface CachedToken {
  readonly login: bigint;
  readonly client: string;
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly expires: number;
  lastUsed: number;
  /** The last use according to the database. */
  storedLastUsed: number;
}

/** The sessions of this process. */
export class Sessions {
  readonly #settings: SessionSettings;
  readonly #cache = new Map<string, CachedToken>();
  /** Credentials in Authorization headers. */
  readonly #credentials = new Map<string, Credentials>();
  /** Wrong keys by machine. A program that keeps sending an old key is not guessing, so each counts once. */
  readonly #wrongKeys = new Set<string>();
  /** Principals of the current revision by owner. */
  #principals = new WeakMap<Owner, Principal>();
  #revision: string | undefined;
  #refreshing: Promise<void> | undefined;
  #revisionAt = Number.NEGATIVE_INFINITY;
  #touchedAt: number;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#touchedAt = settings.world.now();
  }

  /**
   * The principal of a request. Throws: auth.token-missing, auth.token-invalid, auth.key-invalid, auth.issuer-token,
   * auth.issuer-unavailable, auth.slowed, auth.busy, auth.account-sessions, auth.seats.
   * @param authorization the Authorization header
   * @param address the client's IP address
   */
  authenticate(authorization: string | undefined, address: string): Principal | Promise<Principal> {
    const now = this.#settings.world.now();
    const refreshing = this.#refreshed(now);
    if (authorization === undefined)
      return refreshing === undefined
        ? this.#anonymous()
        : refreshing.then(() => this.#anonymous());
    if (refreshing !== undefined)
      return refreshing.then(() =>
        this.#findPrincipal(this.#credentialsIn(authorization), address, now),
      );
    const credentials = this.#credentialsIn(authorization);
    const principal = this.#findPrincipal(credentials, address, now);
    if (!(principal instanceof Promise)) this.#cacheCredentials(authorization, credentials);
    return principal;
  }

  /** Whether Basic authentication with API keys is accepted. */
  get acceptsBasic(): boolean {
    return this.#settings.basicKeys();
  }

  #credentialsIn(authorization: string): Credentials {
    const { acceptsBasic } = this;
    const authorizationUri = this.#authorizationUri;
    return (
      this.#credentials.get(authorization) ??
      readCredentials(authorization, { acceptsBasic, authorizationUri })
    );
  }

  /** Caches valid credentials, because the same headers are sent with many requests. */
  #cacheCredentials(authorization: string, credentials: Credentials): void {
    if (authorization.length > LONGEST_HEADER || this.#credentials.has(authorization)) return;
    if (this.#credentials.size >= CACHE_LIMIT) this.#credentials.clear();
    this.#credentials.set(authorization, credentials);
  }

  /** Applies settings that another process has changed, before a request that needs no principal. Never rejects. */
  refresh(): void | Promise<void> {
    return this.#refreshed(this.#settings.world.now())?.catch(() => undefined);
  }

  /** Makes the next request check the revision, after a write in this process. */
  recheck(): void {
    this.#revisionAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the session of an access token and revokes its tokens, also if no session slot is free. Throws: auth.key-session, auth.*. */
  async end(authorization: string | undefined, address: string): Promise<Principal> {
    if (authorization === undefined) throw this.tokenMissing();
    const now = this.#settings.world.now();
    await this.#refreshed(now);
    const found = await this.#identify(this.#credentialsIn(authorization), address, now);
    if (found.account.key !== undefined) throw new Fault('auth.key-session');
    await this.#settings.records.endLogin(found.id);
    this.recheck();
    return principalOf(found.account);
  }

  /**
   * The current principal of a request that was authenticated earlier, for asynchronous requests and batches.
   * Throws: auth.token-invalid, if the account has been deleted or blocked, or the session has ended.
   */
  current(owner: Owner & Pick<Principal, 'anonymous'>): Principal | Promise<Principal> {
    if (owner.anonymous === true) return this.authenticate(undefined, '');
    const now = this.#settings.world.now();
    const refreshing = this.#refreshed(now);
    return refreshing === undefined
      ? this.#renewed(owner, now)
      : refreshing.then(() => this.#renewed(owner, now));
  }

  #anonymous(): Principal {
    const principal = this.#settings.anonymousPrincipal();
    if (principal === undefined) throw this.tokenMissing();
    return principal;
  }

  get #authorizationUri(): string | undefined {
    return this.#settings.issuers?.authorizationUri;
  }

  /** The fault of a request that needs a token. */
  tokenMissing(): Fault {
    return tokenMissing(this.#authorizationUri);
  }

  /** The fault of credentials that are not or no longer valid. */
  #rejected(kind: Credentials['kind'] = 'token'): Fault {
    return (kind === 'key' ? invalidKey : invalidToken)(this.#authorizationUri);
  }

  #renewed(owner: Owner, now: number): Principal | Promise<Principal> {
    return this.#principals.get(owner) ?? this.#findOwner(owner, now);
  }

  async #findOwner(owner: Owner, now: number): Promise<Principal> {
    const principals = this.#principals;
    const account = await this.#settings.records.findOwner(owner, now);
    if (account === undefined || account.blocked) throw this.#rejected();
    const principal = { ...principalOf(account), session: owner.session };
    principals.set(owner, principal).set(principal, principal);
    return principal;
  }

  /** The principal of an account, or `blocked`. Throws: auth.account-unknown. */
  async accountNamed(loginName: string): Promise<Principal | 'blocked'> {
    await this.#refreshed(this.#settings.world.now());
    const account = await this.#settings.records.findAccount(loginName);
    if (account === undefined)
      throw new Fault('auth.account-unknown', { name: loginName.slice(0, 128), hint: '' });
    return account.blocked ? 'blocked' : principalOf(account);
  }

  /** Stores when sessions were last used. Called when the service stops. */
  async close(): Promise<void> {
    await this.#touch(this.#settings.world.now());
    await this.#settings.atEnd();
  }

  #findPrincipal(
    credentials: Credentials,
    address: string,
    now: number,
  ): Principal | Promise<Principal> {
    const cached = this.#cache.get(credentials.hash);
    const isCurrent =
      cached !== undefined &&
      now < cached.expires &&
      now - cached.lastUsed <= this.#settings.idleTimeout();
    if (!isCurrent || !isNameOf(credentials, cached.principal))
      return this.#lookUp(credentials, address, now);
    this.#requireMachine(cached.client, address);
    cached.lastUsed = now;
    // After an error of the database, the next request checks the revision and gets the error.
    if (now - this.#touchedAt > TOUCH_INTERVAL) void this.#touch(now).catch(() => this.recheck());
    return cached.principal;
  }

  async #lookUp(credentials: Credentials, address: string, now: number): Promise<Principal> {
    const { hash, kind } = credentials;
    const { records } = this.#settings;
    const principals = this.#principals;
    const idleSince = now - this.#settings.idleTimeout();
    const slots = this.#settings.slots();
    const found = await this.#identify(credentials, address, now);
    // Free slots are counted in the database, so the uses in this process must be stored first.
    await this.#touch(now);
    const principal = { ...principalOf(found.account), session: found.id };
    const { limit, reserved } = slotsFor(principal, slots);
    const accountLimit = slots.account;
    const slotRequest = { login: found.id, now, idleSince, limit, accountLimit };
    const outcome = await records.takeSlot(slotRequest);
    if (outcome === 'ended') throw this.#rejected(kind);
    if (outcome === 'account-limit')
      throw new Fault('auth.account-sessions', { limit: accountLimit }, RETRY_LATER);
    if (outcome === 'limit') throw new Fault('auth.seats', { limit, reserved }, RETRY_LATER);
    // The revision has changed meanwhile, and the session may have ended.
    if (principals !== this.#principals) return principal;
    principals.set(principal, principal);
    this.#cacheToken(hash, {
      login: found.id,
      client: found.client,
      principal,
      expires: found.expires,
      lastUsed: now,
      storedLastUsed: now,
    });
    return principal;
  }

  /** The valid key or token, with its account. Throws: auth.token-invalid, auth.key-invalid, auth.slowed, auth.busy, auth.issuer-*. */
  async #identify(credentials: Credentials, address: string, now: number): Promise<FoundAccess> {
    const { hash, kind } = credentials;
    const found = await this.#findAccess(credentials, address, now);
    const isWrong = found === undefined || !isNameOf(credentials, found.account);
    if (isWrong && kind === 'key') throw await this.#wrongKey(hash, address);
    if (isWrong || found.account.blocked) throw this.#rejected(kind);
    this.#requireMachine(found.client, address);
    return found;
  }

  /** The account of a key or token, which is one of the service itself or of an issuer. */
  async #findAccess(
    { kind, text, hash }: Credentials,
    address: string,
    now: number,
  ): Promise<FoundAccess | undefined> {
    const { records, issuers } = this.#settings;
    return kind === 'jwt' && issuers !== undefined
      ? await issuers.findAccess({ text, hash, address }, now)
      : await records.findAccess(hash, now);
  }

  /** The fault for a wrong key, or for too many of them from the machine. A right key is accepted in any case. Throws: auth.busy. */
  async #wrongKey(hash: string, address: string): Promise<Fault> {
    const machine = machineOf(address);
    const name = `${machine} ${hash}`;
    if (this.#wrongKeys.has(name)) return this.#rejected('key');
    const admission = await this.#settings.throttle.begin('', machine);
    if (admission.kind === 'slowed') return slowed(admission.seconds);
    admission.end('failed');
    if (this.#wrongKeys.size >= WRONG_KEYS_LIMIT) this.#wrongKeys.clear();
    this.#wrongKeys.add(name);
    return this.#rejected('key');
  }

  #cacheToken(hash: string, cached: CachedToken): void {
    this.#cache.set(hash, cached);
    const oldest = this.#cache.keys().next();
    if (this.#cache.size > CACHE_LIMIT && !oldest.done) this.#cache.delete(oldest.value);
  }

  /** A promise to await before using the cache; undefined if the revision was checked recently. */
  #refreshed(now: number): Promise<void> | undefined {
    if (now - this.#revisionAt <= REVISION_INTERVAL) return this.#refreshing;
    this.#revisionAt = now;
    const before = this.#refreshing?.catch(() => undefined) ?? Promise.resolve();
    const refreshing = before.then(async () => await this.#refresh(now));
    this.#refreshing = refreshing;
    refreshing.then(
      () => {
        if (this.#refreshing === refreshing) this.#refreshing = undefined;
      },
      () => this.recheck(),
    );
    return refreshing;
  }

  /** Clears the whole cache after any change. Changes are rare, and missing one would keep an ended session alive. */
  async #refresh(now: number): Promise<void> {
    const revision = await this.#settings.records.revision();
    if (revision === this.#revision) return;
    await this.#touch(now);
    this.#cache.clear();
    this.#credentials.clear();
    this.#principals = new WeakMap();
    await this.#settings.reload();
    this.#revision = revision;
  }

  async #touch(now: number): Promise<void> {
    const since = this.#touchedAt;
    const uses = new Map<bigint, number>();
    const unsaved = [...this.#cache.values()].filter(
      ({ lastUsed, storedLastUsed }) => lastUsed > storedLastUsed,
    );
    for (const { login, lastUsed } of unsaved)
      uses.set(login, Math.max(lastUsed, uses.get(login) ?? 0));
    this.#touchedAt = now;
    if (uses.size === 0) return;
    try {
      await this.#settings.records.touch(uses);
      for (const one of unsaved)
        one.storedLastUsed = Math.max(one.storedLastUsed, uses.get(one.login) ?? 0);
    } catch (error) {
      this.#touchedAt = since;
      throw error;
    }
  }

  #requireMachine(client: string, address: string): void {
    if (this.#settings.bound && client !== '' && client !== machineOf(address))
      throw this.#rejected();
  }
}

const RETRY_LATER = { headers: { 'Retry-After': '60' } } as const;

/** The number of sessions at which this principal gets no more, and a text about reserved sessions for the message. */
function slotsFor(
  { administrator }: Principal,
  { total, reserved }: SessionSlots,
): { readonly limit: number; readonly reserved: string } {
  const withheld = administrator ? 0 : Math.min(reserved, Math.floor(total / 2));
  const text = withheld === 0 ? '' : ` (${withheld} more are reserved for administrators)`;
  return { limit: total - withheld, reserved: text };
}

/** The fault of an attempt that must wait. */
export function slowed(seconds: number): Fault {
  return new Fault('auth.slowed', { seconds }, { headers: { 'Retry-After': String(seconds) } });
}

/** Whether the name that came with a key is that of its account, regardless of case. */
function isNameOf({ loginName }: Credentials, account: { readonly loginName: string }): boolean {
  return loginName === undefined || loginName.toLowerCase() === account.loginName.toLowerCase();
}

/** The principal of an account, with what limits the API key if there is one. */
export function principalOf({
  key,
  ...account
}: Pick<
  AccountAccess,
  'uid' | 'loginName' | 'person' | 'roles' | 'key' | 'requiredStep'
>): Principal {
  const principal = {
    account: account.uid,
    loginName: account.loginName,
    person: account.person,
    roles: account.roles,
    administrator: account.roles.includes(ADMINISTRATOR_ROLE),
    ...(account.requiredStep === undefined ? {} : { requiredStep: account.requiredStep }),
  };
  return key === undefined ? principal : limitedByKey(principal, key);
}
