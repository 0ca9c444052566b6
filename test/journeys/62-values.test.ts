// This file calls functions and actions with complex values and collections, and continues paths after their results.
// OData 4.01 URL Conventions, "Addressing Operations", "Complex and Collection Literals"; Protocol, "Invoking a Function".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const INT = { $Type: 'Edm.Int32' };
const BOOKS = { $Type: 'Lib.Book', $Collection: true };
const SIZE = { $Type: 'Lib.Size', $Nullable: true };

const functionOf = (
  parameters: readonly JsonObject[],
  returns: JsonObject,
  expression: string,
  others: JsonObject = { $IsComposable: true },
) => [
  {
    $Kind: 'Function',
    $Parameter: parameters,
    $ReturnType: returns,
    '@Docket.Expression': expression,
    ...others,
  },
];

const book = { $Name: 'book', $Type: 'Lib.Book' };
const range = { $Name: 'range', $Type: 'Lib.Range' };
const id = { $Name: 'id', ...INT };
const BOUND = { $IsBound: true, $IsComposable: true };

const functions = {
  Top: functionOf([{ $Name: 'least', ...INT }], BOOKS, '$root/Books/$filter(Stars ge @least)'),
  Within: functionOf(
    [range],
    BOOKS,
    '$root/Books/$filter(Stars ge @range/From and Stars le @range/Until/To)',
  ),
  Named: functionOf(
    [{ $Name: 'titles', $Collection: true }],
    BOOKS,
    '$root/Books/$filter(Title in @titles)',
  ),
  Total: functionOf(
    [{ $Name: 'numbers', $Collection: true, ...INT }],
    { $Type: 'Edm.Int64' },
    '@numbers/$count',
  ),
  Numbers: functionOf(
    [{ $Name: 'numbers', $Collection: true, ...INT }],
    { $Collection: true, ...INT },
    '@numbers',
  ),
  First: functionOf([id], { $Type: 'Lib.Book', $Nullable: true }, '$root/Books(@id)'),
  FirstSize: functionOf([id], SIZE, '$root/Books(@id)/Size'),
  Echo: functionOf([range], { $Type: 'Lib.Range', $Nullable: true }, '@range'),
  Either: functionOf(
    [range],
    INT,
    'case(@range/Until/To eq null:@range/From,true:@range/Until/To)',
  ),
  Sealed: functionOf([], SIZE, '{"Pages":7}', {}),
};

const bound = {
  Estimate: functionOf(
    [book],
    { $Type: 'Lib.Size' },
    '{"Pages":$it/Stars mul 100,"Label":concat($it/Title,\'!\')}',
    BOUND,
  ),
  SizeOf: functionOf([book], SIZE, '$it/Size', BOUND),
  NotesOf: functionOf([book], { $Collection: true }, '$it/Size/Notes', BOUND),
};

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Until: { $Kind: 'ComplexType', To: { ...INT, $Nullable: true } },
    Range: {
      $Kind: 'ComplexType',
      From: { ...INT, '@Validation.Minimum': 0 },
      Until: { $Type: 'Lib.Until', $Nullable: true },
    },
    Size: {
      $Kind: 'ComplexType',
      Pages: { ...INT, $Nullable: true },
      Label: { $Nullable: true },
      Notes: { $Collection: true },
    },
    Reader: { $Kind: 'EntityType', $Key: ['Id'], Id: INT, Name: {} },
    Book: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: INT,
      Title: { $Nullable: true },
      Stars: INT,
      Size: SIZE,
      Reader: { $Kind: 'NavigationProperty', $Type: 'Lib.Reader', $Nullable: true },
      Next: { $Kind: 'NavigationProperty', $Type: 'Lib.Reader', $Nullable: true },
    },
    ...functions,
    ...bound,
    Resize: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [book, { $Name: 'size', ...SIZE }, range],
        '@Docket.Effects': [
          {
            Change: '$it',
            Values: [
              { Member: 'Size', Expression: '@size' },
              { Member: 'Stars', Expression: '@range/From' },
              { Member: 'Title', Expression: "concat(@size/Label,'?')" },
            ],
          },
        ],
      },
    ],
    Shift: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [
          { $Name: 'books', $Type: 'Lib.Book', $Collection: true },
          { $Name: 'by', ...INT },
        ],
        '@Docket.Effects': [
          {
            Change: '$it',
            Values: [
              {
                Member: 'Stars',
                Expression:
                  '$this/Stars add @by add cast($it/$filter(Stars gt 100)/$count,Edm.Int32)',
              },
              { Member: 'Size/Label', Expression: "concat($this/Title,'!')" },
              { Member: 'Reader', Expression: '$this/Next' },
            ],
          },
        ],
      },
    ],
    Desk: {
      $Kind: 'EntityContainer',
      Books: {
        $Collection: true,
        $Type: 'Lib.Book',
        $NavigationPropertyBinding: { Reader: 'Readers', Next: 'Readers' },
      },
      Readers: { $Collection: true, $Type: 'Lib.Reader' },
      ...Object.fromEntries(
        Object.keys(functions).map((name) => [
          name,
          {
            $Function: `Lib.${name}`,
            ...(['Top', 'Within', 'Named', 'First'].includes(name) ? { $EntitySet: 'Books' } : {}),
          },
        ]),
      ),
    },
  },
};

