// This file checks that the restrictions which a model declares for its sets are enforced.
// OData Vocabularies 4.0, "Capabilities Vocabulary".
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { printMistakes } from '../../src/edm/model-error.ts';
import { deriveBindings } from '../../src/edm/navigation-bindings.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { plansOf } from '../../src/service/cache/prepared-plans.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const restricted = (terms: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(terms).map(([term, value]) => [`@Capabilities.${term}`, value]),
  );
const RESTRICTIONS: JsonObject = {
  FilterRestrictions: { NonFilterableProperties: ['Note', 'Place', 'Owner/Name'] },
  SortRestrictions: {
    NonSortableProperties: ['Note'],
    AscendingOnlyProperties: ['Name'],
    DescendingOnlyProperties: ['Rank'],
  },
  ExpandRestrictions: { NonExpandableProperties: ['Owner'] },
  InsertRestrictions: { NonInsertableProperties: ['Secret', 'Place/City'] },
  UpdateRestrictions: {
    NonUpdatableProperties: ['Stamp', 'Place/City'],
    NonUpdatableNavigationProperties: ['Maker'],
  },
  NavigationRestrictions: {
    RestrictedProperties: [
      { NavigationProperty: 'Keeper', Navigability: 'None' },
      {
        NavigationProperty: 'Parts',
        FilterRestrictions: { NonFilterableProperties: ['Colour'] },
        SortRestrictions: { Sortable: false },
        TopSupported: false,
        UpdateRestrictions: { NonUpdatableProperties: ['Weight'] },
        DeleteRestrictions: { Deletable: false },
      },
      { NavigationProperty: 'Lid', DeleteRestrictions: { Deletable: false } },
      {
        NavigationProperty: 'Parts/Bolts',
        InsertRestrictions: { Insertable: false },
        FilterRestrictions: { RequiresFilter: true },
      },
    ],
  },
};

function definitionOf(items: JsonObject, others: JsonObject = {}) {
  const { definition, mistakes } = readCsdl({
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Place: { $Kind: 'ComplexType', City: { $Nullable: true } },
      Item: {
        $Kind: 'EntityType',
        $Key: ['Name'],
        Name: {},
        Rank: { $Type: 'Edm.Int32', $DefaultValue: 1 },
        Note: { $Nullable: true },
        Secret: { $Nullable: true },
        Stamp: { $Nullable: true },
        Place: { $Type: 'Shop.Place', $Nullable: true },
        Owner: { $Kind: 'NavigationProperty', $Type: 'Shop.Person', $Nullable: true },
        Maker: { $Kind: 'NavigationProperty', $Type: 'Shop.Person', $Nullable: true },
        Keeper: { $Kind: 'NavigationProperty', $Type: 'Shop.Person', $Nullable: true },
        Lid: {
          $Kind: 'NavigationProperty',
          $Type: 'Shop.Part',
          $Nullable: true,
          $ContainsTarget: true,
        },
        Parts: {
          $Kind: 'NavigationProperty',
          $Collection: true,
          $Type: 'Shop.Part',
          $ContainsTarget: true,
        },
      },
      Part: {
        $Kind: 'EntityType',
        $Key: ['Name'],
        Name: {},
        Weight: { $Type: 'Edm.Int32', $DefaultValue: 1 },
        Colour: { $Nullable: true },
        Bolts: {
          $Kind: 'NavigationProperty',
          $Collection: true,
          $Type: 'Shop.Part',
          $ContainsTarget: true,
        },
      },
      Person: { $Kind: 'EntityType', $Key: ['Name'], Name: {} },
      Container: {
        $Kind: 'EntityContainer',
        Items: { $Collection: true, $Type: 'Shop.Item', ...restricted(items) },
        Persons: { $Collection: true, $Type: 'Shop.Person', ...restricted(others) },
        Logs: {
          $Collection: true,
          $Type: 'Shop.Part',
          ...restricted({
            FilterRestrictions: { RequiresFilter: true, RequiredProperties: ['Weight'] },
          }),
        },
      },
    },
  });
  expect(printMistakes(mistakes)).toBe('');
  return deriveBindings(definition);
}

const RECORDS = {
  Persons: [{ Name: 'Ada' }],
  Items: [
    {
      Name: 'a',
      Note: 'x',
      Stamp: 's',
      Place: { City: 'Delft' },
      Parts: [{ Name: 'p', Weight: 7, Bolts: [{ Name: 'b' }] }],
      'Owner@odata.bind': 'Persons(%27Ada%27)',
    },
  ],
  Logs: [{ Name: 'l' }],
};

