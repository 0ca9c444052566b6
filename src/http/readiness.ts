// This file answers /readyz, which a load balancer asks whether to send requests to this process.
import { Fault } from '../base/fault.ts';
import type { Service } from '../service/service.ts';
import { withinTime } from '../store/time-limit.ts';
import type { AppSettings } from './app-settings.ts';
import { type Exchange, sendText } from './send-response.ts';

/** Milliseconds that the database may take. */
const TIME_LIMIT = 2000;

const READY = 'ready';
const LATE = `The database has not responded within ${TIME_LIMIT / 1000} seconds.`;

/** Sends 200, or 503 with the reason why the database cannot serve requests. */
export async function sendReadiness(
  exchange: Exchange,
  { service: { database }, isDamaged }: Pick<AppSettings, 'service' | 'isDamaged'>,
): Promise<void> {
  const state =
    isDamaged?.() === true
      ? new Fault('store.damaged').message
      : ((await withinTime(stateOf(database), TIME_LIMIT)) ?? LATE);
  await sendText(exchange, state === READY ? 200 : 503, `${state}\n`);
}

/** READY, or why the database cannot serve requests. */
async function stateOf(database: Service['database']): Promise<string> {
  try {
    await database.read('SELECT 1', []);
    return READY;
  } catch (error) {
    return error instanceof Fault ? error.message : 'The database is not available.';
  }
}