const records = {
  Readers: [{ Id: 1n, Name: 'Ada' }],
  Books: [
    {
      Id: 1n,
      Title: 'Emma',
      Stars: 5n,
      Size: { Pages: 300n, Label: 'L', Notes: ['a', 'b'] },
      Reader: { '@odata.id': 'Readers(1)' },
    },
    { Id: 2n, Title: 'Ulysses', Stars: 2n },
    { Id: 3n, Title: 'Dune', Stars: 3n, Next: { '@odata.id': 'Readers(1)' } },
  ],
};

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(model).definition, records);
});
afterAll(async () => {
  await desk?.close();
});

/** The titles of books, a value, or the text of an answer that is not JSON. */
const resultOf = async (path: string) => {
  const { status, text, json } = await desk.get(path);
  if (status !== 200) return status;
  if (typeof json !== 'object') return text;
  if (Array.isArray(json.value))
    return json.value.map((one: { Title?: string }) => one.Title ?? one);
  const { '@odata.context': _, '@odata.etag': __, ...others } = json;
  return others.value ?? others.Title ?? others;
};

describe('Complex and collection parameters', () => {
  it.each([
    ['/Within(range=@r)?@r={"From":3,"Until":{"To":4}}', ['Dune']],
    ['/Within(range=@r)/$count?@r={"From":3,"Until":{"To":5}}', '2'],
    ['/Within(range=@r)/$filter(Stars lt 5)?@r={"From":3,"Until":{"To":5}}', ['Dune']],
    ['/Within?range={"From":3,"Until":{"To":4}}', ['Dune']],
    ['/Within(range=@r)?@r={"From":3}', []],
    ['/Either(range=@r)?@r={"From":3}', 3],
    ['/Either(range=@r)?@r={"From":3,"Until":{"To":9}}', 9],
    ['/Named(titles=@t)?@t=["Emma","Dune"]', ['Emma', 'Dune']],
    ['/Named(titles=@t)?@t=[]', []],
    ['/Total(numbers=@n)?@n=[1,2,2147483647]', 3],
    ['/Numbers(numbers=@n)?@n=[1,2]', [1, 2]],
    ['/Numbers(numbers=@n)/$count?@n=[1,2]', '2'],
    ['/Echo(range=@r)?@r={"From":3}', { From: 3, Until: null }],
  ])('%s', async (path, expected) => {
    expect(await resultOf(path)).toEqual(expected);
  });

  it.each([
    ['/Within(range=@r)?@r={"From":"3","Till":4}', ['range/From', 'range/Till']],
    ['/Echo(range=@r)?@r={"From":-1}', ['range/From']],
    ['/Echo(range=@r)?@r={}', ['range/From']],
    ['/Total(numbers=@n)?@n=[1,"2",2147483648]', ['numbers[1]', 'numbers[2]']],
    ['/Total(numbers=@n)?@n={"a":1}', ['numbers']],
  ])('all mistakes are reported: %s', async (path, targets) => {
    const { status, json } = await desk.get(path);
    expect([status, json.error.code]).toEqual([400, 'bind.parameter']);
    expect(json.error.details.map(({ target }: { target: string }) => target)).toEqual(targets);
  });

  it('can be used in effects of actions', async () => {
    const body = { size: { Label: 'Big' }, range: { From: 4 } };
    expect((await desk.send('POST', '/Books(2)/Lib.Resize', { body })).status).toBe(204);
    expect(await resultOf('/Books(2)?$select=Stars,Size')).toMatchObject({
      Stars: 4,
      Size: { Pages: null, Label: 'Big', Notes: [] },
    });
    const without = { size: null, range: { From: 2 } };
    const answer = await desk.send('POST', '/Books(2)/Lib.Resize', { body: without });
    expect([answer.status, await resultOf('/Books(2)/Size')]).toEqual([204, 204]);
  });
});

describe('A path after the result of a function', () => {
  it.each([
    ['/Top(least=3)/$count', '2'],
    ['/Top(least=3)(1)', 'Emma'],
    ['/Top(least=3)(1)/Title/$value', 'Emma'],
    ['/Top(least=3)/1/Reader/Name', 'Ada'],
    ['/Top(least=3)(2)', 404],
    ['/Top(least=3)/Title', 404],
    ['/First(id=1)/Size/Pages', 300],
    ['/First(id=9)', 204],
    ['/FirstSize(id=1)/Pages', 300],
    ['/FirstSize(id=1)/Pages/$value', '300'],
    ['/FirstSize(id=1)/Notes/$count', '2'],
    ['/FirstSize(id=3)/Pages', 204],
    ['/FirstSize(id=1)/Nothing', 400],
    ['/Echo(range=@r)/Until/To?@r={"From":3,"Until":{"To":4}}', 4],
    ['/Books(1)/Lib.SizeOf()/Label', 'L'],
    ['/Sealed()/Pages', 400],
  ])('%s', async (path, expected) => {
    expect(await resultOf(path)).toEqual(expected);
  });
});

