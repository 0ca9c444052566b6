// This file loads files of records. Up to 2,000 records are one transaction. More are checked first, and then stored in transactions of that
// number with the position of the load, so that an interrupted load continues where it was and other writers do not wait long.

import { createHash } from 'node:crypto';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { printJson } from '../../edm/value/lossless-json.ts';
import { type Staging, writeWithFiles } from '../../service/files/uploads.ts';
import {
  checkItems,
  type ImportItem,
  type ImportMistake,
  MistakeList,
  storeAll,
  storeItems,
  storeWaiting,
} from '../../service/import.ts';
import type { Service } from '../../service/service.ts';
import type { Work, WorkResult } from '../../store/database.ts';
import { readSetting, removeSetting, storeSetting } from '../../store/installation-settings.ts';
import { kept } from '../../store/work.ts';
import type { Terminal } from '../terminal.ts';
import { type LoadFile, listLoadFiles } from './load-files.ts';
import { readItems } from './read-items.ts';

/** Records in a transaction. */
const CHUNK = 2000;

/** The claim of the process that loads. */
const LOAD_CLAIM = 'load';

/** The setting with the position of an incomplete load. */
const POSITION_SETTING = 'import';

export interface LoadResult {
  /** Number of records that are stored, also by earlier runs of an interrupted load. */
  readonly stored: number;
  readonly mistakes: MistakeList;
}

interface Load {
  readonly files: readonly LoadFile[];
  readonly service: Service;
  readonly terminal: Terminal;
  /** Aborted when another process may load. */
  readonly signal: AbortSignal;
}

/** How far a load has come: its first records, except those that wait for others, are stored. */
interface Position {
  readonly records: number;
  /** Numbers of waiting records. */
  readonly waiting: readonly number[];
  /** Identifies the stored records. */
  readonly digest: string;
}

/**
 * Loads a file, or the files of a directory. Throws: cli.file, cli.load-incomplete, cli.load-running.
 * @param restart whether to begin again although another load is incomplete
 */
export async function loadPath(
  path: string,
  service: Service,
  terminal: Terminal,
  restart = false,
): Promise<LoadResult> {
  const { database } = service;
  const lost = new AbortController();
  const claim = await database.claim(LOAD_CLAIM, () => lost.abort(new Fault('cli.load-running')));
  if (claim === undefined) throw new Fault('cli.load-running');
  try {
    return await loadAlone(path, { service, terminal, signal: lost.signal }, restart);
  } finally {
    await claim.release();
  }
}

async function loadAlone(
  path: string,
  setting: Omit<Load, 'files'>,
  restart: boolean,
): Promise<LoadResult> {
  const { service } = setting;
  const { database } = service;
  const mistakes = new MistakeList();
  const files = listLoadFiles(path, service.model, mistakes);
  const load: Load = { ...setting, files };
  if (restart) await database.write(() => kept(removeSetting(POSITION_SETTING)));
  const position = await readPosition(service);
  const items = readItems(files, service, mistakes);
  const first = take(items, CHUNK + 1);
  if (first.length <= CHUNK && position === undefined) {
    const isComplete = mistakes.count === 0;
    mistakes.add(...(await storeAll(first, service, isComplete)));
    return { stored: mistakes.count === 0 ? first.length : 0, mistakes };
  }
  const total = await check(load, first, items, mistakes);
  if (mistakes.count > 0) return { stored: storedBefore(position), mistakes };
  return await store(load, total, position);
}

