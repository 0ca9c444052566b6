// This file supplies write scripts with the metadata of stored files and picks unique names for new ones.
import { Fault } from '../base/fault.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import { fileLocal } from '../sql/write/files.ts';
import type { ScriptStep } from '../sql/write/write-script.ts';
import type { Cell, Database, Work } from './database.ts';
import { change, kept } from './work.ts';

type NameStep = ScriptStep & { readonly kind: 'name' };

/** A stored file as its row in "docket_file" describes it. */
export interface FileMetadata {
  readonly key: string;
  readonly store: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The metadata of all files, by identity. */
export async function readFiles(database: Database): Promise<Map<number, FileMetadata>> {
  const rows = await database.read(ALL, []);
  return new Map(
    rows.map(([id, key, store, mediaType, size, sha256]) => [
      Number(id),
      {
        key: String(key),
        store: String(store),
        mediaType: String(mediaType),
        size: Number(size),
        sha256: String(sha256),
      },
    ]),
  );
}

const ALL = sql`SELECT "id", "key", "store", "media_type", "size", "sha256" FROM ${tableName('docket_file')}`;

/** Inserts the rows of files before their records are loaded, under identities chosen by the loader. */
export async function loadFiles(
  database: Database,
  files: ReadonlyMap<number, FileMetadata>,
  now: string,
): Promise<void> {
  await database.write(() => kept(insertFiles(files, now)));
}

function* insertFiles(files: ReadonlyMap<number, FileMetadata>, now: string): Work<void> {
  for (const [id, { key, store, mediaType, size, sha256 }] of files)
    yield change(LOAD, [BigInt(id), mediaType, BigInt(size), sha256, now, key, store]);
}

const LOAD = sql`INSERT INTO ${tableName('docket_file')} ("id", "media_type", "size", "sha256", "state", "created", "key", "store")
  VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, 'kept', ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;

/** Metadata of files as local variables of a script. */
export function localsOf(files: ReadonlyMap<string, FileMetadata>): Map<string, Cell> {
  return new Map(
    [...files].flatMap(([file, { key, store, mediaType, size, sha256 }]): [string, Cell][] => [
      [fileLocal(file, 'key'), key],
      [fileLocal(file, 'store'), store],
      [fileLocal(file, 'type'), mediaType],
      [fileLocal(file, 'size'), BigInt(size)],
      [fileLocal(file, 'sha256'), sha256],
    ]),
  );
}

/**
 * Returns the wanted file name, or that name with the first free number. Many files may share a name, so the number is found by
 * doubling and then bisecting. Throws: file.exists.
 */
export function* uniqueName(
  { rename, isUpload, target, maxLength }: NameStep,
  wanted: string,
  isTaken: (name: string) => Work<boolean>,
): Work<string> {
  if (!(yield* isTaken(wanted))) return wanted;
  const remedy = isUpload ? ', or send Prefer: conflict-resolution=rename or replace' : '';
  if (!rename) throw new Fault('file.exists', { name: abbreviated(wanted), remedy }, { target });
  const numbered = (number: number) => withNumber(wanted, number, maxLength);
  let taken = 0;
  let free = 1;
  for (; yield* isTaken(numbered(free)); free *= 2) taken = free;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (yield* isTaken(numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

/** `report_2`, truncated to the maximum length. */
function withNumber(wanted: string, number: number, maxLength: number | undefined): string {
  const suffix = `_${number}`;
  const length = maxLength === undefined ? wanted.length : maxLength - suffix.length;
  return `${wanted.slice(0, length).replace(/[\ud800-\udbff]$/, '')}${suffix}`;
}

function abbreviated(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
