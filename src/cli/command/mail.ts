// The command `docket mail test`, which sends one message with the configured settings and reports what the mail server returns.
import { randomBytes } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { isUsableAddress } from '../../mail/out/bind-rule.ts';
import { smtpSender } from '../../mail/out/smtp.ts';
import type { Invocation } from '../invocation.ts';

/** `docket mail test ADDRESS`. Throws: cli.refused. */
export async function testMail({ config, terminal }: Invocation, address = ''): Promise<void> {
  const { smtp } = config.mail;
  if (smtp === undefined)
    throw refused('No mail server is configured. Set mail.smtp.host and mail.smtp.from.');
  if (!isUsableAddress(address))
    throw refused(`"${address}" is not an address such as desk@example.com.`);
  const { kind, response } = await smtpSender(smtp)({
    address,
    addressName: undefined,
    subject: 'Test message',
    text: `This message was sent by "docket mail test" through ${smtp.host}.`,
    html: undefined,
    messageId: `<test.${randomBytes(8).toString('hex')}@${smtp.from.replace(/^.*@/, '')}>`,
    references: [],
    isReceipt: false,
    token: undefined,
  });
  if (kind !== 'sent') throw refused(`${smtp.host} has not accepted the message: ${response}`);
  const target = smtp.testAddress ?? address;
  terminal.print(`${smtp.host} has accepted a message to ${target}: ${response}`);
}

function refused(reason: string): Fault {
  return new Fault('cli.refused', { reason });
}
