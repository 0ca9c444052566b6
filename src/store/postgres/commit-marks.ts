// This file marks each commit of a node, so that the node can find out whether a transaction was committed whose connection was lost
// during COMMIT. PostgreSQL's transaction identifiers do not show that: after a crash it allocates those again that were not on disk.
import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';

/** Marks are stored in the table of sequences, under names that no sequence has: this prefix and the identifier of a node. */
const COMMITS_OF = 'commits of ';
const STORE = `INSERT INTO "docket_sequence" ("name", "next") VALUES ($1::text, $2::bigint)
  ON CONFLICT ("name") DO UPDATE SET "next" = excluded."next"`;
const IS_STORED = 'SELECT 1 FROM "docket_sequence" WHERE "name" = $1::text AND "next" = $2::bigint';
const REMOVE =
  'DELETE FROM "docket_sequence" WHERE starts_with("name", $1::text) AND "next" < $2::bigint';

/** Milliseconds after which the mark of a node that has ended is removed. */
const RETENTION = 30 * 24 * 3_600_000;

/** The first mark of a point in time. Marks grow, also within a millisecond. */
const markAt = (milliseconds: number) => BigInt(milliseconds) << 20n;

export class CommitMarks {
  readonly #name = COMMITS_OF + randomUUID();
  #last = 0n;

  /** Marks a transaction. Sends its statements before it returns. */
  async store(connection: Connection): Promise<void> {
    const isFirst = this.#last === 0n;
    const now = markAt(Date.now());
    this.#last = now > this.#last ? now : this.#last + 1n;
    const statements = [connection.query(STORE, [this.#name, this.#last])];
    if (isFirst) statements.push(connection.query(REMOVE, [COMMITS_OF, now - markAt(RETENTION)]));
    await Promise.all(statements);
  }

  /** Whether the transaction that was marked last has been committed. */
  async isLastStored(connection: Connection): Promise<boolean> {
    const { rows } = await connection.query(IS_STORED, [this.#name, this.#last]);
    return rows.length > 0;
  }
}
