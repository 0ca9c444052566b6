// This file kills a writing process without warning, again and again: what it had acknowledged must be there, and nothing half done.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { waitForOutput } from '../child-output.ts';
import { compileSources } from '../compiled.ts';

let compiled: string;
let directory: string;
beforeAll(() => {
  compiled = compileSources();
  directory = mkdtempSync(join(tmpdir(), 'docket-crash-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Writes pairs of rows for ever, and says the number of each pair once it is acknowledged. */
const program = (file: string) => `
  import { openSqlite } from ${JSON.stringify(join(compiled, 'store', 'sqlite', 'database.js'))};
  import { change } from ${JSON.stringify(join(compiled, 'store', 'work.js'))};
  const database = openSqlite({ file: ${JSON.stringify(file)} });
  database.define(['CREATE TABLE IF NOT EXISTS pair (number INTEGER, half INTEGER)']);
  const [[last]] = database.read('SELECT coalesce(max(number), 0) FROM pair', []);
  for (let number = last + 1n; ; number += 8n) {
    await Promise.all(Array.from({ length: 8 }, async (_, index) => {
      const own = number + BigInt(index);
      await database.write(function* () {
        yield change('INSERT INTO pair VALUES (?, 1)', [own]);
        yield change('INSERT INTO pair VALUES (?, 2)', [own]);
        return { result: null, keep: true };
      });
      process.stdout.write(own + '\\n');
    }));
  }`;

/** The numbers that the process said before it was killed. */
async function runAndKill(file: string, milliseconds: number): Promise<readonly bigint[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(file)]);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await waitForOutput(child, (output) => output.split('\n').length > 8 || undefined);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill('SIGKILL');
  await closed;
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => BigInt(line));
}

it('after kill -9 every acknowledged deed is there, and each one whole', async () => {
  const file = join(directory, 'crash.db');
  const acknowledged: bigint[] = [];
  for (const milliseconds of [5, 60, 130]) {
    acknowledged.push(...(await runAndKill(file, milliseconds)));
    const database = openSqlite({ file });
    const stored = database.read('SELECT number, sum(half) FROM pair GROUP BY number', []);
    await database.close();
    const numbers = new Set(stored.map((row) => row[0]));
    expect(acknowledged.filter((number) => !numbers.has(number))).toEqual([]);
    expect(stored.filter((row) => row[1] !== 3n)).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThan(20);
}, 120_000);
