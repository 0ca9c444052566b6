// This file checks subscriptions and deliveries in the transaction that changes them, and keeps the state of subscriptions. All mistakes are
// reported together.
import type { Principal } from '../access/principal.ts';
import { type AccountQuery, accountIn } from '../auth/accounts.ts';
import { rejectMistakes } from '../auth/policy-reader.ts';
import { principalOf } from '../auth/session.ts';
import { Fault } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { systemSet } from '../edm/administration-sets.ts';
import { type Source, setSource } from '../edm/source.ts';
import { WEBHOOK_DELIVERY_TYPE, WEBHOOK_SUBSCRIPTION_TYPE } from '../edm/webhooks/webhook-sets.ts';
import { EVENT_KINDS } from '../service/events/event.ts';
import type { Watch } from '../service/events/watch.ts';
import {
  addState,
  announce,
  DELIVERIES,
  type OwnerState,
  ownerPrincipal,
  ownerStateOf,
  readOwner,
  removeStates,
  restart,
  SUBSCRIPTIONS,
  storeRoles,
} from '../service/webhooks/webhook-state.ts';
import { list, sql, tableName, value } from '../sql/fragment.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Cell, Work } from '../store/database.ts';
import { instant } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';
import {
  type StoredSubscription,
  storedSubscription,
  subscriptionsWhere,
} from './read-subscriptions.ts';

export interface WebhookCheckParts {
  readonly layout: Layout;
  readonly accounts: AccountQuery;
  readonly now: () => number;
  /** Why messages may not be sent to a URL. */
  readonly urlMistake: (url: string) => string | undefined;
  /** Throws if the query is not valid for the set. */
  readonly checkQuery: (set: string, query: string) => void;
  /** Throws if the principal cannot follow the changes. */
  readonly checkWatch: (watch: Watch, principal: Principal) => void;
  /** Subscriptions of an account. */
  readonly limit: number;
}

/** The members that contain query options. */
const OPTIONS = { Filter: 'filter', Select: 'select', Expand: 'expand' } as const;

/** The rules for subscriptions and deliveries. */
export class WebhookCheck {
  readonly #parts: WebhookCheckParts;
  readonly #subscriptions: Source | undefined;
  readonly #deliveries: Source | undefined;

  constructor(parts: WebhookCheckParts) {
    const { model } = parts.layout;
    const source = (type: string) => {
      const set = systemSet(model, type);
      return set === undefined ? undefined : setSource(model, set.name);
    };
    this.#parts = parts;
    this.#subscriptions = source(WEBHOOK_SUBSCRIPTION_TYPE);
    this.#deliveries = source(WEBHOOK_DELIVERY_TYPE);
  }

  /** Whether a write to these sources can change subscriptions or deliveries. */
  concerns(sources: readonly string[]): boolean {
    return [this.#subscriptions, this.#deliveries].some(
      (source) => source !== undefined && sources.includes(source.id),
    );
  }

  /** Checks what has changed after the number `since` of the change log. Throws: webhook.*, write.body. */
  *check(since: bigint, principal: Principal): Work<void> {
    const deliveries = yield* this.#changedIn(this.#deliveries, since);
    if (deliveries.length > 0) yield* this.#finishDeliveries(deliveries);
    const changed = yield* this.#changedIn(this.#subscriptions, since);
    if (changed.length === 0) return;
    const condition = sql`s."Uid" IN (${list(changed.map((one) => value(one)))})`;
    const { rows } = yield query(subscriptionsWhere(condition));
    const mistakes: Fault[] = [];
    for (const row of rows)
      mistakes.push(...(yield* this.#finish(storedSubscription(row), since, principal)));
    rejectMistakes(mistakes);
    yield* removeStates();
  }

  /** What Retry and Cancel do is valid, and no other change by clients: the queue is also the log. */
  *#finishDeliveries(changed: readonly Cell[]): Work<void> {
    const uids = list(changed.map((one) => value(one)));
    const { rows } = yield query(
      sql`SELECT "Subscription", "State", "NextAttempt", "Finished" FROM ${DELIVERIES} WHERE "Uid" IN (${uids})`,
    );
    for (const [subscription, state, nextAttempt, finished] of rows) {
      const isRetried = state === 'queued' && nextAttempt === null;
      const isCancelled = state === 'cancelled';
      if (finished !== null || !(isRetried || isCancelled)) throw new Fault('webhook.delivery');
      if (subscription !== null) yield* announce(BigInt(String(subscription)));
    }
    yield query(
      sql`UPDATE ${DELIVERIES} SET "Finished" = ${instant(this.#parts.now())}, "NextAttempt" = ${value(null)} WHERE "Uid" IN (${uids}) AND "State" = 'cancelled'`,
    );
  }

  /** Checks a subscription and keeps its state. Returns the mistakes. */
  *#finish(
    subscription: StoredSubscription,
    since: bigint,
    principal: Principal,
  ): Work<readonly Fault[]> {
    const known = yield* readOwner(subscription.uid);
    const state = known ?? ownerStateOf(principal);
    const own = state.account === principal.account ? ownerStateOf(principal) : state;
    if (known === undefined) yield* addState(subscription.uid, own, String(since));
    else yield* storeRoles(subscription.uid, own);
    const owner = yield* this.#owner(subscription, own);
    if (subscription.state === 'active') yield* this.#activate(subscription);
    return [
      ...(yield* this.#ownerMistakes(subscription, owner, known === undefined)),
      ...this.#mistakesIn(subscription, owner),
    ];
  }

  /** A subscription that the service has disabled begins again with what is queued. */
  *#activate({ uid, reason }: StoredSubscription): Work<void> {
    if (reason === undefined) return;
    yield query(
      sql`UPDATE ${SUBSCRIPTIONS} SET "Reason" = ${value(null)} WHERE "Uid" = ${value(uid)}`,
    );
    yield* restart(uid);
  }

