// This file reads and writes batches in the multipart format.
import { describe, expect, it } from 'vitest';
import type { BatchItem, BatchRequest } from '../../src/service/batch/batch-request.ts';
import {
  boundaryOf,
  readMultipart,
  writeMultipart,
} from '../../src/service/batch/multipart-format.ts';

const CRLF = '\r\n';

function read(lines: readonly string[], boundary = 'b', end = CRLF): readonly BatchItem[] {
  return readMultipart(Buffer.from(lines.join(end)), boundary);
}

function requestOf(item: BatchItem | undefined): BatchRequest {
  if (item?.kind !== 'request') throw new Error(`expected a request, found ${item?.kind}`);
  return item.request;
}

const GET = [
  '--b',
  'Content-Type: application/http',
  'Content-Transfer-Encoding: binary',
  '',
  'GET Persons(1) HTTP/1.1',
  'Accept: application/json',
  '',
  '',
];

describe('OData 4.01 Protocol, "Multipart Batch Format"', () => {
  it('reads a request with its method, address and headers', () => {
    const request = requestOf(read([...GET, '--b--'])[0]);
    expect(request).toMatchObject({ method: 'GET', url: 'Persons(1)', body: undefined });
    expect(request.headers.get('accept')).toBe('application/json');
  });

  it('reads a change set with Content-IDs and bodies, byte for byte', () => {
    const items = read([
      '--b',
      'Content-Type: multipart/mixed; boundary=c',
      '',
      '--c',
      'Content-Type: application/http',
      'Content-ID: 1',
      '',
      'POST Persons HTTP/1.1',
      'Content-Type: application/json',
      '',
      '{"Name":"Zoë"}',
      '--c',
      'Content-Type: application/http',
      'Content-ID: 2',
      '',
      'PATCH $1 HTTP/1.1',
      'Content-Type: application/json',
      '',
      '{"Name":"--b"}',
      '--c--',
      '--b--',
    ]);
    expect(items).toHaveLength(1);
    const [group] = items;
    expect(
      group?.kind === 'group' &&
        group.requests.map((request) => [
          request.id,
          request.method,
          request.url,
          Buffer.from(request.body ?? []).toString(),
        ]),
    ).toEqual([
      ['1', 'POST', 'Persons', '{"Name":"Zoë"}'],
      ['2', 'PATCH', '$1', '{"Name":"--b"}'],
    ]);
  });

  it('passes over a preamble, an epilogue, bare line feeds and headers without a blank', () => {
    const lines = [
      'hello',
      '',
      '--b',
      'Content-Type:application/http',
      '',
      'DELETE /odata/Persons(1) HTTP/1.1',
      '',
      '',
      '--b--',
      'bye',
      '--b',
    ];
    expect(requestOf(read(lines, 'b', '\n')[0])).toMatchObject({
      method: 'DELETE',
      url: '/odata/Persons(1)',
    });
  });

  it('answers a part that is no request as malformed, and reads on', () => {
    const items = read([
      '--b',
      'Content-Type: application/http',
      '',
      'nonsense',
      '',
      ...GET,
      '--b--',
    ]);
    expect(items.map((item) => item.kind)).toEqual(['malformed', 'request']);
  });

  it('reads a URL with blanks, and a body whose length was counted wrongly', () => {
    const body = '{"Name":"Zoë"}';
    const item = read([
      '--b',
      'Content-Type: application/http',
      '',
      "POST Persons?$filter=Name eq 'a b' HTTP/1.1",
      `Content-Length: ${body.length}`,
      '',
      body,
      '--b--',
    ])[0];
    expect(requestOf(item).url).toBe("Persons?$filter=Name%20eq%20'a%20b'");
    expect(Buffer.from(requestOf(item).body ?? []).toString()).toBe(body);
  });

  it('a part with a Transfer-Encoding, or a line that is no header, is malformed', () => {
    const part = (line: string) => [
      '--b',
      'Content-Type: application/http',
      'Content-ID: x',
      '',
      'POST Persons HTTP/1.1',
      line,
      '',
      '{}',
      '--b--',
    ];
    for (const line of ['Transfer-Encoding: chunked', 'nonsense'])
      expect(read(part(line))[0]).toMatchObject({ kind: 'malformed', id: 'x' });
  });

  it.each([
    ['no boundary line', ['x']],
    ['no closing line', GET],
  ])('refuses a body with %s', (_what, lines) => {
    expect(() => read(lines)).toThrow(/boundary|line/);
  });

  it('takes the boundary quoted or not, among other parameters', () => {
    expect(boundaryOf('multipart/mixed; charset=UTF-8;boundary=batch_1')).toBe('batch_1');
    expect(boundaryOf('multipart/mixed; boundary="a b:c"')).toBe('a b:c');
    expect(() => boundaryOf('multipart/mixed')).toThrow('boundary');
  });

  it('writes answers that a reader of the format understands', () => {
    const body = Buffer.from('{"x":"\r\n--b"}');
    const text = Buffer.from(
      writeMultipart(
        [
          {
            kind: 'answer',
            answer: {
              id: 'a',
              status: 200,
              headers: { 'Content-Type': 'application/json' },
              requestId: 'r.1',
              body,
            },
          },
          {
            kind: 'group',
            id: undefined,
            answers: [{ id: '1', status: 204, headers: {}, requestId: 'r.2', body: undefined }],
            failure: undefined,
          },
        ],
        'zz',
      ),
    ).toString();
    expect(text).toContain(
      `Content-ID: a${CRLF}${CRLF}HTTP/1.1 200 OK${CRLF}Content-Type: application/json${CRLF}X-Request-ID: r.1${CRLF}Content-Length: ${body.byteLength}${CRLF}${CRLF}{"x"`,
    );
    expect(text).toContain(
      `Content-Type: multipart/mixed; boundary=changesetresponse_2_zz${CRLF}${CRLF}--changesetresponse_2_zz${CRLF}`,
    );
    expect(text.endsWith(`--changesetresponse_2_zz--${CRLF}${CRLF}--zz--${CRLF}`)).toBe(true);
  });
});
