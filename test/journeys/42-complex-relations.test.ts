// This file relates entities through complex values whose type has derived types. OData CSDL 4.01, "Navigation Property", "Navigation
// Property Path Binding"; Protocol 4.01, "Modifying Relationships between Entities"; URL Conventions 4.01, "Addressing Derived Types".
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const TEXT = { $Nullable: true };
const navigation = (type: string, more: object = {}) => ({
  $Kind: 'NavigationProperty',
  $Type: `Lib.${type}`,
  $Nullable: true,
  ...more,
});

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Address: {
      $Kind: 'ComplexType',
      Street: TEXT,
      Country: navigation('Country', { '@Docket.OnDelete': 'set-null' }),
    },
    Office: {
      $Kind: 'ComplexType',
      $BaseType: 'Lib.Address',
      Floor: { $Type: 'Edm.Int32', $Nullable: true },
      Partner: navigation('Person', { '@Docket.OnDelete': 'cascade' }),
      Contact: { $Type: 'Lib.Contact', $Nullable: true },
    },
    Depot: {
      $Kind: 'ComplexType',
      $BaseType: 'Lib.Address',
      Partner: navigation('Country'),
      Contact: TEXT,
      Visitors: { ...navigation('Person'), $Collection: true, $Nullable: false },
    },
    Shop: {
      $Kind: 'ComplexType',
      $BaseType: 'Lib.Address',
      Keeper: { $Kind: 'NavigationProperty', $Type: 'Lib.Person' },
    },
    Contact: { $Kind: 'ComplexType', Phone: TEXT, Agent: navigation('Person') },
    Person: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Name: TEXT,
      Home: { $Type: 'Lib.Address', $Nullable: true },
    },
    Country: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int32' }, Name: TEXT },
    Desk: {
      $Kind: 'EntityContainer',
      People: { $Collection: true, $Type: 'Lib.Person' },
      Countries: { $Collection: true, $Type: 'Lib.Country' },
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(model).definition, {
    Countries: [1n, 2n].map((id) => ({ Id: id, Name: `C${id}` })),
    People: [
      { Id: 1n, Name: 'Ann' },
      { Id: 2n, Name: 'Ben' },
      { Id: 3n, Name: 'Cat' },
      { Id: 4n, Name: 'Dan', Home: { Street: 'D', 'Country@odata.bind': 'Countries(2)' } },
      { Id: 5n, Name: 'Eve' },
    ],
  });
});
afterAll(async () => {
  await desk?.close();
});

const OFFICE = {
  '@odata.type': '#Lib.Office',
  Street: 'S',
  Floor: 3,
  'Country@odata.bind': 'Countries(1)',
  'Partner@odata.bind': 'People(2)',
  Contact: { Phone: '7', 'Agent@odata.bind': 'People(3)' },
};
const STORED = { '@odata.type': '#Lib.Office', Street: 'S', Floor: 3, Contact: { Phone: '7' } };

const send = async (method: string, path: string, body?: object) =>
  await desk.send(method, path, { body });
/** The status, and the body without contexts and ETags. */
const get = async (path: string) => {
  const { status, text } = await desk.get(path);
  const isKept = (key: string) => !/@odata\.(etag|context)$/.test(key);
  const value = JSON.parse(text || 'null', (key, part) => (isKept(key) ? part : undefined));
  return { status, value: Array.isArray(value?.value) ? value.value : value };
};
const person = (id: number, name: string) => ({ Id: id, Name: name });
const names = async (query: string) => {
  const { status, value } = await get(`/People?$select=Name&${query}`);
  return [status, status === 200 ? value.map((one: { Name: string }) => one.Name) : value];
};
const related = async (path: string) => {
  const { status, value } = await get(`/People(1)/Home/${path}?$select=Id,Name`);
  return status === 200 ? value : status;
};

beforeEach(async () => {
  expect((await send('PATCH', '/People(1)', { Home: OFFICE })).status).toBe(204);
});

