// This file breaks FTP on purpose: servers that refuse, lie, fall silent or hang up, and what is told of each.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FtpSettings } from '../../src/attachments/ftp/connection.ts';
import { readListedDate } from '../../src/attachments/ftp/listing.ts';
import { openFtpStore } from '../../src/attachments/ftp/store.ts';
import type { AttachmentStore, ProbeStep } from '../../src/attachments/store.ts';
import { gather, listed, newKey, pieces } from '../contracts/attachment-store.ts';
import { FaultyFtp } from '../contracts/faulty-ftp.ts';
import { settingsFor, startFtpSrv } from '../contracts/ftp-servers.ts';

const UNAVAILABLE = { code: 'file.unavailable', status: 503, headers: { 'Retry-After': '30' } };

let server: FaultyFtp;
let port: number;
let elapsed: number;
let store: AttachmentStore;

/** A clock that runs on by hand as well: the pause after a server could not be reached is not slept through. */
const clock = { now: Date.now, elapsed: () => performance.now() + elapsed };
const open = (over: Partial<FtpSettings> = {}) =>
  openFtpStore(settingsFor(port, { timeoutSeconds: 1, ...over }), clock);

beforeEach(async () => {
  elapsed = 0;
  server = new FaultyFtp();
  port = await server.start();
  store = open();
});
afterEach(async () => {
  await store.close();
  await server.kill();
});

async function probe(of: AttachmentStore): Promise<ProbeStep[]> {
  const steps: ProbeStep[] = [];
  for await (const step of of.probe()) steps.push(step);
  return steps;
}

