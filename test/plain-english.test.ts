// This file keeps invented and literally translated phrases out of what people read: messages and comments in src, and the written
// pages. Planted phrases prove that they are found.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  commentsOf,
  EXCEPTIONS,
  messagesOf,
  PHRASES,
  type Prose,
  pageProse,
  reportHits,
} from './banned-phrases.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Files below a folder of the checkout, as paths with slashes. */
function filesUnder(folder: string, extension: string): readonly string[] {
  const entries = fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  const names = entries.filter((name) => name.endsWith(extension)).sort();
  return names.map((name) => path.posix.join(folder, name.split(path.sep).join('/')));
}

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

const pages = [
  ...fs.readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'src', 'models'].flatMap((folder) => filesUnder(folder, '.md')),
];
const sources = filesUnder('src', '.ts');

/** Fails with one line for each hit, file by file. */
function expectPlain(
  files: readonly string[],
  proseOf: (file: string, text: string) => Prose,
): void {
  const hits = files.flatMap((file) => reportHits(file, proseOf(file, read(file))));
  if (hits.length > 0) throw new Error(`${hits.length} banned phrases:\n${hits.join('\n')}`);
}

describe('there are no banned phrases', () => {
  test('in the written pages', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'docs/reading.md', 'src/sql/read/README.md']),
    );
    expectPlain(pages, (_, text) => pageProse(text));
  });

  test('in messages', () => {
    expect(sources).toContain('src/base/request-faults.ts');
    expectPlain(sources, messagesOf);
  });

  test('in comments', () => {
    expectPlain(sources, commentsOf);
  });
});

describe('a planted phrase is found', () => {
  test.each([
    ['A client is told the reason.', ['a.md:1: told → use report, list']],
    ['403 tells all members.', ['a.md:1: tells → use report']],
    ['The request is refused\nwith 400.', ['a.md:1: refused → use reject']],
    ['Unknown options are passed\nover.', ['a.md:1: passed over → use ignore']],
    ['One\ntwo\n\nA Deed is done anew.', ['a.md:4: Deed → use', 'a.md:4: anew → use']],
    ['what `$expand` leads to behind a navigation', ['leads to → use', 'behind → use']],
    ['It stands in the header and speaks of a seat.', ['stands in', 'speaks of', 'seat →']],
    ['whatever shape of an address is at hand', ['shape of an address →', 'at hand →']],
    ['A house of rooms and floors', ['house', 'rooms', 'floors']],
    ['[what is told](told.md)', ['a.md:1: told']],
  ])('in the page %j', (text, expected) => {
    const hits = reportHits('a.md', pageProse(text));
    for (const [index, hit] of expected.entries()) expect(hits[index]).toContain(hit);
    expect(hits).toHaveLength(expected.length);
  });

  test.each([
    ["throw new Error('The option is refused.');", 1],
    ['const a = `Nothing was\n passed over in $'.concat('{told} here`;'), 1],
    ["const row = { message: '{name} leads to no\\u0020record' };", 1],
    ['const a = `$'.concat('{host} says $', "{reply}`; const b = 'says ' + reply;"), 2],
    ["const kind = 'refused'; import { told } from './told.ts';", 0],
    ['// A comment is told elsewhere: `told`', 0],
    ['const pattern = /is told again/;', 0],
  ])('in the messages of %j', (text, count) => {
    expect(reportHits('a.ts', messagesOf('a.ts', text))).toHaveLength(count);
  });

  test.each([
    ['// Clients are told.', ['a.ts:1: told']],
    ["const url = 'http://told'; // brings\n// the rest", ['a.ts:1: brings']],
    ['const a = 1;\n// What is passed\n// over', ['a.ts:2: passed over']],
    [
      '/**\n * Tells whether it\n * stands\n * for this.\n */\nconst b = 2;',
      ['a.ts:2: Tells', 'a.ts:3: stands for'],
    ],
    ["const message = 'It is told.'; const told = `told ` + told; // `told`", []],
    ['const half = told / 2; const again = floor / 2;', []],
  ])('in the comments of %j', (text, expected) => {
    const hits = reportHits('a.ts', commentsOf('a.ts', text));
    for (const [index, hit] of expected.entries()) expect(hits[index]).toContain(hit);
    expect(hits).toHaveLength(expected.length);
  });

  test.each(PHRASES.map(({ name, instead }) => [name, instead]))(
    '%s, capital letters and line ends included',
    (name, instead) => {
      const written = name.toUpperCase().replaceAll(' ', '\n');
      const expected = `a.md:1: ${name.toUpperCase()} → use ${instead}`;
      expect(reportHits('a.md', `This is ${written} here.`)).toEqual([expected]);
    },
  );
});

describe('what is correct is accepted', () => {
  test.each([
    'The function floor(Price) and `floor`, `auth.seats`, write.refused and /told/',
    'ECONNREFUSED: the connection was refused',
    'A service behind a reverse proxy, as RFC 9110 says, leaves nothing behind',
    'retold, roommate, warehouse, leader, foretells, seated',
    '```text\nIt is told.\n```\nand [this](told-rooms.md)',
    '| A01 | x | met | `test/a.test.ts`: a request is refused<br>`test/b.test.ts`: rooms |',
  ])('%j', (text) => {
    expect(reportHits('a.md', pageProse(text))).toEqual([]);
  });

  test('an exception covers one phrase in one text, not its neighbours', () => {
    const hits = reportHits(
      'a.md',
      'behind a proxy or behind a navigation, connection refused or request refused',
    );
    expect(hits.map((hit) => hit.replace(/ →.*/, ''))).toEqual([
      'a.md:1: behind',
      'a.md:1: refused',
    ]);
  });

  test('each exception gives a reason and belongs to a phrase', () => {
    const names = PHRASES.map(({ name }) => name);
    for (const { phrase, because } of EXCEPTIONS) {
      expect(names).toContain(phrase);
      expect(because).not.toBe('');
    }
  });
});
