// This file checks the CSDL JSON that a model is described by: it is valid, it says what is true, and reading it gives the model.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { printJson } from '../../src/edm/value/lossless-json.ts';
import { code, codeList, codeValue, singleton } from '../define.ts';
import {
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
import { arbitraryDefinition } from './arbitrary-definition.ts';

const TESTDATA = new URL('../../../shared/testdata/csdl/', import.meta.url);
const SCHEMA = new URL('csdl.schema.json', TESTDATA);
const isPresent = existsSync(SCHEMA);

function schemaCheck(): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true });
  return ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
}

const library = defineModel({
  namespaces: [{ name: 'Library', alias: 'L' }],
  labels: { en: 'A library', nl: 'Een bibliotheek' },
  languages: ['en', 'nl', 'de-AT'],
  types: [
    complexType('Code', [text('Text'), int64('Value')], {
      coded: { value: 'Value', text: 'Text' },
    }),
    entityType(
      'Book',
      [
        int64('Id', { nullable: false, generated: { by: 'key' } }),
        text('Title', {
          nullable: false,
          maxLength: 80,
          labels: { en: 'Title', nl: 'Titel', 'de-AT': 'Titel' },
          description: 'As on the cover',
          searchable: true,
        }),
        code('Genre', 'Genres'),
        dateTime('Bought', { generated: { by: 'initial', expression: 'now()' } }),
        many('Authors', 'Author', { partner: 'Books' }),
        one('Shelf', 'Shelf', { partner: 'Books', onDelete: 'set-null' }),
        contained('Pages', 'Page'),
      ],
      { key: ['Id'], alternateKeys: [['Title']] },
    ),
    entityType('Author', [int64('Id', { nullable: false }), many('Books', 'Book')], {
      key: ['Id'],
    }),
    entityType(
      'Shelf',
      [int64('Id', { nullable: false }), many('Books', 'Book', { partner: 'Shelf' })],
      { key: ['Id'] },
    ),
    entityType('Page', [int64('Number', { nullable: false })], { key: ['Number'] }),
  ],
  sets: [
    entitySet('Books', 'Book', { singular: 'Book', deletable: false }),
    entitySet('Authors', 'Author', { listed: false }),
    entitySet('Shelves', 'Shelf'),
    singleton('Owner', 'Author', { nullable: true }),
  ],
  operations: [
    functionOf('Newest', [parameter(text('Of'), { optional: true })], {
      returns: returning('Book', { nullable: true }),
    }),
  ],
  codeLists: [codeList('Genres', [codeValue(1, { en: 'Novel', nl: 'Roman' })])],
});