describe('an FTP server', () => {
  it('that does as it should passes', async () => {
    const key = newKey();
    const bytes = randomBytes(300_000);
    await store.put(key, pieces(bytes));
    expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
    expect((await probe(store)).every((step) => step.kind === 'done')).toBe(true);
  });

  it.each(['hung', 'cut', 'lying'] as const)(
    'that is %s in the middle of an upload gives 503, and nothing half stands under the key',
    async (trouble) => {
      server.trouble = trouble;
      const key = newKey();
      await expect(store.put(key, pieces(randomBytes(5_000_000)))).rejects.toMatchObject(
        UNAVAILABLE,
      );
      server.trouble = 'none';
      elapsed += 5000;
      expect(await store.size(key)).toBeUndefined();
      expect(await listed(store)).toEqual([]);
      await store.put(key, pieces(randomBytes(5)));
      expect(await store.size(key)).toBe(5);
    },
  );

  it.each([
    '452 too much',
    '552 no room',
    '426 Failure writing to local file: No space left on device',
    '451 Requested action aborted: disk full',
    '451-Transfer aborted\r\n451 Quota exceeded for user docket',
    '550 There is not enough space on the disk.',
    '553 You are over your disk quota',
  ])('that is full and says %j gives 507, keeps nothing, and goes on', async (reply) => {
    server.fullReply = reply;
    const key = newKey();
    for (const trouble of ['full', 'filling'] as const) {
      server.trouble = trouble;
      await expect(store.put(key, pieces(randomBytes(500_000)))).rejects.toMatchObject({
        code: 'file.full',
        status: 507,
      });
      expect([...server.files.keys()]).toEqual([]);
    }
    server.trouble = 'none';
    await store.put(key, pieces(randomBytes(50_000)));
    expect(await store.size(key)).toBe(50_000);
  });

  it.each([
    '451 Local error in processing',
    '550 Permission denied',
    '530 The quota is exceeded',
    '553 The space bar is not allowed in names',
  ])('that refuses for another reason, %j, is out of reach: 503', async (reply) => {
    server.fullReply = reply;
    server.trouble = 'full';
    await expect(store.put(newKey(), pieces(randomBytes(50_000)))).rejects.toMatchObject(
      UNAVAILABLE,
    );
  });

  it.each(['hung', 'cut', 'lying'] as const)(
    'that is %s in the middle of a download breaks the stream off, never ends it in good order',
    async (trouble) => {
      const key = newKey();
      const bytes = randomBytes(300_000);
      await store.put(key, pieces(bytes));
      server.trouble = trouble;
      await expect(gather(await store.get(key))).rejects.toMatchObject(UNAVAILABLE);
      server.trouble = 'none';
      elapsed += 5000;
      expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
    },
  );

  it('that takes calls and says nothing gives 503 after the time limit, then at once', async () => {
    server.trouble = 'mute';
    await expect(store.put(newKey(), pieces(randomBytes(5)))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.get(newKey())).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.size(newKey())).rejects.toMatchObject(UNAVAILABLE);
    expect(server.connections).toBe(1);
  });

  it('that is killed gives 503; when it is back the store works again', async () => {
    const key = newKey();
    const bytes = randomBytes(3_000_000);
    await store.put(key, pieces(bytes));
    const reading = gather(await store.get(key));
    await server.kill();
    await expect(reading).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.get(key)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.remove(key)).rejects.toMatchObject(UNAVAILABLE);
    await expect(listed(store)).rejects.toMatchObject(UNAVAILABLE);
    const { files } = server;
    server = new FaultyFtp();
    for (const [name, content] of files) server.files.set(name, content);
    await server.start(port);
    elapsed += 5000;
    expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
  });

  it('is called no more often at a time than is set, and the others wait', async () => {
    const narrow = open({ connections: 2, timeoutSeconds: 5 });
    await Promise.all(
      Array.from({ length: 12 }, () => narrow.put(newKey(), pieces(randomBytes(60_000)))),
    );
    expect(server.connections).toBe(2);
    expect(server.files.size).toBe(12);
    await narrow.close();
  });

  it('whose connections all stay in use gives 503 to who has waited too long', async () => {
    const key = newKey();
    const patient = open({ timeoutSeconds: 15 });
    await patient.put(key, pieces(randomBytes(4_000_000)));
    await patient.close();
    const narrow = open({ connections: 1 });
    const slow = await narrow.get(key);
    await expect(narrow.size(key)).rejects.toMatchObject(UNAVAILABLE);
    slow.destroy();
    expect(await narrow.size(key)).toBe(4_000_000);
    await narrow.close();
  });

  it('cannot break a listing off unnoticed', async () => {
    await store.put(newKey(), pieces(randomBytes(5)));
    server.trouble = 'unlisted';
    await expect(listed(store)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('the trial of an FTP store names the step that fails, and the remedy', () => {
  it('nobody answers', async () => {
    await server.kill();
    expect(await probe(store)).toEqual([
      {
        kind: 'failed',
        step: 'reach',
        reason: expect.stringContaining('ECONNREFUSED'),
        remedy: expect.stringContaining('files.ftp.port'),
      },
    ]);
  });

  it('silence', async () => {
    server.trouble = 'mute';
    expect(await probe(store)).toMatchObject([
      { step: 'reach', reason: expect.stringMatching(/Timeout|no reply/) },
    ]);
  });

  it('a wrong password, which is not shown', async () => {
    const real = await startFtpSrv();
    const wrong = openFtpStore({ ...real.settings, password: 'not the one' }, clock);
    const steps = await probe(wrong);
    expect(steps.map(({ kind, step }) => `${step} ${kind}`)).toEqual([
      'reach done',
      'log in failed',
    ]);
    expect(steps[1]).toMatchObject({ remedy: expect.stringContaining('files.ftp.password') });
    expect(JSON.stringify(steps)).not.toContain('not the one');
    await expect(wrong.put(newKey(), pieces(randomBytes(5)))).rejects.toMatchObject(UNAVAILABLE);
    await wrong.close();
    await real.end();
  });

  it('a certificate of an unknown authority', async () => {
    const real = await startFtpSrv('explicit');
    const { authorities: _, ...without } = real.settings;
    const distrusting = openFtpStore(without, clock);
    expect((await probe(distrusting)).at(-1)).toMatchObject({
      kind: 'failed',
      step: 'secure',
      remedy: expect.stringContaining('files.ftp.ca'),
    });
    await distrusting.close();
    const careless = openFtpStore({ ...without, verify: false }, clock);
    expect((await probe(careless)).every((step) => step.kind === 'done')).toBe(true);
    await careless.close();
    await real.end();
  });

  it('TLS where the server has none', async () => {
    const real = await startFtpSrv();
    const secure = openFtpStore({ ...real.settings, tls: 'explicit' }, clock);
    expect((await probe(secure)).at(-1)).toMatchObject({
      kind: 'failed',
      step: 'secure',
      remedy: expect.stringContaining('files.ftp.tls'),
    });
    await secure.close();
    await real.end();
  });
});

describe('dates of listings', () => {
  const now = Date.parse('2026-03-02T12:00:00Z');

  it.each([
    ['Nov 21  2020', '2020-11-22'],
    ['Feb 20 12:40', '2026-02-21'],
    ['Nov  9 12:40', '2025-11-10'],
    ['Mar  1 23:59', undefined],
    ['Mar  2 11:00', undefined],
    ['02-21-26 09:00AM', undefined],
    ['', undefined],
  ])('%j is told as %s', (text, day) => {
    expect(readListedDate(text, now)?.toISOString().slice(0, 10)).toBe(day);
  });
});
