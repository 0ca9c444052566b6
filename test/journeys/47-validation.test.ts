// This file checks values against the rules of a model on every way of writing. OData Vocabularies 4.0, Org.OData.Validation.V1.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const model = {
  $Version: '4.01',
  $EntityContainer: 'Shop.Desk',
  Shop: {
    Size: {
      $Kind: 'TypeDefinition',
      $UnderlyingType: 'Edm.String',
      '@Validation.AllowedValues': [{ Value: 'S' }, { Value: 'M' }, { Value: 'L' }],
    },
    Part: {
      $Kind: 'ComplexType',
      Weight: { $Type: 'Edm.Double', $Nullable: true, '@Validation.Minimum': 0 },
      Codes: { $Collection: true, '@Validation.MaxItems': 2 },
    },
    Case: { $Kind: 'ComplexType', Name: { $Nullable: true } },
    Box: { $Kind: 'ComplexType', $BaseType: 'Shop.Case' },
    BigBox: { $Kind: 'ComplexType', $BaseType: 'Shop.Box' },
    Bag: { $Kind: 'ComplexType', $BaseType: 'Shop.Case' },
    Kit: {
      $Kind: 'ComplexType',
      Labels: { $Collection: true, $Nullable: true, '@Validation.MinItems': 1 },
    },
    Item: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32', '@Validation.Maximum': 999 },
      Kits: { $Type: 'Shop.Kit', $Collection: true },
      Case: {
        $Type: 'Shop.Case',
        $Nullable: true,
        '@Validation.DerivedTypeConstraint': ['Shop.Box'],
      },
      Cases: {
        $Type: 'Shop.Case',
        $Collection: true,
        '@Validation.DerivedTypeConstraint': ['Shop.Bag'],
      },
      Code: { $Nullable: true, '@Validation.Pattern': '^[A-Z]{3}$' },
      Price: {
        $Type: 'Edm.Decimal',
        $Nullable: true,
        $Scale: 'variable',
        '@Validation.Minimum': 0,
        '@Validation.Minimum@Validation.Exclusive': true,
        '@Validation.Maximum': 1000.5,
        '@Validation.MultipleOf': 0.05,
      },
      Size: { $Type: 'Shop.Size', $Nullable: true },
      Time: { $Type: 'Edm.Duration', $Nullable: true, '@Validation.MultipleOf': 900 },
      Since: { $Type: 'Edm.Date', $Nullable: true, '@Validation.Minimum': '2020-01-01' },
      Zone: { $Nullable: true, '@Docket.TimeZone': true },
      Tags: {
        $Collection: true,
        '@Validation.MinItems': 1,
        '@Validation.MaxItems': 3,
        '@Validation.Pattern': '\\S',
      },
      Part: { $Type: 'Shop.Part', $Nullable: true },
      Parts: { $Type: 'Shop.Part', $Collection: true },
      Subitems: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Item',
        $Collection: true,
      },
    },
    Fee: {
      $Kind: 'ComplexType',
      Net: { $Type: 'Edm.Decimal', $Scale: 2 },
      Gross: { $Type: 'Edm.Decimal', $Scale: 2 },
      '@Validation.Constraint': {
        FailureMessage: 'Net exceeds gross.',
        Condition: { $Le: [{ $Path: 'Net' }, { $Path: 'Gross' }] },
      },
    },
    Renter: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Blocked: { $Type: 'Edm.Boolean', $DefaultValue: false },
      Rentals: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Rental',
        $Collection: true,
        $Partner: 'Renter',
      },
      Name: { $Nullable: true },
      Searchname: {
        $Nullable: true,
        '@Core.Computed': true,
        '@Docket.Generated': { By: 'expression', Expression: 'tolower(Name)' },
        '@Validation.Pattern': "^[a-z']+$",
      },
    },
    Firm: { $Kind: 'EntityType', $BaseType: 'Shop.Renter' },
    Club: { $Kind: 'EntityType', $BaseType: 'Shop.Renter' },
    Rental: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      StartsOn: { $Type: 'Edm.Date' },
      EndsOn: { $Type: 'Edm.Date', $Nullable: true },
      Kind: {
        $Nullable: true,
        '@Validation.Constraint': {
          FailureMessage: 'Unknown kind.',
          Condition: {
            $Or: [
              { $Eq: [{ $Path: 'Kind' }, null] },
              { $In: [{ $Apply: [{ $Path: 'Kind' }], $Function: 'odata.tolower' }, ['a', 'b']] },
            ],
          },
        },
      },
      Fee: { $Type: 'Shop.Fee', $Nullable: true },
      Fees: { $Type: 'Shop.Fee', $Collection: true },
      Guarantor: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Renter',
        $Nullable: true,
        '@Docket.OnDelete': 'set-null',
        '@Validation.Constraint': {
          FailureMessage: 'A rental of a kind needs a guarantor.',
          Condition: {
            $Or: [{ $Eq: [{ $Path: 'Kind' }, null] }, { $Ne: [{ $Path: 'Guarantor/Id' }, null] }],
          },
        },
      },
      Renter: {
        $Kind: 'NavigationProperty',
        $Type: 'Shop.Renter',
        $Nullable: true,
        $Partner: 'Rentals',
        '@Validation.Constraint': {
          FailureMessage: 'A blocked person rents nothing.',
          Condition: { $Ne: [{ $Path: 'Renter/Blocked' }, true] },
        },
      },
      '@Validation.Constraint#Dates': {
        FailureMessage: 'The rental must not end before it starts.',
        'FailureMessage@Core.Description#nl': 'De huur eindigt niet voor het begin.',
        Condition: {
          $And: [
            {
              $Or: [
                { $Eq: [{ $Path: 'EndsOn' }, null] },
                { $Ge: [{ $Path: 'EndsOn' }, { $Path: 'StartsOn' }] },
              ],
            },
            { $Ge: [{ $Path: 'StartsOn' }, '2000-01-01'] },
          ],
        },
      },
    },
    Lease: {
      $Kind: 'EntityType',
      $BaseType: 'Shop.Rental',
      '@Validation.Constraint': {
        FailureMessage: 'A lease is not of the kind b.',
        Condition: { $Ne: [{ $Path: 'Kind' }, 'b'] },
      },
      '@Validation.Constraint#Guarantor': {
        FailureMessage: 'A blocked person guarantees no lease.',
        Condition: { $Ne: [{ $Path: 'Guarantor/Blocked' }, true] },
      },
    },
    Cheap: [
      {
        $Kind: 'Function',
        $IsComposable: true,
        $Parameter: [
          { $Name: 'limit', $Type: 'Edm.Decimal', $Nullable: true, '@Validation.Minimum': 0 },
          {
            $Name: 'codes',
            $Collection: true,
            '@Validation.MaxItems': 1,
            '@Validation.Pattern': '^[A-Z]',
          },
        ],
        $ReturnType: { $Type: 'Shop.Item', $Collection: true },
        '@Docket.Expression': '$root/Items/$filter(Price lt @limit or Code in @codes)',
      },
    ],
    Mark: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [
          { $Name: 'item', $Type: 'Shop.Item' },
          { $Name: 'Code', '@Validation.Pattern': '^[A-Z]' },
          { $Name: 'Price', $Type: 'Edm.Decimal', $Scale: 2 },
        ],
        '@Docket.Effects': [
          {
            Change: '$it',
            Values: [
              { Member: 'Code', Expression: '@Code' },
              { Member: 'Price', Expression: '@Price' },
            ],
          },
        ],
      },
    ],
    Desk: {
      $Kind: 'EntityContainer',
      '@Docket.Languages': ['en', 'nl'],
      Items: { $Type: 'Shop.Item', $Collection: true },
      Renters: {
        $Type: 'Shop.Renter',
        $Collection: true,
        $NavigationPropertyBinding: { Rentals: 'Rentals' },
        '@Validation.DerivedTypeConstraint': ['Shop.Firm'],
      },
      Cheap: { $Function: 'Shop.Cheap', $EntitySet: 'Items' },
      Rentals: {
        $Type: 'Shop.Rental',
        $Collection: true,
        $NavigationPropertyBinding: { Renter: 'Renters', Guarantor: 'Renters' },
      },
    },
  },
};

