// This file calls the URLs of the preference callback: it looks whether delta links have changes, and sends what is queued. A callback is a
// GET without content, so it discloses nothing about the data; attempts and their delays are those of messages to subscriptions.
// Source: OData 4.01 Protocol, "Preference callback".
import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import {
  dropCallback,
  queueChanged,
  type StoredCallback,
  type WaitingLink,
} from '../service/callbacks/callback-table.ts';
import { hasChanges, readingCall } from '../service/callbacks/delta-callbacks.ts';
import { ownerPrincipal } from '../service/webhooks/webhook-state.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { dueAmong, type Outcome, type Queued } from './delivery-queue.ts';
import { verdictOf } from './outcome.ts';
import { openReceiver, type Reply } from './send-message.ts';

type Queue = StoredCallback & { readonly link: undefined };
type Waiting = StoredCallback & { readonly link: WaitingLink };

export class CallbackDelivery {
  readonly #parts: DeliveryParts;
  /** The newest change when the link of a callback was last looked at, by the key of its delivery. */
  #looked = new Map<bigint, bigint>();
  readonly #sending = new Map<bigint, Promise<void>>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Queues the callbacks of links with changes up to the newest one, and sends those that are due. */
  async run(callbacks: readonly StoredCallback[], newest: bigint): Promise<void> {
    const known = new Set(callbacks.map(({ delivery }) => delivery));
    for (const delivery of this.#looked.keys())
      if (!known.has(delivery)) this.#looked.delete(delivery);
    for (const one of callbacks)
      if (isWaiting(one)) await this.#look(one, newest).catch((error) => this.#report(error));
    const queued = callbacks.filter((one): one is Queue => one.link === undefined);
    const now = this.#parts.service.world.now();
    const due = await dueAmong(
      this.#parts.database,
      queued.map(({ delivery }) => delivery),
      now,
    );
    for (const item of due)
      this.#send(
        item,
        queued.find(({ delivery }) => delivery === item.uid),
      );
  }

  /** Waits for callbacks that are under way. */
  async stop(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  // ---- delta links --------------------------------------------------------------------------------------------------

  async #look(callback: Waiting, newest: bigint): Promise<void> {
    const { delivery } = callback;
    if (this.#looked.get(delivery) === newest) return;
    const { database, lease, service } = this.#parts;
    const found = await this.#stateOf(callback);
    if (found === 'unchanged') {
      this.#looked.set(delivery, newest);
      return;
    }
    const now = service.world.now();
    const { path, query } = readingCall(callback.link);
    if (!(await lease.hold())) return;
    await database.write(function* () {
      yield* lease.require();
      if (found === 'forbidden') yield* dropCallback(delivery);
      else yield* queueChanged(delivery, `${path}?${query}`, now);
    });
  }

  /** Whether a client would find something new at the link. One that has expired is new as well: the link returns 410. */
  async #stateOf({ owner, link }: Waiting): Promise<'changed' | 'unchanged' | 'forbidden'> {
    const { service } = this.#parts;
    const principal = await this.#owner(owner);
    if (principal === undefined) return 'forbidden';
    try {
      return (await hasChanges(link, principal, service)) ? 'changed' : 'unchanged';
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500 || error.status === 429) throw error;
      return error.status === 410 ? 'changed' : 'forbidden';
    }
  }

  /** The account with the rights that it has now; undefined if it has been deleted or blocked. */
  async #owner({ account, roles }: StoredCallback['owner']): Promise<Principal | undefined> {
    try {
      const principal = await this.#parts.service.sessions.current({ account });
      return ownerPrincipal(principal, roles);
    } catch (error) {
      if (error instanceof Fault && error.status === 401) return undefined;
      throw error;
    }
  }

  // ---- sending ------------------------------------------------------------------------------------------------------

  #send(item: Queued, callback: StoredCallback | undefined): void {
    const { connections } = this.#parts.settings;
    if (callback === undefined || this.#sending.has(item.uid) || this.#sending.size >= connections)
      return;
    const sending = this.#deliver(item, callback)
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#sending.delete(item.uid));
    this.#sending.set(item.uid, sending);
  }

  async #deliver(item: Queued, callback: StoredCallback): Promise<void> {
    const { lease, recorder, service, settings } = this.#parts;
    if (!(await lease.hold())) return;
    if ((await this.#owner(callback.owner)) === undefined)
      return await recorder.record({ item, outcome: OWNER_GONE, at: undefined, body: undefined });
    const at = service.world.now();
    const reply = await this.#call(callback.url);
    const now = service.world.now();
    const { randomBytes } = service.world;
    const attempt = { at, now, randomBytes, span: settings.span };
    const { outcome, disabled } = verdictOf(item, reply, attempt);
    // What ends a subscription ends a callback.
    const isGivenUp = disabled !== undefined && outcome.state === 'queued';
    const last: Outcome = isGivenUp ? { ...outcome, state: 'failed' } : outcome;
    await recorder.record({ item, outcome: last, at, body: undefined });
  }

  #report(error: unknown): void {
    this.#parts.service.observe({ kind: 'failure', id: 'callbacks', error });
  }

  async #call(url: string): Promise<Reply> {
    const { settings } = this.#parts;
    const receiver = openReceiver(new URL(url), { ...settings, connections: 1 });
    try {
      return await receiver.send({
        method: 'GET',
        headers: { 'user-agent': settings.agent },
        body: '',
      });
    } finally {
      receiver.close();
    }
  }
}

const isWaiting = (callback: StoredCallback): callback is Waiting => callback.link !== undefined;

const OWNER_GONE: Outcome = {
  state: 'cancelled',
  status: undefined,
  response: 'The account no longer exists, or is blocked.',
  nextAttempt: undefined,
};
