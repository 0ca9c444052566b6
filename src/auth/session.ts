// This file turns a bearer token into the principal who asks. A session is made at the first use of a log-in's access token and takes
// a session slot; it ends by /connect/endsession, by revocation, or by idleness. What was checked once is remembered, so that the steady
// state asks no database; a change on any node is noticed by its revision within a second.
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import type { World } from '../base/world.ts';
import type { AccountRecord, AuthRecords, Owner } from './auth-records.ts';
import { hashToken, machineOf } from './token.ts';

/** How long what is remembered is trusted without looking at the revision, and how often uses are noted. Milliseconds. */
const REVISION_INTERVAL = 500;
const TOUCH_INTERVAL = 30_000;
const REMEMBERED_LIMIT = 10_000;
/** Characters of a header whose hash is remembered; those of our tokens have 50. */
const LONGEST_HEADER = 100;

/** How many sessions there may be at the same time. */
export interface SessionSlots {
  readonly total: number;
  /** Of one account. */
  readonly account: number;
  /** Of the total, kept for administrators; at most half of it. */
  readonly reserved: number;
}

export interface SessionSettings {
  readonly records: AuthRecords;
  readonly world: World;
  readonly bound: boolean;
  /** Milliseconds without use after which a session slot is free again. */
  readonly idleTimeout: () => number;
  readonly slots: () => SessionSlots;
  /** Reads again what principals may do: what is remembered may be wrong. */
  readonly reload: () => Promise<void>;
  /** Writes down what else is not yet noted when the service stops. */
  readonly atEnd: () => Promise<void>;
}

interface Remembered {
  readonly login: bigint;
  readonly client: string;
  readonly principal: Principal;
  /** Milliseconds since 1970. */
  readonly expires: number;
  seen: number;
  /** The use that the database knows of. */
  told: number;
}

