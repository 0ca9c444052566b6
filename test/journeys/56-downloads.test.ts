// This file checks how bytes of files are given: whole and in ranges, conditionally, to HEAD, and what becomes of them when the store
// fails or a client goes away. Sources: RFC 9110, "Range Requests", "Conditional Requests".
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../src/attachments/store.ts';
import { type Desk, openDesk } from './desk.ts';
import { formOf, sha256, storedSizes, upload } from './files.ts';
import { REQUEST } from './records.ts';

let desk: Desk;
let address: string;
const FILES = `/ServiceRequests(${REQUEST})/Attachments`;
const BYTES = Buffer.from('0123456789abcdefghij');
const TAG = `"${sha256(BYTES)}"`;

beforeAll(async () => {
  desk = await openDesk({ settings: { tokenBinding: 'off' } });
  const { json } = await upload(desk, FILES, { name: 'digits', fileName: 'd.txt', bytes: BYTES });
  address = json['@odata.mediaReadLink'];
});

afterEach(() => vi.restoreAllMocks());
afterAll(async () => await desk.close());

describe('ranges', () => {
  it.each([
    ['bytes=0-4', '01234', 'bytes 0-4/20'],
    ['bytes=5-', '56789abcdefghij', 'bytes 5-19/20'],
    ['bytes=-3', 'hij', 'bytes 17-19/20'],
    ['bytes=-100', BYTES.toString(), 'bytes 0-19/20'],
    ['bytes=18-99', 'ij', 'bytes 18-19/20'],
    ['bytes= 1-1 , 99-', '1', 'bytes 1-1/20'],
  ])('%s gives 206 with these bytes', async (range, text, told) => {
    const { status, headers, text: got } = await desk.get(address, { range });
    expect([status, got, headers['content-range'], headers['content-length']]).toEqual([
      206,
      text,
      told,
      String(text.length),
    ]);
    expect(headers.etag).toBe(TAG);
  });

  it('several ranges come as multipart/byteranges', async () => {
    const { status, headers, text } = await desk.get(address, { range: 'bytes=0-1,10-12' });
    const [, boundary] =
      /^multipart\/byteranges; boundary=(.+)$/.exec(String(headers['content-type'])) ?? [];
    expect(status).toBe(206);
    expect(text).toBe(
      `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/20\r\n\r\n01` +
        `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes 10-12/20\r\n\r\nabc` +
        `\r\n--${boundary}--\r\n`,
    );
    expect(headers['content-length']).toBe(String(text.length));
  });

  it('a range behind the end: 416 with the size', async () => {
    const { status, headers, json } = await desk.get(address, { range: 'bytes=20-' });
    expect([status, headers['content-range'], json.error.code]).toEqual([
      416,
      'bytes */20',
      'file.range',
    ]);
  });

  it.each([
    'bytes=5-2',
    'lines=1-2',
    'bytes=a-b',
    'bytes=-',
    'bytes=0-19,0-19,0-19',
    `bytes=${Array.from({ length: 40 }, (_, index) => `${index}-${index}`).join()}`,
  ])('%s is no range that has to be followed: 200', async (range) => {
    const { status, text } = await desk.get(address, { range });
    expect([status, text]).toEqual([200, BYTES.toString()]);
  });

  it('If-Range: the range while the bytes are those, else all of them', async () => {
    const range = 'bytes=0-0';
    expect((await desk.get(address, { range, 'if-range': TAG })).status).toBe(206);
    expect((await desk.get(address, { range, 'if-range': '"other"' })).status).toBe(200);
    expect((await desk.get(address, { range, 'if-range': `W/${TAG}` })).status).toBe(200);
  });
});

