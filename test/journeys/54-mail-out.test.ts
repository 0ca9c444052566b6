// This file changes records, and reads the messages that a real mail server receives: to whom, in which language, with which values, and
// what the queue says about them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Observation, Observe } from '../../src/base/observation.ts';
import { entityType } from '../../src/edm/model.ts';
import { readTemplateValues } from '../../src/mail/out/compose.ts';
import { startOutgoingMail } from '../../src/mail/out/start-mail.ts';
import type { Service } from '../../src/service/service.ts';
import { readSetting } from '../../src/store/installation-settings.ts';
import { type FixedWorld, fixedWorld } from '../world.ts';
import { type Desk, openDesk, principalNamed } from './desk.ts';
import { header, type MailServer, startMailServer } from './mail-server.ts';

const FROM = 'desk@desk.example';
/** Milliseconds between searches. */
const INTERVAL = 50;

let server: MailServer;
let desk: Desk;
/** The clock of outgoing mail alone, so that tokens do not expire when it advances. */
let world: FixedWorld;
let stops: (() => Promise<void>)[] = [];
/** What outgoing mail has reported as failed. */
const failures: Observation[] = [];
beforeAll(async () => {
  desk = await openDesk();
  server = await startMailServer();
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  expect(failures.splice(0)).toEqual([]);
  server.received.length = 0;
  server.reply = undefined;
  server.beforeAccept = undefined;
});
afterAll(async () => {
  await desk?.close();
  await server?.close();
});

interface MailOptions {
  readonly smtp?: object;
  readonly ownAddresses?: readonly string[];
  readonly limits?: {
    readonly hourlyMails: number;
    readonly dailyMails: number;
    readonly mailFailures: number;
  };
}

/** Starts outgoing mail, and waits until it follows the changes. */
async function start({ smtp, ownAddresses = [], limits }: MailOptions = {}): Promise<void> {
  const settings = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'off' as const,
    verify: true,
    from: FROM,
    fromName: 'Service desk',
    connections: 2,
    timeoutSeconds: 20,
    ...smtp,
  };
  const observe: Observe = (one) => void (one.kind === 'failure' && failures.push(one));
  const service: Service = Object.create(desk.service, {
    observe: { value: observe },
    world: { value: world },
  });
  stops.push(
    startOutgoingMail(
      service,
      {
        smtp: settings,
        ownAddresses,
        limits: limits ?? { hourlyMails: 10, dailyMails: 40, mailFailures: 3 },
      },
      { interval: INTERVAL },
    ),
  );
  const position = async () => await readSetting(desk.installation.database, 'mail position');
  await expect.poll(position).toBeDefined();
}

async function created(path: string, body: object) {
  const { status, json, text } = await desk.send('POST', path, { body });
  expect(status, text).toBe(201);
  return json;
}

let count = 0;
/** A person with an account that has the role. */
async function person(body: object = {}, roles: readonly string[] = ['reader']) {
  const number = count++;
  const Email = `person${number}@example.com`;
  const one = await created('/Persons', { LastName: `Person ${number}`, Email, ...body });
  const loginName = `login${number}`;
  const asker = await desk.join({ loginName, roles: [...roles], person: one.Uid });
  return { uid: one.Uid as number, address: String(one.Email), loginName, asker };
}

async function template(body: object = {}) {
  const Name = `template ${count++}`;
  const texts = {
    Language: 'en',
    Subject: 'Request {ID}: {Description}',
    Text: 'Hello {Caller/Name}',
  };
  return await created('/MailTemplates', { Name, ...texts, ...body });
}

async function rule(body: object) {
  const Template = (body as { Template?: string }).Template ?? (await template()).Name;
  return await created('/MailRules', {
    Name: `rule ${count++}`,
    EntitySet: 'ServiceRequests',
    Event: 'created',
    Recipients: ['Caller'],
    ...body,
    Template,
  });
}

const request = async (caller: number, body: object = {}) =>
  await created('/ServiceRequests', {
    Description: 'Printer on fire',
    'Caller@odata.bind': `Persons(${caller})`,
    ...body,
  });

const messages = async (filter: string) =>
  (await desk.get(`/OutgoingMessages?$filter=${encodeURIComponent(filter)}&$orderby=Uid`)).json
    .value;

async function finished(filter: string, number = 1) {
  await expect
    .poll(async () => (await messages(`(${filter}) and Finished ne null`)).length, {
      timeout: 20_000,
    })
    .toBe(number);
  return await messages(filter);
}

beforeAll(async () => {
  await created('/Roles', {
    Name: 'reader',
    EntityAccess: [
      { Entity: 'ServiceRequest', Read: true, Filter: 'Caller/Uid eq $me' },
      { Entity: 'Person', Read: true, Filter: 'Uid eq $me' },
      { Entity: 'HistoryLine', Read: true, Filter: 'Visibility/Value eq 203002' },
    ],
  });
  await created('/Roles', {
    Name: 'worker',
    EntityAccess: [
      { Entity: 'Record', Read: true },
      { Entity: 'HistoryLine', Read: true },
    ],
  });
});
beforeEach(async () => {
  world = fixedWorld(11, Date.now());
  const { json } = await desk.get('/MailRules');
  for (const { Uid } of json.value)
    expect((await desk.send('DELETE', `/MailRules(${Uid})`)).status).toBe(204);
});

/** The reference that all messages about a request have in common. */
const rootOf = (uid: number) =>
  new RegExp(`^<ServiceRequests\\.${uid}\\.[0-9a-f]{20}@desk\\.example>$`);

