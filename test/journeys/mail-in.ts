// This file lets desks receive mail in tests, and sends messages to them.
import { createConnection } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { expect } from 'vitest';
import {
  type IncomingMailSettings,
  startIncomingMail,
} from '../../src/mail/in/start-incoming-mail.ts';
import { sentMail } from '../../src/mail/out/sent-mail.ts';
import type { Desk } from './desk.ts';

export const DESK_ADDRESS = 'desk@desk.example';
/** Final failures after which an address is blocked. */
export const FAILURE_LIMIT = 3;

export interface Reception {
  readonly port: () => Promise<number>;
  /** Sends a message through SMTP. */
  readonly send: (message: SendMailOptions) => Promise<void>;
  /** Sends lines through SMTP, and returns the reply. */
  readonly sendRaw: (raw: Buffer, sender?: string, recipient?: string) => Promise<string>;
  /** Messages of errors. */
  readonly failures: readonly string[];
  /** What has been reported about messages. */
  readonly warnings: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Starts incoming mail, with a listener unless the settings say otherwise. */
export function receiveMail(desk: Desk, settings: Partial<IncomingMailSettings> = {}): Reception {
  const failures: string[] = [];
  const warnings: string[] = [];
  let found: (port: number) => void = () => undefined;
  const bound = new Promise<number>((resolve) => {
    found = resolve;
  });
  const observe: Desk['service']['observe'] = (one) => {
    if (one.kind === 'failure') failures.push(String(Object(one.error).stack ?? one.error));
    if (one.kind === 'incoming mail') warnings.push(`${one.message}: ${one.reason}`);
    if (one.kind === 'listening') found(Number(new URL(one.address).port));
  };
  const service = Object.create(desk.service, { observe: { value: observe } });
  const stop = startIncomingMail(
    service,
    {
      account: 'admin',
      messageBytes: 1_000_000,
      ownAddresses: [DESK_ADDRESS],
      listen: { host: '127.0.0.1', port: 0, recipients: [DESK_ADDRESS, '@team.example'] },
      ...settings,
    },
    sentMail(desk.service, FAILURE_LIMIT),
  );
  const port = async () => await bound;
  return {
    port,
    send: async (message) => await sendMail(await port(), message),
    sendRaw: async (raw, sender = 'isla@example.com', recipient = DESK_ADDRESS) =>
      await sendLines(await port(), raw, sender, recipient),
    failures,
    warnings,
    stop,
  };
}

async function sendMail(port: number, message: SendMailOptions): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  await transport.sendMail({ to: DESK_ADDRESS, subject: 'Help', text: 'Hello', ...message });
  transport.close();
}

/** Sends bytes as they are, and returns the last reply. */
async function sendLines(
  port: number,
  raw: Buffer,
  sender: string,
  recipient: string,
): Promise<string> {
  const socket = createConnection({ host: '127.0.0.1', port });
  const replies: string[] = [];
  let waiting: (() => void) | undefined;
  const next = async () => {
    while (replies.length === 0)
      await new Promise<void>((resolve) => {
        waiting = resolve;
      });
    return String(replies.shift());
  };
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    // The last line of a reply has a space after its code.
    for (let match = lastLine(text); match !== null; match = lastLine(text)) {
      replies.push(text.slice(0, match.index + match[0].length).trim());
      text = text.slice(match.index + match[0].length);
      waiting?.();
    }
  });
  const failed = (error?: Error) => {
    replies.push(`connection ended ${error?.message ?? ''}`);
    waiting?.();
  };
  socket.on('error', failed);
  socket.on('close', () => failed());
  const ask = async (line: string) => {
    socket.write(line);
    return await next();
  };
  await next();
  await ask('EHLO client.example\r\n');
  await ask(`MAIL FROM:<${sender}>\r\n`);
  await ask(`RCPT TO:<${recipient}>\r\n`);
  await ask('DATA\r\n');
  socket.write(Buffer.from(raw.toString('latin1').replace(/^\./gm, '..'), 'latin1'));
  const reply = await ask('\r\n.\r\n');
  socket.end('QUIT\r\n');
  return reply;
}

const lastLine = (text: string) => /^\d{3}(?: .*)?\r\n/m.exec(text);

/** Waits for the record of a message in the built-in model, by its subject. */
export async function mailNamed(
  desk: Desk,
  mail: Reception,
  subject: string,
  query = '',
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
): Promise<readonly any[]> {
  const url = `/EmailServiceRequests?$filter=Subject eq '${subject}'${query}`;
  return await untilFound(mail, async () => (await desk.get(url)).json.value);
}

/** Reads until there is something, or incoming mail has failed. */
export async function untilFound<Row>(
  { failures }: Pick<Reception, 'failures'>,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  for (;;) {
    const rows = await read();
    if (rows.length > 0) return rows;
    expect(failures).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
