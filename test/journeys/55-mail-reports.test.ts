// This file returns messages of a desk to it, as other mail servers do: the queue shows what became of them, addresses at which messages fail again
// and again get no more, and a report never moves a request or causes another message. RFC 3464, RFC 6533, RFC 8098.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eml } from '../mail/in/eml.ts';
import { type MailDesk, openMailDesk } from './mail-desk.ts';
import { DESK_ADDRESS, mailNamed, untilFound } from './mail-in.ts';
import { header, type ReceivedMail } from './mail-server.ts';

const [IN_PROGRESS, WAITING] = [101003, 101004];

let mailDesk: MailDesk;
beforeAll(async () => {
  mailDesk = await openMailDesk();
  await mailDesk.announce('ServiceRequests');
});
afterAll(async () => await mailDesk?.close());

let count = 0;
/** A request whose caller, with an address of its own unless one is given, has got a notice. */
async function announced(body: object = {}, at = { address: `caller${count++}@example.com` }) {
  const { address } = at;
  const [known] = await mailDesk.rows(`/Persons?$filter=Email eq '${address}'`);
  const caller = known?.Uid ?? (await mailDesk.person(address));
  const reference = { 'Caller@odata.bind': `Persons(${caller})` };
  const content = { Description: 'Printer', ...reference, ...body };
  const { Uid } = await mailDesk.created('/ServiceRequests', content);
  const notice = await mailDesk.messageTo(address);
  return { address, request: `ServiceRequests(${Uid})`, notice, id: header(notice, 'message-id') };
}

interface Report {
  readonly action: string;
  readonly status: string;
  readonly diagnostic?: string;
  /** Headers of the returned message. */
  readonly returned?: string;
  readonly kind?: 'global-delivery-status' | 'delivery-status';
}

let reports = 0;
/** Sends a report about a notice, and returns its subject. */
async function report(notice: ReceivedMail, { action, status, ...more }: Report): Promise<string> {
  const Subject = `Report ${reports++}`;
  const { kind = 'delivery-status', diagnostic = 'smtp; 550 no such user' } = more;
  const { returned = notice.raw.slice(0, notice.raw.indexOf('\r\n\r\n')) } = more;
  const [recipient] = notice.to;
  const parts = [
    'Content-Type: text/plain\r\n\r\nThis message could not be delivered.',
    `Content-Type: message/${kind}\r\n\r\nReporting-MTA: dns; mx.example.com\r\n\r\n` +
      `Final-Recipient: rfc822; ${recipient}\r\nAction: ${action}\r\nStatus: ${status}\r\n` +
      `Diagnostic-Code: ${diagnostic}\r\n`,
    `Content-Type: text/rfc822-headers\r\n\r\n${returned}\r\n`,
  ];
  const body = parts.map((part) => `--edge\r\n${part}\r\n`).join('');
  const headers = {
    From: 'Mail Delivery System <MAILER-DAEMON@mx.example.com>',
    Subject,
    'Content-Type': 'multipart/report; report-type=delivery-status; boundary=edge',
  };
  expect(await mailDesk.mail.sendRaw(eml(headers, `${body}--edge--\r\n`), '')).toMatch(/^250 /);
  await mailNamed(mailDesk.desk, mailDesk.mail, Subject);
  return Subject;
}

const queued = async (filter: string) =>
  await mailDesk.rows(`/OutgoingMessages?$filter=${encodeURIComponent(filter)}&$orderby=Uid`);
const messageAbout = async (request: string) => (await queued(`Entity eq '${request}'`))[0];
const addressRow = async (address: string) =>
  (await mailDesk.rows(`/UndeliverableAddresses?$filter=Address eq '${address}'`))[0];
const statusOf = async (request: string) =>
  (await mailDesk.desk.get(`/${request}`)).json.Status.Value;
const linesOf = async (request: string, subject: string) =>
  await mailDesk.rows(`/${request}/HistoryLines?$filter=Subject eq '${subject}'`);

