// This file lets business time pass. What becomes due meanwhile is performed in the order of its times, each action at its own time, and
// the clock follows from one to the next. Should the process end on the way, the clock stands at the last of them.
import { authDatabase } from '../../auth/database.ts';
import type { AdjustableClock, Service } from '../service.ts';
import { BusinessClock, type ClockParts, hasClock } from './business-clock.ts';
import { whileClaimed } from './claim-schedule.ts';
import { type DueEntity, dueActions } from './due-actions.ts';
import { DueRound, scheduleSender } from './due-round.ts';
import { readFailed } from './failed-actions.ts';

/** Milliseconds for which a move waits for another one, or for the due actions of now. */
const PATIENCE = 20_000;

/** The clock of an installation; undefined if business time is the real time. */
export async function openClock(parts: ClockParts): Promise<AdjustableClock | undefined> {
  if (!(await hasClock(parts.database))) return undefined;
  const clock = new BusinessClock(parts);
  await clock.load();
  return {
    now: () => clock.now(),
    load: () => clock.load(),
    passTo: (until, service) =>
      whileClaimed(service.database, PATIENCE, async () => {
        await clock.loadNewest();
        const from = clock.now();
        const to = until(from);
        await passTime(service, clock, to);
        return { from, to };
      }),
  };
}

/** Performs what is due until a time, and moves the clock there. */
async function passTime(service: Service, clock: BusinessClock, until: number): Promise<void> {
  let now = clock.now();
  const past: Service = { ...service, businessTime: () => now };
  const send = scheduleSender(past);
  const failed = await readFailed(authDatabase(service.database));
  const rounds = dueActions(service.model).map(
    (action) => new DueRound(past, send, action, failed),
  );
  for (;;) {
    const next = await firstDue(rounds, until);
    if (next === undefined) break;
    now = Math.max(now, Date.parse(next.entity.due));
    await clock.moveTo(now);
    await next.round.perform([next.entity]);
  }
  await clock.moveTo(until);
}

interface NextAction {
  readonly round: DueRound;
  readonly entity: DueEntity;
}

/** What has been due for longest. */
async function firstDue(
  rounds: readonly DueRound[],
  until: number,
): Promise<NextAction | undefined> {
  let first: NextAction | undefined;
  for (const round of rounds) {
    const entity = await round.nextUntil(until);
    if (entity === undefined) continue;
    if (first === undefined || Date.parse(entity.due) < Date.parse(first.entity.due))
      first = { round, entity };
  }
  return first;
}
