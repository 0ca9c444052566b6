// Deletes expired tokens and logins, audit entries that are older than the setting auditDays, and what others no longer need, at the start
// and every hour.
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { startJob } from '../store/background-job.ts';
import { pruneAudit } from './audit.ts';
import type { AuthRecords } from './auth-records.ts';
import type { AuthDatabase } from './database.ts';

const INTERVAL = 3600 * 1000;
const DAY = 24 * 3600 * 1000;
/** Spent tokens are kept for this time, so that their reuse is detected. Milliseconds. */
const TOKEN_MEMORY = 7 * DAY;

export interface UpkeepParts {
  readonly database: AuthDatabase;
  readonly records: Pick<AuthRecords, 'prune'>;
  readonly world: World;
  readonly observe: Observe;
  /** Days for which the audit trail is kept. */
  readonly auditDays: () => number;
  /** Removes what the service keeps for a time. @param now milliseconds since 1970 */
  readonly removeOthers: (database: AuthDatabase, now: number) => Promise<void>;
}

/** Starts the job. Returns a function that stops it and waits for a run in progress. */
export function startUpkeep(parts: UpkeepParts): () => Promise<void> {
  const { database, records, world, observe, auditDays, removeOthers } = parts;
  return startJob('upkeep', INTERVAL, observe, async () => {
    const now = world.now();
    await records.prune(now - TOKEN_MEMORY);
    await pruneAudit(database, now - auditDays() * DAY);
    await removeOthers(database, now);
  });
}
