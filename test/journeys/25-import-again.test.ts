// This file imports exports of the zoo again: places and untyped values, which are JSON in cells, and contained records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk, DeskAnswer } from './desk.ts';
import { openZoo } from './zoo.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const SPOT = { type: 'Point', coordinates: [4.9, 52.37] };
const ROUTE = {
  type: 'LineString',
  coordinates: [
    [0, 0],
    [0, 1.5],
  ],
};
const ANY = [{ a: [1, 'x'] }, ['a'], 'a, "b"', '=1+1', '12', 12, -1.5, true, null, '{', ''];

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  for (const [index, Anything] of ANY.entries()) {
    const places = index === 0 ? { Spot: SPOT, Route: ROUTE, Shape: SPOT, Plan: SPOT } : {};
    const body = { Words: `any ${index}`, Anything, ...places };
    expect((await zoo.send('POST', '/Samples', { body })).status).toBe(201);
  }
});
afterAll(async () => await zoo?.close());

const EXPORT =
  "/Samples?$filter=startswith(Words,'any ')&$orderby=Id&$select=Id,Words,Spot,Route,Shape,Plan,Anything";

async function upload(path: string, type: string, body: string | Buffer): Promise<DeskAnswer> {
  const [set, query = 'mode=insert'] = path.split('?');
  const headers = { 'content-type': type };
  return await zoo.send('POST', `${set}/Docket.System.Import?${query}`, { headers, body });
}

async function samples(prefix: string): Promise<readonly Record<string, unknown>[]> {
  const filter = encodeURIComponent(`startswith(Words,'${prefix} ')`);
  const { json } = await zoo.get(`/Samples?$filter=${filter}&$orderby=Id`);
  return json.value;
}

const nothing = { created: 0, updated: 0, unchanged: 0, failed: 0 };

describe('places and untyped values of an export', () => {
  it.each([
    ['csv', 'text/csv'],
    ['csv;headings=labels', 'text/csv'],
    ['xlsx', XLSX],
  ])('change nothing if they are imported again: %s', async (format, type) => {
    const { bytes } = await zoo.get(`${EXPORT}&$format=${format}`);
    const { status, text, json } = await upload('/Samples?mode=update', type, bytes);
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ ...nothing, unchanged: ANY.length });
  });

  it('create the same records; texts that are JSON need quotes', async () => {
    const { text } = await zoo.get(`${EXPORT}&$format=csv`);
    const others = text.replace(/^\d*,any /gm, ',new ').replace(/^Id,/, 'Id,');
    const { status, text: answer } = await upload('/Samples', 'text/csv', others);
    expect(status, answer).toBe(200);
    const created = await samples('new');
    expect(created[0]).toMatchObject({ Spot: SPOT, Route: ROUTE, Shape: SPOT });
    const read = ANY.map((value) => (value === '12' ? 12 : value));
    expect(created.map(({ Anything }) => Anything)).toEqual(read);
    const quoted = 'Words,Anything\r\nquoted one,"""12"""\r\n';
    expect((await upload('/Samples', 'text/csv', quoted)).json).toMatchObject({ created: 1 });
    expect((await samples('quoted'))[0]).toMatchObject({ Anything: '12' });
  });

  it('can be edited', async () => {
    const [first] = await samples('any');
    const edited = `Id,Spot,Anything\r\n${first?.Id},"{""type"":""Point"",""coordinates"":[5,6]}","[1]"\r\n`;
    const { json } = await upload('/Samples?mode=update', 'text/csv', edited);
    expect(json).toMatchObject({ ...nothing, updated: 1 });
    const [after] = await samples('any');
    expect(after).toMatchObject({ Spot: { coordinates: [5, 6] }, Route: ROUTE, Anything: [1] });
  });

  it.each([['here'], ['{"type":"Point"'], ['[1,2]'], ['12']])(
    'are rejected in the cell if they are no place: %s',
    async (cell) => {
      const rows = `Words,Spot\r\nx,"${cell.replaceAll('"', '""')}"\r\n`;
      const { status, json } = await upload('/Samples', 'text/csv', rows);
      expect(status).toBe(400);
      const [detail] = json.error.details;
      expect([detail.code, detail.target]).toEqual(['write.value', 'row 2: Spot']);
      expect(detail.message).toContain('GeoJSON');
    },
  );
});

describe('columns of a contained record', () => {
  it('must be as stored', async () => {
    const chip = { Name: 'Chipped', Size: { Value: 2 }, Chip: { Serial: 'C-1' } };
    const made = await zoo.send('POST', '/Animals', { body: chip });
    expect(made.status, made.text).toBe(201);
    const path = `/Animals?$filter=Id eq ${made.json.Id}&$select=Id,Name&$expand=Chip&$format=csv`;
    const { text } = await zoo.get(path);
    expect(text).toContain('Chip/Serial');
    const same = await upload('/Animals?mode=update', 'text/csv', text);
    expect(same.json).toMatchObject({ ...nothing, unchanged: 1 });
    const other = text.replace('C-1', 'C-2');
    const { json } = await upload('/Animals?mode=update', 'text/csv', other);
    expect(json.error.details[0]).toMatchObject({
      ...{ code: 'import.related', target: 'row 2: Chip/Serial' },
      message: expect.stringContaining('Create or change Chip by a request of its own.'),
    });
  });
});

