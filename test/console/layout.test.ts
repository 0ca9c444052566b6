// This file checks what screens show of a type by its annotations, in the language of the user.
import { describe, expect, it } from 'vitest';
import { chooseColumns, type Room } from '../../console/src/list/list-columns.ts';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { titleOf } from '../../console/src/model/entity.ts';
import {
  defaultOrder,
  formGroups,
  listColumns,
  titlePath,
} from '../../console/src/model/layout.ts';
import { typeNamed } from '../../console/src/model/model.ts';

const FACET = {
  Label: 'People',
  '@Core.Description#nl': 'Personen',
  Target: '@UI.FieldGroup#DocketPeople',
};

const document = {
  $Version: '4.01',
  Shop: {
    Order: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64' },
      Buyer: { $Nullable: true },
      Remark: { $Nullable: true },
      '@UI.HeaderInfo#Docket': { Title: { Value: 'Buyer' } },
      '@UI.LineItem#Docket': [{ Value: 'Buyer' }, { Value: 'Missing' }],
      '@UI.FieldGroup#DocketPeople': { Data: [{ Value: 'Buyer' }] },
      '@UI.Facets#Docket': [{ Label: 'What', Target: '@UI.FieldGroup#None' }, FACET],
    },
  },
};

describe.each([
  ['en', 'People'],
  ['nl-BE', 'Personen'],
])('an annotated type in the language %s', (language, heading) => {
  const model = compileModel(document, language);
  const order = typeNamed(model, 'Shop.Order');

  it('has the title, columns and groups of its annotations; unknown paths are left out', () => {
    expect(titlePath(model, order)).toBe('Buyer');
    expect(listColumns(model, order).map(({ path }) => path)).toEqual(['Buyer']);
    const [first, second] = formGroups(model, order);
    expect([first?.label, first?.fields.map(({ path }) => path)]).toEqual([heading, ['Buyer']]);
    expect(second?.fields.map(({ path }) => path)).toEqual(['Id', 'Remark']);
  });
});

it('A type without annotations and without a title has its key, time and three more columns, the latest first', () => {
  const text = { $Type: 'Edm.String', $MaxLength: 64 };
  const members = { Time: { $Type: 'Edm.DateTimeOffset' }, A: text, B: text, C: text, D: text };
  const entry = { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' }, ...members };
  const model = compileModel({ $Version: '4.01', Log: { Entry: entry } }, 'en');
  const type = typeNamed(model, 'Log.Entry');
  expect(titlePath(model, type)).toBeUndefined();
  expect(listColumns(model, type).map(({ path }) => path)).toEqual(['Id', 'Time', 'A', 'B', 'C']);
  expect(defaultOrder(model, type)).toBe('Time desc');
});

it('A type that only a key of several parts names has a column for each of them', () => {
  const parts = { Wing: { $Type: 'Edm.String' }, Door: { $Type: 'Edm.Int32' } };
  const room = {
    $Kind: 'EntityType',
    $Key: ['Wing', 'Door'],
    ...parts,
    Free: { $Type: 'Edm.Boolean' },
  };
  const model = compileModel({ $Version: '4.01', House: { Room: room } }, 'en');
  const columns = listColumns(model, typeNamed(model, 'House.Room'));
  expect(columns.map(({ path }) => path)).toEqual(['Wing', 'Door', 'Free']);
});

describe('Columns of different importance', () => {
  const field = (Value: string, importance?: string) => ({
    Value,
    ...(importance === undefined ? {} : { '@UI.Importance': importance }),
  });
  const shop = compileModel(
    {
      $Version: '4.01',
      Shop: {
        Order: {
          ...{ $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } },
          ...{ A: {}, B: {}, C: {}, D: {} },
          '@UI.LineItem': [
            field('A', 'Low'),
            field('B', 'Medium'),
            field('C', 'com.sap.vocabularies.UI.v1.ImportanceType/High'),
            field('D'),
          ],
        },
      },
    },
    'en',
  );
  const order = typeNamed(shop, 'Shop.Order');
  const shown = (room: Room, cols?: string) =>
    chooseColumns(shop, order, { cols, room }).shown.map(({ path }) => path);

  it('are left out where there is little room, unless people have chosen them', () => {
    expect(shown('wide')).toEqual(['A', 'B', 'C', 'D']);
    expect(shown('medium')).toEqual(['B', 'C', 'D']);
    expect(shown('small')).toEqual(['C', 'D']);
    expect(shown('small', 'A,B')).toEqual(['A', 'B']);
  });

  it('are in their order on cards, which show the first ones', () => {
    expect(shown('cards')).toEqual(['C', 'D', 'B', 'A']);
  });
});

it('An entity without a name has its alternate key as title, and without one its key', () => {
  const Account = {
    $Kind: 'EntityType',
    $Key: ['Uid'],
    '@Core.AlternateKeys': [{ Key: [{ Name: 'Login' }] }],
    Uid: { $Type: 'Edm.Int64' },
    Login: { $Nullable: true },
    Name: { $Nullable: true },
  };
  const model = compileModel({ $Version: '4.01', Shop: { Account } }, 'en');
  const type = typeNamed(model, 'Shop.Account');
  expect(titleOf(model, type, { Uid: '1', Login: 'ada', Name: 'Ada' })).toBe('Ada');
  expect(titleOf(model, type, { Uid: '1', Login: 'ada', Name: null })).toBe('ada');
  expect(titleOf(model, type, { Uid: '1', Login: null, Name: null })).toBe('1');
});
