// A store on an FTP server, with or without TLS. Files are uploaded under a temporary name and renamed when they are complete, so that a
// key never belongs to a partial file. Files are distributed over 256 directories by the first two digits of their keys.
import type { Readable } from 'node:stream';
import { type Client, FTPError } from 'basic-ftp';
import type { World } from '../../base/world.ts';
import { withinTime } from '../../store/time-limit.ts';
import type { TrackedBytes } from '../byte-streams.ts';
import { lost, openStore } from '../open-store.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  PARTIAL,
  type ProbeStep,
  type StoredFile,
} from '../store.ts';
import { runSteps, type TestStep } from '../test-store.ts';
import { connectionSteps, type FtpSettings, isFull, isRejectedName, stepOf } from './connection.ts';
import { modifiedOf } from './listing.ts';
import { FtpPool } from './pool.ts';
import { download, sizeOf, upload } from './transfer.ts';

/** Time limit for removing the leftovers of a failed upload. Milliseconds. */
const CLEANUP_TIMEOUT = 5000;

/** A store on an FTP server, which connects at its first use. */
export function openFtpStore(
  settings: FtpSettings,
  world: Pick<World, 'now' | 'elapsed'>,
): AttachmentStore {
  const pool = new FtpPool(settings, world.elapsed);
  return openStore({
    name: 'ftp',
    put: async (key, bytes, signal) => await put(pool, pathOf(key), bytes, signal),
    get: async (key, range) => await get(pool, pathOf(key), range),
    remove: async (key) => await pool.use(async (client) => await remove(client, pathOf(key))),
    size: async (key) => await pool.use(async (client) => await sizeOf(client, pathOf(key))),
    list: () => list(pool, world.now),
    isFull,
    probe: (steps) => probe(settings, steps),
    writeRemedy: 'Allow the user to write and rename files there.',
    close: async () => pool.close(),
  });
}

function pathOf(key: string): string {
  return `${key.slice(0, 2)}/${key}`;
}

async function put(
  pool: FtpPool,
  path: string,
  bytes: TrackedBytes,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lease = await pool.take(signal);
  try {
    await send(lease.client, bytes, path);
    lease.end(true);
  } catch (error) {
    lease.end(error instanceof FTPError);
    await cleanUp(pool, path);
    throw error;
  }
}

async function send(client: Client, bytes: TrackedBytes, path: string): Promise<void> {
  const temporary = `${path}${PARTIAL}`;
  // MKD fails if the directory exists. Any other problem makes the upload fail.
  await client.sendIgnoringError(`MKD ${path.slice(0, 2)}`);
  await upload(client, bytes, temporary);
  try {
    await client.rename(temporary, path);
  } catch (error) {
    if (!(error instanceof FTPError)) throw error;
    // Some servers cannot rename to an existing name.
    await client.remove(path);
    await client.rename(temporary, path);
  }
}

/** Removes the leftovers of a failed upload if the server is reachable. Otherwise the sweep removes them later. */
async function cleanUp(pool: FtpPool, path: string): Promise<void> {
  const cleanup = pool.use(async (client) => {
    await client.sendIgnoringError(`DELE ${path}${PARTIAL}`);
    await client.sendIgnoringError(`DELE ${path}`);
  });
  await withinTime(
    cleanup.catch(() => undefined),
    CLEANUP_TIMEOUT,
  );
}

async function get(pool: FtpPool, path: string, range: ByteRange | undefined): Promise<Readable> {
  const lease = await pool.take();
  try {
    const size = await sizeOf(lease.client, path);
    if (size === undefined) throw lost('ftp');
    const first = range?.first ?? 0;
    const end = range === undefined ? size : range.last + 1;
    if (end > size) throw lost('ftp');
    return download(lease, path, { first, length: end - first, isToEnd: end === size });
  } catch (error) {
    lease.end(!lease.client.closed);
    throw error;
  }
}

/** Ignores a rejected deletion if the file does not exist. */
async function remove(client: Client, path: string): Promise<void> {
  try {
    await client.remove(path);
  } catch (error) {
    if (!isRejectedName(error) || (await sizeOf(client, path)) !== undefined) throw error;
  }
}

/** Uses a connection per directory, so that the store remains usable while the list is being read. */
async function* list(pool: FtpPool, now: World['now']): AsyncGenerator<StoredFile> {
  const folders = await pool.use(async (client) => await client.list());
  for (const folder of folders) {
    if (!folder.isDirectory || !/^[0-9a-f]{2}$/.test(folder.name)) continue;
    yield* await pool.use(async (client) => await listFolder(client, folder.name, now()));
  }
}

async function listFolder(client: Client, folder: string, now: number): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const file of await client.list(folder)) {
    if (!file.isFile || !isOwnName(file.name)) continue;
    const modified = await modifiedOf(client, file, `${folder}/${file.name}`, now);
    files.push({ key: file.name, size: file.size, modified });
  }
  return files;
}

/** Tests the connection steps, a listing, which is the first to need a data connection, and then the file steps. */
async function* probe(
  settings: FtpSettings,
  afterConnecting: readonly TestStep[],
): AsyncGenerator<ProbeStep> {
  const { client, steps } = connectionSteps(settings);
  const listing = stepOf(settings, 'data connection', async () => {
    const entries = await client.list();
    return `${settings.passive ? 'passive' : 'active'}, ${entries.length} entries`;
  });
  try {
    yield* runSteps([...steps, listing, ...afterConnecting]);
  } finally {
    client.close();
  }
}
