// This file sends the mail of the rules that the built-in model comes with, through a real mail server, and adds them to installations with
// rules of their own.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Observation, Observe } from '../../src/base/observation.ts';
import { builtInRoles, NO_ADDITIONS, readModelMail } from '../../src/cli/model-file.ts';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { addInitialMail } from '../../src/mail/out/initial-mail.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { importRecords } from '../../src/service/import.ts';
import type { Service } from '../../src/service/service.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { kept } from '../../src/store/work.ts';
import { header, type MailServer, startMailServer } from './mail-server.ts';
import { type Body, type LevelDesk, openLevelDesk } from './service-levels.ts';

const mail = readModelMail(NO_ADDITIONS);
/** Of all recipients, so that the limits are those of no test. */
const limits = { hourlyMails: 1000, dailyMails: 1000, mailFailures: 3 };

let server: MailServer;
let desk: LevelDesk;
const stops: (() => Promise<void>)[] = [];
const failures: Observation[] = [];

beforeAll(async () => {
  server = await startMailServer();
  desk = await openLevelDesk('2026-06-01 07:00');
  const { json } = await desk.get('/Roles?$select=Name');
  const known = json.value.map(({ Name }: { Name: string }) => Name);
  const missing = builtInRoles().filter(({ name }) => !known.includes(name));
  await importRecords(rolesDocument(missing), desk.service);
  await add();
  await start();
});
afterEach(() => {
  expect(failures.splice(0)).toEqual([]);
  server.received.length = 0;
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await desk?.close();
  await server?.close();
});

async function add(initial = mail): Promise<void> {
  const { database, layout } = desk.installation;
  await database.write(() => kept(addInitialMail(layout, initial, desk.world.now())));
}

async function start(): Promise<void> {
  const observe: Observe = (one) => void (one.kind === 'failure' && failures.push(one));
  const service: Service = Object.create(desk.service, { observe: { value: observe } });
  const smtp = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'off' as const,
    verify: true,
    from: 'desk@desk.example',
    fromName: 'Service desk',
    connections: 2,
    timeoutSeconds: 60,
    recipientRole: 'requester',
  };
  stops.push(startOutgoingMail(service, { smtp, ownAddresses: [], limits }, { interval: 50 }));
  await vi.waitFor(
    async () => {
      const position = await readSetting(desk.installation.database, 'mail position');
      if (position === undefined) throw new Error('does not follow the changes yet');
    },
    { timeout: 20_000 },
  );
}

let count = 0;
/** A person, with an account if a role is given. */
async function person(role?: string, body: Body = {}) {
  const number = count++;
  const Email = `recipient${number}@example.com`;
  const path = await desk.create('Persons', { LastName: `Person ${number}`, Email, ...body });
  const uid = Number(/\d+/.exec(path)?.[0]);
  if (role !== undefined)
    await desk.join({ loginName: `recipient${number}`, roles: [role], person: uid });
  return { path, address: Email };
}

/** The only message with the recipient, once it has arrived. */
async function mailTo(address: string, subject: string) {
  const found = () =>
    server.received.filter(
      (one) => one.to.includes(address) && header(one, 'Subject')?.includes(subject) === true,
    );
  await expect.poll(() => found().length, { timeout: 20_000 }).toBe(1);
  const [one] = found();
  if (one === undefined) throw new Error('no message');
  return one;
}

/** The subjects of all messages about a record, as the queue has them, and why some were not sent. */
async function queueOf(path: string): Promise<readonly unknown[]> {
  const filter = encodeURIComponent(`Entity eq '${path.replace(/^\//, '')}'`);
  const { json } = await desk.get(`/OutgoingMessages?$filter=${filter}&$orderby=Uid`);
  return json.value.map(({ Rule, State }: { Rule: string; State: string }) => [Rule, State]);
}

