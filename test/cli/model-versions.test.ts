// This file applies models to an installation by the command line: versions are stored, compared, exported and restored, on both
// databases, and nothing is lost without --allow-loss.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { withService } from '../../src/cli/in-process-client.ts';
import { databaseOf, openInstallation } from '../../src/cli/wire.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere, type Ended } from './run-docket.ts';

const SERVICE = 'Service.Web.OData.Model';
const MEMBERS = {
  RoomNumber: { $Type: 'Edm.Int32', $Nullable: true },
  DeskNumber: { $Type: 'Edm.Int32', $Nullable: true },
};

const additionsOf = (members: object, label?: string) =>
  JSON.stringify({
    $Version: '4.01',
    [SERVICE]: {
      ServiceRequest: {
        $Kind: 'EntityType',
        ...members,
        ...(label === undefined ? {} : { '@Core.LongDescription': label }),
      },
    },
  });

interface Names {
  readonly type: string;
  readonly plate: string;
  readonly driver: string;
  readonly power: string;
  readonly set: string;
  readonly formerType?: string;
  readonly formerPlate?: string;
  readonly formerDriver?: string;
  readonly formerPower?: string;
  readonly formerSet?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
type Send = (method: string, url: string, body?: object) => Promise<any>;

describe.each(SAMPLED_DATABASES)('with %s', (kind) => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  let removeDatabase: () => Promise<void> = async () => undefined;
  const path = (name: string) => join(folder, name);
  const docket = async (...words: readonly string[]): Promise<Ended> =>
    await docketHere([...words, '--data', path('data')], environment);
  const json = async (...words: readonly string[]) =>
    JSON.parse((await docket(...words, '--json')).out);

  const withDatabase = async (
    work: (read: (text: string) => Promise<unknown>) => Promise<void>,
  ) => {
    const config = readConfig({ data: path('data') }, environment);
    const { database } = await openInstallation(config);
    await work(async (text) => {
      if (!text.startsWith('SELECT')) return await database.define([text]);
      return (await database.read(text, []))[0]?.[0];
    });
    await database.close();
  };
  const rooms = async () => {
    let count: unknown;
    await withDatabase(async (run) => {
      count = await run('SELECT count(*) FROM "ServiceRequests" WHERE "RoomNumber" = 7');
    });
    return Number(count);
  };
  const copies = () =>
    readdirSync(path('data')).filter((name) => name.includes('before-migration'));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docket-versions-'));
    environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    if (kind === 'PostgreSQL') {
      const url = await postgresUrl();
      environment = { ...environment, DOCKET_DATABASE: url };
      removeDatabase = async () => await dropDatabase(url);
    }
    mkdirSync(path('rooms'));
    writeFileSync(path('rooms/rooms.csdl.json'), additionsOf(MEMBERS));
    writeFileSync(
      path('rooms/labels.csv'),
      `type,member,en,nl\nServiceRequest,RoomNumber,Room,Kamer\n`,
    );
    expect(await docket('demo', '--requests', '30')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await removeDatabase();
  });

  it('a new installation has version 1, without files', async () => {
    expect(await json('model', 'list')).toMatchObject([{ version: 1, origin: '' }]);
    expect((await docket('model', 'export')).err).toContain('the built-in model without additions');
    expect((await docket('model', 'rollback')).err).toContain('There is no earlier version');
  }, 60_000);

  it('apply --plan and diff show the differences and change nothing', async () => {
    const planned = await docket('model', 'apply', path('rooms'), '--plan');
    expect([planned.code, planned.err]).toEqual([0, '']);
    expect(planned.out).toContain(`+ member ${SERVICE}.ServiceRequest/RoomNumber\n`);
    expect(planned.out).toContain('Add the column "RoomNumber" to "ServiceRequests".');
    const reminder = /\nDocket makes no backup of this database\. Run pg_dump first/;
    expect(reminder.test(planned.out)).toBe(kind === 'PostgreSQL');
    const compared = await docket('model', 'diff', path('rooms'));
    expect(compared.out).toBe(
      `+ member ${SERVICE}.ServiceRequest/RoomNumber\n+ member ${SERVICE}.ServiceRequest/DeskNumber\n`,
    );
    expect(await json('model', 'list')).toHaveLength(1);
  }, 60_000);

