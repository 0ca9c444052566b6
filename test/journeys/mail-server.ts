// This file runs a real mail server for journeys: it receives what the service sends, and rejects or delays what a test wants.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A message as the server got it. */
export interface ReceivedMail {
  /** Empty for `<>`. */
  readonly from: string;
  readonly to: readonly string[];
  /** Unfolded header fields; names in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** The reply to the recipient of the next messages, such as 450; undefined to accept them. */
  reply: ((recipient: string) => number | undefined) | undefined;
  /** The text of such a reply. */
  replyText: ((recipient: string) => string | undefined) | undefined;
  /** Called when a message has arrived, before the server accepts it. */
  beforeAccept: (() => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
}

export interface MailServerOptions {
  readonly port?: number;
  /** The only user and its password; by default the server knows no users. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Whether addresses in UTF-8 are not supported. RFC 6531. */
  readonly isAscii?: boolean;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { port = 0, login, isAscii = false } = options;
  const state: Pick<MailServer, 'received' | 'reply' | 'replyText' | 'beforeAccept'> = {
    received: [],
    reply: undefined,
    replyText: undefined,
    beforeAccept: undefined,
  };
  const server = new SMTPServer({
    authOptional: login === undefined,
    hideSMTPUTF8: isAscii,
    allowInsecureAuth: true,
    disabledCommands: login === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === login?.user && password === login?.password
        ? callback(null, { user: username })
        : callback(Object.assign(new Error('Wrong password'), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, callback) => {
      const responseCode = state.reply?.(address);
      if (responseCode === undefined) callback();
      else {
        const text = state.replyText?.(address) ?? 'Not now or never';
        callback(Object.assign(new Error(text), { responseCode }));
      }
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : (mailFrom?.address ?? '');
        const to = rcptTo.map(({ address }) => address);
        state.received.push(mailOf(from, to, Buffer.concat(chunks).toString('utf8')));
        await state.beforeAccept?.();
        callback();
      });
    },
  });
  // Clients that are killed reset their connections.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  const close = async () => await new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(state, { port: address.port, close });
}

function mailOf(from: string, to: readonly string[], raw: string): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { from, to, headers, body: raw.slice(end + 4), raw };
}

/** The only header field of that name. */
export function header({ headers }: ReceivedMail, name: string): string | undefined {
  const values = headers.get(name.toLowerCase()) ?? [];
  return values.length === 1 ? values[0] : undefined;
}
