// This file gives a test run a directory for its temporary files. It is in memory where the system has space for it: each commit waits for a disk,
// which is a seventh of the time of most tests, and no test switches the power off.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'docket-run-';
/** More than a run has needed, by far. */
const SPACE = 4 * 2 ** 30;

/** Name of the environment variable with the directory for what is kept from one run to the next. */
const LASTING = 'TEST_LASTING_FILES';

/** A directory for what is kept from one run to the next, or is too much for memory. */
export function lastingFolder(): string {
  return process.env[LASTING] ?? tmpdir();
}

/** Lets this process and those that it starts make temporary files in memory. Returns what ends that. */
export function useMemory(): () => void {
  if (!hasSpace()) return () => undefined;
  removeAbandoned();
  const lasting = tmpdir();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  // Servers of PostgreSQL run as another user.
  chmodSync(folder, 0o755);
  Object.assign(process.env, { [LASTING]: lasting, TMPDIR: folder });
  return () => {
    rmSync(folder, { recursive: true, force: true });
    Object.assign(process.env, { TMPDIR: lasting });
  };
}

function hasSpace(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, freemem()) > SPACE;
}

/** Removes directories of runs that were killed, except those in which a disk of a test is still mounted. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX)) continue;
    const [pid] = name.slice(PREFIX.length).split('-');
    if (!isRunning(Number(pid))) removeUnlessBusy(join(MEMORY, name));
  }
}

function removeUnlessBusy(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