describe('A rule for new requests', () => {
  it('sends a message to the caller, with values and headers', async () => {
    const caller = await person({ FirstName: 'Eva', Name: 'Jansen, Eva' });
    await rule({});
    await start();
    const { Uid, ID } = await request(caller.uid);
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(1);
    const [mail] = server.received;
    if (mail === undefined) throw new Error('no mail');
    expect(mail.from).toBe(FROM);
    expect(mail.to).toEqual([caller.address]);
    expect(header(mail, 'Subject')).toBe(`Request ${ID}: Printer on fire`);
    expect(mail.body).toContain('Hello Jansen, Eva');
    expect(header(mail, 'From')).toBe(`Service desk <${FROM}>`);
    expect(header(mail, 'Auto-Submitted')).toBe('auto-generated');
    expect(header(mail, 'X-Auto-Response-Suppress')).toBe('All');
    expect(header(mail, 'References')).toMatch(rootOf(Uid));
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row).toMatchObject({ State: 'sent', Address: caller.address, Attempts: 1 });
    expect(row.MessageId).toBe(header(mail, 'Message-ID'));
    expect(row.Response).toContain('250');
  });

  it('uses the language of the recipient, its main language, or that of the installation', async () => {
    const { Name } = await template({ Subject: 'New', Text: 'English {Status}' });
    await template({ Name, Language: 'nl', Subject: 'Nieuw', Text: 'Nederlands {Status}' });
    await rule({ Template: Name });
    const people = [];
    for (const Language of ['nl', 'nl-BE', 'sv', null]) people.push(await person({ Language }));
    await start();
    for (const { uid } of people) await request(uid);
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(4);
    const bodies = people.map(({ address }) => mailTo(address).body.trim());
    const [dutch, english] = ['Nederlands Geregistreerd', 'English Registered'];
    expect(bodies).toEqual([dutch, dutch, english, english]);
  });

  it('writes times in the time zone of the recipient, and nothing for null', async () => {
    const Text =
      'at {PlanStart}, [{Workaround}] {{literal}}\nHello {Caller/FirstName}, ({Solution}, x)';
    const { Name } = await template({ Text });
    await rule({ Template: Name });
    const caller = await person({ TimeZone: 'Asia/Tokyo' });
    await start();
    await request(caller.uid, { PlanStart: '2026-11-24T20:00:00Z' });
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(1);
    expect(mailTo(caller.address).body).toMatch(
      /at Nov 25, 2026, 05:00 AM GMT\+9, \[\] \{literal\}\r?\nHello, \(, x\)/,
    );
  });

  it('escapes values in HTML, evaluates none of them, and keeps headers apart', async () => {
    const Html = '<p>{Description}</p><p>{Information}</p>';
    const { Name } = await template({ Subject: '{Description}', Text: '{Description}', Html });
    await rule({ Template: Name });
    const caller = await person({ Name: 'Eve"\r\nBcc: all@example.com', FirstName: 'Eve' });
    await start();
    const Description = 'A\r\nBcc: victim@example.com\r\n\r\n{Caller/Name} <script>';
    const { Uid } = await request(caller.uid, { Description, Information: '<img src=x>\n"&\'' });
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(1);
    const mail = mailTo(caller.address);
    expect(mail.to).toEqual([caller.address]);
    expect(mail.headers.has('bcc')).toBe(false);
    expect(header(mail, 'To')).toContain(`<${caller.address}>`);
    expect(header(mail, 'Subject')).toBe('A Bcc: victim@example.com {Caller/Name} <script>');
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row.Html).toBe(
      '<p>A<br>Bcc: victim@example.com<br><br>{Caller/Name} &lt;script&gt;</p><p>&lt;img src=x&gt;<br>&quot;&amp;&#39;</p>',
    );
    expect(row.AddressName).toBe('Eve" Bcc: all@example.com');
  });

  it('applies its condition to the request as it is, and only to later changes', async () => {
    const caller = await person();
    await start();
    await request(caller.uid);
    const { DateCreated } = (await request(caller.uid)).Registration;
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(DateCreated));
    await rule({ Filter: "contains(Description,'fire')" });
    await request(caller.uid, { Description: 'Water' });
    const { Uid } = await request(caller.uid);
    await finished("State eq 'sent'", (await messages("State eq 'sent'")).length + 1);
    const rows = await messages(`Address eq '${caller.address}'`);
    expect(rows.map(({ Entity }: { Entity: string }) => Entity)).toEqual([
      `ServiceRequests(${Uid})`,
    ]);
  });
});

/** The only message to an address. */
function mailTo(address: string) {
  const found = server.received.filter(({ to }) => to.includes(address));
  expect(found).toHaveLength(1);
  const [mail] = found;
  if (mail === undefined) throw new Error('no message');
  return mail;
}

const change = async (uid: number, body: object) => {
  const { status, text } = await desk.send('PATCH', `/ServiceRequests(${uid})`, { body });
  expect(status, text).toBeLessThan(300);
};

/** Waits until all changes up to now have been processed: that of a request of its own causes a message. */
async function settled(): Promise<void> {
  const marker = await person();
  const { Uid } = await rule({ Filter: "Description eq 'marker'" });
  await request(marker.uid, { Description: 'marker' });
  await finished(`Address eq '${marker.address}'`);
  expect((await desk.send('DELETE', `/MailRules(${Uid})`)).status).toBe(204);
}

