// This file reads the subscriptions with what the engine keeps of them.
import type { AuthDatabase } from '../auth/database.ts';
import type { WEBHOOK_FORMATS } from '../edm/webhooks/webhook-sets.ts';
import type { KnownRecords } from '../plan/read-plan.ts';
import type { EventKind } from '../service/events/event.ts';
import type { Watch } from '../service/events/watch.ts';
import { rolesIn, SUBSCRIPTIONS, WEBHOOK_STATE } from '../service/webhooks/webhook-state.ts';
import { type Fragment, sql, value } from '../sql/fragment.ts';
import type { Row } from '../store/database.ts';
import { optionalText, textsOf } from '../store/stored-values.ts';

type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** A subscription as accounts have written it. */
export interface StoredSubscription {
  readonly uid: bigint;
  readonly url: string;
  readonly set: string;
  readonly filter: string | undefined;
  readonly select: string | undefined;
  readonly expand: string | undefined;
  readonly kinds: readonly string[];
  readonly format: WebhookFormat;
  readonly state: string;
  readonly reason: string | undefined;
  readonly owner: string;
}

/** A subscription with its state. */
export interface Subscription extends StoredSubscription {
  readonly account: bigint;
  /** Undefined for all roles of the account. */
  readonly roles: readonly string[] | undefined;
  /** Grows with each change of the queue by requests. */
  readonly epoch: bigint;
  /** The newest first; empty until the first one is made. */
  readonly secrets: readonly string[];
}

const COLUMNS = sql`s."Uid", s."Url", s."EntitySet", s."Filter", s."Select", s."Expand", s."Kinds", s."Format", s."State", s."Reason", s."Owner"`;

/** Selects subscriptions. @param condition on the alias s */
export function subscriptionsWhere(condition: Fragment): Fragment {
  return sql`SELECT ${COLUMNS} FROM ${SUBSCRIPTIONS} s WHERE ${condition} ORDER BY s."Uid"`;
}

export function storedSubscription(row: Row): StoredSubscription {
  const [uid, url, set, filter, select, expand, kinds, format, state, reason, owner] = row;
  return {
    uid: BigInt(String(uid)),
    url: String(url ?? ''),
    set: String(set ?? ''),
    filter: optionalText(filter),
    select: optionalText(select),
    expand: optionalText(expand),
    kinds: textsOf(kinds),
    format: format === 'batched' ? 'batched' : 'structured',
    state: String(state),
    reason: optionalText(reason),
    owner: String(owner ?? ''),
  };
}

/** All subscriptions. @param now milliseconds since 1970, for previous secrets */
export async function readSubscriptions(
  { read }: AuthDatabase,
  now: number,
): Promise<readonly Subscription[]> {
  const rows = await read(
    sql`SELECT ${COLUMNS}, w.account, w.roles, w.epoch, w.secret, w.previous, w.previous_until
      FROM ${SUBSCRIPTIONS} s JOIN ${WEBHOOK_STATE} w ON w.subscription = s."Uid" ORDER BY s."Uid"`,
  );
  return rows.map((row) => {
    const [account, roles, epoch, secret, previous, until] = row.slice(11);
    const secrets = [secret, Number(until ?? 0) > now ? previous : null];
    return {
      ...storedSubscription(row),
      account: BigInt(String(account)),
      roles: rolesIn(roles),
      epoch: BigInt(String(epoch)),
      secrets: secrets.filter((one) => typeof one === 'string'),
    };
  });
}

interface StoredPosition {
  readonly position: string;
  readonly epoch: bigint;
  /** Identifies the query and the rights with which the visible records were listed. */
  readonly listed: string | undefined;
}

/** Where the delivery of a subscription continues; undefined if it has been deleted. */
export async function readPosition(
  { read }: AuthDatabase,
  subscription: bigint,
): Promise<StoredPosition | undefined> {
  const [row] = await read(
    sql`SELECT position, epoch, listed FROM ${WEBHOOK_STATE} WHERE subscription = ${value(subscription)}`,
  );
  return (
    row && { position: String(row[0]), epoch: BigInt(String(row[1])), listed: optionalText(row[2]) }
  );
}

/** The query of a subscription. */
export function watchOf({ set, filter, select, expand, kinds }: Subscription): Watch {
  const all = { set, filter, select, expand };
  return kinds.length === 0 ? all : { ...all, kinds: kinds as readonly EventKind[] };
}

/** The records that the receiver knows; undefined if removals are not wanted. */
export function knownTo({ uid, kinds }: Subscription): KnownRecords | undefined {
  const isWanted = kinds.length === 0 || kinds.includes('removed');
  return isWanted ? { kind: 'stored', reader: uid } : undefined;
}

/** The last change of a position. */
export function changeOf(position: string): bigint {
  return BigInt(position.replace(/-.*$/, ''));
}
