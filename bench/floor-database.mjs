// This file opens the database for a floor, with the PRAGMAs of the service's connections (src/store/sqlite/connection.ts): what is
// compared is the work of the two servers, not their settings.
import Database from 'better-sqlite3';

const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -65536',
  'mmap_size = 2147418112',
  'temp_store = MEMORY',
  'journal_size_limit = 67108864',
];

export function openDatabase(file) {
  const database = new Database(file, { timeout: 5000 });
  for (const pragma of PRAGMAS) database.pragma(pragma);
  return database;
}
