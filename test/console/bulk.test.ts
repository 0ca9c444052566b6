// This file checks how a selection becomes requests that change many rows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byMessage,
  CHUNK,
  chunksOf,
  csvCell,
  keysFilter,
  selectionFilter,
} from '../../console/src/list/bulk/bulk.ts';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { typeNamed } from '../../console/src/model/model.ts';

const model = compileModel(
  {
    $Version: '4.01',
    Shop: {
      Item: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } },
      Line: {
        $Kind: 'EntityType',
        $Key: ['Order', { Place: 'Shelf/Number' }],
        Order: {},
        Shelf: { $Type: 'Shop.Shelf' },
      },
      Shelf: { $Kind: 'ComplexType', Number: { $Type: 'Edm.Int32' } },
    },
  },
  'en',
);
const item = typeNamed(model, 'Shop.Item');
const line = typeNamed(model, 'Shop.Line');

describe('A bulk edit', () => {
  it('names rows by their keys, also by keys of several properties', () => {
    expect(keysFilter(item, ['1', '2'])).toBe('Id in (1,2)');
    expect(keysFilter(line, ["Order='a,b',Place=3", "Order='x',Place=4"])).toBe(
      "(Order eq 'a,b' and Shelf/Number eq 3) or (Order eq 'x' and Shelf/Number eq 4)",
    );
    expect(keysFilter(item, [])).toBeUndefined();
  });

  it('means all rows that match except some', () => {
    const except = { kind: 'all', except: new Set(['5']) } as const;
    expect(selectionFilter(item, except, 'A eq 1 or B eq 2')).toBe(
      '(A eq 1 or B eq 2) and (not (Id in (5)))',
    );
    expect(selectionFilter(item, { kind: 'all', except: new Set() }, undefined)).toBeUndefined();
    const single = { kind: 'keys', keys: new Set(['7']) } as const;
    expect(selectionFilter(item, single, 'A eq 1')).toBe('Id in (7)');
  });

  it('has each key in one chunk, in order, and no URL that proxies reject', () => {
    const keys = fc.array(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 900 });
    fc.assert(
      fc.property(keys, (list) => {
        const chunks = chunksOf(list);
        expect(chunks.flat()).toEqual(list);
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(CHUNK);
          expect(encodeURIComponent(chunk.join(',')).length).toBeLessThan(7000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('shortens chunks of long keys', () => {
    const long = Array.from({ length: 300 }, (_, index) => `'${'k'.repeat(80)}${index}'`);
    const chunks = chunksOf(long);
    expect(chunks.flat()).toEqual(long);
    for (const chunk of chunks)
      expect(encodeURIComponent(chunk.join(',')).length).toBeLessThan(7000);
  });

  it('groups failures by what the service says', () => {
    const failures = ['no', 'late', 'no'].map((message, index) => ({ key: `${index}`, message }));
    expect(byMessage(failures)).toEqual([
      { message: 'no', count: 2 },
      { message: 'late', count: 1 },
    ]);
  });

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['=1+1', "'=1+1"],
    ['@sum', "'@sum"],
  ])('saves %s as a cell that spreadsheets do not run', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});
