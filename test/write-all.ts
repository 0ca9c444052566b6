// This file gives tests a transaction that consists of the given operations.
import type { Database, Operation } from '../src/store/database.ts';

/** Runs the operations in one transaction. */
export async function writeAll(
  { write }: Pick<Database, 'write'>,
  ...operations: readonly Operation[]
): Promise<void> {
  await write(function* () {
    for (const operation of operations) yield operation;
    return { result: undefined, keep: true };
  });
}