  it('apply names a file that is not JSON', async () => {
    const file = join(folder, 'broken.json');
    writeFileSync(file, '[1,');
    const { code, err } = await docket('model', 'apply', file);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The model file .*broken\.json has errors\.\n {2}broken\.json: The file cannot be read/,
    );
  });

  it('apply stores a version with its author, time, checksum and files', async () => {
    const before = Date.now();
    expect(await docket('model', 'apply', path('rooms'))).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(
        kind === 'PostgreSQL'
          ? /Version 2 of the model is in force\. Docket has made no backup: dumps of pg_dump /
          : /Version 2 of the model is in force\. A backup of the previous database is in /,
      ),
    });
    const [newest] = await json('model', 'list');
    expect(newest).toMatchObject({ version: 2, origin: path('rooms'), author: expect.any(String) });
    expect(Date.parse(newest.applied)).toBeGreaterThanOrEqual(before - 1);
    expect(newest.checksum).toMatch(/^[0-9a-f]{64}$/);
    await docket('model', 'export', '--out', path('exported'));
    for (const name of ['rooms.csdl.json', 'labels.csv'])
      expect(readFileSync(path(`exported/${name}`))).toEqual(readFileSync(path(`rooms/${name}`)));
    await withDatabase(async (run) => {
      await run(
        'UPDATE "ServiceRequests" SET "RoomNumber" = 7 WHERE "Uid" IN (SELECT "Uid" FROM "ServiceRequests" ORDER BY "Uid" LIMIT 12)',
      );
    });
  }, 60_000);

  it('no command needs the file: it may be gone', async () => {
    renameSync(path('rooms'), path('moved'));
    for (const words of [['disable'], ['enable'], ['account', 'list'], ['migrate'], ['status']])
      expect(await docket(...words)).toMatchObject({ code: 0, err: '' });
    expect(await rooms()).toBe(12);
    renameSync(path('moved'), path('rooms'));
  }, 60_000);

  it('a model that is in force is not applied again', async () => {
    const again = await docket('model', 'apply', path('rooms'));
    expect(again).toMatchObject({
      code: 0,
      out: 'This model is in force already, as version 2.\n',
    });
    expect(await json('model', 'list')).toHaveLength(2);
  }, 60_000);

  it('a configured file that differs is reported by status, and not applied', async () => {
    writeFileSync(path('other.json'), additionsOf({}, 'Another description'));
    expect(await json('status', '--model', path('other.json'))).toMatchObject({
      model: { version: 2 },
      modelFile: path('other.json'),
      migrationSteps: 0,
    });
    expect(await json('status', '--model', path('rooms'))).toMatchObject({ modelFile: null });
    const compared = await docket('model', 'diff', '--model', path('other.json'));
    expect(compared.out).toContain(`- member ${SERVICE}.ServiceRequest/RoomNumber`);
    expect(compared.out).toContain(`~ type ${SERVICE}.ServiceRequest\n    description: `);
    expect(await docket('model', 'diff')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name a model file or a version'),
    });
  }, 60_000);

  it('a step that loses values names them, and needs --allow-loss', async () => {
    const rejected = await docket('model', 'rollback');
    expect(rejected.code).toBe(1);
    expect(rejected.out).toContain(
      'loses the value of "RoomNumber" in 12 rows of "ServiceRequests"',
    );
    expect(rejected.out).not.toMatch(/loses .*DeskNumber/);
    expect(rejected.out).toContain('Add --allow-loss to run the migration anyway.');
    expect(rejected.err).toContain(
      '"RoomNumber" in 12 rows of "ServiceRequests"; nothing was changed',
    );
    expect([await rooms(), await json('model', 'list')]).toMatchObject([12, [{ version: 2 }, {}]]);
    const { steps } = await json('model', 'rollback', '--plan');
    expect(steps.filter((step: { loses: boolean }) => step.loses)).toMatchObject([
      { losses: [{ kind: 'values', table: 'ServiceRequests', column: 'RoomNumber', rows: 12 }] },
    ]);
  }, 60_000);

  const entries = async (): Promise<readonly { Account: string; Detail: string }[]> =>
    await json('audit', 'list', '--kind', 'administration');

  it('the audit trail names what was applied', async () => {
    expect(await entries()).toMatchObject([
      {
        Account: 'docket command',
        Detail: `version 2 of the model applied: ${path('rooms')}`,
      },
    ]);
  });

  it('rollback applies an earlier version as a new one', async () => {
    const before = kind === 'SQLite' ? copies().length : 0;
    const { code, out } = await docket('model', 'rollback', '1', '--allow-loss');
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Version 3 of the model is in force.'),
    ]);
    expect(out).not.toContain('Add --allow-loss');
    if (kind === 'SQLite') expect(copies()).toHaveLength(before + 1);
    const [third, , first] = await json('model', 'list');
    expect(third).toMatchObject({ version: 3, origin: 'version 1', checksum: first.checksum });
    expect((await docket('model', 'diff', '2')).out).toContain('+ member');
    expect((await docket('model', 'diff', '1')).out).toBe(
      'No differences to version 3, which is in force.\n',
    );
    expect(await docket('model', 'rollback', '9')).toMatchObject({
      code: 3,
      err: 'There is no version of the model "9". "docket model list" lists the versions.\n',
    });
    expect((await json('model', 'rollback', '2', '--plan')).inForce).toBe(3);
    expect((await json('model', 'rollback', '2')).inForce).toBe(4);
  }, 60_000);

  it('the audit trail names what was lost', async () => {
    const details = (await entries()).map(({ Detail }) => Detail);
    expect(details).toContainEqual(
      expect.stringMatching(
        /^version 3 of the model applied: version 1; lost .*"RoomNumber" in 12 rows/,
      ),
    );
  });

  it('a file with mistakes is not applied', async () => {
    writeFileSync(path('wrong.json'), additionsOf({ Room: { $Type: 'Edm.Strin' } }));
    const rejected = await docket('model', 'apply', path('wrong.json'));
    expect([rejected.code, rejected.out]).toEqual([1, '']);
    expect(rejected.err).toContain('ServiceRequest.Room.$Type');
    expect(await json('model', 'list')).toHaveLength(4);
  }, 60_000);

  it('a stored model is checked again only by another version of Docket', async () => {
    const broken = JSON.parse(additionsOf(MEMBERS));
    broken[SERVICE].Broken = [
      {
        $Kind: 'Function',
        $ReturnType: { $Type: 'Edm.Boolean' },
        '@Docket.Expression': 'Nothing eq 1',
      },
    ];
    const source = JSON.stringify({
      files: [{ name: 'rooms.csdl.json', text: JSON.stringify(broken) }],
    });
    await withDatabase(async (run) => {
      const quoted = source.replaceAll("'", "''");
      await run(`CREATE TABLE "kept" AS SELECT * FROM "docket_model" WHERE "version" = 4`);
      await run(`UPDATE "docket_model" SET "source" = '${quoted}' WHERE "version" = 4`);
    });
    expect(await docket('account', 'list')).toMatchObject({ code: 0, err: '' });
    await withDatabase(async (run) => {
      await run(`UPDATE "docket_model" SET "docket" = '0.0.9' WHERE "version" = 4`);
    });
    const rejected = await docket('account', 'list');
    expect([rejected.code, rejected.out]).toEqual([1, '']);
    expect(rejected.err).toContain('Nothing');
    const config = readConfig({ data: path('data') }, environment);
    const database = await (await databaseOf(config)).open();
    await database.define([
      'DELETE FROM "docket_model" WHERE "version" = 4',
      'INSERT INTO "docket_model" SELECT * FROM "kept"',
      'DROP TABLE "kept"',
    ]);
    await database.close();
  }, 60_000);

  describe('renames', () => {
    const GARAGE = 'Garage';
    const vehicles = (names: Names) =>
      JSON.stringify({
        $Version: '4.01',
        $EntityContainer: `${GARAGE}.Container`,
        [GARAGE]: {
          [names.type]: {
            $Kind: 'EntityType',
            $Key: ['Id'],
            Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
            [names.plate]: { '@Docket.Searchable': true, ...renamed(names.formerPlate) },
            Engine: { $Type: `${GARAGE}.Engine` },
            [names.driver]: {
              $Kind: 'NavigationProperty',
              $Type: `${GARAGE}.${names.type}`,
              $Nullable: true,
              ...renamed(names.formerDriver),
            },
            Followers: {
              $Kind: 'NavigationProperty',
              $Type: `${GARAGE}.${names.type}`,
              $Collection: true,
            },
            Repairs: {
              $Kind: 'NavigationProperty',
              $Type: `${GARAGE}.Repair`,
              $Collection: true,
              $ContainsTarget: true,
            },
            ...renamed(names.formerType),
          },
          Truck: {
            $Kind: 'EntityType',
            $BaseType: `${GARAGE}.${names.type}`,
            Load: { $Type: 'Edm.Int32', $Nullable: true },
          },
          Engine: {
            $Kind: 'ComplexType',
            [names.power]: { $Type: 'Edm.Int32', ...renamed(names.formerPower) },
          },
          Repair: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int32' }, Text: {} },
          Container: {
            $Kind: 'EntityContainer',
            [names.set]: {
              $Collection: true,
              $Type: `${GARAGE}.${names.type}`,
              ...renamed(names.formerSet),
            },
          },
        },
      });
    const renamed = (from: string | undefined) =>
      from === undefined ? {} : { '@Docket.RenamedFrom': from };
    const BEFORE: Names = {
      type: 'Vehicle',
      plate: 'Plate',
      driver: 'Follows',
      power: 'Power',
      set: 'Vehicles',
    };
    const AFTER: Names = {
      type: 'Car',
      plate: 'Registration',
      driver: 'Leader',
      power: 'Kilowatts',
      set: 'Cars',
    };
    const FORMER = {
      formerType: 'Vehicle',
      formerPlate: 'Plate',
      formerDriver: 'Follows',
      formerPower: 'Power',
      formerSet: 'Vehicles',
    };
    let garage: string;
    let place: readonly string[];
    let own: Readonly<Record<string, string>>;
    let drop: () => Promise<void> = async () => undefined;
    const run = async (...words: readonly string[]) => await docketHere([...words, ...place], own);

    beforeAll(async () => {
      garage = mkdtempSync(join(tmpdir(), 'docket-garage-'));
      place = ['--data', join(garage, 'data')];
      own = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
      if (kind === 'PostgreSQL') {
        const url = await postgresUrl();
        own = { ...own, DOCKET_DATABASE: url };
        drop = async () => await dropDatabase(url);
      }
      writeFileSync(join(garage, 'before.json'), vehicles(BEFORE));
      writeFileSync(join(garage, 'after.json'), vehicles({ ...AFTER, ...FORMER }));
      writeFileSync(join(garage, 'guess.json'), vehicles({ ...BEFORE, plate: 'Registration' }));
      const made = await run('init', '--admin', 'ada', '--model', join(garage, 'before.json'));
      expect(made).toMatchObject({ code: 0 });
      expect(await run('enable')).toMatchObject({ code: 0 });
      await withClient(async (send) => {
        await send('POST', 'Vehicles', { Plate: 'AB-1', Engine: { Power: 70 } });
        const { Id } = await send('GET', 'Vehicles?$top=1').then(({ value }) => value[0]);
        await send('POST', 'Vehicles', {
          '@odata.type': `#${GARAGE}.Truck`,
          Plate: 'CD-2',
          Load: 9,
          Engine: { Power: 300 },
          Follows: { '@odata.id': `Vehicles(${Id})` },
          Repairs: [{ Id: 1, Text: 'Brakes' }],
          Followers: [{ '@odata.id': `Vehicles(${Id})` }],
        });
        await send('POST', 'Roles', {
          Name: 'driver',
          EntityAccess: [{ Entity: 'Vehicle', Read: true }],
          AttributeAccess: [{ Entity: 'Vehicle', Attribute: 'Plate', Read: false, Modify: false }],
        });
      });
    }, 120_000);
    afterAll(async () => {
      rmSync(garage, { recursive: true });
      await drop();
    });

    async function withClient(work: (send: Send) => Promise<void>): Promise<void> {
      const config = readConfig({ data: join(garage, 'data') }, own);
      await withService({ config }, async (client) => await work(client.send as Send));
    }

    it('without the annotation the loss is reported with a hint', async () => {
      const rejected = await run('model', 'apply', join(garage, 'guess.json'));
      expect(rejected.code).toBe(1);
      expect(rejected.err).toContain(
        'the value of "Plate" in 2 rows of "Vehicles" (if it is now "Registration", add "@Docket.RenamedFrom": "Plate" to that)',
      );
    }, 60_000);

    it('with it all values, relations, types and rights have the new names', async () => {
      const applied = await run('model', 'apply', join(garage, 'after.json'));
      expect([applied.code, applied.err]).toEqual([0, '']);
      expect(applied.out).not.toContain('loses');
      await withClient(async (send) => {
        const { value } = await send(
          'GET',
          'Cars?$orderby=Id&$expand=Leader($select=Registration),Repairs,Followers($select=Registration)',
        );
        expect(value).toMatchObject([
          { Registration: 'AB-1', Engine: { Kilowatts: 70 }, Leader: null, Repairs: [] },
          {
            '@odata.type': `#${GARAGE}.Truck`,
            Registration: 'CD-2',
            Load: 9,
            Engine: { Kilowatts: 300 },
            Leader: { Registration: 'AB-1' },
            Repairs: [{ Id: 1, Text: 'Brakes' }],
            Followers: [{ Registration: 'AB-1' }],
          },
        ]);
        const found = await send('GET', 'Cars?$search=CD&$select=Registration');
        expect(found.value).toMatchObject([{ Registration: 'CD-2' }]);
        const roles = await send(
          'GET',
          "Roles?$filter=Name eq 'driver'&$expand=EntityAccess,AttributeAccess",
        );
        expect(roles.value).toMatchObject([
          {
            EntityAccess: [{ Entity: 'Car' }],
            AttributeAccess: [{ Entity: 'Car', Attribute: 'Registration' }],
          },
        ]);
      });
      expect((await run('migrate')).out).toContain('up to date');
    }, 60_000);

    it('a rollback gives the values their former names', async () => {
      const back = await run('model', 'rollback');
      expect([back.code, back.err]).toEqual([0, '']);
      await withClient(async (send) => {
        const { value } = await send('GET', 'Vehicles?$orderby=Id&$expand=Follows($select=Plate)');
        expect(value).toMatchObject([
          { Plate: 'AB-1', Engine: { Power: 70 } },
          { Plate: 'CD-2', Load: 9, Follows: { Plate: 'AB-1' } },
        ]);
      });
    }, 60_000);

    it('a rollback undoes several renames of the same element in turn', async () => {
      const again = { ...AFTER, plate: 'Licence', type: 'Van', set: 'Vans' };
      const former = { formerPlate: AFTER.plate, formerType: AFTER.type, formerSet: AFTER.set };
      writeFileSync(join(garage, 'again.json'), vehicles({ ...again, ...former }));
      const start = JSON.parse((await run('model', 'list', '--json')).out)[0].version;
      for (const file of ['after.json', 'again.json'])
        expect(await run('model', 'apply', join(garage, file))).toMatchObject({ code: 0, err: '' });
      const restored = await run('model', 'rollback', String(start));
      expect([restored.code, restored.err]).toEqual([0, '']);
      await withClient(async (send) => {
        const { value } = await send('GET', 'Vehicles?$orderby=Id&$expand=Follows,Repairs');
        expect(value).toMatchObject([
          { Plate: 'AB-1', Engine: { Power: 70 } },
          { Plate: 'CD-2', Load: 9, Follows: { Plate: 'AB-1' }, Repairs: [{ Text: 'Brakes' }] },
        ]);
      });
    }, 60_000);

    it('annotations that cannot be right are mistakes', async () => {
      const wrong = vehicles({ ...BEFORE, formerPlate: 'Engine' });
      writeFileSync(join(garage, 'wrong.json'), wrong);
      const checked = await docketHere(['model', 'check', join(garage, 'wrong.json')]);
      expect(checked.out).toContain('Plate["@Docket.RenamedFrom"]: Engine still exists.');
    }, 60_000);
  });

  it('a database of an earlier version gets the model from the file that it noted', async () => {
    const config = readConfig({ data: path('data') }, environment);
    const { database } = await openInstallation(config);
    const noted = path('noted');
    const engine = await database.read(
      `SELECT "value" FROM "docket_setting" WHERE "name" = 'engine'`,
      [],
    );
    const earlier = JSON.parse(String(engine[0]?.[0])).filter(
      (one: string) => !one.includes('docket_model'),
    );
    const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
    await database.define([
      'DROP TABLE "docket_model"',
      `UPDATE "docket_setting" SET "value" = ${quote(JSON.stringify(earlier))} WHERE "name" = 'engine'`,
      `INSERT INTO "docket_setting" ("name", "value") VALUES ('model-file', ${quote(noted)})`,
    ]);
    await database.close();
    const due = await docket('account', 'list');
    expect([due.code, due.err]).toEqual([1, expect.stringContaining('docket migrate --plan')]);
    const unknown = await docket('migrate');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain(
      `${noted}, which does not exist. Restore it, or name the file with "docket model apply FILE"`,
    );
    renameSync(path('rooms'), noted);
    expect((await docket('status')).out).toMatch(/\nmodel +not stored yet\n/);
    expect((await docket('migrate')).out).toContain('Migration completed.');
    renameSync(noted, path('rooms'));
    expect(await json('model', 'list')).toMatchObject([{ version: 1, origin: noted }]);
    expect(await docket('model', 'apply', path('rooms'))).toMatchObject({
      code: 0,
      out: 'This model is in force already, as version 1.\n',
    });
  }, 60_000);

  it('the checksum is that of the contents', async () => {
    const [newest] = await json('model', 'list');
    const files = ['labels.csv', 'rooms.csdl.json'].map((name) => [
      name,
      readFileSync(path(`rooms/${name}`), 'utf8'),
    ]);
    const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
    expect(newest.checksum).toBe(digest);
  }, 60_000);
});
