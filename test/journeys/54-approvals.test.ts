// This file lets approvers vote about service requests and changes: rounds, quorums, deputies and decisions.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk } from './desk.ts';

type Client = Pick<Desk, 'get' | 'send'>;
type Body = Readonly<Record<string, unknown>>;

const reference = (path: string) => ({ '@odata.id': path });
const status = (Text: string) => ({ Status: { Text } });

let desk: Desk;
/** Approvers by name. */
const clients = new Map<string, Client>();
const persons = new Map<string, number>();
let group: string;

beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7), settings: { workflows: ['advise'] } });
  const EntityAccess = [
    { Entity: 'WorkItem', Read: true },
    { Entity: 'Person', Read: true },
    { Entity: 'ApproverVote', Read: true, Change: true },
  ];
  await create('Roles', { Name: 'voter', EntityAccess });
  for (const name of ['ada', 'ben', 'cem', 'dee']) await addVoter(name);
  group = await groupOf('ada', 'ben', 'cem');
});
afterAll(async () => await desk?.close());

async function create(set: string, body: Body): Promise<number> {
  const { status: code, json, text } = await desk.as('admin').send('POST', `/${set}`, { body });
  expect(code, text).toBe(201);
  return json.Uid;
}

async function addVoter(name: string): Promise<void> {
  const person = await create('Persons', { LastName: name, Name: name });
  persons.set(name, person);
  clients.set(name, await desk.join({ loginName: name, roles: ['voter'], person }));
}

async function groupOf(...names: readonly string[]): Promise<string> {
  const Members = names.map((name) => reference(`Persons(${persons.get(name)})`));
  return `Workgroups(${await create('Workgroups', { Name: names.join(), Members })})`;
}

