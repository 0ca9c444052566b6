// This file reads and writes the settings of the installation: strings by name.
import { andThen, type MaybePromise } from '../base/value-or-promise.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import type { Database, DatabaseReader, Work } from './database.ts';
import { change, firstRow, kept, runQueries } from './work.ts';

const TABLE = 'docket_setting';
const READ = sql`SELECT "value" FROM ${tableName(TABLE)} WHERE "name" = ${ARGUMENT}`;
const REMOVE = sql`DELETE FROM ${tableName(TABLE)} WHERE "name" = ${ARGUMENT}`;
const WRITE = sql`INSERT INTO ${tableName(TABLE)} ("name", "value") VALUES (${ARGUMENT}, ${ARGUMENT})`;

/** The setting with that name; undefined if it is not set or the database holds no installation. */
export function readSetting(
  { read, hasTable }: DatabaseReader,
  name: string,
): MaybePromise<string | undefined> {
  const rows = andThen(hasTable(TABLE), (exists) => (exists ? read(READ, [name]) : []));
  return andThen(rows, ([row]) => (typeof row?.[0] === 'string' ? row[0] : undefined));
}

/** As readSetting, in a database that holds an installation, at half the cost: for what is read again and again. */
export function currentSetting(
  database: Pick<Database, 'read'>,
  name: string,
): MaybePromise<string | undefined> {
  return runQueries(settingOf(name), database);
}

export async function writeSetting(database: Database, name: string, value: string): Promise<void> {
  await database.write(() => kept(storeSetting(name, value)));
}

/** As readSetting, as part of other work. */
export function* settingOf(name: string): Work<string | undefined> {
  const row = yield* firstRow(READ, [name]);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

/** As writeSetting, as part of other work. */
export function* storeSetting(name: string, value: string): Work<void> {
  yield* removeSetting(name);
  yield change(WRITE, [name, value]);
}

export function* removeSetting(name: string): Work<void> {
  yield change(REMOVE, [name]);
}
