// This file runs PostgreSQL servers of a test's own, which it may stop and restart, and read replicas of them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingServer, nativeFolder, serverUrl } from './binaries.ts';
import { programsIn } from './native.mjs';

/** Whether the binaries for a server of its own are there. */
export const hasOwnServers = missingServer === undefined && serverUrl === undefined;

/** PostgreSQL does not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export interface OwnServer {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** A fast shutdown by SIGINT, or an immediate one by SIGQUIT. PostgreSQL, "Shutting Down the Server". */
  readonly stop: (signal?: 'SIGINT' | 'SIGQUIT') => Promise<void>;
  /** A read replica, started. Restarts this server. */
  readonly replicate: () => Promise<OwnServer>;
  /** Stops the server and removes its directory. */
  readonly remove: () => Promise<void>;
}

/** A new server, started. */
export async function ownServer(): Promise<OwnServer> {
  const directory = makeDirectory();
  const programs = programsIn(nativeFolder, directory, optionsOf(directory));
  const flags = ['-U', 'docket', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), ['-D', join(directory, 'data'), ...flags], {
    ...optionsOf(directory),
    stdio: 'ignore',
  });
  const server = serverIn({ directory, programs, port: await freePort() });
  await server.start();
  return server;
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'docket-server-'));
  if (nobody.uid !== undefined) chownSync(directory, nobody.uid, nobody.gid);
  return directory;
}

const optionsOf = (directory: string) => ({
  ...nobody,
  cwd: directory,
  env: { LC_ALL: 'C', HOME: directory },
});

interface Place {
  readonly directory: string;
  readonly programs: string;
  readonly port: number;
}

function serverIn(place: Place): OwnServer {
  const { directory, programs, port } = place;
  const data = join(directory, 'data');
  let running: ChildProcess | undefined;
  const server: OwnServer = {
    url: `postgres://docket@127.0.0.1:${port}/postgres`,
    start: async () => {
      running = await startServer(place);
    },
    stop: async (signal = 'SIGINT') => {
      const stopping = running;
      running = undefined;
      const ended = new Promise((resolve) => stopping?.once('exit', resolve));
      if (stopping?.kill(signal) === true) await ended;
    },
    replicate: async () => {
      // Copied while the server is stopped, since pg_basebackup is not among the binaries.
      await server.stop();
      const copy = makeDirectory();
      execFileSync('cp', ['-a', data, copy]);
      await server.start();
      const primary = `primary_conninfo = 'host=127.0.0.1 port=${port} user=docket'\n`;
      appendFileSync(join(copy, 'data', 'postgresql.auto.conf'), primary);
      writeFileSync(join(copy, 'data', 'standby.signal'), '');
      const replica = serverIn({ directory: copy, programs, port: await freePort() });
      await replica.start();
      return replica;
    },
    remove: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return server;
}

async function startServer({ directory, programs, port }: Place): Promise<ChildProcess> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const args = ['-D', join(directory, 'data'), '-p', String(port), ...flags];
  const server = spawn(join(programs, 'postgres'), args, {
    ...optionsOf(directory),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    server.stderr?.on('data', (text) => {
      log += text;
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.once('exit', () => reject(new Error(log)));
  });
  return server;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
