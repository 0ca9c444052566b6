// This file keeps files on an FTP server, in the clear or over TLS. A file is sent under a temporary name and renamed when the server has
// all of it, so that nothing half ever stands under a key. Files are spread over 256 directories by the first two digits of their keys.
import type { Readable } from 'node:stream';
import { type Client, FTPError } from 'basic-ftp';
import { Fault, invariant } from '../../base/fault.ts';
import type { World } from '../../base/world.ts';
import { type Flow, flowOf } from '../byte-streams.ts';
import {
  type AttachmentStore,
  type ByteRange,
  isOwnName,
  PARTIAL,
  type ProbeStep,
  type StoredFile,
  unavailable,
} from '../store.ts';
import { byteTrials, runTrials, type Trial } from '../test-store.ts';
import { connectionSteps, type FtpSettings, isFull, isRefused, remedyFor } from './connection.ts';
import { modifiedOf } from './listing.ts';
import { FtpPool } from './pool.ts';
import { download, sizeOf, upload } from './transfer.ts';

/** Milliseconds that cleaning up behind a broken upload may take. */
const CLEANING = 5000;

/** A store on an FTP server; nothing is connected before the first use. */
export function openFtpStore(
  settings: FtpSettings,
  world: Pick<World, 'now' | 'elapsed'>,
): AttachmentStore {
  const pool = new FtpPool(settings, world.elapsed);
  const store = {
    put: async (key: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) =>
      await put(pool, pathOf(key), flowOf(bytes, signal), signal),
    get: async (key: string, range?: ByteRange) => await get(pool, pathOf(key), range),
    remove: async (key: string) => {
      const path = pathOf(key);
      await translated(async () => await pool.use(async (client) => await remove(client, path)));
    },
    size: async (key: string) => {
      const path = pathOf(key);
      return await translated(async () => await pool.use(async (client) => sizeOf(client, path)));
    },
  };
  return {
    name: 'ftp',
    ...store,
    list: () => list(pool, world.now),
    probe: () => probe(settings, byteTrials(store, 'Let the user write and rename there.')),
    close: async () => pool.close(),
  };
}

/** Nothing but names of our own becomes part of a command. */
function pathOf(name: string): string {
  invariant(isOwnName(name), `${JSON.stringify(name)} is no key of a file`);
  return `${name.slice(0, 2)}/${name}`;
}

async function put(
  pool: FtpPool,
  path: string,
  flow: Flow,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lease = await pool.take(signal);
  try {
    await send(lease.client, flow, path);
    lease.end(true);
  } catch (error) {
    lease.end(error instanceof FTPError);
    await cleanUp(pool, path);
    const broken = flow.broken();
    throw broken === undefined ? faultOf(error) : broken.error;
  }
}

async function send(client: Client, flow: Flow, path: string): Promise<void> {
  const temporary = `${path}${PARTIAL}`;
  // Refused when it is there already; what is really wrong shows in the next step.
  await client.sendIgnoringError(`MKD ${path.slice(0, 2)}`);
  await upload(client, flow, temporary);
  try {
    await client.rename(temporary, path);
  } catch (error) {
    if (!(error instanceof FTPError)) throw error;
    // Some servers do not rename to a name that is taken.
    await client.remove(path);
    await client.rename(temporary, path);
  }
}

/** Takes away what a broken upload has left, if the server can be reached; else it stays, under a name that counts for nothing. */
async function cleanUp(pool: FtpPool, path: string): Promise<void> {
  const cleaning = pool.use(async (client) => {
    await client.sendIgnoringError(`DELE ${path}${PARTIAL}`);
    await client.sendIgnoringError(`DELE ${path}`);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLEANING);
  });
  await Promise.race([cleaning.catch(() => undefined), late]);
  clearTimeout(timer);
}

async function get(pool: FtpPool, path: string, range: ByteRange | undefined): Promise<Readable> {
  const lease = await pool.take();
  try {
    const size = await sizeOf(lease.client, path);
    if (size === undefined) throw new Fault('file.lost', { store: 'ftp' });
    const first = range?.first ?? 0;
    const end = range === undefined ? size : range.last + 1;
    if (end > size) throw new Fault('file.lost', { store: 'ftp' });
    return download(lease, path, { first, length: end - first, isToEnd: end === size });
  } catch (error) {
    lease.end(!lease.client.closed);
    throw faultOf(error);
  }
}

/** A refusal to delete what is still there is one. */
async function remove(client: Client, path: string): Promise<void> {
  try {
    await client.remove(path);
  } catch (error) {
    if (!isRefused(error) || (await sizeOf(client, path)) !== undefined) throw error;
  }
}

/** One connection for one directory: whoever reads the list may use the store in between. */
async function* list(pool: FtpPool, now: World['now']): AsyncGenerator<StoredFile> {
  const folders = await translated(
    async () => await pool.use(async (client) => await client.list()),
  );
  for (const folder of folders) {
    if (!folder.isDirectory || !/^[0-9a-f]{2}$/.test(folder.name)) continue;
    yield* await translated(
      async () => await pool.use(async (client) => await listFolder(client, folder.name, now())),
    );
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

/** The steps of a connection one by one, a listing as the first use of a connection for data, then a file. */
async function* probe(settings: FtpSettings, files: readonly Trial[]): AsyncGenerator<ProbeStep> {
  const { client, steps } = connectionSteps(settings);
  const listing = {
    step: 'data connection',
    run: async () =>
      `${settings.passive ? 'passive' : 'active'}, ${(await client.list()).length} entries`,
  };
  const trials = [...steps, listing].map(({ step, run }) => ({
    step,
    run,
    remedy: (error: unknown) => remedyFor(step, error, settings),
  }));
  try {
    yield* runTrials([...trials, ...files]);
  } finally {
    client.close();
  }
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw faultOf(error);
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof Fault) return error;
  return isFull(error) ? new Fault('file.full', { store: 'ftp' }) : unavailable('ftp', error);
}
