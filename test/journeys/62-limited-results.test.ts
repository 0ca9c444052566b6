// This file calls functions and actions whose expressions order and limit their result: `$root/Books?$orderby=Stars desc&$top=@count`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const INT = { $Type: 'Edm.Int32' };
const BOOKS = { $Type: 'Lib.Book', $Collection: true };
const SHELF = { $Name: 'shelf', $Type: 'Lib.Shelf' };
const COUNT = { $Name: 'count', ...INT };

const operation = (
  $Kind: string,
  $Parameter: readonly JsonObject[],
  expression: string,
  others: JsonObject = {},
) => [{ $Kind, $Parameter, $ReturnType: BOOKS, '@Docket.Expression': expression, ...others }];

const functionOf = (parameters: readonly JsonObject[], expression: string, bound = false) =>
  operation('Function', parameters, expression, {
    $IsComposable: true,
    ...(bound ? { $IsBound: true } : {}),
  });

const functions = {
  Best: functionOf([COUNT], '$root/Books?$orderby=Stars desc,Title&$top=@count'),
  Page: functionOf(
    [{ $Name: 'from', ...INT }, COUNT],
    '$root/Books/$filter(Stars gt 1)?$orderby=Stars,Title&$skip=@from&$top=@count',
  ),
  Ranked: functionOf([], '$root/Books?$orderby=Shelf/Name desc,Stars desc,Title'),
  Rest: functionOf([], '$root/Books?$skip=3'),
};

const modelOf = (more: JsonObject = {}) => ({
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Shelf: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: INT,
      Name: {},
      Books: { $Kind: 'NavigationProperty', ...BOOKS, $Partner: 'Shelf' },
      Notes: {
        $Kind: 'NavigationProperty',
        $Type: 'Lib.Note',
        $Collection: true,
        $ContainsTarget: true,
      },
    },
    Note: { $Kind: 'EntityType', $Key: ['Id'], Id: INT, Text: {} },
    Book: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: INT,
      Title: {},
      Stars: INT,
      Shelf: {
        $Kind: 'NavigationProperty',
        $Type: 'Lib.Shelf',
        $Nullable: true,
        $Partner: 'Books',
      },
    },
    ...functions,
    Top: functionOf([SHELF, COUNT], '$it/Books?$orderby=Stars desc,Title&$top=@count', true),
    LastNote: operation('Action', [SHELF], '$it/Notes?$orderby=Id desc&$top=1', {
      $IsBound: true,
      '@Docket.Effects': [
        { Change: '$it/Notes', Values: [{ Member: 'Text', Expression: "concat($this/Text,'!')" }] },
      ],
      $ReturnType: { $Type: 'Lib.Note', $Collection: true },
    }),
    Award: operation('Action', [SHELF], '$it/Books?$orderby=Stars desc&$top=2', {
      $IsBound: true,
      '@Docket.Effects': [
        { Change: '$it/Books', Values: [{ Member: 'Stars', Expression: '$this/Stars add 10' }] },
      ],
    }),
    ...more,
    Desk: {
      $Kind: 'EntityContainer',
      Shelves: {
        $Collection: true,
        $Type: 'Lib.Shelf',
        $NavigationPropertyBinding: { Books: 'Books' },
      },
      Books: {
        $Collection: true,
        $Type: 'Lib.Book',
        $NavigationPropertyBinding: { Shelf: 'Shelves' },
      },
      ...Object.fromEntries(
        Object.keys(functions).map((name) => [
          name,
          { $Function: `Lib.${name}`, $EntitySet: 'Books' },
        ]),
      ),
    },
  },
});

const book = (id: number, Title: string, stars: number, shelf: number) => ({
  Id: BigInt(id),
  Title,
  Stars: BigInt(stars),
  Shelf: { '@odata.id': `Shelves(${shelf})` },
});

const records = {
  Shelves: [
    {
      Id: 1n,
      Name: 'Low',
      Notes: [
        { Id: 1n, Text: 'a' },
        { Id: 2n, Text: 'b' },
      ],
    },
    { Id: 2n, Name: 'High' },
    { Id: 3n, Name: 'Empty' },
  ],
  Books: [
    book(1, 'Emma', 3, 1),
    book(2, 'Dune', 5, 1),
    book(3, 'Ulysses', 1, 2),
    book(4, 'Ada', 3, 2),
    book(5, 'Kim', 4, 1),
  ],
};

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(modelOf()).definition, records);
});
afterAll(async () => await desk?.close());

const titlesOf = async (path: string) => {
  const { text, json } = await desk.get(encodeURI(path));
  if (!Array.isArray(json?.value)) return json?.error?.code ?? text;
  return json.value.map(({ Title, Name }: { Title?: string; Name?: string }) => Title ?? Name);
};