describe('conditions', () => {
  it('If-None-Match: 304 without bytes', async () => {
    const { status, text, headers } = await desk.get(address, { 'if-none-match': `"x", W/${TAG}` });
    expect([status, text, headers.etag]).toEqual([304, '', TAG]);
    expect((await desk.get(address, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('If-Match: 412 where the bytes are others', async () => {
    expect((await desk.get(address, { 'if-match': '"x"' })).status).toBe(412);
    expect((await desk.get(address, { 'if-match': TAG })).status).toBe(200);
  });

  it('Accept that the type is not among: 406', async () => {
    expect((await desk.get(address, { accept: 'image/png' })).status).toBe(406);
    expect((await desk.get(address, { accept: 'text/*' })).status).toBe(200);
  });

  it('HEAD tells everything but the bytes, without asking the store', async () => {
    const read = vi.spyOn(desk.installation.stores.target, 'get');
    const { status, text, headers } = await desk.send('HEAD', address);
    expect([status, text, headers['content-length'], headers.etag]).toEqual([200, '', '20', TAG]);
    expect(read).not.toHaveBeenCalled();
  });
});

describe('a store that fails', () => {
  const store = () => desk.installation.stores.target;
  const kept = async () => {
    const count = `SELECT count(*) FROM "docket_file" WHERE "state" = 'kept'`;
    const [row] = await desk.installation.database.read(count, []);
    return row?.[0];
  };

  it('an upload: 503 with Retry-After, nothing left; records go on', async () => {
    vi.spyOn(store(), 'put').mockRejectedValue(unavailable('local', new Error('out of reach')));
    const before = await kept();
    const { status, json, headers } = await upload(desk, FILES, { name: 'lost', fileName: 'l' });
    expect([status, json.error.code]).toEqual([503, 'file.unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(await kept()).toBe(before);
    expect((await desk.get(`${FILES}?$filter=Name eq 'lost'`)).json.value).toEqual([]);
    expect(
      (await desk.send('PATCH', `/ServiceRequests(${REQUEST})`, { body: { Solution: 'x' } }))
        .status,
    ).toBe(204);
  });

  it('a download: 503 with Retry-After; the list and HEAD go on', async () => {
    vi.spyOn(store(), 'get').mockRejectedValue(unavailable('local'));
    const { status, headers } = await desk.get(address);
    expect([status, headers['retry-after'] !== undefined]).toEqual([503, true]);
    expect((await desk.get(FILES)).status).toBe(200);
    expect((await desk.send('HEAD', address)).status).toBe(200);
  });

  it('an upload that would be refused anyway is refused for that', async () => {
    vi.spyOn(store(), 'put').mockRejectedValue(unavailable('local', new Error('out of reach')));
    const nowhere = '/ServiceRequests(9)/Attachments';
    const { status, json } = await upload(desk, nowhere, { name: 'lost', fileName: 'l' });
    expect([status, json.error.code]).toEqual([404, 'write.not-found']);
  });

  it.each([
    { what: 'a small file, which is kept without a rehearsal', size: 100, failing: 1 },
    { what: 'a large file', size: 3 * 2 ** 20, failing: 2 },
  ])('a database that does not take the row of $what: the bytes are removed', async (one) => {
    const before = await storedSizes(desk);
    const { database } = desk.service;
    const put = vi.spyOn(store(), 'put');
    let writes = 0;
    vi.spyOn(database, 'write').mockImplementation(async (deed) => {
      writes += 1;
      if (writes === one.failing) throw unavailable('local');
      return await desk.installation.database.write(deed);
    });
    const file = { name: 'half', fileName: 'h', bytes: Buffer.alloc(one.size) };
    expect((await upload(desk, FILES, file)).status).toBe(503);
    expect(put).toHaveBeenCalledTimes(1);
    expect(writes).toBe(one.failing);
    expect(await storedSizes(desk)).toEqual(before);
  });
});

describe('over a connection', () => {
  let origin: string;
  let token: string;

  beforeAll(async () => {
    await desk.app.server.listen({ port: 0, host: '127.0.0.1' });
    const [bound] = desk.app.server.addresses();
    origin = `http://127.0.0.1:${typeof bound === 'object' ? bound.port : ''}`;
    const answer = await fetch(`${origin}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        username: 'admin',
        password: 'correct horse battery',
      }),
    });
    const body: unknown = await answer.json();
    token = `Bearer ${typeof body === 'object' && body !== null && 'access_token' in body ? body.access_token : ''}`;
  });

  it('a download that breaks off in the store breaks the connection, and is never taken for the whole', async () => {
    vi.spyOn(desk.installation.stores.target, 'get').mockImplementation(async () =>
      Readable.from(
        (async function* () {
          yield BYTES.subarray(0, 5);
          throw unavailable('local');
        })(),
      ),
    );
    const path = address.slice('http://desk.example'.length);
    await expect(
      fetch(`${origin}${path}`, { headers: { authorization: token } }).then((answer) =>
        answer.text(),
      ),
    ).rejects.toThrow();
  });

  it('a client that goes away while it reads ends the reading', async () => {
    const { json } = await upload(desk, FILES, {
      name: 'long',
      fileName: 'l',
      bytes: Buffer.alloc(20_000_000),
    });
    const store = desk.installation.stores.target;
    const open = store.get;
    const opened: Readable[] = [];
    vi.spyOn(store, 'get').mockImplementation(async (key, range) => {
      const stream = await open(key, range);
      opened.push(stream);
      return stream;
    });
    const path = String(json['@odata.mediaReadLink']).slice('http://desk.example'.length);
    const asked = httpGet(`${origin}${path}`, { headers: { authorization: token } });
    const [answer] = await once(asked, 'response');
    answer.on('error', () => undefined);
    asked.on('error', () => undefined);
    asked.destroy();
    await vi.waitFor(() => expect(opened.map((stream) => stream.destroyed)).toEqual([true]), {
      timeout: 15_000,
    });
    await desk.send('DELETE', path.slice('/odata'.length));
  });

  /** The answer as it begins, over a connection of its own. */
  async function reading(link: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const url = `${origin}${link.slice('http://desk.example'.length)}`;
    const asked = httpGet(url, { agent: false, headers: { authorization: token, ...headers } });
    const [answer] = await once(asked, 'response');
    return answer;
  }

  it('many downloads at once, of all and of ranges, read slowly or given up: each gets its own bytes', async () => {
    const files = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const bytes = randomBytes(12_000_000 + index);
        const file = { name: `many-${index}`, fileName: `${index}.bin`, bytes };
        return { bytes, path: (await upload(desk, FILES, file)).json['@odata.mediaReadLink'] };
      }),
    );
    const reads = Array.from({ length: 20 }, async (_, turn) => {
      const { bytes, path } = files[turn % files.length] ?? { bytes: BYTES, path: address };
      const isRange = turn % 5 === 0;
      const range = isRange ? { range: 'bytes=1000-9500999' } : undefined;
      const answer = await reading(path, range ?? {});
      if (turn % 7 === 3) {
        await once(answer, 'readable');
        answer.destroy();
        return;
      }
      // Until then as much is on its way as the connection holds.
      if (turn % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 300));
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece);
      const expected = isRange ? bytes.subarray(1000, 9_501_000) : bytes;
      expect(Buffer.concat(pieces).equals(expected)).toBe(true);
    });
    await Promise.all(reads);
  });

  it('a client that goes away while it sends leaves nothing', async () => {
    const before = await storedSizes(desk);
    const { headers = {}, body } = formOf([
      { name: 'torn', fileName: 't', bytes: Buffer.alloc(300_000, 1) },
    ]);
    const sent = httpRequest(`${origin}/odata${FILES}`, {
      method: 'POST',
      headers: { ...headers, authorization: token, 'content-length': String(body.length) },
    });
    sent.on('error', () => undefined);
    sent.write(body.subarray(0, 200_000));
    await new Promise((resolve) => setTimeout(resolve, 300));
    sent.destroy();
    await vi.waitFor(async () => expect(desk.app.pending()).toBe(0), { timeout: 15_000 });
    expect(await storedSizes(desk)).toEqual(before);
    expect((await desk.get(`${FILES}?$filter=Name eq 'torn'`)).json.value).toEqual([]);
  });

  it('what is refused is refused before the bytes are sent', async () => {
    const keep = vi.spyOn(desk.installation.stores.target, 'put');
    const { headers = {}, body } = formOf([
      { name: 'digits', fileName: 't', bytes: Buffer.alloc(3_000_000, 1) },
    ]);
    const answer = await fetch(`${origin}/odata${FILES}`, {
      method: 'POST',
      headers: { ...headers, authorization: token },
      body,
    });
    expect(answer.status).toBe(409);
    expect(keep).not.toHaveBeenCalled();
  });
});