describe('A rule for changes', () => {
  it('concerns a member, whoever changes what else', async () => {
    const caller = await person();
    await start();
    const { Uid } = await request(caller.uid);
    await rule({ Event: 'changed', Member: 'Status', Filter: 'Status/Value eq 101003' });
    await change(Uid, { Description: 'Another text' });
    await change(Uid, { Status: { Value: 101002 } });
    await settled();
    expect(await messages(`Address eq '${caller.address}'`)).toEqual([]);
    await change(Uid, { Status: { Value: 101003 } });
    await finished(`Address eq '${caller.address}'`);
    // The condition holds now, but the member does not change.
    await change(Uid, { Description: 'A third text' });
    await settled();
    expect(await messages(`Address eq '${caller.address}'`)).toHaveLength(1);
  });

  it('concerns an assignment at creation and later, also by way of a workgroup', async () => {
    const [first, second, caller] = [
      await person({}, ['worker']),
      await person({}, ['worker']),
      await person(),
    ];
    const group = await created('/Workgroups', {
      Name: 'Second line',
      'Members@odata.bind': [`Persons(${first.uid})`, `Persons(${second.uid})`],
    });
    const { Name } = await template({
      Subject: 'Yours',
      Text: '{Assignment/AssigneeWorkgroup/Name}',
    });
    const Recipients = ['Assignment/AssigneePerson', 'Assignment/AssigneeWorkgroup'];
    await rule({
      Event: 'assigned',
      Member: 'Assignment/AssigneePerson',
      Recipients,
      Template: Name,
    });
    await rule({
      Event: 'assigned',
      Member: 'Assignment/AssigneeWorkgroup',
      Recipients,
      Template: Name,
    });
    await start();
    const one = await request(caller.uid, {
      Assignment: { 'AssigneePerson@odata.bind': `Persons(${first.uid})` },
    });
    await finished(`Entity eq 'ServiceRequests(${one.Uid})'`);
    const two = await request(caller.uid);
    await settled();
    expect(await messages(`Entity eq 'ServiceRequests(${two.Uid})'`)).toEqual([]);
    await change(two.Uid, {
      Assignment: { 'AssigneeWorkgroup@odata.bind': `Workgroups(${group.Uid})` },
    });
    const rows = await finished(`Entity eq 'ServiceRequests(${two.Uid})'`, 2);
    const addresses = rows.map(({ Address }: { Address: string }) => Address).sort();
    expect(addresses).toEqual([first.address, second.address].sort());
    expect(rows[0].Text).toBe('Second line');
  });

  it('spares the author, unless it is to reach the author', async () => {
    const caller = await person({}, ['worker']);
    await created('/Roles', {
      Name: `writer ${caller.loginName}`,
      EntityAccess: [
        { Entity: 'ServiceRequest', Read: true, Create: true },
        { Entity: 'Person', Read: true },
      ],
    });
    const writer = await desk.join({
      loginName: `${caller.loginName}b`,
      roles: [`writer ${caller.loginName}`],
    });
    const other = await person({}, ['worker', `writer ${caller.loginName}`]);
    await rule({ Recipients: ['Caller'] });
    await start();
    const body = (uid: number) => ({
      body: { Description: 'Mine', 'Caller@odata.bind': `Persons(${uid})` },
    });
    expect((await other.asker.send('POST', '/ServiceRequests', body(other.uid))).status).toBe(201);
    expect((await writer.send('POST', '/ServiceRequests', body(caller.uid))).status).toBe(201);
    await finished(`Address eq '${caller.address}'`);
    expect(await messages(`Address eq '${other.address}'`)).toEqual([]);
    await rule({ Recipients: ['Caller'], SkipAuthor: false });
    expect((await other.asker.send('POST', '/ServiceRequests', body(other.uid))).status).toBe(201);
    await finished(`Address eq '${other.address}'`);
  });
});