describe('columns without single values are rejected with the reason', () => {
  it.each([
    ['/Samples', 'Numbers', 'Numbers is a collection. Cells have single values: use NDJSON'],
    ['/Samples', 'Scan', 'Scan is a stream. Upload its content to its own URL.'],
    ['/Animals', 'Keepers/Name', 'Keepers has several entities. Cells have single values'],
    ['/Animals', 'Chip', 'It is a navigation property. Create or change Chip by a request'],
    [
      '/Animals',
      'Chip@odata.bind',
      'Chip is contained in its record, and cannot be set to another',
    ],
  ])('of %s: %s', async (set, column, reason) => {
    const { status, json } = await upload(set, 'text/csv', `${column}\r\nx\r\n`);
    expect(status).toBe(400);
    const [{ code, message }] = json.error.details;
    expect(code).toBe('import.column');
    expect(message).toContain(reason);
  });
});

it('dynamic properties and their types change only where they differ', async () => {
  const typed = { 'Since@odata.type': '#Date', Since: '2026-01-01', Tags: ['a'], Box: { A: 1 } };
  const { json: made } = await zoo.send('POST', '/Oddities', { body: { Name: 'Odd', ...typed } });
  const path = `/Oddities(${made.Id})`;
  const again = async (line: object) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = JSON.stringify({ Id: made.Id, ...line });
    const url = '/Oddities/Docket.System.Import?mode=update';
    const { json } = await zoo.send('POST', url, { headers, body });
    return [json.updated, json.unchanged];
  };
  expect(await again(typed)).toEqual([0, 1]);
  expect(await again({ Since: '2026-01-01', More: 1 })).toEqual([1, 0]);
  expect((await zoo.get(path)).json).toMatchObject({ ...typed, More: 1 });
  expect(await again({ ...typed, Since: '2026-01-02' })).toEqual([1, 0]);
  expect((await zoo.get(path)).json).toMatchObject({ ...typed, Since: '2026-01-02', More: 1 });
  const guid = '01234567-89ab-cdef-0123-456789abcdef';
  expect(await again({ 'Since@odata.type': '#Guid', Since: guid })).toEqual([1, 0]);
  expect((await zoo.get(path)).json).toMatchObject({ 'Since@odata.type': '#Guid', Since: guid });
  await zoo.send('DELETE', path);
});

describe('dynamic properties in tables', () => {
  const values = { Colour: 'red', Size: 2.5, Box: { A: 1 } };
  const NAMES = 'Name,Colour,Size,Box';
  const kept = async () =>
    (await zoo.get(`/Oddities?$filter=Name eq 'Boxed'&$select=${NAMES}`)).json.value;
  beforeAll(async () => {
    await zoo.send('POST', '/Oddities', { body: { Name: 'Boxed', ...values } });
  });

  it.each([
    ['csv', 'text/csv'],
    ['xlsx', XLSX],
  ])('change nothing if they are imported again: %s', async (format, type) => {
    const query = `$filter=Name eq 'Boxed'&$select=Id,${NAMES}&$format=${format}`;
    const { bytes } = await zoo.get(`/Oddities?${query}`);
    const { json } = await upload('/Oddities?mode=update', type, bytes);
    expect(json).toMatchObject({ ...nothing, unchanged: 1 });
  });

  it('create the same records, and can be edited and removed', async () => {
    const { text } = await zoo.get(
      `/Oddities?$filter=Name eq 'Boxed'&$select=${NAMES}&$format=csv`,
    );
    expect((await upload('/Oddities', 'text/csv', text)).json).toMatchObject({ created: 1 });
    expect(await kept()).toMatchObject([values, values]);
    const { json } = await zoo.get("/Oddities?$filter=Name eq 'Boxed'&$select=Id&$orderby=Id desc");
    const rows = `Id,Colour,Size\r\n${json.value[0].Id},green,\r\n`;
    const edited = await upload('/Oddities?mode=update', 'text/csv', rows);
    expect(edited.json).toMatchObject({ ...nothing, updated: 1 });
    const [, after] = await kept();
    expect([after.Colour, after.Size ?? null, after.Box]).toEqual(['green', null, { A: 1 }]);
  });

  it('have no columns in other values', async () => {
    for (const column of ['First/Extra', 'Box/A']) {
      const { json } = await upload('/Oddities', 'text/csv', `${column}\r\nx\r\n`);
      expect(json.error.details[0].message).toContain('use NDJSON for such records');
    }
  });
});
