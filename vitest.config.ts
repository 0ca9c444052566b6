// This file sets how the tests run: in at most two processes, with time limits that a busy machine of two cores keeps.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes rather than threads: the database driver is native code, and some tests start threads themselves.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