describe('A function that orders and limits its result', () => {
  it.each([
    ['/Best(count=3)', ['Dune', 'Kim', 'Ada']],
    ['/Best(count=0)', []],
    ['/Best(count=9)', ['Dune', 'Kim', 'Ada', 'Emma', 'Ulysses']],
    ['/Best(count=3)/$count', '3'],
    ['/Best(count=3)?$orderby=Title', ['Ada', 'Dune', 'Kim']],
    ['/Best(count=3)?$filter=Stars lt 5', ['Kim', 'Ada']],
    ['/Best(count=3)/$filter(Stars lt 5)', ['Kim', 'Ada']],
    ['/Best(count=3)?$top=1&$skip=1', ['Kim']],
    ['/Best(count=@n)?@n=2', ['Dune', 'Kim']],
    ['/Best(count=3)(2)/Title/$value', 'Dune'],
    ['/Best(count=3)(1)', 'response.not-found'],
    ['/Page(from=1,count=2)', ['Emma', 'Kim']],
    ['/Page(from=3,count=2)', ['Dune']],
    ['/Ranked()', ['Dune', 'Kim', 'Emma', 'Ada', 'Ulysses']],
    ['/Rest()', ['Ada', 'Kim']],
    ['/Shelves(1)/Lib.Top(count=2)', ['Dune', 'Kim']],
    ['/Shelves(3)/Lib.Top(count=2)', []],
    ["/Shelves?$filter=Lib.Top(count=1)/any(b:b/Title eq 'Ada')", ['High']],
    ['/Best(count=2)?$apply=aggregate(Stars with sum as Name)', [9]],
  ])('%s', async (path, expected) => {
    expect(await titlesOf(path)).toEqual(expected);
  });

  it('is paged in its order, with related entities', async () => {
    const { json } = await desk.get('/Ranked()?$expand=Shelf($select=Name)&$count=true', {
      prefer: 'maxpagesize=2',
    });
    expect(json['@odata.count']).toBe(5);
    expect(json.value[0]).toMatchObject({ Title: 'Dune', Shelf: { Name: 'Low' } });
    const next = await desk.get(json['@odata.nextLink'], { prefer: 'maxpagesize=2' });
    expect(next.json.value.map((one: { Title: string }) => one.Title)).toEqual(['Emma', 'Ada']);
    const best = await desk.get('/Best(count=3)', { prefer: 'maxpagesize=2' });
    expect(await titlesOf(best.json['@odata.nextLink'])).toEqual(['Ada']);
  });
});

it('an account gets the first of those that it may read, in an order that it may know', async () => {
  const book = { Entity: 'Book', Read: true };
  const role = (Name: string, others: JsonObject) =>
    desk.send('POST', '/Roles', { body: { Name, ...others } });
  const some = await role('some', { EntityAccess: [{ ...book, Filter: 'Stars lt 5' }] });
  const unrated = await role('unrated', {
    EntityAccess: [book],
    AttributeAccess: [{ Entity: 'Book', Attribute: 'Stars', Read: false }],
  });
  expect([some.status, unrated.status]).toEqual([201, 201]);
  const reader = await desk.join({ loginName: 'reader', roles: ['some'] });
  const { json } = await reader.get('/Best(count=2)');
  expect(json.value.map(({ Title }: { Title: string }) => Title)).toEqual(['Kim', 'Ada']);
  const other = await desk.join({ loginName: 'other', roles: ['unrated'] });
  for (const path of ['/Best(count=2)', '/Best(count=2)/$count', '/Best(count=2)?$orderby=Title'])
    expect([path, (await other.get(path)).status]).toEqual([path, 403]);
  expect((await other.get('/Rest()')).status).toBe(200);
});

it('contained entities have their URLs', async () => {
  const { json } = await desk.send('POST', '/Shelves(1)/Lib.LastNote', {
    headers: { accept: 'application/json;odata.metadata=full' },
    body: {},
  });
  expect(json.value).toMatchObject([{ Id: 2, Text: 'b!' }]);
  const { json: plain } = await desk.get(
    '/Shelves(1)/Notes?$format=application/json;odata.metadata=full',
  );
  expect(json.value[0]['@odata.id']).toBe(plain.value[1]['@odata.id']);
  expect((await desk.get(json.value[0]['@odata.id'])).json.Text).toBe('b!');
});

it('changes of a limited result cannot be tracked', async () => {
  const { headers } = await desk.get('/Best(count=2)', { prefer: 'track-changes' });
  expect(String(headers['preference-applied'])).not.toContain('track-changes');
});

it('an action returns the first of the entities that it changed', async () => {
  const { status, json } = await desk.send('POST', '/Shelves(2)/Lib.Award', { body: {} });
  expect(status).toBe(200);
  const stars = json.value.map((one: { Title: string; Stars: number }) => [one.Title, one.Stars]);
  expect(stars).toEqual([
    ['Ada', 13],
    ['Ulysses', 11],
  ]);
});
