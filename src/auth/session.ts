// Authenticates bearer tokens. A session begins with the first use of an access token of a login and occupies a session slot. It ends by
// /connect/endsession, by revocation or by idleness. Validated tokens are cached, so that most requests need no database access; the
// revision reveals changes of any process within a second.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';
import type { AccountRecord, AuthRecords, Owner } from './auth-records.ts';
import { hashToken, machineOf } from './token.ts';

/** Intervals of checking the revision and of storing when sessions were used. Milliseconds. */
const REVISION_INTERVAL = 500;
const TOUCH_INTERVAL = 30_000;
const CACHE_LIMIT = 10_000;
/** Maximum length of a header whose hash is cached. Headers with our tokens have 50 characters. */
const LONGEST_HEADER = 100;

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
  /** Milliseconds without use after which a session slot is free again. */
  readonly idleTimeout: () => number;
  readonly slots: () => SessionSlots;
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
  /** Hashes of tokens by Authorization headers. */
  readonly #hashes = new Map<string, string>();
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
   * The principal of a request. Throws: auth.token-missing, auth.token-invalid, auth.account-sessions, auth.seats.
   * @param authorization the Authorization header
   * @param address the client's IP address
   */
  authenticate(authorization: string | undefined, address: string): Principal | Promise<Principal> {
    const now = this.#settings.world.now();
    // This comes first, because requests without a token depend on current settings, too.
    const refreshing = this.#refreshed(now);
    const hash = this.#hashes.get(authorization ?? '') ?? hashToken(bearerToken(authorization));
    if (refreshing !== undefined)
      return refreshing.then(() => this.#findPrincipal(hash, address, now));
    const principal = this.#findPrincipal(hash, address, now);
    if (!(principal instanceof Promise)) this.#cacheHash(authorization ?? '', hash);
    return principal;
  }

  /** Caches the hash of a valid token, because the same headers are sent with many requests. */
  #cacheHash(authorization: string, hash: string): void {
    if (authorization.length > LONGEST_HEADER || this.#hashes.has(authorization)) return;
    if (this.#hashes.size >= CACHE_LIMIT) this.#hashes.clear();
    this.#hashes.set(authorization, hash);
  }

  /** Makes the next request check the revision, after a write in this process. */
  recheck(): void {
    this.#revisionAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the session of an access token and revokes its tokens. Throws: the same as `authenticate`. */
  async end(authorization: string | undefined, address: string): Promise<Principal> {
    const principal = await this.authenticate(authorization, address);
    const hash = hashToken(bearerToken(authorization));
    const cached = this.#cache.get(hash);
    if (cached === undefined) throw invalidToken();
    await this.#settings.records.endLogin(cached.login);
    this.recheck();
    return principal;
  }

  /**
   * The current principal of a request that was authenticated earlier, for asynchronous requests and batches.
   * Throws: auth.token-invalid, if the account has been deleted or blocked, or the session has ended.
   */
  current(owner: Owner): Principal | Promise<Principal> {
    const now = this.#settings.world.now();
    const refreshing = this.#refreshed(now);
    return refreshing === undefined
      ? this.#renewed(owner, now)
      : refreshing.then(() => this.#renewed(owner, now));
  }

  #renewed(owner: Owner, now: number): Principal | Promise<Principal> {
    return this.#principals.get(owner) ?? this.#findOwner(owner, now);
  }

  async #findOwner(owner: Owner, now: number): Promise<Principal> {
    const principals = this.#principals;
    const account = await this.#settings.records.findOwner(owner, now);
    if (account === undefined || account.blocked) throw invalidToken();
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

  #findPrincipal(hash: string, address: string, now: number): Principal | Promise<Principal> {
    const cached = this.#cache.get(hash);
    if (cached === undefined || now - cached.lastUsed > this.#settings.idleTimeout())
      return this.#lookUp(hash, address, now);
    if (cached.expires <= now) {
      this.#cache.delete(hash);
      throw invalidToken();
    }
    this.#requireMachine(cached.client, address);
    cached.lastUsed = now;
    // After an error of the database, the next request checks the revision and gets the error.
    if (now - this.#touchedAt > TOUCH_INTERVAL) void this.#touch(now).catch(() => this.recheck());
    return cached.principal;
  }

  async #lookUp(hash: string, address: string, now: number): Promise<Principal> {
    const { records } = this.#settings;
    const principals = this.#principals;
    const idleSince = now - this.#settings.idleTimeout();
    const slots = this.#settings.slots();
    const found = await records.findAccess(hash, now);
    if (found === undefined || found.account.blocked) throw invalidToken();
    this.#requireMachine(found.login.client, address);
    // Free slots are counted in the database, so the uses in this process must be stored first.
    await this.#touch(now);
    const principal = { ...principalOf(found.account), session: found.login.id };
    const { limit, reserved } = slotsFor(principal, slots);
    const accountLimit = slots.account;
    const slotRequest = { login: found.login.id, now, idleSince, limit, accountLimit };
    const outcome = await records.takeSlot(slotRequest);
    if (outcome === 'ended') throw invalidToken();
    if (outcome === 'account-limit')
      throw new Fault('auth.account-sessions', { limit: accountLimit }, RETRY_LATER);
    if (outcome === 'limit') throw new Fault('auth.seats', { limit, reserved }, RETRY_LATER);
    principals.set(principal, principal);
    this.#cacheToken(hash, {
      login: found.login.id,
      client: found.login.client,
      principal,
      expires: found.token.expires,
      lastUsed: now,
      storedLastUsed: now,
    });
    return principal;
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
    this.#hashes.clear();
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
      throw invalidToken();
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

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.token-missing', {}, challenge(''));
  const match = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization);
  if (match?.[1] === undefined) throw invalidToken();
  return match[1];
}

function invalidToken(): Fault {
  return new Fault('auth.token-invalid', {}, challenge(', error="invalid_token"'));
}

function challenge(error: string) {
  return { headers: { 'WWW-Authenticate': `Bearer realm="docket"${error}` } };
}

function principalOf(account: AccountRecord): Principal {
  return {
    account: account.uid,
    loginName: account.loginName,
    person: account.person,
    roles: account.roles,
    administrator: account.roles.includes('administrator'),
  };
}
