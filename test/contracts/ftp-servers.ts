// This file starts FTP servers for tests on free ports of this machine: one of the packages within this process, and vsftpd where the
// system has it. Each serves a fresh directory.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FtpSrv } from 'ftp-srv';
import { generate } from 'selfsigned';
import type { FtpSettings } from '../../src/attachments/ftp/connection.ts';
import { openFtpStore } from '../../src/attachments/ftp/store.ts';
import type { OpenStore } from './attachment-store.ts';

export interface FtpServer {
  readonly settings: FtpSettings;
  /** The directory in which the server keeps the files. */
  readonly directory: string;
  readonly end: () => Promise<void>;
}

export type Tls = FtpSettings['tls'];

const USER = 'docket';
const PASSWORD = 'known to nobody else';

/** What the settings are where a test says nothing else. */
export function settingsFor(port: number, over: Partial<FtpSettings> = {}): FtpSettings {
  return {
    host: '127.0.0.1',
    port,
    user: USER,
    password: PASSWORD,
    directory: 'made/by/the/service',
    tls: 'off',
    verify: true,
    passive: true,
    connections: 4,
    timeoutSeconds: 10,
    ...over,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

interface Certificate {
  readonly cert: string;
  readonly private: string;
}

/** A certificate for this machine, of an authority that is itself. */
async function makeCertificate(): Promise<Certificate> {
  return await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
}

/** A store on a server that is started for it. */
export function openStoreOn(start: () => Promise<FtpServer>): () => Promise<OpenStore> {
  return async () => {
    const { settings, end } = await start();
    const clock = { now: Date.now, elapsed: () => performance.now() };
    return { store: openFtpStore(settings, clock), end };
  };
}

const quiet = () => undefined;
const SILENT = {
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  fatal: quiet,
  child: () => SILENT,
};

const folder = () => mkdtempSync(join(tmpdir(), 'docket-ftp-'));

/** The server of the package ftp-srv. */
export async function startFtpSrv(tls: Tls = 'off', passive = true): Promise<FtpServer> {
  const directory = folder();
  const port = await freePort();
  const made = tls === 'off' ? undefined : await makeCertificate();
  const server = new FtpSrv({
    url: `${tls === 'implicit' ? 'ftps' : 'ftp'}://127.0.0.1:${port}`,
    pasv_url: '127.0.0.1',
    log: SILENT,
    tls: made === undefined ? false : { cert: made.cert, key: made.private },
  });
  server.on('login', ({ username, password }, resolve, reject) => {
    if (username === USER && password === PASSWORD) resolve({ root: directory });
    else reject(new Error('Login incorrect'));
  });
  server.on('client-error', quiet);
  await server.listen();
  return {
    settings: settingsFor(port, { tls, passive, authorities: made?.cert }),
    directory,
    end: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const VSFTPD = '/usr/sbin/vsftpd';

/** Why vsftpd cannot be used here; undefined when it can. */
export function whyNoVsftpd(): string | undefined {
  const found = spawnSync(VSFTPD, ['-v'], { timeout: 5000 });
  return found.error === undefined ? undefined : `no ${VSFTPD}`;
}

/** vsftpd with a configuration of its own, as the user who runs the tests; it lets in whoever calls himself ftp. */
export async function startVsftpd(tls: 'off' | 'explicit' = 'off', more = ''): Promise<FtpServer> {
  const base = folder();
  const directory = join(base, 'root');
  mkdirSync(directory);
  const port = await freePort();
  const made = tls === 'off' ? undefined : await makeCertificate();
  const lines = [
    ...['listen=YES', 'listen_address=127.0.0.1', `listen_port=${port}`, 'background=NO'],
    ...['anonymous_enable=YES', 'local_enable=NO', 'write_enable=YES', 'run_as_launching_user=YES'],
    ...['anon_upload_enable=YES', 'anon_mkdir_write_enable=YES', 'anon_other_write_enable=YES'],
    ...['anon_world_readable_only=NO', 'anon_umask=077', `anon_root=${directory}`],
    ...['seccomp_sandbox=NO', 'connect_from_port_20=NO', `secure_chroot_dir=${directory}`, more],
  ];
  if (made !== undefined) {
    writeFileSync(join(base, 'tls.pem'), `${made.cert}\n${made.private}\n`, { mode: 0o600 });
    lines.push('ssl_enable=YES', 'allow_anon_ssl=YES', `rsa_cert_file=${join(base, 'tls.pem')}`);
    lines.push('force_anon_logins_ssl=YES', 'force_anon_data_ssl=YES', 'require_ssl_reuse=YES');
  }
  const file = join(base, 'vsftpd.conf');
  writeFileSync(file, `${lines.filter((line) => line !== '').join('\n')}\n`);
  const child = spawn(VSFTPD, [file], { stdio: 'ignore', detached: true });
  await answering(port, child);
  return {
    settings: settingsFor(port, { tls, user: 'ftp', authorities: made?.cert }),
    directory,
    end: async () => {
      endGroup(child);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** The server with the processes that it has made for its connections. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let round = 0; round < 100; round++) {
    if (child.exitCode !== null) throw new Error(`vsftpd has ended with ${child.exitCode}`);
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('data', () => socket.destroy(undefined));
      socket.on('error', () => resolve(false));
      socket.on('close', (hadError) => resolve(!hadError));
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('vsftpd does not answer');
}
