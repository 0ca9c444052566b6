// This file checks that the attachments of a demo installation have the bytes that their rows tell of, and the progress of its creation.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemo, DEMO_NOW } from '../../src/cli/command/installation.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { type Installation, openInstallation } from '../../src/cli/wire.ts';
import { demoFileText } from '../../src/seed/demo-requests.ts';
import type { Row } from '../../src/store/database.ts';
import { demoSource } from '../service-desk.ts';

let directory: string;
let installation: Installation;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'docket-demo-files-'));
  const config = readConfig({ data: join(directory, 'data'), logLevel: 'silent' }, {});
  const silent = { update: () => undefined, finish: () => undefined };
  const terminal = { print: () => undefined, warn: () => undefined, progress: () => silent };
  const admin = { name: 'admin', password: 'correct horse battery' };
  await createDemo(config, { requests: 150, seed: 1, now: Date.now() }, admin, terminal as never);
  installation = await openInstallation(config);
}, 60_000);

afterAll(async () => {
  await installation.database.close();
  rmSync(directory, { recursive: true, force: true });
});

it('every demo attachment has its bytes, with size and digest', async () => {
  const tables = installation.layout.tables.filter(({ columns }) =>
    columns.some(({ name }) => name === '$file'),
  );
  const rows: Row[] = [];
  for (const { name } of tables)
    rows.push(
      ...(await installation.database.read(
        `SELECT a."Uid", a."Size", a."Sha256", f."key", f."sha256" FROM "${name}" a
         LEFT JOIN "docket_file" f ON f."id" = a."$file" AND f."state" = 'kept'`,
        [],
      )),
    );
  expect(rows.length).toBeGreaterThan(20);
  for (const [uid, size, told, key, kept] of rows) {
    const pieces: Uint8Array[] = [];
    for await (const piece of await installation.stores.target.get(String(key))) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect(bytes.toString()).toBe(demoFileText(demoSource.vocabulary, Number(uid)));
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect([Number(size), told, kept]).toEqual([bytes.length, digest, digest]);
  }
});

it('the progress reaches the total with the last record, also with the lines about marks of clocks', async () => {
  const config = readConfig({ data: join(directory, 'large'), logLevel: 'silent' }, {});
  const shown: number[] = [];
  let total = 0;
  const progress = (title: string, count: number) => {
    if (title !== 'Loading records') return { update: () => undefined, finish: () => undefined };
    total = count;
    return { update: (done: number) => void shown.push(done), finish: () => undefined };
  };
  const terminal = { print: () => undefined, say: () => undefined, progress };
  const admin = { name: 'admin', password: 'correct horse battery' };
  await createDemo(config, { requests: 3000, seed: 1, now: DEMO_NOW }, admin, terminal as never);
  expect(shown.length).toBeGreaterThan(3);
  expect(shown).toEqual(shown.toSorted((one, other) => one - other));
  expect(shown.at(-1)).toBe(total);
  expect(shown.slice(0, -1).filter((done) => done >= total * 0.95)).toEqual([]);
}, 60_000);
