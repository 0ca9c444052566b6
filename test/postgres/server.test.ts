// This file tests the PostgreSQL server of the tests: that it is as the tests expect it, and that nothing of it is left behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { filledDatabase, postgresUrl } from '../postgres.ts';
import { missingServer, nativeFolder, serverUrl } from './binaries.ts';
import { dropDatabase } from './databases.ts';

async function query(url: string, text: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

describe.skipIf(missingServer !== undefined)(`PostgreSQL ${missingServer ?? 'for tests'}`, () => {
  it('gives each caller an empty database', async () => {
    const urls = await Promise.all([postgresUrl(), postgresUrl(), postgresUrl()]);
    expect(new Set(urls).size).toBe(3);
    for (const url of urls) {
      const found = await query(
        url,
        "SELECT count(*)::int FROM pg_class WHERE relname LIKE 'docket%'",
      );
      expect(found).toEqual([0]);
      expect(
        await query(url, 'SELECT datcollate FROM pg_database WHERE datname = current_database()'),
      ).toEqual(['C']);
      await dropDatabase(url);
      await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
    }
  });

  it('copies a filled database, which is filled once', async () => {
    let fillings = 0;
    const fill = async (url: string) => {
      fillings += 1;
      await query(url, 'CREATE TABLE item AS SELECT 7 AS id');
    };
    const key = `filled_${process.pid}`;
    const copies = await Promise.all([1, 2, 3].map(() => filledDatabase(key, fill)));
    const [first = '', second = ''] = copies;
    await query(first, 'DELETE FROM item');
    expect(await query(second, 'SELECT id FROM item')).toEqual([7]);
    expect(fillings).toBe(1);
    for (const url of copies) await dropDatabase(url);
  });

  it.skipIf(serverUrl !== undefined)('contains pg_trgm', async () => {
    const url = await postgresUrl();
    await query(url, 'CREATE EXTENSION pg_trgm');
    expect(await query(url, "SELECT show_trgm('a')")).toHaveLength(1);
    await dropDatabase(url);
  });
});

describe.skipIf(!existsSync(nativeFolder))('the process of the server', () => {
  const start = () =>
    spawn(process.execPath, [join(import.meta.dirname, 'server.mjs'), nativeFolder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });

  it('ends with the process that started it, and removes its directory', async () => {
    const child = start();
    const [line] = await once(createInterface(child.stdout), 'line');
    const { url } = JSON.parse(line);
    const [data] = await query(url, 'SHOW data_directory');
    expect(existsSync(String(data))).toBe(true);
    const exit = once(child, 'exit');
    child.stdin.end();
    await exit;
    expect(existsSync(String(data))).toBe(false);
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('ends while it starts', async () => {
    const child = start();
    const exit = once(child, 'exit');
    child.stdin.end();
    expect(await exit).toEqual([0, null]);
  });
});
