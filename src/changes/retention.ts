// This file deletes expired entries of the change log, always from its beginning: the lowest remaining number shows whether a delta
// link has missed changes. The newest entry is never deleted, because new delta links start from its number.
import type { Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import { startJob } from '../store/background-job.ts';
import type { Database, Work } from '../store/database.ts';
import { change, kept, query } from '../store/work.ts';

/** Rows deleted per transaction. A small batch keeps other writers from waiting long. */
const BATCH = 2000;

/** Milliseconds between two runs. */
const INTERVAL = 3600 * 1000;

const DAY = 24 * 3600 * 1000;

/**
 * Number of the first entry to keep. Because the clock may have been set back, this is the first entry that has not expired; coalesce
 * makes the database read the entries in order instead of all newer ones by the index on their time.
 */
const KEPT_FROM = sql`SELECT coalesce(
  (SELECT "seq" FROM ${tableName('docket_change')} WHERE coalesce("at", '') >= ${ARGUMENT} ORDER BY "seq" LIMIT 1),
  (SELECT max("seq") FROM ${tableName('docket_change')}))`;

const OLDEST = sql`SELECT min("seq") FROM ${tableName('docket_change')}`;
const FORGET = sql`DELETE FROM ${tableName('docket_change')} WHERE "seq" < ${ARGUMENT}`;

/**
 * Deletes the changes before a point in time and returns how many were deleted. Throws the faults of Database.write.
 * @param before milliseconds since 1970
 * @param needed number of a change that a reader has yet to process; it and later ones are kept
 */
export async function deleteChanges(
  database: Database,
  before: number,
  needed?: bigint,
): Promise<number> {
  const [row] = await database.read(KEPT_FROM, [new Date(before).toISOString()]);
  const [first] = row ?? [];
  if (typeof first !== 'bigint') return 0;
  const keptFrom = needed !== undefined && needed < first ? needed : first;
  let forgotten = 0;
  for (let count = BATCH; count >= BATCH; forgotten += count) {
    count = await database.write(() => kept(forget(keptFrom)));
  }
  return forgotten;
}

function* forget(keptFrom: bigint): Work<number> {
  const { rows } = yield query(OLDEST, []);
  const oldest = rows[0]?.[0];
  if (typeof oldest !== 'bigint') return 0;
  const end = oldest + BigInt(BATCH);
  const { changed } = yield change(FORGET, [end < keptFrom ? end : keptFrom]);
  return changed;
}

export interface Retention {
  readonly database: Database;
  readonly world: World;
  readonly observe: Observe;
  /** Days for which changes are kept. */
  readonly days: () => number;
}

/** Deletes expired changes now and every hour. Returns a function that stops this and waits for a deletion in progress. */
export function startRetention({ database, world, observe, days }: Retention): () => Promise<void> {
  return startJob('retention', INTERVAL, observe, async () => {
    await deleteChanges(database, world.now() - days() * DAY);
  });
}
