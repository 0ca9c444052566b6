// This file claims names for this process among all processes of an installation. A claim is the lock of an empty database next to that of
// the installation, so it ends with the process. The file remains, since another process may be about to lock it.
import type { Claim } from '../database.ts';
import { isBusy, open } from './connection.ts';
import type { Connection } from './driver.ts';

export class Claims {
  readonly #file: string;
  readonly #held = new Set<Connection>();

  /** @param file the database of the installation */
  constructor(file: string) {
    this.#file = file;
  }

  /** See Database.claim. */
  claim(name: string): Claim | undefined {
    const connection = open(`${this.#file}-${name.replaceAll(/\W+/g, '-')}.lock`, false);
    try {
      connection.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      connection.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    this.#held.add(connection);
    return { release: async () => this.#release(connection) };
  }

  close(): void {
    for (const connection of this.#held) this.#release(connection);
  }

  #release(connection: Connection): void {
    if (this.#held.delete(connection)) connection.close();
  }
}
