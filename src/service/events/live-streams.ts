// The live streams of a process. One poll of the change log serves all of them: listeners without a change in their sources cost nothing but
// their connection, and those that follow the same query from the same position with the same rights share one read.
import type { Principal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { Fault } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { sql, tableName, value } from '../../sql/fragment.ts';
import { rejectBeforeStep } from '../accounts/required-step.ts';
import { stampOf } from '../deferred/rights-stamp.ts';
import type { Service } from '../service.ts';
import { Listener, type ListenerStart } from './listener.ts';
import { newestPosition, readChanges } from './read-events.ts';
import { listOf, positionAfter, writeStreamPosition } from './stream-position.ts';
import { endMessage, HEARTBEAT, messagesOf, positionMessage } from './stream-text.ts';

/** Milliseconds between two looks at the change log, for changes by other processes, and between two rounds after local commits. */
const POLL_INTERVAL = 500;
const ROUND_GAP = 25;
/** Milliseconds between two signs of life. Proxies close connections that are silent for a minute. */
const HEARTBEAT_INTERVAL = 25_000;
/** Records that one read may return. */
const READ_LIMIT = 100;
/** Milliseconds after which clients connect again; a random part keeps them from doing so at the same moment. */
const RETRY = 1000;
const RETRY_SPREAD = 4000;

/** The live streams of a service. */
export const liveStreamsOf = perObject((service: Service) => new LiveStreams(service));

class LiveStreams {
  readonly #service: Service;
  readonly #listeners = new Set<Listener>();
  readonly #perAccount = new Map<string, number>();
  #stop: (() => void) | undefined;
  #newest: bigint | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #isAgain = false;
  #round: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Throws: events.account-listeners, events.listeners, store.stopping. */
  requirePlace(principal: Principal, address: string): void {
    const { limits } = this.#service;
    if (this.#isClosed) throw new Fault('store.stopping', {}, RETRY_LATER);
    const own = this.#perAccount.get(ownerOf(principal, address)) ?? 0;
    if (own >= limits.accountListeners)
      throw new Fault('events.account-listeners', { limit: limits.accountListeners }, RETRY_LATER);
    if (this.#listeners.size >= limits.listeners)
      throw new Fault('events.listeners', { limit: limits.listeners }, RETRY_LATER);
  }

  /** Opens a stream. Throws: as `requirePlace`. */
  open(start: ListenerStart): Listener {
    const owner = ownerOf(start.principal, start.call.address);
    this.requirePlace(start.principal, start.call.address);
    const listener = new Listener(start, {
      onFree: () => this.#wake(),
      onClosed: () => this.#remove(listener, owner),
    });
    this.#listeners.add(listener);
    this.#perAccount.set(owner, (this.#perAccount.get(owner) ?? 0) + 1);
    this.#stop ??= this.#begin();
    this.#wake();
    return listener;
  }

  /** Ends all streams, so that their clients connect to another process, and rejects new ones. */
  close(): void {
    this.#isClosed = true;
    for (const listener of [...this.#listeners]) this.#end(listener, new Fault('store.stopping'));
  }

  #begin(): () => void {
    const wake = () => this.#wake();
    const poll = setInterval(wake, POLL_INTERVAL).unref();
    const beat = setInterval(() => this.#beat(), HEARTBEAT_INTERVAL).unref();
    const leave = this.#service.commits.follow(wake);
    return () => {
      clearInterval(poll);
      clearInterval(beat);
      clearTimeout(this.#round);
      this.#round = undefined;
      leave();
    };
  }

  #remove(listener: Listener, owner: string): void {
    this.#listeners.delete(listener);
    const others = (this.#perAccount.get(owner) ?? 1) - 1;
    if (others === 0) this.#perAccount.delete(owner);
    else this.#perAccount.set(owner, others);
    if (this.#listeners.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#newest = undefined;
  }

  #end(listener: Listener, fault: Fault): void {
    const [random = 0] = this.#service.world.randomBytes(1);
    const retry = RETRY + Math.round((random / 255) * RETRY_SPREAD);
    listener.end(endMessage(fault, retry));
  }

  #beat(): void {
    for (const listener of this.#listeners) {
      if (!listener.isFree) continue;
      const { position, start } = listener;
      if (position.after === listener.sentPosition.after) listener.push(HEARTBEAT);
      else listener.push(positionMessage(position, start.linkAfter(position)));
      listener.sentPosition = position;
    }
  }

  // ---- rounds -------------------------------------------------------------------------------------------------------

  /** Starts a round soon. Commits that follow one another closely share one. */
  #wake(): void {
    if (this.#isRunning) {
      this.#isAgain = true;
      return;
    }
    this.#round ??= setTimeout(() => void this.#run(), ROUND_GAP).unref();
  }

  async #run(): Promise<void> {
    this.#round = undefined;
    this.#isRunning = true;
    this.#isAgain = false;
    try {
      await this.#look();
      await this.#checkRights();
      await this.#serve();
    } catch (error) {
      // The next poll tries again from the same positions.
      this.#service.observe({ kind: 'failure', id: 'live streams', error });
    }
    this.#isRunning = false;
    if (this.#isAgain && this.#listeners.size > 0) this.#wake();
  }

  /** Finds the listeners that the changes since the last round concern. */
  async #look(): Promise<void> {
    const newest = BigInt(await newestPosition(this.#service));
    const before = this.#newest;
    if (newest === before) return;
    const changed = before === undefined ? undefined : await this.#changedSources(before, newest);
    this.#newest = newest;
    for (const listener of this.#listeners) {
      if (listener.isBehind) continue;
      const { sources } = listener.start;
      if (changed?.some((source) => sources.has(source)) ?? true) listener.isBehind = true;
      else listener.position = { ...listener.position, after: String(newest) };
    }
  }

  async #changedSources(after: bigint, until: bigint): Promise<readonly string[]> {
    const rows = await authDatabase(this.#service.database).read(
      sql`SELECT DISTINCT "source" FROM ${tableName('docket_change')} WHERE "seq" > ${value(after)} AND "seq" <= ${value(until)}`,
    );
    return rows.map(([source]) => String(source));
  }

  /**
   * Ends streams whose account may no longer read, or may read something else: what the client has is then not what it would get. Before
   * each read, and of idle streams once in a poll interval.
   */
  async #checkRights(): Promise<void> {
    const principals = new Map<string, Promise<Principal | Fault>>();
    const now = this.#service.world.elapsed();
    const isDue = now - this.#checkedAt >= POLL_INTERVAL;
    if (isDue) this.#checkedAt = now;
    for (const listener of [...this.#listeners]) {
      if (!isDue && !listener.isBehind) continue;
      const { call, stamp } = listener.start;
      const { authorization = '' } = call.headers;
      const key = `${call.address} ${authorization}`;
      const known = principals.get(key) ?? this.#authenticate(listener);
      principals.set(key, known);
      const principal = await known;
      if (principal instanceof Fault) this.#end(listener, principal);
      else if (stampOf(this.#service, principal) !== stamp)
        this.#end(listener, new Fault('plan.delta-gone', { reason: OTHER_RIGHTS }));
    }
  }

  async #authenticate({ start: { call } }: Listener): Promise<Principal | Fault> {
    const { sessions } = this.#service;
    try {
      const principal = await sessions.authenticate(call.headers.authorization, call.address);
      rejectBeforeStep(call, this.#service, principal);
      return principal;
    } catch (error) {
      if (error instanceof Fault && error.status < 500) return error;
      throw error;
    }
  }

  /** Reads for each group of listeners that have changes to receive, and have taken everything so far. */
  async #serve(): Promise<void> {
    const groups = new Map<string, Listener[]>();
    for (const listener of this.#listeners) {
      if (!listener.isBehind || !listener.isFree) continue;
      const key = `${writeStreamPosition(listener.position)} ${listener.start.key}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [listener]);
      else group.push(listener);
    }
    for (const group of groups.values()) await this.#serveGroup(group);
  }

  async #serveGroup(group: readonly Listener[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const { start, position: from } = first;
    const request = { after: from.after, known: listOf(from), limit: READ_LIMIT };
    try {
      const page = await readChanges(this.#service, start.principal, start.call, request);
      const position = positionAfter(from, page);
      const text = page.events.length === 0 ? undefined : messagesOf(page.events, position);
      for (const listener of group) {
        listener.position = position;
        listener.isBehind = page.more;
        if (text === undefined) continue;
        const after = page.events.at(-1)?.id ?? page.position;
        listener.sentPosition = { ...position, after };
        listener.push(text);
      }
    } catch (error) {
      if (error instanceof Fault && error.status < 500)
        for (const listener of group) this.#end(listener, error);
      // The next poll tries again; other groups must not wait for a query that takes too long.
      else this.#service.observe({ kind: 'failure', id: 'live streams', error });
    }
  }
}

const OTHER_RIGHTS = 'the rights of the account have changed';

const RETRY_LATER = { headers: { 'Retry-After': '5' } };

/** Callers without an account are counted by address. */
function ownerOf({ anonymous, loginName }: Principal, address: string): string {
  return anonymous === true ? `address ${address}` : `account ${loginName}`;
}
