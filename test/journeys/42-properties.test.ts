// This file writes properties by their own addresses: primitive values, complex ones, collections, and raw values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { entityTag } from './etags.ts';
import { REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
let zoo: Desk;
beforeAll(async () => {
  desk = await openDesk();
  zoo = await openZoo();
});
afterAll(async () => {
  await desk.close();
  await zoo.close();
});

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
const TEXT = { 'content-type': 'text/plain' };
const PERSON = '/Persons(31)';
const request = `/ServiceRequests(${REQUEST})`;

async function status(on: Desk, method: string, path: string, message = {}): Promise<number> {
  return (await on.send(method, path, message)).status;
}

const stored = async (path: string) => (await desk.get(path)).json?.value;

describe('A primitive property', () => {
  it('is set by PUT: 204, or 200 with the value where that is preferred', async () => {
    const path = `${PERSON}/Jobtitle`;
    expect(await status(desk, 'PUT', path, { body: { value: 'Cook' } })).toBe(204);
    expect(await stored(path)).toBe('Cook');
    const shown = await desk.send('PUT', path, {
      body: { value: 'Baker' },
      headers: { prefer: 'return=representation' },
    });
    expect([shown.status, shown.json.value]).toEqual([200, 'Baker']);
    expect(shown.headers['preference-applied']).toBe('return=representation');
    expect(shown.headers.etag).toBe(entityTag((await desk.get(PERSON)).headers.etag));
  });

  it('is refused where the body says more than the value', async () => {
    const path = `${PERSON}/Jobtitle`;
    const before = await stored(path);
    const answer = await desk.send('PUT', path, { body: { value: 'Cook', Jobtitle: 'Baker' } });
    expect([answer.status, answer.json.error.details]).toMatchObject([
      400,
      [{ code: 'write.unknown-property', target: 'Jobtitle' }],
    ]);
    expect(await stored(path)).toBe(before);
    const annotated = { '@odata.context': 'x', value: before };
    expect(await status(desk, 'PUT', path, { body: annotated })).toBe(204);
  });

  it('is set by its raw value', async () => {
    const path = `${PERSON}/Jobtitle`;
    const message = { body: 'Gärtner "1"', headers: TEXT };
    expect(await status(desk, 'PUT', `${path}/$value`, message)).toBe(204);
    expect((await desk.get(`${path}/$value`)).text).toBe('Gärtner "1"');
  });

  it('is emptied by DELETE, by its address or that of its raw value', async () => {
    const path = `${PERSON}/Jobtitle`;
    for (const address of [path, `${path}/$value`]) {
      await desk.send('PUT', path, { body: { value: 'Cook' } });
      expect(await status(desk, 'DELETE', address), address).toBe(204);
      expect(await status(desk, 'GET', path), address).toBe(204);
    }
  });

  it.each([
    ['PUT', `${request}/Description`, { body: { value: null } }, 400],
    ['DELETE', `${request}/Description`, {}, 400],
    ['PUT', `${request}/Deadline`, { body: { value: 'tomorrow' } }, 400],
    ['PUT', `${request}/Description`, { body: { Value: 'x' } }, 400],
    ['PUT', `${request}/Description`, { body: 'x', headers: { 'content-type': 'text/xml' } }, 415],
    ['PUT', `${request}/Descripton`, { body: { value: 'x' } }, 404],
    ['DELETE', `${request}/Descripton`, {}, 404],
    ['PUT', `${request}/Uid`, { body: { value: 5 } }, 400],
    ['PUT', '/ServiceRequests(1)/Description', { body: { value: 'x' } }, 404],
    ['POST', `${request}/Description`, { body: { value: 'x' } }, 405],
  ])('%s %s is refused', async (method, path, message, expected) => {
    const before = (await desk.get(request)).text;
    const answer = await desk.send(method, path, message);
    expect([answer.status, answer.json?.error?.code === undefined]).toEqual([expected, false]);
    expect((await desk.get(request)).text).toBe(before);
  });

  it('is changed only where If-Match says the version of its record', async () => {
    const message = { body: { value: 'Never' }, headers: { 'if-match': 'W/"99999"' } };
    expect(await status(desk, 'PUT', `${request}/Solution`, message)).toBe(412);
    const { etag } = (await desk.get(request)).headers;
    const current = { body: { value: 'Now' }, headers: { 'if-match': String(etag) } };
    expect(await status(desk, 'PUT', `${request}/Solution`, current)).toBe(204);
    expect(await stored(`${request}/Solution`)).toBe('Now');
  });
});

describe('A complex property', () => {
  it('a code is changed by PATCH and by PUT, by Value or Text', async () => {
    expect(await status(desk, 'PATCH', `${request}/Status`, { body: { Value: 101009 } })).toBe(204);
    expect((await desk.get(`${request}/Status`)).json.Value).toBe(101009);
    expect(await status(desk, 'PUT', `${request}/Status`, { body: { Text: 'In progress' } })).toBe(
      204,
    );
    expect((await desk.get(`${request}/Status`)).json).toMatchObject({ Value: 101003 });
    expect(await status(desk, 'PUT', `${request}/Status`, { body: { Value: 5 } })).toBe(400);
  });

  it('PATCH merges its members, PUT replaces them all, DELETE empties it', async () => {
    const made = await zoo.send('POST', '/Animals', {
      body: {
        Name: 'Kea',
        '@odata.type': '#Odd.Zoo.Bird',
        Care: { Room: { Name: 'A', Floor: 1 } },
      },
    });
    expect(made.status, made.text).toBe(201);
    const care = `/Animals(${made.json.Id})/Care`;
    expect(await status(zoo, 'PATCH', care, { body: { Room: { Floor: 2 } } })).toBe(204);
    expect((await zoo.get(care)).json.Room).toMatchObject({ Name: 'A', Floor: 2 });
    expect(await status(zoo, 'PUT', care, { body: { Room: { Name: 'B' } } })).toBe(204);
    expect((await zoo.get(care)).json.Room).toMatchObject({ Name: 'B', Floor: null });
    expect(await status(zoo, 'PATCH', `${care}/Room`, { body: { Floor: 3 } })).toBe(204);
    expect((await zoo.get(`${care}/Room/Floor`)).json.value).toBe(3);
    expect(await status(zoo, 'DELETE', care)).toBe(204);
    expect(await status(zoo, 'GET', care)).toBe(204);
  });

  it('an unknown member is refused with its name', async () => {
    const { json } = await desk.send('PATCH', `${request}/Assignment`, { body: { Nobody: 1 } });
    expect(json.error.target).toBe('Assignment/Nobody');
  });
});

describe('A collection of values', () => {
  it('is replaced by PUT, added to by POST, emptied by DELETE; PATCH is not for it', async () => {
    const made = await zoo.send('POST', '/Animals', { body: { Name: 'Kea', Nicknames: ['a'] } });
    const path = `/Animals(${made.json.Id})/Nicknames`;
    const names = async () => (await zoo.get(path)).json.value;
    expect(await status(zoo, 'PUT', path, { body: { value: ['b', 'c'] } })).toBe(204);
    expect(await names()).toEqual(['b', 'c']);
    expect(await status(zoo, 'POST', path, { body: { value: 'd' } })).toBe(204);
    expect(await names()).toEqual(['b', 'c', 'd']);
    expect(
      await status(zoo, 'POST', `${path}?$index=0`, { body: { value: 'a' }, headers: V401 }),
    ).toBe(204);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
    expect(await status(zoo, 'PATCH', path, { body: { value: ['x'] } })).toBe(405);
    expect(await status(zoo, 'DELETE', path)).toBe(204);
    expect(await names()).toEqual([]);
  });

  it('items of the wrong type are refused, and nothing is changed', async () => {
    const made = await zoo.send('POST', '/Animals', { body: { Name: 'Kea', Nicknames: ['a'] } });
    const path = `/Animals(${made.json.Id})/Nicknames`;
    expect(await status(zoo, 'PUT', path, { body: { value: ['b', 5] } })).toBe(400);
    expect(await status(zoo, 'POST', path, { body: { value: 'x'.repeat(31) } })).toBe(400);
    expect(await status(zoo, 'PUT', `${path}/0`, { body: { value: ['b', 'c'] } })).toBe(400);
    expect((await zoo.get(path)).json.value).toEqual(['a']);
  });
});