describe('Values', () => {
  const INTERNAL = { Kind: { Value: 202002 }, Visibility: { Value: 203001 } };
  const PUBLIC = { Kind: { Value: 202003 }, Visibility: { Value: 203002 } };

  it('are those that the recipient may read: an internal note is not even announced', async () => {
    const [caller, worker] = [await person(), await person({}, ['worker'])];
    const { Name } = await template({
      Subject: 'A note on {ID}',
      Text: '{HistoryLines/Information}',
    });
    await rule({
      Event: 'added',
      Member: 'HistoryLines',
      Recipients: ['Caller', 'Assignment/AssigneePerson'],
      Template: Name,
    });
    await start();
    const { Uid } = await request(caller.uid, {
      Assignment: { 'AssigneePerson@odata.bind': `Persons(${worker.uid})` },
    });
    const lines = `/ServiceRequests(${Uid})/HistoryLines`;
    await created(lines, { ...INTERNAL, Information: 'secret' });
    await created(lines, { ...PUBLIC, Information: 'for all' });
    const rows = await finished(`Entity eq 'ServiceRequests(${Uid})'`, 4);
    const seen = rows.map((row: { Address: string; State: string; Text: string | null }) => [
      row.Address,
      row.State,
      row.Text,
    ]);
    expect(seen.sort()).toEqual(
      [
        [caller.address, 'suppressed', null],
        [worker.address, 'sent', 'secret'],
        [caller.address, 'sent', 'for all'],
        [worker.address, 'sent', 'for all'],
      ].sort(),
    );
    expect(mailTo(caller.address).raw).not.toContain('secret');
    expect(
      JSON.stringify(rows.filter(({ Address }: { Address: string }) => Address === caller.address)),
    ).not.toContain('secret');
  });

  it('are not needed for that: a text without them does not announce a note either', async () => {
    const caller = await person();
    await rule({ Event: 'added', Member: 'HistoryLines' });
    await start();
    const { Uid } = await request(caller.uid);
    await created(`/ServiceRequests(${Uid})/HistoryLines`, { ...INTERNAL, Information: 'secret' });
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row).toMatchObject({ State: 'suppressed', Text: null });
  });

  it('that a role withholds are in no message', async () => {
    const Name = `withheld ${count++}`;
    await created('/Roles', {
      Name,
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true }],
      AttributeAccess: [
        { Entity: 'ServiceRequest', Attribute: 'Workaround', Read: false, Modify: false },
      ],
    });
    const caller = await person({}, [Name]);
    const withheld = await template({ Subject: 'x', Text: '{Description} {Workaround}' });
    await rule({ Template: withheld.Name });
    await start();
    const { Uid } = await request(caller.uid, { Workaround: 'secret' });
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(JSON.stringify(row)).not.toContain('secret');
    expect(row.State).toBe('suppressed');
  });

  it('are subject to a condition on the added entity', async () => {
    const worker = await person({}, ['worker']);
    await rule({
      Event: 'added',
      Member: 'HistoryLines',
      MemberFilter: 'Visibility/Value eq 203002',
      Recipients: ['Assignment/AssigneePerson'],
    });
    await start();
    const { Uid } = await request(worker.uid, {
      Assignment: { 'AssigneePerson@odata.bind': `Persons(${worker.uid})` },
    });
    await created(`/ServiceRequests(${Uid})/HistoryLines`, { ...INTERNAL, Information: 'no' });
    await created(`/ServiceRequests(${Uid})/HistoryLines`, { ...PUBLIC, Information: 'yes' });
    await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    await settled();
    expect(await messages(`Entity eq 'ServiceRequests(${Uid})'`)).toHaveLength(1);
  });

  it('are those of a role for recipients without an account, and none without that role', async () => {
    const caller = await created('/Persons', {
      LastName: 'Guest',
      Email: `guest${count++}@example.com`,
    });
    await rule({ Recipients: ['Caller', 'log@example.org'] });
    await start();
    const one = await request(caller.Uid);
    const rows = await finished(`Entity eq 'ServiceRequests(${one.Uid})'`, 2);
    for (const { State, Response } of rows) {
      expect(State).toBe('suppressed');
      expect(Response).toContain('mail.smtp.recipientRole');
    }
    await stops.pop()?.();
    await start({ smtp: { recipientRole: 'reader' } });
    const two = await request(caller.Uid);
    const other = await finished(`Entity eq 'ServiceRequests(${two.Uid})'`, 2);
    const states = other.map(({ Address, State }: { Address: string; State: string }) => [
      Address,
      State,
    ]);
    expect(states.sort()).toEqual([
      [caller.Email, 'sent'],
      ['log@example.org', 'suppressed'],
    ]);
  });

  it('are read with the rights of that role also if nobody has sent a request since the start', async () => {
    const caller = await created('/Persons', {
      LastName: 'Guest',
      Email: `guest${count++}@example.com`,
    });
    await rule({ Recipients: ['Caller'] });
    await start();
    await stops.pop()?.();
    const { Uid } = await request(caller.Uid);
    desk = await desk.restart();
    await start({ smtp: { recipientRole: 'reader' } });
    await expect.poll(() => server.received.length).toBe(1);
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row.State).toBe('sent');
  });

  it('are kept back from recipients without an account, with a reason that names the role', async () => {
    const caller = await created('/Persons', {
      LastName: 'Guest',
      Email: `guest${count++}@example.com`,
    });
    await created('/Roles', { Name: 'nothing' });
    await rule({ Recipients: ['Caller'] });
    await start({ smtp: { recipientRole: 'nothing' } });
    const { Uid } = await request(caller.Uid);
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row).toMatchObject({ State: 'suppressed' });
    expect(row.Response).toMatch(/may not read it\.$/);
    expect(row.Response).toContain('mail.smtp.recipientRole');
  });

  it('are read again after an error of the database', async () => {
    const { uid, loginName } = await person();
    const { Uid } = await request(uid);
    const away = () => {
      throw new Error('The database cannot be reached.');
    };
    const database = Object.create(desk.service.database, { read: { value: away } });
    const service: Service = Object.create(desk.service, { database: { value: database } });
    const { model } = service;
    const type = entityType(model, model.sets.get('ServiceRequests')?.type ?? '');
    const reading = readTemplateValues(
      service,
      await principalNamed(desk.service, loginName),
      { language: 'en', timeZone: 'UTC' },
      { url: `ServiceRequests(${Uid})`, type },
      [{ path: 'ID', inner: 'ID' }],
    );
    await expect(reading).rejects.toMatchObject({ name: 'ReadError', isFinal: false });
  });
});

const run = async (uid: number, name: string) =>
  await desk.send('POST', `/OutgoingMessages(${uid})/Docket.System.${name}`);

