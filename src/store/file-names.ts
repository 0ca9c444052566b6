// This file gives write scripts what they need to know of files, and finds names for new ones. The bytes are in a store by then.
import { Fault } from '../base/fault.ts';
import { fileLocal } from '../sql/write/files.ts';
import type { ScriptStep } from '../sql/write/write-script.ts';
import type { Cell, Database } from './database.ts';

type NameStep = ScriptStep & { readonly kind: 'name' };

/** Bytes that a store has, as a row names them. */
export interface StoredBytes {
  readonly key: string;
  readonly store: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Rows of files whose records are about to be loaded, under identities of the loader's. */
export async function loadFiles(
  database: Database,
  files: ReadonlyMap<number, StoredBytes>,
  now: string,
): Promise<void> {
  await database.write(({ change }) => {
    for (const [id, { key, store, mediaType, size, sha256 }] of files)
      change(LOAD, [BigInt(id), mediaType, BigInt(size), sha256, now, key, store]);
    return { result: undefined, keep: true };
  });
}

const LOAD = `INSERT INTO "docket_file" ("id", "media_type", "size", "sha256", "state", "created", "key", "store")
  VALUES (?, ?, ?, ?, 'kept', ?, ?, ?)`;

/** What is known of files, as locals of a script. */
export function localsOf(files: ReadonlyMap<string, StoredBytes>): Map<string, Cell> {
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
 * The name of a file: the wanted one, or the first that is free. The number is doubled until one is, and then looked for in between, since
 * many files may have been given the same name. Fault file.exists (409).
 */
export function settleName(
  { rename, isNew, target, maxLength }: NameStep,
  wanted: string,
  isTaken: (name: string) => boolean,
): string {
  if (!isTaken(wanted)) return wanted;
  const remedy = isNew ? ', or send Prefer: conflict-resolution=rename or replace' : '';
  if (!rename) throw new Fault('file.exists', { name: shown(wanted), remedy }, { target });
  const numbered = (number: number) => withNumber(wanted, number, maxLength);
  let taken = 0;
  let free = 1;
  for (; isTaken(numbered(free)); free *= 2) taken = free;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isTaken(numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

/** `report_2`, no longer than a name may be. */
function withNumber(wanted: string, number: number, maxLength: number | undefined): string {
  const suffix = `_${number}`;
  const room = maxLength === undefined ? wanted.length : maxLength - suffix.length;
  return `${wanted.slice(0, room).replace(/[\ud800-\udbff]$/, '')}${suffix}`;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
