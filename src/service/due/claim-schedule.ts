// This file lets one process at a time perform due actions in an installation whose clock can be moved: either the one that performs what is
// due now, or one that moves the clock, so that each action that a move makes due is performed at its own time.
import { setTimeout as wait } from 'node:timers/promises';
import type { Claim, Database } from '../../store/database.ts';

const NAME = 'due actions';
/** Milliseconds between attempts. */
const INTERVAL = 50;

/**
 * Runs the work while no other process has the claim. Undefined if others have it for longer than the patience.
 * @param patience milliseconds to wait for the claim
 */
export async function whileClaimed<Result>(
  database: Pick<Database, 'claim'>,
  patience: number,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const claim = await claimWithin(database, patience);
  if (claim === undefined) return undefined;
  try {
    return await work();
  } finally {
    await claim.release();
  }
}

async function claimWithin(
  database: Pick<Database, 'claim'>,
  patience: number,
): Promise<Claim | undefined> {
  const end = performance.now() + patience;
  for (;;) {
    // Should the claim be lost, the ETags of the entities still decide who performs an action.
    const claim = await database.claim(NAME, () => undefined);
    if (claim !== undefined || performance.now() >= end) return claim;
    await wait(INTERVAL);
  }
}
