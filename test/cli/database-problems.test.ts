// This file tests what commands report about a PostgreSQL database that they cannot use: the reason, a remedy, and never its password.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { databasePlace, withoutPassword } from '../../src/base/without-password.ts';
import { requireServer } from '../../src/store/postgres/requirements.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { docketHere, type Ended } from './run-docket.ts';

const SECRET = 'tr0ub4dor';

/** `docket status` with a database. */
async function status(url: string): Promise<Ended> {
  const ended = await docketHere(['status', '--data', '/nonexistent'], { DOCKET_DATABASE: url });
  expect(ended.out + ended.err).not.toContain(SECRET);
  return ended;
}

/** The URL with another part, and a password. */
function changed(url: string, change: (parts: URL) => void): string {
  const parts = new URL(url);
  parts.password = SECRET;
  change(parts);
  return parts.href;
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that rejects every login with an error. PostgreSQL, "Message Formats": ErrorResponse. */
async function rejecting(code: string, message: string): Promise<string> {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length, 1);
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])));
    socket.on('error', () => undefined);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `postgres://docket:${SECRET}@127.0.0.1:${port}/desk`;
}

describe('a command reports', () => {
  it('a server without free connections', async () => {
    const { code, err } = await status(await rejecting('53300', 'sorry, too many clients already'));
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The database desk on \S+ accepts no more connections: sorry, too many clients already\. Close some, .* max_connections/,
    );
  });

  it('a wrong password', async () => {
    const message = 'password authentication failed for user "docket"';
    const { code, err } = await status(await rejecting('28P01', message));
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The database desk on 127\.0\.0\.1:\d+ rejects the login: password authentication failed for user "docket"\. Correct the user and the password/,
    );
  });

  it('a server that does not accept connections yet', async () => {
    const { err } = await status(await rejecting('57P03', 'the database system is starting up'));
    expect(err).toContain('cannot be reached: the database system is starting up.');
  });

  it('an unreachable server', async () => {
    const { code, err } = await status(`postgres://docket:${SECRET}@127.0.0.1:1/desk`);
    expect(code).toBe(1);
    expect(err).toBe(
      'The database desk on 127.0.0.1:1 cannot be reached: nothing listens at that address. Start the server, or correct the host and the port in the setting "database".\n',
    );
  });

  it('an unknown host', async () => {
    const { err } = await status(`postgres://docket:${SECRET}@no-such-host.invalid/desk`);
    expect(err).toMatch(
      /desk on no-such-host\.invalid:5432 cannot be reached: the name of the host/,
    );
  });

  it('an unknown database', async () => {
    const url = await postgresUrl();
    const { err } = await status(
      changed(url, (parts) => {
        parts.pathname = '/no_such_database';
      }),
    );
    expect(err).toMatch(/^The database no_such_database on \S+ does not exist\. Create it/);
    await dropDatabase(url);
  });

  it('missing rights on the schema', async () => {
    const url = await postgresUrl();
    const user = `docket_test_${process.pid}`;
    await run(url, `CREATE USER ${user}`, 'REVOKE ALL ON SCHEMA public FROM PUBLIC');
    const own = changed(url, (parts) => {
      parts.username = user;
    });
    expect((await status(own)).err).toContain('may not use the schema of search_path');
    await run(url, `GRANT USAGE ON SCHEMA public TO ${user}`);
    const environment = { DOCKET_DATABASE: own, DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    const words = ['init', '--admin', 'a', '--data', '/tmp/docket-never'];
    const { err, out } = await docketHere(words, environment);
    expect(err).toMatch(/denies access: permission denied for schema public\. Grant the user/);
    expect(out + err).not.toContain(SECRET);
    await dropDatabase(url);
    await run(
      changed(url, (parts) => (parts.pathname = '/postgres')),
      `DROP USER ${user}`,
    );
  });

  it('a database in another encoding', async () => {
    const url = await postgresUrl();
    const admin = changed(url, (parts) => (parts.pathname = '/postgres'));
    const name = `${new URL(url).pathname.slice(1)}_latin`;
    await run(admin, `CREATE DATABASE "${name}" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const own = changed(url, (parts) => (parts.pathname = `/${name}`));
    expect((await status(own)).err).toContain('The encoding of the database is LATIN1.');
    await dropDatabase(own);
    await dropDatabase(url);
  });

  it('a URL that is not one, without repeating it', async () => {
    for (const url of [`mysql://u:${SECRET}@h/d`, `postgres://u:${SECRET}%@h:port/d`]) {
      const { code, err } = await status(url);
      expect(code).toBe(2);
      expect(err).toMatch(/^DOCKET_DATABASE: expected a /);
    }
  });

  it.each([
    ['sslmodus=verify-full', 'not "sslmodus"; the nearest is "sslmode".'],
    ['sslmode=bogus', 'expected sslmode in the URL to be one of disable, no-verify, verify-full,'],
    ['sslmode=verify_full', 'not "verify_full"; the nearest is "verify-full".'],
    ['sslmode=', 'not ""'],
  ])('the parameters %s of a URL, which the driver would ignore', async (parameters, problem) => {
    const url = `postgres://docket:${SECRET}@127.0.0.1:1/desk?${parameters}`;
    const { code, err } = await status(url);
    expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
    const replicas = { DOCKET_READ_REPLICAS: url };
    const listed = await docketHere(['status', '--data', '/nonexistent'], replicas);
    expect([listed.code, listed.err]).toEqual([2, expect.stringContaining(problem)]);
    for (const words of [
      ['--from', url, '--to', '/nonexistent/a'],
      ['--from', '/nonexistent/a', '--to', url],
    ]) {
      const copied = await docketHere(['copy', ...words]);
      expect([copied.code, copied.err]).toEqual([2, expect.stringContaining(problem)]);
      expect(copied.err + listed.err).not.toContain(SECRET);
    }
  });

  it('an invalid escape in a password, without repeating it', async () => {
    for (const password of [`${SECRET}%zz`, `${SECRET}%`, `12?${SECRET}`]) {
      const { code, err } = await status(`postgres://docket:${password}@127.0.0.1:1/desk`);
      expect([code, err]).toEqual([2, expect.stringContaining('must be percent-encoded')]);
    }
  });

  it('a server without encryption', async () => {
    const url = await postgresUrl();
    const encrypted = changed(url, (parts) => {
      parts.search = '?sslmode=verify-full';
    });
    expect((await status(encrypted)).err).toMatch(
      /^The server of the database \S+ on \S+ does not support encryption\. Enable ssl in postgresql\.conf of the server, or change sslmode in the setting "database"\.\n$/,
    );
    await dropDatabase(url);
  });

  it('the database that a missing installation should be in', async () => {
    const url = await postgresUrl();
    const { hostname, port, pathname } = new URL(url);
    expect((await status(url)).err).toContain(
      `There is no installation in ${pathname.slice(1)} on ${hostname}:${port}.`,
    );
    await dropDatabase(url);
  });
});

