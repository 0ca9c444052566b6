// This file forgets changes that are older than the installation wants to keep them. What is forgotten is always the beginning of the
// log: a delta link can tell by the first number that is left whether it has missed anything. The newest change is never forgotten,
// since its number is where new delta links begin.
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import type { Database } from '../store/database.ts';

/** Rows that go in one transaction: other writers wait no longer than for that. */
const BATCH = 2000;

/** How often it is looked for what is too old. Milliseconds. */
const INTERVAL = 3600 * 1000;

const DAY = 24 * 3600 * 1000;

/** The number up to which (itself excluded) changes are too old. The clock may have gone back: the first that is not too old counts. */
const KEPT_FROM = `SELECT coalesce(
  (SELECT "seq" FROM "docket_change" WHERE +"at" >= ? ORDER BY "seq" LIMIT 1),
  (SELECT max("seq") FROM "docket_change"))`;

const FORGET =
  'DELETE FROM "docket_change" WHERE "seq" < min(?, (SELECT min("seq") FROM "docket_change") + ?)';

/**
 * Forgets the changes before a point in time.
 * @param before milliseconds since 1970
 * @param needed number of a change that a reader of the log has yet to see: it and later ones stay
 * Gives the number of changes forgotten. Faults of Database.write.
 */
export async function forgetChanges(
  database: Database,
  before: number,
  needed?: bigint,
): Promise<number> {
  const [row] = database.read(KEPT_FROM, [new Date(before).toISOString()]);
  const [first] = row ?? [];
  if (typeof first !== 'bigint') return 0;
  const keptFrom = needed !== undefined && needed < first ? needed : first;
  let forgotten = 0;
  for (let count = BATCH; count >= BATCH; forgotten += count) {
    count = await database.write((transaction) => ({
      result: transaction.change(FORGET, [keptFrom, BigInt(BATCH)]),
      keep: true,
    }));
  }
  return forgotten;
}

export interface Retention {
  readonly database: Database;
  readonly world: World;
  readonly see: See;
  /** Days for which changes are kept. */
  readonly days: () => number;
}

/** Forgets what is too old, now and every hour. Gives what ends that, and waits for what is under way. */
export function startRetention({ database, world, see, days }: Retention): () => Promise<void> {
  const forget = async (): Promise<void> => {
    try {
      await forgetChanges(database, world.now() - days() * DAY);
    } catch (error) {
      see({ kind: 'failure', id: 'retention', error });
    }
  };
  let underWay = forget();
  const timer = setInterval(() => {
    underWay = underWay.then(forget);
  }, INTERVAL);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
