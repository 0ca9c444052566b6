// This file opens connections to an FTP server, step by step, each step within a time limit, and says what an administrator can do when
// one of them fails.
// Sources: RFC 959 (FTP), RFC 4217 "Securing FTP with TLS", RFC 2428 "FTP Extensions for IPv6 and NATs".
import { TLSSocket } from 'node:tls';
import { Client, FTPError } from 'basic-ftp';
import { enterActiveMode } from './active-mode.ts';

export interface FtpSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Where the files go, from the directory in which the server lets the user in; made when it is not there. */
  readonly directory: string;
  /** `explicit` begins in the clear and changes to TLS before the password is sent; `implicit` is TLS from the first byte. */
  readonly tls: 'off' | 'explicit' | 'implicit';
  /** Whether the server's certificate is checked. */
  readonly verify: boolean;
  /** Certificates (PEM) of authorities that are trusted in place of the usual ones. */
  readonly authorities?: string | undefined;
  /** Whether this side opens the connections for data; else the server does. */
  readonly passive: boolean;
  /** Connections at most. */
  readonly connections: number;
  /** Seconds of silence after which the server counts as out of reach. */
  readonly timeoutSeconds: number;
}

/** One step towards a connection: `run` gives what is worth telling. */
export interface ConnectionStep {
  readonly step: string;
  readonly run: () => Promise<string>;
}

/** A client that is not connected yet, and the steps that connect it, log in and lead to the directory. */
export function connectionSteps(settings: FtpSettings): {
  readonly client: Client;
  readonly steps: readonly ConnectionStep[];
} {
  const client = new Client(settings.timeoutSeconds * 1000);
  if (!settings.passive) client.prepareTransfer = enterActiveMode;
  const limited = (step: string, run: () => Promise<string>): ConnectionStep => ({
    step,
    run: async () => await withinTime(client, settings.timeoutSeconds, run),
  });
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

/** A connection that is logged in and stands in the directory. Raises what went wrong; nothing stays open then. */
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
  const greeting = `${host}:${port} says ${JSON.stringify(message.split('\n', 1)[0])}`;
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

/** A new object each time: the client writes the host into it. */
function tlsOptions({ host, verify, authorities }: FtpSettings) {
  return {
    host,
    rejectUnauthorized: verify,
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
}

function describeTls(client: Client): string {
  const { socket } = client.ftp;
  return socket instanceof TLSSocket ? (socket.getProtocol() ?? 'TLS') : 'not secured';
}

/** Closes the client when the time is over: a server may fall silent at any point, in the middle of a TLS handshake too. */
async function withinTime<Result>(
  client: Client,
  seconds: number,
  run: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${seconds} seconds`));
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
 * Whether a server has no room: by the reply codes for that, 452 and 552 (RFC 959, "Reply Codes Index"), or by what it says beside any
 * other refusal of a file. Not all servers know those codes: 426, 451, 550 and 553 with a text are common.
 */
export function isFull(error: unknown): boolean {
  if (!(error instanceof FTPError)) return false;
  if (error.code === 452 || error.code === 552) return true;
  return OF_FILES.has(error.code) && NO_ROOM.test(error.message);
}

/** What files are refused with; a quota of log-ins is another matter. */
const OF_FILES: ReadonlySet<number> = new Set([426, 450, 451, 550, 553]);

const NO_ROOM =
  /no (?:more )?(?:space|room) (?:left|available|on)|(?:not enough|insufficient|out of) (?:\w+ )?(?:space|storage|room)|(?:disk|volume|device|file ?system|storage) (?:is |has become )?full|quota (?:is |was |has been )?(?:exceeded|reached)|(?:over|exceed(?:s|ed|ing)?) (?:\w+ ){0,3}quota|ENOSPC|EDQUOT/i;

/** What is refused because of its name: mostly since there is nothing of that name. */
export function isRefused(error: unknown): boolean {
  return error instanceof FTPError && (error.code === 550 || error.code === 553);
}

/** What an administrator can do when a step fails. */
export function remedyFor(step: string, error: unknown, settings: FtpSettings): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(code))
    return 'Name a file with the certificate of the authority in files.ftp.ca, or use the name in files.ftp.host that the certificate is made out to.';
  switch (step) {
    case 'reach':
      return code === 'ENOTFOUND'
        ? `Look at the name in files.ftp.host: ${settings.host} is not known.`
        : 'Look whether the server runs, at files.ftp.host, files.ftp.port and files.ftp.tls, and at firewalls in between.';
    case 'secure':
      return 'Set files.ftp.tls to what the server offers: explicit, implicit or off.';
    case 'log in':
      return 'Look at files.ftp.user and files.ftp.password, and whether the server demands TLS (files.ftp.tls).';
    case 'directory':
      return `Make the directory ${settings.directory} for that user, or name another one in files.ftp.directory.`;
    default:
      return settings.passive
        ? 'Open the passive ports of the server in the firewalls, and let the server name its own address for them; or set files.ftp.passive to false.'
        : 'Let the server open connections to this machine; or set files.ftp.passive to true.';
  }
}
