// This file runs docs/extending.md in order: its files, its commands on an installation whose service runs, and its requests.
import type { ChildProcess } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path, { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkModelFile, readModelRoles } from '../../src/cli/model-file.ts';
import { readModelFiles } from '../../src/cli/model-source.ts';
import { servedAddress } from '../child-output.ts';
import { docketHere, type Ended, makeProgram, type Program } from '../cli/run-docket.ts';
import { usesPostgres } from '../database.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { readCommands } from './read-commands.ts';
import { differsFrom, lacks, readExamples, readShown } from './read-pages.ts';

const PAGE = 'extending.md';
const PASSWORD = 'correct horse battery';
const page = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
/** Blocks below a line that names their file. */
const files = [...page.matchAll(/^`([\w.-]+)`\n\n```(?:json|csv)\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);
const commands = readCommands(PAGE);
const isRollback = ({ words }: (typeof commands)[number]) => words.includes('rollback');

interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

describe(`docs/${PAGE}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-extending-'));
  const directory = join(folder, 'fleet');
  const tokens = new Map<string, string>();
  let program: Program;
  let environment: Readonly<Record<string, string>> = {
    DOCKET_ADMIN_PASSWORD: PASSWORD,
    DOCKET_PASSWORD: PASSWORD,
  };
  let service: ChildProcess;
  let origin: string;

  const placed = (word: string) =>
    word.startsWith('/') || word === 'fleet' ? join(folder, word) : word;
  const docket = async (...words: readonly string[]): Promise<Ended> =>
    await docketHere(words.map(placed), environment);

  const send = async (method: string, url: string, { headers = {}, body }: Message = {}) => {
    const isText = typeof body === 'string' || body === undefined;
    const response = await fetch(url.startsWith('http') ? url : `${origin}/odata${url}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens.get(headers.account ?? 'ada')}`,
        connection: 'close',
        ...(isText ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  const get = async (url: string, headers = {}) => await send('GET', url, { headers });
  const untilStatus = async (url: string, status: number) => {
    const current = async () => (await get(url).catch(() => undefined))?.status;
    while ((await current()) !== status) await pause(50);
  };
  const logIn = async (username: string) => {
    const body = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD });
    const response = await fetch(`${origin}/token`, { method: 'POST', body });
    tokens.set(username, ((await response.json()) as { access_token: string }).access_token);
  };
  const run = async ({ words, output }: (typeof commands)[number]) => {
    const { code, out, err } = await docket(...words);
    expect([code, err.replace(/^Waiting until .*\n/, '')]).toEqual([0, '']);
    expect(differsFrom(output.trim(), out.trim().replaceAll(`${folder}/`, ''))).toBeUndefined();
  };

  beforeAll(async () => {
    program = makeProgram();
    mkdirSync(directory);
    mkdirSync(join(folder, 'srv'));
    for (const { name, text } of files) writeFileSync(join(directory, name), text);
    if (usesPostgres) environment = { ...environment, DOCKET_DATABASE: await postgresUrl() };
    const data = ['--data', '/srv/docket'];
    expect(await docket('init', '--admin', 'ada', ...data)).toMatchObject({ code: 0 });
    expect(await docket('enable', ...data)).toMatchObject({ code: 0 });
    const words = ['serve', '--port', '0', '--log-level', 'error', ...data].map(placed);
    service = program.launch(words, environment);
    origin = await servedAddress(service);
    await logIn('ada');
  }, 120_000);
  afterAll(async () => {
    const ended = new Promise((resolve) => service?.once('close', resolve));
    service?.kill('SIGTERM');
    await ended;
    program?.remove();
    rmSync(folder, { recursive: true, force: true });
    const { DOCKET_DATABASE: url } = environment;
    if (url !== undefined) await dropDatabase(url);
  }, 60_000);

  test('its files are an extension without mistakes', async () => {
    expect(checkModelFile(directory).mistakes).toEqual([]);
    expect(readModelRoles(readModelFiles(directory)).map(({ name }) => name)).toContain(
      'fleet-manager',
    );
  });

  test.each(commands.filter((command) => !isRollback(command)))(
    'docket $words',
    async (command) => {
      await run(command);
    },
    60_000,
  );

  test('the service continues with the model', async () => {
    await untilStatus('/Vehicles', 200);
  }, 60_000);

  test.each(readExamples(PAGE))('$place $method $address', async (example) => {
    const { method, address, headers, body, answer } = example;
    const given = await send(method, `/${address.replaceAll(' ', '%20')}`, {
      headers: Object.fromEntries(headers),
      ...(body === '' ? {} : { body: body.trim() }),
    });
    expect([given.status, answer.status < 400 ? given.json?.error : undefined]).toEqual([
      answer.status,
      undefined,
    ]);
    for (const [name, value] of answer.headers)
      expect(differsFrom(value, String(given.headers.get(name)))).toBeUndefined();
    expect(lacks(readShown(answer.body.trim()), given.json)).toEqual([]);
  });

  test('the metadata contains both namespaces, and the sets of both in the built-in container', async () => {
    const { json } = await get('/$metadata?$format=json');
    expect(json.$EntityContainer).toBe('Service.Web.OData.Model.Container');
    expect(json.Fleet.Vehicle.$BaseType).toBe('Service.Web.OData.Model.Record');
    expect(json['Service.Web.OData.Model'].Container.Vehicles).toMatchObject({
      $Type: 'Fleet.Vehicle',
      '@Core.Description#nl': 'Voertuigen',
      $NavigationPropertyBinding: { Driver: 'Persons', ServiceRequests: 'ServiceRequests' },
    });
    const requests = json['Service.Web.OData.Model'].ServiceRequest;
    expect(requests.Description).toMatchObject({ $MaxLength: 255, '@Core.Description': 'Subject' });
    const service = await get('/');
    expect(service.json.value.map(({ name }: { name: string }) => name)).toContain('Vehicles');
    const xml = (await get('/$metadata')).text;
    expect(xml.includes(' Namespace="Fleet"><EntityType Name="Vehicle"')).toBe(true);
  });

  test('vehicles have files, history, a change log and rights of their own', async () => {
    const { json: created } = await send('POST', '/Vehicles', {
      body: { LicencePlate: 'DO-1' },
    });
    const url = `/Vehicles(${created.Uid})`;
    const upload = await send('POST', `${url}/Attachments`, {
      headers: { 'content-type': 'text/plain', slug: 'papers.txt' },
      body: 'papers',
    });
    expect(upload.status).toBe(201);
    const delta = await get('/Vehicles?$select=Seats', { prefer: 'track-changes' });
    expect((await send('PATCH', url, { body: { Seats: 7 } })).status).toBe(204);
    const changes = await get(delta.json['@odata.deltaLink']);
    expect(changes.json.value).toMatchObject([{ Seats: 7 }]);
    const history = await get(`${url}/HistoryLines`);
    expect(JSON.stringify(history.json.value)).toContain('Seats');
    expect((await send('DELETE', url)).status).toBe(204);
  });

  test('an account with the role has its rights', async () => {
    const data = ['--data', '/srv/docket'];
    const added = await docket('account', 'add', 'fred', '--role', 'fleet-manager', ...data);
    expect(added).toMatchObject({ code: 0 });
    await logIn('fred');
    const asFred = { account: 'fred' };
    const created = await send('POST', '/Vehicles', {
      headers: asFred,
      body: { LicencePlate: 'FR-3D' },
    });
    expect(created.status).toBe(201);
    const requests = await get('/ServiceRequests?$count=true&$expand=Vehicle', asFred);
    expect(requests.json['@odata.count']).toBe(2);
    expect((await get('/ServiceRequests?$count=true')).json['@odata.count']).toBe(2);
    await send('POST', '/ServiceRequests', { body: { Description: 'No vehicle' } });
    expect((await get('/ServiceRequests?$count=true', asFred)).json['@odata.count']).toBe(2);
    const denied = await send('POST', '/ServiceRequests', {
      headers: asFred,
      body: { Description: 'Denied' },
    });
    expect([denied.status, (await get('/Persons', asFred)).status]).toEqual([403, 403]);
    const url = `/Vehicles(${created.json.Uid})`;
    expect((await send('DELETE', url, { headers: asFred })).status).toBe(204);
    const gone = await docket('account', 'delete', 'fred', ...data);
    expect(gone).toMatchObject({ code: 0 });
  }, 60_000);

  test.each(commands.filter(isRollback))(
    'docket $words',
    async (command) => {
      await run(command);
      await untilStatus('/Vehicles', 404);
      expect((await get("/Entities?$filter=Name eq 'Vehicle'")).json.value).toEqual([]);
      expect((await get("/Roles?$filter=Name eq 'fleet-manager'")).json.value).toEqual([]);
    },
    60_000,
  );

  test('the mistake that it shows is the one that is found', () => {
    const { text } = files[0] ?? { text: '' };
    const changed = text.replace('"Description": {', '"Description": { "$Type": "Edm.Int32",');
    writeFileSync(join(directory, 'fleet.csdl.json'), changed);
    const [found] = checkModelFile(directory).mistakes;
    expect(page).toContain(`error at ${found?.path}: ${found?.message} ${found?.remedy}`);
  });
});
