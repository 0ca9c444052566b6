// This file writes complex properties whose type has derived types. OData 4.01 Protocol, "Update a Complex Property"; JSON, "Control
// Information: type".
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const INT = { $Type: 'Edm.Int32', $Nullable: true };

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Address: { $Kind: 'ComplexType', Street: { $Nullable: true } },
    Postal: { $Kind: 'ComplexType', $BaseType: 'Lib.Address', Box: INT },
    Visit: {
      $Kind: 'ComplexType',
      $BaseType: 'Lib.Address',
      Floor: { $Type: 'Edm.Int32' },
      Doors: { $Collection: true },
      Room: { $DefaultValue: 'Hall' },
    },
    Loose: { $Kind: 'ComplexType', $BaseType: 'Lib.Address', $OpenType: true, Size: INT },
    Person: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Home: { $Type: 'Lib.Address', $Nullable: true },
    },
    Desk: { $Kind: 'EntityContainer', People: { $Collection: true, $Type: 'Lib.Person' } },
  },
};

let desk: Desk;
beforeAll(async () => {
  desk = await openForeignDesk(readCsdl(model).definition, { People: [{ Id: 1n }] });
});
afterAll(async () => {
  await desk?.close();
});

const visit = { '@odata.type': '#Lib.Visit', Street: 'S', Floor: 3, Doors: ['a'], Room: 'R' };
beforeEach(async () => {
  expect((await desk.send('PUT', '/People(1)/Home', { body: visit })).status).toBe(204);
});

const home = async (path = '/People(1)/Home') => {
  const { '@odata.context': _, ...value } = (await desk.get(path)).json;
  return value;
};

describe.each([
  ['/People(1)', (value: object) => ({ Home: value })],
  ['/People(1)/Home', (value: object) => value],
] as const)('PATCH %s', (path, bodyOf) => {
  const patch = async (value: object) => await desk.send('PATCH', path, { body: bodyOf(value) });

  it('without a type keeps the type and the other members', async () => {
    expect((await patch({ Street: 'T' })).status).toBe(204);
    expect(await home()).toEqual({ ...visit, Street: 'T' });
  });

  it('with the stored type keeps the other members', async () => {
    expect((await patch({ '@odata.type': '#Lib.Visit', Floor: 4 })).status).toBe(204);
    expect(await home()).toEqual({ ...visit, Floor: 4 });
  });

  it('with another type keeps the members that both have', async () => {
    expect((await patch({ '@odata.type': '#Lib.Postal', Box: 7 })).status).toBe(204);
    expect(await home()).toEqual({ '@odata.type': '#Lib.Postal', Street: 'S', Box: 7 });
    expect((await patch({ '@odata.type': '#Lib.Address' })).status).toBe(204);
    expect(await home()).toEqual({ Street: 'S' });
    expect((await patch({ '@odata.type': '#Lib.Visit', Floor: 1 })).status).toBe(204);
    expect(await home()).toEqual({ ...visit, Floor: 1, Doors: [], Room: 'Hall' });
  });

  it('with another type requires its required members', async () => {
    expect((await patch({ '@odata.type': '#Lib.Postal' })).status).toBe(204);
    const { status, json } = await patch({ '@odata.type': '#Lib.Visit', Room: 'X' });
    expect([status, json.error.code, json.error.target]).toEqual([
      400,
      'write.required',
      'Home/Floor',
    ]);
    expect((await home())['@odata.type']).toBe('#Lib.Postal');
  });

  it('keeps undeclared members of an open type', async () => {
    expect((await patch({ '@odata.type': '#Lib.Loose', Size: 2, Note: 'n' })).status).toBe(204);
    expect((await patch({ '@odata.type': '#Lib.Loose', Size: 3 })).status).toBe(204);
    expect(await home()).toEqual({
      '@odata.type': '#Lib.Loose',
      Street: 'S',
      Size: 3,
      Note: 'n',
    });
  });

  it('of a value that is null gives it the type', async () => {
    expect((await desk.send('DELETE', '/People(1)/Home')).status).toBe(204);
    expect((await patch({ '@odata.type': '#Lib.Visit', Floor: 4 })).status).toBe(204);
    expect(await home()).toEqual({
      '@odata.type': '#Lib.Visit',
      Street: null,
      Floor: 4,
      Doors: [],
      Room: 'Hall',
    });
  });

  it.each([
    [{ Floor: 4 }, 'write.unknown-property'],
    [{ '@odata.type': '#Lib.Postal', Floor: 4 }, 'write.unknown-property'],
    [{ '@odata.type': '#Lib.Person' }, 'write.type'],
  ])('%j is rejected', async (value, code) => {
    const { status, json } = await patch(value);
    expect([status, json.error.details[0].code]).toEqual([400, code]);
    expect(await home()).toEqual(visit);
  });
});

