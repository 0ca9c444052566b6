// This file defines how changes of tables are recorded for the validation of cached responses: every transaction increments a version
// number of each table that it writes to.

/** Represents the tables that text writes to. */
export const ALL_TABLES = '*';

/** Versions are stored in the table of sequences, under names that no sequence has: this prefix and the table. */
export const VERSION_OF = 'changes of ';

/** Of the engine's own tables, only files are part of responses. */
export function isTracked(table: string): boolean {
  return !table.startsWith('docket_') || table === 'docket_file';
}

/** Tables whose changes replace the plans of all reads, and with them the cached responses. */
const CONSTANT = new Set(['docket_code_text']);

/** The tables whose versions make the version of a statement, given those that it reads; undefined if one has none. */
export function versionedTables(reads: readonly string[]): readonly string[] | undefined {
  const tables = reads.filter((name) => !CONSTANT.has(name));
  return tables.length > 0 && tables.every(isTracked) ? [...tables, ALL_TABLES] : undefined;
}
