// This file checks what an extension can add to a model and override in it, and that everything else is rejected with place, reason and
// remedy.
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { extendDocument, isIndependent } from '../../src/edm/extension/extend-document.ts';
import { mergeCodeLists } from '../../src/edm/extension/merge-code-lists.ts';
import { printMistakes } from '../../src/edm/model-error.ts';
import { deriveBindings } from '../../src/edm/navigation-bindings.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';

const CODE = {
  $Kind: 'ComplexType',
  '@Docket.Coded': { Value: 'Value', Text: 'Text' },
  Text: { $Nullable: true },
  Value: { $Type: 'Edm.Int64', $Nullable: true },
};
const BASE: JsonObject = {
  $Version: '4.01',
  $EntityContainer: 'Shop.Container',
  Shop: {
    '@Core.Description': 'The shop',
    Code: CODE,
    Colour: { $Kind: 'EnumType', Red: 1, Green: 2 },
    Weight: { $Kind: 'TypeDefinition', $UnderlyingType: 'Edm.Decimal' },
    Item: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Core.Description': 'Item',
      Id: { $Type: 'Edm.Int64' },
      Name: { $MaxLength: 40, '@Core.Description': 'Name' },
      Note: { $Nullable: true },
      Size: { $Type: 'Shop.Code', $Nullable: true, '@Docket.CodeList': 'Sizes' },
      Buyer: { $Kind: 'NavigationProperty', $Type: 'Shop.Person', $Nullable: true },
      Friends: { $Kind: 'NavigationProperty', $Type: 'Shop.Person', $Collection: true },
    },
    Person: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } },
    Pack: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [{ $Name: 'item', $Type: 'Shop.Item' }],
      },
    ],
    Container: {
      $Kind: 'EntityContainer',
      '@Docket.Languages': ['en', 'nl'],
      '@Docket.CodeLists': [
        {
          Name: 'Sizes',
          Ordered: true,
          Codes: [{ Value: 1, Texts: [{ Language: 'en', Text: 'S' }] }],
        },
      ],
      Items: {
        $Collection: true,
        $Type: 'Shop.Item',
        $NavigationPropertyBinding: { Buyer: 'Persons' },
        '@Capabilities.DeleteRestrictions': { Deletable: false },
      },
      Persons: { $Collection: true, $Type: 'Shop.Person' },
    },
  },
};

function extend(schemas: JsonObject, optional?: JsonObject) {
  const extended = extendDocument(BASE, { $Version: '4.01', ...schemas }, optional);
  const read = readCsdl(extended.document);
  const mistakes = [...extended.mistakes, ...read.mistakes.map(extended.locate)];
  return { definition: read.definition, mistakes: printMistakes(mistakes) };
}

function memberOf({ definition }: ReturnType<typeof extend>, type: string, name: string) {
  const found = definition.types.find((one) => one.name === type);
  const members = found?.kind === 'entity' ? found.members : [];
  return members.find((member) => member.name === name);
}

/** An extension with a schema and a container of its own. */
const FLEET: JsonObject = {
  $EntityContainer: 'Fleet.Desk',
  $Reference: { 'shop.json': { $Include: [{ $Namespace: 'Shop', $Alias: 'S' }] } },
  Fleet: {
    '@Core.LongDescription': 'Vehicles',
    Vehicle: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64' },
      Items: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'S.Item',
        $Partner: 'Vehicle',
        $OnDelete: 'SetNull',
      },
    },
    Desk: {
      $Kind: 'EntityContainer',
      $Extends: 'S.Container',
      '@Docket.CodeLists': [
        { Name: 'Sizes', Codes: [{ Value: 2, Texts: [{ Language: 'en', Text: 'M' }] }] },
      ],
      Vehicles: {
        $Collection: true,
        $Type: 'Fleet.Vehicle',
        $NavigationPropertyBinding: { Items: 'Shop.Container/Items' },
      },
      Items: { $NavigationPropertyBinding: { Vehicle: 'Fleet.Desk/Vehicles' } },
    },
  },
  Shop: {
    Item: {
      Vehicle: {
        $Kind: 'NavigationProperty',
        $Type: 'Fleet.Vehicle',
        $Nullable: true,
        $Partner: 'Items',
      },
    },
  },
};