let shop: Desk;
beforeAll(async () => {
  const { definition, mistakes } = readCsdl(model);
  expect(mistakes).toEqual([]);
  shop = await openForeignDesk(definition, {
    Items: [
      { Id: 1n, Tags: ['a'], Code: 'ABC' },
      { Id: 2n, Tags: ['a'] },
      { Id: 3n, Tags: ['a', 'b', 'c'] },
    ],
    Renters: [{ Id: 1n }, { Id: 2n, Blocked: true }, { Id: 3n }],
    Rentals: [
      { Id: 1n, StartsOn: '2026-01-01', EndsOn: '2026-01-31', 'Renter@odata.bind': 'Renters(1)' },
    ],
  });
});
afterAll(async () => await shop?.close());

/** Target and rule of each reported mistake. */
function rulesIn(json: { readonly error?: { readonly details?: readonly unknown[] } }) {
  const details = (json.error?.details ?? []) as readonly { target: string; message: string }[];
  return details.map(({ target, message }) => {
    const [, rule = message] = /\(((?:Validation|Docket)\.\w+)\)/.exec(message) ?? [];
    return `${target}: ${rule}`;
  });
}

const WRONG = {
  Id: 1000,
  Code: 'abc',
  Price: 0,
  Size: 'XL',
  Time: 'PT20M',
  Since: '2019-12-31',
  Zone: 'Europe/Amsterdm',
  Tags: ['a', ' ', 'c', 'd'],
  Part: { Weight: -0.5, Codes: ['a', 'b', 'c'] },
  Parts: [
    { Weight: 1, Codes: [] },
    { Weight: -1, Codes: ['a', 'b', 'c'] },
  ],
};
const BROKEN = [
  'Code: Validation.Pattern',
  'Price: Validation.Minimum',
  'Size: Validation.AllowedValues',
  'Time: Validation.MultipleOf',
  'Since: Validation.Minimum',
  'Zone: Docket.TimeZone',
  'Tags: Validation.MaxItems',
  'Tags[1]: Validation.Pattern',
  'Part/Weight: Validation.Minimum',
  'Part/Codes: Validation.MaxItems',
  'Parts[1]/Weight: Validation.Minimum',
  'Parts[1]/Codes: Validation.MaxItems',
];