describe('restrictions', () => {
  let desk: Desk;
  beforeAll(async () => {
    const others = {
      FilterRestrictions: { Filterable: false },
      SortRestrictions: { Sortable: false },
      CountRestrictions: { Countable: false },
      ExpandRestrictions: { Expandable: false },
      SearchRestrictions: { Searchable: false },
      TopSupported: false,
      SkipSupported: false,
      DeleteRestrictions: { Deletable: false },
      UpdateRestrictions: { Updatable: false },
      InsertRestrictions: { Insertable: true },
    };
    desk = await openForeignDesk(definitionOf(RESTRICTIONS, others), RECORDS);
  });
  afterAll(async () => await desk?.close());

  test.each([
    ["Items?$filter=Note eq 'x'", '"Note" is not filterable'],
    ["Items?$filter=Name eq 'a' and Place/City eq 'x'", '"Place/City" is not filterable'],
    ["Items?$filter=Owner/Name eq 'Ada'", '"Owner/Name" is not filterable'],
    ["Items/$count?$filter=Note eq 'x'", '"Note" is not filterable'],
    ['Items?$orderby=Note', '"Note" is not sortable'],
    ['Items?$orderby=Name desc', '"Name" is sortable in ascending order only'],
    ['Items?$orderby=Rank', '"Rank" is sortable in descending order only'],
    ["Items('a')?$expand=Owner", '"Owner" is not expandable'],
    ["Persons?$filter=Name eq 'Ada'", '$filter'],
    ['Persons?$orderby=Name', '$orderby'],
    ['Persons?$count=true', '$count'],
    ['Persons/$count', '$count'],
    ['Persons?$search=a', '$search'],
    ['Persons?$top=1', '$top'],
    ['Persons?$skip=1', '$skip'],
    ['Persons?$expand=*', '$expand'],
    ["Items?$expand=Maker($filter=Name eq 'Ada')", '$filter'],
    ["Items/$filter(@f)?@f=Note eq 'x'", '"Note" is not filterable'],
    ["Items/$filter(@f)/$count?@f=Note eq 'x'", '"Note" is not filterable'],
    ["Items?$apply=filter(Note eq 'x')", '"Note" is not filterable'],
    ["Items?$apply=groupby((Name),filter(Note eq 'x')/aggregate($count as n))", '"Note"'],
    ['Items?$apply=orderby(Note)', '"Note" is not sortable'],
    ['Items?$apply=topcount(1,Rank)/orderby(Rank)', 'in descending order only'],
    ['Items?$apply=bottomcount(1,Rank)', 'in descending order only'],
    ["Persons?$apply=filter(Name eq 'Ada')", '$filter'],
    ['Persons?$apply=search(a)', '$search'],
    ['Persons?$apply=top(1)', '$top'],
    ['Persons?$apply=aggregate($count as n)', '$count'],
    ['Persons?$apply=groupby((Name),aggregate($count as n))', '$count'],
    ["Items('a')/Keeper", '"Keeper" is not navigable'],
    ['Items?$expand=Keeper', '"Keeper" is not expandable'],
    ["Items('a')/Parts?$filter=Colour eq 'x'", '"Colour" is not filterable'],
    ["Items?$expand=Parts($filter=Colour eq 'x')", '"Colour" is not filterable'],
    ["Items('a')/Parts?$orderby=Name", '$orderby'],
    ["Items('a')/Parts?$top=1", '$top'],
    ["Items('a')/Parts('p')/Bolts", 'Parts/Bolts can only be read with a filter.'],
    ['Items?$expand=Parts($expand=Bolts)', 'Parts/Bolts can only be read with a filter.'],
    ['Logs', 'Logs can only be read with a filter by "Weight".'],
    ['Logs/$count', 'Logs can only be read with a filter by "Weight".'],
    ["Logs?$filter=Name eq 'l'", 'Logs can only be read with a filter by "Weight".'],
    ['Logs?$apply=aggregate($count as n)', 'Logs can only be read with a filter'],
  ])('%s is rejected', async (path, text) => {
    const { status, json } = await desk.get(`/${path.replaceAll(' ', '%20')}`);
    expect(status).toBe(400);
    expect(json.error.message).toContain(text);
  });

  test.each([
    "Items?$filter=Name eq 'a' and Rank eq 1&$count=true",
    "Items?$filter=Maker/Name eq 'Ada'",
    'Items?$orderby=Name,Rank desc',
    'Items?$expand=Maker',
    'Items?$search=a',
    'Persons',
    "Persons('Ada')",
    "Items/$filter(@f)?@f=Name eq 'a'",
    "Items?$apply=filter(Name eq 'a')/aggregate($count as n)",
    'Items?$apply=topcount(1,Rank)',
    "Items('a')/Parts?$filter=Weight eq 1&$skip=1",
    "Items('a')/Parts('p')/Bolts?$filter=Name eq 'b'",
    "Items('a')/Parts('p')/Bolts('b')",
    'Logs?$filter=Weight gt 0',
    'Logs/$filter(@f)?@f=Weight gt 0',
    'Logs?$apply=filter(Weight gt 0)',
    "Logs('l')",
  ])('%s is allowed', async (path) => {
    expect((await desk.get(`/${path.replaceAll(' ', '%20')}`)).status).toBe(200);
  });

  test.each([
    ['$filter', (value: number) => `Items?$filter=Rank gt ${value}`],
    ['a filter by parts', (value: number) => `Items?$filter=Parts/any(p:p/Weight eq ${value})`],
    ['a filter in the path', (value: number) => `Items/$filter(@f)?@f=Rank gt ${value}`],
    ['a required filter', (value: number) => `Logs?$filter=Weight gt ${value}`],
  ])('requests whose values differ in %s share a plan', async (_, path) => {
    const before = plansOf(desk.service).hits;
    for (const value of [3, 4, 5])
      expect((await desk.get(`/${encodeURI(path(value))}`)).status).toBe(200);
    expect(plansOf(desk.service).hits - before).toBeGreaterThanOrEqual(2);
  });

  test('* expands what can be expanded', async () => {
    const { json } = await desk.get('/Items?$expand=*');
    expect(json.value[0]).toHaveProperty('Maker');
    expect(json.value[0]).not.toHaveProperty('Owner');
    expect(json.value[0]).not.toHaveProperty('Keeper');
  });

  test.each([
    ['POST', 'Items', { Name: 'n', Secret: 'x' }, '"Secret" cannot be set by creation of Items'],
    ['POST', 'Items', { Name: 'n', Place: { City: 'x' } }, '"Place/City" cannot be set'],
    ['PATCH', "Items('a')", { Stamp: 'x' }, '"Stamp" cannot be set by a change of Items'],
    ['PUT', "Items('a')", { Stamp: 'x' }, '"Stamp" cannot be set by a change of Items'],
    ['PATCH', 'Items/$each', { Stamp: 'x' }, '"Stamp" cannot be set by a change of Items'],
    ['PUT', "Items('a')/Stamp", { value: 'x' }, '"Stamp" cannot be changed'],
    ['DELETE', "Items('a')/Place/City", undefined, '"Place/City" cannot be changed'],
    ['PATCH', "Items('a')", { 'Maker@odata.bind': "Persons('Ada')" }, '"Maker" cannot be set'],
    ['PUT', "Items('a')/Maker/$ref", { '@odata.id': "Persons('Ada')" }, '"Maker" cannot be'],
    [
      'PATCH',
      "Items('a')/Parts('p')",
      { Weight: 2 },
      '"Weight" cannot be set by a change of Parts',
    ],
    [
      'PATCH',
      "Items('a')",
      { 'Parts@delta': [{ Name: 'p', Weight: 2 }] },
      '/Weight" cannot be set by a change of Parts',
    ],
    ['POST', "Items('a')/Parts", { Name: 'q', Bolts: [{ Name: 'c' }] }, 'cannot be created here'],
    ['PATCH', 'Items', { '@context': '#$delta', value: [{ Name: 'a', Stamp: 'x' }] }, 'Stamp'],
    [
      'PATCH',
      "Items('a')",
      { 'Parts@delta': [{ '@removed': { reason: 'deleted' }, Name: 'p' }] },
      'its entities cannot be deleted',
    ],
    [
      'PATCH',
      "Items('a')",
      { 'Parts@delta': [{ '@removed': { reason: 'changed' }, Name: 'p' }] },
      'its entities cannot be deleted',
    ],
    ['PATCH', "Items('a')", { Parts: [] }, 'Write the changes in "Parts@delta".'],
    ['PUT', "Items('a')", { Parts: [{ Name: 'q' }] }, 'Write the changes in "Parts@delta".'],
    ['PATCH', "Items('a')", { Lid: null }, '"Lid" of type Shop.Part cannot be null'],
    ['PATCH', "Items('a')", { Owner: { Name: 'Ada' } }, 'its entities cannot be changed'],
  ] as const)('%s %s %j is rejected', async (method, path, body, text) => {
    const { status, json } = await desk.send(
      method,
      `/${path}`,
      body === undefined ? {} : { body },
    );
    expect([status, json?.error?.message]).toEqual([400, expect.stringContaining(text)]);
  });

  test.each([
    ['DELETE', "Items('a')/Parts('p')"],
    ['POST', "Items('a')/Parts('p')/Bolts"],
    ['PUT', "Items('a')/Parts"],
  ] as const)('%s %s is not allowed', async (method, path) => {
    const body = method === 'PUT' ? { value: [] } : { Name: 'c' };
    const answer = await desk.send(method, `/${path}`, method === 'DELETE' ? {} : { body });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).not.toContain(method);
  });

  test('what cannot be changed is kept by PUT', async () => {
    const body = { Rank: 2, Place: {} };
    expect((await desk.send('PUT', "/Items('a')", { body })).status).toBeLessThan(300);
    const { json } = await desk.get("/Items('a')?$expand=Parts");
    expect(json).toMatchObject({ Rank: 2, Note: null, Stamp: 's', Place: { City: 'Delft' } });
    const part = { Colour: 'red' };
    const { status } = await desk.send('PUT', "/Items('a')/Parts('p')", { body: part });
    expect(status).toBeLessThan(300);
    expect((await desk.get("/Items('a')/Parts('p')")).json).toMatchObject({ Weight: 7 });
  });

  test('writes that the set does not support are rejected', async () => {
    const body = { Name: 'Bo' };
    expect((await desk.send('POST', '/Persons', { body })).status).toBe(201);
    expect((await desk.send('PATCH', "/Persons('Ada')", { body })).status).toBe(405);
    expect((await desk.send('DELETE', "/Persons('Ada')")).status).toBe(405);
  });
});