describe('A value with relations', () => {
  it('is read without them', async () => {
    expect((await get('/People(1)/Home')).value).toEqual(STORED);
  });

  it.each([
    ['Country', { Id: 1, Name: 'C1' }],
    ['Lib.Office/Country', { Id: 1, Name: 'C1' }],
    ['Lib.Office/Partner', person(2, 'Ben')],
    ['Lib.Office/Contact/Agent', person(3, 'Cat')],
    ['Lib.Depot/Country', 404],
    ['Lib.Depot/Partner', 404],
    ['Lib.Office/Partner/Home/Country', 204],
  ])('is the start of the path %s', async (path, expected) => {
    expect(await related(path)).toEqual(expected);
  });

  it('has references and links', async () => {
    const { value } = await get('/People(1)/Home/Lib.Office/Partner/$ref');
    expect(value).toEqual({ '@odata.id': `${desk.root}People(2)` });
    const full = await desk.get('/People(1)?$select=Home', {
      accept: 'application/json;odata.metadata=full',
    });
    expect(full.json.Home).toMatchObject({
      'Country@odata.navigationLink': `${desk.root}People(1)/Home/Country`,
      'Partner@odata.navigationLink': `${desk.root}People(1)/Home/Lib.Office/Partner`,
    });
    expect(full.json.Home).not.toHaveProperty('Visitors@odata.navigationLink');
  });
});

describe('$expand', () => {
  const country = { Country: { Id: 1, Name: 'C1' } };
  const partner = { Partner: person(2, 'Ben') };
  const agent = { Contact: { Phone: '7', Agent: person(3, 'Cat') } };
  const SHORT = '($select=Id,Name)';

  it.each([
    [`Home/Country${SHORT}`, { ...STORED, ...country }],
    [`Home/Lib.Office/Partner${SHORT}`, { ...STORED, ...partner }],
    [`Home/Lib.Office/Country${SHORT}`, { ...STORED, ...country }],
    [`Home/Lib.Depot/Country${SHORT}`, STORED],
    [`Home/Lib.Depot/Partner${SHORT}`, STORED],
    [`Home/Lib.Office/Contact/Agent${SHORT}`, { ...STORED, ...agent }],
    [
      `Home/Country${SHORT},Home/Lib.Office/Partner${SHORT},Home/Lib.Office/Contact/Agent${SHORT}`,
      { ...STORED, ...country, ...partner, ...agent },
    ],
  ])('=%s', async (path, home) => {
    const { status, value } = await get(`/People(1)?$expand=${path}`);
    expect([status, value]).toEqual([200, { ...person(1, 'Ann'), Home: home }]);
  });

  it('of references', async () => {
    const { value } = await get('/People(1)?$expand=Home/Lib.Office/Partner/$ref');
    expect(value.Home).toEqual({ ...STORED, Partner: { '@odata.id': `${desk.root}People(2)` } });
  });

  it('in a part writes the part once, and keeps a member of that name of another type', async () => {
    await send('PATCH', '/People(2)', { Home: { '@odata.type': '#Lib.Depot', Contact: 'x' } });
    const path = 'Home/Lib.Office/Contact/Agent($select=Name)';
    const { text, json } = await desk.get(`/People?$filter=Id lt 3&$expand=${path}`);
    expect(text.match(/"Contact":/g)).toHaveLength(2);
    expect(json.value.map((one: { Home: { Contact: unknown } }) => one.Home.Contact)).toEqual([
      { Phone: '7', Agent: expect.objectContaining({ Name: 'Cat' }) },
      'x',
    ]);
    expect((await send('DELETE', '/People(2)/Home')).status).toBe(204);
  });

  it('after the value itself', async () => {
    const expanded = await get(
      `/People(1)/Home?$expand=Country${SHORT},Lib.Office/Partner${SHORT}`,
    );
    expect(expanded.value).toEqual({ ...STORED, ...country, ...partner });
  });

  it('with $select', async () => {
    const select = 'Home/Street,Home/Lib.Office/Floor';
    const { value } = await get(
      `/People(1)?$select=${select}&$expand=Home/Lib.Office/Partner${SHORT}`,
    );
    expect(value.Home).toMatchObject({ Street: 'S', Floor: 3, ...partner });
    const other = await get(`/People(4)?$select=${select}&$expand=Home/Country${SHORT}`);
    expect(other.value.Home).toEqual({ Street: 'D', Country: { Id: 2, Name: 'C2' } });
  });

  it('of null and of other types', async () => {
    const { value } = await get(
      `/People?$filter=Id gt 3&$expand=Home/Country${SHORT},Home/Lib.Office/Contact/Agent`,
    );
    expect(value).toEqual([
      { ...person(4, 'Dan'), Home: { Street: 'D', Country: { Id: 2, Name: 'C2' } } },
      { ...person(5, 'Eve'), Home: null },
    ]);
  });
});

