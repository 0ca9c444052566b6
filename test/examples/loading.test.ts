// This file loads the files that docs/models.md shows into the library of that page, by the commands of the page.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { withService } from '../../src/cli/in-process-client.ts';
import { docketHere } from '../cli/run-docket.ts';
import { readCommands } from './read-commands.ts';

const PAGE = 'models.md';
const page = readFileSync(resolve(import.meta.dirname, '../../docs', PAGE), 'utf8');
const [model = '', records = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text ?? '',
);

let folder: string;
const data = () => ['--data', join(folder, 'data')];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docket-loading-'));
  writeFileSync(join(folder, 'library.csdl.json'), model);
  writeFileSync(join(folder, 'first.json'), records);
  mkdirSync(join(folder, 'records'));
  for (const [, name = '', content = ''] of page.matchAll(
    /^`(\w+\.(?:csv|ndjson))`\n\n```\w+\n([\s\S]*?)^```$/gm,
  ))
    writeFileSync(join(folder, 'records', name), content);
  const made = await docketHere(
    ['init', '--admin', 'ada', '--model', join(folder, 'library.csdl.json'), ...data()],
    { DOCKET_ADMIN_PASSWORD: 'correct horse battery' },
  );
  expect(made).toMatchObject({ code: 0 });
  const first = await docketHere(['load', join(folder, 'first.json'), ...data()]);
  expect(first).toMatchObject({ code: 0, err: '' });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each(readCommands(PAGE))('docket $words', async ({ words, output }) => {
  const [command = '', path = ''] = words;
  const { code, out, err } = await docketHere([command, join(folder, path), ...data()]);
  expect([code, err]).toEqual([0, '']);
  expect(out.replaceAll(`${folder}/`, '')).toBe(output);
  const config = readConfig({ data: join(folder, 'data') }, {});
  const { value } = await withService(
    { config },
    async ({ send }) =>
      await send('GET', 'Books?$filter=Id%20gt%202&$orderby=Id&$expand=Reader,Loans'),
  );
  expect(value).toMatchObject([
    { Title: 'Middlemarch, part 1', Stars: 4, DueOn: '2026-12-31', Reader: { Blocked: false } },
    { Title: 'Persuasion', Stars: null, Reader: null },
    { Title: 'Sanditon', Reader: { Name: 'Dan "the Man"' }, Loans: [{ Name: 'Lent to Dan' }] },
  ]);
});

test('the mistakes of the page are reported as it shows them', async () => {
  const [, shown = ''] = /^```text\n(Nothing was loaded[\s\S]*?)^```$/m.exec(page) ?? [];
  const directory = join(folder, 'wrong');
  mkdirSync(directory);
  writeFileSync(join(directory, 'more.json'), '{"Readers":[{"Id":7}]}');
  writeFileSync(
    join(directory, 'Books.csv'),
    'Id,Title,Stars,Reader/Id\n6,A,,1\n7,B,6,1\n8,C,,9\n',
  );
  const { code, err } = await docketHere(['load', directory, ...data()]);
  const sorted = (text: string) => text.trim().split('\n').sort();
  expect([code, sorted(err)]).toEqual([1, sorted(shown)]);
});
