// This file copies a database of SQLite as it stands at one moment, while others read and write it.
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
  for (const path of [copy, dirname(copy)]) {
    const handle = openSync(path, 'r');
    fsyncSync(handle);
    closeSync(handle);
  }
}
