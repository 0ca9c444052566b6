// This file checks code-lists.csv and codes.csv: what they become, and that each mistake names its line, column and remedy.
import { describe, expect, test } from 'vitest';
import type { CodeList } from '../../../src/edm/model.ts';
import type { Mistake } from '../../../src/edm/model-error.ts';
import { readCodeTables } from '../../../src/edm/tables/code-tables.ts';

const BASE: CodeList = {
  name: 'Folder',
  ordered: false,
  hierarchical: true,
  codes: [{ value: 190001n, texts: { en: 'Corporate' } }],
};

function read(lists: string | undefined, codes: string | undefined, own: readonly CodeList[] = []) {
  const mistakes: Mistake[] = [];
  const file = (name: string, text: string | undefined) =>
    text === undefined ? undefined : { name, text };
  const tables = { lists: file('code-lists.csv', lists), codes: file('codes.csv', codes) };
  const context = { languages: ['en', 'nl'], own, base: [BASE] };
  return { lists: readCodeTables(tables, context, mistakes), mistakes };
}

describe('code tables', () => {
  test('become lists in the order of their rows, with texts by language', () => {
    const { lists, mistakes } = read(
      'list,ordered,hierarchical,en,nl\nSize,true,,Size,Maat\nColour,,true,Colour,\n',
      'list,value,parent,meaning,disabled,en,nl\nColour,2,1,,,Dark red,\nSize,10,,SMALL,true,Small,Klein\nColour,1,,,,Red,Rood\n',
    );
    expect(mistakes).toEqual([]);
    expect(lists).toEqual([
      {
        name: 'Size',
        ordered: true,
        hierarchical: false,
        labels: { en: 'Size', nl: 'Maat' },
        codes: [
          { value: 10n, meaning: 'SMALL', disabled: true, texts: { en: 'Small', nl: 'Klein' } },
        ],
      },
      {
        name: 'Colour',
        ordered: false,
        hierarchical: true,
        labels: { en: 'Colour' },
        codes: [
          { value: 2n, parent: 1n, texts: { en: 'Dark red' } },
          { value: 1n, texts: { en: 'Red', nl: 'Rood' } },
        ],
      },
    ]);
  });

  test('add codes to a list of the model below, and rename those that it has', () => {
    const { lists, mistakes } = read(
      undefined,
      'list,value,parent,en,nl\nFolder,190009,190001,Annex,\nFolder,190001,,,Concern\n',
    );
    expect(mistakes).toEqual([]);
    expect(lists).toEqual([
      {
        name: 'Folder',
        ordered: false,
        hierarchical: true,
        codes: [
          { value: 190009n, parent: 190001n, texts: { en: 'Annex' } },
          { value: 190001n, texts: { nl: 'Concern' } },
        ],
      },
    ]);
  });

  test.each([
    ['an unknown column', 'list,orderd,en\nA,,A', undefined, 'code-lists.csv:1:6', '"ordered"'],
    ['a missing column', undefined, 'list,en\nA,A', 'codes.csv:1:1', 'first line'],
    ['a column twice', 'list,en,en\nA,A,A', undefined, 'code-lists.csv:1:9', 'Remove one'],
    ['semicolons', undefined, 'list;value;en\nA;1;A', 'codes.csv:1:1', 'comma-separated'],
    ['a cell too many', 'list,en\nA,B,C', undefined, 'code-lists.csv:2:1', 'in quotes'],
    ['a list twice', 'list,en\nA,A\nA,B', undefined, 'code-lists.csv:3:1', 'Remove one'],
    [
      'a flag that is none',
      'list,ordered\nA,yes',
      undefined,
      'code-lists.csv:2:3',
      'true or false',
    ],
    [
      'a list that nobody has',
      'list\nColour',
      'list,value,en\nColor,1,A',
      'codes.csv:2:1',
      '"Colour"',
    ],
    ['no value', 'list\nA', 'list,value,en\nA,,A', 'codes.csv:2:3', 'Fill it in'],
    ['a value that is no integer', 'list\nA', 'list,value,en\nA,1.5,A', 'codes.csv:2:3', 'digits'],
    [
      'a value beyond 64 bits',
      'list\nA',
      'list,value,en\nA,9223372036854775808,A',
      'codes.csv:2:3',
      '64-bit',
    ],
    ['a value twice', 'list\nA', 'list,value,en\nA,1,A\nA,1,B', 'codes.csv:3:3', 'another value'],
    ['no text', 'list\nA', 'list,value,en\nA,1,', 'codes.csv:2:5', 'Add one'],
    [
      'a parent that is not in the list',
      'list,hierarchical\nA,true',
      'list,value,parent,en\nA,1,7,A',
      'codes.csv:2:5',
      'same list',
    ],
    [
      'a parent in a flat list',
      'list\nA',
      'list,value,parent,en\nA,1,,A\nA,2,1,B',
      'codes.csv:3:5',
      'code-lists.csv',
    ],
    [
      'another order of a list of the base',
      'list,ordered\nFolder,true',
      undefined,
      'code-lists.csv:2:8',
      'Leave the cell empty',
    ],
    [
      'a flat list in place of a hierarchical one',
      'list,hierarchical\nFolder,false',
      undefined,
      'code-lists.csv:2:8',
      'Leave the cell empty',
    ],
  ])('%s is a mistake with its place and remedy', (_, lists, codes, path, remedy) => {
    const { mistakes } = read(lists, codes);
    expect(mistakes).toMatchObject([{ path, remedy: expect.stringContaining(remedy) }]);
  });

  test('a list that is also in CSDL is a mistake', () => {
    const own = { ...BASE, name: 'Size', codes: [] };
    expect(read('list\nSize', undefined, [own]).mistakes).toMatchObject([
      { path: 'code-lists.csv:2:1', message: expect.stringContaining('@Docket.CodeLists') },
    ]);
  });
});
