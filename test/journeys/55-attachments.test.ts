// This file checks attachments as the service contract has them: upload, list, download, rename, replace, delete, on records and on the
// lines of their history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statement } from '../database.ts';
import { type Desk, openDesk } from './desk.ts';
import { digestField, formOf, sha256, storedSizes, upload } from './files.ts';
import { BARE_REQUEST, CALLER, HISTORY_LINE, REQUEST } from './records.ts';

let desk: Desk;
const FILES = `/ServiceRequests(${REQUEST})/Attachments`;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(async () => await desk.close());

describe('an upload by a form', () => {
  it('the field name becomes Name, the file name FileName; the answer tells of the file', async () => {
    const bytes = Buffer.from('What was said on the phone.');
    const answer = await upload(desk, FILES, { name: 'call', fileName: 'call notes.txt', bytes });
    expect(answer.status).toBe(201);
    const { json, headers } = answer;
    expect(json).toMatchObject({
      Uid: expect.any(Number),
      Name: 'call',
      FileName: 'call notes.txt',
      DateCreated: expect.stringMatching(/^20\d\d-.*Z$/),
      MediaType: 'text/plain',
      Size: bytes.length,
      Sha256: sha256(bytes),
      '@odata.mediaContentType': 'text/plain',
      '@odata.mediaReadLink': `${desk.root}ServiceRequests(${REQUEST})/Attachments(${json.Uid})/$value`,
    });
    expect(headers.location).toBe(
      `${desk.root}ServiceRequests(${REQUEST})/Attachments(${json.Uid})`,
    );
    expect(headers.etag).toBe(json['@odata.etag']);
    const creator = await desk.get(`${FILES}(${json.Uid})/CreatedBy?$select=LoginName`);
    expect(creator.json.LoginName).toBe('admin');
  });

  it('the file is there with its type, its name and its digest', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 0]);
    const { json } = await upload(desk, FILES, {
      name: 'raw',
      fileName: 'ü.bin',
      type: 'image/png',
      bytes,
    });
    const got = await desk.get(json['@odata.mediaReadLink']);
    expect([got.status, got.bytes.equals(bytes)]).toEqual([200, true]);
    expect(got.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="_.bin"; filename*=UTF-8''%C3%BC.bin`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${sha256(bytes)}"`,
      'repr-digest': digestField(bytes),
    });
  });

  it('return=minimal answers 204 with the address', async () => {
    const answer = await upload(
      desk,
      FILES,
      { name: 'minimal', fileName: 'a' },
      { prefer: 'return=minimal' },
    );
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers['preference-applied']).toBe('return=minimal');
    expect((await desk.get(String(answer.headers.location))).json.Name).toBe('minimal');
  });

  it.each([
    ['no part', []],
    [
      'two files',
      [
        { name: 'a1', fileName: 'a' },
        { name: 'a2', fileName: 'b' },
      ],
    ],
    ['a file without a name', [{ name: 'a3', fileName: '' }]],
  ])('%s: 400, and nothing is kept', async (_what, files) => {
    const before = await storedSizes(desk);
    const { status, json } = await desk.send('POST', FILES, formOf(files));
    expect([status, json.error.code]).toEqual([400, 'file.form']);
    expect(await storedSizes(desk)).toEqual(before);
    expect((await desk.get(`${FILES}?$filter=startswith(Name,'a')`)).json.value).toEqual([]);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'no end',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="n"; filename="f"\r\n\r\nabc',
    ],
    ['no headers', 'multipart/form-data; boundary=b', '--b\r\nabc\r\n--b--'],
    [
      'a text field',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nabc\r\n--b--',
    ],
    ['text behind a boundary', 'multipart/form-data; boundary=b', '--b x\r\n\r\nabc\r\n--b--'],
  ])('a form with %s: 400', async (_what, type, body) => {
    const before = await storedSizes(desk);
    const { status, json } = await desk.send('POST', FILES, {
      headers: { 'content-type': type },
      body,
    });
    expect([status, json.error.code]).toEqual([400, 'file.form']);
    expect(await storedSizes(desk)).toEqual(before);
  });

  it('a record that is not there: 404, and nothing is kept', async () => {
    const before = await storedSizes(desk);
    const answer = await upload(desk, '/ServiceRequests(999999)/Attachments', {
      name: 'x',
      fileName: 'x',
    });
    expect(answer.status).toBe(404);
    expect(await storedSizes(desk)).toEqual(before);
  });
});

