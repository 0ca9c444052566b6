// This file merges the small pieces of text indexes, a few pages at a time. FTS5 adds a piece at nearly every commit and merges four of
// a size while it writes; up to fifteen stay, and a search looks into each of them. Merged as soon as there are two of a size, some
// three stay. A step takes about a millisecond. What is found is the same before and after.
// Source: SQLite, "FTS5", "The 'merge' Command", "The 'usermerge' Configuration Option".
import { invariant } from '../../base/fault.ts';
import { type Connection, isBusy, type Prepared } from './connection.ts';

/** Pages that one step writes, and indexes that one step looks at. */
const PAGES = 8;
const LOOKED_AT = 8;
/** Pieces of one size that are merged. */
const FEWEST = 2;

const INDEXES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'`;

/** Does one step; tells whether there may be more to do. */
export function tidying(writer: Connection): () => boolean {
  let indexes: readonly (() => boolean)[] | undefined;
  let next = 0;
  /** Indexes in turn that had nothing to merge. */
  let idle = 0;
  const step = () => {
    indexes ??= namesOf(writer).map((name) => merging(writer, name));
    for (let looked = 0; looked < LOOKED_AT && idle < indexes.length; looked++) {
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
    // A deed is under way, here or in another process: it goes first.
    if (writer.inTransaction || !unsynced(writer, step)) return true;
    const isDone = idle >= (indexes?.length ?? 0);
    if (isDone) idle = 0;
    return !isDone;
  };
}

function namesOf(writer: Connection): readonly string[] {
  return writer.prepare<[], string>(INDEXES).pluck().all();
}

/**
 * Does the work in a transaction whose commit does not wait for the disk: a merge that is lost at a power cut is no loss, and the next deed
 * brings it to the disk with its own sync. False where somebody else writes.
 */
function unsynced(writer: Connection, work: () => void): boolean {
  writer.pragma('synchronous = NORMAL');
  try {
    if (!isFree(writer)) return false;
    work();
    writer.exec('COMMIT');
    return true;
  } finally {
    if (writer.inTransaction) writer.exec('ROLLBACK');
    writer.pragma('synchronous = FULL');
    invariant(writer.pragma('synchronous', { simple: true }) === 2n, 'deeds are synced again');
  }
}

function isFree(writer: Connection): boolean {
  try {
    writer.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Merges some pages of an index; tells whether there were any. */
function merging(writer: Connection, name: string): () => boolean {
  const index = `"${name}"`;
  const tell = (option: string, amount: number) =>
    writer.prepare(`INSERT INTO ${index}(${index}, rank) VALUES('${option}', ${amount})`);
  const fewest = writer.prepare(`SELECT v FROM "${name}_config" WHERE k = 'usermerge'`).pluck();
  const changes = writer.prepare('SELECT total_changes()').pluck();
  const merge = tell('merge', PAGES);
  let isSet = false;
  return () => {
    if (!isSet && Number(fewest.get() ?? 0) !== FEWEST) tell('usermerge', FEWEST).run();
    isSet = true;
    const before = countOf(changes);
    merge.run();
    // The command itself counts as one change.
    return countOf(changes) - before >= 2;
  };
}

function countOf(changes: Prepared): number {
  return Number(changes.get());
}
