// This file checks attachments that are kept on an FTP server or in object storage, in good and in bad times: the records go on, the
// bytes are whole or refused, and everything can be carried over while it is used.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveFiles } from '../../src/attachments/move-files.ts';
import { sweepReleased } from '../../src/attachments/remove-orphans.ts';
import { listed } from '../contracts/attachment-store.ts';
import { FaultyFtp } from '../contracts/faulty-ftp.ts';
import { type S3Server, startS3 } from '../contracts/s3-server.ts';
import { type Desk, openDesk } from './desk.ts';
import { storedSizes, upload } from './files.ts';
import { REQUEST } from './records.ts';

const FILES = `/ServiceRequests(${REQUEST})/Attachments`;

let storage: S3Server;
let server: FaultyFtp;
let port: number;
let desk: Desk;

/** The settings of all three stores, with the one that gets new files. */
function settings(store: string) {
  const { endpoint, bucket, accessKey, secretKey } = storage.settings;
  const ftp = { host: '127.0.0.1', port, user: 'desk', password: 'secret', timeoutSeconds: 1 };
  return { files: { store, ftp, s3: { endpoint, bucket, accessKey, secretKey } } };
}

beforeAll(async () => {
  storage = await startS3();
});
afterAll(async () => await storage.end());

beforeEach(async () => {
  server = new FaultyFtp();
  port = await server.start();
  desk = await openDesk({ settings: settings('ftp') });
});
afterEach(async () => {
  await desk.close();
  await server.kill();
});

async function send(name: string, bytes: Buffer) {
  return await upload(desk, FILES, { name, fileName: `${name}.bin`, type: 'image/png', bytes });
}

describe('files on an FTP server', () => {
  it('are uploaded, downloaded as a whole and in parts, and replaced', async () => {
    const bytes = randomBytes(300_000);
    const { json, status } = await send('photo', bytes);
    expect(status).toBe(201);
    expect([...server.files.values()].map((file) => file.equals(bytes))).toEqual([true]);
    const link = json['@odata.mediaReadLink'];
    expect((await desk.get(link)).bytes.equals(bytes)).toBe(true);
    const part = await desk.get(link, { range: 'bytes=1000-1999' });
    expect([part.status, part.bytes.equals(bytes.subarray(1000, 2000))]).toEqual([206, true]);
    const several = await desk.get(link, { range: 'bytes=0-9,100-199' });
    expect(several.status).toBe(206);
    const headers = { 'content-type': 'text/plain' };
    const put = await desk.send('PUT', link, { headers, body: Buffer.from('another') });
    expect(put.status).toBe(204);
    expect((await desk.get(link)).text).toBe('another');
  });

  it('are called by names of the service alone, whatever clients call them', async () => {
    for (const [index, fileName] of [
      '../../etc/passwd',
      'a; DELE b',
      'NUL',
      'x'.repeat(255),
    ].entries())
      await upload(desk, FILES, { name: `n${index}`, fileName, bytes: 'x' });
    expect([...server.files.keys()]).toHaveLength(4);
    for (const path of server.files.keys()) expect(path).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{32}$/);
  });

  it('go with their record, once they are swept', async () => {
    const { json } = await send('soon-gone', randomBytes(1000));
    await desk.send('DELETE', json['@odata.id'] ?? `${FILES}(${json.Uid})`);
    expect(await sweepReleased(desk.installation)).toBe(1);
    expect([...server.files.keys()]).toEqual([]);
  });

  it('a server that is away: 503 for bytes with Retry-After, nothing kept, and everything else goes on', async () => {
    const { json } = await send('before', randomBytes(5000));
    await server.kill();
    const refused = await send('meanwhile', randomBytes(5000));
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('30');
    expect(refused.json.error).toMatchObject({ code: 'file.unavailable' });
    expect(refused.text).not.toContain('127.0.0.1');
    const download = await desk.get(json['@odata.mediaReadLink']);
    expect([download.status, download.headers['retry-after']]).toEqual([503, '30']);
    const list = await desk.get(`${FILES}?$select=Name`);
    expect(list.json.value.map(({ Name }: { Name: string }) => Name)).toContain('before');
    expect(list.text).not.toContain('meanwhile');
    const rename = await desk.send('PATCH', `${FILES}(${json.Uid})`, { body: { Name: 'renamed' } });
    expect(rename.status).toBe(204);
    const create = await desk.send('POST', '/ServiceRequests', {
      body: { Description: 'goes on' },
    });
    expect(create.status).toBe(201);
  });

  it.each(['cut', 'lying', 'hung'] as const)(
    'a server that is %s in the middle of an upload: 503, no record, and nothing half under a key',
    async (trouble) => {
      const before = (await desk.get(`${FILES}/$count`)).text;
      server.trouble = trouble;
      expect((await send('half', randomBytes(3_000_000))).status).toBe(503);
      server.trouble = 'none';
      expect((await desk.get(`${FILES}/$count`)).text).toBe(before);
      expect([...server.files.keys()].filter((path) => !path.endsWith('.part'))).toEqual([]);
    },
  );

  it('a server that is full: 507, and nothing kept', async () => {
    server.trouble = 'full';
    const answer = await send('too-much', randomBytes(50_000));
    expect([answer.status, answer.json.error.code]).toEqual([507, 'file.full']);
    server.trouble = 'none';
    expect(await storedSizes(desk)).toEqual([]);
    expect((await send('again', randomBytes(50_000))).status).toBe(201);
  });
});

describe('files that are carried over', () => {
  it('from a directory to FTP and on to object storage, while they are read and more come', async () => {
    await desk.close();
    desk = await openDesk({ settings: settings('local') });
    const { database, stores } = desk.installation;
    const sent = new Map<string, Buffer>();
    const sendOne = async (name: string) => {
      const bytes = randomBytes(2000 + sent.size * 100);
      const { json, status } = await send(name, bytes);
      expect(status).toBe(201);
      sent.set(json['@odata.mediaReadLink'], bytes);
    };
    const readAll = async () => {
      for (const [link, bytes] of sent) {
        const answer = await desk.get(link);
        expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true]);
      }
    };
    for (let index = 0; index < 15; index++) await sendOne(`first-${index}`);
    for (const name of ['ftp', 's3']) {
      let isDone = false;
      const move = {
        database,
        stores,
        to: stores.named(name),
        width: 3,
        grace: 1000,
        progress: () => undefined,
      };
      const moving = moveFiles(move).finally(() => {
        isDone = true;
      });
      const reading = (async () => {
        do await readAll();
        while (!isDone);
      })();
      await sendOne(`meanwhile-${name}`);
      const { unmoved } = await moving;
      await reading;
      expect(unmoved).toEqual([]);
      await moveFiles(move);
      await readAll();
    }
    expect(await listed(stores.named('local'))).toEqual([]);
    expect([...server.files.keys()]).toEqual([]);
    expect(await listed(stores.named('s3'))).toHaveLength(17);
  }, 60_000);
});
