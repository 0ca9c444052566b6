// This file reads and writes the settings of the installation: strings by name.
import type { Database, Transaction } from './database.ts';

const READ = 'SELECT "value" FROM "docket_setting" WHERE "name" = ?';
const REMOVE = 'DELETE FROM "docket_setting" WHERE "name" = ?';
const WRITE = 'INSERT INTO "docket_setting" ("name", "value") VALUES (?, ?)';

export function readSetting(database: Database, name: string): string | undefined {
  const [row] = database.read(READ, [name]);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

export async function writeSetting(database: Database, name: string, value: string): Promise<void> {
  await database.write((transaction) => ({
    result: storeSetting(transaction, name, value),
    keep: true,
  }));
}

/** As writeSetting, within an open transaction. */
export function storeSetting(transaction: Transaction, name: string, value: string): void {
  transaction.change(REMOVE, [name]);
  transaction.change(WRITE, [name, value]);
}