describe('a description', () => {
  const document = JSON.parse(printJson(toCsdl(library)));

  test('labels are descriptions, qualified by language where it is not the default', () => {
    expect(document.Library.Book.Title).toEqual({
      $MaxLength: 80,
      '@Core.Description': 'Title',
      '@Core.Description#nl': 'Titel',
      '@Core.Description#de_AT': 'Titel',
      '@Core.LongDescription': 'As on the cover',
    });
    expect(document.Library['@Core.Description#nl']).toBe('Een bibliotheek');
  });

  test('what the model knows about values is said with standard terms', () => {
    expect(document.Library.Book.Id).toEqual({ $Type: 'Edm.Int64', '@Core.Computed': true });
    expect(document.Library.Book.Bought['@Core.ComputedDefaultValue']).toBe(true);
    expect(document.Library.Book['@Core.AlternateKeys']).toEqual([{ Key: [{ Name: 'Title' }] }]);
    expect(document.Library.Code.Text['@Core.IsLanguageDependent']).toBe(true);
    expect(document.Library['@Core.DefaultNamespace']).toBe(true);
    expect(document.Library.Container['@Core.ODataVersions']).toBe('4.01');
    expect(document.Library.Container.Books['@Capabilities.DeleteRestrictions']).toEqual({
      Deletable: false,
    });
    expect(document.Library.Newest[0].$Parameter[0]['@Core.OptionalParameter']).toEqual({});
  });

  test('what becomes of related entities is said on the side of the entity that is deleted', () => {
    expect(document.Library.Shelf.Books.$OnDelete).toBe('SetNull');
    expect(document.Library.Book.Shelf).not.toHaveProperty('$OnDelete');
  });

  test('only the vocabularies that occur are referenced', () => {
    const includes = Object.values(document.$Reference).flatMap(
      (reference) => (reference as { $Include: { $Alias: string }[] }).$Include,
    );
    expect(includes.map((include) => include.$Alias)).toEqual(['Capabilities', 'Core']);
  });

  test('terms of the service itself are written only when they are asked for', () => {
    expect(JSON.stringify(document)).not.toContain('Docket');
    const complete = JSON.parse(printJson(toCsdl(library, { complete: true })));
    expect(complete.Library.Book.Title['@Docket.Searchable']).toBe(true);
    expect(complete['Docket.V1'].$Alias).toBe('Docket');
  });

  test('capabilities are put where they belong and joined with what the model says', () => {
    const capable = JSON.parse(
      printJson(
        toCsdl(library, {
          version: '4.0',
          capabilities: {
            'Library.Container': { 'Capabilities.BatchSupported': true },
            'Library.Container/Books': {
              'Capabilities.DeleteRestrictions': { MaxLevels: 1 },
              'Capabilities.TopSupported': true,
            },
            'Library.Book/Title': { 'Validation.Pattern': '^.+$' },
          },
        }),
      ),
    );
    expect(capable.$Version).toBe('4.0');
    expect(capable.Library.Container['@Capabilities.BatchSupported']).toBe(true);
    expect(capable.Library.Container.Books['@Capabilities.DeleteRestrictions']).toEqual({
      MaxLevels: 1,
      Deletable: false,
    });
    expect(capable.Library.Book.Title['@Validation.Pattern']).toBe('^.+$');
    expect(Object.keys(capable.$Reference)).toHaveLength(3);
  });
});

describe('reading what was written', () => {
  test('gives the same definition', () => {
    const read = readCsdl(toCsdl(library, { complete: true }));
    expect(read.mistakes).toEqual([]);
    expect(read.definition).toEqual(library);
  });

  test('gives the same definition for any model', () => {
    fc.assert(
      fc.property(arbitraryDefinition, (definition) => {
        const read = readCsdl(toCsdl(definition, { complete: true }));
        expect(read.mistakes).toEqual([]);
        expect(read.definition).toEqual(definition);
      }),
      { numRuns: 200 },
    );
  });
});

describe.skipIf(!isPresent)('the JSON schema of CSDL', () => {
  test('finds nothing wrong with any model', () => {
    const check = schemaCheck();
    fc.assert(
      fc.property(arbitraryDefinition, fc.boolean(), (definition, complete) => {
        check(JSON.parse(printJson(toCsdl(definition, { complete }))));
        expect(check.errors ?? []).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  const examples = isPresent
    ? readdirSync(new URL('examples/', TESTDATA)).filter((name) => name.endsWith('.json'))
    : [];

  test.each(examples)('finds nothing wrong with %s, read and written again', (name) => {
    const document = JSON.parse(readFileSync(new URL(`examples/${name}`, TESTDATA), 'utf8'));
    const first = readCsdl(document);
    const check = schemaCheck();
    const written = JSON.parse(printJson(toCsdl(first.definition)));
    check(written);
    expect(check.errors ?? []).toEqual([]);
    expect(readCsdl(written).definition).toEqual(first.definition);
    // Edm.Int32 is what an enumeration has without saying so.
    expect(
      lostPaths(document, written).filter((path) => !path.endsWith('$UnderlyingType')),
    ).toEqual([]);
  });
});

/** Paths of members that are in the first document and not in the second. */
function lostPaths(before: unknown, after: unknown, path = '$'): readonly string[] {
  if (typeof before !== 'object' || before === null) return [];
  if (typeof after !== 'object' || after === null) return [path];
  const members = new Map(Object.entries(after));
  return Object.entries(before).flatMap(([name, value]) =>
    members.has(name)
      ? lostPaths(value, members.get(name), `${path}/${name}`)
      : [`${path}/${name}`],
  );
}
