// This file answers notices by mail programs and through relays that keep little of a message: the address for replies, or the common reference of all
// notices about a request, leads to its thread. What somebody has invented leads nowhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokensOf } from '../../src/mail/in/reply-tokens.ts';
import { eml, parsed } from '../mail/in/eml.ts';
import { type MailDesk, openMailDesk } from './mail-desk.ts';
import { DESK_ADDRESS, mailNamed, untilFound } from './mail-in.ts';
import { header } from './mail-server.ts';

const [IN_PROGRESS, WAITING] = [101003, 101004];
const ISLA = 'isla@example.com';
const TAGGED = /<desk\+(\d+\.[0-9a-f]{20})@desk\.example>$/;

let mailDesk: MailDesk;
let isla: number;
beforeAll(async () => {
  mailDesk = await openMailDesk({
    smtp: { subaddresses: true, bounceAddress: 'bounces@desk.example' },
    incoming: {
      listen: { host: '127.0.0.1', port: 0, recipients: ['@desk.example'] },
    },
  });
  isla = await mailDesk.person(ISLA);
  await mailDesk.announce('ServiceRequests');
});
afterAll(async () => await mailDesk?.close());

/** A request that waits for its caller, who has got a notice. */
async function waiting() {
  const body = { Description: 'Printer', Status: { Value: WAITING } };
  const caller = { 'Caller@odata.bind': `Persons(${isla})` };
  const { Uid } = await mailDesk.created('/ServiceRequests', { ...body, ...caller });
  const notice = await mailDesk.messageTo(ISLA);
  const [, token = ''] = TAGGED.exec(header(notice, 'reply-to') ?? '') ?? [];
  const [root = ''] = (header(notice, 'references') ?? '').split(' ');
  return { request: `ServiceRequests(${Uid})`, notice, root, to: `desk+${token}@desk.example` };
}

let count = 0;
async function answer(message: object): Promise<string> {
  const subject = `Answer ${count++}`;
  await mailDesk.mail.send({ from: ISLA, subject, text: 'Here it is', ...message });
  return subject;
}

const linesOf = async (request: string, subject: string) =>
  await mailDesk.rows(`/${request}/HistoryLines?$filter=Subject eq '${subject}'`);
const lineOf = async (request: string, subject: string) =>
  await untilFound(mailDesk.mail, () => linesOf(request, subject));
const statusOf = async (request: string) =>
  (await mailDesk.desk.get(`/${request}`)).json.Status.Value;
const emailNamed = async (subject: string) =>
  (await mailNamed(mailDesk.desk, mailDesk.mail, subject, '&$expand=ServiceRequest'))[0];

/** The text with its last digit replaced. */
const altered = (text: string) =>
  text.replace(/[0-9a-f](?=@)/, (digit) => (digit === '0' ? '1' : '0'));

describe('A notice', () => {
  it('names its message in the addresses for replies and reports, and in a header', async () => {
    const { notice, to } = await waiting();
    const token = to.replace(/^desk\+|@.*$/g, '');
    expect(header(notice, 'from')).toBe(`Service desk <${DESK_ADDRESS}>`);
    expect(header(notice, 'reply-to')).toBe(`Service desk <${to}>`);
    expect(notice.from).toBe(`bounces+${token}@desk.example`);
    expect(header(notice, 'x-docket-message')).toBe(token);
  });
});