describe('A delivery report', () => {
  it('of a final failure is shown by the queue, with its status and reason', async () => {
    const { request, notice } = await announced();
    // The mail server has the message before the service has its response.
    await expect.poll(() => messageAbout(request)).toMatchObject({ State: 'sent', Delivery: null });
    const diagnostic = 'smtp; 550 5.1.1 <caller@example.com>:\r\n user unknown';
    await report(notice, { action: 'failed', status: '5.1.1', diagnostic });
    const row = await messageAbout(request);
    expect(row).toMatchObject({
      State: 'failed',
      Delivery: 'failed',
      DeliveryStatus: '5.1.1',
      DeliveryDiagnostic: '550 5.1.1 <caller@example.com>: user unknown',
      DeliveryReported: expect.any(String),
    });
    expect(row.Response).toMatch(/^250/);
  });

  it('of a delay leaves the message sent; a later failure replaces it, and nothing a failure', async () => {
    const { request, notice, address } = await announced();
    await report(notice, { action: 'delayed', status: '4.4.1' });
    const delayed = { State: 'sent', Delivery: 'delayed', DeliveryStatus: '4.4.1' };
    expect(await messageAbout(request)).toMatchObject(delayed);
    expect(await addressRow(address)).toBeUndefined();
    await report(notice, { action: 'failed', status: '5.4.7' });
    const failed = { State: 'failed', Delivery: 'failed', DeliveryStatus: '5.4.7' };
    expect(await messageAbout(request)).toMatchObject(failed);
    await report(notice, { action: 'delivered', status: '2.0.0' });
    expect(await messageAbout(request)).toMatchObject(failed);
  });

  it.each([
    ['without an action', { action: '', status: '5.2.1' }, ['failed', '5.2.1']],
    ['without a status', { action: 'failed', status: '' }, ['failed', '5.7.9']],
    [
      'for an address outside ASCII',
      { action: 'failed', status: '5.1.1', kind: 'global-delivery-status' as const },
      ['failed', '5.1.1'],
    ],
  ])('%s is read', async (_, content, expected) => {
    const { request, notice } = await announced();
    await report(notice, { diagnostic: 'smtp; 550 5.7.9 no', ...content });
    const { Delivery, DeliveryStatus } = await messageAbout(request);
    expect([Delivery, DeliveryStatus]).toEqual(expected);
  });

  it('finds its message by the header of the service if a relay has replaced the Message-ID', async () => {
    const { request, notice } = await announced();
    const token = header(notice, 'x-docket-message');
    const returned = `Message-ID: <relay@example.net>\r\nX-Docket-Message: ${token}`;
    await report(notice, { action: 'failed', status: '5.1.1', returned });
    expect(await messageAbout(request)).toMatchObject({ Delivery: 'failed' });
  });

  it('with an invented reference concerns no message', async () => {
    const { request, notice } = await announced();
    const token = header(notice, 'x-docket-message') ?? '';
    const altered = token.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const returned = `Message-ID: <relay@example.net>\r\nX-Docket-Message: ${altered}`;
    await report(notice, { action: 'failed', status: '5.1.1', returned });
    expect(await messageAbout(request)).toMatchObject({ State: 'sent', Delivery: null });
  });

  // zammad/zammad#1131, frappe/helpdesk#3628.
  it('is a line in the history of the request, which it neither resumes nor announces', async () => {
    const { request, notice } = await announced({ Status: { Value: WAITING } });
    await mailDesk.announce('ServiceRequests', { Event: 'added', Member: 'HistoryLines' });
    await mailDesk.announce('EmailServiceRequests', { Recipients: ['ServiceRequest/Caller'] });
    await mailDesk.announce('EmailServiceRequests', { Recipients: ['FromAddress'] });
    const before = (await mailDesk.rows('/ServiceRequests')).length;
    const subject = await report(notice, { action: 'failed', status: '5.1.1' });
    const [line] = await untilFound(mailDesk.mail, () => linesOf(request, subject));
    expect(line.Kind.Text).toBe('E-mail in');
    expect(await statusOf(request)).toBe(WAITING);
    expect((await mailDesk.rows('/ServiceRequests')).length).toBe(before);
    const record = await mailNamed(mailDesk.desk, mailDesk.mail, subject);
    expect(record).toMatchObject([{ Automatic: true, Status: { Text: 'Linked' } }]);
    // What follows is announced, after the report has been.
    await mailDesk.created(`/${request}/HistoryLines`, { Subject: 'A note' });
    await untilFound(mailDesk.mail, () => queued(`Entity eq '${request}' and Uid gt ${line.Uid}`));
    const after = await queued(`Uid gt ${line.Uid}`);
    expect(after.map(({ Entity }) => Entity)).toEqual([request]);
  });
});

