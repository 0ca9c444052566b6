// This file reads a file that a user named.
import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { reasonOf } from '../system-errors.ts';

/** The bytes of a file. Fault cli.file when it is not there or cannot be read. */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Fault('cli.file', {
      file,
      reason: reasonOf(error),
    });
  }
}
