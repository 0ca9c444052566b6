// This file keeps data directories with SQLite, so that tests that begin with the same records copy a directory instead of filling it again.
// All processes of a test run share them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RUN } from './postgres/databases.ts';

const folder = () => join(tmpdir(), `docket-filled-${process.env[RUN]}`);

/**
 * Creates a data directory with a copy of what the first caller in this test run has filled.
 *
 * @param key names the content
 * @param fill creates the directory, and has closed all files in it when it is done
 */
export async function copyFilled(
  key: string,
  directory: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const fresh = freshFor(key);
  if (fresh !== undefined) await fill(fresh);
  copyKept(key, directory, fresh);
}

/** The same with a function that has filled the directory when it returns. */
export function copyFilledSync(
  key: string,
  directory: string,
  fill: (directory: string) => void,
): void {
  const fresh = freshFor(key);
  if (fresh !== undefined) fill(fresh);
  copyKept(key, directory, fresh);
}

/** Where to fill a directory; undefined where one with the key is kept. */
function freshFor(key: string): string | undefined {
  if (existsSync(join(folder(), key))) return undefined;
  mkdirSync(folder(), { recursive: true });
  return join(mkdtempSync(join(folder(), 'new-')), 'data');
}

function copyKept(key: string, directory: string, fresh: string | undefined): void {
  const kept = join(folder(), key);
  if (fresh !== undefined) {
    keep(fresh, kept);
    rmSync(dirname(fresh), { recursive: true, force: true });
  }
  cpSync(kept, directory, { recursive: true });
}

/** Another process may have been faster. */
function keep(filled: string, kept: string): void {
  try {
    renameSync(filled, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  }
}

/** Removes all directories of this test run. */
export function removeFilled(): void {
  rmSync(folder(), { recursive: true, force: true });
}
