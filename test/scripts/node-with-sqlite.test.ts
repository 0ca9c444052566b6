// This file tests which Node runs most of the tests, and which of them run with the driver of SQLite as well.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { DRIVER_TESTS, nodeWithSqlite, pinnedNode } from '../../scripts/node-with-sqlite.mjs';

const checkout = resolve(import.meta.dirname, '../..');
const node = await nodeWithSqlite();

it.runIf(node !== undefined)('the Node that runs the tests contains a suitable SQLite', () => {
  const module = pathToFileURL(resolve(checkout, 'scripts/has-sqlite.mjs')).href;
  const script = `import(${JSON.stringify(module)}).then(async ({ hasSqlite }) => console.log(await hasSqlite()))`;
  const { stdout } = spawnSync(node ?? '', ['-e', script], { encoding: 'utf8' });
  expect(stdout).toBe('true\n');
});

describe.skipIf(process.platform === 'win32')('a Node that npm has installed', () => {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = mkdtempSync(join(tmpdir(), 'docket-node-'));
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  mkdirSync(dirname(program), { recursive: true });
  const pins = (dependencies: Readonly<Record<string, string>>) =>
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ optionalDependencies: dependencies }),
    );
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['the pinned version', 'echo v24.1.0', true],
    ['another version, as after an update', 'echo v24.0.9', false],
    ['no version, as for another kind of Linux', 'exit 127', false],
  ])('that has %s', (_, script, isUsed) => {
    pins({ [name]: '24.1.0' });
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    expect(pinnedNode(folder)).toBe(isUsed ? program : undefined);
  });

  it('that is only a part of the file, as after an interruption', () => {
    pins({ [name]: '24.1.0' });
    writeFileSync(program, Buffer.from([0x7f, 0x45, 0x4c, 0x46]), { mode: 0o755 });
    expect(pinnedNode(folder)).toBeUndefined();
  });

  it('is not used where none is pinned for this machine', () => {
    pins({});
    writeFileSync(program, '#!/bin/sh\necho vundefined\n', { mode: 0o755 });
    expect(pinnedNode(folder)).toBeUndefined();
  });
});

it.each(DRIVER_TESTS)('%s is a test, or the beginning of the names of some', (name) => {
  const path = resolve(checkout, name);
  const names = readdirSync(dirname(path)).filter((one) => one.startsWith(basename(path)));
  expect(names).not.toEqual([]);
});
