// This file runs the commands that docs/administration.md shows, in order and on one installation, and compares what they print.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docketHere } from '../cli/run-docket.ts';
import { readCommands } from './read-commands.ts';
import { differsFrom } from './read-pages.ts';

const PAGE = 'administration.md';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-examples-'));
  const text = readFileSync(resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
  for (const [, name = '', content = ''] of text.matchAll(/^`(\S+)`\n\n```json\n([\s\S]*?)^```$/gm))
    writeFileSync(join(folder, name), content);
  const environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
  const made = await docketHere(
    ['init', '--admin', 'ada', ...placed(['--data', '/srv/docket'])],
    environment,
  );
  expect(made).toMatchObject({ code: 0 });
  expect(await docketHere(['enable', ...placed(['--data', '/srv/docket'])])).toMatchObject({
    code: 0,
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The places of the page below the folder of the test. */
function placed(words: readonly string[]): readonly string[] {
  const isPlace = (word: string) => /^\/|\.json$/.test(word);
  return words.map((word) => (isPlace(word) ? join(folder, word) : word));
}

test.each(readCommands(PAGE))(
  'docket $words',
  async ({ words, file, output }) => {
    const { code, out, err } = await docketHere(placed(words));
    expect([code, err]).toEqual([0, '']);
    if (file !== undefined) writeFileSync(join(folder, file), out);
    else expect(differsFrom(output, out.replaceAll(folder, ''))).toBeUndefined();
  },
  30_000,
);

test('the page shows the commands that change something', () => {
  const shown = new Set(readCommands(PAGE).map(({ words }) => words.slice(0, 2).join(' ')));
  for (const command of [
    'role add',
    'role edit',
    'role delete',
    'settings set',
    'settings list',
    'model apply',
  ])
    expect(shown).toContain(command);
  const text = readFileSync(resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
  expect(text).toContain('`docket account delete NAME`');
});
