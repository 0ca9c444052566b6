// This file delivers the events of one subscription: it reads them from the change log into the queue, sends them, and decides about further
// attempts. Several are sent at the same time, but of one entity only one. Other subscriptions have a delivery of their own, so that a slow
// receiver delays nobody else.
import { Fault } from '../base/fault.ts';
import { readEvents } from '../service/events/read-events.ts';
import { withinTime } from '../store/time-limit.ts';
import { currentBody, isBatch } from './current-content.ts';
import { LeaseLost, OTHER_PROCESS } from './delivery-lease.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import {
  addDeliveries,
  type Draft,
  type Queued,
  queuedFor,
  type ReadUpTo,
} from './delivery-queue.ts';
import { draftsOf } from './drafts.ts';
import { Lanes } from './lanes.ts';
import { listVisible, type WatchQuery } from './list-visible.ts';
import { verdictOf } from './outcome.ts';
import { currentOwner, OwnerGone } from './owner.ts';
import {
  changeOf,
  knownTo,
  readPosition,
  type Subscription,
  watchOf,
} from './read-subscriptions.ts';
import { openReceiver, type Receiver, type Reply } from './send-message.ts';
import { signatureHeaders } from './sign.ts';

/** Changed entities that are read at the same time. */
const PAGE = 250;
/** Messages in memory beyond which no more are read: their number and the length of their bodies. */
const MOST_QUEUED = 1000;
const MOST_BYTES = 8_000_000;
/** Changes without an event after which the position is stored, so that a start need not read them again. */
const STEP = 1000n;
/** Milliseconds after which the content of a message is read again before it is sent. */
const FRESH = 5000;
/** Failures in a row after which the receiver counts as unreachable, and gets one message at a time. */
const UNREACHABLE = 5;
/** Milliseconds between these messages. */
const LONGEST_PAUSE = 60_000;
/** Milliseconds before a message is tried again after an error of this service. */
const PAUSE = 1000;
/** Milliseconds for which a service that stops waits for receivers. */
const GRACE = 2000;

/** What the lanes were loaded with. */
interface Loaded {
  readonly epoch: bigint;
  readonly isActive: boolean;
  /** Whether the visible records of an inactive subscription were listed, or could not be. */
  readonly hasTriedList: boolean;
}

export class SubscriptionDelivery {
  readonly #parts: DeliveryParts;
  #subscription: Subscription;
  /** Identifies the account for the cache of sessions. */
  readonly #account: { readonly account: bigint };
  #receiver: Receiver | undefined;
  /** Replaced when another process has changed the queue. */
  #lanes = new Lanes();
  /** Undefined before. */
  #loaded: Loaded | undefined;
  /** How far this process has read, and what is stored. */
  #position = '0';
  #stored = '0';
  #newest = 0n;
  /** The query and the rights with which the visible records were listed. */
  #listed: string | undefined;
  #filling: Promise<void> | undefined;
  /** When reading may begin again after an error, in milliseconds since 1970. */
  #fillAfter = 0;
  readonly #sending = new Set<Promise<void>>();
  #inFlight = 0;
  /** When content that has been sent was read again, by entity: what was read before must not follow it. */
  readonly #shown = new Map<string, number>();
  #failures = 0;
  #pausedUntil = 0;
  /** When this process has disabled the subscription, as World.elapsed. */
  #disabledAt = 0;
  #isStopped = false;

  constructor(parts: DeliveryParts, subscription: Subscription) {
    this.#parts = parts;
    this.#subscription = subscription;
    this.#account = { account: subscription.account };
  }

