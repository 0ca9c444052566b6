// This file runs the contract of stores against object storage, and breaks the line to it.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { elements } from '../../src/attachments/s3/request.ts';
import { openS3Store } from '../../src/attachments/s3/store.ts';
import type { AttachmentStore, ProbeStep } from '../../src/attachments/store.ts';
import { describeStore, gather, listed, newKey, pieces } from '../contracts/attachment-store.ts';
import { type S3Server, SECRET_KEY, s3Settings, startS3 } from '../contracts/s3-server.ts';

describeStore('object storage', async () => {
  const { settings, end } = await startS3();
  return { store: openS3Store(settings), end };
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Amazon S3 API Reference, "Signature Calculations for the Authorization Header". */
function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const { pathname, search } = new URL(url ?? '', 'http://line');
  const query = search.slice(1).split('&').sort().join('&');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const digest = String(headers['x-amz-content-sha256']);
  const canonical = [method, pathname, query, lines.join(''), names, digest].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${SECRET_KEY}`,
    );
  return createHmac('sha256', key).update(text).digest('hex') === signature;
}

const UNAVAILABLE = { code: 'file.unavailable', status: 503, headers: { 'Retry-After': '30' } };

type Trouble = 'none' | 'mute' | 'cut' | 'hung' | 'busy' | 'full' | 'late error';

describe('storage behind a line that goes wrong', () => {
  let real: S3Server;
  let line: Server;
  let trouble: Trouble;
  let store: AttachmentStore;
  let asked: string[];
  let answers: number;
  let tries: number;
  let unsigned: string[];
  /** What is answered in place of the real storage. */
  let scripted: ((search: string) => string) | undefined;

  beforeAll(async () => {
    real = await startS3();
  });
  afterAll(async () => {
    await real.end();
  });
  beforeEach(async () => {
    [trouble, asked, answers, tries] = ['none', [], 0, 0];
    scripted = undefined;
    unsigned = [];
    line = createServer((incoming, outgoing) => {
      const { pathname, search } = new URL(incoming.url ?? '', 'http://line');
      asked.push(
        `${incoming.method} ${pathname.includes('/desk/') ? 'object' : 'bucket'}${search}`,
      );
      tries += 1;
      if (!isSigned(incoming)) unsigned.push(`${incoming.method} ${incoming.url}`);
      if (trouble === 'mute') return;
      if (scripted !== undefined) {
        outgoing.end(incoming.method === 'GET' ? scripted(search) : undefined);
        return;
      }
      if (trouble === 'busy' && tries <= answers) {
        outgoing.writeHead(503).end('<Error><Code>SlowDown</Code><Message>later</Message></Error>');
        incoming.resume();
        return;
      }
      if (trouble === 'full' && incoming.method === 'PUT') {
        outgoing.writeHead(507).end('<Error><Code>XMinioStorageFull</Code></Error>');
        incoming.resume();
        return;
      }
      if (trouble === 'late error' && incoming.method === 'POST' && search.includes('uploadId')) {
        outgoing
          .writeHead(200)
          .end('<Error><Code>InternalError</Code><Message>x</Message></Error>');
        incoming.resume();
        return;
      }
      const { port } = new URL(real.settings.endpoint);
      const onward = forward(
        {
          host: '127.0.0.1',
          port,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          const isDownload = incoming.method === 'GET' && pathname.includes('/desk/');
          if (!isDownload || trouble === 'none') {
            answer.pipe(outgoing);
            return;
          }
          answer.once('data', (piece) => {
            outgoing.write(piece.subarray(0, 1000));
            answer.destroy();
            if (trouble === 'cut') setTimeout(() => outgoing.destroy(), 50);
          });
        },
      );
      onward.on('error', () => outgoing.destroy());
      if (trouble === 'cut' && incoming.method === 'PUT') {
        incoming.once('data', () => incoming.socket.resetAndDestroy());
        onward.destroy();
      } else incoming.pipe(onward);
    });
    line.listen(0, '127.0.0.1');
    await once(line, 'listening');
    const address = line.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    // The signature covers the host; the line's own address is what both sides see.
    store = openS3Store(s3Settings(port, { timeoutSeconds: 0.7 }));
  });
  afterEach(async () => {
    line.closeAllConnections();
    line.close();
    await once(line, 'close');
  });

  it('every request is signed, in the way the storage computes it', async () => {
    const key = newKey();
    await store.put(key, pieces(randomBytes(11_000_000)));
    await gather(await store.get(key, { first: 5, last: 9 }));
    await listed(store);
    await store.remove(key);
    expect(asked.length).toBeGreaterThan(8);
    expect(unsigned).toEqual([]);
  });

  it('small files go in one request, large ones in parts of 5 MiB', async () => {
    const before = await listed(store);
    asked = [];
    await store.put(newKey(), pieces(randomBytes(100_000)));
    expect(asked).toEqual(['PUT object', 'HEAD object']);
    asked = [];
    const key = newKey();
    await store.put(key, pieces(randomBytes(11_000_000)));
    const shapes = asked.map((line) => line.replace(/uploadId=[^&]*/, 'uploadId='));
    expect(shapes[0]).toBe('POST object?uploads=');
    // A part whose connection breaks is sent again.
    const parts = shapes.filter((line) => line.startsWith('PUT object?partNumber='));
    expect(new Set(parts).size).toBe(3);
    expect(shapes.at(-2)).toBe('POST object?uploadId=');
    expect(await listed(store)).toHaveLength(before.length + 2);
  });

  it('an upload that breaks in the middle is taken back', async () => {
    async function* breaking() {
      yield* pieces(randomBytes(11_000_000));
      throw new Error('the client has gone');
    }
    await expect(store.put(newKey(), breaking())).rejects.toThrow('the client has gone');
    expect(asked.some((line) => line.startsWith('DELETE object?uploadId='))).toBe(true);
  });

  it.each(['mute', 'cut'] as const)(
    'a line that is %s gives 503 and no object',
    async (kind) => {
      for (const size of [100_000, 11_000_000]) {
        trouble = kind;
        const key = newKey();
        await expect(store.put(key, pieces(randomBytes(size)))).rejects.toMatchObject(UNAVAILABLE);
        trouble = 'none';
        expect(await store.size(key)).toBeUndefined();
      }
    },
    30_000,
  );

  it.each(['cut', 'hung'] as const)(
    'a download that is %s breaks off, and never ends in good order',
    async (kind) => {
      const key = newKey();
      await store.put(key, pieces(randomBytes(3_000_000)));
      trouble = kind;
      await expect(gather(await store.get(key))).rejects.toMatchObject(UNAVAILABLE);
    },
  );

  it('storage that is busy is asked again, and not for ever', async () => {
    trouble = 'busy';
    answers = 2;
    const key = newKey();
    await store.put(key, pieces(randomBytes(1000)));
    [tries, answers] = [0, 1000];
    await expect(store.size(key)).rejects.toMatchObject(UNAVAILABLE);
    expect(tries).toBe(3);
  });

  it('storage without room gives 507', async () => {
    trouble = 'full';
    await expect(store.put(newKey(), pieces(randomBytes(1000)))).rejects.toMatchObject({
      code: 'file.full',
      status: 507,
    });
  });

  it('a list of several pages is read to its end, with uploads that were broken off', async () => {
    const [first, second, third] = [newKey(), newKey(), newKey()];
    const entry = (key: string) =>
      `<Contents><Key>desk/${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents>`;
    const upload = `<Upload><Key>desk/${third}</Key><UploadId>u&amp;1</UploadId><Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>`;
    scripted = (search) => {
      const page = `<R>${search.includes('continuation-token=next') ? entry(second) : `${entry(first)}<Contents><Key>desk/foreign.txt</Key></Contents><NextContinuationToken>next&amp;1</NextContinuationToken>`}</R>`;
      return search.includes('uploads') ? `<R>${upload}</R>` : page;
    };
    const modified = new Date('2026-01-02T03:04:05Z');
    const expected = [
      { key: first, size: 7, modified },
      { key: second, size: 7, modified },
      { key: `${third}.part`, size: 0, modified },
    ];
    const found = await listed(store);
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining(expected));
    asked = [];
    await store.remove(`${third}.part`);
    expect(asked.at(-1)).toBe('DELETE object?uploadId=u%261');
  });

  it('a refusal that comes with status 200 is one', async () => {
    trouble = 'late error';
    const key = newKey();
    await expect(store.put(key, pieces(randomBytes(11_000_000)))).rejects.toMatchObject(
      UNAVAILABLE,
    );
    trouble = 'none';
    expect(await store.size(key)).toBeUndefined();
  });

  async function probe(of: AttachmentStore): Promise<ProbeStep[]> {
    const steps: ProbeStep[] = [];
    for await (const step of of.probe()) steps.push(step);
    return steps;
  }

  it('the trial names the step that fails and the remedy, and no secret', async () => {
    const cases = [
      [{ endpoint: 'http://127.0.0.1:1' }, 'reach', 'files.s3.endpoint'],
      [
        { accessKey: 'NOBODY', secretKey: 'a secret that is wrong' },
        'log in',
        'files.s3.secretKey',
      ],
      [{ bucket: 'no-such-bucket' }, 'bucket', 'files.s3.bucket'],
    ] as const;
    for (const [over, step, remedy] of cases) {
      const steps = await probe(openS3Store({ ...real.settings, ...over }));
      expect(steps.at(-1)).toMatchObject({
        kind: 'failed',
        step,
        remedy: expect.stringContaining(remedy),
      });
      expect(JSON.stringify(steps)).not.toContain('a secret that is wrong');
    }
  }, 30_000);

  it('a bucket before the host is asked for there', async () => {
    const elsewhere = openS3Store({
      ...real.settings,
      endpoint: real.settings.endpoint.replace('127.0.0.1', 'localhost'),
      pathStyle: false,
    });
    const [step] = await probe(elsewhere);
    // Names below localhost lead to this machine or nowhere, as the system has it.
    if (step?.kind === 'failed') expect(step.reason).toContain('docket-files.localhost');
    else expect(step).toMatchObject({ kind: 'done', step: 'reach' });
  });
});

it('the documents of the storage are read with their entities', () => {
  const text = '<A><Key>a&amp;b</Key><Key>&lt;c&gt;</Key></A><Code/>';
  expect(elements(text, 'Key')).toEqual(['a&b', '<c>']);
  expect(elements(text, 'Code')).toEqual([]);
});
