// This file tests how a node of PostgreSQL follows the versions of tables when results arrive in another order than the commits.
import { expect, it } from 'vitest';
import type { Row } from '../../src/store/database.ts';
import type { Connection } from '../../src/store/postgres/connection.ts';
import { KnownVersions } from '../../src/store/postgres/table-versions.ts';

const READS = [['a'], ['b']];

/** The rows of one commit: the number of the commit, and versions of tables. */
const rowsOf = (commit: bigint, versions: Readonly<Record<string, bigint>>): readonly Row[] => [
  ['changes of any table', commit],
  ...Object.entries(versions).map(([name, version]) => [`changes of ${name}`, version]),
];

/** A connection on which queries return the rows that the test resolves. */
function pendingConnection() {
  let resolve: (rows: readonly Row[]) => void = () => undefined;
  const query = async () => ({
    rows: await new Promise<readonly Row[]>((resolved) => {
      resolve = resolved;
    }),
  });
  return {
    connection: { query } as unknown as Connection,
    answer: (rows: readonly Row[]) => resolve(rows),
  };
}

it('keep an own commit that an older poll does not contain', async () => {
  const known = new KnownVersions();
  const { connection, answer } = pendingConnection();
  const first = known.refresh(connection);
  answer(rowsOf(5n, { a: 2n, b: 3n }));
  await first;
  const versions = () => READS.map((reads) => known.of(reads)?.split(' ')[0]);
  expect(versions()).toEqual(['2', '3']);

  const poll = known.refresh(connection);
  // Another node has committed number 6, and this node number 7, before the poll returns 6.
  expect(known.applyOwn(rowsOf(7n, { a: 3n }))).toBe(false);
  answer(rowsOf(6n, { a: 2n, b: 4n }));
  await poll;
  expect(versions()).toEqual(['3', '4']);

  const next = known.refresh(connection);
  answer(rowsOf(7n, { a: 3n, b: 4n }));
  await next;
  expect(known.applyOwn(rowsOf(8n, { b: 5n }))).toBe(true);
  expect(versions()).toEqual(['3', '5']);
});

it('are not known after a lost connection until all have been read again', async () => {
  const known = new KnownVersions();
  const { connection, answer } = pendingConnection();
  const first = known.refresh(connection);
  answer(rowsOf(5n, { a: 2n }));
  await first;
  const poll = known.refresh(connection);
  known.forget();
  answer([]);
  await poll;
  expect(known.of(['a'])).toBeUndefined();
});
