// This file updates installations of version 0.1.0, on both databases: they are not served before `docket migrate`, keep their records and
// accounts, and cannot be migrated back by an older version.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Secret, TOTP } from 'otpauth';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { createService, type EmbeddedService } from '../../src/cli/embedded-service.ts';
import { packageVersion } from '../../src/cli/version.ts';
import { databaseOf } from '../../src/cli/wire.ts';
import { writeSetting } from '../../src/store/installation-settings.ts';
import { docketHere } from '../cli/run-docket.ts';
import { missingServer } from '../postgres/binaries.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
type Json = any;

const PASSWORD = 'correct horse battery';
const REQUESTS = '/odata/ServiceRequests?$orderby=Uid&$expand=Caller($select=Name,Email)';
const readFixture = (name: string) => readFileSync(join(import.meta.dirname, name));
const unpack = (name: string) => gunzipSync(readFixture(name));

/**
 * A record without annotations, which depend on the URL, without what is calculated when it is read, and without the texts of codes, which
 * follow the model of the new version.
 */
function valuesOf(record: Json): Json {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  const isValue = ([name]: readonly [string, unknown]) =>
    !name.includes('@') && !['Elapsed', 'Remaining', 'Text'].includes(name);
  const values = Object.entries(record).filter(isValue);
  return Object.fromEntries(values.map(([name, value]) => [name, valuesOf(value)]));
}

/** A database of version 0.1.0. */
interface Former {
  /** What that version returned. */
  readonly served: string;
  /** The environment of commands. */
  readonly restore: (data: string) => Promise<Readonly<Record<string, string>>>;
  readonly remove: () => Promise<void>;
}

const SQLITE: Former = {
  served: 'docket-0.1.0.db.json',
  restore: async (data) => {
    writeFileSync(join(data, 'docket.db'), unpack('docket-0.1.0.db.gz'));
    return {};
  },
  remove: async () => undefined,
};

function postgres(): Former {
  let url = '';
  return {
    served: 'docket-0.1.0.sql.json',
    restore: async () => {
      url = await postgresUrl();
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(unpack('docket-0.1.0.sql.gz').toString());
      await client.end();
      return { DOCKET_DATABASE: url };
    },
    remove: async () => await dropDatabase(url),
  };
}

const DATABASES: readonly (readonly [string, Former])[] = [
  ['SQLite', SQLITE],
  ['PostgreSQL', postgres()],
];

