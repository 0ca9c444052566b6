// This file runs the commands that docs/databases.md shows, in order and with a PostgreSQL database, and compares what they print.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docketHere } from '../cli/run-docket.ts';
import { postgresUrl } from '../postgres.ts';
import { readCommands } from './read-commands.ts';
import { differsFrom } from './read-pages.ts';

/** The database of the page, in messages without the password. */
const SHOWN_URL = /postgres:\/\/docket(:secret)?@db\.example\.com\/docket/g;

let folder: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-databases-'));
  url = await postgresUrl();
  const words = ['init', '--admin', 'ada', '--data', join(folder, 'srv/docket')];
  const made = await docketHere(words, { DOCKET_ADMIN_PASSWORD: 'correct horse battery' });
  expect(made).toMatchObject({ code: 0 });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The text of the page with the places of the test. */
function placed(text: string): string {
  return text.replace(SHOWN_URL, url).replaceAll('/srv/', `${folder}/srv/`);
}

test.each(readCommands('databases.md'))(
  'docket $words',
  async ({ words, environment, output }) => {
    const variables = Object.entries(environment).map(([name, value]) => [name, placed(value)]);
    const { code, out, err } = await docketHere(words.map(placed), Object.fromEntries(variables));
    expect([code, err]).toEqual([0, expect.not.stringMatching(/error/i)]);
    const shown = output.replace(SHOWN_URL, '…').replace('docket on', '…');
    expect(differsFrom(placed(shown), out)).toBeUndefined();
  },
  60_000,
);

test('the page shows commands', () => {
  expect(readCommands('databases.md').map(({ words }) => words[0])).toContain('copy');
});
