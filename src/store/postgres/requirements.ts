// This file checks that a PostgreSQL server and database meet Docket's requirements, and reports each unmet one with its remedy.
import { Fault, invariant } from '../../base/fault.ts';
import { HAS_TRIGRAMS } from '../../sql/dialect/postgres/text-index.ts';
import type { Connection } from './connection.ts';

/** PostgreSQL 14. */
const OLDEST = 140_000n;

const FACTS = `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
  (SELECT pg_encoding_to_char(encoding) FROM pg_catalog.pg_database WHERE datname = current_database()),
  EXISTS (SELECT 1 FROM pg_catalog.pg_collation WHERE collname = 'und-x-icu'),
  current_schema() IS NOT NULL, current_setting('search_path'), pg_is_in_recovery()`;

/** Throws: store.server. */
export async function requireServer(connection: Connection): Promise<void> {
  const { rows } = await connection.query(FACTS, []);
  const [row] = rows;
  invariant(row !== undefined, 'a query without FROM has one row');
  const [number, version, encoding, hasCollation, hasSchema, path, isReplica] = row;
  if (BigInt(String(number)) < OLDEST)
    throw unmet(`It is PostgreSQL ${version}; Docket needs version 14 or later.`);
  if (encoding !== 'UTF8')
    throw unmet(
      `The encoding of the database is ${encoding}. Create it again with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  if (hasCollation !== 1n)
    throw unmet(
      'The collation "und-x-icu" is missing. Use a server that is built with ICU, as the packages of PostgreSQL are.',
    );
  if (hasSchema !== 1n)
    throw unmet(
      `The user may not use the schema of search_path (${path}), or it does not exist. Create it, or grant USAGE and CREATE on it.`,
    );
  if (isReplica === 1n)
    throw unmet(
      'It is a read replica or still in recovery. Name the primary server in "database" and replicas in "readReplicas".',
    );
}

function unmet(reason: string): Fault {
  return new Fault('store.server', { reason }, { headers: { 'Retry-After': '5' } });
}

/** `PostgreSQL 18.4`. */
export async function versionOf(connection: Connection): Promise<string> {
  const { rows } = await connection.query("SELECT current_setting('server_version')", []);
  return `PostgreSQL ${String(rows[0]?.[0]).split(' ', 1)[0]}`;
}

/** What an administrator should know about a database that can be used. */
export async function warningsOf(connection: Connection): Promise<readonly string[]> {
  const { rows } = await connection.query(HAS_TRIGRAMS, []);
  if (rows[0]?.[0] === 1n) return [];
  return [
    'Substring searches read whole tables, because the extension pg_trgm is missing. Install it (CREATE EXTENSION pg_trgm), and run "docket migrate".',
  ];
}
