// This file receives messages with files that the limits reject: the text and the other files are recorded.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eml, multipart } from '../mail/in/eml.ts';
import { type Desk, openDesk } from './desk.ts';
import { mailNamed, type Reception, receiveMail } from './mail-in.ts';

const NEW = 212001;
const FROM = { From: 'Isla <isla@example.com>' };

let mail: Reception;
afterEach(async () => await mail?.stop());

const one = async (desk: Desk, subject: string) => {
  const found = await mailNamed(desk, mail, subject, '&$expand=Attachments($orderby=Uid)');
  expect(found).toHaveLength(1);
  const [record] = found;
  const names = record.Attachments.map(({ Name }: { Name: string }) => Name);
  return { ...record, names };
};

describe('With permitted media types, a message', () => {
  let desk: Desk;
  beforeAll(async () => {
    const permitted = ['image/*', 'text/*', 'application/pdf'];
    const limits = { bytes: 5000, permitted, refused: ['text/html'] };
    desk = await openDesk({ settings: { files: { limits } } });
  });
  afterAll(async () => await desk?.close());

  it('keeps its text, its sender and the permitted files, and names the others', async () => {
    mail = receiveMail(desk);
    await mail.send({
      from: FROM.From,
      subject: 'Report',
      text: 'Important text\n> quoted',
      attachments: [
        { filename: 'report.docx', content: 'x', contentType: 'application/msword' },
        { filename: 'lamp.png', content: 'x', contentType: 'image/png' },
        { filename: 'list.docx', content: 'x', contentType: 'application/msword' },
        { filename: 'page.html', content: 'x', contentType: 'text/html' },
        { filename: 'large.txt', content: 'x'.repeat(5001) },
      ],
    });
    const record = await one(desk, 'Report');
    expect(record).toMatchObject({
      Status: { Value: NEW },
      FromAddress: 'isla@example.com',
      FromName: 'Isla',
      ToAddresses: ['desk@desk.example'],
      names: ['lamp.png'],
    });
    const lines = [
      'Not stored: "report.docx", "list.docx". Files of type "application/msword" are not accepted; permitted are image/*, text/*, application/pdf.',
      'Not stored: "page.html". Files of type "text/html" are not accepted; not permitted are text/html.',
      'Not stored: "large.txt". The file is larger than 5000 bytes; nothing was stored.',
    ];
    expect(record.Body).toBe([...lines, '', 'Important text', '> quoted'].join('\n'));
    expect(mail.warnings).toEqual(lines.map((line) => `${record.MessageId}: ${line}`));
  });

  it('whose exact bytes matter is kept as well', async () => {
    mail = receiveMail(desk);
    const raw = eml({ ...FROM, Subject: 'Latin' }, `Caf\xe9${'\r\nlong'.repeat(1000)}`);
    await mail.sendRaw(raw);
    const record = await one(desk, 'Latin');
    expect([record.Status.Value, record.names]).toEqual([NEW, ['message.eml']]);
    expect(record.Body).toContain('Café');
    const { Uid } = record.Attachments[0];
    const file = await desk.get(`/EmailServiceRequests(${record.Uid})/Attachments(${Uid})/$value`);
    expect(file.bytes.subarray(0, raw.length).equals(raw)).toBe(true);
  });

  it('that is signed, or forwards another, keeps both messages', async () => {
    mail = receiveMail(desk);
    const parts = [
      'Content-Type: text/plain\r\n\r\nSigned text',
      'Content-Type: message/rfc822\r\n\r\nSubject: Inner\r\n\r\nForwarded text',
      'Content-Type: application/pgp-signature; name=signature.asc\r\n\r\nx',
    ];
    await mail.sendRaw(multipart('multipart/signed', { ...FROM, Subject: 'Signed' }, parts));
    const record = await one(desk, 'Signed');
    expect(record.names).toEqual(['part-1.eml', 'message.eml']);
    expect(record.Body).toMatch(/^Not stored: "signature\.asc"\. .*\n\nSigned text$/);
  });

  it('cannot be forwarded as a file by clients', async () => {
    const path = '/ServiceRequests(1001)/Attachments';
    const headers = { 'Content-Type': 'message/rfc822', Slug: 'message.eml' };
    const { status } = await desk.send('POST', path, { headers, body: Buffer.from('x') });
    expect(status).toBe(415);
  });
});

describe('When the files of the account for mail have reached their limit, a message', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ settings: { files: { limits: { accountBytes: 100 } } } });
  });
  afterAll(async () => await desk?.close());

  it('keeps its text, and names its files', async () => {
    mail = receiveMail(desk);
    const attachments = [{ filename: 'notes.txt', content: 'x'.repeat(101) }];
    await mail.send({ from: FROM.From, subject: 'Full', attachments });
    const record = await one(desk, 'Full');
    expect([record.Status.Value, record.names]).toEqual([NEW, []]);
    expect(record.Body).toMatch(/^Not stored: "notes\.txt"\. .*100 bytes.*\n\nHello$/);
  });

  it('that needs its exact bytes waits until there is space', async () => {
    mail = receiveMail(desk);
    await mail.sendRaw(eml({ ...FROM, Subject: 'Waits' }, `\0${'x'.repeat(100)}`));
    await expect.poll(() => mail.failures.join(), { timeout: 20_000 }).toContain('100 bytes');
    await mail.stop();
    const { files } = desk.installation.config;
    const limits = { ...files.limits, accountBytes: 1000 };
    desk = await desk.restart({ files: { ...files, limits } });
    mail = receiveMail(desk);
    const query = '&$expand=Attachments';
    const [record] = await mailNamed(desk, mail, '(unreadable message)', query);
    expect(record.Attachments).toMatchObject([{ Name: 'message.eml' }]);
  });
});
