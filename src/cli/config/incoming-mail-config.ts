// The configuration keys of incoming mail under `mail`. Without a mailbox and a listener, the service receives no mail.
import { z } from 'zod';
import { positiveNumber, wholeNumber } from './number-keys.ts';

const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');

const imap = z.strictObject({
  host: line.min(1).describe('name or address of the IMAP server'),
  port: wholeNumber(1, 65_535, 993).describe('port of the IMAP server'),
  tls: z
    .enum(['off', 'starttls', 'implicit'])
    .default('implicit')
    .describe(
      'encryption of the connection to the IMAP server: none, TLS after STARTTLS, or TLS from the start',
    ),
  verify: z
    .boolean()
    .default(true)
    .describe('whether the certificate of the IMAP server is verified'),
  user: line.min(1).describe('user name on the IMAP server'),
  password: line.describe(
    'password of that user on the IMAP server; preferably set by the environment variable',
  ),
  folder: line.min(1).default('INBOX').describe('folder with new messages'),
  moveTo: line
    .min(1)
    .optional()
    .describe('folder that stored messages are moved to; by default they are marked as seen'),
  pollSeconds: positiveNumber(86_400, 30).describe('seconds between two looks into the mailbox'),
  timeoutSeconds: positiveNumber(600, 30).describe(
    'seconds without a reply after which the IMAP server counts as unreachable',
  ),
});

const recipient = z
  .string()
  .max(320)
  .regex(
    /^[^\s@<>,;:"()[\]\\]*@[^\s@<>,;:"()[\]\\]+$/,
    'must be an address such as desk@example.com, or @example.com for all addresses of a domain',
  );

const listen = z.strictObject({
  host: line.min(1).default('127.0.0.1').describe('address to receive mail on by SMTP'),
  port: wholeNumber(0, 65_535, 2525).describe('port for SMTP; 0 selects a free port'),
  recipients: z
    .array(recipient)
    .min(1)
    .describe('addresses that mail is accepted for; @example.com means all of a domain'),
});

const authentication = z.strictObject({
  servers: z
    .array(line.min(1).max(255))
    .min(1)
    .describe(
      'names by which the mail servers of the organization sign their Authentication-Results (authserv-id); results of others do not count',
    ),
  required: z
    .boolean()
    .default(false)
    .describe('whether a message without such a result may act for nobody'),
});

/** The keys under `mail`. */
export const incomingMail = {
  account: line.min(1).optional().describe('account that incoming mail is stored with'),
  messageBytes: wholeNumber(1024, 104_857_600, 26_214_400).describe(
    'maximum size of an incoming message in bytes',
  ),
  imap: imap.optional().describe('mailbox that incoming mail is taken from'),
  listen: listen.optional().describe('where other mail servers deliver incoming mail'),
  authentication: authentication
    .optional()
    .describe('what proves that a message comes from its visible sender'),
};

interface IncomingMail {
  readonly account?: string | undefined;
  readonly imap?: unknown;
  readonly listen?: unknown;
}

/** An error message if incoming mail has no account. */
export function missingAccount({ account, imap, listen }: IncomingMail): string | undefined {
  if (account !== undefined || (imap === undefined && listen === undefined)) return undefined;
  return 'mail.account: incoming mail has no account to be stored with. Add the login name of an account; see docs/mail.md.';
}
