// This file checks that a model is warned of annotations without effect.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';

const VOCABULARIES = new URL('../../../shared/testdata/vocabularies/', import.meta.url);

const document = {
  $Version: '4.01',
  $EntityContainer: 'Shop.Container',
  Shop: {
    Size: { $Kind: 'EnumType', S: 0, 'S@Docket.Unique': true },
    Zone: { $Kind: 'TypeDefinition', $UnderlyingType: 'Edm.String', '@Docket.TimeZone': true },
    Item: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Docket.Searchable': true,
      '@Core.LongDescripton': 'Something to sell',
      Id: { '@Core.Computd': true, '@Docket.Unique#a': true, '@Docket.Searchable': true },
      Parent: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Item',
        $Nullable: true,
        '@Core.Computed': true,
      },
    },
    Sell: [{ $Kind: 'Action', '@Docket.Workflow': { Member: 'Status' } }],
    Container: {
      $Kind: 'EntityContainer',
      '@Capabilities.BatchSuport': { Supported: true },
      Items: { $Collection: true, $Type: 'Shop.Item', '@Docket.Hiden@Core.Description': 'x' },
    },
    $Annotations: {
      'Shop.Itm': { '@Core.Description': 'Item' },
      'Shop.Item/Naame': { '@Core.Description': 'Name' },
      'Shop.Sell()': { '@Docket.Available': 'true', '@Core.Description': 'Sell' },
      'Shop.Sell(Shop.Item)': { '@Core.Description': 'Sell' },
      'Other.Item/Name': { '@Core.Description': 'Name' },
    },
  },
};

test('annotations without effect are named', () => {
  const { definition, mistakes } = readCsdl(document);
  expect(mistakes).toEqual([]);
  const found = lintModel(definition).filter(({ path }) => /@|\$Annotations/.test(path));
  expect(found.every(({ warning }) => warning === true)).toBe(true);
  expect(found.map(({ path, message, remedy }) => `${path}: ${message} ${remedy}`)).toEqual([
    '$.Shop.Size["S@Docket.Unique"]: Docket.Unique has no effect here. Remove it, or use it on Property.',
    '$.Shop.Item["@Docket.Searchable"]: Docket.Searchable has no effect here. Remove it, or use it on Property.',
    '$.Shop.Item["@Core.LongDescripton"]: The vocabulary Core has no term LongDescripton, so it has no effect. Remove it or correct the name. Did you mean "LongDescription"?',
    '$.Shop.Item.Id["@Core.Computd"]: The vocabulary Core has no term Computd, so it has no effect. Remove it or correct the name. Did you mean "Computed"?',
    '$.Shop.Item.Id["@Docket.Unique#a"]: Docket.Unique has no effect with a qualifier. Remove the qualifier.',
    '$.Shop.Item.Parent["@Core.Computed"]: Core.Computed has no effect on navigation properties. Use @Docket.Computed.',
    '$.Shop.Sell["@Docket.Workflow"]: Docket.Workflow has no effect here. Remove it, or use it on EntityType.',
    '$.Shop.Container["@Capabilities.BatchSuport"]: The vocabulary Capabilities has no term BatchSuport, so it has no effect. Remove it or correct the name. Did you mean "BatchSupport"?',
    '$.Shop.$Annotations["Shop.Itm"]: The model does not have the target Shop.Itm. Remove the annotations or correct the name. Did you mean "Shop.Item"?',
    '$.Shop.$Annotations["Shop.Item/Naame"]: The model does not have the target Naame. Remove the annotations or correct the name.',
    '$.Shop.$Annotations["Shop.Sell()"]: @Docket.Available has no effect on this target. Write it in the element itself.',
  ]);
});

test.each(['Core', 'Capabilities'])('all terms of the vocabulary %s are known', (vocabulary) => {
  const file = new URL(`Org.OData.${vocabulary}.V1.json`, VOCABULARIES);
  const schema = JSON.parse(readFileSync(file, 'utf8'))[`Org.OData.${vocabulary}.V1`];
  const terms = Object.keys(schema).filter((name) => schema[name].$Kind === 'Term');
  expect(terms.length).toBeGreaterThan(30);
  const annotations = terms.map((name) => [`@${vocabulary}.${name}`, true]);
  const Item = { ...document.Shop.Item, ...Object.fromEntries(annotations) };
  const { definition } = readCsdl({ ...document, Shop: { ...document.Shop, Item } });
  const messages = lintModel(definition).map(({ message }) => message);
  const unknown = messages.filter((message) => message.includes(`${vocabulary} has no term`));
  // Those that the document itself misspells.
  expect(unknown).toHaveLength(vocabulary === 'Core' ? 2 : 1);
});
