// This file backs an installation up, changes it, restores it, and compares: records, files, accounts and settings are as they were, and
// what a restore cannot do changes nothing.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { servedAddress } from '../child-output.ts';
import { compileSources } from '../compiled.ts';
import { docketHere, type Ended, makeProgram, type Program } from './run-docket.ts';

let program: Program;
let place: (name: string) => string;
beforeAll(async () => {
  program = makeProgram();
  place = (name) => join(program.folder, name);
  // Without a password one is made up, which the backup shall carry.
  const made = await program.docket(['demo', '--requests', '20', '--data', 'origin']);
  expect(made).toMatchObject({ code: 0 });
}, 120_000);
afterAll(() => program.remove());

beforeEach(async () => {
  cpSync(place('origin'), place('data'), { recursive: true });
  expect(await docketIn(['backup', 'copy', '--data', 'data'])).toMatchObject({ code: 0 });
}, 60_000);
afterEach(() => {
  for (const name of ['data', 'copy', 'fresh'])
    rmSync(place(name), { recursive: true, force: true });
});

/** A command with the names of directories as in the folder. */
async function docketIn(
  words: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ended> {
  const directories = /^(origin|data|copy|fresh|missing)$/;
  const placed = words.map((word) => (directories.test(word) ? place(word) : word));
  return await docketHere(placed, environment);
}

/** Every row of every table of the model and of the engine, but the time of the last backup, which a backup does not contain. */
async function rowsIn(data: string): Promise<Readonly<Record<string, unknown>>> {
  const { database } = await openInstallation(readConfig({ data: place(data) }, {}));
  const tables = await database.read(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE '%$search%' AND name NOT LIKE '%$grams%' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    [],
  );
  const rows: (readonly [string, readonly string[]])[] = [];
  for (const [name] of tables) {
    const all = await database.read(`SELECT * FROM "${String(name)}"`, []);
    const kept = all.filter(([key]) => key !== 'last-backup');
    rows.push([String(name), kept.map((row) => row.map(String).join('|')).sort()]);
  }
  await database.close();
  return Object.fromEntries(rows);
}

function filesIn(directory: string): Readonly<Record<string, string>> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const found = entries.flatMap((entry) => {
    const file = join(entry.parentPath, entry.name);
    return entry.isFile()
      ? [[file.slice(directory.length), readFileSync(file).toString('base64')] as const]
      : [];
  });
  return Object.fromEntries(found.sort());
}

async function change(data: string): Promise<void> {
  const environment = { DOCKET_PASSWORD: 'eleven brisk herons' };
  const at = ['--data', data];
  for (const words of [
    ['account', 'add', 'newcomer', '--role', 'agent'],
    ['role', 'delete', 'auditor'],
    ['settings', 'set', 'limits.pageSize', '7'],
    ['disable'],
  ])
    expect(await docketIn([...words, ...at], environment)).toMatchObject({ code: 0 });
  const installation = await openInstallation(readConfig({ data: place(data) }, {}));
  installation.database.define([
    `UPDATE "ServiceRequests" SET "Description" = 'changed'`,
    `DELETE FROM "Subscriptions"`,
  ]);
  await installation.database.close();
  const [some = ''] = Object.keys(filesIn(join(place(data), 'files')));
  rmSync(join(place(data), 'files', some));
  mkdirSync(join(place(data), 'files', 'ff'), { recursive: true });
  writeFileSync(join(place(data), 'files', 'ff', 'f'.repeat(32)), 'a later file');
}

