// This file performs the due actions of an installation. One process of many does it; should two do so for a moment, the ETags decide.
import { authDatabase } from '../../auth/database.ts';
import { startJob } from '../../store/background-job.ts';
import type { Send } from '../internal-requests.ts';
import type { Service } from '../service.ts';
import { whileClaimed } from './claim-schedule.ts';
import { type DueAction, dueActions } from './due-actions.ts';
import { DueRound, scheduleSender } from './due-round.ts';
import { readFailed } from './failed-actions.ts';

/** Milliseconds between searches. */
const INTERVAL = 1000;

/** Passes after which nothing is left that became due while the service did not run: what an action makes due follows in the second one. */
const CATCH_UP_PASSES = 2;

/**
 * Performs what is due, now and every second. Returns the function that stops this. Errors are observed.
 * @param onCaughtUp called once, when everything has been performed that became due while the service did not run
 */
export function startDueActions(
  service: Service,
  onCaughtUp: () => void = () => undefined,
): () => Promise<void> {
  const { model, clock, database, observe } = service;
  const actions = dueActions(model);
  if (actions.length === 0) {
    onCaughtUp();
    return async () => undefined;
  }
  let passes = 0;
  const send = scheduleSender(service);
  return startJob('due actions', INTERVAL, observe, async (signal) => {
    const performAll = () => performDueActions(service, send, actions, signal);
    await (clock === undefined ? performAll() : whileClaimed(database, 0, performAll));
    if (!signal.aborted && ++passes === CATCH_UP_PASSES) onCaughtUp();
  });
}

/** Performs everything that is due. The actions take turns. */
async function performDueActions(
  service: Service,
  send: Send,
  actions: readonly DueAction[],
  signal: AbortSignal,
): Promise<void> {
  const unfinished = new Map<DueAction, DueRound>();
  do {
    const failed = await readFailed(authDatabase(service.database));
    for (const action of actions) {
      const round = unfinished.get(action) ?? new DueRound(service, send, action, failed);
      if (await round.isDoneAfterTurn(signal)) unfinished.delete(action);
      else unfinished.set(action, round);
    }
  } while (unfinished.size > 0 && !signal.aborted);
}
