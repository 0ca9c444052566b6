// This file reads what is going on in an installation: its sessions, and what waits for the service.
import {
  API_KEY_TYPE,
  FAILED_ACTION_TYPE,
  SESSION_TYPE,
  SYSTEM_TABLES,
} from '../edm/administration-sets.ts';
import { OUTGOING_MESSAGE_TYPE } from '../edm/mail-sets.ts';
import type { SubscriptionState } from '../edm/webhooks/webhook-sets.ts';
import { countDue, dueActions } from '../service/due/due-actions.ts';
import { scheduleSender } from '../service/due/due-round.ts';
import type { Service } from '../service/service.ts';
import { DELIVERIES, SUBSCRIPTIONS } from '../service/webhooks/webhook-state.ts';
import { type Fragment, sql, tableName } from '../sql/fragment.ts';
import type { DatabaseReader } from '../store/database.ts';
import { instant } from '../store/stored-values.ts';
import { query } from '../store/work.ts';

const SESSION = tableName(SYSTEM_TABLES[SESSION_TYPE]);
const API_KEY = tableName(SYSTEM_TABLES[API_KEY_TYPE]);
const MAIL = tableName(SYSTEM_TABLES[OUTGOING_MESSAGE_TYPE]);
const FAILED = tableName(SYSTEM_TABLES[FAILED_ACTION_TYPE]);

export interface RunningState {
  /** Log-ins and API keys that have been used within `idleMinutes`. */
  readonly sessions: number;
  readonly mailWaiting: number;
  /** Age of the oldest outgoing message that waits; 0 if none does. */
  readonly mailOldestSeconds: number;
  readonly deferredRequests: number;
  readonly failedActions: number;
  /** Webhook subscriptions by their state. */
  readonly subscriptions: Readonly<Record<SubscriptionState, number>>;
  readonly deliveriesWaiting: number;
  /** Those of them that a receiver has not accepted yet. */
  readonly deliveriesRetried: number;
  /** Age of the oldest delivery that waits; 0 if none does. */
  readonly deliveriesOldestSeconds: number;
}

/** Throws: the faults of the store. */
export async function readRunningState(
  service: Pick<Service, 'database' | 'world'>,
  idleMinutes: number,
): Promise<RunningState> {
  const { database, world } = service;
  const now = world.now();
  const isUsed = sql`"LastUsed" > ${instant(now - idleMinutes * 60_000)}`;
  const isWaiting = sql`"State" IN ('queued', 'sending')`;
  const isQueued = sql`${DELIVERIES} WHERE "State" = 'queued'`;
  const age = async (from: Fragment) => {
    const [oldest] = await cells(database, sql`SELECT min("Created") FROM ${from}`);
    return typeof oldest === 'string' ? (now - Date.parse(oldest)) / 1000 : 0;
  };
  return {
    sessions:
      (await count(database, sql`${SESSION} WHERE ${isUsed}`)) +
      (await count(database, sql`${API_KEY} WHERE ${isUsed}`)),
    mailWaiting: await count(database, sql`${MAIL} WHERE ${isWaiting}`),
    mailOldestSeconds: await age(sql`${MAIL} WHERE ${isWaiting}`),
    deferredRequests: await count(database, sql`${tableName('docket_job')} WHERE status IS NULL`),
    failedActions: await count(database, FAILED),
    subscriptions: await subscriptionsByState(database),
    deliveriesWaiting: await count(database, isQueued),
    deliveriesRetried: await count(database, sql`${isQueued} AND "Attempts" > 0`),
    deliveriesOldestSeconds: await age(isQueued),
  };
}

async function subscriptionsByState(
  database: DatabaseReader,
): Promise<RunningState['subscriptions']> {
  const statement = sql`SELECT "State", count(*) FROM ${SUBSCRIPTIONS} GROUP BY "State"`;
  const rows = await database.read(statement, query(statement).values);
  const none = { active: 0, paused: 0, disabled: 0 };
  return { ...none, ...Object.fromEntries(rows.map(([state, number]) => [state, Number(number)])) };
}

/** The number of entities for which an action is due. */
export async function countDueActions(service: Service): Promise<number> {
  return await countDue(scheduleSender(service), dueActions(service.model), service.businessTime());
}

async function count(database: DatabaseReader, from: Fragment): Promise<number> {
  const [number] = await cells(database, sql`SELECT count(*) FROM ${from}`);
  return Number(number);
}

async function cells(database: DatabaseReader, statement: Fragment) {
  const [row = []] = await database.read(statement, query(statement).values);
  return row;
}
