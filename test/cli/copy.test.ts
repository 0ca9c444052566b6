// This file copies an installation to PostgreSQL and to another directory with `docket copy`: responses are the same, writes continue, and
// a copy that was killed is completed by the next. What must not be copied is rejected.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { databaseOf, openInstallation } from '../../src/cli/wire.ts';
import { changeCodes } from '../../src/store/codes/stored-codes.ts';
import type { CopiedRows } from '../../src/store/load/copy-database.ts';
import { servedAddress } from '../child-output.ts';
import { compileSources } from '../compiled.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { sampleSize } from '../sample-size.ts';
import { docketHere, type Ended, makeProgram, type Program } from './run-docket.ts';

const PASSWORD = 'correct horse battery';
const REQUEST = { Description: 'Written by the service', 'Caller@odata.bind': 'Persons(85)' };

let program: Program;
let origin: string;
/** A delta link of the origin, relative to its address. */
let deltaLink: string;
let copiedUrl: Promise<string> | undefined;
beforeAll(async () => {
  program = makeProgram();
  origin = join(program.folder, 'origin');
  const environment = { DOCKET_ADMIN_PASSWORD: PASSWORD };
  const made = await docketHere(['demo', '--requests', '60', '--data', origin], environment);
  expect(made).toMatchObject({ code: 0 });
  await renameStatus();
  deltaLink = await serving({ data: origin }, async (client) => {
    const { body } = await client('GET', 'Services?$select=Name', {
      headers: { prefer: 'odata.track-changes' },
    });
    const link = String(JSON.parse(body)['@odata.deltaLink']);
    await vi.waitFor(async () => expect(await dueActions()).toBe(0), { timeout: 30_000 });
    await client('POST', 'ServiceRequests', { body: REQUEST });
    await client('PATCH', `${await someService(client)}`, { body: { Name: 'Renamed' } });
    return link.slice(link.indexOf('/odata/') + '/odata/'.length);
  });
}, 120_000);
afterAll(() => program.remove());

async function renameStatus(): Promise<void> {
  const { database, model, layout } = await openInstallation(readConfig({ data: origin }, {}));
  const [list] = model.definition.codeLists;
  const { value = 0n } = list?.codes[0] ?? {};
  await changeCodes(database, layout, [
    { value: Number(value), texts: { [model.definition.languages[0] ?? '']: 'Renamed "text" ä' } },
  ]);
  await database.close();
}

/** How many actions of the origin are due, which the service that runs performs. They would change the records while the test compares them. */
async function dueActions(): Promise<unknown> {
  const { out } = await docketHere(['status', '--data', origin, '--json']);
  return JSON.parse(out).contents.running.dueActions;
}

interface Place {
  readonly data: string;
  readonly database?: string;
}

interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Client = (
  method: string,
  url: string,
  message?: Message,
) => Promise<{ readonly status: number; readonly body: string }>;

