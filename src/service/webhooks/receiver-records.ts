// This file keeps which records the receivers of subscriptions know whose accounts may read some records only.
import { readPosition } from '../../plan/read/tokens.ts';
import { list, sql, tableName, value } from '../../sql/fragment.ts';
import { KNOWN_RECORDS } from '../../sql/schema/known-record-table.ts';
import type { Work } from '../../store/database.ts';
import { query } from '../../store/work.ts';
import type { Learned } from '../events/read-events.ts';

/** Keeps what a page of events has changed. */
export function* learn(
  subscription: bigint,
  { entered, left }: Pick<Learned, 'entered' | 'left'>,
): Work<void> {
  yield* learnRecords(subscription, entered);
  for (const { address, change } of left)
    yield query(
      sql`UPDATE ${KNOWN_RECORDS} SET left_with = ${value(change)} WHERE reader = ${value(subscription)} AND address = ${value(address)}`,
    );
}

/** Where a replay begins. */
export interface ReplayStart {
  readonly position: string;
  /** The records that the client of a delta link knows. */
  readonly known?: readonly string[] | undefined;
}

/** Adds records to those that the receiver of a subscription knows. */
function* learnRecords(subscription: bigint, addresses: readonly string[]): Work<void> {
  if (addresses.length === 0) return;
  const rows = addresses.map((one) => sql`(${value(subscription)}, ${value(one)})`);
  yield query(sql`INSERT INTO ${KNOWN_RECORDS} (reader, address) VALUES ${list(rows)}
    ON CONFLICT (reader, address) DO UPDATE SET left_with = NULL`);
}

/**
 * The receiver counts as knowing what it knew at an earlier position, or exactly the records of a delta link. What the account does not
 * see of them is withdrawn when they are listed again.
 */
export function* restoreKnown(subscription: bigint, { position, known }: ReplayStart): Work<void> {
  const since = readPosition(position)?.since ?? 0n;
  const own = sql`reader = ${value(subscription)}`;
  if (known === undefined) {
    yield query(
      sql`UPDATE ${KNOWN_RECORDS} SET left_with = NULL WHERE ${own} AND left_with > ${value(since)}`,
    );
    return;
  }
  yield query(sql`DELETE FROM ${KNOWN_RECORDS} WHERE ${own}`);
  yield* learnRecords(subscription, known);
}

/** Removes records that have left before the changes that can be replayed. */
export function* forgetRecords(): Work<void> {
  yield query(
    sql`DELETE FROM ${KNOWN_RECORDS} WHERE left_with < (SELECT min("seq") FROM ${tableName('docket_change')})`,
  );
}