describe('an extension', () => {
  test('is told from an independent model by $Extends', () => {
    expect([isIndependent(BASE), isIndependent(FLEET), isIndependent({ Shop: {} })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('adds types, sets, relations in both directions and codes', () => {
    const extended = extend(FLEET);
    expect(extended.mistakes).toBe('');
    const { definition } = extended;
    expect(definition.namespaces.map(({ name }) => name)).toEqual(['Shop', 'Fleet']);
    expect(definition.container).toBe('Shop.Container');
    expect(definition.labels).toEqual({ en: 'The shop' });
    const sets = deriveBindings(definition).sets.map(({ name, bindings }) => [name, bindings]);
    expect(sets).toEqual([
      ['Items', { Buyer: 'Persons', Friends: 'Persons', Vehicle: 'Vehicles' }],
      ['Persons', {}],
      ['Vehicles', { Items: 'Items' }],
    ]);
    expect(memberOf(extended, 'Shop.Item', 'Vehicle')).toMatchObject({ onDelete: 'set-null' });
    expect(memberOf(extended, 'Fleet.Vehicle', 'Items')).toMatchObject({ target: 'Shop.Item' });
    const [sizes] = mergeCodeLists(definition.codeLists);
    expect(sizes).toMatchObject({ ordered: true, codes: [{ value: 1n }, { value: 2n }] });
  });

  test('keeps its own schema in the metadata', () => {
    const { definition } = extend(FLEET);
    const document = toCsdl(definition);
    expect(document).toMatchObject({
      $EntityContainer: 'Shop.Container',
      Fleet: { Vehicle: { $Kind: 'EntityType' }, '@Core.LongDescription': 'Vehicles' },
      Shop: { Container: { Vehicles: { $Type: 'Fleet.Vehicle' } } },
    });
    expect(Object.keys(document.$Reference ?? {}).join()).not.toContain('shop.json');
  });

  test('that contains nothing changes nothing', () => {
    const { definition, mistakes } = extend({});
    expect(mistakes).toBe('');
    expect(definition).toEqual(readCsdl(BASE).definition);
  });

  test('that repeats the model changes nothing', () => {
    const { definition, mistakes } = extend({
      Shop: { Item: (BASE.Shop as JsonObject).Item ?? {} },
    });
    expect(mistakes).toBe('');
    expect(definition).toEqual(readCsdl(BASE).definition);
  });

  test('overrides labels, nullability, defaults and lengths, and keeps the rest', () => {
    const extended = extend({
      Shop: {
        Item: {
          '@Core.Description': 'Thing',
          Name: { '@Core.Description#nl': 'Naam', $MaxLength: 80 },
          Note: { $Nullable: false, $DefaultValue: '-' },
        },
        Container: {
          $Kind: 'EntityContainer',
          $Extends: 'Shop.Container',
          '@Docket.Languages': ['de'],
        },
      },
    });
    expect(extended.mistakes).toBe('');
    expect(memberOf(extended, 'Shop.Item', 'Name')).toMatchObject({
      type: 'Edm.String',
      facets: { maxLength: 80 },
      labels: { en: 'Name', nl: 'Naam' },
    });
    expect(memberOf(extended, 'Shop.Item', 'Note')).toMatchObject({
      nullable: false,
      defaultValue: '-',
    });
    expect(extended.definition.languages).toEqual(['en', 'nl', 'de']);
  });

  test('overrides by annotations with external targets', () => {
    const extended = extend({
      Fleet: {
        $Annotations: {
          'Shop.Item': { '@Core.Description': 'Thing' },
          'Shop.Item/Name': { '@Org.OData.Core.V1.Description': 'Title' },
          'Shop.Container/Persons': { '@Docket.Hidden': true },
          'Shop.Colour/Red': { '@Core.Description': 'Rot' },
        },
      },
    });
    expect(extended.mistakes).toBe('');
    expect(memberOf(extended, 'Shop.Item', 'Name')?.labels).toEqual({ en: 'Title' });
    expect(extended.definition.types[3]).toMatchObject({ labels: { en: 'Thing' } });
    expect(extended.definition.remainder?.schemas?.Fleet).toBeUndefined();
  });

  test('adds enumeration members, overloads and indexes', () => {
    const { definition, mistakes } = extend({
      Shop: {
        Colour: { Blue: 3 },
        Item: { '@Docket.Indexes': [{ Members: ['Name', 'Id'] }] },
        Pack: [
          {
            $Kind: 'Action',
            $IsBound: true,
            $Parameter: [{ $Name: 'item', $Type: 'Shop.Item' }],
            '@Docket.Effects': [{ Delete: '$it' }],
          },
          {
            $Kind: 'Action',
            $IsBound: true,
            $Parameter: [{ $Name: 'person', $Type: 'Shop.Person' }],
          },
        ],
      },
    });
    expect(mistakes).toBe('');
    expect(definition.types).toMatchObject([
      {},
      { members: [{ name: 'Red' }, { name: 'Green' }, { name: 'Blue' }] },
      {},
      { indexes: [['Name', 'Id']] },
      {},
    ]);
    expect(definition.operations).toMatchObject([{ effects: [{ kind: 'delete' }] }, {}]);
  });

  test('enables optional members by naming them', () => {
    const optional = { Item: { Extra: { $Type: 'Edm.Date', $Nullable: true } } };
    const extended = extend(
      { Shop: { Item: { Extra: { '@Core.Description': 'Until' } } } },
      optional,
    );
    expect(extended.mistakes).toBe('');
    expect(memberOf(extended, 'Shop.Item', 'Extra')).toMatchObject({
      type: 'Edm.Date',
      nullable: true,
      labels: { en: 'Until' },
    });
    const changed = extend({ Shop: { Item: { Extra: { $Type: 'Edm.Int64' } } } }, optional);
    expect(changed.mistakes).toContain('cannot change $Type, which is "Edm.Date"');
  });
});

describe('a new property with nearly the name of a known one', () => {
  const mistakesOf = (members: JsonObject) => extend({ Shop: { Item: members } }).mistakes;
  const told = (severity: string, name: string, meant: string) =>
    `${severity} at $.Shop.Item.${name}: ${name} is a new property of type Edm.String. Write ${meant} to override that property, or add $Type to confirm the new one.`;
  test.each<[string, JsonObject, string]>([
    ['Nam', { '@Core.Description': 'Title' }, 'Name'],
    ['Noote', { $Nullable: false, $DefaultValue: '-' }, 'Note'],
    ['Byer', { '@Core.Description': 'Buyer' }, 'Buyer'],
    ['Freinds', { '@Core.Description': 'Friends' }, 'Friends'],
  ])('%s is reported', (name, property, meant) => {
    expect(mistakesOf({ [name]: property })).toBe(told('warning', name, meant));
  });
  test('cannot be hidden', () => {
    expect(mistakesOf({ Nam: { '@Docket.Hidden': true } })).toBe(told('error', 'Nam', 'Name'));
  });
  test.each<[string, JsonObject]>([
    ['Nam', { $Type: 'Edm.String', '@Core.Description': 'Title' }],
    ['Name2', { $Nullable: true }],
    ['Number', { $Nullable: true }],
    ['Noote', { $Nullable: true, '@Docket.Custom': true, $Type: 'Edm.Int32' }],
  ])('%s %j is new', (name, property) => {
    expect(mistakesOf({ [name]: property })).toBe('');
  });
});

describe('an extension cannot', () => {
  const item = (members: JsonObject): JsonObject => ({ Shop: { Item: members } });
  const container = (members: JsonObject): JsonObject => ({
    Fleet: { Desk: { $Kind: 'EntityContainer', $Extends: 'Shop.Container', ...members } },
  });
  test.each<[string, JsonObject, string, string]>([
    [
      'change the type of a property',
      item({ Name: { $Type: 'Edm.Int64' } }),
      '$.Shop.Item.Name.$Type',
      'which is "Edm.String"',
    ],
    [
      'make it a collection',
      item({ Name: { $Collection: true } }),
      '$.Shop.Item.Name.$Collection',
      'which is false',
    ],
    [
      'make it a navigation',
      item({ Name: { $Kind: 'NavigationProperty' } }),
      '$.Shop.Item.Name.$Kind',
      'cannot change $Kind',
    ],
    [
      'shorten it',
      item({ Name: { $MaxLength: 10 } }),
      '$.Shop.Item.Name.$MaxLength',
      'Use a greater $MaxLength',
    ],
    [
      'limit it',
      item({ Note: { $MaxLength: 10 } }),
      '$.Shop.Item.Note.$MaxLength',
      'any number of characters',
    ],
    [
      'make a required property optional',
      item({ Name: { $Nullable: true } }),
      '$.Shop.Item.Name.$Nullable',
      'required, but not optional',
    ],
    ['change a key', item({ $Key: ['Name'] }), '$.Shop.Item.$Key', 'cannot change $Key'],
    [
      'change a base type',
      item({ $BaseType: 'Shop.Person' }),
      '$.Shop.Item.$BaseType',
      'cannot add $BaseType',
    ],
    ['open a type', item({ $OpenType: true }), '$.Shop.Item.$OpenType', 'which is false'],
    [
      'change the kind of a type',
      { Shop: { Item: { $Kind: 'ComplexType' } } },
      '$.Shop.Item.$Kind',
      'of the kind EntityType',
    ],
    [
      'change the code list of a property',
      item({ Size: { '@Docket.CodeList': 'Colours' } }),
      '$.Shop.Item.Size["@Docket.CodeList"]',
      'The extension can set @Docket.Hidden',
    ],
    [
      'let the service write a property',
      item({ Name: { '@Core.Computed': true } }),
      '$.Shop.Item.Name["@Core.Computed"]',
      'hide it with @Docket.Hidden',
    ],
    [
      'redirect a navigation',
      item({ Buyer: { $Type: 'Shop.Item' } }),
      '$.Shop.Item.Buyer.$Type',
      'which is "Shop.Person"',
    ],
    [
      'give a stored collection a partner',
      item({ Friends: { $Partner: 'Items' } }),
      '$.Shop.Item.Friends.$Partner',
      'already stored',
    ],
    [
      'add members to coded values',
      { Shop: { Code: { Extra: {} } } },
      '$.Shop.Code.Extra',
      'only the value is stored',
    ],
    [
      'renumber an enumeration',
      { Shop: { Colour: { Red: 7 } } },
      '$.Shop.Colour.Red',
      'already stored as 1',
    ],
    [
      'change a type definition',
      { Shop: { Weight: { $UnderlyingType: 'Edm.Double' } } },
      '$.Shop.Weight.$UnderlyingType',
      'which is "Edm.Decimal"',
    ],
    [
      'rebind a navigation',
      container({ Items: { $NavigationPropertyBinding: { Buyer: 'Items' } } }),
      '$.Fleet.Desk.Items.$NavigationPropertyBinding.Buyer',
      'already bound to Persons',
    ],
    [
      'lift a restriction',
      container({ Items: { '@Capabilities.DeleteRestrictions': { Deletable: true } } }),
      '$.Fleet.Desk.Items["@Capabilities.DeleteRestrictions"]',
      'cannot be removed',
    ],
    [
      'change the type of a set',
      container({ Items: { $Type: 'Shop.Person' } }),
      '$.Fleet.Desk.Items.$Type',
      'which is "Shop.Item"',
    ],
    [
      'take the order from a list',
      container({ '@Docket.CodeLists': [{ Name: 'Sizes', Ordered: false }] }),
      '$.Fleet.Desk["@Docket.CodeLists"][0].Ordered',
      'relies on it',
    ],
    [
      'choose other people',
      container({ '@Docket.People': 'Items' }),
      '$.Fleet.Desk["@Docket.People"]',
      'cannot set Docket.People',
    ],
    [
      'extend another container',
      { Fleet: { Desk: { $Kind: 'EntityContainer', $Extends: 'Other.Desk' } } },
      '$.Fleet.Desk.$Extends',
      'Write "Shop.Container".',
    ],
    [
      'annotate what is not there',
      { Fleet: { $Annotations: { 'Shop.Itm': { '@Core.Description': 'x' } } } },
      '$.Fleet.$Annotations["Shop.Itm"]',
      'does not have the target',
    ],
    [
      'change by annotations what it cannot change otherwise',
      { Fleet: { $Annotations: { 'Shop.Item/Name': { '@Core.Computed': true } } } },
      '$.Fleet.$Annotations["Shop.Item/Name"]["@Core.Computed"]',
      'Only the model',
    ],
  ])('%s', (_, schemas, path, text) => {
    const { mistakes } = extend(schemas);
    expect(mistakes).toContain(`error at ${path}: `);
    expect(mistakes).toContain(text);
    expect(mistakes.split('\n').length).toBe(1);
  });
});
