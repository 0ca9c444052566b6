// This file runs a PostgreSQL server for tests in a temporary directory, from the binaries in the folder that is its first argument.
// Further arguments are settings of the server. It writes one line of JSON to standard output, with the URL of the server or with an
// error. The server ends, and its directory is removed, when standard input is closed: however the process ends that started this one,
// none is left behind.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { programsIn } from './native.mjs';

const READY = 'ready to accept connections';

/** Durability costs time and protects nothing here. The time zone shows statements that depend on that of the server. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'jit=off',
  'timezone=Asia/Kathmandu',
];

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-postgres-'));
const user = unprivilegedUser();
let server;
let isStopping = false;

/** PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : 65534;
  });
  fs.chownSync(directory, uid, gid);
  return { uid, gid };
}

/** How programs of PostgreSQL run. Messages are in English in the locale C. */
function surroundings() {
  const { PATH, SystemRoot } = process.env;
  return {
    ...user,
    cwd: directory,
    env: { PATH, ...(SystemRoot && { SystemRoot }), LC_ALL: 'C', HOME: directory },
  };
}

function createCluster(programs) {
  const options = '--username=docket --auth=trust --encoding=UTF8 --locale=C --no-sync';
  const { status, stderr, error } = spawnSync(
    path.join(programs, 'initdb'),
    [`--pgdata=${path.join(directory, 'data')}`, ...options.split(' ')],
    { ...surroundings(), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
}

async function freePort() {
  const probe = net.createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts the server and waits until it accepts connections. */
async function start(programs) {
  const port = await freePort();
  const data = path.join(directory, 'data');
  const settings = [...SETTINGS, ...process.argv.slice(3)].flatMap((setting) => ['-c', setting]);
  server = spawn(path.join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...surroundings(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in a terminal reaches all processes of its group. The server must outlast the tests that use it.
    detached: true,
  });
  await new Promise((resolve, reject) => {
    let log = '';
    server.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-4000);
      if (log.includes(READY)) resolve();
    });
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`the server did not start: ${log}`)));
  });
  server.on('exit', () => removeAll());
  return `postgres://docket@127.0.0.1:${port}/postgres`;
}

/** A second attempt, in case another process has taken the port. */
async function startTwice(programs) {
  try {
    return await start(programs);
  } catch (error) {
    if (isStopping) throw error;
    return await start(programs);
  }
}

function removeAll() {
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
}

/** An immediate stop: nothing of the data is needed again. */
function stop() {
  isStopping = true;
  if (server === undefined || !server.kill('SIGQUIT')) removeAll();
}

process.stdin.on('end', stop).on('error', stop).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

try {
  const [, , given] = process.argv;
  const programs = programsIn(given, directory, surroundings());
  createCluster(programs);
  const url = await startTwice(programs);
  process.stdout.write(`${JSON.stringify({ url })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error.message })}\n`);
  stop();
}
