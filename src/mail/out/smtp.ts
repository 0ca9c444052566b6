// This file hands messages to the mail server, and distinguishes temporary errors from final ones. Only this file uses the package for SMTP.
import { certificateProblem } from '../../base/certificate-problem.ts';
import { taggedAddress } from '../message-tokens.ts';
import type { Message } from './queue.ts';

/** How the mail server is reached, and the sender of messages. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: 'off' | 'starttls' | 'implicit';
  readonly verify: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly from: string;
  readonly fromName: string;
  readonly bounceAddress?: string | undefined;
  /** Whether the addresses for replies and failures name the message, as details of their mailboxes (RFC 5233). */
  readonly subaddresses?: boolean | undefined;
  /** Gets all messages in place of their recipients. */
  readonly testAddress?: string | undefined;
  readonly timeoutSeconds: number;
}

/** What the mail server has answered. `unreachable`: it has not, so that other messages would fail as well. */
export interface Delivery {
  readonly kind: 'sent' | 'rejected' | 'later' | 'unreachable';
  readonly response: string;
}

/** Sends a message. */
export type Deliver = (message: Content) => Promise<Delivery>;

/** What a message contains, apart from its place in the queue. */
type Content = Omit<Message, 'uid' | 'attempts' | 'firstAttempt'> & {
  /** Identifies the message in the queue; undefined if it is in none. */
  readonly token: string | undefined;
};

/** Attempts at one message end after this multiple of the time limit for one response. */
const ROUND_TRIPS = 6;

/** Returns the function that sends a message by a connection of its own. The package is loaded with the first message. */
export function smtpSender(settings: SmtpSettings): Deliver {
  const limit = deliverySeconds(settings) * 1000;
  return async (message) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(transportOptions(settings));
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<Delivery>((resolve) => {
      const response = `The mail server has not accepted the message within ${limit / 1000} seconds.`;
      timer = setTimeout(resolve, limit, { kind: 'unreachable', response }).unref();
    });
    try {
      const mail = mailOf(message, settings);
      const isAccepted = mail.envelope.to.some(needsUtf8) ? announcesUtf8(settings) : true;
      const sent = Promise.resolve(isAccepted)
        .then(async (accepted): Promise<Delivery> => {
          if (!accepted) return UTF8_REJECTION;
          const { response } = await transport.sendMail(mail);
          return { kind: 'sent', response: String(response) };
        })
        .catch(deliveryOf);
      return await Promise.race([sent, expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The local part of the address is not ASCII. The package writes other domains in ASCII (RFC 5891). */
function needsUtf8(address: string): boolean {
  return !/^[\x20-\x7e]*$/.test(address.slice(0, address.lastIndexOf('@')));
}

const UTF8_REJECTION: Delivery = {
  kind: 'rejected',
  response:
    'The address contains characters other than ASCII before the @, which the mail server does not support (SMTPUTF8, RFC 6531).',
};

/** Whether the mail server supports addresses in UTF-8. The package does not check it. RFC 6531, section 3.2. */
async function announcesUtf8(settings: SmtpSettings): Promise<boolean> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SMTPConnection(transportOptions(settings));
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject);
      connection.connect(() => resolve());
    });
    return /^\d{3}[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse));
  } finally {
    connection.quit();
  }
}

/** How long an attempt takes at most. */
export function deliverySeconds({ timeoutSeconds }: Pick<SmtpSettings, 'timeoutSeconds'>): number {
  return timeoutSeconds * ROUND_TRIPS;
}

function transportOptions({
  host,
  port,
  tls,
  verify,
  user,
  password,
  timeoutSeconds,
}: SmtpSettings) {
  const timeout = timeoutSeconds * 1000;
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    tls: { rejectUnauthorized: verify },
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The message with its headers, and the addresses that the mail server gets. */
function mailOf(message: Content, settings: SmtpSettings) {
  const { address, addressName, messageId, references, isReceipt, subject, text, html } = message;
  const { token } = message;
  const { from, fromName, bounceAddress = from, testAddress } = settings;
  const isTagged = settings.subaddresses === true && token !== undefined;
  const tagged = (plain: string) => (isTagged ? taggedAddress(plain, token) : plain);
  const target = testAddress ?? address;
  const recipient = { name: addressName ?? '', address: target };
  const parent = references.at(-1);
  return {
    // Receipts have no return path, so that a failure cannot cause another message (RFC 3834, Where to Send Automatic Responses).
    envelope: { from: isReceipt ? '' : tagged(bounceAddress), to: [target] },
    from: { name: fromName, address: from },
    ...(isTagged ? { replyTo: { name: fromName, address: tagged(from) } } : {}),
    to: recipient,
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    messageId,
    ...(parent === undefined ? {} : { inReplyTo: parent, references: [...references] }),
    headers: {
      'Auto-Submitted': isReceipt ? 'auto-replied' : 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(token === undefined ? {} : { 'X-Docket-Message': token }),
      ...(testAddress === undefined ? {} : { 'X-Docket-Recipient': address }),
    },
  };
}

/** An error of the package for SMTP. */
function deliveryOf(error: unknown): Delivery {
  const { responseCode, response, code, message } = Object(error);
  const text = certificateProblem(error) ?? String(response ?? message ?? error);
  // A wrong password is a matter of the configuration, and the same for all messages.
  if (code === 'EAUTH' || typeof responseCode !== 'number')
    return { kind: 'unreachable', response: text };
  return { kind: responseCode >= 500 ? 'rejected' : 'later', response: text };
}