/** Serves an installation meanwhile. The administrator logs in with the password. */
async function serving<T>(place: Place, use: (client: Client) => Promise<T>): Promise<T> {
  const { data, database } = place;
  const environment = database === undefined ? {} : { DOCKET_DATABASE: database };
  const child = program.launch(['serve', '--port', '0', '--data', data], environment);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const started = new Date().toISOString();
  try {
    const address = await servedAddress(child);
    const fields = { grant_type: 'password', username: 'admin', password: PASSWORD };
    const response = await fetch(`${address}/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const client: Client = async (method, url, { headers = {}, body } = {}) => {
      const answer = await fetch(`${address}/odata/${url}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text.replaceAll(address, '') };
    };
    await untilRecorded(client, started);
    return await use(client);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Waits for the entry of the login in the audit trail, which is written a moment later. Its Uid is of the same sequence as those of records. */
async function untilRecorded(client: Client, started: string): Promise<void> {
  const url = `AuditEntries/$count?$filter=Kind eq 'log-in' and Time ge ${started}`;
  await vi.waitFor(async () => expect(await client('GET', url)).toMatchObject({ body: '1' }), {
    timeout: 30_000,
  });
}

async function someService(client: Client): Promise<string> {
  const { body } = await client('GET', 'Services?$top=1&$orderby=Uid&$select=Uid');
  return `Services(${JSON.parse(body).value[0].Uid})`;
}

async function copy(from: string, to: string, ...more: readonly string[]): Promise<Ended> {
  return await docketHere(['copy', '--from', from, '--to', to, ...more]);
}

function place(name: string): string {
  return join(program.folder, name);
}

const READS = [
  '$metadata',
  'ServiceRequests?$orderby=ID&$expand=Caller,Workorders,HistoryLines',
  'Persons?$count=true&$orderby=Name desc,Uid&$top=200',
  'ServiceRequests?$search=printer&$orderby=ID',
  "ServiceRequests?$filter=contains(Description,'the') and Status/Value ne 101009&$orderby=Deadline,ID",
  'CodeLists?$expand=Codes&$orderby=Uid',
  'Accounts?$expand=Roles&$orderby=Uid',
  'RecordRelations?$orderby=Uid',
];

/** What a service returns for reads, and for writes after them. */
async function answersOf(at: Place): Promise<readonly unknown[]> {
  return await serving(at, async (client) => {
    const answers: unknown[] = [];
    for (const url of READS) answers.push([url, await client('GET', url)]);
    answers.push(await client('GET', deltaLink));
    const created = await client('POST', 'ServiceRequests', { body: REQUEST });
    const { Uid, ID } = JSON.parse(created.body);
    answers.push([created.status, Uid, ID]);
    const role = await client('POST', 'Roles', { body: { Name: 'agent' } });
    answers.push([role.status, JSON.parse(role.body).error?.code]);
    return answers;
  });
}

/** The URL of a copy in PostgreSQL, which the tests share. */
function copied(): Promise<string> {
  copiedUrl ??= copyToPostgres();
  return copiedUrl;
}

async function copyToPostgres(): Promise<string> {
  const url = await postgresUrl();
  const there = await copy(origin, url);
  expect([there.code, there.out]).toEqual([0, expect.stringContaining('Copied the database to')]);
  return url;
}

it('copies to PostgreSQL and to a directory, which answer and continue like the origin', async () => {
  const url = await copied();
  const back = await copy(url, place('back'), '--json');
  expect(back.code).toBe(0);
  const rows: readonly CopiedRows[] = JSON.parse(back.out);
  expect(rows.find(({ table }) => table === 'ServiceRequests')).toMatchObject({ rows: 61 });
  expect(rows.every(({ digest }) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
  const expected = await answersOf({ data: origin });
  expect(expected.map((answer) => JSON.stringify(answer)).join()).toContain('Renamed');
  const answers = expected.filter((answer) => Array.isArray(answer) && answer[1]?.status !== 200);
  expect(answers).toEqual([
    [201, expect.any(Number), expect.any(Number)],
    [409, expect.any(String)],
  ]);
  expect(await answersOf({ data: origin, database: url })).toEqual(expected);
  expect(await answersOf({ data: place('back') })).toEqual(expected);
}, 180_000);

/** How far a copy is when it is killed: the number of the table that is being copied. */
const KILLED_AT = [20, 0, 60].slice(0, sampleSize(1, 3));

/** Waits until a copy has come to the table, or has ended. */
async function untilCopying(child: ChildProcess, url: string, table: number): Promise<void> {
  const installation = await databaseOf(readConfig({}, { DOCKET_DATABASE: url }));
  const isThere = async () => {
    const position = (await installation.exists()) ? await installation.setting('copy') : undefined;
    return position !== undefined && JSON.parse(position).table >= table;
  };
  while (child.exitCode === null && !(await isThere())) await pause(5);
}

/** Variables of a command that would create an installation in the database. */
function intoCopy(url: string): Readonly<Record<string, string>> {
  return { DOCKET_ADMIN_PASSWORD: PASSWORD, DOCKET_DATABASE: url };
}

it('completes a copy that was killed, from the same source', async () => {
  const made = await docketHere(['demo', '--requests', '10', '--data', place('other')], {
    DOCKET_ADMIN_PASSWORD: PASSWORD,
  });
  expect(made).toMatchObject({ code: 0 });
  for (const table of KILLED_AT) {
    const url = await postgresUrl();
    const child = program.launch(['copy', '--from', origin, '--to', url]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await untilCopying(child, url, table);
    child.kill('SIGKILL');
    await ended;
    const opened = openInstallation(readConfig({}, { DOCKET_DATABASE: url }));
    await expect(opened).rejects.toMatchObject({ code: 'store.not-installed' });
    const others = [
      await copy(place('other'), url),
      await docketHere(['demo', '--data', place('demo')], intoCopy(url)),
      await docketHere(['init', '--admin', 'ada', '--data', place('demo')], intoCopy(url)),
    ];
    for (const { code, err } of others)
      expect([code, err]).toEqual([1, expect.stringContaining('a part of another copy')]);
    const again = await copy(origin, url);
    expect([again.code, again.err]).toEqual([0, expect.stringMatching(/rows are the same/)]);
    expect((await copy(origin, url)).err).toContain('holds an installation already');
  }
}, 180_000);

it.each([
  [
    'postgres://u@127.0.0.1:1/x',
    'The database x on 127.0.0.1:1 cannot be reached: nothing listens',
  ],
  ['postgres://u@no-such-host.invalid/x', 'cannot be reached: the name of the host'],
])('reports that it cannot use %s', async (url, message) => {
  const [from, to] = [await copy(url, place('never')), await copy(origin, url)];
  expect([from.code, from.err]).toEqual([1, expect.stringContaining(message)]);
  expect([to.code, to.err]).toEqual([1, expect.stringContaining(message)]);
  expect(from.err).toContain('--from');
  expect(to.err).toContain('--to');
  expect(existsSync(place('never'))).toBe(false);
});

it.each([
  ['postgres://u:SECRET@h:port/x', 'expected a valid URL'],
  ['postgress://u:SECRET@h/x', 'expected a URL such as postgres://'],
  ['MySQL://u:SECRET@h/x', 'expected a URL such as postgres://'],
  ['postgres:/u:SECRET@h/x', 'expected a URL such as postgres://'],
])('rejects %s, which is neither a directory nor a URL of PostgreSQL', async (url, message) => {
  const [from, to] = [await copy(url, place('never')), await copy(origin, url)];
  expect([from.code, from.err]).toEqual([2, expect.stringContaining(`--from: ${message}`)]);
  expect([to.code, to.err]).toEqual([2, expect.stringContaining(`--to: ${message}`)]);
  expect(from.err + to.err).not.toContain('SECRET');
  expect(existsSync(url.slice(0, url.indexOf(':') + 1))).toBe(false);
});

it('names its own option for a source without an installation', async () => {
  const { err } = await copy(place('missing'), place('never'));
  expect(err).toMatch(/^There is no installation in \S+\. .* --from\.\n$/);
});

it('reports a database that does not exist', async () => {
  const url = await postgresUrl();
  const missing = Object.assign(new URL(url), { pathname: '/no_such_database' }).href;
  const { code, err } = await copy(missing, place('never'));
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^The database no_such_database on \S+ does not exist\. .* in --from\.\n$/,
    ),
  ]);
  await dropDatabase(url);
});

it('rejects a directory with other files', async () => {
  mkdirSync(place('full'));
  writeFileSync(join(place('full'), 'notes.txt'), '');
  const { code, err } = await copy(origin, place('full'));
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('is not empty. Specify a new directory.'),
  ]);
  expect(readdirSync(place('full'))).toEqual(['notes.txt']);
});

