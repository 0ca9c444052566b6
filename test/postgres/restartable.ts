// This file runs a PostgreSQL server of its own for a test that stops and restarts it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingServer, nativeFolder, serverUrl } from './binaries.ts';

/** Whether the binaries for a server of its own are there. */
export const canRestart = missingServer === undefined && serverUrl === undefined;

export interface RestartableServer {
  readonly url: string;
  /** Starts the server and waits until it accepts connections. */
  readonly start: () => Promise<void>;
  /** Fast shutdown on SIGINT, immediate shutdown without a checkpoint on SIGQUIT. PostgreSQL, "Shutting Down the Server". */
  readonly stop: (signal: 'SIGINT' | 'SIGQUIT') => Promise<void>;
  /** Stops the server and removes its data. */
  readonly remove: () => Promise<void>;
}

/** Creates a server that does not run yet. */
export async function restartableServer(): Promise<RestartableServer> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-restart-'));
  const data = join(directory, 'data');
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const options = { ...nobody, cwd: directory, env: { LC_ALL: 'C', HOME: directory } };
  const program = (name: string) => join(nativeFolder, 'bin', name);
  if (nobody.uid !== undefined) chownSync(directory, nobody.uid, nobody.gid);
  const flags = ['-U', 'docket', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  execFileSync(program('initdb'), ['-D', data, ...flags], options);
  const port = await freePort();
  let server: ChildProcess | undefined;
  const stop: RestartableServer['stop'] = async (signal) => {
    const stopping = server;
    if (stopping === undefined) return;
    server = undefined;
    const ended = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill(signal);
    await ended;
  };
  return {
    url: `postgres://docket@127.0.0.1:${port}/postgres`,
    start: async () => {
      const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
      const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])];
      const stdio = ['ignore', 'ignore', 'pipe'] as const;
      const started = spawn(program('postgres'), args, { ...options, stdio: [...stdio] });
      server = started;
      await new Promise<void>((resolve) => {
        started.stderr?.on('data', (text) => String(text).includes('ready to accept') && resolve());
      });
    },
    stop,
    remove: async () => {
      await stop('SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