describe('The queue', () => {
  it('tries again after 4xx, with the same Message-ID, for three days', async () => {
    const caller = await person();
    await rule({});
    server.reply = () => 450;
    await start();
    const { Uid } = await request(caller.uid);
    const ofFirst = `Entity eq 'ServiceRequests(${Uid})'`;
    const attempts = async (number: number, filter = ofFirst) => {
      await expect
        .poll(async () => (await messages(filter))[0]?.Attempts, { timeout: 20_000 })
        .toBe(number);
      await expect
        .poll(async () => (await messages(filter))[0]?.State, { timeout: 20_000 })
        .not.toBe('sending');
      return (await messages(filter))[0];
    };
    const first = await attempts(1);
    expect(first).toMatchObject({ State: 'queued', Finished: null });
    expect(first.Response).toContain('450');
    expect(Date.parse(first.NextAttempt)).toBeGreaterThan(world.now());
    world.advance(Date.parse(first.NextAttempt) - world.now());
    const second = await attempts(2);
    const delay = Date.parse(second.NextAttempt) - world.now();
    expect(delay).toBe(2 * (Date.parse(first.NextAttempt) - Date.parse(first.FirstAttempt)));
    server.reply = undefined;
    world.advance(delay);
    const sent = await attempts(3);
    expect(sent.State).toBe('sent');
    expect(header(mailTo(caller.address), 'Message-ID')).toBe(first.MessageId);

    server.reply = () => 451;
    const late = await request(caller.uid);
    const ofLate = `Entity eq 'ServiceRequests(${late.Uid})'`;
    expect((await attempts(1, ofLate)).State).toBe('queued');
    world.advance(3 * 24 * 3600 * 1000);
    const [row] = await finished(ofLate);
    expect(row).toMatchObject({ State: 'failed', Attempts: 2 });
  });

  it('gives up after 5xx; Retry sends the message again, once it can be sent', async () => {
    const caller = await person();
    await rule({});
    server.reply = () => 550;
    await start();
    const { Uid } = await request(caller.uid);
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row).toMatchObject({ State: 'failed', Attempts: 1 });
    expect(row.Response).toContain('550');
    server.reply = undefined;
    expect((await run(row.Uid, 'Cancel')).json.error.code).toBe('bind.unavailable');
    const { status, text } = await run(row.Uid, 'Retry');
    expect(status, text).toBe(204);
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(1);
    await finished(`Uid eq ${row.Uid} and State eq 'sent'`);
    expect((await run(row.Uid, 'Retry')).json.error.code).toBe('bind.unavailable');
  });

  it('sends to addresses in UTF-8 only if the server supports them', async () => {
    const ascii = await startMailServer({ isAscii: true });
    const inDomain = await person({ Email: `host${count}@müller.example` });
    const inName = await person({ Email: `jürgen${count}@müller.example` });
    await rule({});
    await start({ smtp: { port: ascii.port } });
    for (const { uid } of [inDomain, inName]) await request(uid);
    await finished(`Address eq '${inDomain.address}'`);
    const [failed] = await finished(`Address eq '${inName.address}'`);
    expect(failed).toMatchObject({ State: 'failed', Attempts: 1 });
    expect(failed.Response).toContain('SMTPUTF8');
    const fields = ascii.received.map((mail) => header(mail, 'To'));
    expect(fields).toEqual([expect.stringContaining('@xn--mller-kva.example')]);
    await ascii.close();
    await Promise.all(stops.splice(0).map((stop) => stop()));
    await start();
    expect((await run(failed.Uid, 'Retry')).status).toBe(204);
    await finished(`Uid eq ${failed.Uid} and State eq 'sent'`);
    expect(server.received.map(({ to }) => to)).toEqual([[inName.address]]);
  });

  it('keeps messages while the server cannot be reached; Cancel takes them out, and Retry sends them sooner', async () => {
    const [one, two] = [await person(), await person()];
    await rule({});
    await start({ smtp: { port: 1 } });
    await request(one.uid);
    await request(two.uid);
    const tried = async () =>
      (await messages('Attempts eq 1 and NextAttempt ne null')).map(
        ({ Address }: { Address: string }) => Address,
      );
    await expect.poll(tried, { timeout: 20_000 }).toEqual([one.address, two.address]);
    const [row] = await messages(`Address eq '${two.address}'`);
    expect((await run(row.Uid, 'Cancel')).status).toBe(204);
    await stops.pop()?.();
    await start();
    const [waiting] = await messages(`Address eq '${one.address}'`);
    expect((await run(waiting.Uid, 'Retry')).status).toBe(204);
    await finished(`Address eq '${one.address}'`);
    expect((await messages(`Uid eq ${row.Uid}`))[0].State).toBe('cancelled');
    expect(server.received.map(({ to }) => to)).toEqual([[one.address]]);
  });

  it('gives up waiting for a server that does not answer', async () => {
    const caller = await person();
    await rule({});
    let release = () => undefined as unknown;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.beforeAccept = () => held;
    await start({ smtp: { timeoutSeconds: 0.5 } });
    await request(caller.uid);
    const tried = async () =>
      (await messages(`Address eq '${caller.address}' and NextAttempt ne null`)).length;
    await expect.poll(tried, { timeout: 20_000 }).toBe(1);
    release();
    await stops.pop()?.();
  });

  it('does not hold up a service that stops: the message is sent again when its lease has ended', async () => {
    const caller = await person();
    await rule({});
    let release = () => undefined as unknown;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.beforeAccept = () => held;
    await start({ smtp: { timeoutSeconds: 600 } });
    await request(caller.uid);
    const arrived = () => server.received.filter(({ to }) => to.includes(caller.address));
    await expect.poll(() => arrived().length, { timeout: 20_000 }).toBe(1);
    await stops.pop()?.();
    const filter = `Address eq '${caller.address}'`;
    expect(await messages(filter)).toMatchObject([{ State: 'sending' }]);
    server.beforeAccept = undefined;
    await start();
    await settled();
    expect(arrived()).toHaveLength(1);
    const [{ LeaseEnds }] = await messages(filter);
    world.advance(Date.parse(LeaseEnds) - world.now() + 1);
    await finished(filter);
    release();
    const identifiers = arrived().map((mail) => header(mail, 'Message-ID'));
    expect(identifiers).toEqual([identifiers[0], identifiers[0]]);
  });

  it('waits for the right password, and shows it nowhere', async () => {
    const guarded = await startMailServer({ login: { user: 'desk', password: 'right-secret' } });
    const caller = await person();
    await rule({});
    const login = (password: string) => ({ smtp: { port: guarded.port, user: 'desk', password } });
    await start(login('wrong-secret'));
    await request(caller.uid);
    const tried = async () =>
      (await messages(`Address eq '${caller.address}' and NextAttempt ne null`))[0];
    await expect.poll(tried, { timeout: 20_000 }).toBeDefined();
    const row = await tried();
    expect(row).toMatchObject({ State: 'queued' });
    expect(row.Response).toContain('535');
    expect(JSON.stringify(row)).not.toContain('wrong-secret');
    await stops.pop()?.();
    await start(login('right-secret'));
    world.advance(3600 * 1000);
    await finished(`Address eq '${caller.address}'`);
    expect(guarded.received.flatMap(({ to }) => to)).toContain(caller.address);
    await stops.pop()?.();
    await guarded.close();
  });

  it('is for administrators, who cannot forge what was sent', async () => {
    const worker = await person({}, ['worker']);
    for (const set of ['MailRules', 'MailTemplates', 'OutgoingMessages'])
      expect((await worker.asker.get(`/${set}`)).status, set).toBe(403);
    await rule({});
    await start();
    const { Uid } = await request((await person()).uid);
    const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    expect(row.State).toBe('sent');
    const path = `/OutgoingMessages(${row.Uid})`;
    for (const State of ['cancelled', 'sent', 'suppressed', 'sending', 'nonsense', null]) {
      const { status, json } = await desk.send('PATCH', path, { body: { State } });
      const rejected = State === null ? [400, 'write.body'] : [409, 'mail.message'];
      expect([status, json?.error.code], String(State)).toEqual(
        State === 'sent' ? [204, undefined] : rejected,
      );
    }
    const forged = { Address: 'x@example.com', Text: 'x', MessageId: 'x', Response: 'x' };
    await desk.send('PATCH', path, { body: forged });
    expect(await messages(`Uid eq ${row.Uid}`)).toMatchObject([
      { Address: row.Address, Text: row.Text },
    ]);
    expect((await desk.send('POST', '/OutgoingMessages', { body: {} })).status).toBe(405);
    expect((await worker.asker.send('POST', `${path}/Docket.System.Retry`)).status).toBe(403);
    expect((await desk.send('DELETE', path)).status).toBe(204);
  });
});

