// This file copies a consistent snapshot of an SQLite database while it is in use, and checks copies for damage.
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../sync-path.ts';
import { firstCell, isDamage, withReader } from './connection.ts';
import type { Connection } from './driver.ts';

/**
 * Copies the database to a new file. It has another name until it is complete and synced to disk, so that nobody takes what a killed
 * process has left behind for a copy. Source: SQLite, "VACUUM", "VACUUM with an INTO clause".
 */
export function copyInto(connection: Connection, copy: string): void {
  const incomplete = `${copy}.incomplete`;
  try {
    connection.prepare('VACUUM INTO ?').run([incomplete]);
    syncPath(incomplete);
    renameSync(incomplete, copy);
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${incomplete}${suffix}`, { force: true });
  }
  syncPath(dirname(copy));
}

/** The first error in a database file, or undefined if it is intact. Source: SQLite, "PRAGMA integrity_check". */
export function damageOf(file: string): string | undefined {
  try {
    const found = withReader(file, (connection) =>
      firstCell(connection, 'PRAGMA integrity_check(1)'),
    );
    return found === 'ok' ? undefined : String(found);
  } catch (error) {
    if (error instanceof Error && isDamage(error)) return error.message;
    throw error;
  }
}