describe('docket backup', () => {
  it('names the full disk of the copy, and leaves nothing on it', () => {
    const bin = join(dirname(compileSources()), 'bin', 'docket');
    const limited = ['-c', 'ulimit -f 1000 && exec "$0" "$@"', process.execPath, bin];
    const words = ['backup', place('fresh'), '--data', place('data')];
    const { status, stderr } = spawnSync('sh', [...limited, ...words], { encoding: 'utf8' });
    expect(stderr).toContain(`The disk that holds ${place('fresh/docket.db')} is full`);
    expect([status, readdirSync(place('fresh'))]).toEqual([1, []]);
  }, 60_000);

  it('is complete also where the installation cannot be written', async () => {
    const writer = connect(place('data/docket.db'), false);
    writer.exec('BEGIN IMMEDIATE');
    const { code, out, err } = await docketIn(['backup', 'fresh', '--data', 'data']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Copied the database/)]);
    expect(err).toMatch(
      /^The copy is complete, but its time could not be stored in .* is locked by another program/,
    );
    writer.close();
    expect(await rowsIn('fresh')).toEqual(await rowsIn('data'));
  }, 60_000);
});

it('commands name the full disk of the installation', async () => {
  // While it is open, commands need not create the files beside the database.
  const { database } = await openInstallation(readConfig({ data: place('data') }, {}));
  const bin = join(dirname(compileSources()), 'bin', 'docket');
  const limited = ['-c', 'ulimit -f 8 && exec "$0" "$@"', process.execPath, bin];
  for (const words of [
    ['index', 'add', 'ServiceRequests', 'Description'],
    ['settings', 'set', 'limits.pageSize', '7'],
  ]) {
    const all = [...limited, ...words, '--data', place('data')];
    const { status, stderr } = spawnSync('sh', all, { encoding: 'utf8' });
    expect(stderr).toContain(`The disk that holds ${place('data/docket.db')} is full or failing`);
    expect([status, stderr.includes('Free some disk space')]).toEqual([1, true]);
  }
  await database.close();
}, 60_000);

describe('docket restore', () => {
  it('brings back what was backed up: records, files, accounts, roles and settings', async () => {
    const before = { rows: await rowsIn('data'), files: filesIn(place('data/files')) };
    await change('data');
    expect(await rowsIn('data')).not.toEqual(before.rows);
    const backup = filesIn(place('copy'));
    const restored = await docketIn(['restore', 'copy', '--replace', '--data', 'data']);
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(restored.out).toMatch(/^Restored the database and [1-9]\d* files? from \S+copy\.\n/);
    expect(await rowsIn('data')).toEqual(before.rows);
    expect(filesIn(place('data/files'))).toEqual(before.files);
    expect(await docketIn(['files', 'check', '--data', 'data'])).toMatchObject({ code: 0 });
    expect(filesIn(place('copy'))).toEqual(backup);
    // The demo account can be used: the service runs and takes its password.
    const { name, password } = JSON.parse(readFileSync(place('data/demo-account.json'), 'utf8'));
    const child = program.launch(['serve', '--port', '0', '--data', 'data']);
    const address = await servedAddress(child);
    const body = new URLSearchParams({ grant_type: 'password', username: name, password });
    expect((await fetch(`${address}/token`, { method: 'POST', body })).status).toBe(200);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  }, 60_000);

  it('keeps what it replaces, as an installation that can be put back', async () => {
    await change('data');
    const changed = await rowsIn('data');
    const restored = await docketIn(['restore', 'copy', '--replace', '--data', 'data']);
    expect(restored.out).toContain('The previous installation is kept in');
    const kept = readdirSync(place('data')).filter((name) => name.includes('.before-restore-'));
    const suffix = /\.before-restore-[^.]*$/;
    expect(kept.map((name) => name.replace(suffix, '')).sort()).toEqual([
      'demo-account.json',
      'docket.db',
      'files',
    ]);
    mkdirSync(place('fresh'));
    for (const name of kept)
      cpSync(place(`data/${name}`), place(`fresh/${name.replace(suffix, '')}`), {
        recursive: true,
      });
    expect(await rowsIn('fresh')).toEqual(changed);
  }, 60_000);

  it('makes an installation where there is none', async () => {
    const restored = await docketIn(['restore', 'copy', '--data', 'fresh']);
    expect([restored.code, restored.out.includes('before')]).toEqual([0, false]);
    expect(await rowsIn('fresh')).toEqual(await rowsIn('data'));
    expect(filesIn(place('fresh/files'))).toEqual(filesIn(place('data/files')));
    expect(statSync(place('fresh')).mode & 0o077).toBe(0);
    expect(readdirSync(place('fresh')).filter((name) => name.includes('restor'))).toEqual([]);
  }, 60_000);

  it('takes the place of a database that is damaged', async () => {
    writeFileSync(place('data/docket.db'), 'no database at all, but long enough '.repeat(200));
    rmSync(place('data/docket.db-wal'), { force: true });
    const restored = await docketIn(['restore', 'copy', '--replace', '--data', 'data']);
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(await rowsIn('data')).toEqual(await rowsIn('origin'));
  }, 60_000);
});

