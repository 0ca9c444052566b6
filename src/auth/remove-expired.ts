// This file forgets what is no longer needed: tokens and log-ins that can never be used again, and entries of the audit trail that are
// older than the installation wants to keep them. It does so at the start and every hour.
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { pruneAudit } from './audit.ts';
import type { AuthRecords } from './auth-records.ts';
import type { AuthDatabase } from './database.ts';

const INTERVAL = 3600 * 1000;
const DAY = 24 * 3600 * 1000;
/** A spent token is remembered so long, that its second use is noticed. Milliseconds. */
const TOKEN_MEMORY = 7 * DAY;

export interface UpkeepParts {
  readonly database: AuthDatabase;
  readonly records: Pick<AuthRecords, 'prune'>;
  readonly world: World;
  readonly see: See;
  /** Days for which the audit trail is kept. */
  readonly auditDays: () => number;
}

/** Forgets, now and every hour. Gives what ends that, and waits for what is under way. */
export function startUpkeep(parts: UpkeepParts): () => Promise<void> {
  let underWay = forget(parts);
  const timer = setInterval(() => {
    underWay = underWay.then(async () => await forget(parts));
  }, INTERVAL);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}

async function forget({ database, records, world, see, auditDays }: UpkeepParts): Promise<void> {
  try {
    const now = world.now();
    await records.prune(now - TOKEN_MEMORY);
    await pruneAudit(database, now - auditDays() * DAY);
  } catch (error) {
    see({ kind: 'failure', id: 'upkeep', error });
  }
}
