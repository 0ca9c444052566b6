// This file sets how the tests run: in at most two processes, with time limits that a busy machine of two cores keeps. The tests of
// writing run a second time with a database driver that lets other code run between the operations of a unit of work.

import { defineConfig } from 'vitest/config';

/** The tests of writes, batches, repeatable and asynchronous requests, templates, actions, deltas and administration. */
const STEPPED = [
  'test/journeys/4*.test.ts',
  'test/journeys/59-batch-files.test.ts',
  'test/journeys/62-actions.test.ts',
  'test/journeys/7[056]-*.test.ts',
  'test/journeys/80-delta.test.ts',
  'test/journeys/9[34]-*.test.ts',
  'test/journeys/96-audit.test.ts',
  'test/service/{jobs,repeat}.test.ts',
];

export default defineConfig({
  test: {
    // Processes rather than threads: the database driver is native code, and some tests start threads themselves.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'stepped',
          include: STEPPED,
          exclude: ['test/**/*.timed.test.ts'],
          setupFiles: ['test/stepping/setup.ts'],
        },
      },
    ],
  },
});
