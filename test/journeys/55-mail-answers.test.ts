// This file lets a desk send a notice about a request, and answers it by mail: the answer belongs to the request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MailDesk, openMailDesk } from './mail-desk.ts';
import type { Reception } from './mail-in.ts';
import { header } from './mail-server.ts';

const ISLA = 'isla@example.com';
const WAITING = 101004;
const IN_PROGRESS = 101003;

let mailDesk: MailDesk;
let mail: Reception;
let isla: number;
beforeAll(async () => {
  mailDesk = await openMailDesk();
  mail = mailDesk.mail;
  isla = await mailDesk.person(ISLA);
});
afterAll(async () => await mailDesk?.close());

/** Answers the notice about a new record of the set. */
async function answerNotice(set: string, body: object, subject: string): Promise<number> {
  await mailDesk.announce(set);
  const caller = { 'Caller@odata.bind': `Persons(${isla})` };
  const { Uid } = await mailDesk.created(`/${set}`, { ...body, ...caller });
  const inReplyTo = header(await mailDesk.messageTo(ISLA), 'message-id');
  await mail.send({ from: ISLA, subject, text: 'Thank you', inReplyTo });
  return Uid;
}

const mailsOf = async (subject: string) =>
  (
    await mailDesk.desk.get(
      `/EmailServiceRequests?$filter=Subject eq '${subject}'&$expand=ServiceRequest`,
    )
  ).json.value;

describe('An answer to a notice', () => {
  it('about a request continues in its history, and resumes it', async () => {
    const body = { Description: 'Printer', Status: { Value: WAITING } };
    const uid = await answerNotice('ServiceRequests', body, 'Re: request');
    const request = `/ServiceRequests(${uid})`;
    const status = async () => (await mailDesk.desk.get(request)).json.Status.Value;
    await expect.poll(status, { timeout: 20_000 }).toBe(IN_PROGRESS);
    const lines = await mailDesk.desk.get(
      `${request}/HistoryLines?$filter=Subject eq 'Re: request'`,
    );
    expect(lines.json.value).toHaveLength(1);
    expect(mail.failures).toEqual([]);
  });

  it('about a request that has been deleted is kept as a new message', async () => {
    const { desk, created, messageTo } = mailDesk;
    const caller = { 'Caller@odata.bind': `Persons(${isla})` };
    const { Uid } = await created('/ServiceRequests', { Description: 'Brief', ...caller });
    const inReplyTo = header(await messageTo(ISLA), 'message-id');
    expect((await desk.send('DELETE', `/ServiceRequests(${Uid})`)).status).toBe(204);
    await mail.send({ from: ISLA, subject: 'Re: deleted', inReplyTo });
    await mail.send({ from: ISLA, subject: 'After the deleted' });
    await expect
      .poll(async () => (await mailsOf('After the deleted')).length, { timeout: 20_000 })
      .toBe(1);
    const [record] = await mailsOf('Re: deleted');
    expect([record.Status.Text, record.ServiceRequest]).toEqual(['New', null]);
    expect(mail.failures).toEqual([]);
  });

  it('about a record that mail cannot belong to is kept as a new message', async () => {
    await answerNotice('Incidents', { Description: 'Server' }, 'Re: incident');
    await expect
      .poll(async () => (await mailsOf('Re: incident')).length, { timeout: 20_000 })
      .toBe(1);
    const [record] = await mailsOf('Re: incident');
    expect([record.Status.Text, record.ServiceRequest]).toEqual(['New', null]);
    expect(mail.failures).toEqual([]);
  });
});