  /** The account as it is now; undefined if it may not own subscriptions. */
  *#owner(
    { owner }: StoredSubscription,
    { account, roles }: OwnerState,
  ): Work<Principal | undefined> {
    const { rows } = yield query(this.#parts.accounts({ uid: account }));
    const found = accountIn(rows);
    if (found === undefined || found.blocked || found.loginName !== owner) return undefined;
    return ownerPrincipal(principalOf(found), roles);
  }

  *#ownerMistakes(
    { owner: account, state }: StoredSubscription,
    owner: Principal | undefined,
    isNew: boolean,
  ): Work<readonly Fault[]> {
    if (owner === undefined)
      return state === 'active' ? [new Fault('webhook.owner', { account })] : [];
    if (!isNew) return [];
    const row = yield* firstRow(
      sql`SELECT count(*) FROM ${SUBSCRIPTIONS} WHERE "Owner" = ${value(account)}`,
    );
    const { limit } = this.#parts;
    return Number(row?.[0] ?? 0) > limit ? [new Fault('webhook.limit', { account, limit })] : [];
  }

  #mistakesIn(
    { url, set, filter, select, expand, kinds }: StoredSubscription,
    owner: Principal | undefined,
  ): readonly Fault[] {
    const reason = this.#parts.urlMistake(url);
    return [
      ...(reason === undefined ? [] : [new Fault('webhook.url', { reason }, { target: 'Url' })]),
      ...kinds.flatMap(kindMistakes),
      ...this.#watchMistakes({ set, filter, select, expand }, owner),
    ];
  }

  #watchMistakes(watch: Watch, owner: Principal | undefined): readonly Fault[] {
    const { set } = watch;
    const { sets } = this.#parts.layout.model;
    if (sets.get(set)?.kind !== 'set') {
      const hint = didYouMean(set, sets.keys());
      return [new Fault('webhook.set', { name: set, hint }, { target: 'EntitySet' })];
    }
    const refused = this.#refusal({ set }, owner);
    const whole =
      refused === undefined
        ? []
        : [new Fault('webhook.watch', { set, reason: refused.message }, { target: 'EntitySet' })];
    const options = Object.entries(OPTIONS).flatMap(([member, option]) => {
      const text = watch[option];
      const mistake =
        text === undefined
          ? undefined
          : this.#optionMistake(set, option, text, refused ? undefined : owner);
      if (mistake === undefined) return [];
      const { message, position } = mistake;
      const place = { target: member, ...(position === undefined ? {} : { position }) };
      return [new Fault('webhook.query', { member, set, reason: message }, place)];
    });
    return [...whole, ...options];
  }

  /** @param owner undefined if rights are not checked, because the owner may not read the set at all */
  #optionMistake(
    set: string,
    option: (typeof OPTIONS)[keyof typeof OPTIONS],
    text: string,
    owner: Principal | undefined,
  ): Fault | undefined {
    const syntax = faultOf(() =>
      this.#parts.checkQuery(set, `$${option}=${encodeURIComponent(text)}`),
    );
    return syntax ?? this.#refusal({ set, [option]: text }, owner);
  }

  #refusal(watch: Watch, owner: Principal | undefined): Fault | undefined {
    return owner === undefined ? undefined : faultOf(() => this.#parts.checkWatch(watch, owner));
  }

  *#changedIn(source: Source | undefined, since: bigint): Work<readonly Cell[]> {
    if (source === undefined) return [];
    const { rows } = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" = ${value(source.id)}`,
    );
    return rows.map(([identity]) => identity ?? null);
  }
}

function kindMistakes(name: string): readonly Fault[] {
  const permitted = EVENT_KINDS as readonly string[];
  if (permitted.includes(name)) return [];
  const hint = didYouMean(name, permitted);
  const shown = { name, permitted: permitted.join(', '), hint };
  return [new Fault('webhook.kind', shown, { target: 'Kinds' })];
}

/** The fault of what a client has written, also for features that the service does not have. */
function faultOf(check: () => void): Fault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Fault && (error.status < 500 || error.code === 'not-built')) return error;
    throw error;
  }
}