describe('an upload of bare bytes', () => {
  it.each([
    [
      'Content-Disposition',
      { 'content-disposition': `attachment; filename="plan.pdf"` },
      'plan.pdf',
    ],
    [
      'an extended name',
      { 'content-disposition': `attachment; filename="p"; filename*=UTF-8''%E8%A8%88.pdf` },
      '計.pdf',
    ],
    ['Slug', { slug: 'Gr%C3%BC%C3%9Fe' }, 'Grüße'],
  ])('%s names the file', async (_what, headers, name) => {
    const bytes = Buffer.from('%PDF-1.7');
    const answer = await desk.send('POST', FILES, {
      headers: { 'content-type': 'application/pdf', ...headers },
      body: bytes,
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      Name: name,
      FileName: name,
      MediaType: 'application/pdf',
      Size: 8,
    });
  });

  it('JSON is bytes like any other, and an empty file is one', async () => {
    const json = await desk.send('POST', FILES, {
      headers: { 'content-type': 'application/json', slug: 'data.json' },
      body: Buffer.from('{"a": 1 }'),
    });
    const got = await desk.get(json.json['@odata.mediaReadLink']);
    expect([json.status, got.text, got.headers['content-type']]).toEqual([
      201,
      '{"a": 1 }',
      'application/json',
    ]);
    const empty = await desk.send('POST', FILES, {
      headers: { 'content-type': 'text/plain', slug: 'empty.txt' },
      body: Buffer.alloc(0),
    });
    expect([empty.status, empty.json.Size, empty.json.Sha256]).toEqual([201, 0, sha256('')]);
    const nothing = await desk.get(empty.json['@odata.mediaReadLink']);
    expect([nothing.status, nothing.headers['content-length']]).toEqual([200, '0']);
  });

  it('files without a name get one', async () => {
    const send = async () =>
      (
        await desk.send('POST', `/Persons(${CALLER})/Attachments`, {
          headers: { 'content-type': 'text/plain' },
          body: Buffer.from('x'),
        })
      ).json.Name;
    expect([await send(), await send(), await send()]).toEqual([
      'unnamed',
      'unnamed_1',
      'unnamed_2',
    ]);
  });

  it('neither bytes nor a type: 400', async () => {
    const { status, json } = await desk.send('POST', FILES);
    expect([status, json.error.code]).toEqual([400, 'file.missing']);
  });
});

describe('digests', () => {
  it('bytes that are not those of Content-Digest or Repr-Digest: 400, and nothing is kept', async () => {
    const before = await storedSizes(desk);
    for (const header of ['content-digest', 'repr-digest']) {
      const answer = await desk.send('POST', FILES, {
        headers: {
          'content-type': 'text/plain',
          slug: `bad-${header}`,
          [header]: digestField('other'),
        },
        body: Buffer.from('these'),
      });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'file.digest']);
    }
    const part = await upload(desk, FILES, {
      name: 'bad-part',
      fileName: 'f',
      bytes: 'these',
      headers: { 'Content-Digest': digestField('those') },
    });
    expect(part.json.error.code).toBe('file.digest');
    expect(await storedSizes(desk)).toEqual(before);
    expect((await desk.get(`${FILES}?$filter=startswith(Name,'bad')`)).json.value).toEqual([]);
  });

  it('bytes that are: taken, and algorithms that nobody knows are passed over', async () => {
    const answer = await desk.send('POST', FILES, {
      headers: {
        'content-type': 'text/plain',
        slug: 'proven',
        'content-digest': `${digestField('these')}, crc32c=:AAAAAA==:`,
      },
      body: Buffer.from('these'),
    });
    expect(answer.status).toBe(201);
    const malformed = await desk.send('POST', FILES, {
      headers: { 'content-type': 'text/plain', slug: 'x', 'content-digest': 'sha-256=abc' },
      body: Buffer.from('these'),
    });
    expect(malformed.json.error.code).toBe('request.header');
  });
});

