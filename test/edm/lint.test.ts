// This file checks that a model with mistakes is told all of them, each with its place and what to write instead.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import type { EntitySet, NamedType } from '../../src/edm/model.ts';
import {
  binding,
  code,
  codeList,
  codeValue,
  enumType,
  functionImport,
  typeDefinition,
} from '../define.ts';
import {
  actionOf,
  collectionOf,
  complex,
  complexType,
  contained,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int64,
  type ModelParts,
  many,
  one,
  parameter,
  property,
  returning,
  text,
} from '../define-model.ts';
import { arbitraryDefinition } from './arbitrary-definition.ts';

const id = int64('Id', { nullable: false, generated: { by: 'key' } });
const codeType = complexType('Code', [text('Text'), int64('Value')], {
  coded: { value: 'Value', text: 'Text' },
});

const library: ModelParts = {
  namespaces: [{ name: 'Library' }],
  languages: ['en', 'nl'],
  types: [
    codeType,
    entityType('Item', [id], { abstract: true, key: ['Id'] }),
    entityType(
      'Book',
      [
        text('Title', { labels: { en: 'Title', nl: 'Titel' } }),
        code('Genre', 'Genres'),
        many('Authors', 'Author', { partner: 'Books' }),
        contained('Pages', 'Page'),
      ],
      { base: 'Item', alternateKeys: [['Title']] },
    ),
    entityType('Author', [many('Books', 'Book', { partner: 'Authors' })], { base: 'Item' }),
    entityType('Page', [int64('Number', { nullable: false })], { key: ['Number'] }),
  ],
  sets: [entitySet('Books', 'Book', { singular: 'Book' }), entitySet('Authors', 'Author')],
  operations: [functionOf('Newest', [], { returns: returning('Book', { nullable: true }) })],
  imports: [functionImport('Newest', 'Newest', { set: 'Books' })],
  codeLists: [codeList('Genres', [codeValue(1, { en: 'Novel' })])],
  people: 'Authors',
  history: 'Pages',
};

const templates = { navigation: 'Like', values: 'Pages', property: 'Path', value: 'Value' };

/** A book like which others are made. */
const templated: readonly NamedType[] = [
  entityType('Book', [text('Title'), one('Like', 'Book'), contained('Pages', 'Page')], {
    base: 'Item',
  }),
  entityType('Author', [], { base: 'Item' }),
  entityType('Page', [int64('Number', { nullable: false }), text('Path'), text('Value')], {
    key: ['Number'],
  }),
];

function withType(...types: readonly NamedType[]): ModelParts {
  const names = types.map(({ name }) => name);
  return {
    ...library,
    types: [...(library.types ?? []).filter(({ name }) => !names.includes(name)), ...types],
  };
}

function withSet(...sets: readonly EntitySet[]): ModelParts {
  return { ...library, sets: [...(library.sets ?? []), ...sets] };
}

/** Messages of the model, with their paths. */
function messages(parts: ModelParts): readonly string[] {
  return lintModel(defineModel(parts)).map(
    ({ path, message, remedy }) => `${path}: ${message} ${remedy}`,
  );
}

