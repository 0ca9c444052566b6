// This file sets how the tests run: in at most four processes, with time limits that a busy machine of two cores keeps. The tests of
// writing run a second time with a database driver that lets other code run between the operations of a unit of work, and a part of the
// journeys with PostgreSQL. Most files share a process with others of their project, because loading all modules takes longer than many
// of them run.

import { defineConfig } from 'vitest/config';
import { missingServer } from './test/postgres/binaries.ts';

/**
 * The tests of writes, batches, repeatable and asynchronous requests, templates, actions, deltas and administration: without TEST_ALL, one of
 * each kind and those that do not run with PostgreSQL, whose driver lets other code run between operations as well.
 */
const STEPPED = process.env.TEST_ALL
  ? [
      'test/journeys/4*.test.ts',
      'test/journeys/59-batch-files.test.ts',
      'test/journeys/62-actions.test.ts',
      'test/journeys/7[056]-*.test.ts',
      'test/journeys/80-delta.test.ts',
      'test/journeys/9[34]-*.test.ts',
      'test/journeys/96-audit.test.ts',
      'test/service/{jobs,repeat}.test.ts',
    ]
  : [
      'test/journeys/{40-write,44-several-sets,45-recorded,59-batch-files}.test.ts',
      'test/journeys/{76-async-limits,94-accounts}.test.ts',
      'test/service/{jobs,repeat}.test.ts',
    ];

/** The tests that run a second time with PostgreSQL: with the environment variable TEST_ALL all that can, otherwise one of each kind. */
const POSTGRES = process.env.TEST_ALL
  ? [
      'test/journeys/*.test.ts',
      'test/examples/extending.test.ts',
      'test/service/other-*.test.ts',
      'test/fuzz/answers.test.ts',
    ]
  : [
      'test/journeys/{20-read,24-exports,25-imports,30-navigate,31-addressing,32-constraints,33-generated-keys}.test.ts',
      'test/journeys/{34-dependent-properties,35-singletons,36-single-values,37-demo-values,37-loads,40-write,41-any-precision}.test.ts',
      'test/journeys/42-{complex-{keys,relations,types},derived-types}.test.ts',
      'test/journeys/{43-many,43-required-etags,45-history,45-history-names,46-templates,47-validation}.test.ts',
      'test/journeys/{48-due-actions,49-references,50-relate}.test.ts',
      'test/journeys/54-{approvals,approval-models}.test.ts',
      'test/journeys/52-workflow{,-action,-effects,-rows}.test.ts',
      'test/journeys/{55-attachments,60-language,62-actions,62-values,66-code-lists,66-outdated-codes}.test.ts',
      'test/journeys/{53-{schedules,timers,clock,clock-effects,service-levels,service-level-marks,clock-models},61-{expressions,odd-numbers,options},62-limited-results}.test.ts',
      'test/journeys/{63-apply,70-batch,75-repeat,76-async,78-writers,80-delta}.test.ts',
      'test/journeys/{90-token,91-rights,91-partner-rights,93-api-keys,94-last-administrator,95-issuers,96-audit}.test.ts',
    ];

/** Journeys that start processes of their own with SQLite. */
const SQLITE_ONLY = ['test/journeys/{77,78-code-lists,78-workers,79}*.test.ts'];

const TIMED = 'test/**/*.timed.test.ts';

/** Tests that replace modules, or measure the memory or the processor time of their process: each of them has one of its own. */
const ISOLATED = [
  'test/attachments/memory.timed.test.ts',
  'test/auth/password.test.ts',
  'test/calendar/speed.timed.test.ts',
  'test/cli/large-model.timed.test.ts',
  'test/cli/missing-models.test.ts',
  'test/http/connection.test.ts',
  'test/journeys/{17-headers,64-limits,97-guessing}.test.ts',
  'test/journeys/{52-workflow,97-guessing}.timed.test.ts',
  'test/service/table-uses.test.ts',
  'test/store/sqlite-driver.test.ts',
];

/** The packages of the workspace in test/openapi-client. */
const INSTALLED = '**/node_modules/**';

export default defineConfig({
  test: {
    // Processes rather than threads: the database driver is native code, and some tests start threads themselves.
    pool: 'forks',
    // More than cores, because many tests wait for processes, timers and databases.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    globalSetup: ['test/postgres/global-setup.ts'],
    setupFiles: ['test/random-seed.ts'],
    env: { UPDATES_FILES: String(process.argv.includes('--update')) },
    isolate: false,
    // The projects and the parts of scripts/test.mjs load the same modules. What is kept of each has the hash of its text in its name.
    experimental: { fsModuleCache: true },
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [INSTALLED, TIMED, ...ISOLATED],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
      { extends: true, test: { name: 'timed', include: [TIMED], exclude: ISOLATED } },
      {
        extends: true,
        test: {
          name: 'stepped',
          include: STEPPED,
          exclude: [TIMED],
          setupFiles: ['test/random-seed.ts', 'test/stepping/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          // Without a server, the only test is the one that gives the reason.
          include: missingServer === undefined ? POSTGRES : ['test/postgres/server.test.ts'],
          exclude: [TIMED, ...SQLITE_ONLY],
          env: { TEST_DATABASE: 'postgres' },
        },
      },
    ],
  },
});
