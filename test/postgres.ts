// This file provides PostgreSQL databases to tests, on the server that postgres/global-setup.ts starts.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDatabase, templateOf } from './postgres/databases.ts';
import { PORT } from './postgres/global-setup.ts';

let server: Promise<string> | undefined;

/** The URL of the server of the run, which starts if it does not run. */
async function serverOfRun(): Promise<string> {
  const socket = connect(Number(process.env[PORT]), '127.0.0.1');
  const { url, error } = JSON.parse(await text(socket));
  if (error !== undefined) throw new Error(error);
  return url;
}

/** The URL of a new, empty database. It is dropped with those of the run, or by dropDatabase. */
export async function postgresUrl(): Promise<string> {
  server ??= serverOfRun();
  return await createDatabase(await server);
}

/** The URL of a new database with the content that `fill` stores, which runs once for each key. `fill` must close its connections. */
export async function filledDatabase(
  key: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  server ??= serverOfRun();
  const url = await server;
  return await createDatabase(url, await templateOf(url, key, fill));
}