describe('Limits', () => {
  it('hold for each address: by the hour, by the day, and Retry sends what they have held back', async () => {
    const [caller, other] = [await person(), await person()];
    await rule({});
    await start({ limits: { hourlyMails: 2, dailyMails: 3, mailFailures: 3 } });
    const ask = async (uid: number) => {
      const { Uid } = await request(uid);
      const [row] = await finished(`Entity eq 'ServiceRequests(${Uid})'`);
      return row;
    };
    expect((await ask(caller.uid)).State).toBe('sent');
    expect((await ask(caller.uid)).State).toBe('sent');
    const held = await ask(caller.uid);
    expect(held.State).toBe('suppressed');
    expect(held.Response).toContain('limits.hourlyMails');
    expect((await ask(other.uid)).State).toBe('sent');
    world.advance(3601 * 1000);
    expect((await ask(caller.uid)).State).toBe('sent');
    world.advance(3601 * 1000);
    expect((await ask(caller.uid)).Response).toContain('limits.dailyMails');
    world.advance(24 * 3600 * 1000);
    expect((await ask(caller.uid)).State).toBe('sent');
    expect((await run(held.Uid, 'Retry')).status).toBe(204);
    await finished(`Uid eq ${held.Uid} and State eq 'sent'`);
  });

  it('spare own addresses, with or without a tag, and invalid ones', async () => {
    const Recipients = [
      'Desk+tag@Desk.example',
      'inbox@desk.example',
      'Caller',
      'Assignment/AssigneePerson',
    ];
    await rule({ Recipients });
    const [caller, worker] = [await person(), await person({}, ['worker'])];
    expect(
      (await desk.send('PATCH', `/Persons(${worker.uid})`, { body: { Email: 'a@b,c@d' } })).status,
    ).toBe(400);
    expect(
      (await desk.send('PATCH', `/Persons(${worker.uid})`, { body: { Email: null } })).status,
    ).toBeLessThan(300);
    await start({ ownAddresses: ['inbox@desk.example'], smtp: { recipientRole: 'worker' } });
    const { Uid } = await request(caller.uid, {
      Assignment: { 'AssigneePerson@odata.bind': `Persons(${worker.uid})` },
    });
    const rows = await finished(`Entity eq 'ServiceRequests(${Uid})'`, 4);
    const reasons = new Map(
      rows.map((row: { Address: string; State: string; Response: string }) => [
        row.Address,
        row.State === 'sent' ? 'sent' : row.Response,
      ]),
    );
    expect(reasons).toEqual(
      new Map([
        ['Desk+tag@Desk.example', 'The address is one of this service.'],
        ['inbox@desk.example', 'The address is one of this service.'],
        [caller.address, 'sent'],
        [null, 'The recipient has no address.'],
      ]),
    );
  });

  it('permit one receipt for a thread and a day, without a return path', async () => {
    const caller = await person();
    await rule({ Receipt: true });
    await rule({ Event: 'changed', Member: 'Description', Receipt: true });
    await start();
    const { Uid } = await request(caller.uid);
    const filter = `Entity eq 'ServiceRequests(${Uid})'`;
    await finished(filter);
    const mail = mailTo(caller.address);
    expect([mail.from, header(mail, 'Auto-Submitted')]).toEqual(['', 'auto-replied']);
    await change(Uid, { Description: 'Again' });
    const [, second] = await finished(filter, 2);
    expect(second).toMatchObject({ State: 'suppressed' });
    expect(second.Response).toContain('receipt');
  });

  it('send everything to one address in a test', async () => {
    const caller = await person();
    await rule({});
    await start({ smtp: { testAddress: 'tester@example.net' } });
    await request(caller.uid);
    await finished(`Address eq '${caller.address}'`);
    const mail = mailTo('tester@example.net');
    expect(mail.to).toEqual(['tester@example.net']);
    expect(header(mail, 'To')).not.toContain(caller.address);
    expect(header(mail, 'X-Docket-Recipient')).toBe(caller.address);
  });
});

