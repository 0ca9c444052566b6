// Reads files that a user named.
import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { reasonOf } from '../system-errors.ts';

/** The bytes of a file. Throws: cli.file. */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Fault('cli.file', { file, reason: reasonOf(error) });
  }
}

/** The text of a file in UTF-8. Throws: cli.file. */
export function readText(file: string): string {
  return Buffer.from(readBytes(file)).toString('utf8');
}
