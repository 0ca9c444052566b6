// This file runs the contract of stores against an FTP server.
import { describeStore } from '../contracts/attachment-store.ts';
import { openStoreOn, startFtpSrv } from '../contracts/ftp-servers.ts';

describeStore(
  'FTP',
  openStoreOn(() => startFtpSrv()),
);
describeStore(
  'FTP in active mode',
  openStoreOn(() => startFtpSrv('off', false)),
);
