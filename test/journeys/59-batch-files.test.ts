// This file checks that a record and its files are one deed: in the change sets of batches, in both formats.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { formOf, sha256, storedSizes, upload } from './files.ts';
import { REQUEST } from './records.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(async () => await desk.close());

const BYTES = Buffer.from([0, 1, 2, 253, 254, 255, 13, 10, 45, 45]);
const END = '\r\n';

interface BinaryPart {
  readonly id: string;
  readonly method?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A batch of one change set whose parts have any bytes. */
function batchOf(parts: readonly BinaryPart[]): { headers: Record<string, string>; body: Buffer } {
  const pieces = parts.flatMap(({ id, method = 'POST', url, headers, body }) => [
    Buffer.from(
      [
        '--set',
        'Content-Type: application/http',
        'Content-Transfer-Encoding: binary',
        `Content-ID: ${id}`,
        '',
        `${method} ${url} HTTP/1.1`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${body.length}`,
        '',
        '',
      ].join(END),
    ),
    body,
    Buffer.from(END),
  ]);
  const body = Buffer.concat([
    Buffer.from(['--batch', 'Content-Type: multipart/mixed; boundary=set', '', ''].join(END)),
    ...pieces,
    Buffer.from(['--set--', '--batch--', ''].join(END)),
  ]);
  return { headers: { 'content-type': 'multipart/mixed; boundary=batch' }, body };
}

const record = (description: string): BinaryPart => ({
  id: 'record',
  url: 'ServiceRequests',
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from(JSON.stringify({ Description: description })),
});

const file = (id: string, name: string, body = BYTES): BinaryPart => ({
  id,
  url: '$record/Attachments',
  headers: { 'Content-Type': 'image/png', 'Content-Disposition': `attachment; filename="${name}"` },
  body,
});

async function filesOf(description: string) {
  const { json } = await desk.get(
    `/ServiceRequests?$filter=Description eq '${description}'&$expand=Attachments`,
  );
  return json.value;
}

describe('a change set with a record and its files', () => {
  it('is done as a whole', async () => {
    const form = formOf([{ name: 'third', fileName: 'third.txt' }]);
    const answer = await desk.send(
      'POST',
      '/$batch',
      batchOf([
        record('with files'),
        file('a', 'one.png'),
        file('b', 'two.png', Buffer.from('{"a":1}')),
        {
          id: 'c',
          url: '$record/Attachments',
          headers: { 'Content-Type': String(form.headers?.['content-type']) },
          body: form.body,
        },
      ]),
    );
    expect([answer.status, answer.text.match(/HTTP\/1.1 201/g)?.length]).toEqual([200, 4]);
    const [made] = await filesOf('with files');
    expect(
      made.Attachments.map(({ Name, Sha256 }: { Name: string; Sha256: string }) => [Name, Sha256]),
    ).toEqual([
      ['one.png', sha256(BYTES)],
      ['two.png', sha256('{"a":1}')],
      ['third', sha256('hello')],
    ]);
    expect((await desk.get(made.Attachments[0]['@odata.mediaReadLink'])).bytes.equals(BYTES)).toBe(
      true,
    );
  });

  it.each([
    ['two files of one name', [file('a', 'same'), file('b', 'same')], '409'],
    [
      'a file for nothing',
      [file('a', 'fine'), { ...file('b', 'x'), url: 'ServiceRequests(999999)/Attachments' }],
      '404',
    ],
    [
      'bytes that are not what was told',
      [
        file('a', 'fine'),
        {
          ...file('b', 'bad'),
          headers: { ...file('b', 'bad').headers, 'Content-Digest': 'sha-256=:AAAA:' },
        },
      ],
      '400',
    ],
  ])('with %s is not done at all', async (what, parts, status) => {
    const before = await storedSizes(desk);
    const answer = await desk.send('POST', '/$batch', batchOf([record(what), ...parts]));
    expect(answer.text).toContain(`HTTP/1.1 ${status}`);
    expect(await filesOf(what)).toEqual([]);
    expect(await storedSizes(desk)).toEqual(before);
  });

  it('in JSON, with bytes in base64url', async () => {
    const { status, json } = await desk.send('POST', '/$batch', {
      headers: { 'odata-version': '4.01' },
      body: {
        requests: [
          {
            id: 'r',
            atomicityGroup: 'g',
            method: 'POST',
            url: 'ServiceRequests',
            headers: { 'content-type': 'application/json' },
            body: { Description: 'in JSON' },
          },
          {
            id: 'f',
            atomicityGroup: 'g',
            method: 'POST',
            url: '$r/Attachments',
            headers: { 'content-type': 'image/png', slug: 'p.png' },
            body: BYTES.toString('base64url'),
          },
        ],
      },
    });
    expect([status, json.responses.map((one: { status: number }) => one.status)]).toEqual([
      200,
      [201, 201],
    ]);
    const [made] = await filesOf('in JSON');
    expect(made.Attachments).toMatchObject([{ Name: 'p.png', Sha256: sha256(BYTES) }]);
  });
});

describe('outside of change sets', () => {
  it('a batch takes a file, replaces its bytes and gives them', async () => {
    const { json } = await upload(desk, `/ServiceRequests(${REQUEST})/Attachments`, {
      name: 'b',
      fileName: 'b',
      type: 'image/png',
    });
    const path = `ServiceRequests(${REQUEST})/Attachments(${json.Uid})/$value`;
    const answer = await desk.send('POST', '/$batch', {
      headers: { 'odata-version': '4.01' },
      body: {
        requests: [
          {
            id: '1',
            method: 'PUT',
            url: path,
            headers: { 'content-type': 'image/png' },
            body: BYTES.toString('base64url'),
          },
          { id: '2', method: 'GET', url: path },
        ],
      },
    });
    expect(answer.json.responses).toMatchObject([
      { status: 204 },
      { status: 200, body: BYTES.toString('base64url'), headers: { 'content-type': 'image/png' } },
    ]);
  });

  it('a repeated upload is done once', async () => {
    const path = `/ServiceRequests(${REQUEST})/Attachments`;
    const send = (bytes: string) =>
      upload(
        desk,
        path,
        { name: 'once', fileName: 'o', bytes },
        {
          'repeatability-request-id': 'upload-once',
          'repeatability-first-sent': new Date().toUTCString(),
        },
      );
    const first = await send('bytes');
    const before = await storedSizes(desk);
    const second = await send('bytes');
    expect([first.status, second.status, second.json.Uid]).toEqual([201, 201, first.json.Uid]);
    expect(await storedSizes(desk)).toEqual(before);
    expect((await send('others')).status).toBe(400);
    expect(await storedSizes(desk)).toEqual(before);
  });
});

describe('a deep insert with files inline', () => {
  const insert = (files: readonly object[]) =>
    desk.send('POST', '/ServiceRequests?$expand=Attachments', {
      body: { Description: 'inline', Attachments: files },
    });

  it('is done as a whole: bytes in base64url, text as text, JSON as it is', async () => {
    const { status, json } = await insert([
      {
        Name: 'a',
        FileName: 'a.png',
        '@odata.mediaContentType': 'image/png',
        $value: BYTES.toString('base64url'),
      },
      { Name: 'b', '@odata.mediaContentType': 'text/plain', $value: 'tëxt' },
      { Name: 'c', '@odata.mediaContentType': 'application/json', $value: { x: [1, null] } },
    ]);
    expect(status).toBe(201);
    expect(
      json.Attachments.map((one: { Name: string; Sha256: string }) => [one.Name, one.Sha256]),
    ).toEqual([
      ['a', sha256(BYTES)],
      ['b', sha256('tëxt')],
      ['c', sha256('{"x":[1,null]}')],
    ]);
    const got = await desk.get(json.Attachments[0]['@odata.mediaReadLink']);
    expect([got.bytes.equals(BYTES), got.headers['content-type']]).toEqual([true, 'image/png']);
  });

  it.each([
    [
      'two files of one name',
      409,
      [
        { Name: 'a', '@odata.mediaContentType': 'text/plain', $value: 'x' },
        { Name: 'a', '@odata.mediaContentType': 'text/plain', $value: 'y' },
      ],
    ],
    [
      'bytes that are none',
      400,
      [{ Name: 'a', '@odata.mediaContentType': 'image/png', $value: '***' }],
    ],
    ['no bytes', 400, [{ Name: 'a' }]],
    ['a type that is none', 400, [{ Name: 'a', '@odata.mediaContentType': 'plain', $value: 'eA' }]],
    [
      'a type that would break the header of the download',
      400,
      [{ Name: 'a', '@odata.mediaContentType': 'text/html\r\nX-More: 1', $value: 'x' }],
    ],
    ['a type that is no text', 400, [{ Name: 'a', '@odata.mediaContentType': 5, $value: 'eA' }]],
  ])('with %s: %i, and nothing is done', async (_what, status, files) => {
    const [before, count] = [
      await storedSizes(desk),
      (await desk.get('/ServiceRequests/$count')).text,
    ];
    expect((await insert(files)).status).toBe(status);
    expect(await storedSizes(desk)).toEqual(before);
    expect((await desk.get('/ServiceRequests/$count')).text).toBe(count);
  });
});

it('a type of bytes that is none is told with its place', async () => {
  const file = { Name: 'a', '@odata.mediaContentType': 'größe/✓', $value: 'eA' };
  const body = { Descriptio: 'x', Attachments: [file] };
  const { json } = await desk.send('POST', '/ServiceRequests', { body });
  const targets = json.error.details.map((one: { target: string }) => one.target);
  expect(targets).toContain('Attachments[0]/@odata.mediaContentType');
  expect(targets).toContain('Descriptio');
});

it('a name that is taken is told with its place', async () => {
  const file = { '@odata.mediaContentType': 'text/plain', $value: 'eA' };
  const Attachments = [
    { Name: 'a', ...file },
    { Name: 'a', ...file },
  ];
  for (const Description of ['Two', 'Twice', 'Again']) {
    const body = { Description, Attachments };
    const { status, json } = await desk.send('POST', '/ServiceRequests', { body });
    expect([status, json.error.code]).toEqual([409, 'file.exists']);
    expect(json.error.target).toBe('Attachments[1]/Name');
  }
});

describe('multipart/related', () => {
  const send = (record: object, files: Readonly<Record<string, string>>) => {
    const parts = [
      Buffer.from(`--r\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(record)}\r\n`),
      ...Object.entries(files).flatMap(([id, type]) => [
        Buffer.from(`--r\r\nContent-Type: ${type}\r\nContent-ID: <${id}>\r\n\r\n`),
        BYTES,
        Buffer.from(END),
      ]),
      Buffer.from('--r--\r\n'),
    ];
    const headers = { 'content-type': 'multipart/related; boundary=r; type="application/json"' };
    return desk.send('POST', '/ServiceRequests?$expand=Attachments', {
      headers,
      body: Buffer.concat(parts),
    });
  };
  const record = (...ids: readonly string[]) => ({
    Description: 'related',
    Attachments: ids.map((id) => ({
      Name: id,
      FileName: `${id}.bin`,
      '@odata.mediaReadLink': `cid:${id}`,
    })),
  });

  it('makes the record with its files, byte for byte, whatever their type', async () => {
    const { status, json } = await send(record('one@x', 'two@x'), {
      'one@x': 'image/png',
      'two@x': 'text/plain',
    });
    expect([status, json.Attachments.length]).toEqual([201, 2]);
    for (const file of json.Attachments) {
      const got = await desk.get(file['@odata.mediaReadLink']);
      expect([file.Sha256, got.bytes.equals(BYTES)]).toEqual([sha256(BYTES), true]);
    }
    expect(json.Attachments[1]['@odata.mediaContentType']).toBe('text/plain');
  });

  it.each([
    ['a part that nothing names', record('a'), { a: 'image/png', b: 'image/png' }],
    ['a name without its part', record('a', 'b'), { a: 'image/png' }],
    ['no record', [], {}],
  ])('with %s: 400, and nothing is kept', async (_what, body, files) => {
    const before = await storedSizes(desk);
    expect((await send(body, files)).status).toBe(400);
    expect(await storedSizes(desk)).toEqual(before);
  });
});

describe('preferences', () => {
  it('of conflicts count for uploads only, of what is returned for all', async () => {
    const prefer = 'conflict-resolution=rename, return=representation';
    const body = { Solution: 'x' };
    const patched = await desk.send('PATCH', `/ServiceRequests(${REQUEST})`, {
      headers: { prefer },
      body,
    });
    expect([patched.status, patched.headers['preference-applied']]).toEqual([
      200,
      'return=representation',
    ]);
    const file = { name: 'preferred', fileName: 'p' };
    const added = await upload(desk, `/ServiceRequests(${REQUEST})/Attachments`, file, { prefer });
    expect(added.headers['preference-applied']).toBe(prefer);
  });
});
