// This file asks for bytes of files inside records: stream properties and media entities that $expand names. OData JSON Format 4.01,
// "Stream Property", "Media Entity"; OData URL Conventions 4.01, "System Query Option $expand".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INLINE_BYTES_LIMIT } from '../../src/service/files/inline-streams.ts';
import { type Desk, openDesk } from './desk.ts';
import { sha256 } from './files.ts';
import { ask } from './query.ts';
import { REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let desk: Desk;
const keepers: string[] = [];
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
  const { json } = await ask(zoo, 'Keepers', '$orderby=Name&$select=Id');
  keepers.push(...json.value.map(({ Id }: { Id: number }) => `/Keepers(${Id})`));
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

async function store(path: string, type: string, bytes: Uint8Array | string): Promise<void> {
  const message = { headers: { 'content-type': type }, body: Buffer.from(bytes) };
  expect((await zoo.send('PUT', path, message)).status).toBe(204);
}

const RAW = Uint8Array.from([0, 255, 254, 62, 63, 1, 34]);

describe('a stream property', () => {
  it('stands in its entity, beside what tells of it; null where nothing is stored', async () => {
    await store(`${keepers[0]}/Portrait`, 'image/png', RAW);
    const { status, json, text } = await ask(zoo, 'Keepers', '$expand=Portrait&$orderby=Name');
    expect(status).toBe(200);
    expect(json.value.map((one: { Portrait: unknown }) => one.Portrait)).toEqual([
      Buffer.from(RAW).toString('base64url'),
      null,
      null,
    ]);
    expect(json.value[0]).toMatchObject({
      Name: 'Ann',
      'Portrait@odata.mediaContentType': 'image/png',
      'Portrait@odata.mediaReadLink': expect.stringMatching(/\/Portrait$/),
    });
    expect(text.match(/"Portrait@odata.mediaContentType"/g)).toHaveLength(1);
    expect(text).not.toContain('\u0001');
  });

  it.each([
    ['text/plain', 'Grüße "x"\n', 'Grüße "x"\n', undefined],
    ['text/plain;charset=utf-8', '', '', undefined],
    ['application/json', ' {"a":[1.10,9007199254740993]} ', expect.anything(), undefined],
    ['application/geo+json', 'true', true, undefined],
    ['application/json', '{"a":', Buffer.from('{"a":').toString('base64url'), '#Binary'],
    ['text/plain', RAW, Buffer.from(RAW).toString('base64url'), '#Binary'],
    ['text/plain;charset=iso-8859-1', 'abc', 'YWJj', '#Binary'],
    ['application/pdf', 'abc', 'YWJj', undefined],
  ])('of type %s with %j is %j', async (type, bytes, expected, coded) => {
    await store(`${keepers[1]}/Portrait`, type, bytes);
    const { json } = await zoo.get(`${keepers[1]}?$expand=Portrait&$select=Id,Name`);
    expect(json.Portrait).toEqual(expected);
    expect(json['Portrait@odata.type']).toBe(coded);
    expect(json['Portrait@odata.mediaContentType']).toBe(type);
  });

  it('keeps JSON digit for digit', async () => {
    await store(`${keepers[1]}/Portrait`, 'application/json', '{"a":9007199254740993.10}');
    const { text } = await zoo.get(`${keepers[1]}?$expand=Portrait`);
    expect(text).toContain('"Portrait":{"a":9007199254740993.10}');
  });

  it('is named as the version and the metadata level have it', async () => {
    const accept = 'application/json;metadata=full';
    const full = await zoo.get(`${keepers[0]}?$expand=Portrait`, {
      accept,
      'odata-maxversion': '4.01',
    });
    expect(full.json).toMatchObject({
      Portrait: Buffer.from(RAW).toString('base64url'),
      'Portrait@mediaContentType': 'image/png',
      'Portrait@mediaEtag': `"${sha256(Buffer.from(RAW))}"`,
    });
    const none = await zoo.get(`${keepers[0]}?$expand=Portrait`, {
      accept: 'application/json;odata.metadata=none',
    });
    expect(Object.keys(none.json).filter((name) => name.includes('@'))).toEqual([
      'Portrait@odata.mediaContentType',
    ]);
  });

  it('stands in nested entities, once for each', async () => {
    const query =
      "$filter=Name eq 'Polly'&$select=Id&$expand=Keepers($expand=Portrait;$select=Name)";
    const { json } = await ask(zoo, 'Animals', query);
    const [ann] = json.value[0].Keepers;
    expect(ann).toMatchObject({ Name: 'Ann', Portrait: Buffer.from(RAW).toString('base64url') });
  });

  it('is always the newest, and comes in batches', async () => {
    const url = `${keepers[2]}?$expand=Portrait`.slice(1);
    for (const bytes of ['one', 'two', 'two', 'three']) {
      await store(`${keepers[2]}/Portrait`, 'text/plain', bytes);
      expect((await zoo.get(`/${url}`)).json.Portrait).toBe(bytes);
      expect(
        (await ask(zoo, 'Keepers', '$expand=Portrait&$filter=Badge eq 3')).json.value[0].Portrait,
      ).toBe(bytes);
    }
    const batch = await zoo.send('POST', '/$batch', {
      body: { requests: [{ id: '1', method: 'get', url }] },
    });
    expect(batch.json.responses[0].body.Portrait).toBe('three');
  });

  it('cannot be told from what somebody has written', async () => {
    const mark = `\u0001{"name":"X","typeName":"Y","file":{"key":"k","size":1}}\u0001`;
    const patch = await zoo.send('PATCH', String(keepers[0]), {
      body: { Name: mark.slice(0, 60) },
    });
    expect(patch.status).toBe(204);
    const { status, json } = await zoo.get(`${keepers[0]}?$expand=Portrait`);
    expect([status, json.Name]).toEqual([200, mark.slice(0, 60)]);
    await zoo.send('PATCH', String(keepers[0]), { body: { Name: 'Ann' } });
  });

  it('is too large for an answer: 413, with both sizes', async () => {
    const half = Buffer.alloc(INLINE_BYTES_LIMIT / 2 + 1, 7);
    await store(`${keepers[0]}/Portrait`, 'image/png', half);
    expect((await zoo.get(`${keepers[0]}?$expand=Portrait`)).status).toBe(200);
    await store(`${keepers[1]}/Portrait`, 'image/png', half);
    const { status, json } = await ask(zoo, 'Keepers', '$expand=Portrait');
    expect([status, json.error.code, json.error.message]).toEqual([
      413,
      'file.shown',
      expect.stringContaining(String(INLINE_BYTES_LIMIT)),
    ]);
    await store(`${keepers[0]}/Portrait`, 'image/png', RAW);
    await store(`${keepers[1]}/Portrait`, 'image/png', RAW);
  });

  it('is refused where it cannot stand', async () => {
    const xml = await zoo.get(`${keepers[0]}?$expand=Portrait`, { accept: 'application/xml' });
    expect(xml.status).toBe(406);
    const options = await zoo.get(`${keepers[0]}?$expand=Portrait($select=Id)`);
    expect(options.status).toBe(400);
    const made = await zoo.send('POST', '/Keepers?$expand=Portrait', { body: { Name: 'Di' } });
    expect([made.status, (await zoo.get("/Keepers/$count?$filter=Name eq 'Di'")).text]).toEqual([
      501,
      '0',
    ]);
  });

  it('is withheld from whoever may not read it', async () => {
    const role = {
      Name: 'guide',
      EntityAccess: [{ Entity: 'Odd.Zoo.Keeper', Read: true }],
      AttributeAccess: [{ Entity: 'Odd.Zoo.Keeper', Attribute: 'Portrait', Read: false }],
    };
    expect((await zoo.send('POST', '/Roles', { body: role })).status).toBe(201);
    const guide = await zoo.join({ loginName: 'guide', roles: ['guide'] });
    const { status, json } = await guide.get('/Keepers?$expand=Portrait');
    expect([status, json.error.code]).toEqual([403, 'access.member']);
    expect((await guide.get('/Keepers')).status).toBe(200);
  });
});

describe('a media entity', () => {
  it('has its bytes as $value', async () => {
    const sent = await desk.send('POST', `/ServiceRequests(${REQUEST})/Attachments`, {
      headers: { 'content-type': 'text/plain', slug: 'note.txt' },
      body: Buffer.from('a note'),
    });
    expect(sent.status).toBe(201);
    const path = `/ServiceRequests(${REQUEST})`;
    const { json } = await desk.get(`${path}?$expand=Attachments($expand=$value)`);
    const found = json.Attachments.find((one: { Name: string }) => one.Name.startsWith('note'));
    expect(found).toMatchObject({ $value: 'a note', '@odata.mediaContentType': 'text/plain' });
    const list = await desk.get(`${path}/Attachments?$expand=$value&$select=Uid,Name`);
    expect(list.json.value.map((one: { $value: string }) => one.$value)).toContain('a note');
  });

  it('is the only kind of entity that has them', async () => {
    const { status, json } = await desk.get('/Persons?$expand=$value');
    expect([status, json.error.code]).toEqual([400, 'bind.option-on']);
  });
});