it('names the database whose disk is full', () => {
  const bin = join(dirname(compileSources()), 'bin', 'docket');
  const limited = ['-c', 'ulimit -f 1000 && exec "$0" "$@"', process.execPath, bin];
  const words = ['copy', '--from', origin, '--to', place('small')];
  const { status, stderr } = spawnSync('sh', [...limited, ...words], { encoding: 'utf8' });
  expect(stderr).toContain(`The disk that holds ${join(place('small'), 'docket.db')} is full`);
  expect(status).toBe(1);
}, 60_000);

it('rejects a schema with other tables, and fills an empty one beside it', async () => {
  const url = await postgresUrl();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE TABLE foo (a int); CREATE SCHEMA desk');
  await client.end();
  const { code, err } = await copy(origin, url);
  expect([code, err]).toEqual([1, expect.stringContaining('contains tables of another program')]);
  expect(await copy(origin, `${url}?options=-c%20search_path%3Ddesk`)).toMatchObject({ code: 0 });
  await dropDatabase(url);
}, 120_000);

it('rejects a target with an installation, a missing source, and a source in use', async () => {
  const full = await copy(origin, origin);
  expect([full.code, full.err]).toEqual([1, expect.stringContaining('an installation already')]);
  const missing = await copy(place('missing'), place('never'));
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('no installation in')]);
  await serving({ data: origin }, async () => {
    const used = await copy(origin, place('never'));
    expect([used.code, used.err]).toEqual([1, expect.stringContaining('in use')]);
  });
  const url = await copied();
  await serving({ data: origin, database: url }, async () => {
    const used = await copy(url, place('never'));
    expect([used.code, used.err]).toEqual([1, expect.stringContaining('in use')]);
  });
  expect(existsSync(place('never'))).toBe(false);
}, 120_000);
