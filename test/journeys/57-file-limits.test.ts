// This file checks the limits of files: size, types, what one account may have, and the right to attach.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { digestField, formOf, storedSizes, upload } from './files.ts';
import { BARE_REQUEST, REQUEST } from './records.ts';

let desk: Desk;
const FILES = `/ServiceRequests(${REQUEST})/Attachments`;

beforeAll(async () => {
  const limits = {
    bytes: 1000,
    accountBytes: 2500,
    permitted: ['text/*', 'image/png'],
    refused: ['text/html'],
  };
  desk = await openDesk({ settings: { files: { limits } } });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
});

afterAll(async () => await desk.close());

const send = (name: string, bytes: number, type = 'text/plain') =>
  upload(desk, FILES, { name, fileName: name, type, bytes: Buffer.alloc(bytes, 97) });

describe('files in a content coding', () => {
  const coded = (name: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
    desk.send('POST', FILES, {
      headers: { 'content-type': 'text/plain', slug: name, 'content-encoding': 'gzip', ...headers },
      body,
    });

  it('are kept as what comes out of it; digests tell of what was sent', async () => {
    const bytes = Buffer.from('what comes out of it');
    const body = gzipSync(bytes);
    const { status, json } = await coded('coded', body, { 'content-digest': digestField(body) });
    expect([status, json.Name]).toEqual([201, 'coded']);
    const read = await desk.get(`${FILES}(${json.Uid})/$value`);
    expect([read.text, read.headers['repr-digest']]).toEqual([
      bytes.toString(),
      digestField(bytes),
    ]);
    const before = await storedSizes(desk);
    const wrong = await coded('wrong', body, { 'content-digest': digestField(bytes) });
    expect([wrong.status, wrong.json.error.code]).toEqual([400, 'file.digest']);
    expect(await storedSizes(desk)).toEqual(before);
  });

  it('may be forms', async () => {
    const { headers, body } = formOf([{ name: 'form', fileName: 'f', bytes: 'in a form' }]);
    const { status, json } = await coded('', gzipSync(body), headers);
    expect([status, json.Name]).toEqual([201, 'form']);
    expect((await desk.get(`${FILES}(${json.Uid})/$value`)).text).toBe('in a form');
  });

  it('have what comes out of it for their size: 413 for more, however small the request, and nothing is kept', async () => {
    const before = await storedSizes(desk);
    for (const size of [1001, 100_000_000]) {
      const { status, json } = await coded('bomb', gzipSync(Buffer.alloc(size, 97)));
      expect([status, json.error.code]).toEqual([413, 'file.too-large']);
    }
    expect(await storedSizes(desk)).toEqual(before);
    const { status, json } = await coded('just so', gzipSync(Buffer.alloc(1000, 97)));
    expect(status).toBe(201);
    await desk.send('DELETE', `${FILES}(${json.Uid})`);
  });

  it.each([
    ['that are in none', Buffer.from('plain')],
    ['that end early', gzipSync(randomBytes(900)).subarray(0, 500)],
    ['with something behind', Buffer.concat([gzipSync(Buffer.from('x')), Buffer.from('y')])],
  ])('%s: 400, and nothing is kept', async (name, body) => {
    const before = await storedSizes(desk);
    const { status, json } = await coded(name, body);
    expect([status, json.error.code]).toEqual([400, 'request.body']);
    expect(await storedSizes(desk)).toEqual(before);
  });

  it('that is not known: 415, with what is', async () => {
    const answer = await coded('brotli', Buffer.from('x'), { 'content-encoding': 'br' });
    expect([answer.status, answer.json.error.code]).toEqual([415, 'request.media-type']);
    expect(answer.headers['accept-encoding']).toBe('gzip');
  });
});

describe('limits of files', () => {
  it('a file above the limit: 413, and nothing is kept, whether its length is told or not', async () => {
    const before = await storedSizes(desk);
    const told = await desk.send('POST', FILES, {
      headers: { 'content-type': 'text/plain', slug: 'told' },
      body: Buffer.alloc(1001),
    });
    const untold = await send('untold', 1001);
    for (const { status, json } of [told, untold])
      expect([status, json.error.code, json.error.message]).toEqual([
        413,
        'file.too-large',
        expect.stringContaining('1000 bytes'),
      ]);
    expect(await storedSizes(desk)).toEqual(before);
    expect((await send('just', 1000)).status).toBe(201);
  });

  it.each([
    ['text/html', 415],
    ['TEXT/HTML; charset=utf-8', 415],
    ['application/x-msdownload', 415],
    ['image/png', 201],
    ['text/csv;header=present', 201],
  ])('a file of type %s: %i', async (type, status) => {
    const { status: got, json } = await send(`of type ${type}`, 1, type);
    expect(got).toBe(status);
    if (status === 415) expect(json.error.code).toBe('file.type');
  });

  it('more than an account may have: 413, and nothing is kept; what is deleted does not count', async () => {
    const one = await send('one of two', 990);
    const before = await storedSizes(desk);
    const { status, json } = await send('two of two', 990);
    expect([status, json.error.code]).toEqual([413, 'file.quota']);
    expect(await storedSizes(desk)).toEqual(before);
    await desk.send('DELETE', `${FILES}(${one.json.Uid})`);
    expect((await send('two of two', 990)).status).toBe(201);
    const other = await upload(desk.as('nobody'), FILES, {
      name: 'of another',
      fileName: 'o',
      bytes: Buffer.alloc(900),
    });
    expect(other.status).toBe(201);
  });

  it('the metadata tells the limits', async () => {
    const { text } = await desk.get('/$metadata');
    expect(text).toContain('<Annotation Term="Validation.Maximum" Int="1000"/>');
    expect(text).toMatch(
      /AcceptableMediaTypes"><Collection><String>text\/\*<\/String><String>image\/png<\/String>/,
    );
    expect(text).toContain(
      'A file has at most 1000 bytes. Files of these types are rejected: text/html. The files of one account have at most 2500 bytes in total.',
    );
  });
});

describe('the right to attach', () => {
  it('decides about uploads, new bytes and deletion', async () => {
    const reader = await desk.join({ loginName: 'reads', roles: ['auditor'] });
    const agent = await desk.join({ loginName: 'works', roles: ['agent'] });
    const { json } = await upload(
      desk.as('nobody'),
      `/ServiceRequests(${BARE_REQUEST})/Attachments`,
      { name: 'mine', fileName: 'm' },
    );
    const path = `/ServiceRequests(${BARE_REQUEST})/Attachments`;
    const file = `${path}(${json.Uid})`;
    expect((await reader.get(`${file}/$value`)).status).toBe(200);
    expect((await upload(reader, path, { name: 'theirs', fileName: 't' })).status).toBe(403);
    const replaced = await upload(
      reader,
      path,
      { name: 'mine', fileName: 't' },
      { prefer: 'conflict-resolution=replace' },
    );
    expect(replaced.status).toBe(403);
    const put = await reader.send('PUT', `${file}/$value`, {
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(put.status).toBe(403);
    expect((await reader.send('DELETE', file)).status).toBe(403);
    expect((await reader.send('DELETE', `${file}/$value`)).status).toBe(403);
    expect((await desk.get(`${file}/$value`)).text).toBe('hello');
    const added = await upload(agent, path, { name: 'ours', fileName: 'o' });
    expect([added.status, added.json.FileName]).toEqual([201, 'o']);
    const again = await upload(
      agent,
      path,
      { name: 'ours', fileName: 'p' },
      { prefer: 'conflict-resolution=replace' },
    );
    expect([again.status, again.json.FileName]).toEqual([200, 'p']);
    expect((await agent.send('DELETE', `${path}(${added.json.Uid})`)).status).toBe(204);
  });
});
