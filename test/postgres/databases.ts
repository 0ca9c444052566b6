// This file creates and drops the databases of a test run on a PostgreSQL server. Their names start with the number of the run, so that
// several runs can share a server.
import { Client } from 'pg';

/** Name of the environment variable with the number of the run. */
export const RUN = 'TEST_POSTGRES_RUN';

/** Byte order of text, whatever the default of the server is. */
const OPTIONS = "ENCODING 'UTF8' LOCALE 'C'";

let count = 0;

const prefix = () => `docket_test_${process.env[RUN]}_`;

/** The URL of another database of the server. */
function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

async function withClient<T>(server: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates an empty database, or a copy of a template. Returns its URL. */
export async function createDatabase(server: string, template = 'template0'): Promise<string> {
  count += 1;
  const name = `${prefix()}${process.pid}_${count}`;
  const options = template === 'template0' ? OPTIONS : '';
  await withClient(server, (client) =>
    client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" ${options}`),
  );
  return urlOf(server, name);
}

export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await withClient(urlOf(url, 'postgres'), (client) => drop(client, name));
}

async function drop(client: Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

/** Drops all databases of the run. */
export async function dropDatabases(server: string): Promise<void> {
  await withClient(server, async (client) => {
    const text = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
    const { rows } = await client.query<{ datname: string }>(text, [prefix()]);
    for (const { datname } of rows) await drop(client, datname);
  });
}

/**
 * The name of the template of the run with the key. Made by `fill` if it does not exist; other processes wait meanwhile. `fill` must
 * close its connections.
 */
export async function templateOf(
  server: string,
  key: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const name = `${prefix()}template_${key}`;
  return await withClient(server, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return name;
    const url = await createDatabase(server);
    await fill(url);
    await client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" RENAME TO "${name}"`);
    return name;
  });
}
