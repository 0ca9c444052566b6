// This file keeps docs/conformance.md honest: no requirement is missing or listed twice, and every row that claims to be
// built names a test that exists.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const contract = path.join(root, '../shared/contract');
const checklistFile = path.join(contract, 'odata-checklist.md');
const serviceFile = path.join(contract, 'service-api.md');

interface Row {
  readonly id: string;
  readonly state: string;
  readonly tests: readonly string[];
}

/** The rows of the tables of a page whose first cell is an id. */
function readRows(page: string): Row[] {
  const lines = page.split('\n').filter((line) => /^\| ?(S-\w+-\d+|[A-P]\d*|V\d\d) ?\|/.test(line));
  return lines.map((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const [, id = '', , state = '', tests = ''] = cells;
    return { id, state, tests: tests.split('<br>').map((name) => name.trim()) };
  });
}

/** Why the tests that a row names do not show it; empty when they do. `read` gives the text of a file, if there is one. */
function claimMistakes(row: Row, read: (file: string) => string | undefined): string[] {
  if (row.state === 'not yet') return [];
  if (row.state !== 'built') return [`${row.id} has the state "${row.state}"`];
  return row.tests.flatMap((name) => {
    const [, file = '', title = ''] = /^`(test\/[^`]+\.test\.ts)`: (.+)$/.exec(name) ?? [];
    const text = read(file);
    if (text === undefined) return [`${row.id} names no test file: ${name}`];
    return text.includes(title)
      ? []
      : [`${row.id} names a test that ${file} does not hold: ${title}`];
  });
}

/** The ids of the OData requirements: at the beginning of a line or of a sentence. */
function checklistIds(text: string): string[] {
  const ids = [...text.matchAll(/(?:^|[.;] )([A-N]\d\d) /gm)].map((match) => match[1] ?? '');
  return [...ids, ...(/^## P\. /m.test(text) ? ['P'] : [])];
}

/** The ids of the contract: the first word of a section and the number of the row or rule in it; what it leaves open is left out. */
function contractIds(text: string): string[] {
  const ids: string[] = [];
  let section = '';
  let count = 0;
  const lines = text.split('\n').filter((_line, at, all) => !/^\|-/.test(all[at + 1] ?? ''));
  for (const line of lines) {
    const heading = /^##+ (\w+)/.exec(line);
    if (heading !== null) [section, count] = [heading[1] ?? '', 0];
    const isRule = /^(\| |- |\d+\. )/.test(line) && !line.includes('not shown');
    if (!isRule || section === '' || section === 'Gaps') continue;
    count += 1;
    ids.push(`S-${section}-${count}`);
  }
  return ids;
}

function readTest(file: string): string | undefined {
  const place = path.join(root, file);
  return file !== '' && fs.existsSync(place) ? fs.readFileSync(place, 'utf8') : undefined;
}

describe('docs/conformance.md', () => {
  const rows = readRows(fs.readFileSync(path.join(root, 'docs/conformance.md'), 'utf8'));
  const ids = rows.map((row) => row.id);

  test('lists every id once', () => {
    expect(ids.length).toBeGreaterThan(300);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test('every row is built and shown by a test that exists, or is open', () => {
    expect(rows.flatMap((row) => claimMistakes(row, readTest))).toEqual([]);
  });

  test.skipIf(!fs.existsSync(checklistFile))(
    'holds every requirement of OData and no unknown one',
    () => {
      const expected = checklistIds(fs.readFileSync(checklistFile, 'utf8'));
      expect(expected.length).toBeGreaterThan(200);
      expect(ids.filter((id) => !/^(?:S-|V)/.test(id)).sort()).toEqual(expected.sort());
    },
  );

  test.skipIf(!fs.existsSync(serviceFile))('holds every row and rule of the contract', () => {
    const expected = contractIds(fs.readFileSync(serviceFile, 'utf8'));
    expect(expected.length).toBeGreaterThan(100);
    expect(expected.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('a wrong row is found', () => {
  const readOne = (file: string) =>
    file === 'test/a.test.ts' ? "test('a page has 20 records')" : undefined;
  const mistakes = (line: string) => readRows(line).flatMap((row) => claimMistakes(row, readOne));

  test.each([
    ['an unknown state', '| A01 | x | done | – |', ['A01 has the state "done"']],
    ['a claim without a test', '| P | x | built | – |', ['P names no test file: –']],
    [
      'a missing file',
      '| S-Me-1 | x | built | `test/b.test.ts`: a |',
      ['S-Me-1 names no test file: `test/b.test.ts`: a'],
    ],
    [
      'a missing title, though another is there',
      '| B02 | x | built | `test/a.test.ts`: a page<br>`test/a.test.ts`: a book |',
      ['B02 names a test that test/a.test.ts does not hold: a book'],
    ],
  ])('%s', (_, line, expected) => {
    expect(mistakes(line)).toEqual(expected);
  });

  test('a row that is open, and one that a test shows, are right', () => {
    expect(mistakes('| A01 | a \\| b | not yet | – |')).toEqual([]);
    expect(mistakes('| A01 | x | built | `test/a.test.ts`: 20 records |')).toEqual([]);
    expect(readRows('| A01 | a \\| b | not yet | – |')).toHaveLength(1);
  });
});

describe('ids are read from the sources', () => {
  test('of OData requirements, also in the middle of a line, but not where they are only mentioned', () => {
    const text =
      '## A. 4.0\nA01 M x (see F30-F33). A02 S y; A03 M z, as I20 says\n## P. Status codes';
    expect(checklistIds(text)).toEqual(['A01', 'A02', 'A03', 'P']);
  });

  test('of the contract, counting rows and rules but no heads and no gaps', () => {
    const text =
      '## Me (x)\n\n| a | b |\n|---|---|\n| c | d |\n\n1. e\n- f: not shown.\n### Gaps in\n- g\n### Rules\n- h';
    expect(contractIds(text)).toEqual(['S-Me-1', 'S-Me-2', 'S-Rules-1']);
  });
});