describe('An answer', () => {
  it('to the address for replies continues the thread, without any reference', async () => {
    const { request, to } = await waiting();
    const subject = await answer({ to });
    expect(await lineOf(request, subject)).toHaveLength(1);
    expect(await statusOf(request)).toBe(IN_PROGRESS);
  });

  it('continues it in capital letters, as a copy, and as a recipient of the envelope only', async () => {
    const { request, to } = await waiting();
    const envelope = { from: ISLA, to };
    const subjects = [
      await answer({ to: to.toUpperCase() }),
      await answer({ cc: to }),
      await answer({ to: 'all@example.com', envelope }),
    ];
    for (const subject of subjects) expect(await lineOf(request, subject)).toHaveLength(1);
  });

  it('through a relay that has replaced the Message-ID is found by the root of the thread', async () => {
    const { request, root } = await waiting();
    const inReplyTo = '<replaced@relay.example>';
    const subject = await answer({ inReplyTo, references: [root, inReplyTo] });
    expect(await lineOf(request, subject)).toHaveLength(1);
    expect(await statusOf(request)).toBe(IN_PROGRESS);
  });

  it('with an altered token or root is a new message', async () => {
    const { request, to, root } = await waiting();
    const other = await waiting();
    const [, signature = ''] = /\.([0-9a-f]{20})@/.exec(to) ?? [];
    const [, number = ''] = /\+(\d+)\./.exec(other.to) ?? [];
    const uid = /\d+/.exec(other.request)?.[0] ?? '';
    const subjects = [
      await answer({ to: altered(to) }),
      await answer({ to: `desk+${number}.${signature}@desk.example` }),
      await answer({ references: altered(root) }),
      await answer({ references: root.replace(/\d+/, uid) }),
      await answer({ references: `<ServiceRequests.${uid}@desk.example>` }),
    ];
    for (const subject of subjects) {
      const { Status, ServiceRequest } = await emailNamed(subject);
      expect([Status.Text, ServiceRequest], subject).toEqual(['New', null]);
    }
    expect(await statusOf(request)).toBe(WAITING);
    expect(await statusOf(other.request)).toBe(WAITING);
  });

  it('of an unknown sender is in the history, but does not move the request', async () => {
    const { request, to } = await waiting();
    const subject = await answer({ from: 'stranger@example.com', to });
    expect(await lineOf(request, subject)).toHaveLength(1);
    expect(await statusOf(request)).toBe(WAITING);
  });

  it('that names a message of another thread belongs to that one', async () => {
    const [one, other] = [await waiting(), await waiting()];
    const inReplyTo = header(other.notice, 'message-id');
    const subject = await answer({ to: one.to, inReplyTo });
    expect(await lineOf(other.request, subject)).toHaveLength(1);
    expect(await linesOf(one.request, subject)).toEqual([]);
  });

  // zammad/zammad#731 and #2923: own notices were imported.
  it('that is the notice itself moves nothing', async () => {
    const { request, notice } = await waiting();
    const automatic = /^(Auto-Submitted|X-Auto-Response-Suppress): .*\r\n/gim;
    const own = notice.raw.replace(automatic, '').replace('News', 'Back again');
    const raw = own.replace(/^From: .*$/m, `From: ${ISLA}`);
    expect(await mailDesk.mail.sendRaw(Buffer.from(raw), ISLA)).toMatch(/^250 /);
    const lines = await lineOf(request, 'Back again');
    expect(lines).toHaveLength(1);
    expect(await statusOf(request)).toBe(WAITING);
  });
});

describe('A delivery report', () => {
  it('to the address for reports is recorded, though it returns nothing', async () => {
    const { request, notice } = await waiting();
    const type = 'multipart/report; report-type=delivery-status; boundary=edge';
    const body =
      '--edge\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n' +
      `Final-Recipient: rfc822; ${ISLA}\r\nAction: failed\r\nStatus: 5.2.2\r\n--edge--\r\n`;
    const raw = eml({ Subject: 'Full', 'Content-Type': type }, body);
    expect(await mailDesk.mail.sendRaw(raw, '', notice.from)).toMatch(/^250 /);
    expect(await lineOf(request, 'Full')).toHaveLength(1);
    const [row] = await mailDesk.rows(`/OutgoingMessages?$filter=Entity eq '${request}'`);
    expect(row).toMatchObject({ State: 'failed', DeliveryStatus: '5.2.2' });
  });
});

describe('What may be a token', () => {
  it.each(['Delivered-To', 'X-Original-To', 'Envelope-To'])('is in the header %s', async (name) => {
    const token = `12.${'ab'.repeat(10)}`;
    const message = await parsed({ [name]: `<desk+${token}@desk.example>` });
    expect(tokensOf(message, { recipients: [] })).toEqual([token]);
  });

  it.each(['desk@desk.example', 'desk+12@desk.example', 'desk+12.ab@desk.example'])(
    'is not in %s',
    async (To) => {
      expect(tokensOf(await parsed({ To }), { recipients: [To] })).toEqual([]);
    },
  );
});
