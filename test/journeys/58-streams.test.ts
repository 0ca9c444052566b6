// This file checks streams on a model that has nothing to do with service desks: stream properties, and media entities in sets of their
// own. OData Protocol 4.01, "Managing Stream Properties", "Managing Media Entities".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { sha256 } from './files.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let keeper: string;

beforeAll(async () => {
  zoo = await openZoo();
  const { json } = await zoo.get("/Keepers?$filter=Name eq 'Ann'");
  keeper = `/Keepers(${json.value[0].Id})`;
});

afterAll(async () => await zoo.close());

const put = (path: string, bytes: string, headers: Readonly<Record<string, string>> = {}) =>
  zoo.send('PUT', path, {
    headers: { 'content-type': 'image/png', ...headers },
    body: Buffer.from(bytes),
  });

describe('a stream property', () => {
  it('is null at first: 204; for what is not there: 404', async () => {
    const { status, text } = await zoo.get(`${keeper}/Portrait`);
    expect([status, text]).toEqual([204, '']);
    expect((await zoo.get('/Keepers(999999)/Portrait')).status).toBe(404);
    expect((await put('/Keepers(999999)/Portrait', 'x')).status).toBe(404);
  });

  it('takes bytes with their type by PUT, and gives them by GET', async () => {
    const answer = await put(`${keeper}/Portrait`, 'face');
    expect([answer.status, answer.headers.etag]).toEqual([204, `"${sha256('face')}"`]);
    const got = await zoo.get(`${keeper}/Portrait`);
    expect([got.status, got.text, got.headers['content-type']]).toEqual([200, 'face', 'image/png']);
    expect(got.headers['content-disposition']).toBe('attachment');
    const ranged = await zoo.get(`${keeper}/Portrait`, { range: 'bytes=1-2' });
    expect([ranged.status, ranged.text]).toEqual([206, 'ac']);
  });

  it('is told in its entity by its address, type and ETag', async () => {
    const { json } = await zoo.get(keeper, { accept: 'application/json;odata.metadata=full' });
    expect(json).toMatchObject({
      'Portrait@odata.mediaContentType': 'image/png',
      'Portrait@odata.mediaReadLink': expect.stringMatching(/Keepers\(\d+\)\/Portrait$/),
      'Portrait@odata.mediaEditLink': expect.stringMatching(/Keepers\(\d+\)\/Portrait$/),
      'Portrait@odata.mediaEtag': `"${sha256('face')}"`,
    });
  });

  it('raises the version of its entity, and minds If-Match', async () => {
    const before = (await zoo.get(keeper)).headers.etag;
    expect((await put(`${keeper}/Portrait`, 'other', { 'if-match': '"no"' })).status).toBe(412);
    expect((await zoo.get(keeper)).headers.etag).toBe(before);
    const right = { 'if-match': `"${sha256('face')}"` };
    expect((await put(`${keeper}/Portrait`, 'other', right)).status).toBe(204);
    expect((await zoo.get(keeper)).headers.etag).not.toBe(before);
  });

  it('is null again after DELETE', async () => {
    expect((await zoo.send('DELETE', `${keeper}/Portrait`)).status).toBe(204);
    expect((await zoo.get(`${keeper}/Portrait`)).status).toBe(204);
    expect((await zoo.get(keeper)).json).not.toHaveProperty('Portrait@odata.mediaReadLink');
  });

  it.each([
    ['POST', 405],
    ['PATCH', 405],
  ])('%s: %i', async (method, status) => {
    const headers = { 'content-type': 'image/png' };
    const answer = await zoo.send(method, `${keeper}/Portrait`, { headers, body: 'x' });
    expect(answer.status).toBe(status);
  });

  it('/$value behind it: 400', async () => {
    expect((await zoo.get(`${keeper}/Portrait/$value`)).status).toBe(400);
  });

  it('a body without bytes and without a type: 400', async () => {
    const { status, json } = await zoo.send('PUT', `${keeper}/Portrait`);
    expect([status, json.error.code]).toEqual([400, 'file.missing']);
  });
});

