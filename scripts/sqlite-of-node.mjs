// This file says which tests run with both SQLite drivers, and finds a Node whose own SQLite Docket uses: the one that test/node-24 pins.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasSqlite } from './has-sqlite.mjs';

const tests = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', 'test');
const folder = path.join(tests, 'node-24');

/** The test files of a directory apart from those that need PostgreSQL. */
const sqliteTestsIn = (directory) =>
  fs
    .readdirSync(path.join(tests, directory))
    .filter((name) => name.endsWith('.test.ts') && !/^(?:postgres|copy-)/.test(name))
    .map((name) => `test/${directory}/${name}`);

/** The journeys and commands that a driver can break: with TEST_ALL those that read and search in other ways, run long or in several processes, too. */
const JOURNEYS = [
  ...['20-read', '40-write', '43-many', '70-batch', '75-repeat', '77-killed.test', '80-delta'],
  ...(process.env.TEST_ALL === undefined
    ? []
    : [
        ...['25-imports', '41-values', '55-attachments', '61-', '63-apply.test', '76-async.test'],
        ...['78-workers', '79-killed-writes', '90-token'],
      ]),
];

const COMMANDS = [
  'migrate-loss',
  ...(process.env.TEST_ALL === undefined ? [] : ['commands', 'restore']),
];

/** The tests that a driver can break: the store, SQL, and journeys that write, read, copy, migrate and are killed. */
export const SQLITE_TESTS = [
  ...sqliteTestsIn('store'),
  ...sqliteTestsIn('sql'),
  'test/scripts/setup.test.ts',
  'test/service/answer-cache.test.ts',
  'test/attachments/upkeep.test.ts',
  ...COMMANDS.map((name) => `test/cli/${name}.test.ts`),
  ...JOURNEYS.map((name) => `test/journeys/${name}`),
];

/** The path of the pinned Node, which npm downloads once; or the reason why it cannot be had. */
export async function nodeWithSqlite() {
  const { platform, arch } = process;
  if (await hasSqlite()) return { reason: 'the tests above have used it already' };
  const node = path.join(folder, 'node_modules', `node-${platform}-${arch}`, 'bin', 'node');
  if (!fs.existsSync(node)) {
    const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    spawnSync('npm', ['ci', ...options], { stdio: 'inherit', shell: platform === 'win32' });
  }
  return fs.existsSync(node)
    ? { node }
    : { reason: `npm has not installed the Node of test/node-24 for ${platform} ${arch}` };
}
