// The configuration keys under `mail`, those of incoming mail included. Without a server, the service sends no mail.
import { z } from 'zod';
import { ADMINISTRATOR_ROLE } from '../../edm/account-sets.ts';
import { LONGEST_TAGGED_NAME } from '../../mail/message-tokens.ts';
import { incomingMail } from './incoming-mail-config.ts';
import { positiveNumber, wholeNumber } from './number-keys.ts';

/** A single address, without a name. */
const address = z
  .string()
  .max(320)
  .regex(
    /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/,
    'must be an address such as desk@example.com',
  );

const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');

const smtp = z.strictObject({
  host: line.min(1).describe('name or address of the mail server that accepts outgoing mail'),
  port: wholeNumber(1, 65_535, 587).describe('port of the mail server'),
  tls: z
    .enum(['off', 'starttls', 'implicit'])
    .default('starttls')
    .describe('encryption of the connection: none, TLS after STARTTLS, or TLS from the start'),
  verify: z
    .boolean()
    .default(true)
    .describe('whether the certificate of the mail server is verified'),
  user: line.min(1).optional().describe('user name on the mail server'),
  password: line
    .optional()
    .describe(
      'password of the user on the mail server; preferably set by the environment variable',
    ),
  from: address.describe('address that messages are sent from'),
  fromName: line.default('Service desk').describe('name that messages are sent from'),
  bounceAddress: address
    .optional()
    .describe('address to which mail servers report failures; by default that of the sender'),
  subaddresses: z
    .boolean()
    .default(false)
    .describe(
      'whether replies and reports go to addresses that name the message, such as desk+12.ab@example.com; the mail server must deliver them like desk@example.com',
    ),
  testAddress: address
    .optional()
    .describe('address to which all messages are sent in place of their recipients, for tests'),
  recipientRole: z
    .string()
    .min(1)
    .refine((role) => role !== ADMINISTRATOR_ROLE, 'expected a role with fewer rights')
    .optional()
    .describe('role that decides what recipients without an account may read in messages'),
  connections: wholeNumber(1, 20, 4).describe('maximum number of connections to the mail server'),
  timeoutSeconds: positiveNumber(600, 30).describe(
    'seconds without a reply after which the mail server counts as unreachable',
  ),
});

/** Whether a token fits into the addresses that get one. RFC 5321, Local-part. */
function hasShortNames({ subaddresses, from, bounceAddress = from }: z.infer<typeof smtp>) {
  const isShort = (one: string) => one.lastIndexOf('@') <= LONGEST_TAGGED_NAME;
  return !subaddresses || (isShort(from) && isShort(bounceAddress));
}

export const mailSchema = z.strictObject({
  ownAddresses: z
    .array(address)
    .default([])
    .describe('other addresses of this service, to which it never sends mail'),
  smtp: smtp
    .refine(hasShortNames, {
      path: ['subaddresses'],
      message: `addresses that name messages need at most ${LONGEST_TAGGED_NAME} characters before the @ of from and bounceAddress`,
    })
    .optional(),
  ...incomingMail,
});
