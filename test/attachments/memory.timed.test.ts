// This file measures the memory that large files take on their way: some pieces, whatever their size.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from '../compiled.ts';
import { startFtpSrv, startVsftpd, whyNoVsftpd } from '../contracts/ftp-servers.ts';
import { startS3 } from '../contracts/s3-server.ts';

/** Bytes of the file; DOCKET_TEST_FILE_MIB takes another number of mebibytes, such as 1024. */
const SIZE = Number(process.env.DOCKET_TEST_FILE_MIB ?? 256) * 2 ** 20;
const MOST_MEBIBYTES = 200;
const CARRY = join(import.meta.dirname, '..', 'contracts', 'carry.mjs');

let compiled: string;
beforeAll(() => {
  compiled = compileSources();
}, 120_000);

/** Sends the file and reads it back in a process of its own; the server runs in this one. */
async function carry(kind: string, settings: object): Promise<unknown> {
  const words = [CARRY, compiled, kind, JSON.stringify(settings), String(SIZE)];
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 280_000 });
  process.stdout.write(`${kind}: ${stdout}`);
  return JSON.parse(stdout);
}

async function expectSmall(kind: string, settings: object): Promise<void> {
  const seen = await carry(kind, settings);
  expect(seen).toMatchObject({ isSame: true });
  expect(seen).toHaveProperty('mebibytes', expect.any(Number));
  expect((seen as { mebibytes: number }).mebibytes).toBeLessThan(MOST_MEBIBYTES);
}

describe(`a file of ${SIZE / 2 ** 20} MiB goes through a process of less than ${MOST_MEBIBYTES} MiB`, () => {
  it('to a directory and back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'docket-large-'));
    await expectSmall('local', { directory });
    rmSync(directory, { recursive: true });
  }, 300_000);

  it('to an FTP server and back', async () => {
    const { settings, end } = await startFtpSrv();
    await expectSmall('ftp', { ...settings, timeoutSeconds: 60 });
    await end();
  }, 300_000);

  const missing = whyNoVsftpd();
  it.skipIf(missing !== undefined)(
    `to vsftpd over TLS and back ${missing ?? ''}`,
    async () => {
      const { settings, end } = await startVsftpd('explicit');
      await expectSmall('ftp', { ...settings, timeoutSeconds: 60 });
      await end();
    },
    300_000,
  );

  it('to object storage and back', async () => {
    const { settings, end } = await startS3();
    await expectSmall('s3', { ...settings, timeoutSeconds: 60 });
    await end();
  }, 300_000);
});
