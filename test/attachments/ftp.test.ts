import { performance } from 'node:perf_hooks';
import { describe } from 'vitest';
import { openFtpStore } from '../../src/attachments/ftp.ts';
import { describeStore } from '../contracts/attachment-store.ts';
import { type FtpServer, startFtpSrv, startVsftpd, whyNoVsftpd } from '../contracts/ftp-servers.ts';

const clock = { now: Date.now, elapsed: () => performance.now() };

const opened = (start: () => Promise<FtpServer>) => async () => {
  const { settings, end } = await start();
  return { store: openFtpStore(settings, clock), end };
};

describeStore(
  'FTP with the server of a package',
  opened(() => startFtpSrv()),
);
describeStore(
  'FTP in active mode',
  opened(() => startFtpSrv('off', false)),
);
describeStore(
  'FTPS, explicit',
  opened(() => startFtpSrv('explicit')),
);
describeStore(
  'FTPS, implicit',
  opened(() => startFtpSrv('implicit')),
);

const missing = whyNoVsftpd();
describe.skipIf(missing !== undefined)(
  `vsftpd${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    describeStore(
      'FTP',
      opened(() => startVsftpd()),
    );
    describeStore(
      'FTP in active mode',
      opened(async () => {
        const server = await startVsftpd();
        return { ...server, settings: { ...server.settings, passive: false } };
      }),
    );
    describeStore(
      'FTPS, with sessions that must be reused',
      opened(() => startVsftpd('explicit')),
    );
  },
);
