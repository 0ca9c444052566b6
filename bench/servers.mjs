// This file starts and stops the processes of the bench, and tells what they have used: the service, the floor, and what puts load on them.
import { spawn, spawnSync } from 'node:child_process';
import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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
  const environment = { ...process.env, DOCKET_ADMIN_PASSWORD: LOGIN.password };
  const made = spawnSync(process.execPath, [docket, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environment,
    cwd: root,
  });
  if (made.status !== 0) throw new Error(`docket ${args[0]} ended with ${made.status}`);
}

/**
 * A copy of the installation for those who write, so that the other stays as it is: the blocks are shared where the file system can do
 * that. It is taken away by `remove`.
 */
export function copyInstallation() {
  const directory = `${data}/copy`;
  const remove = () => rmSync(directory, { recursive: true, force: true });
  remove();
  mkdirSync(directory);
  copyFileSync(`${data}/docket.db`, `${directory}/docket.db`, constants.COPYFILE_FICLONE);
  return { directory, remove };
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
  return { ...server, headers: { authorization: `Bearer ${token}` } };
}

/** @param signatures what stands in skip tokens, by the beginning of the next link */
export async function startFloor(serviceRoot, signatures) {
  const file = fileURLToPath(new URL('./floor.mjs', import.meta.url));
  const args = [file, `${data}/docket.db`, serviceRoot, JSON.stringify(signatures)];
  return { ...(await start(args, {}, /floor (http:\S+)/)), headers: {} };
}

/** The floor of requests that write, on a database that may be changed. */
export async function startWritingFloor(serviceRoot, directory) {
  const file = fileURLToPath(new URL('./floor-writes.mjs', import.meta.url));
  const args = [file, `${directory}/docket.db`, serviceRoot];
  return { ...(await start(args, {}, /floor (http:\S+)/)), headers: {} };
}

/** Loads from a process of its own, autocannon or a lighter one: `load(order)` is kept with what it saw. */
export function startLoader(program = './load.mjs') {
  const file = fileURLToPath(new URL(program, import.meta.url));
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
