// This file checks that a CSDL JSON document with mistakes is rejected with all of them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { printMistakes } from '../../src/edm/model-error.ts';
import type { JsonInput, JsonObject } from '../../src/edm/value/lossless-json.ts';

function told(document: JsonInput): string {
  return printMistakes(readCsdl(document).mistakes);
}

function withSchema(schema: JsonObject): JsonObject {
  return { $Version: '4.01', Shop: schema };
}

function withProperty(property: JsonInput): JsonObject {
  return withSchema({ Item: { $Kind: 'EntityType', Name: property } });
}

describe('a document with mistakes', () => {
  const cases: readonly (readonly [string, JsonInput, string])[] = [
    ['that is no object', [1], 'error at $: Expected an object, found an array.'],
    [
      'of another version',
      { $Version: '3.0' },
      'error at $.$Version: The CSDL version is not 4.0 or 4.01.',
    ],
    [
      'with an unknown member',
      { $Version: '4.0', $EntityContaine: 'A.B' },
      'Did you mean "$EntityContainer"?',
    ],
    [
      'with a misspelt term for user interfaces',
      withProperty({ '@Docket.Console.V1.Iccon': 'box' }),
      'The vocabulary Docket.Console.V1 has no term Iccon. Remove it or correct the name. Did you mean "Icon"?',
    ],
    [
      'with a container that is not there',
      { $Version: '4.0', $EntityContainer: 'A.B' },
      'There is no entity container A.B.',
    ],
    [
      'with a schema that is text',
      { $Version: '4.0', Shop: 'x' },
      'error at $.Shop: Expected an object, found "x".',
    ],
    [
      'with an unknown term of Docket',
      withSchema({ Item: { $Kind: 'EntityType', '@Docket.Indexs': [] } }),
      'error at $.Shop.Item["@Docket.Indexs"]',
    ],
    ['with an element of no kind', withSchema({ Item: {} }), 'error at $.Shop.Item.$Kind'],
    [
      'with two containers',
      withSchema({ A: { $Kind: 'EntityContainer' }, B: { $Kind: 'EntityContainer' } }),
      'Shop.B is a second entity container',
    ],
    [
      'with a type that is no text',
      withProperty({ $Type: 1 }),
      'error at $.Shop.Item.Name.$Type: Expected a string, found 1.',
    ],
    [
      'with a flag in quotes',
      withProperty({ $Nullable: 'true' }),
      'Write true or false without quotes.',
    ],
    ['with a length that is none', withProperty({ $MaxLength: -1 }), '$MaxLength cannot be -1.'],
    ['with an unknown facet', withProperty({ $MaxLen: 5 }), 'Did you mean "$MaxLength"?'],
    ['with a property that is a list', withProperty([1]), 'Expected an object, found an array.'],
    [
      'with a navigation without a type',
      withProperty({ $Kind: 'NavigationProperty' }),
      '$Type is missing.',
    ],
    [
      'with a key that is none',
      withSchema({ Item: { $Kind: 'EntityType', $Key: [{ a: 'b', c: 'd' }] } }),
      'The key is invalid.',
    ],
    [
      'with a generator that is none',
      withProperty({ '@Docket.Generated': { By: 'magic' } }),
      'Expected in By how the value is generated, found "magic". Set By to one of key, sequence',
    ],
    [
      'with a misspelt generator',
      withProperty({ '@Docket.Generated': { By: 'expresion', Expression: 'Name' } }),
      'Did you mean "expression"?',
    ],
    [
      'with an expression that is missing',
      withProperty({ '@Docket.Generated': { By: 'initial' } }),
      'Expected an expression with By: initial, found none.',
    ],
    [
      'with a scale that is none',
      withProperty({ $Type: 'Edm.Decimal', $Scale: 'float' }),
      'Expected an integer, variable or floating, found "float". Write one of them.',
    ],
    [
      'with a deletion that is none',
      withProperty({
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Item',
        '@Docket.OnDelete': 'forget',
      }),
      '"forget" is not a known action.',
    ],
    [
      'with a deletion of unknown partners',
      withProperty({ $Kind: 'NavigationProperty', $Type: 'Shop.Item', $OnDelete: 'Cascade' }),
      'warning at $.Shop.Item.Name.$OnDelete: Cascade has no effect',
    ],
    [
      'with a term of another type',
      withProperty({ '@Core.Computed': 'yes' }),
      'The value of Core.Computed must be true or false, found "yes".',
    ],
    [
      'with an operation that is none',
      withSchema({ Do: [{ $Kind: 'Procedure' }] }),
      'Procedure is not a kind of operation.',
    ],
    [
      'with a code list without a name',
      withSchema({
        C: { $Kind: 'EntityContainer', '@Docket.CodeLists': [{ Codes: [{ Valu: 1 }] }] },
      }),
      'error at $.Shop.C["@Docket.CodeLists"][0].Codes[0].Value: Value is missing.',
    ],
    [
      'with an enumeration member that is text',
      withSchema({ Size: { $Kind: 'EnumType', Small: 'one' } }),
      'Expected an integer, found "one".',
    ],
  ];

  const alternateKeys = (value: JsonInput) =>
    withSchema({
      Item: { $Kind: 'EntityType', '@Core.AlternateKeys': value, Code: { $Nullable: true } },
    });

  test.each<JsonInput>([
    'Code',
    ['Code'],
    [{ Key: [] }],
    [{ Key: 'Code' }],
    [{ Key: ['Code'] }],
    [{ Key: [{ Name: { $PropertyPath: 'Code' } }] }],
    [{ Key: [{ Nam: 'Code' }] }],
    [{ Key: [{ Name: 'Code', Alais: 'C' }] }],
    [{ Key: [{ Name: 'Code', Alias: 1 }] }],
    [{ Keys: [{ Name: 'Code' }] }],
  ])('with the alternate keys %j is told how to write them', (keys) => {
    expect(told(alternateKeys(keys))).toMatch(
      /^error at \$\.Shop\.Item\["@Core\.AlternateKeys"\]: .*Write \[\{"Key": \[\{"Name": "Code"\}\]\}\]/,
    );
  });

  test('with a valid alternate key beside an invalid one is told which one it is', () => {
    const keys = [{ Key: [{ Name: 'Code', Alias: 'C', '@Core.Description': 'x' }] }];
    expect(told(alternateKeys(keys))).toBe('');
    expect(told(alternateKeys([...keys, {}]))).toContain('at position 2');
  });

  test.each(cases)('%s is told so', (_name, document, part) => {
    expect(told(document)).toContain(part);
  });

  test('is told all of them at once', () => {
    const document = withSchema({
      Item: { $Kind: 'EntityType', A: { $Type: 1 }, B: { $Nullable: 0 }, C: 'x' },
    });
    expect(readCsdl(document).mistakes).toHaveLength(3);
  });

  test('whatever it is, is read without breaking down', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        expect(readCsdl(document as JsonInput).definition.namespaces).toBeInstanceOf(Array);
      }),
    );
    const parts = fc.constantFrom(
      '$Kind',
      'EntityType',
      '$Key',
      '$Type',
      '@Core.Description',
      'A.B',
      'X',
    );
    const odd = fc.letrec((tie) => ({
      value: fc.oneof(
        parts,
        fc.integer(),
        fc.boolean(),
        tie('object'),
        fc.array(tie('object'), { maxLength: 2 }),
      ),
      object: fc.dictionary(parts, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(odd.object, (document) => {
        expect(readCsdl(document as JsonInput).mistakes).toBeInstanceOf(Array);
      }),
    );
  });
});