describe('A function that composes a complex value', () => {
  it('returns all members of its type', async () => {
    const { json } = await desk.get('/Books(1)/Lib.Estimate()');
    expect(json).toMatchObject({ Pages: 500, Label: 'Emma!', Notes: [] });
    expect(json['@odata.context']).toMatch(/#Lib\.Size$/);
    expect(await resultOf('/Sealed()')).toEqual({ Pages: 7, Label: null, Notes: [] });
  });

  it('can be followed by its members, in paths and expressions', async () => {
    const { json } = await desk.get('/Books(1)/Lib.Estimate()/Pages');
    expect([json['@odata.context'].replace(/.*#/, ''), json.value]).toEqual(['Edm.Int32', 500]);
    expect(await resultOf('/Books(1)/Lib.Estimate()/Label/$value')).toBe('Emma!');
    expect(await resultOf('/Books?$filter=Lib.Estimate()/Pages ge 500')).toEqual(['Emma']);
    expect(await resultOf("/Books?$filter=endswith(Lib.Estimate()/Label,'e!')")).toEqual(['Dune']);
  });

  it.each([
    ['{"Page":1}', 'Lib.Size', '"Page"'],
    ['{"Pages":"x"}', 'Lib.Size', 'Pages'],
    ["{\"Pages\":concat('a','b')}", 'Lib.Size', '"Pages"'],
  ])('is checked with the model: %s', async (expression, type, text) => {
    const wrong = { ...model.Lib, Wrong: functionOf([book], { $Type: type }, expression, BOUND) };
    const fault = await openForeignDesk(readCsdl({ ...model, Lib: wrong }).definition, {}).catch(
      (error: unknown) => error,
    );
    expect(JSON.stringify(fault)).toContain('Lib.Wrong');
    expect(JSON.stringify(fault)).toContain(JSON.stringify(text).slice(1, -1));
  });
});

describe('An effect that changes several entities', () => {
  it('evaluates the values of each before it changes the first', async () => {
    const path = '/Books/$filter(Id ne 2)/Lib.Shift';
    expect((await desk.send('POST', path, { body: { by: 98 } })).status).toBe(204);
    const query = '$select=Id,Stars,Size/Label&$expand=Reader($select=Name)&$orderby=Id';
    const { json } = await desk.get(`/Books?${query}`);
    expect(json.value).toMatchObject([
      { Id: 1, Stars: 103, Size: { Label: 'Emma!' }, Reader: null },
      { Id: 2, Stars: 2, Reader: null },
      { Id: 3, Stars: 101, Size: { Label: 'Dune!' }, Reader: { Name: 'Ada' } },
    ]);
  });
});

describe('options', () => {
  it.each([
    ["$filter=$it ne 'nothing'", ['good', 'better']],
    ["$filter=$it eq 'good'", ['good']],
    ['$skip=1&$count=true', ['better']],
    ['$top=1', ['good']],
    ['$orderby=$it', ['better', 'good']],
  ])('of a collection of values that a bound function returns: %s', async (options, expected) => {
    const body = { Id: 70, Stars: 1, Size: { Notes: ['good', 'better'] } };
    await desk.send('PUT', '/Books(70)', { body });
    const { status, json, text } = await desk.get(`/Books(70)/Lib.NotesOf()?${options}`);
    expect(status, text).toBe(200);
    expect(json.value).toEqual(expected);
    const all = await desk.get(`/Books(70)/Size/Notes?${options}`);
    expect(all.json.value).toEqual(expected);
  });

  it.each([
    'SizeOf()?$select=Pages',
    'SizeOf()?$compute=Pages add 1 as P',
    'Estimate()?$select=Label',
  ])(
    'that select parts of a complex value which a function returns are not ignored: %s',
    async (path) => {
      const { status, json } = await desk.get(`/Books(70)/Lib.${path}`);
      expect([status, json.error.code]).toEqual([501, 'not-built']);
    },
  );

  it.each([
    ['Numbers(numbers=@n)?@n=[1,2]&$filter=$it gt 1', 501],
    ['Numbers(numbers=@n)?@n=[1,2]&$top=1', 501],
    ['Echo(range=@r)?@r={"From":1}&$select=From', 501],
    ['Echo(range=@r)?@r={"From":1}&$filter=From eq 1', 400],
    ['Total(numbers=@n)?@n=[1,2]&$filter=$it gt 1', 400],
    ['Sealed()?$select=Pages', 400],
  ])('of the result of an unbound function: %s is %d', async (path, status) => {
    const answer = await desk.get(`/${path}`);
    const code = status === 501 ? 'not-built' : 'request.misplaced-option';
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });
});
