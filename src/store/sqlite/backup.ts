// This file copies a database of SQLite as it stands at one moment, while others read and write it, and checks copies.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Connection, connect } from './connection.ts';

/** Copies the database in a file to another one that is not there yet. It is complete and on the disk afterwards. */
export function copyDatabase(file: string, copy: string): void {
  const connection = connect(file, true);
  try {
    copyInto(connection, copy);
  } finally {
    connection.close();
  }
}

/** As copyDatabase, of a connection that is open. SQLite, "VACUUM", "VACUUM with an INTO clause". */
export function copyInto(connection: Connection, copy: string): void {
  connection.prepare('VACUUM INTO ?').run(copy);
  for (const path of [copy, dirname(copy)]) syncPath(path);
}

/** Waits until a file, or what a directory lists, is on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** What is wrong with the database in a file, if anything is. SQLite, "PRAGMA integrity_check". */
export function damageOf(file: string): string | undefined {
  try {
    const connection = connect(file, true);
    try {
      const found = connection.prepare('PRAGMA integrity_check(1)').pluck().get();
      return found === 'ok' ? undefined : String(found);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof Error && isDamage(error)) return error.message;
    throw error;
  }
}

/** Whether an error of SQLite says that the file is damaged, or no database. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code);
}
