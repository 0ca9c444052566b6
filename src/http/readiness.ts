// This file answers /readyz, which a load balancer asks whether to send requests to this process.
import { Fault } from '../base/fault.ts';
import type { Service } from '../service/service.ts';
import type { AppSettings } from './app-settings.ts';
import { type Exchange, sendText } from './send-response.ts';

/** Milliseconds that the database may take. */
const TIME_LIMIT = 2000;

/** Sends 200, or 503 with the reason why the database cannot serve requests. */
export async function sendReadiness(
  exchange: Exchange,
  { service: { database }, isDamaged }: Pick<AppSettings, 'service' | 'isDamaged'>,
): Promise<void> {
  const problem =
    isDamaged?.() === true
      ? new Fault('store.damaged').message
      : await withinTime(problemOf(database));
  if (problem === undefined) await sendText(exchange, 200, 'ready\n');
  else await sendText(exchange, 503, `${problem}\n`);
}

async function problemOf(database: Service['database']): Promise<string | undefined> {
  try {
    await database.read('SELECT 1', []);
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.message : 'The database is not available.';
  }
}

async function withinTime(problem: Promise<string | undefined>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<string>((resolve) => {
    const text = `The database has not responded within ${TIME_LIMIT / 1000} seconds.`;
    timer = setTimeout(() => resolve(text), TIME_LIMIT);
  });
  try {
    return await Promise.race([problem, limit]);
  } finally {
    clearTimeout(timer);
  }
}
