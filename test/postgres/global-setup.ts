// This file gives the processes of a test run a directory for temporary files, and one PostgreSQL server, which starts when the first of them
// asks for it. The main process of vitest listens on a port; it answers each connection with the URL of the server.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { removeCompiled } from '../compiled.ts';
import { removeFilled } from '../filled-directory.ts';
import { lastingFolder, useMemory } from '../temporary-folder.ts';
import { nativeFolder, serverUrl } from './binaries.ts';
import { dropDatabases, RUN } from './databases.ts';

/** Name of the environment variable with the port. */
export const PORT = 'TEST_POSTGRES_PORT';

/** Vitest calls this before the tests of a project, and the function that it returns after them. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[PORT] !== undefined) return undefined;
  const releaseMemory = useMemory();
  let server: Promise<TestServer> | undefined;
  const broker = createServer((socket) => {
    server ??= serverUrl === undefined ? startServer() : Promise.resolve({ url: serverUrl });
    server.then(
      ({ url }) => socket.end(JSON.stringify({ url })),
      (error: Error) => socket.end(JSON.stringify({ error: error.message })),
    );
    socket.on('error', () => socket.destroy());
  });
  process.env[RUN] = `${process.pid}_${Date.now().toString(36)}`;
  process.env[PORT] = String(await listen(broker));
  return async () => {
    broker.close();
    removeCompiled();
    removeFilled();
    const { url, process: child } = (await server?.catch(() => undefined)) ?? {};
    if (url !== undefined && child === undefined) await dropDatabases(url);
    if (child !== undefined) await end(child);
    releaseMemory();
  };
}

async function listen(broker: Server): Promise<number> {
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  broker.unref();
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

interface TestServer {
  readonly url: string;
  /** The process that runs the server; undefined for that of TEST_DATABASE_URL. */
  readonly process?: ChildProcess;
}

async function startServer(): Promise<TestServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.mjs'), nativeFolder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    // Its databases are large, and it waits for no disk.
    env: { ...process.env, TMPDIR: lastingFolder() },
  });
  for await (const line of createInterface(child.stdout)) {
    const { url, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`PostgreSQL for tests: ${error}`);
    return { url, process: child };
  }
  throw new Error('PostgreSQL for tests ended before it started');
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  if (child.exitCode === null) await ended;
}
