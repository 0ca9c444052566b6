// This file receives messages by SMTP. It accepts a message after it is stored, and relays none. RFC 5321; RFC 1870.
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Delivery } from './message.ts';

export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  /** Accepted addresses, and `@domain` for all addresses of a domain. */
  readonly recipients: readonly string[];
}

export interface Listener {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** An error with the status code of the reply. */
class SmtpError extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

const CONNECTIONS = 50;
const RECIPIENTS = 100;
const TIMEOUT = 60_000;
const CLOSE_TIMEOUT = 5000;

/** @param store stores a message; if it fails, the sender is asked to try again */
export async function listen(
  { host, port, recipients }: ListenSettings,
  { bytes, now }: { readonly bytes: number; readonly now: () => number },
  store: (delivery: Delivery) => Promise<void>,
): Promise<Listener> {
  const accepted = new Set(recipients.map((one) => one.toLowerCase()));
  const server = new SMTPServer({
    size: bytes,
    maxClients: CONNECTIONS,
    socketTimeout: TIMEOUT,
    closeTimeout: CLOSE_TIMEOUT,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo: ({ address }, { envelope }, done) => {
      if (envelope.rcptTo.length >= RECIPIENTS)
        return done(new SmtpError(452, 'Too many recipients'));
      const isAccepted = isRecipient(address, accepted);
      done(isAccepted ? null : new SmtpError(550, `No mailbox ${address.slice(0, 320)} here`));
    },
    onData: (stream, session, done) => {
      const stored = receive(stream, bytes).then((raw) =>
        store({ raw, receivedAt: now(), ...envelopeOf(session), fault: undefined }),
      );
      stored.then(
        () => done(null, 'Message stored'),
        (error: unknown) => done(error instanceof SmtpError ? error : unavailable()),
      );
    },
  });
  // Without a listener, an error of a single connection would end the process.
  server.on('error', () => undefined);
  const bound = await new Promise<number>((resolve, reject) => {
    server.server.once('error', reject);
    const socket = server.listen(port, host, () => {
      const address = socket.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
  return {
    port: bound,
    close: async () => await new Promise((resolve) => server.close(() => resolve())),
  };
}

function isRecipient(address: string, accepted: ReadonlySet<string>): boolean {
  const lower = address.toLowerCase();
  // RFC 5233: what follows + is a detail of the same mailbox.
  const plain = lower.replace(/\+[^@]*@/, '@');
  return [lower, plain, lower.slice(lower.lastIndexOf('@'))].some((one) => accepted.has(one));
}

function envelopeOf({ envelope }: SMTPServerSession): Pick<Delivery, 'sender' | 'recipients'> {
  const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
  return { sender, recipients: envelope.rcptTo.map(({ address }) => address) };
}

/** The bytes, at most as many as are permitted. The rest is read too, because the reply follows the whole message. */
async function receive(stream: SMTPServerDataStream, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (size > limit) throw new SmtpError(552, `Message exceeds the maximum size of ${limit} bytes`);
  return Buffer.concat(chunks);
}

function unavailable(): SmtpError {
  return new SmtpError(451, 'The message cannot be stored now, try again later');
}
