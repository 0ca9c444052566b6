// This file causes faults of the machine while a service runs: a full disk, a clock that is set back, no file descriptors left, a damaged
// database. Each response must name the fault, nothing that was acknowledged may be lost, and the service must recover without a restart.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSources } from '../compiled.ts';
import { type Killable, kill, logIn, makeKillable, PASSWORD, type Serving } from './killable.ts';

const MEGABYTE = 1_000_000;

/** A file system of its own in memory, which a test can fill; undefined where mounting is not permitted. */
function mountMemory(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'docket-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'docket-test', directory], {
      stdio: 'pipe',
    });
    return directory;
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
}

/** Lets SIGUSR2 set the clock of a process back by an hour. */
const CLOCK = `const { now } = Date; let back = 0;
  process.on('SIGUSR2', () => { back += 3_600_000; });
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { if (parts.length === 0) super(now() - back); else super(...parts); }
    static now() { return now() - back; }
  };`;

const disk = mountMemory();
let service: Killable;
let serving: Serving;
let token: string;
beforeAll(async () => {
  const clock = `data:text/javascript,${encodeURIComponent(CLOCK)}`;
  const variables = { NODE_OPTIONS: `--import=${clock}` };
  service = makeKillable(5, undefined, [], { parent: disk ?? tmpdir(), variables });
  serving = await service.serve();
  token = await logIn(serving);
}, 120_000);
afterAll(async () => {
  if (serving?.child.signalCode === null) await kill(serving);
  service?.close();
  if (disk === undefined) return;
  // Lazily, since a failed test may have left a file open: the mounted directory would stop later runs.
  execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true });
});

