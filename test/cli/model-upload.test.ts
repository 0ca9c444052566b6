// This file changes the model of running services through their API, on both databases: what PlanModel returns, what ApplyModel rejects, that
// services continue with the new model and after a restart, and what is recorded. The services are compiled, because they plan in threads.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedService, ServiceSettings } from '../../src/cli/embedded-service.ts';
import { compileSources } from '../compiled.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const HERE = 'https://desk.example';
const DESK = 'Service.Web.OData.Model';

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
type Json = any;
type Answer = { readonly status: number; readonly body: Json; readonly retryAfter: string | null };
type CreateService = (settings: ServiceSettings) => Promise<EmbeddedService>;

/** A file that adds properties to service requests. */
const extension = (members: object, name = 'extension.csdl.json', type = 'ServiceRequest') => ({
  Name: name,
  Content: JSON.stringify({
    $Version: '4.01',
    [DESK]: { [type]: { $Kind: 'EntityType', ...members } },
  }),
});
const NUMBER = { $Type: 'Edm.Int32', $Nullable: true };
const ROOM = extension({ Room: NUMBER });

/** Each plan takes a second or two, so that most runs try a part of them. */
const ALL = process.env.TEST_ALL !== undefined;

let createService: CreateService;
beforeAll(async () => {
  ({ createService } = await import(join(compileSources(), 'program', 'embedded-service.js')));
}, 120_000);

