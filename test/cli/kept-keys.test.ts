// This file uses an API key after its installation was backed up, restored, copied or migrated: integrations must not need another one.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { servedAddress } from '../child-output.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { docketHere, makeProgram, type Program } from './run-docket.ts';

let program: Program;
let key: string;
beforeAll(async () => {
  program = makeProgram();
  const made = await docketHere(['demo', '--requests', '20', '--data', place('origin')], {
    DOCKET_ADMIN_PASSWORD: 'correct horse battery',
  });
  expect(made).toMatchObject({ code: 0 });
  const added = await run(
    'key',
    'add',
    'admin',
    '--name',
    'feed',
    '--page',
    '7',
    '--data',
    place('origin'),
    '--json',
  );
  ({ key } = JSON.parse(added));
}, 120_000);
afterAll(() => program.remove());

const place = (name: string) => join(program.folder, name);

async function run(...words: readonly string[]): Promise<string> {
  const ended = await docketHere(words);
  expect(ended).toMatchObject({ code: 0 });
  return ended.out;
}

/** The number of persons on the first page that the key reads, and what it reads with a letter less. */
async function readWithKey(data: string, environment: Readonly<Record<string, string>> = {}) {
  const child = program.launch(['serve', '--port', '0', '--data', place(data)], environment);
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const address = await servedAddress(child);
    const read = async (token: string) =>
      await fetch(`${address}/odata/Persons`, { headers: { authorization: `Bearer ${token}` } });
    const { value } = (await (await read(key)).json()) as { readonly value: readonly unknown[] };
    const other = await read(key.slice(0, -1));
    await other.body?.cancel();
    return [value.length, other.status];
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

const WORKS = [7, 401];
const CUSTOM_FIELDS = join(import.meta.dirname, '../../models/custom-fields');

it('works in the origin', async () => {
  expect(await readWithKey('origin')).toEqual(WORKS);
}, 60_000);

it('works in a backup and after it is restored', async () => {
  await run('backup', place('backup'), '--data', place('origin'));
  expect(await readWithKey('backup')).toEqual(WORKS);
  await run('restore', place('backup'), '--data', place('restored'));
  expect(await readWithKey('restored')).toEqual(WORKS);
}, 120_000);

it('works in a copy on PostgreSQL, and in one of it', async () => {
  const url = await postgresUrl();
  await run('copy', '--from', place('origin'), '--to', url);
  await run('copy', '--from', url, '--to', place('back'));
  await dropDatabase(url);
  expect(await readWithKey('back')).toEqual(WORKS);
}, 120_000);

it('works after a migration of the model', async () => {
  await run('backup', place('changed'), '--data', place('origin'));
  const steps = await run('model', 'apply', CUSTOM_FIELDS, '--data', place('changed'));
  expect(steps).toContain('Persons');
  expect(await readWithKey('changed')).toEqual(WORKS);
}, 120_000);