describe('Expressions follow relations', () => {
  it.each([
    ['$filter=Home/Country/Name eq %27C1%27', ['Ann']],
    ['$filter=Home/Lib.Office/Country/Name eq %27C2%27', []],
    ['$filter=Home/Lib.Office/Partner/Name eq %27Ben%27', ['Ann']],
    ['$filter=Home/Lib.Depot/Partner/Name eq %27C1%27', []],
    ['$filter=Home/Lib.Office/Contact/Agent/Name eq %27Cat%27', ['Ann']],
    ['$filter=Home/Country ne null&$orderby=Home/Country/Name desc', ['Dan', 'Ann']],
    ['$filter=Id lt 3&$orderby=Home/Lib.Office/Partner/Name desc', ['Ann', 'Ben']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual([200, expected]);
  });

  it('into collections', async () => {
    await send('PUT', '/People(1)/Home', {
      '@odata.type': '#Lib.Depot',
      'Visitors@odata.bind': ['People(2)', 'People(3)'],
    });
    expect(await names('$filter=Home/Lib.Depot/Visitors/any(v:v/Name eq %27Cat%27)')).toEqual([
      200,
      ['Ann'],
    ]);
    expect(await names('$filter=Home/Lib.Depot/Visitors/$count eq 2')).toEqual([200, ['Ann']]);
  });
});

describe('$ref', () => {
  it('sets and removes the relation, and changes the ETag', async () => {
    const tag = (await desk.get('/People(1)')).headers.etag;
    const path = '/People(1)/Home/Lib.Office/Partner/$ref';
    expect((await send('PUT', path, { '@odata.id': 'People(5)' })).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toEqual(person(5, 'Eve'));
    expect((await desk.get('/People(1)')).headers.etag).not.toBe(tag);
    expect((await send('DELETE', path)).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toBe(204);
    expect((await get('/People(1)/Home')).value).toEqual(STORED);
  });

  it('adds to a collection and removes from it', async () => {
    await send('PUT', '/People(1)/Home', { '@odata.type': '#Lib.Depot' });
    const path = '/People(1)/Home/Lib.Depot/Visitors';
    for (const id of [2, 3]) {
      expect((await send('POST', `${path}/$ref`, { '@odata.id': `People(${id})` })).status).toBe(
        204,
      );
    }
    expect(await related('Lib.Depot/Visitors')).toEqual([person(2, 'Ben'), person(3, 'Cat')]);
    expect((await send('DELETE', `${path}(2)/$ref`)).status).toBe(204);
    expect(await related('Lib.Depot/Visitors')).toEqual([person(3, 'Cat')]);
  });

  it.each([
    ['/People(1)/Home/Lib.Depot/Partner/$ref', 'Countries(1)', 'write.not-found'],
    ['/People(5)/Home/Country/$ref', 'Countries(1)', 'write.no-value'],
  ])('PUT %s needs a value of the type', async (path, id, code) => {
    const { status, json } = await send('PUT', path, { '@odata.id': id });
    expect([status, json.error.code]).toEqual([404, code]);
  });
});

describe('A change of the value', () => {
  it('without a relation keeps it', async () => {
    expect((await send('PATCH', '/People(1)', { Home: { Street: 'T' } })).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toEqual(person(2, 'Ben'));
    const { Floor: _, ...home } = STORED;
    expect((await send('PUT', '/People(1)/Home', home)).status).toBe(204);
    expect(await related('Country')).toEqual({ Id: 1, Name: 'C1' });
    expect(await related('Lib.Office/Partner')).toEqual(person(2, 'Ben'));
    expect(await related('Lib.Office/Contact/Agent')).toEqual(person(3, 'Cat'));
  });

  it.each([
    ['PATCH', '/People(1)', (value: object) => ({ Home: value })],
    ['PUT', '/People(1)', (value: object) => ({ Name: 'Ann', Home: value })],
    ['PATCH', '/People(1)/Home', (value: object) => value],
    ['PUT', '/People(1)/Home', (value: object) => value],
  ] as const)('by %s of %s sets relations', async (method, path, bodyOf) => {
    const typed = { '@odata.type': '#Lib.Office', 'Partner@odata.bind': 'People(5)' };
    expect((await send(method, path, bodyOf(typed))).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toEqual(person(5, 'Eve'));
    const cleared = { '@odata.type': '#Lib.Office', 'Partner@odata.bind': null };
    expect((await send(method, path, bodyOf(cleared))).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toBe(204);
  });

  it.each([
    ['PATCH', '/People(1)', (value: object) => ({ Home: value })],
    ['PUT', '/People(1)', (value: object) => ({ Name: 'Ann', Home: value })],
    ['PUT', '/People(1)/Home', (value: object) => value],
  ] as const)('by %s of %s to another type drops the relations of the old type', async (...row) => {
    const [method, path, bodyOf] = row;
    expect((await send(method, path, bodyOf({ '@odata.type': '#Lib.Depot' }))).status).toBe(204);
    expect(await related('Country')).toEqual({ Id: 1, Name: 'C1' });
    expect(await related('Lib.Depot/Partner')).toBe(204);
    expect((await send(method, path, bodyOf({ '@odata.type': '#Lib.Office' }))).status).toBe(204);
    expect(await related('Lib.Office/Partner')).toBe(204);
    expect(await names('$filter=Home/Lib.Office/Contact/Agent ne null')).toEqual([200, []]);
  });

  it('to null drops all relations', async () => {
    expect((await send('DELETE', '/People(1)/Home')).status).toBe(204);
    expect((await send('PATCH', '/People(1)', { Home: { Street: 'T' } })).status).toBe(204);
    expect(await related('Country')).toBe(204);
    expect(await names('$filter=Home/Country ne null')).toEqual([200, ['Dan']]);
  });

  it('to null of a part drops the relations of the part', async () => {
    const body = { Home: { '@odata.type': '#Lib.Office', Contact: null } };
    expect((await send('PATCH', '/People(1)', body)).status).toBe(204);
    await send('PATCH', '/People(1)', { Home: { ...body.Home, Contact: { Phone: '8' } } });
    expect(await related('Lib.Office/Contact/Agent')).toBe(204);
    expect(await related('Lib.Office/Partner')).toEqual(person(2, 'Ben'));
  });

  it('requires the relations of its type', async () => {
    const shop = { '@odata.type': '#Lib.Shop', Street: 'S' };
    for (const [method, path, body] of [
      ['PATCH', '/People(1)', { Home: shop }],
      ['PUT', '/People(1)/Home', shop],
      ['POST', '/People', { Id: 8, Home: shop }],
    ] as const) {
      const { status, json } = await send(method, path, body);
      expect([status, json.error.code, json.error.target]).toEqual([
        400,
        'write.required',
        'Home/Keeper',
      ]);
    }
    const kept = { ...shop, 'Keeper@odata.bind': 'People(5)' };
    expect((await send('PATCH', '/People(1)', { Home: kept })).status).toBe(204);
    expect(await related('Lib.Shop/Keeper')).toEqual(person(5, 'Eve'));
    expect((await send('DELETE', '/People(1)/Home/Lib.Shop/Keeper/$ref')).status).toBe(400);
  });
});

describe('A new entity', () => {
  it('has references and nested entities in its value', async () => {
    const home = {
      '@type': '#Lib.Office',
      Country: { '@id': 'Countries(2)' },
      Partner: { Id: 7, Name: 'Gil' },
      Contact: { Agent: { '@id': 'People(3)' } },
    };
    const { status, json } = await desk.send('POST', '/People', {
      headers: { 'odata-version': '4.01' },
      body: { Id: 6, Name: 'Fay', Home: home },
    });
    expect([status, json.Home.Partner]).toMatchObject([201, { Id: 7, Name: 'Gil' }]);
    const expand = 'Home/Country,Home/Lib.Office/Partner,Home/Lib.Office/Contact/Agent';
    const { value } = await get(`/People(6)?$expand=${expand}`);
    expect(value.Home).toMatchObject({
      Country: { Id: 2 },
      Partner: { Id: 7 },
      Contact: { Agent: { Id: 3 } },
    });
    for (const id of [6, 7]) expect((await send('DELETE', `/People(${id})`)).status).toBe(204);
  });

  it('cannot have relations that its type does not have', async () => {
    const home = { '@odata.type': '#Lib.Depot', 'Keeper@odata.bind': 'People(1)' };
    const { status, json } = await send('POST', '/People', { Id: 8, Home: home });
    expect([status, json.error.details[0].code]).toEqual([400, 'write.unknown-navigation']);
  });
});

describe('A deletion of the related entity', () => {
  it('sets the relation to null or deletes the entity, as the model states', async () => {
    for (const body of [
      { Id: 8, Name: 'Hal' },
      {
        Id: 9,
        Name: 'Ivy',
        Home: { '@odata.type': '#Lib.Office', 'Partner@odata.bind': 'People(8)' },
      },
    ]) {
      expect((await send('POST', '/People', body)).status).toBe(201);
    }
    expect((await send('DELETE', '/People(8)')).status).toBe(204);
    expect((await get('/People(9)')).status).toBe(404);
    expect((await send('POST', '/Countries', { Id: 3 })).status).toBe(201);
    await send('PATCH', '/People(1)', { Home: { 'Country@odata.bind': 'Countries(3)' } });
    expect((await send('DELETE', '/Countries(3)')).status).toBe(204);
    expect(await related('Country')).toBe(204);
    expect((await get('/People(1)/Home')).value).toEqual(STORED);
    expect((await send('DELETE', '/People(3)')).status).toBe(409);
  });
});

describe('A delta link', () => {
  it('reports changes of the relation and of the related entity', async () => {
    const expand =
      '/People?$select=Id&$filter=Id eq 1&$expand=Home/Lib.Office/Partner($select=Name)';
    const first = await desk.get(expand, { prefer: 'odata.track-changes' });
    const link = first.json['@odata.deltaLink'];
    expect(link).toBeDefined();
    await send('PUT', '/People(1)/Home/Lib.Office/Partner/$ref', { '@odata.id': 'People(5)' });
    const next = await desk.get(link);
    expect(next.json.value).toMatchObject([{ Home: { Partner: { Name: 'Eve' } } }]);
    await send('PATCH', '/People(5)', { Name: 'Eva' });
    const last = await desk.get(next.json['@odata.deltaLink']);
    expect(last.json.value[0]).toMatchObject({ Home: { Partner: { Name: 'Eva' } } });
    await send('PATCH', '/People(5)', { Name: 'Eve' });
  });
});