describe('A body that breaks rules is rejected with all of them', () => {
  it('by POST', async () => {
    const { status, json } = await shop.send('POST', '/Items', { body: WRONG });
    expect([status, rulesIn(json)]).toEqual([400, ['Id: Validation.Maximum', ...BROKEN]]);
  });

  it.each(['PATCH', 'PUT'] as const)('by %s', async (method) => {
    const { status, json } = await shop.send(method, '/Items(1)', { body: WRONG });
    expect([status, rulesIn(json)]).toEqual([400, BROKEN]);
  });

  it('in nested entities and in delta payloads', async () => {
    const nested = { Id: 6, Tags: ['a'], Subitems: [{ Id: 7, Tags: [], Price: 0.01 }] };
    const deep = await shop.send('POST', '/Items', { body: nested });
    expect(rulesIn(deep.json)).toEqual([
      'Subitems[0]/Tags: Validation.MinItems',
      'Subitems[0]/Price: Validation.MultipleOf',
    ]);
    const delta = { '@context': '#$delta', value: [{ Id: 1, Code: 'x' }] };
    const change = await shop.send('PATCH', '/Items', { body: delta });
    expect([change.status, rulesIn(change.json)]).toEqual([
      400,
      ['value[0]/Code: Validation.Pattern'],
    ]);
  });

  it('in records to load', async () => {
    const records = { Items: [{ Id: 1n, Tags: [], Code: 'abc' }] };
    const { definition } = readCsdl(model);
    const fault = await openForeignDesk(definition, records).catch((error: unknown) => error);
    expect(JSON.stringify(fault)).toContain('Validation.MinItems');
    expect(JSON.stringify(fault)).toContain('Validation.Pattern');
  });

  it('in a batch', async () => {
    const requests = [{ id: '1', method: 'POST', url: 'Items', body: { ...WRONG, Id: 5 } }];
    const { json } = await shop.send('POST', '/$batch', { body: { requests } });
    expect(json.responses.map(({ status }: { status: number }) => status)).toEqual([400]);
  });

  it('in a change set, which then stores nothing', async () => {
    const requests = [
      { id: '1', method: 'POST', url: 'Items', body: { Id: 8, Tags: ['a'] } },
      { id: '2', method: 'PATCH', url: '$1', body: { Code: 'abc' } },
    ].map((request) => ({ ...request, atomicityGroup: 'g' }));
    const { json } = await shop.send('POST', '/$batch', { body: { requests } });
    const [failed] = json.responses.filter(({ status }: { status: number }) => status === 400);
    expect(rulesIn(failed.body)).toEqual(['Code: Validation.Pattern']);
    expect((await shop.get('/Items(8)')).status).toBe(404);
  });

  it('in a multipart change set, which then stores nothing', async () => {
    const requestOf = (method: string, path: string, body: object, id: number) =>
      [
        '--c',
        'Content-Type: application/http',
        'Content-Transfer-Encoding: binary',
        `Content-ID: ${id}`,
        '',
        `${method} ${path} HTTP/1.1`,
        'Content-Type: application/json',
        '',
        JSON.stringify(body),
      ].join('\r\n');
    const body = [
      '--b',
      'Content-Type: multipart/mixed; boundary=c',
      '',
      requestOf('POST', 'Items', { Id: 8, Tags: ['a'] }, 1),
      requestOf('POST', 'Items', { Id: 9, Tags: [] }, 2),
      '--c--',
      '--b--',
      '',
    ].join('\r\n');
    const headers = { 'content-type': 'multipart/mixed; boundary=b' };
    const { text } = await shop.send('POST', '/$batch', { headers, body });
    expect(text).toContain('HTTP/1.1 400');
    expect(text).toContain('Validation.MinItems');
    expect((await shop.get('/Items(8)')).status).toBe(404);
  });

  it('as parameters and effects of an action', async () => {
    const parameter = await shop.send('POST', '/Items(1)/Shop.Mark', {
      body: { Code: 'a', Price: 1 },
    });
    expect([parameter.status, rulesIn(parameter.json)]).toEqual([
      400,
      ['Code: Validation.Pattern'],
    ]);
    const effect = await shop.send('POST', '/Items(1)/Shop.Mark', {
      body: { Code: 'AB', Price: 1 },
    });
    expect([effect.status, rulesIn(effect.json)]).toEqual([400, ['Code: Validation.Pattern']]);
    expect((await shop.get('/Items(1)/Code')).json.value).toBe('ABC');
  });
});