describe('names are unique below one record', () => {
  const send = (path: string, bytes: string, prefer?: string) =>
    upload(
      desk,
      path,
      { name: 'report', fileName: `${bytes}.txt`, bytes },
      prefer === undefined ? {} : { prefer },
    );
  const files = `/ServiceRequests(${BARE_REQUEST})/Attachments`;

  it('conflict-resolution=none, the default: 409, a unique name is required', async () => {
    expect((await send(files, 'first')).status).toBe(201);
    for (const prefer of [undefined, 'conflict-resolution=none', 'conflict-resolution=whatever']) {
      const before = await storedSizes(desk);
      const { status, json, headers } = await send(files, 'second', prefer);
      expect(status).toBe(409);
      expect(json.error.message).toMatch(
        /attachment with the name "report" already exists.*unique name is required/,
      );
      expect(headers.vary).toContain('Prefer');
      expect(await storedSizes(desk)).toEqual(before);
    }
  });

  it('the same name below another record is no clash', async () => {
    expect((await send(`/ServiceRequests(${REQUEST})/Attachments`, 'x')).status).toBe(201);
  });

  it('conflict-resolution=rename: a suffix such as _1, always 201', async () => {
    const one = await send(files, 'second', 'conflict-resolution=rename');
    const two = await send(files, 'third', 'conflict-resolution=rename');
    expect([one.status, one.json.Name, two.status, two.json.Name]).toEqual([
      201,
      'report_1',
      201,
      'report_2',
    ]);
    expect(one.headers['preference-applied']).toBe('conflict-resolution=rename');
    expect((await desk.get(two.json['@odata.mediaReadLink'])).text).toBe('third');
  });

  it('conflict-resolution=replace: 200 when a file was replaced, 201 when it is new', async () => {
    const first = (await desk.get(`${files}?$filter=Name eq 'report'`)).json.value[0];
    const replaced = await send(
      files,
      'fourth',
      'conflict-resolution=replace, return=representation',
    );
    expect(replaced.status).toBe(200);
    expect(replaced.json).toMatchObject({
      Uid: first.Uid,
      Name: 'report',
      FileName: 'fourth.txt',
      Size: 6,
      Sha256: sha256('fourth'),
    });
    expect(replaced.json['@odata.etag']).not.toBe(first['@odata.etag']);
    expect(replaced.headers['preference-applied']).toBe(
      'conflict-resolution=replace, return=representation',
    );
    expect((await desk.get(replaced.json['@odata.mediaReadLink'])).text).toBe('fourth');
    const fresh = await upload(
      desk,
      files,
      { name: 'fresh', fileName: 'f' },
      { prefer: 'conflict-resolution=replace' },
    );
    expect(fresh.status).toBe(201);
  });

  it('ten uploads of one name at once: each in its own way comes to one outcome', async () => {
    const at = (path: string, prefer: string) =>
      Promise.all(Array.from({ length: 10 }, (_, index) => send(path, `at once ${index}`, prefer)));
    const statuses = async (path: string, prefer: string) =>
      (await at(path, prefer)).map(({ status }) => status).sort();
    const person = `/Persons(${CALLER})/Attachments`;
    expect(await statuses(person, 'conflict-resolution=none')).toEqual([
      201,
      ...Array(9).fill(409),
    ]);
    expect(await statuses(person, 'conflict-resolution=replace')).toEqual(Array(10).fill(200));
    expect(await statuses(person, 'conflict-resolution=rename')).toEqual(Array(10).fill(201));
    const names = (
      await desk.get(`${person}?$filter=startswith(Name,'report')&$orderby=Uid&$select=Name`)
    ).json.value;
    expect(names.map(({ Name }: { Name: string }) => Name).sort()).toEqual(
      ['report', ...Array.from({ length: 10 }, (_, index) => `report_${index + 1}`)].sort(),
    );
  });
});