interface Response {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

let requests = 0;
async function ask(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
): Promise<Response> {
  requests++;
  const slug = `file ${requests}.bin`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, slug };
  const response = await fetch(`${serving.origin}${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const code = response.ok ? undefined : JSON.parse(text).error.code;
  return { status: response.status, code, text };
}

const stored: number[] = [];
async function create(): Promise<Response> {
  const response = await ask('POST', '/odata/Persons', JSON.stringify({ LastName: 'Fault' }));
  if (response.status === 201) stored.push(JSON.parse(response.text).Uid);
  return response;
}

const shown = ({ status, code }: Response) => [status, code];
const read = async () => await ask('GET', '/odata/Persons?$top=1');

async function upload(): Promise<Response> {
  const { text } = await ask('GET', '/odata/ServiceRequests?$select=Uid&$top=1');
  const path = `/odata/ServiceRequests(${JSON.parse(text).value[0].Uid})/Attachments`;
  return await ask('POST', path, Buffer.alloc(3 * MEGABYTE, 7), 'application/octet-stream');
}

async function isStored(): Promise<boolean> {
  const filter = encodeURIComponent("LastName eq 'Fault'");
  const { text } = await ask('GET', `/odata/Persons?$select=Uid&$top=250&$filter=${filter}`);
  const found = new Set(JSON.parse(text).value.map(({ Uid }: { Uid: number }) => Uid));
  return stored.length > 0 && stored.every((uid) => found.has(uid)) && found.size === stored.length;
}

it.skipIf(disk === undefined)(
  'a full disk rejects writes with 507, and reads go on',
  async () => {
    expect(shown(await create())).toEqual([201, undefined]);
    const fill = join(disk ?? '', 'fill');
    const file = openSync(fill, 'w');
    for (const size of [MEGABYTE, 4096])
      for (let isFull = false; !isFull; ) {
        try {
          isFull = writeSync(file, Buffer.alloc(size)) < size;
        } catch {
          isFull = true;
        }
      }
    expect(shown(await create())).toEqual([507, 'store.full']);
    expect(shown(await upload())).toEqual([507, 'file.full']);
    const login = new URLSearchParams({
      grant_type: 'password',
      username: 'admin',
      password: PASSWORD,
    });
    const { status } = await fetch(`${serving.origin}/token`, { method: 'POST', body: login });
    expect(status).toBe(507);
    expect(shown(await read())).toEqual([200, undefined]);
    closeSync(file);
    rmSync(fill);
    expect(shown(await create())).toEqual([201, undefined]);
    expect(shown(await upload())).toEqual([201, undefined]);
    expect(await isStored()).toBe(true);
  },
  30_000,
);

it('a clock that is set back ends no session, and changes are stored in their order', async () => {
  const before = JSON.parse((await create()).text);
  serving.child.kill('SIGUSR2');
  await expect
    .poll(
      async () =>
        JSON.parse((await create()).text).Registration.DateCreated <
        before.Registration.DateCreated,
    )
    .toBe(true);
  const { text } = await ask('PATCH', `/odata/Persons(${before.Uid})`, '{"Jobtitle":"later"}');
  expect(text).toBe('');
  expect(shown(await read())).toEqual([200, undefined]);
  token = await logIn(serving);
  expect(shown(await create())).toEqual([201, undefined]);
  expect(await isStored()).toBe(true);
}, 30_000);

it.runIf(process.platform === 'linux')(
  'without file descriptors, uploads and scans return 503, and work again when there are some',
  async () => {
    const { pid } = serving.child;
    const limitTo = (count: number) =>
      execFileSync('prlimit', [`--nofile=${count}:`, '--pid', String(pid)]);
    await read();
    const open = readdirSync(`/proc/${pid}/fd`).length;
    limitTo(open);
    expect(shown(await upload())).toEqual([503, 'file.unavailable']);
    const scan = await ask(
      'GET',
      "/odata/Persons?$filter=contains(Jobtitle,'a') or Uid gt 0&$top=1",
    );
    expect([200, 503]).toContain(scan.status);
    if (scan.status === 503) expect(scan.code).toBe('store.reader');
    expect(shown(await read())).toEqual([200, undefined]);
    limitTo(open + 200);
    expect(shown(await upload())).toEqual([201, undefined]);
    expect(shown(await create())).toEqual([201, undefined]);
  },
  30_000,
);

it.runIf(process.platform === 'linux')(
  'a start without enough file descriptors names the limit to raise',
  () => {
    const program = join(dirname(compileSources()), 'bin', 'docket');
    // Node itself would read certificates.
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const data = dirname(service.database);
    const command = (limit: number) => {
      const script = `ulimit -n ${limit} && exec "$0" "$1" account list --data "$2"`;
      const words = ['-c', script, process.execPath, program, data];
      return spawnSync('sh', words, { encoding: 'utf8', env });
    };
    // Below some limit Node itself cannot start, and above another the command needs no more.
    const ended = [20, 22, 23, 24, 25, 26, 27, 30].map(command);
    const failed = ended.filter(({ stderr }) => stderr !== '' && !/^\s*#|^node:/.test(stderr));
    expect(failed).not.toEqual([]);
    for (const { status, stderr } of failed) {
      expect(stderr).toMatch(/^\S.*too many files are open\. Raise .*ulimit -n 4096.*LimitNOFILE=/);
      expect([status, stderr.split('\n').length]).toEqual([1, 2]);
    }
  },
);

/** A program that begins a transaction, and commits it when a line arrives. */
const HOLDER = `const { connect } = await import(process.argv[1]);
  const database = connect(process.argv[2], false);
  database.exec('BEGIN IMMEDIATE');
  database.exec("INSERT INTO docket_setting (name, value) VALUES ('held', 'yes')");
  process.stdin.once('data', () => { database.exec('COMMIT'); database.close(); process.exit(); });
  console.log('begun');`;

it.runIf(process.env.TEST_ALL && process.platform === 'linux')(
  'a process that hangs in a transaction rejects each write after five seconds, and reads go on',
  async () => {
    execFileSync('prlimit', ['--nofile=2000:', '--pid', String(serving.child.pid)]);
    // The first use of a log-in opens its session, which is a write.
    expect(shown(await read())).toEqual([200, undefined]);
    const driver = pathToFileURL(join(compileSources(), 'store', 'sqlite', 'connection.js')).href;
    const words = ['--input-type=module', '-e', HOLDER, driver, service.database];
    const holder = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(holder.stdout, 'data');
      holder.kill('SIGSTOP');
      const outcomes: (Response & { readonly seconds: number })[] = [];
      const write = async () => {
        const start = performance.now();
        const response = await create();
        outcomes.push({ ...response, seconds: (performance.now() - start) / 1000 });
      };
      const slowest = { seconds: 0 };
      // More than one group, and more than once while the first ones wait.
      const writes = Array.from({ length: 300 }, write);
      for (let round = 0; round < 12; round++) {
        writes.push(write());
        const start = performance.now();
        expect(shown(await read())).toEqual([200, undefined]);
        slowest.seconds = Math.max(slowest.seconds, (performance.now() - start) / 1000);
        await new Promise((resolve) => setTimeout(resolve, 600));
      }
      await Promise.all(writes);
      const seconds = outcomes.map((one) => one.seconds);
      console.log(
        Math.min(...seconds),
        Math.max(...seconds),
        slowest,
        JSON.stringify(outcomes.slice(0, 2)),
        outcomes.length,
      );
      expect(new Set(outcomes.map(shown).map(String))).toEqual(new Set(['503,store.locked']));
      expect(outcomes[0]?.text).toContain('more than 5 seconds');
      expect(Math.min(...seconds)).toBeGreaterThan(4.9);
      expect(Math.max(...seconds)).toBeLessThan(8);
      expect(slowest.seconds).toBeLessThan(2);
      const waiting = write();
      holder.kill('SIGCONT');
      holder.stdin.write('end\n');
      await waiting;
      expect(outcomes.at(-1)).toMatchObject({ status: 201 });
      expect(shown(await create())).toEqual([201, undefined]);
      expect(await isStored()).toBe(true);
    } finally {
      holder.kill('SIGKILL');
    }
  },
  60_000,
);

it('a database that is damaged returns 503 with the remedy, and is not served again', async () => {
  expect(await isStored()).toBe(true);
  await kill(serving);
  serving = await service.serve();
  token = await logIn(serving);
  expect(await isStored(), 'what was acknowledged survives a kill').toBe(true);
  const ready = async () => {
    const response = await fetch(`${serving.origin}/readyz`);
    return `${response.status} ${await response.text()}`;
  };
  expect(await ready()).toBe('200 ready\n');
  const size = statSync(service.database).size;
  const file = openSync(service.database, 'r+');
  writeSync(file, Buffer.alloc(size - 8192, 0xa5), 0, size - 8192, 8192);
  closeSync(file);
  expect(shown(await ask('GET', '/odata/Workorders?$orderby=Description'))).toEqual([
    503,
    'store.damaged',
  ]);
  expect(await ready()).toMatch(/^503 The database is damaged\. Stop the service/);
  await kill(serving);
  const start = await service.serve().catch((error: Error) => error.message);
  expect(start).toContain('docket.db is damaged. Stop the service');
}, 30_000);
