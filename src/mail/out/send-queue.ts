// This file sends the queued messages. A message is sent at least once: its lease ends if the process ends before the outcome is recorded,
// and it is then sent again with the same Message-ID.
import { type AuthDatabase, authDatabase } from '../../auth/database.ts';
import type { World } from '../../base/world.ts';
import type { Service } from '../../service/service.ts';
import type { Work } from '../../store/database.ts';
import { type Sign, tokenOf } from '../message-tokens.ts';
import { dueMessages, finish, lease, type Message, type Outcome } from './queue.ts';
import type { Deliver, Delivery } from './smtp.ts';
import { countFailure, isAboutAddress } from './undeliverable-addresses.ts';

export interface QueueSettings {
  readonly deliver: Deliver;
  readonly signer: () => Promise<Sign>;
  /** Messages that are sent at the same time. */
  readonly connections: number;
  /** Longer than an attempt takes. */
  readonly leaseSeconds: number;
  /** Final failures after which an address is blocked; undefined if they do not count. */
  readonly failureLimit: number | undefined;
}

/** Milliseconds after the first attempt for which errors that may pass are followed by another one. */
const PATIENCE = 3 * 24 * 3600 * 1000;
const FIRST_DELAY = 60_000;
const LONGEST_DELAY = 4 * 3600 * 1000;
/** Milliseconds for which a service that stops waits for the mail server. */
const GRACE = 2000;

/** The enhanced status code of a reply (RFC 2034). */
const STATUS = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/;

/** Sends queued messages in rounds. */
export class QueueSender {
  readonly #settings: QueueSettings;
  readonly #database: AuthDatabase;
  readonly #world: World;
  readonly #owner: string;

  constructor(service: Service, settings: QueueSettings) {
    this.#settings = settings;
    this.#database = authDatabase(service.database);
    this.#world = service.world;
    this.#owner = Buffer.from(service.world.randomBytes(16)).toString('hex');
  }

  /** Sends what is due. Ends when nothing is left, when the mail server cannot be reached, and when it is stopped. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = await dueMessages(this.#database, this.#world.now(), this.#settings.connections);
      if (due.length === 0) return;
      const deliveries = await Promise.all(due.map((one) => this.#attempt(one, signal)));
      if (deliveries.some((one) => one?.kind === 'unreachable')) return;
    }
  }

  /** Returns undefined if another process sends the message, or if the outcome is unknown because this one stops. */
  async #attempt(message: Message, signal: AbortSignal): Promise<Delivery | undefined> {
    const { deliver, leaseSeconds, signer } = this.#settings;
    const token = tokenOf(await signer(), message.uid);
    const now = this.#world.now();
    const own = { owner: this.#owner, now, ends: now + leaseSeconds * 1000 };
    if (!(await lease(this.#database, message, own))) return undefined;
    const delivery = await unlessStopped(deliver({ ...message, token }), signal);
    if (delivery === undefined) return undefined;
    const at = this.#world.now();
    const outcome = outcomeOf(delivery, message, message.firstAttempt ?? now, at);
    const follow = () => this.#count(message, outcome, at);
    await finish(this.#database, message, outcome, { owner: this.#owner, now: at }, follow);
    return delivery;
  }

  /** Counts a failure that is due to the address. */
  *#count({ address }: Message, outcome: Outcome, at: number): Work<void> {
    const { failureLimit } = this.#settings;
    if (failureLimit === undefined || outcome.kind !== 'failed') return;
    const { status, response: diagnostic } = outcome;
    if (isAboutAddress(status))
      yield* countFailure(address, { status, diagnostic, at }, failureLimit);
  }
}

/** The delivery, or undefined if it takes long after the signal. The lease then ends by itself, and the message is sent again. */
async function unlessStopped(
  delivery: Promise<Delivery>,
  signal: AbortSignal,
): Promise<Delivery | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let wait = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    wait = () => {
      timer = setTimeout(resolve, GRACE, undefined);
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  try {
    return await Promise.race([delivery, stopped]);
  } finally {
    signal.removeEventListener('abort', wait);
    clearTimeout(timer);
  }
}

/** What follows from an attempt: RFC 5321 permits another one after 4yz, and none after 5yz. */
function outcomeOf(
  { kind, response }: Delivery,
  { attempts }: Message,
  firstAttempt: number,
  now: number,
): Outcome {
  if (kind === 'sent') return { kind, response };
  const delay = Math.min(FIRST_DELAY * 2 ** attempts, LONGEST_DELAY);
  const nextAttempt = now + delay;
  if (kind === 'rejected' || nextAttempt > firstAttempt + PATIENCE)
    return { kind: 'failed', response, status: STATUS.exec(response)?.[1] };
  return { kind: 'delayed', response, nextAttempt };
}
