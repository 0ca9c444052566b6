// This file runs the commands that docs/administration.md shows, in order and on one installation, and compares what they print.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docketHere } from '../cli/run-docket.ts';
import { differsFrom } from './read-pages.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/administration.md');

interface Shown {
  /** The words after `docket`. */
  readonly words: readonly string[];
  /** The file after `>`. */
  readonly file: string | undefined;
  readonly output: string;
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-examples-'));
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

/** Blocks of commands, each with what it prints. */
function readCommands(): readonly Shown[] {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```console\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, text = '']) =>
    text
      .split(/^\$ docket /m)
      .slice(1)
      .map((part) => {
        const [line = '', ...output] = part.split('\n');
        const all = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
          ([, quoted, plain]) => quoted ?? plain ?? '',
        );
        const arrow = all.indexOf('>');
        const words = arrow < 0 ? all : all.slice(0, arrow);
        return { words, file: arrow < 0 ? undefined : all[arrow + 1], output: output.join('\n') };
      }),
  );
}

/** The places of the page below the folder of the test. */
function placed(words: readonly string[]): readonly string[] {
  const isPlace = (word: string) => /^\/|\.json$/.test(word);
  return words.map((word) => (isPlace(word) ? join(folder, word) : word));
}

test.each(readCommands())(
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
  const shown = new Set(readCommands().map(({ words }) => words.slice(0, 2).join(' ')));
  for (const command of ['role add', 'role edit', 'role delete', 'settings set', 'settings list'])
    expect(shown).toContain(command);
  expect(readFileSync(PAGE, 'utf8')).toContain('`docket account delete NAME`');
});