/** The next items. */
function take(items: Iterator<ImportItem>, count: number): readonly ImportItem[] {
  const taken: ImportItem[] = [];
  while (taken.length < count) {
    const next = items.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** Checks all records. Appends their mistakes, and returns the number of records. */
async function check(
  { service, terminal }: Load,
  first: readonly ImportItem[],
  items: Iterator<ImportItem>,
  mistakes: MistakeList,
): Promise<number> {
  const progress = terminal.progress('Checking records', 0);
  let total = 0;
  for (let chunk = first; chunk.length > 0; chunk = take(items, CHUNK)) {
    const checked = chunk;
    mistakes.add(...(await service.database.write(() => checkItems(checked, service))));
    total += chunk.length;
    progress.update(total);
  }
  progress.finish(`${counted(total, 'record')}`);
  return total;
}

/** Stores all records in several transactions, those after the position of an interrupted load. */
async function store(
  { files, service, terminal, signal }: Load,
  total: number,
  position: Position | undefined,
): Promise<LoadResult> {
  // The files may have changed since they were checked.
  const mistakes = new MistakeList();
  const items = readItems(files, service, mistakes);
  const digest = createHash('sha256');
  const waiting = new Map<number, ImportItem>();
  let records = 0;
  if (position !== undefined) {
    const known = new Set(position.waiting);
    for (const item of take(items, position.records)) {
      if (known.has(records)) waiting.set(records, item);
      else digest.update(textOf(item));
      records += 1;
    }
    if (records < position.records || digest.copy().digest('hex') !== position.digest)
      throw new Fault('cli.load-incomplete', { count: storedBefore(position) });
    terminal.say(`Resuming an interrupted load after ${counted(records, 'record')}.`);
  }
  const progress = terminal.progress('Loading records', total);
  for (let chunk = take(items, CHUNK); chunk.length > 0; chunk = take(items, CHUNK)) {
    signal.throwIfAborted();
    const stored = chunk;
    const before = { records, waiting: [...waiting.keys()], digest };
    const found = await writeWithFiles(service, (staging) =>
      storeChunk(stored, before, service, staging),
    );
    mistakes.add(...found.mistakes);
    if (found.mistakes.length > 0) return { stored: records - waiting.size, mistakes };
    chunk.forEach((item, index) => {
      if (found.waiting.has(item)) waiting.set(records + index, item);
      else digest.update(textOf(item));
    });
    records += chunk.length;
    progress.update(records);
  }
  if (mistakes.count > 0) return { stored: records - waiting.size, mistakes };
  const rest = [...waiting.values()];
  mistakes.add(...(await writeWithFiles(service, (staging) => storeRest(rest, service, staging))));
  progress.finish(`${counted(records, 'record')}`);
  return { stored: records - (mistakes.count > 0 ? waiting.size : 0), mistakes };
}

interface StoredChunk {
  readonly waiting: ReadonlySet<ImportItem>;
  readonly mistakes: readonly ImportMistake[];
}

/** Stores records and the position after them, or nothing if there are mistakes. */
function* storeChunk(
  items: readonly ImportItem[],
  before: Omit<Position, 'digest'> & { readonly digest: ReturnType<typeof createHash> },
  service: Service,
  staging: Staging,
): Work<WorkResult<StoredChunk>> {
  const found = yield* storeItems(items, service, staging);
  const waiting = new Set(found.waiting);
  const digest = before.digest.copy();
  for (const item of items) if (!waiting.has(item)) digest.update(textOf(item));
  const numbers = items.flatMap((item, index) =>
    waiting.has(item) ? [before.records + index] : [],
  );
  const position: Position = {
    records: before.records + items.length,
    waiting: [...before.waiting, ...numbers],
    digest: digest.digest('hex'),
  };
  yield* storeSetting(POSITION_SETTING, JSON.stringify(position));
  return { result: { waiting, mistakes: found.mistakes }, keep: found.mistakes.length === 0 };
}

/** Stores the records that waited for others, and ends the load. */
function* storeRest(
  items: readonly ImportItem[],
  service: Service,
  staging: Staging,
): Work<WorkResult<readonly ImportMistake[]>> {
  const mistakes = yield* storeWaiting(items, service, staging);
  yield* removeSetting(POSITION_SETTING);
  return { result: mistakes, keep: mistakes.length === 0 };
}

/** The number of records that an interrupted load has stored. */
function storedBefore(position: Position | undefined): number {
  return position === undefined ? 0 : position.records - position.waiting.length;
}

function textOf({ set, body }: ImportItem): string {
  return `${set} ${printJson(body)}\n`;
}

async function readPosition({ database }: Service): Promise<Position | undefined> {
  const text = await readSetting(database, POSITION_SETTING);
  return text === undefined ? undefined : (JSON.parse(text) as Position);
}