describe('the check', () => {
  const told = (items: JsonObject) => printMistakes(lintModel(definitionOf(items)));
  test('names restrictions that are not enforced', () => {
    const text = told({
      FilterRestrictions: { Filterable: true, MaxLevels: 2 },
      InsertRestrictions: { Insertable: false, Permissions: [{ SchemeName: 'x', Scopes: [] }] },
      NavigationRestrictions: {
        RestrictedProperties: [
          { NavigationProperty: 'Owner', Navigability: 'Single', DeepInsertSupport: {} },
          { NavigationProperty: 'Maker', ReadRestrictions: { Readable: false } },
        ],
      },
    });
    expect(text.split('\n')).toEqual([
      expect.stringContaining('FilterRestrictions/MaxLevels is published but'),
      expect.stringContaining('InsertRestrictions/Permissions is published but'),
      expect.stringContaining('Navigability is published but'),
      expect.stringContaining('ReadRestrictions/Readable is published but'),
    ]);
    expect(text).toContain('warning at $.Shop.Container.Items["@Capabilities.FilterRestrictions"]');
    const place = 'Items["@Capabilities.NavigationRestrictions"].RestrictedProperties.Maker';
    expect(text).toContain(`${place}["@Capabilities.ReadRestrictions"]`);
  });

  test('rejects paths that the type does not have', () => {
    expect(told({ SortRestrictions: { NonSortableProperties: ['Nam'] } })).toContain(
      'does not have the member Shop.Item/Nam. Add it or correct the name. Did you mean "Name"?',
    );
    const parts = (item: JsonObject) =>
      told({ NavigationRestrictions: { RestrictedProperties: [item] } });
    expect(parts({ NavigationProperty: 'Part' })).toContain('the navigation Shop.Item/Part.');
    const terms = { UpdateRestrictions: { NonUpdatableProperties: ['Wight'] } };
    expect(parts({ NavigationProperty: 'Parts', ...terms })).toContain('Shop.Part/Wight');
  });

  test('rejects values other than true and false, and suggests the name of a misspelt restriction', () => {
    const text = told({
      InsertRestrictions: { Insertable: 'no' },
      DeleteRestrictions: { Deletabel: false },
      TopSupported: 0,
      NavigationRestrictions: {
        RestrictedProperties: [
          { NavigationProperty: 'Parts', UpdateRestrictions: { Updatable: 'false' } },
        ],
      },
    });
    expect(text).toContain(
      'error at $.Shop.Container.Items["@Capabilities.InsertRestrictions"].Insertable: Expected true or false, found "no". Write true or false without quotes.',
    );
    expect(text).toContain('Items["@Capabilities.TopSupported"]: Expected true or false, found 0.');
    expect(text).toContain('["@Capabilities.UpdateRestrictions"].Updatable: Expected true or');
    expect(text).toContain('DeleteRestrictions/Deletabel is published but not enforced.');
    expect(text).toContain('Did you mean "Deletable"?');
  });

  test('is silent about restrictions that are enforced', () => {
    expect(told(RESTRICTIONS)).toBe('');
  });
});