describe('a file that is there', () => {
  const made = async (name: string, bytes = 'one') =>
    (await upload(desk, FILES, { name, fileName: `${name}.txt`, bytes })).json;

  it('PATCH of Name renames it; a name that is taken: 409', async () => {
    const [one, two] = [await made('one'), await made('two')];
    const path = `${FILES}(${one.Uid})`;
    expect((await desk.send('PATCH', path, { body: { Name: 'uno' } })).status).toBe(204);
    expect((await desk.get(path)).json).toMatchObject({ Name: 'uno', FileName: 'one.txt' });
    const clash = await desk.send('PATCH', path, { body: { Name: two.Name } });
    expect([clash.status, clash.json.error.target, clash.json.error.message]).toEqual([
      409,
      'Name',
      'An attachment with the name "two" already exists; a unique name is required. Choose another name.',
    ]);
    expect(clash.json.error.code).toBe('file.exists');
    // The same deed in the shape that has come before tells its own name, and a name of its own is no clash.
    const three = await made('three');
    for (const { Name } of [two, three, two]) {
      const { json } = await desk.send('PATCH', path, { body: { Name } });
      expect(json.error.message).toContain(`"${Name}"`);
    }
    expect((await desk.send('PATCH', path, { body: { Name: 'uno' } })).status).toBe(204);
    const put = await desk.send('PUT', `${path}/Name`, { body: { value: 'two' } });
    expect([put.status, put.json.error.code]).toEqual([409, 'file.exists']);
    expect((await desk.get(one['@odata.mediaReadLink'])).text).toBe('one');
  });

  it('a taken name in the body of a record: 409 that recommends nothing but another name', async () => {
    const Attachments = [1, 2].map(() => ({
      '@odata.mediaContentType': 'text/plain',
      $value: 'one of two',
      Name: 'twin',
    }));
    const body = { Description: 'with twins', Attachments };
    const prefer = { prefer: 'conflict-resolution=rename' };
    const answer = await desk.send('POST', '/ServiceRequests', { body, headers: prefer });
    expect([answer.status, answer.json.error?.message]).toEqual([
      409,
      'An attachment with the name "twin" already exists; a unique name is required. Choose another name.',
    ]);
  });

  it('PUT of $value gives it new bytes, if they are those that the client knows', async () => {
    const file = await made('put');
    const path = `${FILES}(${file.Uid})/$value`;
    const put = (bytes: string, headers: Record<string, string>) =>
      desk.send('PUT', path, {
        headers: { 'content-type': 'text/html', ...headers },
        body: Buffer.from(bytes),
      });
    expect((await put('two', { 'if-match': '"0000"' })).status).toBe(412);
    expect((await put('two', { 'if-none-match': '*' })).status).toBe(412);
    const answer = await put('two', { 'if-match': `"${sha256('one')}"` });
    expect([answer.status, answer.headers.etag]).toEqual([204, `"${sha256('two')}"`]);
    const got = await desk.get(path);
    expect([got.text, got.headers['content-type']]).toEqual(['two', 'text/html']);
    expect((await desk.get(`${FILES}(${file.Uid})`)).json).toMatchObject({
      Name: 'put',
      FileName: 'put.txt',
      MediaType: 'text/html',
      Size: 3,
      Sha256: sha256('two'),
    });
  });

  it('DELETE takes it away, and its bytes are released', async () => {
    const file = await made('gone');
    expect((await desk.send('DELETE', `${FILES}(${file.Uid})`)).status).toBe(204);
    expect((await desk.get(`${FILES}(${file.Uid})/$value`)).status).toBe(404);
    const second = await made('gone');
    expect((await desk.send('DELETE', `${FILES}(${second.Uid})/$value`)).status).toBe(204);
    expect((await desk.get(`${FILES}(${second.Uid})`)).status).toBe(404);
    const states = await desk.installation.database.read(
      statement(
        `SELECT "state" FROM "docket_file" WHERE "sha256" = ? AND "size" = 3 AND "state" = 'released'`,
      ),
      [sha256('one')],
    );
    expect(states.length).toBeGreaterThanOrEqual(2);
  });

  it('is not taken for a part of itself: Content-Range is refused each time, and nothing is kept', async () => {
    const file = await made('parts', '0123456789');
    const path = `${FILES}(${file.Uid})/$value`;
    const headers = { 'content-type': 'text/plain', 'content-range': 'bytes 0-1/10', slug: 'part' };
    const count = async () => (await desk.get(`${FILES}/$count`)).text;
    const before = await count();
    for (const [method, address] of [
      ['PUT', path],
      ['POST', FILES],
      ['POST', FILES],
      ['POST', FILES],
    ] as const) {
      const answer = await desk.send(method, address, { headers, body: Buffer.from('ab') });
      expect([answer.status, answer.json.error.target]).toEqual([400, 'Content-Range']);
    }
    expect([(await desk.get(path)).text, await count()]).toEqual(['0123456789', before]);
  });

  it('always has a name, by which it is told apart', async () => {
    const file = await made('named');
    const path = `${FILES}(${file.Uid})`;
    for (const [method, behind, body, code] of [
      ['PATCH', '', { Name: null }, 'write.null'],
      ['PUT', '', { FileName: 'x' }, 'write.required'],
      ['PUT', '', { Name: null }, 'write.required'],
      ['PUT', '/Name', { value: null }, 'write.null'],
      ['DELETE', '/Name', undefined, 'write.null'],
    ] as const) {
      const answer = await desk.send(method, path + behind, body === undefined ? {} : { body });
      const { details, ...error } = answer.json.error;
      const told = details?.[0] ?? error;
      expect([method, answer.status, told.code, told.target]).toEqual([method, 400, code, 'Name']);
      expect((await desk.get(path)).json).toMatchObject({ Name: 'named', FileName: file.FileName });
    }
    expect((await desk.send('PUT', path, { body: { Name: 'other' } })).status).toBe(204);
    expect((await desk.get(path)).json).toMatchObject({ Name: 'other', FileName: null });
  });

  it('the first key is the record, the second the file: below another record it is not there', async () => {
    const file = await made('mine');
    expect(
      (await desk.get(`/ServiceRequests(${BARE_REQUEST})/Attachments(${file.Uid})/$value`)).status,
    ).toBe(404);
    expect((await desk.get(`${FILES}(${file.Uid})/$value`)).status).toBe(200);
  });

  it('$expand=Attachments shows it with the address of its bytes', async () => {
    const file = await made('shown');
    const { json } = await desk.get(`/ServiceRequests(${REQUEST})?$expand=Attachments`);
    const shown = json.Attachments.find(({ Uid }: { Uid: number }) => Uid === file.Uid);
    expect(shown).toMatchObject({
      Name: 'shown',
      '@odata.mediaContentType': 'text/plain',
      '@odata.mediaReadLink': file['@odata.mediaReadLink'],
    });
  });

  it('full metadata tells the ETag of the bytes and where to put others; Atom points to them', async () => {
    const file = await made('told');
    const path = `${FILES}(${file.Uid})`;
    const { json } = await desk.get(path, { accept: 'application/json;odata.metadata=full' });
    expect(json['@odata.mediaEtag']).toBe(`"${sha256('one')}"`);
    expect(json['@odata.mediaEditLink']).toBe(file['@odata.mediaReadLink']);
    const atom = await desk.get(path, { accept: 'application/atom+xml' });
    expect(atom.text).toContain(
      `<content type="text/plain" src="${file['@odata.mediaReadLink']}"/>`,
    );
  });
});

describe('files of history lines', () => {
  const path = `/ServiceRequests(${REQUEST})/HistoryLines(${HISTORY_LINE})/Attachments`;

  it('are uploaded and read below their line', async () => {
    const { status, json } = await upload(desk, path, {
      name: 'line',
      fileName: 'line.txt',
      bytes: 'of a line',
    });
    expect(status).toBe(201);
    const got = await desk.get(`${path}(${json.Uid})/$value`);
    expect([got.status, got.text]).toEqual([200, 'of a line']);
  });
});
