// This file lets a desk send a notice about a request, and answers it by mail: the answer belongs to the request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authDatabase } from '../../src/auth/database.ts';
import { entitiesOf } from '../../src/mail/out/queue.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { type Desk, openDesk } from './desk.ts';
import { DESK_ADDRESS, type Reception, receiveMail } from './mail-in.ts';
import { header, type MailServer, startMailServer } from './mail-server.ts';

const ISLA = 'isla@example.com';
const WAITING = 101004;
const IN_PROGRESS = 101003;

let desk: Desk;
let server: MailServer;
let mail: Reception;
let stopOutgoing: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openDesk();
  server = await startMailServer();
  const { database } = desk.installation;
  mail = receiveMail(desk, {}, (ids) => entitiesOf(authDatabase(database), ids));
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'off' as const,
    verify: true,
    from: DESK_ADDRESS,
    fromName: 'Service desk',
    connections: 1,
    timeoutSeconds: 20,
  };
  const limits = { hourlyMails: 100, dailyMails: 100 };
  stopOutgoing = startOutgoingMail(desk.service, { smtp, ownAddresses: [], limits }, 50);
});
afterAll(async () => {
  await stopOutgoing?.();
  await mail?.stop();
  await server?.close();
  await desk?.close();
});

async function created(path: string, body: object) {
  const { status, json, text } = await desk.send('POST', path, { body });
  expect(status, text).toBe(201);
  return json;
}

/** The caller of requests, to whom notices about records of the set are sent. */
async function notify(EntitySet: string): Promise<number> {
  const Template = `about ${EntitySet}`;
  await created('/MailTemplates', { Name: Template, Language: 'en', Subject: 'News', Text: 'x' });
  const Recipients = ['Caller'];
  await created('/MailRules', {
    Name: Template,
    EntitySet,
    Event: 'created',
    Recipients,
    Template,
  });
  const people = await desk.get(`/Persons?$filter=Email eq '${ISLA}'`);
  if (people.json.value.length > 0) return people.json.value[0].Uid;
  const { Uid } = await created('/Persons', { LastName: 'Walker', Email: ISLA });
  const EntityAccess = ['ServiceRequest', 'Incident'].map((Entity) => ({ Entity, Read: true }));
  await created('/Roles', { Name: 'reader of notices', EntityAccess });
  await desk.join({ loginName: 'isla', roles: ['reader of notices'], person: Uid });
  return Uid;
}

/** Answers the notice about a new record of the set. */
async function answerNotice(set: string, body: object, subject: string): Promise<number> {
  const position = () => readSetting(desk.installation.database, 'mail position');
  await expect.poll(position, { timeout: 20_000 }).toBeDefined();
  const caller = await notify(set);
  server.received.length = 0;
  const { Uid } = await created(`/${set}`, { ...body, 'Caller@odata.bind': `Persons(${caller})` });
  await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(1);
  const [notice] = server.received;
  if (notice === undefined) throw new Error('no notice');
  const inReplyTo = header(notice, 'message-id');
  await mail.send({ from: ISLA, subject, text: 'Thank you', inReplyTo });
  return Uid;
}

const mailsOf = async (subject: string) =>
  (await desk.get(`/EmailServiceRequests?$filter=Subject eq '${subject}'&$expand=ServiceRequest`))
    .json.value;

describe('An answer to a notice', () => {
  it('about a request continues in its history, and resumes it', async () => {
    const body = { Description: 'Printer', Status: { Value: WAITING } };
    const uid = await answerNotice('ServiceRequests', body, 'Re: request');
    const request = `/ServiceRequests(${uid})`;
    const status = async () => (await desk.get(request)).json.Status.Value;
    await expect.poll(status, { timeout: 20_000 }).toBe(IN_PROGRESS);
    const lines = await desk.get(`${request}/HistoryLines?$filter=Subject eq 'Re: request'`);
    expect(lines.json.value).toHaveLength(1);
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
