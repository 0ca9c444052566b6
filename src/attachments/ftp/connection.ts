// Opens connections to an FTP server in steps with time limits, and names the remedy for each step that can fail.
// Sources: RFC 959 (FTP), RFC 4217 "Securing FTP with TLS", RFC 2428 "FTP Extensions for IPv6 and NATs".
import { TLSSocket } from 'node:tls';
import { Client, FTPError } from 'basic-ftp';
import type { TestStep } from '../test-store.ts';
import { enterActiveMode } from './active-mode.ts';

export interface FtpSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Directory of the files, relative to the login directory; created if it does not exist. */
  readonly directory: string;
  /** `explicit` switches to TLS before it sends the password; `implicit` uses TLS from the first byte. */
  readonly tls: 'off' | 'explicit' | 'implicit';
  /** Whether the server's certificate is verified. */
  readonly verify: boolean;
  /** PEM certificates of the authorities to trust instead of the default ones. */
  readonly authorities?: string | undefined;
  /** Whether this side opens the data connections. Otherwise the server does. */
  readonly passive: boolean;
  /** Maximum number of connections. */
  readonly connections: number;
  /** Seconds of silence after which the server counts as unreachable. */
  readonly timeoutSeconds: number;
}

/** An unconnected client, and the steps that connect it, log in and enter the directory. */
export function connectionSteps(settings: FtpSettings): {
  readonly client: Client;
  readonly steps: readonly TestStep[];
} {
  const client = new Client(settings.timeoutSeconds * 1000);
  if (!settings.passive) client.prepareTransfer = enterActiveMode;
  const limited = (step: string, run: () => Promise<string>) =>
    stepOf(settings, step, async () => await withinTime(client, settings.timeoutSeconds, run));
  const secure = limited('secure', async () => {
    await client.useTLS(tlsOptions(settings));
    return describeTls(client);
  });
  return {
    client,
    steps: [
      limited('reach', async () => await greet(client, settings)),
      ...(settings.tls === 'explicit' ? [secure] : []),
      limited('log in', async () => await logIn(client, settings)),
      limited('directory', async () => await enterDirectory(client, settings.directory)),
    ],
  };
}

/** A client that is logged in and in the directory of the files. Throws the error of the step that fails, and closes the connection. */
export async function connect(settings: FtpSettings): Promise<Client> {
  const { client, steps } = connectionSteps(settings);
  try {
    for (const { run } of steps) await run();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

async function greet(client: Client, settings: FtpSettings): Promise<string> {
  const { host, port } = settings;
  const isImplicit = settings.tls === 'implicit';
  const { message } = isImplicit
    ? await client.connectImplicitTLS(host, port, tlsOptions(settings))
    : await client.connect(host, port);
  const greeting = `${host}:${port} replies ${JSON.stringify(message.split('\n', 1)[0])}`;
  return isImplicit ? `${greeting}, ${describeTls(client)}` : greeting;
}

async function logIn(client: Client, { user, password }: FtpSettings): Promise<string> {
  await client.login(user, password);
  await client.useDefaultSettings();
  return `as ${user}`;
}

async function enterDirectory(client: Client, directory: string): Promise<string> {
  try {
    await client.cd(directory);
  } catch (error) {
    if (!(error instanceof FTPError)) throw error;
    await client.ensureDir(directory);
  }
  return await client.pwd();
}

/** Returns a new object each time, because the client modifies it. */
function tlsOptions({ host, verify, authorities }: FtpSettings) {
  return {
    host,
    rejectUnauthorized: verify,
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
}

function describeTls(client: Client): string {
  const { socket } = client.ftp;
  return socket instanceof TLSSocket ? (socket.getProtocol() ?? 'TLS') : 'not encrypted';
}

/** Closes the client after the time limit, because a server may stop replying at any point, even during a TLS handshake. */
async function withinTime<Result>(
  client: Client,
  seconds: number,
  run: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no reply within ${seconds} seconds`));
      client.close();
    }, seconds * 1000);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the server reports a full disk: by the reply codes 452 and 552 (RFC 959, "Reply Codes Index"), or by the text of another error
 * reply. Many servers use 426, 451, 550 or 553 with a text instead.
 */
export function isFull(error: unknown): boolean {
  if (!(error instanceof FTPError)) return false;
  if (error.code === 452 || error.code === 552) return true;
  return FILE_ERRORS.has(error.code) && DISK_FULL.test(error.message);
}

/** Reply codes of failed file operations. Others may report a quota of logins. */
const FILE_ERRORS: ReadonlySet<number> = new Set([426, 450, 451, 550, 553]);

const DISK_FULL =
  /no (?:more )?(?:space|room) (?:left|available|on)|(?:not enough|insufficient|out of) (?:\w+ )?(?:space|storage|room)|(?:disk|volume|device|file ?system|storage) (?:is |has become )?full|quota (?:is |was |has been )?(?:exceeded|reached)|(?:over|exceed(?:s|ed|ing)?) (?:\w+ ){0,3}quota|ENOSPC|EDQUOT/i;

/** Whether the server rejected a file name, mostly because there is no such file. */
export function isRejectedName(error: unknown): boolean {
  return error instanceof FTPError && (error.code === 550 || error.code === 553);
}

/** A step of a test. If it fails, its remedy depends on the step and the error. */
export function stepOf(settings: FtpSettings, step: string, run: TestStep['run']): TestStep {
  return { step, run, remedy: (error) => remedyFor(step, error, settings) };
}

/** What an administrator can do if a step fails. */
function remedyFor(step: string, error: unknown, settings: FtpSettings): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(code))
    return 'Set files.ftp.ca to a file with the certificate of the authority, or files.ftp.host to the name in the certificate.';
  switch (step) {
    case 'reach':
      return code === 'ENOTFOUND'
        ? `Check files.ftp.host: the name ${settings.host} cannot be resolved.`
        : 'Check that the server is running, files.ftp.host, files.ftp.port and files.ftp.tls, and the firewalls in between.';
    case 'secure':
      return 'Set files.ftp.tls to a mode that the server supports: explicit, implicit or off.';
    case 'log in':
      return 'Check files.ftp.user and files.ftp.password, and whether the server requires TLS (files.ftp.tls).';
    case 'directory':
      return `Create the directory ${settings.directory} for that user, or set files.ftp.directory to another one.`;
    default:
      return settings.passive
        ? 'Open the passive ports of the server in the firewalls and make it announce an address that is reachable from here, or set files.ftp.passive to false.'
        : 'Allow the server to open connections to this machine, or set files.ftp.passive to true.';
  }
}