describe('A parameter of a function', () => {
  it.each([
    ["Cheap(limit=-1,codes=@c)?@c=['A']", 'a value of at least 0 (Validation.Minimum)'],
    ["Cheap(limit=@l,codes=@c)?@c=['A']&@l=-0.5", 'a value of at least 0 (Validation.Minimum)'],
    ["Cheap?limit=-1&codes=['A']", 'a value of at least 0 (Validation.Minimum)'],
    ["Cheap(limit=1,codes=@c)?@c=['a']", 'Validation.Pattern'],
    ["Cheap(limit=1,codes=@c)?@c=['A','B']", 'at most 1 item (Validation.MaxItems)'],
  ])('that breaks a rule is rejected: %s', async (path, text) => {
    expect((await shop.get(`/${path.replace('-1', '0').replace('-0.5', '0')}`)).status).toBe(
      text.includes('at least') ? 200 : 400,
    );
    const { status, json } = await shop.get(`/${path}`);
    expect([status, json.error.code]).toEqual([400, 'bind.parameter']);
    expect(json.error.message).toContain(text);
  });

  it.each(['0', '5', 'null'])('that follows them is accepted: %s', async (limit) => {
    expect((await shop.get(`/Cheap(limit=${limit},codes=@c)?@c=['ABC']`)).status).toBe(200);
  });
});

describe('A derived type', () => {
  const typed = (name: string) => ({ '@odata.type': `#Shop.${name}` });
  it.each([
    ['PATCH', '/Items(1)', { Case: typed('Bag') }, 'Case/@odata.type'],
    ['POST', '/Items', { Id: 7, Tags: ['a'], Case: typed('Bag') }, 'Case/@odata.type'],
    ['PUT', '/Items(1)/Case', typed('Bag'), 'Case/@odata.type'],
    ['PATCH', '/Items(1)', { Cases: [{}, typed('Box')] }, 'Cases[1]/@odata.type'],
    ['POST', '/Items(1)/Cases', typed('Box'), 'Cases/@odata.type'],
    ['POST', '/Renters', { ...typed('Club'), Id: 21 }, '@odata.type'],
    ['PUT', '/Renters(21)', typed('Club'), '@odata.type'],
    [
      'POST',
      '/Rentals',
      { Id: 21, StartsOn: '2026-01-01', Renter: { ...typed('Club'), Id: 21 } },
      'Renter/@odata.type',
    ],
  ] as const)('that is not permitted is rejected: %s %s %j', async (method, path, body, target) => {
    const { status, json } = await shop.send(method, path, { body });
    expect([status, json.error?.details?.[0]?.target]).toEqual([400, target]);
    expect(json.error.message).toContain('(Validation.DerivedTypeConstraint)');
  });

  it.each([
    ['PATCH', '/Items(3)', { Case: typed('BigBox') }],
    ['PATCH', '/Items(3)', { Case: {}, Cases: [{}, typed('Bag')] }],
    ['POST', '/Renters', { ...typed('Firm'), Id: 22 }],
    ['POST', '/Renters', { Id: 23 }],
  ] as const)('that is permitted is accepted: %s %s %j', async (method, path, body) => {
    expect((await shop.send(method, path, { body })).status).toBeLessThan(300);
  });
});

