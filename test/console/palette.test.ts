// This file checks what the palette offers for a text, and the letters that go to sets.
import { describe, expect, it } from 'vitest';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { typeNamed } from '../../console/src/model/model.ts';
import {
  goLetters,
  matching,
  numberIn,
  numberProperty,
  recordsPath,
  searchedSets,
  searches,
} from '../../console/src/palette/palette-entries.ts';

const entry = (label: string) => ({ id: label, label, run: () => undefined });
const model = compileModel(
  {
    $Version: '4.01',
    Desk: {
      Ticket: {
        $Kind: 'EntityType',
        $Key: ['Uid'],
        '@Core.AlternateKeys': [{ Key: [{ Name: 'ID' }] }],
        Uid: { $Type: 'Edm.Int64' },
        ID: { $Type: 'Edm.Int64' },
        Name: {},
      },
      Note: { $Kind: 'EntityType', $Key: ['Name'], Name: {} },
      Container: {
        $Kind: 'EntityContainer',
        Tickets: { $Collection: true, $Type: 'Desk.Ticket' },
        Teams: { $Collection: true, $Type: 'Desk.Note' },
        Notes: { $Collection: true, $Type: 'Desk.Note' },
      },
    },
  },
  'en',
);
const sets = [...model.sets.values()];
const [tickets, , notes] = sets;
const ticket = typeNamed(model, 'Desk.Ticket');

describe('The palette', () => {
  it('finds entries by all words, those that start with the first word before others', () => {
    const entries = ['Work orders', 'New: Orders', 'Orders'].map(entry);
    expect(matching(entries, 'order').map(({ label }) => label)).toEqual([
      'Orders',
      'Work orders',
      'New: Orders',
    ]);
    expect(matching(entries, 'orders new').map(({ label }) => label)).toEqual(['New: Orders']);
    expect(matching(entries, '')).toHaveLength(3);
  });

  it.each([
    ['#1234', '1234'],
    [' # 7 ', '7'],
    ['1234', undefined],
    ['#12a', undefined],
    ['#', undefined],
  ])('reads %j as number %s', (text, number) => {
    expect(numberIn(text)).toBe(number);
  });

  it('looks plain digits up as a number first, and searches for them as text', () => {
    const phrase = '1234';
    expect(searches('1234', phrase)).toEqual([
      { phrase, number: '1234' },
      { phrase, number: undefined },
    ]);
    expect(searches('#1234', phrase)).toEqual([{ phrase, number: '1234' }]);
    expect(searches('12a', '12a')).toEqual([{ phrase: '12a', number: undefined }]);
    expect(searches('', '')).toEqual([]);
  });

  it('looks a number up by the property that people know, where there is one', () => {
    if (tickets === undefined || notes === undefined) throw new Error('The model has no sets.');
    expect(numberProperty(ticket)).toBe('ID');
    const wanted = { phrase: '', number: '7' };
    expect(recordsPath(model, tickets, ticket, wanted)).toContain('$filter=ID%20eq%207');
    expect(recordsPath(model, notes, typeNamed(model, 'Desk.Note'), wanted)).toBeUndefined();
    expect(recordsPath(model, tickets, ticket, { phrase: 'a b', number: undefined })).toContain(
      '$search=a%20b',
    );
  });

  it('searches the set of the page first, and twenty at most', () => {
    expect(searchedSets(sets, 'Notes').map(({ name }) => name)).toEqual([
      'Notes',
      'Tickets',
      'Teams',
    ]);
    const many = Array.from({ length: 9 }, () => sets).flat();
    expect(searchedSets(many, undefined)).toHaveLength(20);
  });

  it('does not search a set that has no search, but looks numbers up there', () => {
    if (tickets === undefined) throw new Error('The model has no sets.');
    const set = {
      ...tickets,
      annotations: { 'Capabilities.SearchRestrictions': { Searchable: false } },
    };
    const wanted = { phrase: 'a', number: undefined };
    expect(recordsPath(model, set, ticket, wanted)).toBeUndefined();
    expect(recordsPath(model, set, ticket, { phrase: '', number: '7' })).toBeDefined();
  });

  it('gives each set a letter of its own', () => {
    const letters = [...goLetters(sets)].map(([letter, { name }]) => `${letter} ${name}`);
    expect(letters).toEqual(['t Tickets', 'e Teams', 'n Notes']);
  });
});
