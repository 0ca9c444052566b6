// This file delivers the events of one subscription: it reads them from the change log into the queue, sends them, and decides about further
// attempts. Several are sent at the same time, but of one entity only one. Other subscriptions have a delivery of their own, so that a slow
// receiver delays nobody else.
import type { Principal } from '../access/principal.ts';
import type { AuthDatabase } from '../auth/database.ts';
import { Fault } from '../base/fault.ts';
import type { EventKind } from '../service/events/event.ts';
import { readEvents } from '../service/events/read-events.ts';
import type { Service } from '../service/service.ts';
import { ownerPrincipal } from '../service/webhooks/webhook-state.ts';
import { currentBody } from './current-content.ts';
import { type DeliveryLease, LeaseLost, OTHER_PROCESS } from './delivery-lease.ts';
import { addDeliveries, type Draft, type Queued, queuedFor } from './delivery-queue.ts';
import { draftsOf } from './drafts.ts';
import { Lanes } from './lanes.ts';
import { verdictOf } from './outcome.ts';
import { readPosition, type Subscription } from './read-subscriptions.ts';
import type { OutcomeRecorder } from './record-batch.ts';
import { openReceiver, type Receiver, type Reply } from './send-message.ts';
import { signatureHeaders } from './sign.ts';
import type { TargetRules } from './target-addresses.ts';

interface DeliverySettings {
  readonly rules: TargetRules;
  /** Messages of a subscription that are sent at the same time. */
  readonly connections: number;
  /** Milliseconds for an attempt. */
  readonly timeout: number;
  /** Milliseconds after the first attempt for which others follow. */
  readonly span: number;
  /** The service root in events. */
  readonly root: string;
  /** The header User-Agent. */
  readonly agent: string;
}

export interface DeliveryParts {
  readonly service: Service;
  readonly database: AuthDatabase;
  readonly lease: DeliveryLease;
  readonly recorder: OutcomeRecorder;
  readonly settings: DeliverySettings;
  readonly disable: (subscription: Subscription, reason: string) => Promise<void>;
}

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

export class SubscriptionDelivery {
  readonly #parts: DeliveryParts;
  #subscription: Subscription;
  /** Identifies the account for the cache of sessions. */
  readonly #account: { readonly account: bigint };
  #receiver: Receiver | undefined;
  /** Replaced when another process has changed the queue. */
  #lanes = new Lanes();
  /** What the lanes were loaded with; undefined before. */
  #loaded: { readonly epoch: bigint; readonly isActive: boolean } | undefined;
  /** How far this process has read, and what is stored. */
  #position = '0';
  #stored = '0';
  #newest = 0n;
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
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE);
    });
    await Promise.race([Promise.all([this.#filling, ...this.#sending]), late]);
    clearTimeout(timer);
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
    if (this.#loaded?.isActive !== true) return;
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
    this.#loaded = { epoch: state.epoch, isActive };
    this.#position = state.position;
    this.#stored = state.position;
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
    const { set, filter, select, expand, kinds } = subscription;
    const principal = await this.#owner();
    const readAt = service.world.now();
    const page = await readEvents(service, {
      principal,
      watch: {
        set,
        filter,
        select,
        expand,
        ...(kinds.length === 0 ? {} : { kinds: kinds as readonly EventKind[] }),
      },
      after: this.#position,
      limit: PAGE,
      root: settings.root,
    });
    if (lanes !== this.#lanes) return;
    const drafts = draftsOf(subscription, page.events);
    const queued = await this.#store(drafts, page.position, readAt);
    if (lanes !== this.#lanes) return;
    // Replay has moved the position; the next round reads it.
    if (queued === undefined) return this.#reset();
    for (const item of queued) lanes.add(item);
    this.#position = page.position;
  }

  /** Undefined if the position has been moved. */
  async #store(
    drafts: readonly Draft[],
    position: string,
    now: number,
  ): Promise<readonly Queued[] | undefined> {
    const isFar = changeOf(position) - changeOf(this.#stored) >= STEP;
    if (drafts.length === 0 && !isFar) return [];
    const { database, lease } = this.#parts;
    const key = { uid: this.#subscription.uid, epoch: this.#loaded?.epoch ?? 0n };
    const queued = await database.write(function* () {
      yield* lease.require();
      return yield* addDeliveries(key, drafts, { position, now });
    });
    this.#stored = position;
    return queued;
  }

  /** The account of the subscription, with the rights that it has now. Throws: OwnerGone. */
  async #owner(): Promise<Principal> {
    const { sessions } = this.#parts.service;
    const { owner, roles } = this.#subscription;
    const principal = await Promise.resolve(sessions.current(this.#account)).catch((error) => {
      throw error instanceof Fault && error.status === 401 ? new OwnerGone() : error;
    });
    if (principal.loginName !== owner) throw new OwnerGone();
    return ownerPrincipal(principal, roles);
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
    const attempt = { at, now, random: randomOf(service), span: this.#parts.settings.span };
    const { outcome, disabled, isAccepted } = verdictOf(item, reply, attempt);
    const isChanged = body !== item.body;
    await recorder.record({ item, outcome, at, body: isChanged ? body : undefined });
    if (!item.isTest) this.#note(isAccepted, now);
    if (disabled !== undefined) return await this.#disable(disabled);
    if (outcome.state !== 'queued') return lanes.finish(item);
    const { attempts, firstAttempt = at } = item;
    const { nextAttempt } = outcome;
    lanes.delay(item, { ...item, body, attempts: attempts + 1, firstAttempt, nextAttempt });
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
    const { format, secrets, url } = this.#subscription;
    const isBatch = format === 'batched' && !item.isTest;
    this.#receiver ??= openReceiver(new URL(url), settings);
    const reply = await this.#receiver.send({
      method: 'POST',
      headers: {
        'content-type': `application/cloudevents${isBatch ? '-batch' : ''}+json; charset=utf-8`,
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
    const principal = await this.#owner();
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
      if (error instanceof OwnerGone)
        return await this.#disable(
          `The account ${this.#subscription.owner} no longer exists, or is blocked.`,
        );
      const isFinal = error instanceof Fault && error.status < 500 && error.status !== 429;
      if (isFinal) return await this.#disable(error.message);
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

/** The account of the subscription has been deleted, blocked or renamed. */
class OwnerGone extends Error {}

function changeOf(position: string): bigint {
  return BigInt(position.replace(/-.*$/, ''));
}

function randomOf({ world }: Pick<Service, 'world'>): number {
  const [byte = 0] = world.randomBytes(1);
  return byte / 255;
}