describe('A collection inside a value that is stored as a whole', () => {
  it.each([
    [{}, 'write.required', 'Kits[0]/Labels'],
    [{ Labels: [] }, 'write.value', 'Kits[0]/Labels'],
    [{ Labels: null }, 'write.value', 'Kits[0]/Labels'],
  ])('needs its items: %j', async (kit, code, target) => {
    const { status, json } = await shop.send('PATCH', '/Items(1)', { body: { Kits: [kit] } });
    expect([status, json.error.details]).toMatchObject([400, [{ code, target }]]);
    const filled = { body: { Kits: [{ Labels: ['a'] }] } };
    expect((await shop.send('PATCH', '/Items(1)', filled)).status).toBe(204);
  });
});

describe('A single property that breaks a rule is rejected', () => {
  it.each([
    ['PUT', '/Items(1)/Code', { value: 'abc' }, 'Code: Validation.Pattern'],
    ['PUT', '/Items(1)/Part', { Weight: -1 }, 'Part/Weight: Validation.Minimum'],
    ['PUT', '/Items(1)/Tags', { value: [] }, 'Tags: Validation.MinItems'],
    ['DELETE', '/Items(1)/Tags', undefined, 'Tags: Validation.MinItems'],
    ['POST', '/Items(1)/Tags', { value: ' ' }, 'Tags: Validation.Pattern'],
  ] as const)('%s %s', async (method, path, body, rule) => {
    const { status, json } = await shop.send(method, path, body === undefined ? {} : { body });
    expect([status, rulesIn(json)]).toEqual([400, [rule]]);
  });

  it.each([
    ['POST', '/Items(3)/Tags', { value: 'd' }, 'at most 3 items (Validation.MaxItems).'],
    ['DELETE', '/Items(2)/Tags/0', undefined, 'at least 1 item (Validation.MinItems).'],
  ] as const)('%s %s changes the number of items', async (method, path, body, text) => {
    const { status, json } = await shop.send(method, path, body === undefined ? {} : { body });
    expect([status, json.error.code, json.error.message]).toEqual([
      400,
      'write.items',
      `"Tags" must have ${text}`,
    ]);
  });

  it('as a raw value', async () => {
    const { status, json } = await shop.send('PUT', '/Items(1)/Code/$value', {
      body: 'abc',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect([status, rulesIn(json)]).toEqual([400, ['Code: Validation.Pattern']]);
  });
});

describe('Values that are not in the body follow rules, too:', () => {
  it.each([
    ['POST', '/Renters', { Id: 5, Name: 'Bo 1' }, 'Searchname'],
    ['PATCH', '/Renters(1)', { Name: 'Bo 1' }, 'Searchname'],
    ['PUT', '/Renters(1)/Name', { value: 'Bo 1' }, 'Searchname'],
    ['PUT', '/Items(1000)', { Tags: ['a'] }, 'Id'],
  ] as const)('%s %s %j', async (method, path, body, target) => {
    const { status, json } = await shop.send(method, path, { body });
    expect([status, json.error.code, json.error.target]).toEqual([400, 'write.rule', target]);
  });

  it('those that do are stored', async () => {
    const { status, json } = await shop.send('POST', '/Renters', {
      body: { Id: 6, Name: "O'Neil" },
    });
    expect([status, json.Searchname]).toEqual([201, "o'neil"]);
  });
});

describe('Values at the limits', () => {
  it.each([
    { Price: 0.05, Tags: ['a', 'b', 'c'] },
    { Price: '1000.50', Time: 'PT15M', Since: '2020-01-01' },
    { Price: null, Size: 'L', Zone: 'Europe/Kiev', Part: { Weight: 0, Codes: ['a', 'b'] } },
  ])('%j are stored', async (body) => {
    expect((await shop.send('PATCH', '/Items(1)', { body })).status).toBe(204);
  });

  it.each([
    [{ Price: '1000.55' }, 'a value of at most 1000.5 (Validation.Maximum).'],
    [{ Price: 0 }, 'a value greater than 0 (Validation.Minimum).'],
    [{ Size: 'Ll' }, 'one of S, M, L (Validation.AllowedValues). Did you mean "L"?'],
    [{ Zone: 'europe/Amsterdam' }, '(Docket.TimeZone). Did you mean "Europe/Amsterdam"?'],
    [{ Tags: [] }, 'at least 1 item (Validation.MinItems). There are 0.'],
  ])('%j is rejected with what is permitted', async (body, text) => {
    const { json } = await shop.send('PATCH', '/Items(1)', { body });
    expect(json.error.details[0].message).toContain(text);
  });
});

describe('A new entity needs as many items as its collections must have', () => {
  it('even if it omits them', async () => {
    const { status, json } = await shop.send('POST', '/Items', { body: { Id: 9 } });
    expect([status, json.error.details[0].code, json.error.details[0].target]).toEqual([
      400,
      'write.required',
      'Tags',
    ]);
  });
});

describe('A condition over an entity', () => {
  const dates = 'The rental must not end before it starts. (Validation.Constraint#Dates)';

  it.each([
    ['POST', '/Rentals', { Id: 9, StartsOn: '2026-02-01', EndsOn: '2026-01-31' }, dates],
    ['PATCH', '/Rentals(1)', { EndsOn: '2025-12-31' }, dates],
    ['PUT', '/Rentals(1)/EndsOn', { value: '2025-12-31' }, dates],
    ['PUT', '/Rentals(1)', { StartsOn: '2026-05-01', EndsOn: '2026-04-30' }, dates],
    ['PUT', '/Rentals(7)', { StartsOn: '2026-05-01', EndsOn: '2026-04-30' }, dates],
    [
      'PATCH',
      '/Rentals',
      { '@context': '#$delta', value: [{ Id: 1, EndsOn: '2025-12-31' }] },
      dates,
    ],
    ['PATCH', '/Rentals/$each', { EndsOn: '2025-12-31' }, dates],
    [
      'PATCH',
      '/Rentals(1)',
      { 'Renter@odata.bind': 'Renters(2)' },
      'A blocked person rents nothing. (Validation.Constraint)',
    ],
    [
      'PUT',
      '/Rentals(1)/Renter/$ref',
      { '@odata.id': 'Renters(2)' },
      'A blocked person rents nothing. (Validation.Constraint)',
    ],
    [
      'PATCH',
      '/Renters(1)',
      { Blocked: true },
      'A blocked person rents nothing. (Validation.Constraint)',
    ],
    [
      'PATCH',
      '/Rentals(1)',
      { Fee: { Net: 5, Gross: 4 } },
      'Net exceeds gross. (Validation.Constraint)',
    ],
    [
      'PATCH',
      '/Rentals(1)',
      {
        Fees: [
          { Net: 1, Gross: 2 },
          { Net: 5, Gross: 4 },
        ],
      },
      'Net exceeds gross. (Validation.Constraint)',
    ],
    ['PATCH', '/Rentals(1)', { Kind: 'x' }, 'Unknown kind. (Validation.Constraint)'],
    [
      'POST',
      '/Rentals(1)/Fees',
      { Net: 5, Gross: 4 },
      'Net exceeds gross. (Validation.Constraint)',
    ],
    [
      'POST',
      '/Renters(2)/Rentals/$ref',
      { '@odata.id': 'Rentals(1)' },
      'A blocked person rents nothing. (Validation.Constraint)',
    ],
    [
      'POST',
      '/Rentals',
      { '@odata.type': '#Shop.Lease', Id: 9, StartsOn: '2026-02-01', EndsOn: '2026-01-31' },
      dates,
    ],
  ] as const)('rejects %s %s with %j', async (method, path, body, message) => {
    const { status, json } = await shop.send(method, path, { body });
    expect([status, json?.error?.code, json?.error?.message]).toEqual([
      400,
      'write.condition',
      message,
    ]);
  });

  it('permits changes that fulfil it, and of members that it does not read', async () => {
    const changes = [
      { EndsOn: '2026-01-02', Fee: { Net: 1, Gross: 1 }, Fees: [] },
      { EndsOn: null },
      { Fee: null },
    ];
    for (const body of changes)
      expect((await shop.send('PATCH', '/Rentals(1)', { body })).status).toBe(204);
    const blocked = await shop.send('PATCH', '/Renters(3)', { body: { Blocked: true } });
    expect(blocked.status).toBe(204);
  });

  it('of a derived type concerns its entities only', async () => {
    const lease = { '@odata.type': '#Shop.Lease', Id: 30, StartsOn: '2026-01-01' };
    expect((await shop.send('POST', '/Rentals', { body: lease })).status).toBe(201);
    const body = { Kind: 'b', 'Guarantor@odata.bind': 'Renters(1)' };
    const rejected = await shop.send('PATCH', '/Rentals(30)', { body });
    expect(rejected.json.error.message).toContain('A lease is not of the kind b.');
    expect((await shop.send('PATCH', '/Rentals(1)', { body })).status).toBe(204);
    const reset = { Kind: null, Guarantor: null };
    expect((await shop.send('PATCH', '/Rentals(1)', { body: reset })).status).toBe(204);
  });

  it('of a derived type over a related entity concerns its entities only', async () => {
    const rental = (Id: number) => ({ Id, StartsOn: '2026-01-01', Guarantor: { Id } });
    const lease = { ...rental(32), '@odata.type': '#Shop.Lease' };
    for (const body of [rental(31), lease])
      expect((await shop.send('POST', '/Rentals', { body })).status).toBe(201);
    const block = async (id: number) =>
      (await shop.send('PATCH', `/Renters(${id})`, { body: { Blocked: true } })).status;
    expect([await block(31), await block(32)]).toEqual([204, 400]);
  });

  it('rejects a deletion that clears a reference on which it depends', async () => {
    const guarantor = { Id: 8, Kind: 'a', StartsOn: '2026-01-01', Guarantor: { Id: 11 } };
    expect((await shop.send('POST', '/Rentals', { body: guarantor })).status).toBe(201);
    const rejected = await shop.send('DELETE', '/Renters(11)');
    expect([rejected.status, rejected.json.error.code]).toEqual([400, 'write.condition']);
    expect((await shop.send('PATCH', '/Rentals(8)', { body: { Kind: null } })).status).toBe(204);
    expect((await shop.send('DELETE', '/Renters(11)')).status).toBe(204);
  });

  it('has its message in the language of the request', async () => {
    const { json } = await shop.send('PATCH', '/Rentals(1)', {
      body: { StartsOn: '2026-05-01', EndsOn: '2026-04-30' },
      headers: { 'Accept-Language': 'nl' },
    });
    expect(json.error.message).toMatch(/^De huur eindigt niet/);
  });
});

describe('The rules are published', () => {
  it('as written, in $metadata', async () => {
    const { text } = await shop.get('/$metadata?$format=xml');
    expect(text).toContain('<Annotation Term="Validation.Pattern" String="^[A-Z]{3}$"/>');
    expect(text).toContain('<Annotation Term="Validation.Exclusive" Bool="true"/>');
    const { json } = await shop.get('/$metadata?$format=json');
    expect(json.Shop.Item.Price['@Validation.MultipleOf']).toBe(0.05);
  });

  it('as keywords, in OpenAPI', async () => {
    const { json } = await shop.get('http://desk.example/openapi.json');
    const { properties } = json.components.schemas['Shop.Item-create'];
    expect(properties.Code.pattern).toBe('^[A-Z]{3}$');
    expect(properties.Price).toMatchObject({ exclusiveMinimum: 0, maximum: 1000.5 });
    expect(properties.Price).not.toHaveProperty('multipleOf');
    expect(properties.Price.description).toContain('A multiple of 0.05');
    expect(properties.Time.multipleOf).toBe(900);
    expect(json.components.schemas['Shop.Fee'].description).toBe('Constraint: Net exceeds gross.');
    expect(properties.Tags).toMatchObject({ minItems: 1, maxItems: 3, items: { pattern: '\\S' } });
    expect(json.components.schemas['Shop.Size'].enum).toEqual(['S', 'M', 'L']);
  });
});
