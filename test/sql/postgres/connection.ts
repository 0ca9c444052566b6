// This file connects tests of the PostgreSQL dialect to a fresh database that contains its routines.
import pg from 'pg';
import { JSON_ROUTINES } from '../../../src/sql/dialect/postgres/json-routines.ts';
import { postgresUrl } from '../../postgres.ts';

export interface Connection {
  /** The rows of a query as arrays of texts; null for null. */
  readonly rows: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<readonly (readonly (string | null)[])[]>;
  readonly close: () => Promise<void>;
}

/** A connection to a new database with the routines. */
export async function connect(): Promise<Connection> {
  const types = { getTypeParser: () => (text: string) => text } as pg.CustomTypesConfig;
  const client = new pg.Client({ connectionString: await postgresUrl(), types });
  await client.connect();
  for (const routine of JSON_ROUTINES) await client.query(routine);
  return {
    rows: async (text, values = []) => {
      const query = { text, values: [...values], rowMode: 'array' as const };
      return (await client.query<(string | null)[]>(query)).rows;
    },
    close: async () => await client.end(),
  };
}
