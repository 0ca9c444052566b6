// This file checks the annotation Docket.Indexes: how it is read and written, what a model with mistakes in it is told, and what an
// installation adds.
import { describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { extendDocument } from '../../src/edm/extension/extend-document.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { printMistakes } from '../../src/edm/model-error.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';

const NAVIGATION = { $Kind: 'NavigationProperty', $Nullable: true };

function shop(...indexes: readonly JsonInput[]) {
  return {
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Code: {
        $Kind: 'ComplexType',
        '@Docket.Coded': { Value: 'Value', Text: 'Text' },
        Text: { $Nullable: true },
        Value: { $Type: 'Edm.Int64', $Nullable: true },
      },
      Terms: { $Kind: 'ComplexType', Until: { $Type: 'Edm.Date', $Nullable: true } },
      Customer: { $Kind: 'EntityType', $Key: ['Name'], Name: {} },
      Order: {
        $Kind: 'EntityType',
        $Key: ['Number'],
        '@Docket.Indexes': indexes,
        Number: { $Type: 'Edm.Int64' },
        State: { $Type: 'Shop.Code', $Nullable: true },
        Terms: { $Type: 'Shop.Terms' },
        Tags: { $Collection: true },
        Scan: { $Type: 'Edm.Stream' },
        Customer: { ...NAVIGATION, $Type: 'Shop.Customer' },
      },
      Container: {
        $Kind: 'EntityContainer',
        Orders: { $Collection: true, $Type: 'Shop.Order' },
        Customers: { $Collection: true, $Type: 'Shop.Customer' },
      },
    },
  };
}

const index = (...members: readonly string[]) => ({ Members: members });

function definitionOf(...indexes: readonly JsonInput[]) {
  const { definition, mistakes } = readCsdl(shop(...indexes));
  expect(printMistakes(mistakes)).toBe('');
  return definition;
}

function linted(...members: readonly string[]): string {
  return printMistakes(lintModel(definitionOf(index(...members))).filter(isAboutIndexes));
}

function isAboutIndexes({ path }: { readonly path: string }): boolean {
  return path.includes('Docket.Indexes');
}

function indexesOf(definition: ReturnType<typeof definitionOf>) {
  const order = definition.types.find(({ name }) => name === 'Shop.Order');
  return order?.kind === 'entity' ? order.indexes : undefined;
}

describe('the annotation', () => {
  test('is read, accepted and written again', () => {
    const indexes = [index('State', 'Terms/Until'), index('Customer', 'Number')];
    const definition = definitionOf(...indexes);
    expect(indexesOf(definition)).toEqual(indexes.map(({ Members }) => Members));
    expect(lintModel(definition).filter(isAboutIndexes)).toEqual([]);
    expect(toCsdl(definition, { complete: true })).toMatchObject({
      Shop: { Order: { '@Docket.Indexes': indexes } },
    });
  });

  test.each<JsonInput>([['State'], { Members: [] }, { Members: 'State' }, { Members: [1] }])(
    'of another form is a mistake: %j',
    (other) => {
      expect(printMistakes(readCsdl(shop(other)).mistakes)).toContain(
        'error at $.Shop.Order["@Docket.Indexes"]: The indexes are invalid. Write an array of {"Members": […]}',
      );
    },
  );

  test('of an installation adds indexes to those of the model', () => {
    const added = [index('Customer', 'State'), index('State', 'Terms/Until')];
    const extension = { Shop: { Order: { '@Docket.Indexes': added } } };
    const extended = extendDocument(shop(index('State', 'Terms/Until')), extension);
    expect(extended.mistakes).toEqual([]);
    expect(indexesOf(readCsdl(extended.document).definition)).toEqual([
      ['State', 'Terms/Until'],
      ['Customer', 'State'],
    ]);
  });
});

describe('an index with', () => {
  test.each<[string, readonly string[], string]>([
    [
      'an unknown property',
      ['Stat', 'Number'],
      'the property Order/Stat. Add it or correct the name. Did you mean "State"?',
    ],
    [
      'an unknown part',
      ['Terms/Untl'],
      'Order/Terms/Untl. Add it or correct the name. Did you mean "Until"?',
    ],
    [
      'a part of a coded value',
      ['State/Value'],
      'State/Value is a part of a coded value. Write State, which stores the value.',
    ],
    [
      'a property of a related entity',
      ['Customer/Name'],
      'Customer/Name belongs to a related entity. Add the index to the type of that entity.',
    ],
    ['a collection', ['Tags'], 'Tags cannot be indexed. Use single primitive or coded properties'],
    ['a stream', ['Scan'], 'Scan cannot be indexed.'],
    ['a complex value', ['Terms'], 'Terms cannot be indexed.'],
    [
      'a repeated property',
      ['State', 'State'],
      'The index State, State contains a property twice. Remove one of them.',
    ],
  ])('%s is a mistake', (_, members, message) => {
    expect(linted(...members)).toContain(message);
  });

  test('the members of another one is a mistake', () => {
    const twice = lintModel(definitionOf(index('State', 'Number'), index('State', 'Number')));
    expect(printMistakes(twice)).toContain(
      'Order has the index State, Number twice. Remove one of them.',
    );
  });
});