const assigned = (one: { readonly path: string }) => ({
  Assignment: { 'AssigneePerson@odata.bind': one.path.replace(/^\//, '') },
});
const calledBy = (one: { readonly path: string }) => ({
  'Caller@odata.bind': one.path.replace(/^\//, ''),
});

it('confirms a request in the language of the caller, without a return path and with escaped values', async () => {
  const caller = await person(undefined, { Language: 'nl', FirstName: 'Eva' });
  const path = await desk.create('ServiceRequests', {
    Description: 'Printer <b>&',
    ...calledBy(caller),
  });
  const receipt = await mailTo(caller.address, 'Wij hebben uw verzoek ontvangen');
  expect(receipt.from).toBe('');
  expect(header(receipt, 'Auto-Submitted')).toBe('auto-replied');
  expect(receipt.body).toContain('Hallo Eva,');
  // Without the soft line breaks of quoted-printable.
  expect(receipt.body.replaceAll('=\r\n', '')).toContain('Printer &lt;b&gt;&amp;');
  await expect.poll(() => queueOf(path)).toEqual([['request received', 'sent']]);
});

it('tells people what is assigned to them, and callers what is resolved', async () => {
  const [caller, agent] = [await person('requester', { Language: 'nl' }), await person('agent')];
  const path = await desk.create('ServiceRequests', {
    Description: 'Scanner',
    ...calledBy(caller),
  });
  await mailTo(caller.address, 'Wij hebben uw verzoek ontvangen');
  await desk.change(path, assigned(agent));
  expect((await mailTo(agent.address, 'Assigned to you: Scanner')).body).toContain('Priority:');
  const ClosureCode = { Value: 130001 };
  const Solution = 'Paper removed';
  await desk.change(path, { Status: { Value: 101008 }, Solution, ClosureCode });
  expect((await mailTo(caller.address, 'Uw verzoek is opgelost')).body).toContain('Paper removed');
});

it('announces public notes to callers and assignees, and internal ones to nobody', async () => {
  const [caller, agent] = [await person('requester'), await person('agent')];
  const path = await desk.create('ServiceRequests', {
    Description: 'Keyboard',
    ...calledBy(caller),
    ...assigned(agent),
  });
  const note = (Kind: number, Visibility: number, Information: string) => ({
    Subject: 'Note',
    Kind: { Value: Kind },
    Visibility: { Value: Visibility },
    Information,
  });
  const lines = `${path.replace(/^\//, '')}/HistoryLines`;
  await desk.create(lines, note(202002, 203001, 'What nobody may know'));
  await desk.create(lines, note(202003, 203002, 'Come by at noon'));
  for (const { address } of [caller, agent])
    expect((await mailTo(address, 'New note')).body).toContain('Come by at noon');
  expect(server.received.filter(({ raw }) => raw.includes('nobody may know'))).toEqual([]);
});

it('asks for approvals', async () => {
  const approver = await person('approver', { Language: 'de', FirstName: 'Ada' });
  const change = await desk.create('Changes', { Description: 'New server', Information: 'Rack 7' });
  await desk.create('ApproverVotes', {
    'Record@odata.bind': change.replace(/^\//, ''),
    'Person@odata.bind': approver.path.replace(/^\//, ''),
  });
  const asked = await mailTo(approver.address, 'Ihre Genehmigung wird erbeten');
  expect(asked.body).toContain('Guten Tag Ada,');
  expect(asked.body).toContain('Rack 7');
});

it('warns assignees and managers of their groups once, when a service level is in danger', async () => {
  const [agent, manager] = [await person('agent'), await person('agent')];
  const group = await desk.create('Workgroups', {
    Name: 'Second line',
    'Manager@odata.bind': manager.path.replace(/^\//, ''),
  });
  const path = await desk.create('Incidents', {
    Description: 'Outage',
    Impact: { Value: 111001 },
    Assignment: {
      ...assigned(agent).Assignment,
      'AssigneeWorkgroup@odata.bind': group.replace(/^\//, ''),
    },
  });
  await mailTo(agent.address, 'Assigned to you');
  stops.push(startDueActions(desk.service));
  // Three days, in which both clocks reach several marks.
  desk.at('2026-06-03 07:00');
  for (const { address } of [agent, manager]) await mailTo(address, 'Service level in danger');
  const about = (await queueOf(path)).filter((one) => String(one).includes('in danger'));
  expect(about).toHaveLength(2);
});

it('informs the manager of the group when an approval was not decided in time', async () => {
  const [voter, manager] = [await person('approver'), await person('agent')];
  const group = await desk.create('Workgroups', {
    Name: 'Board',
    'Manager@odata.bind': manager.path.replace(/^\//, ''),
    Members: [{ '@odata.id': voter.path.replace(/^\//, '') }],
  });
  const path = await desk.create('ServiceRequests', {
    Description: 'Laptop',
    Status: { Text: 'Awaiting approval' },
    Approval: {
      NrOfApproversRequired: 1,
      Deadline: '2026-06-03T08:00:00Z',
      'Workgroup@odata.bind': group.replace(/^\//, ''),
    },
  });
  await mailTo(voter.address, 'Your approval is asked for');
  desk.at('2026-06-03 08:00');
  const { body } = await mailTo(manager.address, 'not decided in time');
  expect(body).toContain('(Laptop) was not decided by');
  expect((await desk.read(path)).Approval.Status.Text).toBe('Expired');
});

it('neither restores what administrators have removed, nor changes what they have edited', async () => {
  const named = async (name: string) =>
    (await desk.get(`/MailRules?$filter=Name%20eq%20'${encodeURIComponent(name)}'`)).json.value;
  const uidOf = async (name: string) => (await named(name))[0].Uid;
  const blocked = await uidOf('request received');
  await desk.change(`/MailRules(${blocked})`, { Active: false });
  const removed = await uidOf('problem assigned');
  expect((await desk.send('DELETE', `/MailRules(${removed})`)).status).toBe(204);
  const template = "/MailTemplates(Name='public note',Language='en')";
  await desk.change(template, { Subject: 'News about {ID}' });
  const [rule] = mail.rules;
  if (rule === undefined) throw new Error('no rule');
  await add({ ...mail, rules: [...mail.rules, { ...rule, Name: 'of a later version' }] });
  expect(await named('of a later version')).toMatchObject([{ Active: false }]);
  expect(await named('problem assigned')).toEqual([]);
  expect(await named('request received')).toMatchObject([{ Uid: blocked, Active: false }]);
  expect((await desk.read(template)).Subject).toBe('News about {ID}');
  const { value } = await desk.read('/MailRules?$select=Name');
  expect(value).toHaveLength(mail.rules.length);
});