describe('a server', () => {
  const good = [180_004n, '18.4', 'UTF8', 1n, 1n, 'public', 0n];
  const check = async (...row: readonly unknown[]) =>
    await requireServer({ query: async () => ({ rows: [row] }) } as never);

  it('is accepted from version 14 on', async () => {
    await check(...good);
    await check(140_000n, '14.0', ...good.slice(2));
    await expect(check(130_020n, '13.20', ...good.slice(2))).rejects.toThrow(
      'It is PostgreSQL 13.20; Docket needs version 14 or later.',
    );
  });

  it('needs the ICU collation', async () => {
    await expect(check(...good.slice(0, 3), 0n, ...good.slice(4))).rejects.toThrow(
      'The collation "und-x-icu" is missing.',
    );
  });

  it('must not be a replica', async () => {
    await expect(check(...good.slice(0, 6), 1n)).rejects.toThrow('It is a read replica');
  });
});

describe('a URL', () => {
  it.each([
    ['postgres://docket:a@b:c@db/d', 'postgres://docket@db/d'],
    ['postgres://docket@db/d', 'postgres://docket@db/d'],
    ['postgres://db/d?user=a&password=b&x=c', 'postgres://db/d?user=a&password=&x=c'],
    ['./data', './data'],
  ])('%s is shown without its password', (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });

  it.each([
    ['postgres://docket:a@db.example.com/desk', 'desk on db.example.com:5432'],
    ['postgres://docket@db:6000', 'docket on db:6000'],
    ['postgres:///desk?host=/run/postgresql', 'desk on /run/postgresql:5432'],
  ])('%s names its database and server', (url, place) => {
    expect(databasePlace(url)).toBe(place);
  });
});

it('docket init names the database, and the command that enables it with the same options', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-init-'));
  const file = join(folder, 'c.yaml');
  const url = changed(await postgresUrl(), () => undefined);
  writeFileSync(file, `database: ${url}\ndata: ${folder}/c\n`);
  const words = ['init', '--config', file, '--admin', 'root'];
  const { code, out } = await docketHere(words, { DOCKET_ADMIN_PASSWORD: 'correct horse battery' });
  expect([code, out]).toEqual([
    0,
    `Created an installation in ${databasePlace(url)} with the administrator root. Enable it with "docket enable --config ${file}".\n`,
  ]);
  expect(await docketHere(['enable', '--config', file])).toMatchObject({ code: 0 });
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

describe('Commands for the embedded database', () => {
  it.each([
    ['backup', 'cannot be copied to a file; use pg_dump, or "docket copy"'],
    ['restore', 'cannot be restored to PostgreSQL'],
  ])('%s is refused with PostgreSQL, and creates nothing', async (command, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'docket-refused-'));
    const [data, other] = [join(folder, 'data'), join(folder, 'other')];
    const { code, err } = await docketHere([command, other, '--data', data], {
      DOCKET_DATABASE: 'postgres://docket@127.0.0.1:1/docket',
    });
    expect([code, existsSync(data), existsSync(other)]).toEqual([1, false, false]);
    expect(err).toContain(reason);
    rmSync(folder, { recursive: true });
  });
});
