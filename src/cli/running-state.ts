// This file reads what is going on in an installation: its sessions, and what waits for the service.
import {
  API_KEY_TYPE,
  FAILED_ACTION_TYPE,
  SESSION_TYPE,
  SYSTEM_TABLES,
} from '../edm/administration-sets.ts';
import { OUTGOING_MESSAGE_TYPE } from '../edm/mail-sets.ts';
import { countDue, dueActions } from '../service/due/due-actions.ts';
import { scheduleSender } from '../service/due/due-round.ts';
import type { Service } from '../service/service.ts';
import { type Fragment, sql, tableName, value } from '../sql/fragment.ts';
import type { DatabaseReader } from '../store/database.ts';
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
}

/** Throws: the faults of the store. */
export async function readRunningState(
  service: Pick<Service, 'database' | 'world'>,
  idleMinutes: number,
): Promise<RunningState> {
  const { database, world } = service;
  const now = world.now();
  const isUsed = sql`"LastUsed" > ${value(new Date(now - idleMinutes * 60_000).toISOString())}`;
  const isWaiting = sql`"State" IN ('queued', 'sending')`;
  const [oldest] = await cells(
    database,
    sql`SELECT min("Created") FROM ${MAIL} WHERE ${isWaiting}`,
  );
  return {
    sessions:
      (await count(database, sql`${SESSION} WHERE ${isUsed}`)) +
      (await count(database, sql`${API_KEY} WHERE ${isUsed}`)),
    mailWaiting: await count(database, sql`${MAIL} WHERE ${isWaiting}`),
    mailOldestSeconds: typeof oldest === 'string' ? (now - Date.parse(oldest)) / 1000 : 0,
    deferredRequests: await count(database, sql`${tableName('docket_job')} WHERE status IS NULL`),
    failedActions: await count(database, FAILED),
  };
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
