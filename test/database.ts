// This file chooses the database of the services that tests start: SQLite, or PostgreSQL in the project `postgres` of vitest.config.ts.

import { createHash } from 'node:crypto';
import { dropDatabase } from './postgres/databases.ts';
import { postgresUrl } from './postgres.ts';

/** Whether services use PostgreSQL. */
export const usesPostgres = process.env.TEST_DATABASE === 'postgres';

interface DatabaseSettings {
  readonly database?: string | undefined;
}

/** Settings for an installation with a new database. */
export async function databaseSettings(): Promise<DatabaseSettings> {
  return usesPostgres ? { database: await postgresUrl() } : {};
}

/** Removes the database of an installation that is closed, unless it is in the directory of the installation. */
export async function removeDatabase({ database }: DatabaseSettings): Promise<void> {
  if (database !== undefined) await dropDatabase(database);
}

/** A name for the content of a database. */
export function digestOf(content: unknown): string {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return createHash('sha256').update(JSON.stringify(content, plain)).digest('hex').slice(0, 24);
}

/** The text of a statement with `?` for each value, as the database of the services expects it. */
export function statement(text: string): string {
  let index = 0;
  if (!usesPostgres) return text;
  return text.replaceAll('?', () => {
    index += 1;
    return `$${index}`;
  });
}