describe('An address', () => {
  it('is blocked after repeated final failures, until an administrator unblocks it', async () => {
    const { address, notice } = await announced();
    await report(notice, { action: 'failed', status: '5.1.1' });
    expect(await addressRow(address)).toMatchObject({ Failures: 1, Blocked: false });
    for (const _ of ['second', 'third']) {
      const { notice: next } = await announced({}, { address });
      await report(next, { action: 'failed', status: '5.2.1' });
    }
    const row = await addressRow(address);
    const expected = {
      Failures: 3,
      Blocked: true,
      Status: '5.2.1',
      Diagnostic: '550 no such user',
    };
    expect(row).toMatchObject(expected);
    const skipped = async () => {
      const caller = (await mailDesk.rows(`/Persons?$filter=Email eq '${address}'`))[0].Uid;
      const reference = { 'Caller@odata.bind': `Persons(${caller})` };
      const content = { Description: 'Again', ...reference };
      const { Uid } = await mailDesk.created('/ServiceRequests', content);
      const filter = `Entity eq 'ServiceRequests(${Uid})' and Finished ne null`;
      return (await untilFound(mailDesk.mail, () => queued(filter)))[0];
    };
    const message = await skipped();
    expect(message).toMatchObject({
      State: 'suppressed',
      Response:
        'The address is blocked after 3 failures (UndeliverableAddresses). The last one: 550 no such user',
    });
    const { status } = await mailDesk.desk.send('DELETE', `/UndeliverableAddresses(${row.Uid})`);
    expect(status).toBe(204);
    expect(await skipped()).toMatchObject({ State: 'sent' });
    const retry = `/OutgoingMessages(${message.Uid})/Docket.System.Retry`;
    expect((await mailDesk.desk.send('POST', retry)).status).toBe(204);
    await untilFound(mailDesk.mail, () => queued(`Uid eq ${message.Uid} and State eq 'sent'`));
  });

  it.each([
    ['a temporary failure that was given up', '4.4.7'],
    ['a message that is rejected as such', '5.6.1'],
    ['a sender who is rejected', '5.7.1'],
    ['the address of the sender', '5.1.8'],
  ])('is not to blame for %s', async (_, status) => {
    const { address, notice, request } = await announced();
    await report(notice, { action: 'failed', status });
    expect(await messageAbout(request)).toMatchObject({ Delivery: 'failed' });
    expect(await addressRow(address)).toBeUndefined();
  });

  it('counts a report once, however often it arrives', async () => {
    const { address, notice } = await announced();
    for (const _ of ['first', 'second', 'third'])
      await report(notice, { action: 'failed', status: '5.1.1' });
    expect(await addressRow(address)).toMatchObject({ Failures: 1, Blocked: false });
  });

  it('is blocked and unblocked by hand; what was counted is for the service', async () => {
    const { address, notice } = await announced();
    await report(notice, { action: 'failed', status: '5.1.1' });
    const row = `/UndeliverableAddresses(${(await addressRow(address)).Uid})`;
    const body = { Blocked: true, Failures: 0 };
    expect((await mailDesk.desk.send('PATCH', row, { body })).status).toBeLessThan(300);
    expect(await addressRow(address)).toMatchObject({ Blocked: true, Failures: 1 });
    const { status } = await mailDesk.desk.send('POST', '/UndeliverableAddresses', {
      body: { Address: 'x@example.com', Blocked: true },
    });
    expect(status).toBe(405);
  });

  it('is a matter of administrators', async () => {
    const asker = await mailDesk.desk.join({ loginName: 'agent', roles: ['reader of notices'] });
    expect((await asker.get('/UndeliverableAddresses')).status).toBe(403);
  });
});

describe('A mail server', () => {
  it('that knows no such mailbox counts as well, unlike one that rejects the service', async () => {
    const { server } = mailDesk;
    const answers: Record<string, string> = {
      'unknown@example.com': '5.1.1 unknown',
      'denied@example.com': '5.7.1 relaying denied',
    };
    server.reply = (recipient) => (recipient in answers ? 550 : undefined);
    server.replyText = (recipient) => answers[recipient];
    try {
      for (const address of Object.keys(answers)) {
        const reference = { 'Caller@odata.bind': `Persons(${await mailDesk.person(address)})` };
        await mailDesk.created('/ServiceRequests', { Description: 'x', ...reference });
        const filter = `Address eq '${address}' and State eq 'failed'`;
        await untilFound(mailDesk.mail, () => queued(filter));
      }
    } finally {
      server.reply = undefined;
    }
    expect(await addressRow('unknown@example.com')).toMatchObject({ Failures: 1, Status: '5.1.1' });
    expect(await addressRow('denied@example.com')).toBeUndefined();
  });
});

describe('A read receipt', () => {
  it('is ignored', async () => {
    const { id } = await announced();
    const headers = {
      From: 'reader@example.com',
      Subject: 'Read: News',
      'Message-ID': '<read@example.com>',
      'In-Reply-To': String(id),
      'Content-Type': 'multipart/report; report-type=disposition-notification; boundary=edge',
    };
    const body =
      '--edge\r\nContent-Type: text/plain\r\n\r\nRead\r\n--edge\r\n' +
      `Content-Type: message/disposition-notification\r\n\r\nOriginal-Message-ID: ${id}\r\n` +
      'Disposition: manual-action/MDN-sent-manually; displayed\r\n--edge--\r\n';
    expect(await mailDesk.mail.sendRaw(eml(headers, body))).toMatch(/^250 /);
    await mailDesk.mail.send({ from: 'reader@example.com', subject: 'After the receipt' });
    await mailNamed(mailDesk.desk, mailDesk.mail, 'After the receipt');
    expect(await mailDesk.rows("/EmailServiceRequests?$filter=Subject eq 'Read: News'")).toEqual(
      [],
    );
  });
});

describe('An answer of a person', () => {
  it('resumes a request, in spite of reports about its notices', async () => {
    const { address, request, notice, id } = await announced({ Status: { Value: WAITING } });
    await report(notice, { action: 'delayed', status: '4.2.2' });
    expect(await statusOf(request)).toBe(WAITING);
    await mailDesk.mail.send({ from: address, to: DESK_ADDRESS, subject: 'Here', inReplyTo: id });
    await expect.poll(() => statusOf(request), { timeout: 20_000 }).toBe(IN_PROGRESS);
  });
});
