// This file repeats over HTTP what has happened to demo records, and compares the lines that the service writes with those that the records were
// generated with. Keys, times, and the names of those who vote are left out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import type { FixedWorld } from '../world.ts';
import { type Desk, openDemoDesk } from './desk.ts';
import { DESK_ADDRESS, mailNamed, type Reception, receiveMail } from './mail-in.ts';

type Client = Pick<Desk, 'get' | 'send'>;
type Body = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect
type Found = any;

const WAITING = { Text: 'Waiting' };
const reference = (path: string) => ({ '@odata.id': path });

let desk: Desk;
let mail: Reception;
let group: string;
let person: string;
const voters: Client[] = [];

beforeAll(async () => {
  desk = await openDemoDesk({ requests: 300, seed: 5 });
  const persons: string[] = [];
  for (const name of ['Ada', 'Ben', 'Cem']) {
    const key = await create('Persons', { LastName: name, Name: name });
    person = `Persons(${key})`;
    persons.push(person);
    voters.push(await desk.join({ loginName: name, roles: ['approver', 'agent'], person: key }));
  }
  group = `Workgroups(${await create('Workgroups', { Name: 'Voters', Members: persons.map(reference) })})`;
  mail = receiveMail(desk);
}, 60_000);
afterAll(async () => {
  await mail?.stop();
  await desk?.close();
});

async function create(set: string, body: Body): Promise<number> {
  const { status, json, text } = await desk.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return json.Uid;
}

async function change(path: string, body: Body, client: Client = desk): Promise<void> {
  const { status, text } = await client.send('PATCH', path, { body });
  expect(status, text).toBe(204);
}

const read = async (path: string): Promise<Found> => {
  const { status, json, text } = await desk.get(path);
  expect(status, text).toBe(200);
  return json;
};

const linesOf = async (path: string): Promise<readonly Found[]> =>
  (await read(`${path}/HistoryLines?$orderby=Uid&$expand=CreatedBy`)).value;

