// This file runs commands on an installation whose model has additions, without naming the model file: nothing may be lost by that, and
// what the messages recommend works.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation } from '../../src/cli/wire.ts';
import { docketHere } from './run-docket.ts';

let folder: string;
let model: string;
let data: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-loss-'));
  model = join(folder, 'rooms and desks.json');
  data = join(folder, 'data');
  const service = 'Service.Web.OData.Model';
  const addition = {
    $Version: '4.01',
    [service]: {
      ServiceRequest: {
        $Kind: 'EntityType',
        RoomNumber: { $Type: 'Edm.Int32', $Nullable: true },
        DeskNumber: { $Type: 'Edm.Int32', $Nullable: true },
      },
    },
  };
  writeFileSync(model, JSON.stringify(addition));
  const made = await docketHere(['demo', '--requests', '30', '--data', data, '--model', model], {
    DOCKET_ADMIN_PASSWORD: 'correct horse battery',
  });
  expect(made).toMatchObject({ code: 0 });
  const installation = await openInstallation(readConfig({ data, model }, {}));
  installation.database.define([
    'UPDATE "ServiceRequests" SET "RoomNumber" = 7 WHERE "Uid" IN (SELECT "Uid" FROM "ServiceRequests" ORDER BY "Uid" LIMIT 12)',
  ]);
  await installation.database.close();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The rooms as they are stored, where the model has them. */
async function rooms(): Promise<number> {
  const installation = await openInstallation(readConfig({ data, model }, {}));
  const [row] = installation.database.read(
    'SELECT count(*) FROM "ServiceRequests" WHERE "RoomNumber" = 7',
    [],
  );
  await installation.database.close();
  return Number(row?.[0]);
}

const copies = () => readdirSync(data).filter((name) => name.includes('before-migration'));

/** The command that an error names, as the words after `docket`. */
function namedIn(err: string): readonly string[] {
  const [, line = ''] = /^ {2}docket (.*)$/m.exec(err) ?? [];
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('without the model file of an installation', () => {
  it.each([
    ['enable', []],
    ['disable', []],
    ['account', ['list']],
    ['audit', ['list']],
    ['files', ['check']],
    ['serve', ['--port', '0']],
    ['serve', ['--port', '0', '--workers', '2']],
    ['start', ['--port', '0']],
  ])(
    'docket %s names the command that keeps the additions',
    async (command, more) => {
      const rejected = await docketHere([command, ...more, '--data', data]);
      expect([rejected.code, rejected.out]).toEqual([1, '']);
      expect(rejected.err).toContain('The database contains "RoomNumber" of "ServiceRequests"');
      expect(rejected.err).not.toContain('migrate');
      expect(namedIn(rejected.err)).toEqual([command, ...more, '--data', data, '--model', model]);
      if (command === 'serve' || command === 'start') return;
      expect(await docketHere(namedIn(rejected.err))).toMatchObject({ code: 0 });
    },
    60_000,
  );

  it('docket migrate loses nothing without --allow-loss: it counts the rows and names the command that keeps them', async () => {
    const planned = await docketHere(['migrate', '--plan', '--data', data]);
    expect([planned.code, planned.err]).toEqual([0, '']);
    expect(planned.out).toContain(
      'loses the value of "RoomNumber" in 12 rows of "ServiceRequests"',
    );
    expect(planned.out).not.toMatch(/loses .*DeskNumber/);
    expect(planned.out).toContain(
      '1 step loses data. Add --allow-loss to run the migration anyway.',
    );
    const rejected = await docketHere(['migrate', '--data', data]);
    expect([rejected.code, rejected.out]).toEqual([1, planned.out]);
    expect(rejected.err).toContain('"RoomNumber" in 12 rows of "ServiceRequests"; nothing was');
    expect(rejected.err).toContain('--allow-loss');
    expect(namedIn(rejected.err)).toEqual(['migrate', '--data', data, '--model', model]);
    expect([await rooms(), copies()]).toEqual([12, []]);
    expect(await docketHere(namedIn(rejected.err))).toMatchObject({
      code: 0,
      out: 'The database is up to date.\n',
    });
  }, 60_000);

  it('docket migrate --json tells the losses of each step, and ends with 1 where it takes none', async () => {
    const rejected = await docketHere(['migrate', '--json', '--data', data]);
    expect([rejected.code, rejected.err.includes('--allow-loss')]).toEqual([1, true]);
    const losing = JSON.parse(rejected.out).filter((step: { loses: boolean }) => step.loses);
    expect(losing).toMatchObject([
      { losses: [{ kind: 'values', table: 'ServiceRequests', column: 'RoomNumber', rows: 12 }] },
    ]);
    expect(await rooms()).toBe(12);
  }, 60_000);

  it('the steps are taken with --allow-loss, and the database as it was is kept', async () => {
    const done = await docketHere(['migrate', '--allow-loss', '--data', data]);
    expect(done).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Migration completed.'),
    });
    expect(await docketHere(['account', 'list', '--data', data])).toMatchObject({ code: 0 });
    expect(copies()).toHaveLength(1);
  }, 60_000);

  it('a model file that is new to the installation: the error names the migration with the same file', async () => {
    const due = await docketHere(['enable', '--data', data, '--model', model]);
    expect(due).toMatchObject({ code: 1, out: '' });
    expect(namedIn(due.err)).toEqual(['migrate', '--plan', '--data', data, '--model', model]);
    expect((await docketHere(namedIn(due.err))).out).toContain('Add the column "RoomNumber"');
  }, 60_000);
});
