// This file checks the reader of CSV: RFC 4180, and the line and column of every cell and mistake.
import { expect, test } from 'vitest';
import type { Mistake } from '../../../src/edm/model-error.ts';
import { formatLocation, readCsv } from '../../../src/edm/tables/csv.ts';

function read(text: string) {
  const mistakes: Mistake[] = [];
  const rows = readCsv({ name: 't.csv', text }, mistakes);
  return { rows, texts: rows.map((row) => row.map((cell) => cell.text)), mistakes };
}

test.each([
  [
    'lines that end with LF',
    'a,b\nc,d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'lines that end with CRLF',
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a last line without an end',
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'empty cells',
    ',\n,b',
    [
      ['', ''],
      ['', 'b'],
    ],
  ],
  ['a trailing comma', 'a,', [['a', '']]],
  [
    'quoted commas, quotes and line breaks',
    '"a,b","say ""hi""","c\nd"',
    [['a,b', 'say "hi"', 'c\nd']],
  ],
  ['an empty quoted cell', '"",b', [['', 'b']]],
  ['blanks, which belong to the cell', ' a , b ', [[' a ', ' b ']]],
  ['a byte order mark', '\uFEFFa,b', [['a', 'b']]],
  [
    'lines without text',
    'a,b\n\n  \r\nc,d\n\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['nothing', '', []],
])('reads %s', (_, text, expected) => {
  expect(read(text)).toMatchObject({ texts: expected, mistakes: [] });
});

test('every cell knows its line and column, after line breaks in quotes, too', () => {
  const { rows } = read('a,b\n"x\ny",c\nd,"e"');
  expect(rows.map((row) => row.map((cell) => formatLocation('t.csv', cell)))).toEqual([
    ['t.csv:1:1', 't.csv:1:3'],
    ['t.csv:2:1', 't.csv:3:4'],
    ['t.csv:4:1', 't.csv:4:3'],
  ]);
});

test.each([
  ['a quotation mark within a cell', 'a\nb,5" disk', 't.csv:2:4', 'contains a quote'],
  ['text after a closing quotation mark', '"a" b,c', 't.csv:1:4', 'after the closing quote'],
  [
    'a quotation mark that is never closed',
    'a\nb,"c\nd',
    't.csv:2:3',
    'closing quote of the cell is missing',
  ],
])('%s is a mistake with its place', (_, text, path, message) => {
  expect(read(text).mistakes).toMatchObject([{ path, message: expect.stringContaining(message) }]);
});
