// This file lets two desks that confirm each message write to each other, and lets a desk write to a program that answers everything: nobody
// gets more than one receipt.
import { afterEach, describe, expect, it } from 'vitest';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { type Desk, openDesk } from './desk.ts';
import { mailNamed, type Reception, receiveMail, untilFound } from './mail-in.ts';
import { header, startMailServer } from './mail-server.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Post {
  readonly desk: Desk;
  readonly mail: Reception;
  readonly address: string;
}

/** A desk that receives mail for an address. */
async function openPost(address: string): Promise<Post> {
  const desk = await openDesk();
  stops.push(async () => await desk.close());
  const settings = {
    ownAddresses: [address],
    listen: { host: '127.0.0.1', port: 0, recipients: [address] },
  };
  const mail = receiveMail(desk, settings);
  stops.push(async () => await mail.stop());
  return { desk, mail, address };
}

/** Lets the desk confirm each message that it gets, by the mail server. */
async function confirmAll({ desk, address }: Post, port: number): Promise<void> {
  const smtp = {
    ...{ host: '127.0.0.1', port, tls: 'off' as const, verify: true, connections: 1 },
    ...{ from: address, fromName: 'Desk', timeoutSeconds: 20, recipientRole: 'reader of receipts' },
  };
  const EntityAccess = [{ Entity: 'EmailServiceRequest', Read: true }];
  await create(desk, '/Roles', { Name: 'reader of receipts', EntityAccess });
  const limits = { hourlyMails: 100, dailyMails: 100, mailFailures: 3 };
  stops.push(startOutgoingMail(desk.service, { smtp, ownAddresses: [], limits }, { interval: 50 }));
  const text = { Language: 'en', Subject: 'Receipt: {Subject}', Text: 'We have got it.' };
  await create(desk, '/MailTemplates', { Name: 'receipt', ...text });
  const position = () => readSetting(desk.installation.database, 'mail position');
  await expect.poll(position, { timeout: 20_000 }).toBeDefined();
  await create(desk, '/MailRules', {
    ...{ Name: 'receipt', EntitySet: 'EmailServiceRequests', Event: 'created', Receipt: true },
    ...{ Recipients: ['FromAddress'], Template: 'receipt', SkipAuthor: false },
  });
}

async function create(desk: Desk, path: string, body: object): Promise<void> {
  const { status, text } = await desk.send('POST', path, { body });
  expect(status, text).toBe(201);
}

interface Outgoing {
  readonly State: string;
  readonly Response: string | null;
}

/** Waits until the desk has decided about as many receipts, and returns them. */
async function receipts({ desk, mail }: Post, count: number): Promise<readonly Outgoing[]> {
  return await untilFound(mail, async () => {
    const url = "/OutgoingMessages?$orderby=Uid&$filter=State ne 'queued' and State ne 'sending'";
    const { value } = (await desk.get(url)).json;
    return value.length >= count ? value : [];
  });
}

describe('Receipts', () => {
  it('of two desks end after the first', async () => {
    const first = await openPost('first@desk.example');
    const second = await openPost('second@desk.example');
    await confirmAll(first, await second.mail.port());
    await confirmAll(second, await first.mail.port());
    await first.mail.sendRaw(
      Buffer.from('From: second@desk.example\r\nSubject: Question\r\n\r\nHow?\r\n'),
      second.address,
      first.address,
    );
    const [receipt] = await mailNamed(second.desk, second.mail, 'Receipt: Question');
    expect(receipt).toMatchObject({ Automatic: true, FromAddress: first.address });
    expect(await receipts(second, 1)).toMatchObject([
      { State: 'suppressed', Response: 'The message that it confirms is automatic.' },
    ]);
    expect(await receipts(first, 1)).toMatchObject([{ State: 'sent' }]);
    const all = (await first.desk.get('/EmailServiceRequests')).json.value;
    expect(all.map(({ Subject: subject }: { Subject: string }) => subject)).toEqual(['Question']);
  });

  it('to a program that answers everything, as a person would, end after the first', async () => {
    const post = await openPost('desk@desk.example');
    const server = await startMailServer();
    stops.push(async () => await server.close());
    await confirmAll(post, server.port);
    const from = 'robot@other.example';
    await post.mail.send({ from, subject: 'Hello', text: 'Hello' });
    await receipts(post, 1);
    const [receipt] = server.received;
    if (receipt === undefined) throw new Error('there is a receipt');
    const inReplyTo = header(receipt, 'message-id');
    for (const subject of ['Re: Receipt', 'Re: Receipt again'])
      await post.mail.send({ from, subject, text: 'Thank you', inReplyTo });
    const decided = await receipts(post, 3);
    expect(decided.map(({ State, Response }) => [State, Response])).toEqual([
      ['sent', expect.any(String)],
      ...['', ''].map(() => [
        'suppressed',
        'The message that it confirms replies to one of this service.',
      ]),
    ]);
    expect(server.received).toHaveLength(1);
    await post.mail.send({ from, subject: 'Another question', text: 'How?' });
    expect((await receipts(post, 4)).at(-1)).toMatchObject({ State: 'sent' });
  });
});
