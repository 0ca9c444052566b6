// This file reads and writes the settings of the installation: strings by name.

import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import type { Database, Work } from './database.ts';
import { change, kept } from './work.ts';

const READ = sql`SELECT "value" FROM ${tableName('docket_setting')} WHERE "name" = ${ARGUMENT}`;
const REMOVE = sql`DELETE FROM ${tableName('docket_setting')} WHERE "name" = ${ARGUMENT}`;
const WRITE = sql`INSERT INTO ${tableName('docket_setting')} ("name", "value") VALUES (${ARGUMENT}, ${ARGUMENT})`;

export function readSetting(database: Database, name: string): string | undefined {
  const [row] = database.read(READ, [name]);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

export async function writeSetting(database: Database, name: string, value: string): Promise<void> {
  await database.write(() => kept(storeSetting(name, value)));
}

/** As writeSetting, as part of other work. */
export function* storeSetting(name: string, value: string): Work<void> {
  yield change(REMOVE, [name]);
  yield change(WRITE, [name, value]);
}
