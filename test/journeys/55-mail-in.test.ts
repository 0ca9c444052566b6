// This file sends mail to a service desk through SMTP, and reads what became of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eml } from '../mail/in/eml.ts';
import { type Desk, openDesk } from './desk.ts';
import { DESK_ADDRESS, mailNamed, type Reception, receiveMail, untilFound } from './mail-in.ts';

const [NEW, LINKED, ERROR] = [212001, 212003, 212005];
const [INTERNAL, PUBLIC] = [203001, 203002];
const [IN_PROGRESS, WAITING] = [101003, 101004];
const ISLA = 'Isla.Walker@example.com';

let desk: Desk;
let mail: Reception;
let isla: number;
beforeAll(async () => {
  desk = await openDesk();
  const body = { FirstName: 'Isla', LastName: 'Walker', Email: ISLA };
  isla = (await desk.send('POST', '/Persons', { body })).json.Uid;
  mail = receiveMail(desk);
});
afterAll(async () => {
  await mail?.stop();
  await desk?.close();
});

const read = async (path: string) => (await desk.get(`/${path}`)).json;
const one = async (subject: string, query = '') => {
  const found = await mailNamed(desk, mail, subject, query);
  expect(found).toHaveLength(1);
  return found[0];
};

describe('A message', () => {
  it('becomes a record, with its sender and its files', async () => {
    await mail.send({
      from: `"Walker, Isla" <${ISLA.toUpperCase()}>`,
      to: [DESK_ADDRESS, 'Boss <boss@example.com>'],
      cc: 'colleague@example.com',
      envelope: { from: ISLA, to: DESK_ADDRESS },
      subject: 'Café is dark',
      text: 'No light since Monday. ☀',
      html: '<p onclick="x()">No <b>light</b> <img src="cid:lamp"><script>x()</script></p>',
      messageId: '<dark@example.com>',
      headers: { 'Content-Language': 'nl' },
      attachments: [
        { filename: 'lamp.png', content: Buffer.from([1, 0, 255]), cid: 'lamp' },
        { filename: 'lamp.png', content: Buffer.from([2]) },
        { filename: '../../etc/données.json', content: '{"a": 1}' },
      ],
    });
    const expand = '&$expand=Sender($select=Uid),Attachments($orderby=Uid)';
    const record = await one('Café is dark', expand);
    expect(record).toMatchObject({
      Body: 'No light since Monday. ☀\n',
      FromAddress: 'ISLA.WALKER@example.com',
      FromName: 'Walker, Isla',
      ToAddresses: [DESK_ADDRESS, 'boss@example.com'],
      CcAddresses: ['colleague@example.com'],
      MessageId: '<dark@example.com>',
      Language: 'nl',
      Automatic: false,
      Status: { Value: NEW },
      Sender: { Uid: isla },
      Registration: { CreatedBy: 'admin' },
    });
    expect(record.BodyHtml.trim()).toBe(
      `<p>No <b>light</b> <img src="Attachments(Name='lamp.png')/$value" alt="" /></p>`,
    );
    const names = record.Attachments.map(({ Name, Size }: never) => [Name, Size]);
    expect(names).toEqual([
      ['lamp.png', 3],
      ['lamp (2).png', 1],
      ['données.json', 8],
    ]);
    const path = `/EmailServiceRequests(${record.Uid})/Attachments(Name='lamp.png')/$value`;
    const file = await desk.get(path);
    expect([file.status, [...file.bytes]]).toEqual([200, [1, 0, 255]]);
  });

  it('of an unknown sender has no person, nor has that of an address of two persons', async () => {
    for (const LastName of ['One', 'Two'])
      await desk.send('POST', '/Persons', { body: { LastName, Email: 'both@example.com' } });
    await mail.send({ from: 'nobody@example.com', subject: 'Unknown' });
    await mail.send({ from: 'both@example.com', subject: 'Shared' });
    expect((await one('Unknown', '&$expand=Sender')).Sender).toBeNull();
    expect((await one('Shared', '&$expand=Sender')).Sender).toBeNull();
  });

  it('has a record without subject, text, sender and Message-ID too', async () => {
    await mail.sendRaw(eml({ Date: 'x' }), '');
    const record = await one('(no subject)');
    expect(record.MessageId).toMatch(/^<[0-9a-f]{64}@message\.invalid>$/);
    expect([record.FromAddress, record.Automatic]).toEqual([null, true]);
  });

  it('without an address of its sender states that it has no known sender', async () => {
    await mail.sendRaw(eml({ From: 'nobody at all', Subject: 'Nameless' }), 'x@example.com');
    expect((await one('Nameless')).DistrustReason).toBe('The sender is no known person.');
  });

  it('that is sent again is not recorded again, with and without a Message-ID', async () => {
    const raw = eml({ Subject: 'Twice', From: ISLA });
    await Promise.all([mail.sendRaw(raw), mail.sendRaw(raw)]);
    const relayed = { Subject: 'Relayed', From: ISLA, 'Message-ID': '<relayed@example.com>' };
    await mail.sendRaw(eml({ Received: 'from a', ...relayed }));
    await mail.sendRaw(eml({ Received: 'from b', ...relayed }));
    await mail.send({ from: ISLA, subject: 'After both' });
    await one('After both');
    await one('Twice');
    await one('Relayed');
  });

  it('that cannot be parsed keeps its bytes, and holds up no other', async () => {
    const raw = eml({ Subject: 'Never parsed' }, 'a\0b');
    expect(await mail.sendRaw(raw)).toMatch(/^250 /);
    await mail.send({ from: ISLA, subject: 'After the unreadable' });
    await one('After the unreadable');
    const record = await one('(unreadable message)', '&$expand=Attachments');
    expect([record.Status.Value, record.Body]).toEqual([ERROR, 'The message contains NUL bytes.']);
    const { Uid } = record.Attachments[0];
    const file = await desk.get(`/EmailServiceRequests(${record.Uid})/Attachments(${Uid})/$value`);
    expect(file.bytes.subarray(0, raw.length).equals(raw)).toBe(true);
  });

  it('is shortened to what its record can hold', async () => {
    const [name, id] = ['n'.repeat(400), `<${'i'.repeat(400)}@example.com>`];
    const headers = { From: `${name} <${ISLA}>`, Subject: 'Long', 'In-Reply-To': id };
    await mail.sendRaw(eml({ ...headers, To: `${'t'.repeat(400)}@example.com` }));
    const record = await one('Long');
    expect([record.FromName, record.ToAddresses]).toEqual(['n'.repeat(255), []]);
  });

  it('that is too large is rejected with 552', async () => {
    expect(await mail.sendRaw(eml({ Subject: 'Large' }, 'x\r\n'.repeat(400_000)))).toMatch(/^552 /);
    const reply = mail.send({ from: ISLA, subject: 'Large', text: 'x'.repeat(2_000_000) });
    await expect(reply).rejects.toMatchObject({ responseCode: 552 });
  });

  it('for another address is rejected with 550; details of an address are accepted', async () => {
    const reply = mail.send({ from: ISLA, to: 'elsewhere@example.com' });
    await expect(reply).rejects.toMatchObject({ responseCode: 550 });
    await mail.send({ from: ISLA, to: 'desk+12.ab@desk.example', subject: 'Detail' });
    await mail.send({ from: ISLA, to: 'anybody@team.example', subject: 'Domain' });
    await one('Detail');
    await one('Domain');
  });
});

