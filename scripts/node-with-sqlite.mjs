// This file finds a Node whose own SQLite Docket uses: this one, or the one that test/node-24 pins. It also says which tests run with the
// other driver as well.

import { spawn, spawnSync } from 'node:child_process';
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

const onlyWithAll = (...names) => (process.env.TEST_ALL === undefined ? [] : names);

/** The journeys and commands that a driver can break: with TEST_ALL those that read and search in other ways, or run long, too. */
const JOURNEYS = [
  '20-read',
  '40-write',
  '43-many',
  '55-attachments',
  '61-expressions',
  '70-batch',
  '75-repeat',
  '77-killed.test',
  '78-workers',
  '80-delta',
  '90-token',
  ...onlyWithAll(
    '25-imports',
    '41-values',
    '61-',
    '63-apply.test',
    '76-async.test',
    '79-killed-writes',
  ),
];

const COMMANDS = ['indexes', ...onlyWithAll('commands', 'restore')];

/** The tests that a driver or an older Node can break: the store, SQL, HTTP, and journeys that write, read, copy, migrate and are killed. */
export const DRIVER_TESTS = [
  ...sqliteTestsIn('store'),
  ...sqliteTestsIn('sql'),
  ...sqliteTestsIn('http'),
  'test/scripts/setup.test.ts',
  'test/service/answer-cache.test.ts',
  'test/attachments/upkeep.test.ts',
  ...COMMANDS.map((name) => `test/cli/${name}.test.ts`),
  ...JOURNEYS.map((name) => `test/journeys/${name}`),
];

/** The path of this Node or of the pinned one, which npm downloads once. Undefined if npm has none that runs on this machine. */
export async function nodeWithSqlite() {
  if (await hasSqlite()) return process.execPath;
  if (pinnedNode(folder) === undefined) await download();
  return pinnedNode(folder);
}

/** The path of the Node that is installed in a folder, if it starts and has the version that the folder pins. */
export function pinnedNode(folder) {
  const name = `node-${process.platform}-${process.arch}`;
  const manifest = fs.readFileSync(path.join(folder, 'package.json'), 'utf8');
  const version = JSON.parse(manifest).optionalDependencies[name];
  const node = path.join(folder, 'node_modules', name, 'bin', 'node');
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return version !== undefined && stdout?.trim() === `v${version}` ? node : undefined;
}

function download() {
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  const shell = process.platform === 'win32';
  const npm = spawn('npm', ['ci', ...options], { stdio: 'inherit', shell });
  return new Promise((resolve) => {
    npm.on('error', resolve).on('close', resolve);
  });
}