describe('Threads', () => {
  it('refer to the root and to earlier messages', async () => {
    const caller = await person();
    await rule({});
    await rule({ Event: 'changed', Member: 'Description' });
    await start();
    const { Uid } = await request(caller.uid);
    await finished(`Entity eq 'ServiceRequests(${Uid})'`);
    await change(Uid, { Description: 'Once more' });
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(2);
    const [first, second] = server.received;
    if (first === undefined || second === undefined) throw new Error('no messages');
    const root = header(first, 'References');
    const own = header(first, 'Message-ID');
    expect(root).toMatch(rootOf(Uid));
    expect(header(second, 'References')).toBe(`${root} ${own}`);
    expect(header(second, 'In-Reply-To')).toBe(own);
    expect(header(second, 'Message-ID')).not.toBe(own);
  });
});

describe('Two processes', () => {
  it('send one message for each change', async () => {
    const callers = [];
    for (let index = 0; index < 5; index++) callers.push(await person());
    await rule({});
    await start();
    await start();
    for (const { uid } of callers) await request(uid);
    await expect.poll(() => server.received.length, { timeout: 20_000 }).toBe(5);
    await settled();
    const addresses = callers.map(({ address }) => address);
    const rows = await messages(`Address in (${addresses.map((one) => `'${one}'`).join(',')})`);
    expect(rows.map(({ Attempts }: { Attempts: number }) => Attempts)).toEqual([1, 1, 1, 1, 1]);
    // The slower one of two reports that the other one was faster.
    const others = failures.splice(0).map((one) => String(Reflect.get(one, 'error')));
    expect(others.filter((one) => !one.includes('Another process'))).toEqual([]);
  });
});

describe('Without a mail server', () => {
  it('changes cause no messages, also not later', async () => {
    const caller = await person();
    await rule({});
    await start();
    await stops.pop()?.();
    const limits = { hourlyMails: 10, dailyMails: 40, mailFailures: 3 };
    await startOutgoingMail(desk.service, { ownAddresses: [], limits })();
    await request(caller.uid);
    await start();
    await settled();
    expect(await messages(`Address eq '${caller.address}'`)).toEqual([]);
  });
});

describe('Mistakes in rules and templates', () => {
  it.each([
    ['EntitySet', { EntitySet: 'ServiceRequest' }, 'the nearest name is "ServiceRequests"'],
    ['Event', { Event: 'create' }, 'created, changed, assigned, added'],
    ['Member', { Member: 'Status' }, 'the event "created" has no member'],
    ['Member', { Event: 'changed', Member: 'Stats' }, 'the nearest name is "Status"'],
    ['Member', { Event: 'changed' }, 'the event "changed" requires a member'],
    ['Member', { Event: 'added' }, 'the event "added" requires a member'],
    ['Member', { Event: 'changed', Member: 'Workorders' }, 'not stored in the entity itself'],
    ['Member', { Event: 'changed', Member: 'Sla/State' }, 'Sla/Resolution/Mark'],
    ['Member', { Event: 'changed', Member: 'Sla/State/Value' }, 'Sla/Resolution/Mark'],
    ['Member', { Event: 'assigned', Member: 'Sla/Remaining' }, 'Sla/Resolution/Mark'],
    ['Member', { Event: 'changed', Member: 'Caller/Name' }, 'not stored in the entity itself'],
    ['Member', { Event: 'added', Member: 'HistoryLine' }, 'the nearest name is "HistoryLines"'],
    ['Filter', { Filter: 'Stats eq 1' }, 'Stats'],
    ['Filter', { Filter: 'Status/Valu eq 1' }, 'Did you mean "Value"?'],
    ['Filter', { Filter: 'Status/Value eq' }, 'Expected'],
    ['Filter', { Filter: "Description ne '@me' and Caller/Uid eq @me" }, 'contains @me'],
    ['Filter', { Filter: 'Caller/Uid eq $me' }, '$me'],
    ['MemberFilter', { MemberFilter: 'true' }, 'use Filter'],
    ['Recipients', { Recipients: [] }, 'no recipients'],
    ['Recipients', { Recipients: ['Callr'] }, 'the nearest name is "Caller"'],
    ['Recipients', { Recipients: ['Template'] }, 'Docket.Recipient'],
    ['Recipients', { Recipients: ['a@b.example, c@d.example'] }, 'is not an address'],
    ['Recipients', { Recipients: ['a@b.example\r\nBcc: c@d.example'] }, 'is not an address'],
    ['Template', { Template: 'none' }, 'there is no template "none"'],
  ])('are reported for %s: %j', async (target, body, reason) => {
    const Template = (await template()).Name;
    const { status, json } = await desk.send('POST', '/MailRules', {
      body: {
        Name: `wrong ${count++}`,
        EntitySet: 'ServiceRequests',
        Event: 'created',
        Recipients: ['Caller'],
        Template,
        ...body,
      },
    });
    expect(status).toBe(400);
    expect(JSON.stringify(json.error)).toContain(reason.replaceAll('"', '\\"'));
    expect(JSON.stringify(json.error)).toContain(`"target":"${target}`);
    expect(json.error.message).toMatch(/[^.?][.?]$/);
  });

  it('are all reported in one response', async () => {
    const { status, json } = await desk.send('POST', '/MailRules', {
      body: {
        Name: `wrong ${count++}`,
        EntitySet: 'ServiceRequests',
        Event: 'changed',
        Member: 'Stats',
        Filter: 'Stats eq 1',
        Recipients: ['Callr', 'Template'],
        Template: 'none',
      },
    });
    const targets = json.error.details.map(({ target }: { target: string }) => target);
    expect([status, json.error.code]).toEqual([400, 'mail.rule']);
    expect(targets).toEqual(['Member', 'Filter', 'Recipients', 'Recipients', 'Template']);
    expect(json.error.message).toMatch(/"Status"\. There are 4 more mistakes\.$/);
  });

  it.each([
    ['{Caller/Nam}', 'the nearest name is "Name"'],
    ['{Caller}', 'is an entity'],
    ['{Workorders/Description}', 'continues after Workorders'],
    ['{Sla}', 'has several parts'],
  ])('are reported for the template of a rule: %s', async (Text, reason) => {
    const good = await template();
    await rule({ Template: good.Name });
    const changed = await desk.send('PATCH', `/MailTemplates(${good.Uid})`, { body: { Text } });
    expect([changed.status, changed.json?.error.code]).toEqual([400, 'mail.rule']);
    expect(changed.json.error.message).toContain(reason);
    const bad = await template({ Text });
    const { status } = await desk.send('POST', '/MailRules', {
      body: {
        Name: `wrong ${count++}`,
        EntitySet: 'ServiceRequests',
        Event: 'created',
        Recipients: ['Caller'],
        Template: bad.Name,
      },
    });
    expect(status).toBe(400);
  });

  it.each(['{Caller/Name', 'Name}', '{}', '{1}', '{Caller/Name/}', '{concat(Name)}', '{$it}'])(
    'are reported for the placeholder %s',
    async (Subject) => {
      const { status, json } = await desk.send('POST', '/MailTemplates', {
        body: { Name: `wrong ${count++}`, Language: 'en', Subject, Text: 'x' },
      });
      expect([status, json.error.code, json.error.target]).toEqual([
        400,
        'mail.template',
        'Subject',
      ]);
    },
  );

  it('include the deletion of a template in use', async () => {
    const { Uid, Name } = await template();
    await rule({ Template: Name });
    const { status, json } = await desk.send('DELETE', `/MailTemplates(${Uid})`);
    expect([status, json.error.code]).toEqual([400, 'mail.rule']);
  });
});

