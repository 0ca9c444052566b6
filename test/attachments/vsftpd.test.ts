// This file runs the contract of stores against vsftpd, where it is installed.
import { describe } from 'vitest';
import { describeStore } from '../contracts/attachment-store.ts';
import { openStoreOn, startVsftpd, whyNoVsftpd } from '../contracts/ftp-servers.ts';

const missing = whyNoVsftpd();

describe.skipIf(missing !== undefined)(`vsftpd ${missing ?? ''}`, () => {
  const active = async () => {
    const server = await startVsftpd();
    return { ...server, settings: { ...server.settings, passive: false } };
  };
  describeStore(
    'FTP',
    openStoreOn(() => startVsftpd()),
  );
  describeStore('FTP in active mode', openStoreOn(active));
  describeStore(
    'FTPS, with sessions that must be reused',
    openStoreOn(() => startVsftpd('explicit')),
  );
});