describe.each(DATABASES.slice(0, missingServer === undefined ? 2 : 1))(
  'an installation of 0.1.0 with %s',
  (_, former) => {
    const folder = mkdtempSync(join(tmpdir(), 'docket-upgrade-'));
    const data = join(folder, 'data');
    let environment: Readonly<Record<string, string>> = {};
    let desk: EmbeddedService;
    let token = '';

    const isSqlite = () => environment.DOCKET_DATABASE === undefined;
    const docket = async (...words: readonly string[]) =>
      await docketHere([...words, '--data', data], environment);
    const start = async () => {
      const { DOCKET_DATABASE: database } = environment;
      return await createService({ data, database, logLevel: 'silent' });
    };
    const ask = async (path: string, options: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = await desk.fetch(
        new Request(`https://desk.example${path}`, { headers, ...options }),
        { address: '192.0.2.7' },
      );
      return { status: response.status, json: (await response.json()) as Json };
    };

    const setVersion = async (version: string) => {
      const database = await (await databaseOf(readConfig({ data }, environment))).open();
      await writeSetting(database, 'program-version', version);
      await database.close();
    };

    beforeAll(async () => {
      mkdirSync(data);
      environment = await former.restore(data);
    }, 60_000);
    afterAll(async () => {
      await desk?.close();
      await former.remove();
      rmSync(folder, { recursive: true });
    });

    it('is not served before it is migrated', async () => {
      await expect(start()).rejects.toThrow('docket migrate --plan');
      if (isSqlite())
        expect(await docket('backup', join(folder, 'copy'))).toMatchObject({ code: 0 });
    });

    it('is migrated without a loss', async () => {
      expect(await docket('migrate')).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('Migration completed.'),
      });
      expect(await docket('migrate')).toMatchObject({
        code: 0,
        out: 'The database is up to date.\n',
      });
    }, 120_000);

    it('has its accounts, and every value that 0.1.0 returned', async () => {
      desk = await start();
      const form = { grant_type: 'password', username: 'admin', password: PASSWORD };
      const body = new URLSearchParams(form);
      const signedIn = await ask('/token', { method: 'POST', body, headers: {} });
      token = signedIn.json.access_token;
      const { value } = (await ask(REQUESTS)).json;
      const before: readonly Json[] = JSON.parse(readFixture(former.served).toString()).value;
      expect(before).toHaveLength(5);
      for (const [at, record] of before.entries())
        expect(valuesOf(value[at])).toMatchObject(valuesOf(record));
    }, 60_000);

    it('can be changed', async () => {
      const { Uid } = (await ask(REQUESTS)).json.value[0];
      const changes = { Description: 'Zebra in the lift' };
      const path = `/odata/ServiceRequests(${Uid})`;
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      };
      const changed = await ask(path, { method: 'PATCH', headers, body: JSON.stringify(changes) });
      expect([changed.status, changed.json.Description]).toEqual([200, 'Zebra in the lift']);
      const found = await ask(`/odata/ServiceRequests?$search=zebra&$select=Uid`);
      expect(found.json.value).toMatchObject([{ Uid }]);
      const made = await ask('/odata/ServiceRequests', {
        method: 'POST',
        body: JSON.stringify({ Description: 'New', 'Caller@odata.bind': await personOf() }),
      });
      expect([made.status, made.json.Description]).toEqual([201, 'New']);
    }, 60_000);

    it('has what later versions have added: roles that require a second factor, usage, backups', async () => {
      const post = async (path: string, body: object) =>
        await ask(`/odata/${path}`, { method: 'POST', body: JSON.stringify(body) });
      const roles = await ask("/odata/Roles?$filter=Name eq 'administrator'");
      expect(roles.json.value[0].SecondFactorRequired).toBeNull();
      const role = `/odata/Roles(${roles.json.value[0].Uid})`;
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      };
      const body = JSON.stringify({ SecondFactorRequired: true });
      const changed = await ask(role, { method: 'PATCH', headers, body });
      expect([changed.status, changed.json.SecondFactorRequired]).toEqual([200, true]);
      const denied = await ask('/odata/Accounts');
      expect([denied.status, denied.json.error.code]).toEqual([403, 'auth.second-factor-required']);
      const { value: uri } = (await post('BeginSecondFactor', { CurrentPassword: PASSWORD })).json;
      const secret = new URL(uri).searchParams.get('secret') ?? '';
      const Code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      expect((await post('ConfirmSecondFactor', { Code })).status).toBe(200);
      const accounts = await ask("/odata/Accounts?$filter=LoginName eq 'admin'");
      expect(accounts.json.value).toMatchObject([{ HasSecondFactor: true }]);
      await desk.close();
      const usage = JSON.parse((await docket('usage', '--json')).out);
      expect(usage.find(({ account }: Json) => account === 'admin').requests).toBeGreaterThan(5);
      const { lastBackup, migrationSteps, processes } = JSON.parse(
        (await docket('status', '--json')).out,
      );
      expect([typeof lastBackup, migrationSteps]).toEqual([isSqlite() ? 'string' : 'object', 0]);
      expect(processes).toEqual(isSqlite() ? null : []);
    }, 60_000);

    const personOf = async () =>
      `Persons(${(await ask('/odata/Persons?$top=1&$select=Uid')).json.value[0].Uid})`;

    it.each([
      ['migrate', []],
      ['migrate', ['--plan']],
      ['model', ['apply', 'models/custom-fields', '--allow-loss']],
    ])(
      'is not changed by an older version than the one that has migrated it: %s %j',
      async (command, words) => {
        await desk.close();
        await setVersion('9.10.1');
        const { code, err } = await docket(command, ...words);
        expect([code, err]).toEqual([
          1,
          `Version 9.10.1 of Docket has made or migrated this database, and this is version ${packageVersion()}; nothing was changed. Use that version or a newer one, or restore a backup that is older than its migration.\n`,
        ]);
        await setVersion('0.0.9');
        expect(await docket('migrate', '--plan')).toMatchObject({ code: 0 });
      },
      60_000,
    );
  },
);
