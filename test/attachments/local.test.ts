// This file runs the contract of stores against a directory, and checks what a directory adds: links, devices, no room.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalStore } from '../../src/attachments/local/store.ts';
import { describeStore, gather, listed, newKey, pieces } from '../contracts/attachment-store.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'docket-files-'));

describeStore('the store in a directory', async () => {
  const folder = newFolder();
  return {
    store: openLocalStore({ directory: join(folder, 'not', 'made', 'yet') }),
    end: async () => rmSync(folder, { recursive: true }),
  };
});

describe('the directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is for the account of the service alone', async () => {
    const directory = join(folder, 'files');
    const key = newKey();
    await openLocalStore({ directory }).put(key, pieces(randomBytes(10)));
    const place = join(directory, key.slice(0, 2));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(join(place, key)).mode & 0o777).toBe(0o600);
    expect(readdirSync(place)).toEqual([key]);
  });

  it('is made again when somebody has taken it away', async () => {
    const directory = join(folder, 'files');
    const store = openLocalStore({ directory });
    await store.put(newKey(), pieces(randomBytes(10)));
    rmSync(directory, { recursive: true });
    const key = newKey();
    await store.put(key, pieces(randomBytes(10)));
    expect(await store.size(key)).toBe(10);
  });

  it('holds leftovers of a crash, which are listed and can be taken away; what is foreign is left alone', async () => {
    const store = openLocalStore({ directory: folder });
    const key = newKey();
    const place = join(folder, key.slice(0, 2));
    mkdirSync(place);
    writeFileSync(join(place, `${key}.part`), 'half');
    writeFileSync(join(place, 'notes.txt'), 'of the administrator');
    writeFileSync(join(folder, 'README'), 'of the administrator');
    expect((await listed(store)).map((file) => file.key)).toEqual([`${key}.part`]);
    await store.remove(`${key}.part`);
    expect(await listed(store)).toEqual([]);
    expect(existsSync(join(place, 'notes.txt'))).toBe(true);
  });

  it('is never left by way of a symbolic link', async () => {
    const outside = join(folder, 'outside');
    const directory = join(folder, 'files');
    mkdirSync(outside);
    mkdirSync(directory);
    const store = openLocalStore({ directory });
    const key = newKey();
    writeFileSync(join(outside, key), 'secret');
    symlinkSync(outside, join(directory, key.slice(0, 2)));
    await expect(store.get(key)).rejects.toMatchObject({ code: 'file.unavailable' });
    await expect(store.put(key, pieces(randomBytes(9)))).rejects.toMatchObject({
      code: 'file.unavailable',
    });
    expect(readdirSync(outside)).toEqual([key]);
    const other = newKey();
    mkdirSync(join(directory, other.slice(0, 2)), { recursive: true });
    symlinkSync(join(outside, key), join(directory, other.slice(0, 2), other));
    await expect(store.get(other)).rejects.toMatchObject({ code: 'file.unavailable' });
  });

  it('that cannot be made is told with 503 and Retry-After, and by the trial with a remedy', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = openLocalStore({ directory: join(folder, 'file', 'files') });
    await expect(store.put(newKey(), pieces(randomBytes(9)))).rejects.toMatchObject({
      code: 'file.unavailable',
      status: 503,
      headers: { 'Retry-After': '30' },
    });
    const steps = [];
    for await (const step of store.probe()) steps.push(step);
    expect(steps).toEqual([
      {
        kind: 'failed',
        step: 'directory',
        reason: expect.stringContaining('ENOTDIR'),
        remedy: expect.stringContaining('files.local.directory'),
      },
    ]);
  });

  it('of a range that is not there tells that bytes are lost', async () => {
    const store = openLocalStore({ directory: folder });
    const key = newKey();
    await store.put(key, pieces(randomBytes(10)));
    const stream = await store.get(key, { first: 5, last: 20 });
    await expect(gather(stream)).rejects.toMatchObject({ code: 'file.lost' });
  });

  it('that is full is told with 507, and nothing is left', async (context) => {
    const store = openLocalStore({ directory: folder });
    const key = newKey();
    const place = join(folder, key.slice(0, 2));
    mkdirSync(place);
    // A device that is always full stands where the bytes go.
    const made = spawnSync('mknod', [join(place, `${key}.part`), 'c', '1', '7']);
    if (made.status !== 0) context.skip('this account may make no devices');
    await expect(store.put(key, pieces(randomBytes(9)))).rejects.toMatchObject({
      code: 'file.full',
      status: 507,
    });
    expect(readdirSync(place)).toEqual([]);
  });
});