describe('A preview', () => {
  const preview = async (uid: number, body: object, asker: Pick<Desk, 'send'> = desk) =>
    await asker.send('POST', `/MailTemplates(${uid})/Docket.System.Preview`, { body });

  it('shows what the recipient would get, and sends nothing', async () => {
    const Html = '<p>{Caller/Name}</p>';
    const { Uid } = await template({ Subject: '{Description}', Text: '{Status}', Html });
    const caller = await person({ Name: 'A & B' });
    const { Uid: uid } = await request(caller.uid, { Description: 'a\r\nb' });
    const Entity = `ServiceRequests(${uid})`;
    const { status, json } = await preview(Uid, { Entity, Recipient: `Persons(${caller.uid})` });
    expect([status, json]).toEqual([
      200,
      { Subject: 'a b', Text: 'Registered', Html: '<p>A &amp; B</p>' },
    ]);
    const other = await person();
    for (const start of ['/', '/odata/', desk.root]) {
      const urls = { Entity: `${start}${Entity}`, Recipient: `${start}Persons(${caller.uid})` };
      expect((await preview(Uid, urls)).status, start).toBe(200);
    }
    const denied = await preview(Uid, { Entity, Recipient: `Persons(${other.uid})` });
    expect([denied.status, denied.json.error.code]).toEqual([400, 'mail.preview']);
    expect(denied.json.error.message).toContain('cannot read');
    expect(await messages(`Entity eq '${Entity}'`)).toEqual([]);
    const body = { Entity, Recipient: `Persons(${caller.uid})` };
    expect((await preview(Uid, body, caller.asker)).status).toBe(403);
    expect((await desk.get(`/MailTemplates(${Uid})/Docket.System.Preview`)).status).toBe(405);
  });

  it.each([
    [{}, 'Entity must be the URL'],
    [{ Entity: 'Persons(1)?$top=1', Recipient: 'Persons(31)' }, 'Entity must be the URL'],
    [{ Entity: 'http://elsewhere/Persons(31)', Recipient: 'Persons(31)' }, 'must be the URL'],
    [{ Entity: 'Persons(999999)', Recipient: 'Persons(31)' }, '999999'],
    [{ Entity: 'Persons(31)', Recipient: 'Locations(1)' }, 'Locations'],
    [{ Entity: 'Persons(31)', Recipient: 'Organizations(11)' }, 'Docket.Recipient'],
    [{ Entity: 'Persons(31)', Recipient: 'Persons(31)' }, 'has no "ID"'],
    [{ Entity: 'Persons(31)', Recipient: 'Persons(31)', To: 1 }, '"To" is not one of'],
  ])('rejects %j', async (body, reason) => {
    const { Uid } = await template();
    const { status, json } = await preview(Uid, body);
    expect([status, json.error.code]).toEqual([400, 'mail.preview']);
    expect(json.error.message).toContain(reason);
  });
});

describe('docs/mail-notifications.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/mail-notifications.md'), 'utf8');

  it('shows templates and rules that are accepted', async () => {
    const posts = [...page.matchAll(/^ {4}POST \/odata\/(\w+)\n((?: {4,}.*\n)+)/gm)];
    expect(posts.map(([, set]) => set)).toEqual(['MailTemplates', 'MailRules']);
    for (const [, set, body = ''] of posts) await created(`/${set}`, JSON.parse(body));
    const { Name } = await template({ Text: 'text', Subject: 'subject' });
    const rows = [...page.matchAll(/^\| [^|]+ \| `("[^`]+)`/gm)];
    expect(rows).toHaveLength(5);
    for (const [, members = ''] of rows)
      await rule({ Template: Name, ...JSON.parse(`{${members}}`) });
  });
});