describe.each(SAMPLED_DATABASES)('with %s', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-upload-'));
  let settings: ServiceSettings = {
    data: join(folder, 'data'),
    logLevel: 'silent',
    limits: { modelBytes: 20_000 },
  };
  /** Two nodes with PostgreSQL. */
  let services: EmbeddedService[] = [];
  let tokens: Readonly<Record<string, string>> = {};

  const send = async (path: string, options: RequestInit, at = 0): Promise<Response> => {
    const service = services[at];
    if (service === undefined) throw new Error(`There is no service ${at}.`);
    return await service.fetch(new Request(`${HERE}${path}`, options));
  };
  const ask = async (
    path: string,
    { as = 'admin', at = 0, ...options }: RequestInit & { as?: string; at?: number } = {},
  ): Promise<Answer> => {
    const headers = new Headers(options.headers);
    headers.set('authorization', `Bearer ${tokens[as]}`);
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    const response = await send(`/odata/${path}`, { ...options, headers }, at);
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      retryAfter: response.headers.get('retry-after'),
    };
  };
  const post = async (path: string, body: object, options: Parameters<typeof ask>[1] = {}) =>
    await ask(path, { ...options, method: 'POST', body: JSON.stringify(body) });
  const plan = async (...files: readonly object[]) => await post('PlanModel', { Files: files });
  const apply = async (parameters: object, options = {}) =>
    await post('ApplyModel', { Files: [ROOM], Version: 1, ...parameters }, options);
  const inForce = async (at = 0): Promise<Json> => (await ask('ModelInForce()', { at })).body;

  const tokenOf = async (username: string): Promise<string> => {
    const body = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD });
    const response = await send('/token', { method: 'POST', body });
    return ((await response.json()) as Json).access_token;
  };

  /** Waits for the outcome of the last application. */
  const outcome = async (at = 0): Promise<Json> => {
    for (;;) {
      const { status, body, retryAfter } = await ask('ModelInForce()', { at });
      expect([200, 503]).toContain(status);
      if (status === 503) expect(retryAfter).not.toBeNull();
      else if (body.LastApplication.State !== 'applying') return body;
      await pause(30);
    }
  };
  const start = async () => {
    services = [await createService(settings)];
    if (kind === 'PostgreSQL') services.push(await createService(settings));
  };
  const stop = async () => {
    for (const service of services.splice(0)) await service.close();
  };

  beforeAll(async () => {
    const environment: Record<string, string> = { DOCKET_ADMIN_PASSWORD: PASSWORD };
    if (kind === 'PostgreSQL') {
      const database = await postgresUrl();
      environment.DOCKET_DATABASE = database;
      settings = { ...settings, database };
    }
    const words = ['demo', '--requests', '5', '--data', join(folder, 'data')];
    expect(await docketHere(words, environment)).toMatchObject({ code: 0 });
    await start();
    tokens = { admin: await tokenOf('admin') };
    const { value } = (await ask("Roles?$top=1&$filter=Name ne 'administrator'")).body;
    const reader = {
      LoginName: 'ada',
      Password: PASSWORD,
      'Roles@odata.bind': [`Roles(${value[0].Uid})`],
    };
    expect(await post('Accounts', reader)).toMatchObject({ status: 201 });
    tokens = { ...tokens, ada: await tokenOf('ada') };
  }, 120_000);
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
    if (settings.database !== undefined) await dropDatabase(settings.database);
  }, 60_000);

  it('the operations are reserved for administrators', async () => {
    const answers = [
      await post('PlanModel', { Files: [ROOM] }, { as: 'ada' }),
      await apply({}, { as: 'ada' }),
      await ask('ModelInForce()', { as: 'ada' }),
    ];
    for (const { status, body } of answers)
      expect([status, body.error.code]).toEqual([403, 'access.models']);
  });

  it.runIf(ALL)('a plan lists what is added and the steps, and changes nothing', async () => {
    const { status, body } = await plan(ROOM, {
      Name: 'labels.csv',
      Content: `type,member,en\nServiceRequest,Room,Room number\n`,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ Version: 1, IsSame: false, LosesData: false });
    expect(body.Differences).toEqual([
      { Change: 'added', Kind: 'member', Name: `${DESK}.ServiceRequest/Room`, Fields: [] },
    ]);
    expect(body.Steps).toContainEqual({
      Text: 'Add the column "Room" to "ServiceRequests".',
      Losses: [],
      Conflicts: [],
    });
    expect(await inForce()).toMatchObject({ Version: 1, Files: [], LastApplication: null });
    expect((await ask('ServiceRequests?$select=Room')).status).toBe(400);
  });

  it.runIf(ALL)('files with unknown names, or with broken JSON, are reported', async () => {
    const { body } = await plan(
      { Name: 'b.csdl.json', Content: '{"$Version": ' },
      { Name: 'code.csv', Content: 'list,value' },
    );
    const found = body.error.details.map(({ target, message }: Json) => [target, message]);
    expect(found).toEqual([
      ['code.csv', expect.stringContaining('Did you mean "codes.csv"?')],
      ['b.csdl.json', expect.stringContaining('Fix the JSON syntax.')],
    ]);
  });

  it('all mistakes are reported with their file and place', async () => {
    const { status, body } = await plan(
      extension({ Room: { $Type: 'Edm.Nope', $Nullable: true } }, 'a.csdl.json'),
      extension({ Floor: { ...NUMBER, $Kinds: 'x' } }, 'b.csdl.json', 'Person'),
      { Name: 'labels.csv', Content: 'type,member,en\nServiceRequest,Roof,Roof\n' },
    );
    expect([status, body.error.code, body.error.target]).toEqual([400, 'model.mistakes', 'Files']);
    const places = body.error.details.map(({ target }: Json) => target);
    expect(places).toContain(`a.csdl.json: $["${DESK}"].ServiceRequest.Room.$Type`);
    expect(places).toContain(`b.csdl.json: $["${DESK}"].Person.Floor.$Kinds`);
    expect(places.join()).toContain('labels.csv');
  });

  it.each([
    ['no file', [], 400, 'there is none'],
    ['a path', [{ ...ROOM, Name: '../x.csdl.json' }], 400, 'is not the name of a file'],
    ['a hidden directory', [{ ...ROOM, Name: '..' }], 400, 'is not the name of a file'],
    ['the same name twice', [ROOM, ROOM], 400, 'several files named extension.csdl.json'],
  ])('%s is rejected', async (_, files, expected, reason) => {
    const { status, body } = await plan(...files);
    expect([status, body.error.code]).toEqual([expected, 'model.files']);
    expect(body.error.message).toContain(reason);
  });

  it('files above limits.modelBytes are rejected', async () => {
    const { status, body } = await plan({
      ...ROOM,
      Content: `${ROOM.Content}${' '.repeat(20_000)}`,
    });
    expect([status, body.error.code]).toEqual([413, 'model.too-large']);
    expect(body.error.message).toContain('limits.modelBytes');
  });

  it.runIf(ALL)('a model is applied alone, to the version that it was planned for', async () => {
    const outdated = await apply({ Version: 7 });
    expect([outdated.status, outdated.body.error.code]).toEqual([409, 'store.model-changed']);
    expect(outdated.body.error.message).toContain('PlanModel');
    const url = 'ApplyModel';
    const part = {
      id: '1',
      method: 'POST',
      url,
      body: { Files: [ROOM], Version: 1 },
      atomicityGroup: 'g',
    };
    const grouped = await post('$batch', { requests: [part] });
    expect(grouped.body.responses[0].body.error.code).toBe('model.alone');
    const headers = {
      'repeatability-request-id': '2f7d3c9e-8a51-4b7e-9d0c-6b1f0a3e5d42',
      'repeatability-first-sent': new Date().toUTCString(),
    };
    expect((await apply({}, { headers })).body.error.code).toBe('model.alone');
    const dry = await apply({}, { headers: { prefer: 'dry-run' } });
    expect([dry.status, dry.body.State]).toEqual([200, 'applying']);
    expect(await inForce()).toMatchObject({ Version: 1, LastApplication: null });
  });

  it('services continue with an applied model without failed requests, and keep it after a restart', async () => {
    const statuses = services.map(() => new Set<number>());
    let isEnding = false;
    const watching = services.map(async (_, at) => {
      while (!isEnding) {
        statuses[at]?.add((await ask('ServiceRequests?$top=1', { at })).status);
        await pause(10);
      }
    });
    const { status, body } = await apply({});
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ State: 'applying', Version: 2, Account: 'admin', Ended: null });
    for (const at of services.keys()) {
      const { Version, Author, Files, LastApplication } = await outcome(at);
      expect({ Version, Author, Files }).toEqual({ Version: 2, Author: 'admin', Files: [ROOM] });
      expect(LastApplication).toMatchObject({ State: 'applied', Version: 2, Message: null });
      const { Backup, Started, Ended } = LastApplication;
      expect(Date.parse(Ended)).toBeGreaterThanOrEqual(Date.parse(Started));
      if (kind === 'SQLite') expect(existsSync(Backup)).toBe(true);
      else expect(Backup).toBeNull();
      expect(await ask('ServiceRequests?$select=Room', { at })).toMatchObject({ status: 200 });
    }
    isEnding = true;
    await Promise.all(watching);
    for (const seen of statuses)
      expect([...seen].every((one) => one === 200 || one === 503)).toBe(true);
    const audit = await ask(
      "AuditEntries?$filter=contains(Detail,'of the model')&$select=Kind,Account,Detail",
    );
    expect(audit.body.value).toMatchObject([
      {
        Kind: 'administration',
        Account: 'admin',
        Detail: 'version 2 of the model applied: upload of extension.csdl.json',
      },
    ]);
    await stop();
    const configured = join(folder, 'other.json');
    writeFileSync(configured, extension({ Floor: NUMBER }).Content);
    settings = { ...settings, model: configured };
    await start();
    expect((await inForce()).Version).toBe(2);
    expect((await ask('ServiceRequests?$select=Room')).status).toBe(200);
  }, 120_000);

  it.runIf(ALL)('a model that is in force is not applied again', async () => {
    const { body } = await plan(ROOM);
    const Path = join(folder, 'other.json');
    expect(body).toMatchObject({ IsSame: true, Warnings: [{ Path }] });
    expect((await apply({ Version: 2 })).body).toMatchObject({ State: 'applied', Version: 2 });
    expect((await inForce()).Version).toBe(2);
  });

  it.runIf(ALL)(
    'steps that lose data must be permitted',
    async () => {
      const { value } = (await ask('ServiceRequests?$top=1&$select=Uid')).body;
      const change = { method: 'PATCH', body: JSON.stringify({ Room: 12 }) };
      expect((await ask(`ServiceRequests(${value[0].Uid})`, change)).status).toBeLessThan(300);
      const files = { Files: [extension({ Floor: NUMBER })], Version: 2 };
      const planned = (await plan(...files.Files)).body;
      expect(planned.LosesData).toBe(true);
      const losses = planned.Steps.flatMap((step: Json) => step.Losses);
      expect(losses).toMatchObject([
        { Kind: 'values', Table: 'ServiceRequests', Column: 'Room', Rows: 1 },
      ]);
      const refused = await apply(files);
      expect([refused.status, refused.body.error.code]).toEqual([409, 'store.migration-loses']);
      expect(refused.body.error.message).toContain('"AllowLoss": true');
      expect((await inForce()).Version).toBe(2);
      const permitted = { ...files, AllowLoss: true };
      const started = await Promise.all([apply(permitted), apply(permitted)]);
      expect(started.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const busy = started.find(({ status }) => status === 409);
      expect([busy?.body.error.code, busy?.retryAfter]).toEqual(['model.busy', '10']);
      expect((await outcome()).Version).toBe(3);
      const audit = await ask("AuditEntries?$filter=contains(Detail,'; lost the value of')");
      expect(audit.body.value).toMatchObject([{ Detail: expect.stringContaining('1 row of') }]);
    },
    120_000,
  );

  it.runIf(ALL)(
    'a model that the records do not permit leaves everything as it was, and the service says why',
    async () => {
      const tag = { $MaxLength: 10, $DefaultValue: 'x', '@Docket.Unique': true };
      const files = { Files: [extension({ Floor: NUMBER, Tag: tag })], Version: 3 };
      expect((await apply(files)).status).toBe(200);
      const { Version, LastApplication } = await outcome();
      expect(Version).toBe(3);
      expect(LastApplication).toMatchObject({
        State: 'failed',
        Version: 4,
        Message: expect.stringMatching(/rolled back/),
      });
      expect((await ask('ServiceRequests?$select=Floor')).status).toBe(200);
      const audit = await ask("AuditEntries?$filter=contains(Detail,'not applied')");
      expect(audit.body.value).toMatchObject([{ Detail: expect.stringContaining('rolled back') }]);
    },
    120_000,
  );
});
