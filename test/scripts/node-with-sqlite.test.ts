// This file tests which Node runs most of the tests, and which of them run with the driver of SQLite as well.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { DRIVER_TESTS, nodeWithSqlite } from '../../scripts/node-with-sqlite.mjs';

const checkout = resolve(import.meta.dirname, '../..');
const node = await nodeWithSqlite();

it.runIf(node !== undefined)('the Node that runs the tests contains a suitable SQLite', () => {
  const module = pathToFileURL(resolve(checkout, 'scripts/has-sqlite.mjs')).href;
  const script = `import(${JSON.stringify(module)}).then(async ({ hasSqlite }) => console.log(await hasSqlite()))`;
  const { stdout } = spawnSync(node ?? '', ['-e', script], { encoding: 'utf8' });
  expect(stdout).toBe('true\n');
});

it.each(DRIVER_TESTS)('%s is a test, or the beginning of the names of some', (name) => {
  const path = resolve(checkout, name);
  const names = readdirSync(dirname(path)).filter((one) => one.startsWith(basename(path)));
  expect(names).not.toEqual([]);
});
