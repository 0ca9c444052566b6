// This file syncs files and directories to disk.
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs a file, or the entries of a directory, to disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
