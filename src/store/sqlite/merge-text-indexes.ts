// This file merges the segments of text indexes, a few pages at a time. FTS5 adds a segment at nearly every commit and merges four of
// a size while writing, which leaves up to fifteen for each search to read. Merging two of a size in the background leaves about
// three. A step takes about a millisecond; search results do not change.
// Source: SQLite, "FTS5", "The 'merge' Command", "The 'usermerge' Configuration Option".
import { invariant } from '../../base/fault.ts';
import { firstCell, isBusy } from './connection.ts';
import type { Connection, Prepared } from './driver.ts';

/** Pages that one step writes, and indexes that it checks. */
const PAGES = 8;
const INDEXES_PER_STEP = 8;
/** Number of segments of one size that are merged. */
const MERGED_SEGMENTS = 2;

const INDEXES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'`;

/** Returns a function that runs one merge step and returns whether more may remain. */
export function mergeStep(writer: Connection): () => boolean {
  let indexes: readonly (() => boolean)[] | undefined;
  let next = 0;
  /** Number of consecutive indexes that had nothing to merge. */
  let idle = 0;
  const step = () => {
    indexes ??= namesOf(writer).map((name) => mergeOf(writer, name));
    for (let checked = 0; checked < INDEXES_PER_STEP && idle < indexes.length; checked++) {
      const merge = indexes[next % indexes.length];
      if (merge?.() === true) {
        idle = 0;
        return;
      }
      next++;
      idle++;
    }
  };
  return () => {
    // Writes have priority, in this process and in others.
    if (writer.inTransaction || !runUnsynced(writer, step)) return true;
    const isDone = idle >= (indexes?.length ?? 0);
    if (isDone) idle = 0;
    return !isDone;
  };
}

function namesOf(writer: Connection): readonly string[] {
  return writer
    .prepare(INDEXES)
    .all([])
    .map(([name]) => String(name));
}

/**
 * Runs the work in a transaction that commits without a sync: a merge lost in a power failure does no harm, and the next write syncs
 * it too. Returns false if another process is writing.
 */
function runUnsynced(writer: Connection, work: () => void): boolean {
  writer.exec('PRAGMA synchronous = NORMAL');
  try {
    if (!beginIfFree(writer)) return false;
    work();
    writer.exec('COMMIT');
    return true;
  } finally {
    if (writer.inTransaction) writer.exec('ROLLBACK');
    writer.exec('PRAGMA synchronous = FULL');
    invariant(firstCell(writer, 'PRAGMA synchronous') === 2n, 'synchronous=FULL is not restored');
  }
}

function beginIfFree(writer: Connection): boolean {
  try {
    writer.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Returns a function that merges some pages of an index and returns whether there were any to merge. */
function mergeOf(writer: Connection, name: string): () => boolean {
  const index = `"${name}"`;
  const command = (option: string, amount: number) =>
    writer.prepare(`INSERT INTO ${index}(${index}, rank) VALUES('${option}', ${amount})`);
  const usermerge = writer.prepare(`SELECT v FROM "${name}_config" WHERE k = 'usermerge'`);
  const changes = writer.prepare('SELECT total_changes()');
  const merge = command('merge', PAGES);
  let isSet = false;
  return () => {
    if (!isSet && numberOf(usermerge) !== MERGED_SEGMENTS)
      command('usermerge', MERGED_SEGMENTS).run([]);
    isSet = true;
    const before = numberOf(changes);
    merge.run([]);
    // The command itself counts as one change.
    return numberOf(changes) - before >= 2;
  };
}

/** The number that a statement returns, 0 if it returns no row. */
function numberOf(statement: Prepared): number {
  return Number(statement.first([]) ?? 0);
}