describe('a foreign document', () => {
  test('is understood whatever it calls the vocabularies and its own schemas', () => {
    const { definition, mistakes } = readCsdl({
      $Version: '4.0',
      $Reference: {
        'http://here/core': { $Include: [{ $Namespace: 'Org.OData.Core.V1', $Alias: 'C' }] },
      },
      $EntityContainer: 'Shop.Stock.Box',
      'Shop.Stock': {
        $Alias: 'self',
        Item: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          Id: { $Type: 'Edm.Int32', '@C.Computed': true },
          Name: { '@Org.OData.Core.V1.Description': 'How it is called' },
          Parent: { $Kind: 'NavigationProperty', $Type: 'self.Item' },
        },
        Box: {
          $Kind: 'EntityContainer',
          Items: {
            $Collection: true,
            $Type: 'self.Item',
            $NavigationPropertyBinding: { 'self.Item/Parent': 'self.Box/Items' },
          },
        },
      },
    });
    expect(mistakes).toEqual([]);
    expect(definition.types[0]).toMatchObject({
      name: 'Shop.Stock.Item',
      members: [
        { name: 'Id', computed: true },
        { name: 'Name', labels: { en: 'How it is called' } },
        { name: 'Parent', target: 'Shop.Stock.Item' },
      ],
    });
    expect(definition.sets[0]?.bindings).toEqual({ 'Shop.Stock.Item/Parent': 'Items' });
    const written = toCsdl(definition);
    expect(JSON.stringify(written)).toContain('"@C.Computed":true');
  });

  test('may say things about its elements elsewhere', () => {
    const { definition, mistakes } = readCsdl({
      $Version: '4.01',
      Shop: {
        $Alias: 'self',
        Item: { $Kind: 'EntityType', Name: { '@Core.Description': 'Here' }, Code: {} },
        Size: { $Kind: 'EnumType', Small: 1 },
        $Annotations: {
          'self.Item/Code': { '@Core.Immutable': true },
          'Shop.Item/Name': { '@Core.Description': 'There' },
          'Shop.Size/Small': { '@Core.Description': 'Not large' },
          'Other.Item': { '@Core.Description': 'Far away' },
        },
      },
    });
    expect(mistakes).toEqual([]);
    expect(definition.types).toMatchObject([
      {
        members: [
          { name: 'Name', labels: { en: 'Here' } },
          { name: 'Code', immutable: true },
        ],
      },
      { members: [{ name: 'Small', labels: { en: 'Not large' } }] },
    ]);
    expect(Object.keys(definition.remainder?.schemas?.Shop?.$Annotations ?? {})).toEqual([
      'Shop.Item/Name',
      'Other.Item',
    ]);
  });

  test('puts its default namespace first', () => {
    const { definition } = readCsdl({
      $Version: '4.01',
      A: {},
      B: { '@Core.DefaultNamespace': true },
    });
    expect(definition.namespaces).toEqual([{ name: 'B' }, { name: 'A' }]);
  });

  test('tells at the owner what a deletion does', () => {
    const { definition } = readCsdl(
      withSchema({
        Order: {
          $Kind: 'EntityType',
          Lines: {
            $Kind: 'NavigationProperty',
            $Collection: true,
            $Type: 'Shop.Line',
            $Partner: 'Order',
            $OnDelete: 'Cascade',
          },
        },
        Line: {
          $Kind: 'EntityType',
          Order: { $Kind: 'NavigationProperty', $Type: 'Shop.Order', $Partner: 'Lines' },
        },
      }),
    );
    const [order, line] = definition.types;
    expect(line).toMatchObject({ members: [{ name: 'Order', onDelete: 'cascade' }] });
    expect(order).not.toMatchObject({ members: [{ onDelete: 'cascade' }] });
  });
});