/** A line without what differs between two records. */
function shapeOf({ Uid: _, CreatedAt: __, CreatedBy, ...line }: Found): Found {
  const text = JSON.stringify(line)
    .replaceAll(/"@odata[^,]*,/g, '')
    .replaceAll(/\(\d+\)/g, '(#)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
  return { ...JSON.parse(text), hasAccount: CreatedBy !== null };
}

/** The lines about changes, with the names of voters and of persons replaced. */
const changesIn = (lines: readonly Found[]) =>
  lines
    .filter(({ Attribute }) => Attribute !== null && !Attribute.startsWith('Sla/'))
    .map((line) => {
      const shape = shapeOf(line);
      const isVote = shape.Attribute.startsWith('ApproverVotes');
      if (isVote) return { ...shape, Subject: shape.Subject.replace(/^.*?: /, 'NAME: ') };
      const { NewValue } = line;
      return /Person|Workgroup/.test(shape.Attribute)
        ? { ...shape, NewValue: 'NAME', Subject: shape.Subject.replace(NewValue, 'NAME') }
        : shape;
    });

const isByService = ({ Origin }: Found) => Origin !== null;
const isVote = ({ Attribute }: Found) => /^ApproverVotes.*Approved$/.test(Attribute);

/** Creates a record, and does what has happened to another one. Returns the lines of both. */
async function repeat(set: string, record: Found): Promise<readonly [Found, Found]> {
  const past = await linesOf(`/${set}(${record.Uid})`);
  const path = `/${set}(${await create(set, beginningOf(set, record))})`;
  for (const line of past.filter((one) => !isByService(one))) {
    const { Attribute, CreatedAt } = line;
    const withPerson = past.some(
      (one) => one.Attribute === 'Assignment/AssigneePerson' && one.CreatedAt === CreatedAt,
    );
    if (Attribute === 'Status')
      await change(path, { Status: { Text: line.NewValue }, ...(withPerson ? assigned() : {}) });
    else if (Attribute === 'Approval/Status')
      await change(path, { Approval: { Status: WAITING, ...needed(record) } });
    else if (isVote(line)) await repeatVote(set, record, path, line);
  }
  return [changesIn(await linesOf(path)), changesIn(past)];
}

const needed = ({ Approval }: Found) => ({
  NrOfApproversRequired: Approval.NrOfApproversRequired,
  Workgroup: reference(group),
});

const assigned = () => ({ Assignment: { AssigneePerson: reference(person) } });

function beginningOf(set: string, record: Found): Body {
  const isAsked = record.Approval?.Round !== null && record.Approval?.Round !== undefined;
  const Approval = isAsked && set !== 'Workorders' ? needed(record) : {};
  const own = set === 'Changes' ? { ChangeType: { Value: record.ChangeType.Value } } : {};
  const Status = set === 'Changes' ? { Status: { Text: 'Not started' } } : {};
  const approval = isAsked || set === 'Changes' ? { Approval: { ...Approval, ...Status } } : {};
  return { Description: 'Repeated', ...own, ...approval };
}

async function repeatVote(set: string, { Uid }: Found, path: string, line: Found): Promise<void> {
  const votesOf = async (record: string) =>
    (await read(`${record}/ApproverVotes?$orderby=Uid`)).value;
  const [key] = /\d+/.exec(line.Attribute) ?? [];
  const place = (await votesOf(`/${set}(${Uid})`)).findIndex((one: Found) => `${one.Uid}` === key);
  const vote = (await votesOf(path))[place];
  const Approved = line.NewValue === 'Approved';
  const Reason = Approved ? {} : { Reason: "Risk isn't described" };
  await change(`/ApproverVotes(${vote.Uid})`, { Approved, ...Reason }, voters[place]);
}

/** Records with different approvals, and those that have passed through most statuses. */
async function sample(set: string): Promise<readonly Found[]> {
  const { value } = await read(`/${set}?$top=100&$orderby=Uid desc&$expand=HistoryLines`);
  const courses = new Map<string, Found>();
  for (const record of value) {
    const course = String(record.Approval?.Status?.Text);
    const known = courses.get(course)?.HistoryLines.length ?? -1;
    if (record.HistoryLines.length > known) courses.set(course, record);
  }
  return [...courses.values()];
}

describe('The lines of demo records', () => {
  it.each(['Incidents', 'Problems', 'Changes', 'Workorders', 'ServiceRequests'])(
    'of %s are those that the service writes',
    async (set) => {
      const records = await sample(set);
      for (const record of records) {
        const [written, generated] = await repeat(set, record);
        expect(written, `${set}(${record.Uid})`).toEqual(generated);
        expect(written.length).toBeGreaterThan(0);
      }
    },
    30_000,
  );

  it('of e-mails are those of the actions', async () => {
    const emailWith = async (text: string) =>
      (await read(`/EmailServiceRequests?$filter=Status/Text eq '${text}'&$top=1`)).value[0];
    const [converted, rejected] = [await emailWith('Converted'), await emailWith('Rejected')];
    const act = async (action: string, body: Body) => {
      const FromAddress = 'a@b.example';
      const email = `/EmailServiceRequests(${await create('EmailServiceRequests', { Subject: 'A', FromAddress })})`;
      const { status, text } = await desk.send(
        'POST',
        `${email}/Service.Web.OData.Model.${action}`,
        { body },
      );
      expect(status, text).toBeLessThan(300);
      return await linesOf(email);
    };
    const masked = (lines: readonly Found[]) =>
      lines.map((line) =>
        line.Attribute === 'ServiceRequest'
          ? { ...shapeOf(line), NewValue: '#', Subject: line.Subject.replace(/\d+/, '#') }
          : shapeOf(line),
      );
    const stored = async ({ Uid }: Found) => await linesOf(`/EmailServiceRequests(${Uid})`);
    expect(masked(await act('Reject', { Reason: 'Advertisement' }))).toEqual(
      masked(await stored(rejected)),
    );
    expect(masked(await act('Convert', {}))).toEqual(masked(await stored(converted)));
  });

  it('of replies are those that incoming mail adds', async () => {
    const filter = "Status/Text eq 'Linked' and DistrustReason eq null";
    const query = `$filter=${filter}&$top=1&$expand=ServiceRequest($select=Uid)`;
    const { value } = await read(`/EmailServiceRequests?${query}`);
    const [{ MessageId, FromAddress, ServiceRequest }] = value;
    await mail.send({
      from: FromAddress,
      to: DESK_ADDRESS,
      envelope: { from: FromAddress, to: DESK_ADDRESS },
      subject: 'Re: again',
      text: 'Still dark',
      messageId: '<again@example.com>',
      inReplyTo: MessageId,
    });
    await mailNamed(desk, mail, 'Re: again', '');
    const replies = async () =>
      (await linesOf(`/ServiceRequests(${ServiceRequest.Uid})`))
        .filter(({ Kind }) => Kind.Value === 202004)
        .map((line) => ({ ...shapeOf(line), Subject: '', Information: '' }));
    await expect.poll(async () => (await replies()).length).toBe(2);
    const [generated, written] = await replies();
    expect(written).toEqual(generated);
  });
});

describe('The lines about marks', () => {
  const isMark = ({ Attribute }: Found) => /^Sla\/.*Mark$/.test(String(Attribute));

  it.each(['ServiceRequests', 'Incidents'])('of %s are those that Explain finds', async (set) => {
    const query = '$top=40&$orderby=Uid desc&$select=Uid,Status,Registration';
    const { value } = await read(`/${set}?${query}`);
    let count = 0;
    for (const { Uid, Registration } of value) {
      const path = `/${set}(${Uid})`;
      const { Clocks } = await read(`${path}/Explain()`);
      const expected = Clocks.flatMap(({ Name, Marks }: Found) =>
        Marks.filter(({ Reached, At }: Found) => Reached && At > Registration.DateCreated).map(
          ({ Percent, At }: Found) => `${At} Sla/${Name}/Mark ${Percent}`,
        ),
      );
      const lines = (await linesOf(path)).filter(isMark);
      const told = lines.map((line) => `${line.CreatedAt} ${line.Attribute} ${line.NewValue}`);
      expect([...told].sort(), path).toEqual([...expected].sort());
      count += told.length;
    }
    expect(count).toBeGreaterThan(20);
  });

  it('are those that the service writes when a mark is reached', async () => {
    const generated = (
      await read('/ServiceRequests?$top=50&$expand=HistoryLines($expand=CreatedBy)')
    ).value
      .flatMap(({ HistoryLines }: Found) => HistoryLines)
      .find((line: Found) => line.Attribute === 'Sla/Response/Mark' && line.NewValue === '50');
    const path = `/ServiceRequests(${await create('ServiceRequests', { Description: 'Marked', Impact: { Value: 111001 } })})`;
    const { Sla } = await read(path);
    const world = desk.installation.world as FixedWorld;
    world.advance(Date.parse(Sla.NextMark) - world.now());
    const stop = startDueActions(desk.service);
    const marks = async () => (await linesOf(path)).filter(isMark);
    await expect.poll(async () => (await marks()).length).toBe(1);
    await stop();
    const [written] = await marks();
    expect(shapeOf(written)).toEqual(shapeOf(generated));
    expect(written.CreatedAt).toBe(Sla.NextMark);
  });
});
