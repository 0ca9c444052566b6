// This file uses keys whose properties are inside a complex value, by their aliases. OData CSDL 4.01, "Key"; URL Conventions, "Canonical
// URL".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lib.Desk',
  Lib: {
    Place: {
      $Kind: 'ComplexType',
      Wing: {},
      Number: { $Type: 'Edm.Int32' },
      Note: { $Nullable: true },
    },
    Room: {
      $Kind: 'EntityType',
      $Key: [{ Wing: 'At/Wing' }, { No: 'At/Number' }],
      At: { $Type: 'Lib.Place' },
      Name: { $Nullable: true },
      Next: { $Kind: 'NavigationProperty', $Type: 'Lib.Room', $Nullable: true },
    },
    Desk: {
      $Kind: 'EntityContainer',
      Rooms: {
        $Collection: true,
        $Type: 'Lib.Room',
        $NavigationPropertyBinding: { Next: 'Rooms' },
      },
    },
  },
};

let desk: Desk;
beforeAll(async () => {
  const Rooms = [{ At: { Wing: 'A', Number: 1n }, Name: 'a' }];
  desk = await openForeignDesk(readCsdl(model).definition, { Rooms });
});
afterAll(async () => {
  await desk?.close();
});

const ROOM = "/Rooms(Wing='B',No=2)";
const at = async (path: string) => (await desk.get(path)).json?.At;

describe('A key inside a complex property', () => {
  it('addresses a new entity and its relations', async () => {
    const body = { At: { Wing: 'B', Number: 2 }, 'Next@odata.bind': "Rooms(Wing='A',No=1)" };
    const { status, headers } = await desk.send('POST', '/Rooms', { body });
    expect([status, headers.location]).toEqual([201, `${desk.root}Rooms(Wing='B',No=2)`]);
    expect((await desk.get(`${ROOM}/Next/Name/$value`)).text).toBe('a');
    expect(await at('/Rooms/B/2')).toMatchObject({ Wing: 'B', Number: 2 });
    const { json } = await desk.get("/Rooms?$filter=Next/At/Wing eq 'A'&$expand=Next");
    expect(json.value.map(({ Next }: { Next: { Name: string } }) => Next.Name)).toEqual(['a']);
  });

  it.each([
    ['PATCH', ROOM, { Name: 'z', At: { Wing: 'Q', Note: 'n' } }],
    ['PUT', ROOM, { Name: 'z', At: { Wing: 'Q', Number: 7, Note: 'n' } }],
    ['PATCH', `${ROOM}/At`, { Wing: 'Q', Note: 'n' }],
    ['PUT', `${ROOM}/At`, { Wing: 'Q', Number: 7, Note: 'n' }],
  ])('is ignored by %s %s', async (method, path, body) => {
    expect((await desk.send(method, path, { body })).status).toBe(204);
    expect(await at(ROOM)).toEqual({ Wing: 'B', Number: 2, Note: 'n' });
  });

  it.each([
    ['PUT', `${ROOM}/At/Wing`, { value: 'X' }, 400, 'write.read-only'],
    ['POST', '/Rooms', { At: { Wing: 'B', Number: 2 } }, 409, 'store.unique'],
    ['POST', '/Rooms', { At: { Wing: 'B' } }, 400, 'write.body'],
    ['POST', '/Rooms', {}, 400, 'write.body'],
  ])('%s %s %j is rejected', async (method, path, body, status, code) => {
    const answer = await desk.send(method, path, { body });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it('is taken from the URL of an update that creates the entity', async () => {
    for (const [method, number] of [
      ['PUT', 3],
      ['PATCH', 4],
    ] as const) {
      const path = `/Rooms(Wing='C',No=${number})`;
      expect((await desk.send(method, path, { body: { Name: 'c' } })).status).toBe(201);
      expect(await at(path)).toMatchObject({ Wing: 'C', Number: number });
    }
  });
});

describe('The model check rejects', () => {
  const messages = async (types: object) => {
    const { definition } = readCsdl(JSON.parse(JSON.stringify({ ...model, Lib: types })));
    const fault = await openForeignDesk(definition, {}).catch((error: unknown) => error);
    return JSON.stringify(fault);
  };

  it('keys inside a value whose type has derived types', async () => {
    const Shelf = { $Kind: 'ComplexType', $BaseType: 'Lib.Place' };
    expect(await messages({ ...model.Lib, Shelf })).toContain('cannot be part of a key');
  });

  const BASE = { $Type: 'Lib.Base', $Nullable: true };
  it.each([
    ['a collection', { $Type: 'Lib.Derived', $Collection: true }, {}, 'Inside is a collection'],
    ['a value that can contain itself', BASE, { Inner: BASE }, 'Inside can contain itself'],
  ])('relations inside %s', async (_, property, members, reason) => {
    const Base = { $Kind: 'ComplexType', Text: { $Nullable: true } };
    const Room = { $Kind: 'NavigationProperty', $Type: 'Lib.Room', $Nullable: true };
    const Derived = { $Kind: 'ComplexType', $BaseType: 'Lib.Base', Room, ...members };
    const types = { ...model.Lib, Base, Derived, Room: { ...model.Lib.Room, Inside: property } };
    const found = await messages(types);
    const message = `The navigation property Lib.Derived/Room is not supported here, since ${reason}.`;
    expect(found).toContain(message);
  });
});
