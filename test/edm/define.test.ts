// This file checks that a model written with the builders means what it says: names, defaults and bindings.
import { describe, expect, test } from 'vitest';
import {
  binding,
  code,
  codeList,
  codeValue,
  decimal,
  enumType,
  functionImport,
  singleton,
  typeDefinition,
} from '../define.ts';
import {
  actionOf,
  collectionOf,
  complex,
  complexType,
  contained,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int64,
  many,
  one,
  parameter,
  returning,
  text,
} from '../define-model.ts';

const library = defineModel({
  namespaces: [{ name: 'Library' }],
  types: [
    complexType('Code', [text('Text'), int64('Value')], {
      coded: { value: 'Value', text: 'Text' },
    }),
    complexType('Loan', [one('Borrower', 'Reader'), dateTime('Since')]),
    entityType('Item', [int64('Id', { nullable: false, generated: { by: 'key' } })], {
      key: ['Id'],
      abstract: true,
    }),
    entityType(
      'Book',
      [
        text('Title', { maxLength: 80, nullable: false, labels: { en: 'Title', nl: 'Titel' } }),
        code('Genre', 'Genres'),
        complex('Loan', 'Loan'),
        collectionOf(text('Keywords')),
        many('Authors', 'Author', { partner: 'Books' }),
        contained('Pages', 'Page'),
      ],
      { base: 'Item', alternateKeys: [['Title']] },
    ),
    entityType('Rarity', [one('Keeper', 'Reader')], { base: 'Book' }),
    entityType('Page', [int64('Number'), one('Scribe', 'Author')], { key: ['Number'] }),
    entityType('Author', [many('Books', 'Book', { partner: 'Authors' })], { base: 'Item' }),
    entityType('Reader', [many('Copies', 'Item')], { base: 'Item' }),
    enumType('Size', { Small: 1, Large: 2 }),
    typeDefinition('Weight', 'Edm.Decimal', { precision: 5, scale: 2 }),
  ],
  sets: [
    entitySet('Books', 'Book', { singular: 'Book' }),
    entitySet('Authors', 'Author'),
    entitySet('Readers', 'Reader'),
    entitySet('OldReaders', 'Reader', { bindings: { Copies: 'Books' } }),
    singleton('Librarian', 'Author'),
  ],
  operations: [
    actionOf('Lend', [binding('Book'), parameter(text('To', { description: 'Who gets it' }))], {
      bound: true,
    }),
    functionOf('Newest', [], { returns: returning('Book', { nullable: true }) }),
  ],
  imports: [functionImport('Newest', 'Newest', { set: 'Books', ignoredOptions: ['$filter'] })],
  codeLists: [codeList('Genres', [codeValue(1, { en: 'Novel' }), codeValue(2, {}, { parent: 1 })])],
});

function setNamed(name: string) {
  return library.sets.find((set) => set.name === name);
}

describe('names', () => {
  test('a name without a dot belongs to the first namespace, a name with one stays', () => {
    expect(library.container).toBe('Library.Container');
    expect(library.types.map((type) => type.name).slice(0, 3)).toEqual([
      'Library.Code',
      'Library.Loan',
      'Library.Item',
    ]);
    const book = library.types.find((type) => type.name === 'Library.Book');
    expect(book).toMatchObject({ base: 'Library.Item', alternateKeys: [[{ path: 'Title' }]] });
    expect(book?.kind === 'entity' && book.members).toMatchObject([
      { name: 'Title', type: 'Edm.String', nullable: false, facets: { maxLength: 80 } },
      { name: 'Genre', type: 'Library.Code', codeList: 'Genres', nullable: true },
      { name: 'Loan', type: 'Library.Loan' },
      { name: 'Keywords', collection: true, nullable: false },
      { name: 'Authors', target: 'Library.Author', collection: true, contained: false },
      { name: 'Pages', target: 'Library.Page', collection: true, contained: true },
    ]);
    expect(library.operations[0]?.parameters[0]).toMatchObject({ type: 'Library.Book' });
    expect(library.operations[1]?.returns).toEqual({
      type: 'Library.Book',
      collection: false,
      nullable: true,
      facets: {},
    });
    expect(library.imports[0]).toMatchObject({ operation: 'Library.Newest', listed: false });
  });

  test('a generated value is computed, one with an initial expression stays writable', () => {
    expect(int64('Id', { generated: { by: 'key' } }).computed).toBe(true);
    const initial = int64('Rank', { generated: { by: 'initial', expression: '3' } });
    expect('computed' in initial).toBe(false);
  });

  test('what is left out is absent, not undefined', () => {
    expect(decimal('Price', { precision: 12, scale: 2 })).toStrictEqual({
      kind: 'property',
      name: 'Price',
      type: 'Edm.Decimal',
      collection: false,
      nullable: true,
      facets: { precision: 12, scale: 2 },
    });
  });
});

describe('bindings', () => {
  test('a navigation that one set can be the target of is bound, through complex, contained and derived members', () => {
    expect(setNamed('Books')?.bindings).toEqual({
      Authors: 'Authors',
      'Pages/Scribe': 'Authors',
    });
    expect(setNamed('Authors')?.bindings).toEqual({ Books: 'Books' });
  });

  test('a navigation with several possible sets is left open, what is given stays', () => {
    expect(setNamed('Readers')?.bindings).toEqual({});
    expect(setNamed('OldReaders')?.bindings).toEqual({ Copies: 'Books' });
  });

  test('a derived type is reached by its qualified name', () => {
    const { sets } = defineModel({
      namespaces: [{ name: 'Library' }],
      types: library.types,
      sets: library.sets.filter((set) => set.name !== 'OldReaders'),
    });
    expect(sets[0]?.bindings).toEqual({
      Authors: 'Authors',
      'Pages/Scribe': 'Authors',
      'Loan/Borrower': 'Readers',
      'Library.Rarity/Keeper': 'Readers',
    });
  });
});