describe('A cast of the value', () => {
  const path = '/People(1)/Home/Lib.Visit';

  it('is read if the value has the type', async () => {
    const { json } = await desk.get(path);
    expect(json).toEqual({ '@odata.context': `${desk.root}$metadata#${path.slice(1)}`, ...visit });
    expect((await desk.get('/People(1)/Home/Lib.Postal')).status).toBe(404);
    expect((await desk.get(`${path}/Floor`)).json['@odata.context']).toBe(
      `${desk.root}$metadata#${path.slice(1)}/Floor`,
    );
  });

  it('is changed without a type in the body', async () => {
    expect((await desk.send('PATCH', path, { body: { Floor: 4 } })).status).toBe(204);
    expect(await home()).toEqual({ ...visit, Floor: 4 });
    expect((await desk.send('PUT', path, { body: { Floor: 5, Doors: [] } })).status).toBe(204);
    expect(await home()).toEqual({
      '@odata.type': '#Lib.Visit',
      Street: null,
      Floor: 5,
      Doors: [],
      Room: 'Hall',
    });
    const other = { '@odata.type': '#Lib.Postal', Box: 1 };
    expect((await desk.send('PATCH', path, { body: other })).status).toBe(400);
    expect((await desk.send('PUT', path, { body: other })).status).toBe(400);
    const wrong = await desk.send('PATCH', '/People(1)/Home/Lib.Postal', { body: { Box: 1 } });
    expect(wrong.status).toBe(404);
  });

  it('does not exist for null', async () => {
    expect((await desk.send('DELETE', '/People(1)/Home')).status).toBe(204);
    expect((await desk.get(path)).status).toBe(404);
    expect((await desk.send('PATCH', path, { body: { Floor: 4 } })).status).toBe(404);
  });
});

describe('PATCH of an entity that does not exist creates it', () => {
  it.each([
    [{ Street: 'T' }, { Street: 'T' }],
    [
      { '@odata.type': '#Lib.Visit', Floor: 4 },
      { '@odata.type': '#Lib.Visit', Street: null, Floor: 4, Doors: [], Room: 'Hall' },
    ],
  ])('with %j', async (value, expected) => {
    expect((await desk.send('PATCH', '/People(9)', { body: { Home: value } })).status).toBe(201);
    expect(await home('/People(9)/Home')).toEqual(expected);
    expect((await desk.send('DELETE', '/People(9)')).status).toBe(204);
  });
});

describe('Expressions reach members of derived types', () => {
  it.each([
    ['$filter=Home/Lib.Visit/Floor eq 3', 1],
    ['$filter=Home/Lib.Postal/Box eq null', 1],
    ['$filter=isof(Home,Lib.Visit)', 1],
    ['$filter=isof(Home,Lib.Postal)', 0],
    ['$filter=Home/Lib.Visit/Doors/any(d:d eq %27a%27)', 1],
    ['$orderby=Home/Lib.Visit/Floor desc', 1],
  ])('%s', async (query, count) => {
    const { status, json } = await desk.get(`/People?${query}`);
    expect([status, json.value?.length]).toEqual([200, count]);
  });
});