describe('docket restore changes nothing', () => {
  const expectUnchanged = async (words: readonly string[], told: RegExp | string) => {
    const before = [await rowsIn('data'), filesIn(place('data/files'))];
    const rejected = await docketIn(['restore', ...words, '--data', 'data']);
    expect([rejected.code, rejected.out]).toEqual([1, '']);
    expect(rejected.err).toMatch(told);
    expect([await rowsIn('data'), filesIn(place('data/files'))]).toEqual(before);
    expect(readdirSync(place('data')).filter((name) => name.includes('restor'))).toEqual([]);
  };

  it('over an installation without --replace', async () => {
    await expectUnchanged(['copy'], 'Add --replace to restore anyway');
  }, 60_000);

  it('while the service runs', async () => {
    const child = program.launch(['serve', '--port', '0', '--data', 'data']);
    await servedAddress(child);
    const rejected = await docketIn(['restore', 'copy', '--replace', '--data', 'data']);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
    expect(rejected).toMatchObject({ code: 1, out: '', err: expect.stringContaining('in use') });
    const [now, before] = [await rowsIn('data'), await rowsIn('origin')];
    // Not requests: dates that they wait for may have passed.
    expect([now.Persons, now.Subscriptions]).toEqual([before.Persons, before.Subscriptions]);
    expect(readdirSync(place('data')).filter((name) => name.includes('restor'))).toEqual([]);
  }, 60_000);

  it.each([
    [
      'a directory that is no backup',
      () => mkdirSync(place('fresh')),
      'fresh',
      'contains no docket',
    ],
    ['a directory that is not there', () => undefined, 'missing', 'contains no docket.db'],
    [
      'a backup that cannot be read',
      () => {
        mkdirSync(place('fresh'));
        symlinkSync('docket.db', place('fresh/docket.db'));
      },
      'fresh',
      /fresh.docket\.db cannot be used: its symbolic links form a loop\./,
    ],
    ['the installation itself', () => undefined, 'data', 'the installation itself'],
    [
      'a backup without one of its files',
      () => rmSync(place('copy/files'), { recursive: true }),
      'copy',
      /The backup \S+copy is damaged \(the file \w+ is missing, .*\); nothing was changed/,
    ],
    [
      'a backup with a file of other bytes',
      () => {
        const [file = ''] = Object.keys(filesIn(place('copy/files')));
        const { size } = statSync(join(place('copy/files'), file));
        writeFileSync(join(place('copy/files'), file), 'x'.repeat(size));
      },
      'copy',
      /the file \w+ has the wrong content/,
    ],
    [
      'a backup whose database is cut off',
      () => truncateSync(place('copy/docket.db'), 40_960),
      'copy',
      /The backup \S+copy is damaged \(docket\.db: /,
    ],
    [
      'a backup whose database is none',
      () => writeFileSync(place('copy/docket.db'), 'no database '.repeat(999)),
      'copy',
      /The backup \S+copy is damaged \(docket\.db: /,
    ],
  ])(
    'for %s',
    async (_what, damage, directory, told) => {
      damage();
      await expectUnchanged([directory, '--replace'], told);
      if (directory !== 'copy') return;
      const fresh = await docketIn(['restore', directory, '--data', 'fresh']);
      expect([fresh.code, existsSync(place('fresh'))]).toEqual([1, false]);
    },
    60_000,
  );
});
