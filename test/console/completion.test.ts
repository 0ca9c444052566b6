// This file tests what the explorer offers at places of a request. `|` is the cursor.
import { describe, expect, test } from 'vitest';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { completionAt } from '../../console/src/query/completion.ts';

const model = compileModel(
  {
    $Version: '4.01',
    Shop: {
      Item: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: { $Type: 'Edm.Int64' },
        Name: {},
        Sold: { $Type: 'Edm.Boolean' },
        Colour: { $Type: 'Shop.Colour' },
        State: { $Type: 'Shop.Code', '@Docket.CodeList': 'ItemState' },
        Size: { $Type: 'Shop.Size' },
        Maker: { $Kind: 'NavigationProperty', $Type: 'Shop.Maker' },
        Parts: { $Kind: 'NavigationProperty', $Collection: true, $Type: 'Shop.Item' },
      },
      Maker: { $Kind: 'EntityType', $Key: ['Id'], Id: {}, City: {} },
      Size: { $Kind: 'ComplexType', Width: { $Type: 'Edm.Int32' } },
      Code: {
        $Kind: 'ComplexType',
        Text: { '@Core.IsLanguageDependent': true },
        Value: { $Type: 'Edm.Int64' },
      },
      Colour: { $Kind: 'EnumType', Red: 0, Blue: 1 },
      Sell: [
        { $Kind: 'Action', $IsBound: true, $Parameter: [{ $Name: 'item', $Type: 'Shop.Item' }] },
      ],
      Sum: [{ $Kind: 'Function', $ReturnType: { $Type: 'Edm.Int32' } }],
      Container: {
        $Kind: 'EntityContainer',
        Items: { $Collection: true, $Type: 'Shop.Item' },
        Makers: { $Collection: true, $Type: 'Shop.Maker' },
        Sum: { $Function: 'Shop.Sum' },
      },
    },
  },
  'en',
);

function offered(text: string) {
  const before = text.slice(0, text.indexOf('|'));
  const completion = completionAt(model, before);
  return {
    word: completion === undefined ? undefined : before.slice(completion.from),
    labels: completion?.suggestions.map(({ label }) => label) ?? [],
    codes: completion?.codes,
  };
}

const ITEM = ['Id', 'Name', 'Sold', 'Colour', 'State', 'Size', 'Maker', 'Parts'];

describe('at a place of a request', () => {
  test.each<[string, string, readonly string[]]>([
    ['|', '', ['Items', 'Makers', 'Sum()']],
    ['POST It|', 'It', ['Items', 'Makers', 'Sum()']],
    ['Items(3)/Ma|', 'Ma', ['Sell', ...ITEM]],
    ['Items(3)/Maker/|', '', ['Id', 'City']],
    ['Items\n  ?$sel|', '$sel', ['$select=', '$filter=']],
    ['Items?$select=Id,N|', 'N', ITEM],
    ['Items?$select=Size/|', '', ['Width']],
    ['Items?$orderby=Name d|', 'd', ['asc', 'desc']],
    ["Items?$filter=Name eq 'a&b?' and Maker/C|", 'C', ['Id', 'City']],
    ['Items?$filter=contains(|', '', [...ITEM, 'contains(']],
    ['Items?$filter=Parts/any(p:p/Maker/|', '', ['Id', 'City']],
    ['Items?$filter=Parts/any(p:p/Parts/any(q:q/|', '', ITEM],
    ['Items?$filter=Sold eq t|', 't', ['true', 'false']],
    ['Items?$filter=Colour in (|', '', ["Shop.Colour'Red'", "Shop.Colour'Blue'"]],
    ['Items?$expand=|', '', ['Size', 'Maker', 'Parts']],
    ['Items?$expand=Maker($select=Id),Parts($filter=Maker/|', '', ['Id', 'City']],
    ['Items?$expand=Parts($expand=Maker($se|', '$se', ['$select=', '$levels=']],
    ['Items?$expand=Parts($top=1;$orderby=|', '', ITEM],
    ['Items?$apply=groupby((Maker/|', '', ['Id', 'City']],
  ])('%s', (text, word, labels) => {
    const found = offered(text);
    expect(found.word).toBe(word);
    expect(found.labels).toEqual(expect.arrayContaining([...labels]));
  });

  test.each<[string, string, 'value' | 'text']>([
    ['Items?$filter=State/Value eq 1|', '1', 'value'],
    ['Items?$filter=State/Text ne |', '', 'text'],
    ['Items?$filter=State/Value in (1,2|', '2', 'value'],
    ['Items?$filter=Parts/any(p:p/State/Value eq |', '', 'value'],
    ['Items?$expand=Parts($filter=State/Value eq |', '', 'value'],
  ])('%s the codes of the list are offered', (text, word, as) => {
    expect(offered(text)).toEqual({ word, labels: [], codes: { list: 'ItemState', as } });
  });

  test.each([
    "Items?$filter=Name eq 'a b|",
    'Items(|',
    'Nothing/|',
    'Items?$top=|',
    'Items\n\n{ |',
  ])('nothing is offered in %s', (text) => {
    expect(offered(text)).toEqual({ word: undefined, labels: [], codes: undefined });
  });

  test('members of other types are not offered', () => {
    expect(offered('Items?$filter=Maker/|').labels).not.toContain('Name');
    expect(offered('Items?$expand=|').labels).not.toContain('Name');
  });
});