describe('a model', () => {
  test('that fits together has no mistakes', () => {
    expect(messages(library)).toEqual([]);
  });

  test.each(['Edm', 'odata', 'System', 'Transient', 'Docket'])(
    'with the namespace %s is told that it is reserved',
    (name) => {
      const text = messages({ namespaces: [{ name }], types: [], sets: [] }).join();
      expect(text).toContain(`$.${name}: The namespace ${name} is reserved. Use another name.`);
    },
  );

  test('whose templates are there has no mistakes', () => {
    const whole = { ...templates, type: 'Like/Title' };
    expect(messages({ ...withType(...templated), codeLists: [], templates: whole })).toEqual([]);
  });

  test('is told all its mistakes at once', () => {
    const parts = withType(
      entityType('Book', [one('Shelf', 'Shelve'), text('Isbn', { maxLength: 0 })], { base: 'Itm' }),
      entityType('Reader', [one('Favourite', 'Bok')], { key: ['Nr'] }),
    );
    expect(messages(parts)).toEqual(
      expect.arrayContaining([
        '$.Library.Book.$BaseType: The model does not have the type Library.Itm. Add it or correct the name. Did you mean "Library.Item"?',
        '$.Library.Reader.Favourite.$Type: The model does not have the entity type Library.Bok. Add it or correct the name. Did you mean "Library.Book"?',
        '$.Library.Reader.$Key: The model does not have the property Library.Reader/Nr. Add it or correct the name.',
      ]),
    );
  });

  test('can be checked whatever is wrong with it', () => {
    fc.assert(
      fc.property(arbitraryDefinition, (definition) => {
        for (const { path, message, remedy } of lintModel(definition)) {
          expect(path).toMatch(/^\$/);
          expect(message).toMatch(/\.$/);
          expect(remedy).toMatch(/[.?]$/);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('with warnings only can be served', () => {
    const mistakes = lintModel(defineModel(withSet(entitySet('books', 'Book'))));
    expect(mistakes.length).toBeGreaterThan(0);
    expect(hasMistakes(mistakes)).toBe(false);
    expect(hasMistakes(lintModel(defineModel(withSet(entitySet('Books', 'Book')))))).toBe(true);
  });
});

const entity = (...members: Parameters<typeof entityType>[1]) =>
  withType(entityType('Extra', [id, ...members], { key: ['Id'] }));

describe('a mistake in a model is named:', () => {
  const cases: readonly (readonly [string, ModelParts, string])[] = [
    ['no namespace', { ...library, namespaces: [] }, 'The model has no namespace.'],
    ['a name that is none', entity(text('2nd')), '"2nd" is not a valid name.'],
    ['a foreign namespace', withType(complexType('Libary.Odd', [])), 'Did you mean "Library"?'],
    [
      'two sets of one name',
      withSet(entitySet('Books', 'Book')),
      'more than one set, singular name or import named Books',
    ],
    [
      'a singular name that is a set',
      withSet(entitySet('Novels', 'Book', { singular: 'Authors' })),
      'named Authors',
    ],
    [
      'names that differ by case',
      withSet(entitySet('AUTHORS', 'Author')),
      'Authors and AUTHORS differ only in case.',
    ],
    [
      'a former name that is a member',
      entity(text('A'), text('B', { renamedFrom: 'A' })),
      'A still exists. Remove the annotation or the element.',
    ],
    [
      'a former name that two members claim',
      entity(text('A', { renamedFrom: 'C' }), text('B', { renamedFrom: 'C' })),
      'A was renamed from C, too.',
    ],
    [
      'a former name of a set that is a set',
      withSet(entitySet('Novels', 'Book', { renamedFrom: 'Books' })),
      'Books still exists.',
    ],
    [
      'a former name of a type that is a type',
      withType(complexType('Part', [text('A')], { renamedFrom: 'Book' })),
      'Library.Book still exists.',
    ],
    [
      'a former name of a member that is stored in a document',
      withType(
        complexType('Part', [
          text('A', { renamedFrom: 'B' }),
          collectionOf(complex('Parts', 'Part')),
        ]),
      ),
      'Values of Library.Part are stored as JSON documents, whose members cannot be renamed.',
    ],
    [
      'a member twice',
      entity(text('A'), text('A')),
      'more than one member of Library.Extra named A',
    ],
    [
      'a member that is inherited',
      withType(entityType('Author', [id], { base: 'Item' })),
      'already inherits Id from Library.Item',
    ],
    [
      'a circle of bases',
      withType(complexType('A', [], { base: 'B' }), complexType('B', [], { base: 'A' })),
      'Library.A is derived from itself.',
    ],
    [
      'a base of another kind',
      withType(complexType('A', [], { base: 'Item' })),
      'have different kinds',
    ],
    ['an unknown type', entity(property('A', 'Edm.Strin')), 'Did you mean "Edm.String"?'],
    [
      'an entity type for a property',
      entity(property('A', 'Book')),
      'Make it a NavigationProperty',
    ],
    ['an unknown code list', entity(code('A', 'Genre')), 'Did you mean "Genres"?'],
    [
      'a code list for plain text',
      entity(text('A', { codeList: 'Genres' })),
      'Edm.String is not a coded type.',
    ],
    [
      'a code of changes that is in no list of the history',
      entity(int64('A', { changeCode: 7 })),
      'No list of the history has the code 7.',
    ],
    [
      'a default that is no value',
      entity(int64('A', { default: 'x' })),
      'The default is not a value of Edm.Int64: expected an integer from',
    ],
    [
      'a default of null for a property that is not nullable',
      entity(int64('A', { default: null, nullable: false })),
      'The default is null, but the property is not nullable. Remove the default, or add "$Nullable": true.',
    ],
    [
      'a scale beyond the precision',
      entity(property('A', 'Edm.Decimal', { precision: 2, scale: 3 })),
      'The scale exceeds the precision.',
    ],
    [
      'a facet without meaning',
      entity(int64('A', { maxLength: 3 })),
      '$.Library.Extra.A.$MaxLength: $MaxLength does not apply to Edm.Int64.',
    ],
    [
      'a time generated into text',
      entity(text('A', { generated: { by: 'created' } })),
      'Use Edm.DateTimeOffset.',
    ],
    [
      'an empty expression',
      entity(text('A', { generated: { by: 'expression', expression: ' ' } })),
      'The expression is empty.',
    ],
    [
      'an unknown partner',
      entity(one('A', 'Book', { partner: 'Extras' })),
      'a navigation Library.Book/Extras',
    ],
    [
      'a partner that leads elsewhere',
      entity(one('A', 'Book', { partner: 'Authors' })),
      'refers to Library.Author, not to Library.Extra.',
    ],
    [
      'partners that disagree',
      withType(
        entityType(
          'Author',
          [
            many('Books', 'Book', { partner: 'Authors' }),
            many('Edited', 'Book', { partner: 'Authors' }),
          ],
          { base: 'Item' },
        ),
      ),
      'The partner of Library.Book/Authors is Books.',
    ],
    [
      'a relation left to the other side by a collection',
      entity(many('A', 'Book', { inverse: true })),
      'Only a single navigation with a partner',
    ],
    [
      'null where null is forbidden',
      entity(one('A', 'Book', { nullable: false, onDelete: 'set-null' })),
      'The navigation is not nullable.',
    ],
    [
      'a circle that is forbidden where there can be none',
      entity(one('A', 'Author', { acyclic: true })),
      'The navigation does not relate Library.Extra to itself in one direction.',
    ],
    [
      'a relation without its end',
      withType(
        entityType('Extra', [id, many('Books', 'Book')], {
          key: ['Id'],
          relates: { source: 'Book', target: 'Books' },
        }),
      ),
      'a single navigation Library.Extra/Book',
    ],
    [
      'a relation whose type is many',
      withType(
        entityType('Extra', [id, one('Book', 'Book'), collectionOf(text('Kinds'))], {
          key: ['Id'],
          relates: { target: 'Book', type: 'Kinds' },
        }),
      ),
      'Kinds does not hold a simple value.',
    ],
    [
      'a display name that does not exist',
      withType(entityType('Extra', [id, text('Name')], { key: ['Id'], displayName: 'Nam' })),
      'Did you mean "Name"?',
    ],
    [
      'a display name of a related entity',
      withType(
        entityType('Extra', [id, one('Book', 'Book')], { key: ['Id'], displayName: 'Book' }),
      ),
      'the property Library.Extra/Book',
    ],
    [
      'a display name of many values',
      withType(
        entityType('Extra', [id, collectionOf(text('Names'))], {
          key: ['Id'],
          displayName: 'Names',
        }),
      ),
      'Names does not hold a simple value.',
    ],
    [
      'a disclosure of what is not reserved',
      entity(one('A', 'Author', { discloses: { members: ['Id'] } })),
      'The entities of Library.Author are not reserved for administrators.',
    ],
    [
      'a disclosure through what is no navigation',
      entity(one('A', 'Author', { discloses: { members: ['Id'], through: 'Id' } })),
      'Library.Author/Id is not a single-valued navigation property.',
    ],
    [
      'two disclosures of the same type that differ',
      entity(
        one('A', 'Author', { discloses: { members: ['Id'] } }),
        one('B', 'Author', { discloses: { members: [] } }),
      ),
      'Another navigation discloses other parts of Library.Author.',
    ],
    [
      'an unknown constraint',
      entity(one('A', 'Book', { constraints: [{ property: 'Idd', referenced: 'Id' }] })),
      'Did you mean "Id"?',
    ],
    [
      'a constraint between types that cannot be compared',
      entity(text('N'), one('A', 'Book', { constraints: [{ property: 'N', referenced: 'Id' }] })),
      'N has the type Edm.String, but Id has Edm.Int64. Use Edm.Int64 for N.',
    ],
    [
      'a constraint inside a complex value',
      withType(
        complexType('Shelf', [
          int64('Id'),
          one('A', 'Book', { constraints: [{ property: 'Id', referenced: 'Id' }] }),
        ]),
      ),
      'The constraint is not enforced, since the relation is part of a complex value.',
    ],
    ['no key', withType(entityType('Extra', [text('A')])), 'Library.Extra has no key.'],
    [
      'a second key',
      withType(entityType('Author', [], { base: 'Item', key: ['Id'] })),
      'already inherits a key',
    ],
    [
      'a key that can be null',
      withType(entityType('Extra', [text('A')], { key: ['A'] })),
      'The key property A is nullable.',
    ],
    [
      'a key of binary data',
      withType(
        entityType('Extra', [property('A', 'Edm.Binary', { nullable: false })], { key: ['A'] }),
      ),
      'cannot be the type of a key',
    ],
    [
      'a key path without alias',
      withType(entityType('Extra', [complex('C', 'Code')], { key: ['C/Value'] })),
      'The key path C/Value has no alias.',
    ],
    [
      'an unknown alternate key',
      withType(entityType('Extra', [id], { key: ['Id'], alternateKeys: [['Code']] })),
      'the property Library.Extra/Code',
    ],
    [
      'an alternate key inside of a value that is stored as a whole',
      withType(
        complexType('Place', [text('Room')], { open: true }),
        entityType('Extra', [id, complex('At', 'Place')], {
          key: ['Id'],
          alternateKeys: [['At/Room']],
        }),
      ),
      'At/Room cannot be part of a key',
    ],
    [
      'an alternate key of a complex value',
      withType(
        complexType('Place', [text('Room')]),
        entityType('Extra', [id, complex('At', 'Place')], { key: ['Id'], alternateKeys: [['At']] }),
      ),
      'Library.Place cannot be the type of a key',
    ],
    [
      'coded values without a text',
      withType(complexType('Code', [int64('Value')], { coded: { value: 'Value', text: 'Text' } })),
      'the property Library.Code/Text',
    ],
    [
      'a value that holds itself',
      withType(complexType('A', [complex('B', 'B')]), complexType('B', [complex('A', 'A')])),
      'contains a value of its own type',
    ],
    [
      'an enumeration of texts',
      withType(enumType('A', { X: 1 }, { underlying: 'Edm.String' })),
      'Edm.String cannot be the type of an enumeration.',
    ],
    [
      'an enumeration beyond its type',
      withType(enumType('A', { X: 300 }, { underlying: 'Edm.Byte' })),
      '300 is not a value of Edm.Byte.',
    ],
    [
      'a definition of no primitive type',
      withType(typeDefinition('A', 'Book')),
      'the primitive type Library.Book',
    ],
    [
      'a set of no entity type',
      withSet(entitySet('Codes', 'Code')),
      'the entity type Library.Code',
    ],
    [
      'a binding of no navigation',
      withSet(entitySet('Old', 'Book', { bindings: { Author: 'Authors' } })),
      'a navigation Library.Book/Author',
    ],
    [
      'a binding to no set',
      withSet(entitySet('Old', 'Book', { bindings: { Authors: 'Author' } })),
      'Did you mean "Authors"?',
    ],
    [
      'a binding to a set of another type',
      withSet(entitySet('Old', 'Book', { bindings: { Authors: 'Books' } })),
      'Books contains Library.Book',
    ],
    [
      'a navigation that leads nowhere',
      {
        ...entity(one('A', 'Page')),
        sets: [...(library.sets ?? []), entitySet('Extras', 'Extra')],
      },
      'no set contains Library.Page',
    ],
    [
      'a navigation that leads to several sets',
      withSet(entitySet('Old', 'Author')),
      'Authors has no binding and may refer to any of Authors, Old.',
    ],
    [
      'a function that returns nothing',
      { ...library, operations: [{ ...actionOf('Newest', []), kind: 'function' }] },
      'has no $ReturnType',
    ],
    [
      'an operation bound to nothing',
      {
        ...library,
        operations: [...(library.operations ?? []), actionOf('Lend', [], { bound: true })],
      },
      'has no binding parameter',
    ],
    [
      'a required parameter behind an optional one',
      {
        ...library,
        operations: [
          ...(library.operations ?? []),
          actionOf('Lend', [parameter(text('A'), { optional: true }), parameter(text('B'))]),
        ],
      },
      'Put optional parameters last.',
    ],
    [
      'overloads that are the same',
      {
        ...library,
        operations: [
          ...(library.operations ?? []),
          actionOf('Lend', [binding('Book')], { bound: true }),
          actionOf('Lend', [binding('Book'), parameter(text('A'))], { bound: true }),
        ],
      },
      'have the same signature',
    ],
    [
      'an import of nothing',
      { ...library, imports: [functionImport('Oldest', 'Oldest')] },
      'the function Library.Oldest',
    ],
    [
      'an import of a bound function',
      {
        ...library,
        operations: [
          functionOf('Newest', [binding('Book')], { bound: true, returns: returning('Book') }),
        ],
      },
      'is bound and cannot be imported',
    ],
    [
      'an option that is none',
      { ...library, imports: [functionImport('Newest', 'Newest', { ignoredOptions: ['filter'] })] },
      'Write $filter.',
    ],
    [
      'codes with one value',
      {
        ...library,
        codeLists: [codeList('Genres', [codeValue(1, { en: 'A' }), codeValue(1, { en: 'B' })])],
      },
      'more than one code of Genres named 1',
    ],
    [
      'a code without a text',
      { ...library, codeLists: [codeList('Genres', [codeValue(1, { nl: 'Roman' })])] },
      'has no text in en',
    ],
    [
      'a code without its parent',
      {
        ...library,
        codeLists: [
          codeList('Genres', [codeValue(1, { en: 'A' }, { parent: 2 })], { hierarchical: true }),
        ],
      },
      'the parent 2 of 1',
    ],
    [
      'a hierarchy that is none',
      {
        ...library,
        codeLists: [
          codeList('Genres', [codeValue(1, { en: 'A' }), codeValue(2, { en: 'B' }, { parent: 1 })]),
        ],
      },
      'Set Hierarchical to true.',
    ],
    [
      'codes in a circle',
      {
        ...library,
        codeLists: [
          codeList('Genres', [codeValue(1, { en: 'A' }, { parent: 1 })], { hierarchical: true }),
        ],
      },
      'The code 1 is its own ancestor.',
    ],
    [
      'an item key of a single value',
      entity({ ...property('Origin', 'Library.Code'), itemKey: ['Text'] }),
      'Origin is not a collection of complex values of an entity type.',
    ],
    [
      'an item key of an unknown member',
      entity({ ...collectionOf(property('Origins', 'Library.Code')), itemKey: ['Txt'] }),
      'Did you mean "Text"?',
    ],
    [
      'an item key with a number',
      entity({ ...collectionOf(property('Origins', 'Library.Code')), itemKey: ['Value'] }),
      'Value is not a single string.',
    ],
    [
      'an item key that names a member twice',
      entity({ ...collectionOf(property('Origins', 'Library.Code')), itemKey: ['Text', 'Text'] }),
      'The key must name each of its members once.',
    ],
    [
      'two collections with an item key',
      entity(
        ...['Origins', 'Others'].map((name) => ({
          ...collectionOf(property(name, 'Library.Code')),
          itemKey: ['Text'],
        })),
      ),
      'Others',
    ],
    ['people in no set', { ...library, people: 'Persons' }, 'the set Persons'],
    ['a history nowhere', { ...library, history: 'Page' }, 'Did you mean "Pages"?'],
    [
      'templates behind no navigation',
      { ...library, templates: { ...templates, navigation: 'Auther' } },
      'the single navigation Auther',
    ],
    [
      'templates whose values are nowhere',
      { ...withType(...templated), templates: { ...templates, values: 'Page' } },
      'Did you mean "Pages"?',
    ],
    [
      'templates whose values have no such property',
      { ...withType(...templated), templates: { ...templates, value: 'Number' } },
      'the Edm.String property Number',
    ],
    [
      'templates of a type that is nowhere',
      { ...withType(...templated), templates: { ...templates, type: 'Like/Titel' } },
      'Did you mean "Like/Title"?',
    ],
    [
      'templates whose roles are nowhere',
      { ...withType(...templated), templates: { ...templates, roles: 'Rolls/Name' } },
      'the collection of roles Rolls',
    ],
    [
      'a value that is in two code lists',
      {
        ...library,
        codeLists: [
          codeList('Genres', [codeValue(1, { en: 'A' })]),
          codeList('Others', [codeValue(1, { en: 'B' })]),
        ],
      },
      'The list Genres has a code 1, too.',
    ],
    ['no language', { ...library, languages: [], codeLists: [] }, 'The model has no languages.'],
    [
      'a language that is none',
      { ...library, languages: ['en', 'nl', 'x y'] },
      'x y is not a language tag.',
    ],
    [
      'a label that is never shown',
      entity(text('A', { labels: { fr: 'A' } })),
      'The label in fr is never used.',
    ],
  ];

  test.each(cases)('%s', (_name, parts, part) => {
    expect(messages(parts).join('\n')).toContain(part);
  });

  test('a collection of values of the own type is no endless value', () => {
    const parts = withType(complexType('A', [collectionOf(complex('Parts', 'A'))]));
    expect(messages(parts)).toEqual([]);
  });
});
