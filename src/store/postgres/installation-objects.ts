// This file names the objects of an installation in its schema: its locks, and its tables and functions among those of others.
import { invariant } from '../../base/fault.ts';
import type { Connection } from './connection.ts';

/** Finds a table by its name. */
export const TABLE_NAMED =
  'SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = $1::text';

/** The keys of locks. They differ between schemas, since a database may hold several installations. */
export interface Locks {
  /** Writing transactions hold it. */
  readonly writes: bigint;
  /** Open databases hold it shared, migrations alone. */
  readonly uses: bigint;
}

const LOCKS = `SELECT hashtextextended('docket writes ' || current_schema(), 0),
  hashtextextended('docket uses ' || current_schema(), 0)`;

export async function locksOf(connection: Connection): Promise<Locks> {
  const { rows } = await connection.query(LOCKS, []);
  const [writes, uses] = rows[0] ?? [];
  invariant(
    typeof writes === 'bigint' && typeof uses === 'bigint',
    'the schema in search_path does not exist',
  );
  return { writes, uses };
}

/** The comment of the tables of an installation, which distinguishes them from others in the schema. */
const MARK = 'Docket';

/** Comments the tables that the transaction has created. */
export const MARK_TABLES = `DO $$ DECLARE created regclass; BEGIN
  FOR created IN SELECT oid FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    AND age(xmin) = 0 AND obj_description(oid, 'pg_class') IS NULL
  LOOP EXECUTE format('COMMENT ON TABLE %s IS ''${MARK}''', created); END LOOP; END $$`;

/** Finds a table of another program in the schema. Those of extensions do not count. */
export const FOREIGN_TABLES = `SELECT 1 FROM pg_catalog.pg_class c WHERE relkind IN ('r', 'p', 'f')
  AND relnamespace = current_schema()::regnamespace AND obj_description(oid, 'pg_class') IS DISTINCT FROM '${MARK}'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_catalog.pg_class'::regclass AND objid = c.oid AND deptype = 'e') LIMIT 1`;

/** Drops the tables with the comment, the functions of their triggers, which would outlive them, and the engine's functions and aggregates. */
export const DROP_ALL = `DO $$ DECLARE names text; routines text; BEGIN
  SELECT string_agg(oid::regclass::text, ', ') INTO names FROM pg_catalog.pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND obj_description(oid, 'pg_class') = '${MARK}';
  SELECT string_agg(oid::regprocedure::text, ', ') INTO routines FROM pg_catalog.pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND (starts_with(proname, 'docket_') OR oid IN (
      SELECT tgfoid FROM pg_catalog.pg_trigger WHERE obj_description(tgrelid, 'pg_class') = '${MARK}'));
  IF names IS NOT NULL THEN EXECUTE 'DROP TABLE ' || names; END IF;
  IF routines IS NOT NULL THEN EXECUTE 'DROP ROUTINE ' || routines; END IF; END $$`;