async function change(path: string, body: Body): Promise<void> {
  const answer = await desk.as('admin').send('PATCH', path, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

const read = async (path: string) => (await desk.as('admin').get(path)).json;

const statusOf = async (path: string): Promise<string> => (await read(path)).Status.Text;

interface Waiting {
  readonly set?: string;
  readonly from?: Body;
  readonly workgroup?: string;
  readonly ChangeType?: Body;
}

/** A request that waits for the votes of the group. */
async function waiting(
  NrOfApproversRequired: number,
  { set = 'ServiceRequests', from = {}, workgroup = group, ...more }: Waiting = {},
): Promise<string> {
  const Approval = { NrOfApproversRequired, Workgroup: reference(workgroup) };
  const path = `/${set}(${await create(set, { Description: 'Laptop', Approval, ...from, ...more })})`;
  await change(path, status('Awaiting approval'));
  return path;
}

async function voteOf(path: string, name: string) {
  const query = `?$filter=Person/Uid eq ${persons.get(name)}&$orderby=Round desc&$top=1&$expand=VotedBy`;
  return (await read(`${path}/ApproverVotes${query}`)).value[0];
}

/** The answer to the vote of an approver. */
async function vote(path: string, name: string, Approved: boolean | null, as = name) {
  const { Uid } = await voteOf(path, name);
  const client = clients.get(as) as Client;
  return await client.send('PATCH', `/ApproverVotes(${Uid})`, { body: { Approved } });
}

async function voted(path: string, name: string, approved: boolean | null, as = name) {
  const { status: code, text } = await vote(path, name, approved, as);
  expect(code, text).toBe(204);
}

describe('A round', () => {
  it('is opened with a vote for each member of the group', async () => {
    const path = await waiting(2);
    const { value } = await read(`${path}/ApproverVotes?$expand=Person&$orderby=Uid`);
    expect(value.map((one: { Person: { Name: string } }) => one.Person.Name)).toEqual([
      'ada',
      'ben',
      'cem',
    ]);
    expect(value[0]).toMatchObject({ Round: 1, IsOpen: true, Approved: null, VotedAt: null });
    expect((await read(path)).Approval).toMatchObject({
      NrOfApprovers: 3,
      NrOfApproversApproved: 0,
      Round: 1,
      Status: { Text: 'Waiting' },
    });
  });

  it('has no vote for a blocked person', async () => {
    const workgroup = await groupOf('ada', 'dee');
    await change(`/Persons(${persons.get('dee')})`, { Blocked: true });
    const path = await waiting(1, { workgroup });
    await change(`/Persons(${persons.get('dee')})`, { Blocked: false });
    expect((await read(`${path}/ApproverVotes`)).value).toHaveLength(1);
  });

  it('is rejected if fewer can vote than are required', async () => {
    const Approval = { NrOfApproversRequired: 4, Workgroup: reference(group) };
    const uid = await create('ServiceRequests', { Description: 'Laptop', Approval });
    const path = `/ServiceRequests(${uid})`;
    const body = status('Awaiting approval');
    const answer = await desk.as('admin').send('PATCH', path, { body });
    expect([answer.status, answer.json.error.code]).toEqual([409, 'approval.approvers']);
    expect(await statusOf(path)).toBe('Registered');
  });

  it('is opened for a request that is created with the status, which the answer shows', async () => {
    const Approval = { NrOfApproversRequired: 1, Workgroup: reference(group) };
    const body = { Description: 'Laptop', Approval, ...status('Awaiting approval') };
    const answer = await desk.as('admin').send('POST', '/ServiceRequests', { body });
    expect(answer.json.Approval.Round, answer.text).toBe(1);
    const path = `/ServiceRequests(${answer.json.Uid})`;
    const headers = { 'If-Match': String(answer.headers.etag) };
    const next = { headers, body: { Information: 'The tag is that of the answer' } };
    const changed = await desk.as('admin').send('PATCH', path, next);
    expect(changed.status, changed.text).toBe(204);
    await voted(path, 'ada', true);
    expect(await statusOf(path)).toBe('Registered');
  });

  it('leaves the ETag of the answer valid', async () => {
    const Approval = { NrOfApproversRequired: 1, Workgroup: reference(group) };
    const uid = await create('ServiceRequests', { Description: 'Laptop', Approval });
    const path = `/ServiceRequests(${uid})`;
    const body = status('Awaiting approval');
    const { headers } = await desk.as('admin').send('PATCH', path, { body });
    const next = { headers: { 'If-Match': String(headers.etag) }, body: { Information: 'New' } };
    const answer = await desk.as('admin').send('PATCH', path, next);
    expect(answer.status, answer.text).toBe(204);
  });

  it('ends with the status, and its votes are closed (glpi-project/glpi#14025, #841)', async () => {
    const path = await waiting(2);
    await change(path, { ...status('Cancelled') });
    expect(await voteOf(path, 'ada')).toMatchObject({ IsOpen: false });
    const answer = await vote(path, 'ada', true);
    expect([answer.status, answer.json.error.code]).toEqual([409, 'approval.closed']);
    expect((await read(path)).Approval.Status.Text).toBe('Not started');
  });

  it('ignores the votes of the round before (glpi-project/glpi#24399)', async () => {
    const path = await waiting(2);
    await voted(path, 'ada', true);
    await change(path, status('Registered'));
    await change(path, status('Awaiting approval'));
    await voted(path, 'ben', true);
    expect(await statusOf(path)).toBe('Awaiting approval');
    expect((await read(path)).Approval).toMatchObject({ Round: 2, NrOfApproversApproved: 1 });
    await voted(path, 'cem', true);
    expect(await statusOf(path)).toBe('Registered');
  });
});

describe('Votes', () => {
  it('approve with the quorum, and the request returns to the status before', async () => {
    const path = await waiting(2, { from: status('Assigned') });
    await voted(path, 'ada', true);
    expect(await statusOf(path)).toBe('Awaiting approval');
    await voted(path, 'cem', true);
    expect(await read(path)).toMatchObject({
      Status: { Text: 'Assigned' },
      Approval: { NrOfApproversApproved: 2, Status: { Text: 'Approved' } },
    });
    expect(await voteOf(path, 'ben')).toMatchObject({ IsOpen: false, Approved: null });
    const lines = await read(`${path}/HistoryLines?$filter=Attribute eq 'Status'&$orderby=Uid`);
    expect(lines.value.at(-1).NewValue).toContain('Assigned');
  });

  it('reject as soon as the quorum is impossible (glpi-project/glpi#8024)', async () => {
    const path = await waiting(2);
    await voted(path, 'ada', false);
    expect(await statusOf(path)).toBe('Awaiting approval');
    await voted(path, 'ben', false);
    expect(await read(path)).toMatchObject({
      Status: { Text: 'Rejected' },
      Approval: { Status: { Text: 'Rejected' } },
    });
    expect((await vote(path, 'cem', true)).status).toBe(409);
  });

  it('count only those that can still come', async () => {
    const path = await waiting(3);
    await change(`/Persons(${persons.get('cem')})`, { Blocked: true });
    await voted(path, 'ada', true);
    await change(`/Persons(${persons.get('cem')})`, { Blocked: false });
    expect(await statusOf(path)).toBe('Rejected');
  });

  it('are not given by or for approvers who have been blocked', async () => {
    const path = await waiting(1);
    const cem = `/Persons(${persons.get('cem')})`;
    const OutOfOfficeUntil = '2999-01-01T00:00:00Z';
    await change(cem, {
      Blocked: true,
      OutOfOfficeUntil,
      Deputy: reference(`Persons(${persons.get('ben')})`),
    });
    for (const voter of ['cem', 'ben']) {
      const { status: code, json } = await vote(path, 'cem', true, voter);
      expect([code, json.error.code]).toEqual([403, 'approval.excluded']);
    }
    expect(await read(path)).toMatchObject({ Approval: { NrOfApproversApproved: 0 } });
    await change(cem, { Blocked: false, OutOfOfficeUntil: null, Deputy: null });
    await voted(path, 'cem', true);
    expect(await statusOf(path)).toBe('Registered');
  });

  it('are found by the approver while they are open', async () => {
    const path = await waiting(1);
    const mine = async (name: string) => {
      const filter = 'IsOpen and Person/Uid eq $root/Me/Uid';
      const query = encodeURI(`?$filter=${filter}&$expand=Record&$orderby=Uid desc&$top=1`);
      return (await clients.get(name)?.get(`/ApproverVotes${query}`))?.json.value;
    };
    const [found] = await mine('ada');
    expect(`/ServiceRequests(${found.Record.Uid})`).toBe(path);
    expect(found.Uid).toBe((await voteOf(path, 'ada')).Uid);
    await voted(path, 'ben', true);
    const [other] = await mine('ada');
    expect(other?.Uid).not.toBe(found.Uid);
    expect(await mine('dee')).toEqual([]);
  });

  it('can change until the decision', async () => {
    const path = await waiting(2);
    await voted(path, 'ada', false);
    await voted(path, 'ada', true);
    await voted(path, 'ada', true);
    expect((await read(path)).Approval.NrOfApproversApproved).toBe(1);
    await voted(path, 'ada', null);
    expect((await read(path)).Approval.NrOfApproversApproved).toBe(0);
    expect(await voteOf(path, 'ada')).toMatchObject({ VotedAt: null, VotedBy: null });
    const { Uid } = await voteOf(path, 'ada');
    const body = { Reason: 'Reading' };
    const reason = await clients.get('ada')?.send('PATCH', `/ApproverVotes(${Uid})`, { body });
    expect(reason?.status).toBe(204);
    expect(await voteOf(path, 'ada')).toMatchObject({ VotedAt: null, VotedBy: null });
  });

  it('have the time at which they were given, and no other', async () => {
    const path = await waiting(2);
    await voted(path, 'ada', true);
    const before = await voteOf(path, 'ada');
    const body = { VotedAt: '2020-01-01T00:00:00Z', Round: 7, IsOpen: false };
    expect((await desk.send('PATCH', `/ApproverVotes(${before.Uid})`, { body })).status).toBe(204);
    const { VotedAt, Round, IsOpen } = await voteOf(path, 'ada');
    expect([VotedAt, Round, IsOpen]).toEqual([before.VotedAt, 1, true]);
  });

  it('are those of the approvers themselves', async () => {
    const path = await waiting(1);
    const answer = await vote(path, 'ada', true, 'ben');
    expect([answer.status, answer.json.error.code]).toEqual([403, 'approval.voter']);
    expect(await voteOf(path, 'ada')).toMatchObject({ Approved: null });
    expect((await vote(path, 'ada', true, 'dee')).status).toBe(403);
    const { Uid } = await voteOf(path, 'ada');
    const body = { Approved: true };
    const admin = await desk.as('nobody').send('PATCH', `/ApproverVotes(${Uid})`, { body });
    expect(admin.status).toBe(403);
    expect(await statusOf(path)).toBe('Awaiting approval');
  });

  it('are given by the deputy while the approver is away', async () => {
    const path = await waiting(1);
    const ada = `/Persons(${persons.get('ada')})`;
    await change(ada, { Deputy: reference(`Persons(${persons.get('dee')})`) });
    expect((await vote(path, 'ada', true, 'dee')).status).toBe(403);
    await change(ada, { OutOfOfficeUntil: '2099-01-01T00:00:00Z' });
    await voted(path, 'ada', true, 'dee');
    await change(ada, { OutOfOfficeUntil: null });
    expect((await voteOf(path, 'ada')).VotedBy.Name).toBe('dee');
    expect(await statusOf(path)).toBe('Registered');
  });

  it('that were stored by hand decide nothing', async () => {
    const path = await waiting(1);
    const Person = reference(`Persons(${persons.get('ada')})`);
    const own = { Person, Approved: true, Round: 1, IsOpen: true };
    const answer = await desk.as('admin').send('POST', `${path}/ApproverVotes`, { body: own });
    expect(answer.json.Round, answer.text).toBeNull();
    await voted(path, 'ben', null);
    expect(await read(path)).toMatchObject({
      Status: { Text: 'Awaiting approval' },
      Approval: { NrOfApproversApproved: 0 },
    });
  });

  it('decide once if the last two come at the same time', async () => {
    const path = await waiting(1);
    const answers = await Promise.all(['ada', 'ben'].map((name) => vote(path, name, true)));
    expect(answers.map((one) => one.status).toSorted()).toEqual([204, 409]);
    const query = "?$filter=Attribute eq 'Status'";
    expect((await read(`${path}/HistoryLines${query}`)).value).toHaveLength(2);
  });

  it('decide about changes by their type', async () => {
    const path = await waiting(1, { set: 'Changes' });
    await voted(path, 'ada', true);
    expect(await statusOf(path)).toBe('Approved');
    const emergency = await waiting(1, { set: 'Changes', ChangeType: { Text: 'Emergency' } });
    await voted(emergency, 'ada', true);
    expect(await statusOf(emergency)).toBe('Implementation');
  });

  it('decide where the workflow is enforced', async () => {
    const body = { Value: '["enforce"]' };
    const set = await desk.as('admin').send('PATCH', "/Settings('workflows')", { body });
    expect(set.status, set.text).toBe(204);
    const path = await waiting(1);
    await voted(path, 'ada', true);
    expect(await statusOf(path)).toBe('Registered');
  });
});