  /**
   * Continues with the subscription as it was at a time, and the changes up to the newest one.
   * @param readAt as World.elapsed
   */
  update(subscription: Subscription, newest: bigint, readAt: number): void {
    if (readAt < this.#disabledAt) return;
    if (this.#subscription.url !== subscription.url) this.#closeReceiver();
    this.#subscription = subscription;
    this.#newest = newest;
    const { epoch, isActive } = this.#loaded ?? {};
    const isChanged = epoch !== undefined && subscription.epoch > epoch;
    if (isChanged || (isActive !== undefined && isActive !== this.#isActive)) this.#reset();
    // What was read that long ago is read again in any case.
    const old = this.#parts.service.world.now() - FRESH;
    for (const [subject, time] of this.#shown) if (time < old) this.#shown.delete(subject);
    this.#fill();
    this.#pump();
  }

  /** Waits for messages that are under way, for a while. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await withinTime(Promise.all([this.#filling, ...this.#sending]), GRACE);
    this.#closeReceiver();
  }

  #closeReceiver(): void {
    this.#receiver?.close();
    this.#receiver = undefined;
  }

  #reset(): void {
    this.#lanes = new Lanes();
    this.#loaded = undefined;
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  get #isActive(): boolean {
    const { state, secrets } = this.#subscription;
    return state === 'active' && secrets.length > 0;
  }

  // ---- reading ------------------------------------------------------------------------------------------------------

  #fill(): void {
    const { world } = this.#parts.service;
    if (this.#filling !== undefined || this.#isStopped || world.now() < this.#fillAfter) return;
    this.#filling = this.#fillNow()
      .catch(async (error: unknown) => {
        this.#fillAfter = world.now() + PAUSE;
        await this.#failed(error);
      })
      .finally(() => {
        this.#filling = undefined;
        this.#pump();
      });
  }

  async #fillNow(): Promise<void> {
    if (this.#loaded === undefined) await this.#load();
    if (this.#loaded?.isActive !== true) return await this.#listEarly();
    const lanes = this.#lanes;
    while (this.#hasRoom && this.#isBehind && lanes === this.#lanes && !this.#isStopped) {
      if (!(await this.#parts.lease.hold())) throw new LeaseLost(OTHER_PROCESS);
      await this.#fillPage(lanes);
      this.#pump();
    }
  }

  /** The position is read first: if it is moved meanwhile, the next transaction notices. */
  async #load(): Promise<void> {
    const lanes = this.#lanes;
    const { database } = this.#parts;
    const { uid } = this.#subscription;
    const isActive = this.#isActive;
    const state = await readPosition(database, uid);
    const items = await queuedFor(database, uid, !isActive);
    if (lanes !== this.#lanes || state === undefined) return;
    for (const item of items) lanes.add(item);
    this.#loaded = { epoch: state.epoch, isActive, hasTriedList: false };
    this.#position = state.position;
    this.#stored = state.position;
    this.#listed = state.listed;
  }

  get #hasRoom(): boolean {
    return this.#lanes.count < MOST_QUEUED && this.#lanes.bytes < MOST_BYTES;
  }

  get #isBehind(): boolean {
    return this.#position.includes('-') || BigInt(this.#position) < this.#newest;
  }

  async #fillPage(lanes: Lanes): Promise<void> {
    const { service, settings } = this.#parts;
    const subscription = this.#subscription;
    const principal = await currentOwner(service, subscription, this.#account);
    const query = { principal, watch: watchOf(subscription), root: settings.root };
    const readAt = service.world.now();
    const request = { after: this.#position, limit: PAGE, known: knownTo(subscription) };
    const { events, position, learned } = await readEvents(service, { ...query, ...request });
    if (lanes !== this.#lanes) return;
    const isListed = learned === undefined || learned.signature === this.#listed;
    const queued = isListed
      ? await this.#store(draftsOf(subscription, events), { position, now: readAt, learned })
      : await this.#list(query);
    if (lanes !== this.#lanes) return;
    // Replay has moved the position; the next round reads it.
    if (queued === undefined) return this.#reset();
    for (const item of queued) lanes.add(item);
    // After a list, the page is read again.
    if (isListed) this.#position = position;
  }

  /** The receiver counts as knowing what was visible at the creation, also if it gets a secret later. */
  async #listEarly(): Promise<void> {
    const { service, settings, lease } = this.#parts;
    const subscription = this.#subscription;
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.hasTriedList || this.#listed !== undefined) return;
    if (knownTo(subscription) === undefined) return;
    if (subscription.state === 'disabled' || !(await lease.hold())) return;
    this.#loaded = { ...loaded, hasTriedList: true };
    try {
      const principal = await currentOwner(service, subscription, this.#account);
      await this.#list({ principal, watch: watchOf(subscription), root: settings.root });
    } catch (error) {
      // A mistake ends the subscription when it is active.
      if (!isMistake(error)) throw error;
    }
  }

  async #list(query: WatchQuery): Promise<readonly Queued[] | undefined> {
    const place = { position: this.#position, epoch: this.#loaded?.epoch ?? 0n };
    const listed = await listVisible(this.#parts, this.#subscription, query, place);
    this.#listed = listed?.signature;
    return listed?.queued;
  }

  /** Undefined if the position has been moved. */
  async #store(drafts: readonly Draft[], end: ReadUpTo): Promise<readonly Queued[] | undefined> {
    const { position, learned } = end;
    const isFar = changeOf(position) - changeOf(this.#stored) >= STEP;
    const hasLearned = learned !== undefined && learned.entered.length + learned.left.length > 0;
    if (drafts.length === 0 && !isFar && !hasLearned) return [];
    const { database, lease } = this.#parts;
    const key = { uid: this.#subscription.uid, epoch: this.#loaded?.epoch ?? 0n };
    const queued = await database.write(function* () {
      yield* lease.require();
      return yield* addDeliveries(key, drafts, end);
    });
    this.#stored = position;
    return queued;
  }

  // ---- sending ------------------------------------------------------------------------------------------------------

  #pump(): void {
    const { connections } = this.#parts.settings;
    while (!this.#isStopped && this.#inFlight < connections && this.#mayTry()) {
      const item = this.#lanes.take(this.#parts.service.world.now());
      if (item === undefined) break;
      this.#inFlight++;
      const sending = this.#deliver(item, this.#lanes).catch(
        async (error: unknown) => await this.#failed(error, item),
      );
      this.#sending.add(sending);
      void sending.finally(() => {
        this.#sending.delete(sending);
        this.#pump();
      });
    }
    if (this.#hasRoom && this.#loaded?.isActive === true && this.#isBehind) this.#fill();
  }

  /** An unreachable receiver gets one message at a time. */
  #mayTry(): boolean {
    if (this.#failures < UNREACHABLE) return true;
    return this.#inFlight === 0 && this.#parts.service.world.now() >= this.#pausedUntil;
  }

  async #deliver(item: Queued, lanes: Lanes): Promise<void> {
    const { service, recorder } = this.#parts;
    const { reply, body, at } = await this.#attempt(item).finally(() => {
      this.#inFlight--;
    });
    this.#pump();
    if (reply === undefined) {
      const outcome = {
        state: 'cancelled',
        status: undefined,
        response: UNSEEN,
        nextAttempt: undefined,
      } as const;
      await recorder.record({ item, outcome, at: undefined, body: undefined });
      return lanes.finish(item);
    }
    const now = service.world.now();
    const { randomBytes } = service.world;
    const attempt = { at, now, randomBytes, span: this.#parts.settings.span };
    const { outcome, disabled, isAccepted } = verdictOf(item, reply, attempt);
    const isChanged = body !== item.body;
    const recorded = { item, outcome, at, body: isChanged ? body : undefined };
    await recorder.record(recorded, this.#mayWait(item, lanes));
    if (!item.isTest) this.#note(isAccepted, now);
    if (disabled !== undefined) return await this.#disable(disabled);
    if (outcome.state !== 'queued') return lanes.finish(item);
    const { attempts, firstAttempt = at } = item;
    const { nextAttempt } = outcome;
    lanes.delay(item, { ...item, body, attempts: attempts + 1, firstAttempt, nextAttempt });
  }

  /** Whether the outcome may be recorded with those of attempts under way, because no message waits for it. */
  #mayWait(item: Queued, lanes: Lanes): boolean {
    return this.#inFlight > 0 && !lanes.isFollowed(item);
  }

  /** The reply is undefined if the owner may no longer see anything of the message. */
  async #attempt(
    item: Queued,
  ): Promise<{ readonly reply: Reply | undefined; readonly body: string; readonly at: number }> {
    const { service, settings, lease } = this.#parts;
    if (!(await lease.hold())) throw new LeaseLost(OTHER_PROCESS);
    const body = await this.#contentOf(item);
    const at = service.world.now();
    if (body === undefined) return { reply: undefined, body: item.body, at };
    const { secrets, url } = this.#subscription;
    this.#receiver ??= openReceiver(new URL(url), settings);
    const reply = await this.#receiver.send({
      method: 'POST',
      headers: {
        'content-type': `application/cloudevents${isBatch(body) ? '-batch' : ''}+json; charset=utf-8`,
        'user-agent': settings.agent,
        ...signatureHeaders({ id: item.messageId, body }, secrets, at),
      },
      body,
    });
    return { reply, body, at };
  }

  /** The content as it is, or was a moment ago; never as it was before what the receiver has got. */
  async #contentOf({ isTest, subject = '', body, readAt }: Queued): Promise<string | undefined> {
    const { service, settings } = this.#parts;
    const now = service.world.now();
    const isFresh = now - readAt < FRESH && readAt >= (this.#shown.get(subject) ?? 0);
    if (isTest || isFresh) return body;
    const principal = await currentOwner(service, this.#subscription, this.#account);
    const setting = { service, principal, root: settings.root };
    const current = await currentBody(setting, this.#subscription, body);
    this.#shown.set(subject, service.world.now());
    return current;
  }

  /** Counts failures, and tries everything again as soon as the receiver accepts a message. */
  #note(isAccepted: boolean, now: number): void {
    if (isAccepted) {
      if (this.#failures >= UNREACHABLE) this.#lanes.wakeAll();
      this.#failures = 0;
      return;
    }
    this.#failures++;
    const beyond = this.#failures - UNREACHABLE;
    this.#pausedUntil = now + Math.min(PAUSE * 2 ** Math.max(beyond, 0), LONGEST_PAUSE);
  }

  // ---- errors -------------------------------------------------------------------------------------------------------

  async #disable(reason: string): Promise<void> {
    const subscription = this.#subscription;
    await this.#parts.disable(subscription, reason);
    this.#disabledAt = this.#parts.service.world.elapsed();
    this.#subscription = { ...subscription, state: 'disabled' };
    this.#reset();
  }

  /** Errors that concern the subscription end it; others are reported, and followed by another attempt. */
  async #failed(error: unknown, item?: Queued): Promise<void> {
    const { service } = this.#parts;
    try {
      if (isMistake(error)) return await this.#disable(error.message);
    } catch (other) {
      service.observe({ kind: 'failure', id: 'webhooks', error: other });
    }
    if (error instanceof LeaseLost) return this.#reset();
    service.observe({ kind: 'failure', id: 'webhooks', error });
    if (item === undefined) return;
    this.#lanes.delay(item, { ...item, nextAttempt: service.world.now() + PAUSE });
  }
}

const UNSEEN =
  'The owner of the subscription may no longer see the entity, or it has been deleted.';

/** Whether an error concerns the subscription, so that it would be the same the next time. */
function isMistake(error: unknown): error is Error {
  if (error instanceof OwnerGone) return true;
  return error instanceof Fault && error.status < 500 && error.status !== 429;
}
