// This file says how much tests of random requests, killed processes and many clients try: a part in most runs, and all in `npm run test:all`.

import { missingServer } from './postgres/binaries.ts';

/** One of the sizes: the first is enough for most runs, the second is that of `npm run test:all`. */
export function sampleSize(usual: number, all: number): number {
  return process.env.TEST_ALL === undefined ? usual : all;
}

/** The databases of tests that run with both in `npm run test:all`, and otherwise with SQLite. */
export const SAMPLED_DATABASES = sampleDatabases();

function sampleDatabases(): readonly ('SQLite' | 'PostgreSQL')[] {
  const hasPostgres = process.env.TEST_ALL !== undefined && missingServer === undefined;
  return hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
}