describe('A conversation', () => {
  let count = 0;
  /** A request made of a mail, in the given status. */
  async function conversation(status: number) {
    const id = `<start.${count++}@example.com>`;
    const subject = `Start ${count}`;
    await mail.send({ from: ISLA, subject, messageId: id });
    const { Uid } = await one(subject);
    const path = `/EmailServiceRequests(${Uid})/Service.Web.OData.Model.Convert`;
    const converted = await desk.send('POST', `${path}?$expand=Caller`);
    expect(converted.json.Caller.Uid).toBe(isla);
    const request = `ServiceRequests(${converted.json.Uid})`;
    await desk.send('PATCH', `/${request}`, { body: { Status: { Value: status } } });
    return { id, request };
  }
  // biome-ignore lint/suspicious/noExplicitAny: as in DeskAnswer
  const linesOf = async (request: string, subject: string): Promise<readonly any[]> =>
    (await read(`${request}/HistoryLines?$filter=Subject eq '${subject}'`)).value;
  const lineOf = async (request: string, subject: string) =>
    await untilFound(mail, () => linesOf(request, subject));
  const statusOf = async (request: string) => (await read(request)).Status.Value;

  it('continues in the history of its request, which is resumed', async () => {
    const { id, request } = await conversation(WAITING);
    await mail.send({ from: ISLA, subject: 'Re: Start', text: 'Here it is', inReplyTo: id });
    const record = await one('Re: Start', '&$expand=ServiceRequest');
    const [line, ...others] = await lineOf(request, 'Re: Start');
    expect(await statusOf(request)).toBe(IN_PROGRESS);
    expect(others).toEqual([]);
    expect([line.Kind.Text, line.Information]).toEqual(['E-mail in', 'Here it is\n']);
    const linked = await read(`EmailServiceRequests(${record.Uid})?$expand=ServiceRequest`);
    expect(linked.Status.Value).toBe(LINKED);
    expect(`ServiceRequests(${linked.ServiceRequest.Uid})`).toBe(request);
    const changed = await desk.send('DELETE', `/${request}/HistoryLines(${line.Uid})`);
    expect([changed.status, changed.json.error.code]).toEqual([403, 'write.recorded']);
  });

  it('has marks at what its replies quote, and keeps all of it', async () => {
    const { id, request } = await conversation(WAITING);
    const attribution = 'On Mon, May 4, 2026 at 10:12 AM Desk <desk@example.com> wrote:';
    const answers = `${attribution}\n> Which lamp?\nThe one at the door.\n\n`;
    const headers = ['From: Desk', 'Sent: Monday, May 4, 2026 10:12', 'To: Isla', 'Subject: Lamp'];
    const quoted = ['_'.repeat(32), ...headers, '', 'Which one?', '> No light.', '', 'Desk'];
    const text = answers + quoted.join('\n');
    await mail.send({ from: ISLA, subject: 'Re: Lamp', text, inReplyTo: id });
    const [line] = await lineOf(request, 'Re: Lamp');
    const marked = quoted.map((one) => (one === '' ? one : `> ${one}`)).join('\n');
    expect(line.Information).toBe(`${answers}${marked}\n`);
    expect((await one('Re: Lamp')).Body).toBe(line.Information);
  });

  it('shows answers between quoted paragraphs of a message that is HTML only', async () => {
    const { id, request } = await conversation(WAITING);
    const html =
      '<div>See below.</div><div class="gmail_quote"><div>On Mon, May 4, 2026 at 10:12 AM Desk &lt;desk@example.com&gt; wrote:</div>' +
      '<blockquote class="gmail_quote">Which lamp?</blockquote><div>The one at the door.</div><blockquote>Desk</blockquote></div>';
    await mail.send({ from: ISLA, subject: 'Re: Door', text: '', html, inReplyTo: id });
    const [line] = await lineOf(request, 'Re: Door');
    expect(line.Information.split('\n').slice(2)).toEqual([
      ...['', '> Which lamp?', '', 'The one at the door.', '', '> Desk'],
    ]);
  });

  // zammad/zammad#1131, frappe/helpdesk#3628.
  it.each([
    ['an automatic reply', { from: ISLA, headers: { 'Auto-Submitted': 'auto-replied' } }],
    [
      'a message with an empty return path',
      { from: ISLA, envelope: { from: '', to: DESK_ADDRESS } },
    ],
    ['an unknown sender', { from: 'somebody@example.com' }],
    ['an address of the desk itself', { from: DESK_ADDRESS }],
  ])('is recorded, but not resumed by %s', async (name, message) => {
    const { id, request } = await conversation(WAITING);
    await mail.send({ ...message, subject: `From ${name}`, inReplyTo: id });
    expect(await lineOf(request, `From ${name}`)).toHaveLength(1);
    expect(await statusOf(request)).toBe(WAITING);
  });

  it('shows its caller what the caller has written, and nothing of others', async () => {
    const { id, request } = await conversation(WAITING);
    await desk.send('POST', '/Persons', {
      body: { LastName: 'Other', Email: 'other@example.com' },
    });
    const automatic = { 'Auto-Submitted': 'auto-replied' };
    await mail.send({ from: ISLA, subject: 'Of the caller', inReplyTo: id });
    await mail.send({ from: 'other@example.com', subject: 'Of another', inReplyTo: id });
    await mail.send({ from: 'unknown@example.com', subject: 'Of nobody', inReplyTo: id });
    await mail.send({ from: ISLA, subject: 'Of a machine', inReplyTo: id, headers: automatic });
    const visibility = async (subject: string) => {
      const [line] = await lineOf(request, subject);
      return line.Visibility.Value;
    };
    expect(await visibility('Of the caller')).toBe(PUBLIC);
    for (const subject of ['Of another', 'Of nobody', 'Of a machine'])
      expect(await visibility(subject), subject).toBe(INTERNAL);
  });

  it('that does not wait keeps its status', async () => {
    const { id, request } = await conversation(101008);
    await mail.send({ from: ISLA, subject: 'Thanks', inReplyTo: id });
    expect(await lineOf(request, 'Thanks')).toHaveLength(1);
    expect(await statusOf(request)).toBe(101008);
  });

  it('is found by References, from the end', async () => {
    const [first, second] = [await conversation(WAITING), await conversation(WAITING)];
    const references = [first.id, second.id, '<unknown@example.com>'];
    await mail.send({ from: ISLA, subject: 'By References', references });
    expect(await lineOf(second.request, 'By References')).toHaveLength(1);
    expect(await linesOf(first.request, 'By References')).toEqual([]);
  });

  // zammad/zammad#5716.
  it('is found by a message that only both refer to', async () => {
    const subject = 'Refers to the lost';
    await mail.send({ from: ISLA, subject, references: '<lost@example.com>' });
    const { Uid } = await one(subject);
    const convert = `/EmailServiceRequests(${Uid})/Service.Web.OData.Model.Convert`;
    const request = `ServiceRequests(${(await desk.send('POST', convert)).json.Uid})`;
    await mail.send({ from: ISLA, subject: 'Refers too', references: '<lost@example.com>' });
    expect(await lineOf(request, 'Refers too')).toHaveLength(1);
  });

  // tomolimo/mailanalyzer#20: Thread-Index mixes conversations.
  it('is not found by subject or Thread-Index', async () => {
    const thread = { 'Thread-Index': 'AdX1', 'Thread-Topic': 'Start' };
    await mail.send({ from: ISLA, subject: 'Topic', headers: thread });
    const { Uid } = await one('Topic');
    await desk.send('POST', `/EmailServiceRequests(${Uid})/Service.Web.OData.Model.Convert`);
    const messageId = '<other@example.com>';
    await mail.send({ from: ISLA, subject: 'RE: Topic', headers: thread, messageId });
    const other = await one('RE: Topic', '&$expand=ServiceRequest');
    expect([other.Status.Value, other.ServiceRequest]).toEqual([NEW, null]);
  });
});