describe('a media entity in a set', () => {
  const id = '01234567-89ab-cdef-0123-456789abcdef';

  it('is made of the bytes that are posted; where the client gives keys, Slug is the key', async () => {
    const answer = await zoo.send('POST', '/Pictures', {
      headers: { 'content-type': 'image/gif', slug: id },
      body: Buffer.from('GIF89a'),
    });
    expect([answer.status, answer.headers.location]).toEqual([201, `${zoo.root}Pictures(${id})`]);
    expect(answer.json).toMatchObject({
      Id: id,
      Title: null,
      '@odata.mediaContentType': 'image/gif',
    });
    const got = await zoo.get(`/Pictures(${id})/$value`);
    expect([got.text, got.headers['content-type']]).toEqual(['GIF89a', 'image/gif']);
  });

  it('without a key: 400, and nothing is kept', async () => {
    const { status, json } = await zoo.send('POST', '/Pictures', {
      headers: { 'content-type': 'image/gif' },
      body: Buffer.from('GIF89a'),
    });
    expect([status, json.error.code]).toEqual([400, 'write.body']);
    expect(json.error.message).toContain('PUT the content to Pictures(Id)/$value');
    expect((await zoo.get('/Pictures/$count')).text).toBe('1');
  });

  it('is created by PUT of its content to a new URL', async () => {
    const path = '/Pictures(01234567-89ab-cdef-0123-000000000002)';
    const url = `${zoo.root}${path.slice(1)}`;
    const json = await zoo.send('PUT', path, { body: { Title: 'Dawn' } });
    expect([json.status, json.json.error.code]).toEqual([400, 'write.media-upsert']);
    expect(json.json.error).not.toHaveProperty('target');
    expect((await put(`${path}/$value`, 'new', { 'if-match': '*' })).status).toBe(412);
    expect((await zoo.get(path)).status).toBe(404);

    const created = await put(`${path}/$value`, 'new', { 'if-none-match': '*' });
    expect([created.status, created.headers.location]).toEqual([201, url]);
    expect(created.json).toMatchObject({ Title: null, '@odata.mediaContentType': 'image/png' });
    expect(created.headers.etag).toBe('W/"1"');
    expect((await zoo.get(`${path}/$value`)).text).toBe('new');
    const again = await put(`${path}/$value`, 'newer', { 'if-none-match': '*' });
    expect([again.status, (await zoo.get(`${path}/$value`)).text]).toEqual([412, 'new']);
    const changed = await put(`${path}/$value`, 'newer');
    expect([changed.status, changed.headers.etag]).toEqual([204, `"${sha256('newer')}"`]);
    expect((await zoo.send('PUT', path, { body: { Title: 'Dawn' } })).status).toBe(204);
    expect((await zoo.send('DELETE', path)).status).toBe(204);

    const short = await put(`${path}/$value`, 'third', { prefer: 'return=minimal' });
    expect([short.status, short.headers['odata-entityid']]).toEqual([204, url]);
    expect((await zoo.send('DELETE', path)).status).toBe(204);
  });

  it('gets its properties by PATCH, and other bytes by PUT', async () => {
    const patched = await zoo.send('PATCH', `/Pictures(${id})`, { body: { Title: 'Sunset' } });
    expect(patched.status).toBe(204);
    expect((await put(`/Pictures(${id})/$value`, 'PNG')).status).toBe(204);
    const { json } = await zoo.get(`/Pictures(${id})`);
    expect(json).toMatchObject({ Title: 'Sunset', '@odata.mediaContentType': 'image/png' });
    expect((await zoo.get(`/Pictures(${id})/$value`)).text).toBe('PNG');
  });

  it('goes with its bytes', async () => {
    expect((await zoo.send('DELETE', `/Pictures(${id})`)).status).toBe(204);
    expect((await zoo.get(`/Pictures(${id})/$value`)).status).toBe(404);
    const { database } = zoo.installation;
    const states = await database.read('SELECT DISTINCT "state" FROM "docket_file"', []);
    expect(states).toEqual([['released']]);
  });

  it('contained in another one, it is made there', async () => {
    const animal = (await zoo.get('/Animals?$top=1')).json.value[0];
    const note = await zoo.send('POST', `/Animals(${animal.Id})/Notes`, { body: { Text: 'n' } });
    const path = `/Animals(${animal.Id})/Notes(${note.json.Id})/Files`;
    const made = await zoo.send('POST', path, {
      headers: { 'content-type': 'text/plain' },
      body: 'file',
    });
    expect(made.status).toBe(201);
    expect((await zoo.get(`${path}(${made.json.Id})/$value`)).text).toBe('file');
  });
});
