// This file sends a large file up and down through the whole service in a process of its own, and looks at how much memory that took.
// DOCKET_TEST_FILE_MIB takes another size, such as 1024.
// The limit is half of a file of 256 MiB: with Node 24, files of 64, 256 and 1,024 MiB take 78, 81 to 105 and 113 MiB; with Node 20, one of 256
// MiB takes 40 MiB. A service that keeps the pieces takes 347 MiB.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const SIZE = Number(process.env.DOCKET_TEST_FILE_MIB ?? 256) * 2 ** 20;
const MOST_ADDED = 128;

let service: Killable;
beforeAll(() => {
  process.env.DOCKET_FILES_LIMITS_BYTES = String(SIZE);
  // The service refuses variables that it does not know.
  delete process.env.DOCKET_TEST_FILE_MIB;
  service = makeKillable();
}, 120_000);
afterAll(() => {
  delete process.env.DOCKET_FILES_LIMITS_BYTES;
  service.close();
});

/** Pieces that differ from one another. */
function* pieces(total: number, hash: ReturnType<typeof createHash>): Generator<Buffer> {
  for (let sent = 0; sent < total; ) {
    const piece = Buffer.alloc(Math.min(65_536, total - sent), `${sent} `);
    hash.update(piece);
    sent += piece.byteLength;
    yield piece;
  }
}

/** Mebibytes that the process has had at most. */
function mostMemory({ child }: Serving): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}

async function send(
  url: string,
  token: string,
  body: Readable,
): Promise<{ status: number; text: string }> {
  const sent = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=large',
    },
  });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', async (answer) => {
      let text = '';
      for await (const piece of answer) text += String(piece);
      resolve({ status: answer.statusCode ?? 0, text });
    });
  });
  await pipeline(body, sent);
  return await answered;
}

function form(file: Iterable<Buffer>): Readable {
  return Readable.from(
    (function* () {
      yield Buffer.from(
        '--large\r\nContent-Disposition: form-data; name="large"; filename="l.bin"\r\n\r\n',
      );
      yield* file;
      yield Buffer.from('\r\n--large--\r\n');
    })(),
  );
}

it(`a file of ${SIZE / 2 ** 20} MiB goes up and down, and the service needs less than ${MOST_ADDED} MiB for it`, async () => {
  const serving = await service.serve();
  const token = await logIn(serving);
  const headers = { authorization: `Bearer ${token}` };
  const list = await fetch(`${serving.origin}/odata/ServiceRequests?$select=Uid`, { headers });
  const { value } = (await list.json()) as { value: readonly { Uid: number }[] };
  const path = `${serving.origin}/odata/ServiceRequests(${value[0]?.Uid})/Attachments`;
  const before = mostMemory(serving);
  const hash = createHash('sha256');
  const start = performance.now();
  const { status, text } = await send(path, token, form(pieces(SIZE, hash)));
  const between = performance.now();
  const digest = hash.digest('hex');
  expect([status, JSON.parse(text).Size, JSON.parse(text).Sha256]).toEqual([201, SIZE, digest]);
  const answer = await fetch(`${path}(${JSON.parse(text).Uid})/$value`, { headers });
  const got = createHash('sha256');
  for await (const piece of answer.body ?? []) got.update(piece);
  expect(got.digest('hex')).toBe(digest);
  const rate = (from: number, to: number) => Math.round(SIZE / 1000 / (to - from));
  const most = mostMemory(serving);
  process.stdout.write(
    `${SIZE / 2 ** 20} MiB: up ${rate(start, between)} MB/s, down ${rate(between, performance.now())} MB/s, ${before} MiB before, ${most} MiB at most\n`,
  );
  await kill(serving);
  expect(most - before).toBeLessThan(MOST_ADDED);
}, 300_000);