/** The sessions of this process. */
export class Sessions {
  readonly #settings: SessionSettings;
  readonly #remembered = new Map<string, Remembered>();
  /** Hashes of tokens by the headers that they came in. */
  readonly #hashes = new Map<string, string>();
  /** Principals of the present revision, by whose they are. */
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
   * Who asks.
   * @param authorization the Authorization header
   * @param address the client's IP address
   * Faults auth.token-missing, auth.token-invalid (401 with WWW-Authenticate), auth.account-sessions (429), auth.seats (503).
   */
  authenticate(authorization: string | undefined, address: string): Principal | Promise<Principal> {
    const now = this.#settings.world.now();
    // Who comes without a token has settings looked at, too: they say what may be done without one.
    const refreshing = this.#refreshed(now);
    const hash = this.#hashes.get(authorization ?? '') ?? hashToken(bearerToken(authorization));
    if (refreshing !== undefined) return refreshing.then(() => this.#recall(hash, address, now));
    const principal = this.#recall(hash, address, now);
    if (!(principal instanceof Promise)) this.#keepHash(authorization ?? '', hash);
    return principal;
  }

  /** The same headers come again and again: those of tokens that were found good are not hashed each time. */
  #keepHash(authorization: string, hash: string): void {
    if (authorization.length > LONGEST_HEADER || this.#hashes.has(authorization)) return;
    if (this.#hashes.size >= REMEMBERED_LIMIT) this.#hashes.clear();
    this.#hashes.set(authorization, hash);
  }

  /** Something was written in this process: the next who asks is looked at anew if it was about accounts or roles. */
  recheck(): void {
    this.#revisionAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends the session of an access token: it and its refresh token are dead at once. Fault auth.token-invalid. */
  async end(authorization: string | undefined, address: string): Promise<Principal> {
    const principal = await this.authenticate(authorization, address);
    const hash = hashToken(bearerToken(authorization));
    const remembered = this.#remembered.get(hash);
    if (remembered === undefined) throw invalidToken();
    await this.#settings.records.endLogin(remembered.login);
    this.forgetLogin(remembered.login);
    this.recheck();
    return principal;
  }

  /**
   * The principal of a request that was authenticated earlier, as it is now: for requests that wait, or consist of many.
   * Fault auth.token-invalid where the account is gone or blocked, or the session has ended.
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
    const { session } = owner;
    const principal = { ...principalOf(account), ...(session === undefined ? {} : { session }) };
    principals.set(owner, principal).set(principal, principal);
    return principal;
  }

  /** An account as it would ask now, or that it is blocked. Fault auth.account-unknown. */
  async accountNamed(loginName: string): Promise<Principal | 'blocked'> {
    await this.#refreshed(this.#settings.world.now());
    const account = await this.#settings.records.findAccount(loginName);
    if (account === undefined)
      throw new Fault('auth.account-unknown', { name: loginName.slice(0, 128), hint: '' });
    return account.blocked ? 'blocked' : principalOf(account);
  }

  /** Drops what is remembered of a log-in that was ended here. */
  forgetLogin(login: bigint): void {
    for (const [hash, remembered] of this.#remembered) {
      if (remembered.login === login) this.#remembered.delete(hash);
    }
  }

  /** Writes down the uses not yet noted; called when the service stops. */
  async close(): Promise<void> {
    await this.#touch(this.#settings.world.now());
    await this.#settings.atEnd();
  }

  #recall(hash: string, address: string, now: number): Principal | Promise<Principal> {
    const remembered = this.#remembered.get(hash);
    if (remembered === undefined || now - remembered.seen > this.#settings.idleTimeout())
      return this.#lookUp(hash, address, now);
    if (remembered.expires <= now) {
      this.#remembered.delete(hash);
      throw invalidToken();
    }
    this.#requireMachine(remembered.client, address);
    remembered.seen = now;
    // What the database could not take now is told again later, and whoever asks next finds out what is wrong with it.
    if (now - this.#touchedAt > TOUCH_INTERVAL) void this.#touch(now).catch(() => this.recheck());
    return remembered.principal;
  }

  async #lookUp(hash: string, address: string, now: number): Promise<Principal> {
    const { records } = this.#settings;
    const principals = this.#principals;
    const idleSince = now - this.#settings.idleTimeout();
    const slots = this.#settings.slots();
    const found = await records.findAccess(hash, now);
    if (found === undefined || found.account.blocked) throw invalidToken();
    this.#requireMachine(found.login.client, address);
    // Whether a slot is free is counted in the database: what was used here is told first.
    await this.#touch(now);
    const principal = { ...principalOf(found.account), session: found.login.id };
    const { limit, reserved } = slotsFor(principal, slots);
    const accountLimit = slots.account;
    const wanted = { login: found.login.id, now, idleSince, limit, accountLimit };
    const outcome = await records.takeSlot(wanted);
    if (outcome === 'ended') throw invalidToken();
    if (outcome === 'account-limit')
      throw new Fault('auth.account-sessions', { limit: accountLimit }, RETRY_LATER);
    if (outcome === 'limit') throw new Fault('auth.seats', { limit, reserved }, RETRY_LATER);
    principals.set(principal, principal);
    this.#remember(hash, {
      login: found.login.id,
      client: found.login.client,
      principal,
      expires: found.token.expires,
      seen: now,
      told: now,
    });
    return principal;
  }

  #remember(hash: string, remembered: Remembered): void {
    this.#remembered.set(hash, remembered);
    const oldest = this.#remembered.keys().next();
    if (this.#remembered.size > REMEMBERED_LIMIT && !oldest.done)
      this.#remembered.delete(oldest.value);
  }

  /** What to wait for before anything that is remembered is trusted, if it has to be looked at. */
  #refreshed(now: number): Promise<void> | undefined {
    if (now - this.#revisionAt <= REVISION_INTERVAL) return this.#refreshing;
    this.#revisionAt = now;
    const before = this.#refreshing?.catch(() => undefined) ?? Promise.resolve();
    const refreshing = before.then(async () => await this.#refresh(now));
    this.#refreshing = refreshing;
    const finish = () => {
      if (this.#refreshing === refreshing) this.#refreshing = undefined;
    };
    refreshing.then(finish, () => {
      this.recheck();
      finish();
    });
    return refreshing;
  }

  /** Everything is asked anew when anything changed: changes are rare, and a missed one would keep an ended session alive. */
  async #refresh(now: number): Promise<void> {
    const revision = await this.#settings.records.revision();
    if (revision === this.#revision) return;
    await this.#touch(now);
    this.#remembered.clear();
    this.#hashes.clear();
    this.#principals = new WeakMap();
    await this.#settings.reload();
    this.#revision = revision;
  }

  async #touch(now: number): Promise<void> {
    const since = this.#touchedAt;
    const uses = new Map<bigint, number>();
    const noted = [...this.#remembered.values()].filter(({ seen, told }) => seen > told);
    for (const { login, seen } of noted) uses.set(login, Math.max(seen, uses.get(login) ?? 0));
    this.#touchedAt = now;
    if (uses.size === 0) return;
    try {
      await this.#settings.records.touch(uses);
      for (const one of noted) one.told = Math.max(one.told, uses.get(one.login) ?? 0);
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

/** How many sessions there may be for this one to begin, and in words how many more are reserved. */
function slotsFor(
  { administrator }: Principal,
  { total, reserved }: SessionSlots,
): { readonly limit: number; readonly reserved: string } {
  const kept = administrator ? 0 : Math.min(reserved, Math.floor(total / 2));
  const words = kept === 0 ? '' : ` (${kept} more are reserved for administrators)`;
  return { limit: total - kept, reserved: words };
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Fault(
      'auth.token-missing',
      {},
      { headers: { 'WWW-Authenticate': 'Bearer realm="docket"' } },
    );
  }
  const match = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization);
  if (match?.[1] === undefined) throw invalidToken();
  return match[1];
}

function invalidToken(): Fault {
  return new Fault(
    'auth.token-invalid',
    {},
    { headers: { 'WWW-Authenticate': 'Bearer realm="docket", error="invalid_token"' } },
  );
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
