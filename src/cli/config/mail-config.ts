// The configuration keys under `mail`, those of incoming mail included. Without a server, the service sends no mail.
import { z } from 'zod';
import { ADMINISTRATOR_ROLE } from '../../edm/account-sets.ts';
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

export const mailSchema = z.strictObject({
  ownAddresses: z
    .array(address)
    .default([])
    .describe('other addresses of this service, to which it never sends mail'),
  smtp: smtp.optional(),
  ...incomingMail,
});
