// This file stops a desk for three days, in which deadlines pass, and starts it again: what is due happens, each clock gets one mark, and nobody gets
// more than one message about a record.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import { builtInRoles, NO_ADDITIONS, readModelMail } from '../../src/cli/model-file.ts';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { addInitialMail } from '../../src/mail/out/initial-mail.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { importRecords } from '../../src/service/import.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { kept } from '../../src/store/work.ts';
import { header, type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { type LevelDesk, openLevelDesk } from './service-levels.ts';

const STOP = '2026-06-01 07:30';
const START = '2026-06-04 07:30';

let server: MailServer;
let desk: LevelDesk;
let stops: (() => Promise<void>)[] = [];
const failures: Observation[] = [];
beforeEach(async () => {
  server = await startMailServer();
  desk = await openLevelDesk('2026-05-27 07:00');
  const { json } = await desk.get('/Roles?$select=Name');
  const known = json.value.map(({ Name }: { Name: string }) => Name);
  const missing = builtInRoles().filter(({ name }) => !known.includes(name));
  await importRecords(rolesDocument(missing), desk.service);
  const { database, layout } = desk.installation;
  const mail = readModelMail(NO_ADDITIONS);
  await database.write(() => kept(addInitialMail(layout, mail, desk.world.now())));
  const closed = { Name: 'request closed', Template: 'request resolved', Recipients: ['Caller'] };
  const event = { EntitySet: 'ServiceRequests', Event: 'changed', Member: 'Status' };
  const filter = { Filter: 'Status/Value eq 101009' };
  await desk.create('MailRules', { ...closed, ...event, ...filter });
  const state = { Name: 'changed description', Member: 'Description' };
  const toAgent = { Template: 'work assigned', Recipients: ['Assignment/AssigneePerson'] };
  await desk.create('MailRules', { ...event, ...state, ...toAgent });
});
afterEach(async () => {
  await stop();
  await server?.close();
  await desk?.close();
  expect(failures.splice(0)).toEqual([]);
});

/** Starts what a process of the service runs in the background. */
async function start(hourlyMails = 1000): Promise<void> {
  const smtp = {
    ...{ host: '127.0.0.1', port: server.port, tls: 'off' as const, verify: true },
    ...{ from: 'desk@desk.example', fromName: 'Service desk', connections: 2, timeoutSeconds: 60 },
    recipientRole: 'requester',
  };
  const observe = (one: Observation) => void (one.kind === 'failure' && failures.push(one));
  const service = Object.create(desk.service, { observe: { value: observe } });
  const caughtUp = new Promise<void>((resolve) => {
    stops.push(startDueActions(service, resolve));
  });
  const limits = { hourlyMails, dailyMails: 1000, mailFailures: 3 };
  const mail = { smtp, ownAddresses: [], limits };
  stops.push(startOutgoingMail(service, mail, { interval: 50, caughtUp }));
  const position = () => readSetting(desk.installation.database, 'mail position');
  await expect.poll(position, { timeout: 20_000 }).toBeDefined();
  await caughtUp;
}

async function stop(): Promise<void> {
  await Promise.all(stops.map((one) => one()));
  stops = [];
}

let count = 0;
async function person(role: string) {
  const number = count++;
  const address = `person${number}@example.com`;
  const path = await desk.create('Persons', { LastName: `Person ${number}`, Email: address });
  const uid = Number(/\d+/.exec(path)?.[0]);
  await desk.join({ loginName: `person${number}`, roles: [role], person: uid });
  return { address, reference: path.slice(1) };
}

/** Waits until the queue stays empty for as long as it takes to apply rules. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const waiting = await desk.get("/OutgoingMessages?$filter=State in ('queued','sending')");
    quiet = waiting.json.value.length === 0 ? quiet + 1 : 0;
  }
}

const messagesTo = (address: string): readonly ReceivedMail[] =>
  server.received.filter(({ to }) => to.includes(address));
const subjectsTo = (address: string) => messagesTo(address).map((one) => header(one, 'Subject'));
/** The last message about a record. */
const aboutAgent = (path: string) =>
  `Entity eq '${path.slice(1)}' and Created ge 2026-06-04T00:00:00Z`;
const marksOf = async (path: string) => {
  const { value } = await desk.read(`${path}/HistoryLines?$orderby=Uid`);
  return value
    .filter(({ Attribute }: { Attribute: string | null }) => Attribute?.endsWith('/Mark') === true)
    .map(({ Attribute, NewValue }: Record<string, string>) => `${Attribute} ${NewValue}`)
    .sort();
};

it('performs what was due, with one mark for each clock and one message for each record and person', async () => {
  const [caller, agent] = [await person('requester'), await person('agent')];
  const assigned = { 'AssigneePerson@odata.bind': agent.reference };
  const common = { 'Caller@odata.bind': caller.reference, Assignment: assigned };
  const group = await desk.create('Workgroups', {
    Name: 'Board',
    'Manager@odata.bind': agent.reference,
    Members: [{ '@odata.id': caller.reference }],
  });
  await start();
  const resolved = await desk.create('ServiceRequests', { Description: 'Old', ...common });
  await desk.change(resolved, { Status: { Text: 'Resolved' } });
  desk.at(STOP);
  const breached = await desk.create('ServiceRequests', {
    ...{ Description: 'Printer', Impact: { Value: 111001 }, ...common },
    Approval: {
      NrOfApproversRequired: 1,
      Deadline: '2026-06-02T08:00:00Z',
      'Workgroup@odata.bind': group.slice(1),
    },
    Status: { Text: 'Awaiting approval' },
  });
  const waiting = await desk.create('ServiceRequests', {
    ...{ Description: 'Screen', Impact: { Value: 111001 }, ...common },
    Status: { Text: 'In progress' },
  });
  await desk.change(waiting, {
    Status: { Text: 'Waiting for caller' },
    OnHoldUntil: '2026-06-02T07:00:00.000Z',
  });
  const open = await desk.create('ServiceRequests', {
    ...{ Description: 'Mouse', Impact: { Value: 111001 }, ...common },
  });
  await settled();
  await stop();
  server.received.length = 0;

  desk.at(START);
  // By another process, for example.
  await desk.change(open, { Description: 'Two mice' });
  await start();
  await settled();
  expect((await desk.read(resolved)).Status.Text).toBe('Closed');
  expect((await desk.read(waiting)).Status.Text).toBe('In progress');
  expect((await desk.read(breached)).Approval.Status.Text).toBe('Expired');
  expect(await marksOf(open)).toEqual(['Sla/Resolution/Mark 100', 'Sla/Response/Mark 100']);
  const idOf = async (path: string) => (await desk.read(path)).ID;
  const count = async (path: string, address: string) => {
    const label = `[${await idOf(path)}]`;
    return subjectsTo(address).filter((subject) => subject?.includes(label)).length;
  };
  for (const path of [resolved, breached, waiting, open])
    for (const { address } of [caller, agent])
      expect(await count(path, address), `${path} ${address}`).toBeLessThanOrEqual(1);
  expect(await count(resolved, caller.address)).toBe(1);
  expect(await count(open, agent.address)).toBe(1);
  expect(await count(breached, agent.address)).toBe(1);
  // Three events of one record: two of them have the same text.
  const [message] = (await desk.get(`/OutgoingMessages?$filter=${aboutAgent(open)}`)).json.value;
  expect(message.Text).toMatch(/^.*in danger.*\n\n---\n\n.*assigned to you.*$/s);
  expect(message.Text.split('in danger')).toHaveLength(2);
  expect(message.Html).toMatch(/^<p>.*in danger.*<hr>.*assigned to you.*$/);

  server.received.length = 0;
  await stop();
  await start();
  await settled();
  expect(server.received).toEqual([]);
});

it('keeps the limits of an address', async () => {
  const agent = await person('agent');
  await start();
  desk.at(STOP);
  const body = { Description: 'Printer', Impact: { Value: 111001 } };
  const assigned = { Assignment: { 'AssigneePerson@odata.bind': agent.reference } };
  for (let index = 0; index < 4; index++)
    await desk.create('ServiceRequests', { ...body, ...assigned });
  await settled();
  await stop();
  server.received.length = 0;
  desk.at(START);
  await start(3);
  await settled();
  expect(messagesTo(agent.address)).toHaveLength(3);
  const { json } = await desk.get("/OutgoingMessages?$filter=State eq 'suppressed'");
  const reasons = json.value.map(({ Response }: { Response: string }) => Response);
  expect(reasons).toContain('The address got 3 messages in the last hour (limits.hourlyMails).');
});
