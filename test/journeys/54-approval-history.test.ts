// This file reads what the history of a record contains about its approval: rounds, votes with their reasons, deputies, decisions and expiry,
// and what of it accounts with fewer rights see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk } from './desk.ts';

type Client = Pick<Desk, 'get' | 'send'>;
type Body = Readonly<Record<string, unknown>>;

const reference = (path: string) => ({ '@odata.id': path });
const VOTER = [
  { Entity: 'WorkItem', Read: true },
  { Entity: 'Person', Read: true },
  { Entity: 'HistoryLine', Read: true, Create: true, Change: true, Delete: true },
];

let desk: Desk;
let group: string;
const persons = new Map<string, number>();
const clients = new Map<string, Client>();

beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7) });
  const vote = { Entity: 'ApproverVote', Read: true, Change: true };
  await create('Roles', { Name: 'voter', EntityAccess: [...VOTER, vote] });
  const AttributeAccess = [
    { Entity: 'ApproverVote', Attribute: 'Reason', Read: false, Modify: false },
  ];
  await create('Roles', {
    Name: 'observer',
    EntityAccess: [...VOTER, { Entity: 'ApproverVote', Read: true }],
    AttributeAccess,
  });
  await create('Roles', { Name: 'outsider', EntityAccess: VOTER });
  await create('Roles', {
    Name: 'some-votes',
    EntityAccess: [...VOTER, { Entity: 'ApproverVote', Read: true, Filter: 'Person/Uid eq $me' }],
  });
  for (const name of ['Ada', 'Ben', 'Cem', 'Dee']) await addVoter(name);
  group = await groupOf('Ada', 'Ben', 'Cem');
  for (const role of ['observer', 'outsider', 'some-votes'])
    clients.set(role, await desk.join({ loginName: role, roles: [role] }));
});
afterAll(async () => await desk?.close());

async function create(set: string, body: Body): Promise<number> {
  const { status, json, text } = await desk.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return json.Uid;
}

async function change(path: string, body: Body): Promise<void> {
  const { status, text } = await desk.send('PATCH', path, { body });
  expect(status, text).toBe(204);
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

async function waiting(NrOfApproversRequired: number, more: Body = {}): Promise<string> {
  const Approval = { NrOfApproversRequired, Workgroup: reference(group), ...more };
  const path = `/ServiceRequests(${await create('ServiceRequests', { Description: 'Laptop', Approval })})`;
  await change(path, { Status: { Text: 'Awaiting approval' } });
  return path;
}

/** The answer to a change of the open vote of an approver. */
async function vote(path: string, name: string, body: Body, as = name) {
  const query = `?$filter=Person/Uid eq ${persons.get(name)}&$orderby=Round desc&$top=1`;
  const { json } = await desk.get(`${path}/ApproverVotes${query}`);
  const client = clients.get(as) as Client;
  return await client.send('PATCH', `/ApproverVotes(${json.value[0].Uid})`, { body });
}

async function voted(path: string, name: string, body: Body, as = name): Promise<void> {
  const { status, text } = await vote(path, name, body, as);
  expect(status, text).toBe(204);
}

interface Line {
  readonly Uid: number;
  readonly Subject: string;
  readonly CreatedBy: { readonly LoginName: string } | null;
}

async function linesOf(path: string): Promise<readonly Line[]> {
  const query = '?$filter=Kind/Value eq 202006&$orderby=Uid&$expand=CreatedBy';
  return (await desk.get(`${path}/HistoryLines${query}`)).json.value;
}

async function subjectsOf(path: string, client: Client = desk): Promise<readonly string[]> {
  const query = '?$filter=Kind/Value eq 202006&$orderby=Uid';
  const { json, text } = await client.get(`${path}/HistoryLines${query}`);
  expect(json?.value, text).toBeDefined();
  return json.value.map(({ Subject }: Line) => Subject);
}

describe('The history of an approval', () => {
  it('has lines for the opening of a round, each vote, and the decision', async () => {
    const path = await waiting(2);
    await voted(path, 'Ada', { Approved: true, Reason: 'Within the budget' });
    await voted(path, 'Ben', { Approved: true });
    const lines = await linesOf(path);
    expect(lines.map(({ Subject, CreatedBy }) => [Subject, CreatedBy?.LoginName])).toEqual([
      ['Approval status: – → Waiting', undefined],
      ['Ada: – → Approved', 'Ada'],
      ['Ada: Reason: – → Within the budget', 'Ada'],
      ['Ben: – → Approved', 'Ben'],
      ['Approval status: Waiting → Approved', undefined],
    ]);
    expect(lines[1]).toMatchObject({ OldValue: null, NewValue: 'Approved' });
  });

  it('names the status before the round', async () => {
    const path = await waiting(1);
    const filter = "Attribute eq 'Approval/StatusBefore'";
    const { json } = await desk.get(`${path}/HistoryLines?$filter=${filter}`);
    expect(json.value).toMatchObject([{ OldValue: null, NewValue: 'Registered' }]);
    expect((await desk.get(path)).json.Approval.StatusBefore).toBe(101001);
  });

  it('shows what a vote was before it changed, and nothing for a vote that is repeated', async () => {
    const path = await waiting(2);
    await voted(path, 'Ada', { Approved: false, Reason: 'Too expensive' });
    await voted(path, 'Ada', { Approved: false });
    await voted(path, 'Ada', { Approved: true, Reason: null });
    await voted(path, 'Ada', { Approved: null });
    expect((await subjectsOf(path)).slice(1)).toEqual([
      'Ada: – → Rejected',
      'Ada: Reason: – → Too expensive',
      'Ada: Rejected → Approved',
      'Ada: Reason: Too expensive → –',
      'Ada: Approved → –',
    ]);
  });

  it('names the deputy who voted, whose account is the author', async () => {
    const path = await waiting(2);
    const ben = `/Persons(${persons.get('Ben')})`;
    await change(ben, {
      Deputy: reference(`Persons(${persons.get('Dee')})`),
      OutOfOfficeUntil: '2099-01-01T00:00:00Z',
    });
    await voted(path, 'Ben', { Approved: true }, 'Dee');
    await voted(path, 'Ben', { Approved: null }, 'Dee');
    await change(ben, { OutOfOfficeUntil: null });
    const lines = (await linesOf(path)).slice(-2);
    expect(lines.map(({ Subject, CreatedBy }) => [Subject, CreatedBy?.LoginName])).toEqual([
      ['Ben (Voted by: Dee): – → Approved', 'Dee'],
      ['Ben (Voted by: Dee): Approved → –', 'Dee'],
    ]);
  });

  it('records expiry, a rejection, and a round that nobody decides', async () => {
    const path = await waiting(2, { Deadline: '2020-01-01T00:00:00Z' });
    const stop = startDueActions(desk.service);
    await expect
      .poll(async () => (await subjectsOf(path)).at(-1))
      .toBe('Approval status: Waiting → Expired');
    await stop();
    await voted(path, 'Ada', { Approved: false });
    await voted(path, 'Cem', { Approved: false });
    expect((await subjectsOf(path)).at(-1)).toBe('Approval status: Expired → Rejected');
    const left = await waiting(2);
    await change(left, { Status: { Text: 'Cancelled' } });
    expect((await subjectsOf(left)).at(-1)).toBe('Approval status: Waiting → Not started');
  });

  it('cannot be changed or imitated by anybody', async () => {
    const path = await waiting(2);
    await voted(path, 'Ada', { Approved: true });
    const line = (await linesOf(path)).at(-1);
    const at = `${path}/HistoryLines`;
    const edit = await desk.send('PATCH', `${at}(${line?.Uid})`, { body: { Subject: 'Rejected' } });
    expect([edit.status, edit.json.error.code]).toEqual([403, 'write.recorded']);
    expect((await desk.send('DELETE', `${at}(${line?.Uid})`)).status).toBe(403);
    const body = { Subject: 'Ben: – → Approved', Kind: { Text: 'Approval' } };
    for (const client of [desk, clients.get('Ada') as Client]) {
      const { status, json } = await client.send('POST', at, { body });
      expect([status, json.error.code]).toEqual([403, 'write.reserved']);
    }
  });

  it('has no line for a vote that stays the same while its code gets another text', async () => {
    const path = await waiting(2);
    await voted(path, 'Ada', { Approved: true, Reason: 'Within the budget' });
    const approved = '/Codes(Value=170003)';
    await change(approved, { Texts: [{ Language: 'en', Text: 'Okayed' }] });
    await voted(path, 'Ada', { Reason: 'Needed' });
    await voted(path, 'Ada', { Approved: false });
    await change(approved, { Texts: [{ Language: 'en', Text: 'Approved' }] });
    expect((await subjectsOf(path)).slice(1)).toEqual([
      'Ada: – → Approved',
      'Ada: Reason: – → Within the budget',
      'Ada: Reason: Within the budget → Needed',
      'Ada: Okayed → Rejected',
    ]);
  });

  it('has the current texts of codes', async () => {
    const path = await waiting(2);
    const approved = '/Codes(Value=170003)';
    await change(approved, { Texts: [{ Language: 'en', Text: 'Agreed' }] });
    await voted(path, 'Ada', { Approved: true });
    await change(approved, { Texts: [{ Language: 'en', Text: 'Approved' }] });
    expect((await subjectsOf(path)).at(-1)).toBe('Ada: – → Agreed');
  });
});

describe('Reasons', () => {
  it('are part of the vote: nobody else gives them, and not after the decision', async () => {
    const path = await waiting(1);
    const other = await vote(path, 'Ada', { Reason: 'Mine' }, 'Ben');
    expect([other.status, other.json.error.code]).toEqual([403, 'approval.voter']);
    await voted(path, 'Ada', { Reason: 'Reading' });
    await voted(path, 'Ada', { Approved: true });
    const late = await vote(path, 'Ada', { Reason: 'I changed my mind' });
    expect([late.status, late.json.error.code]).toEqual([409, 'approval.closed']);
    expect((await subjectsOf(path)).filter((one) => one.includes('Reason'))).toEqual([
      'Ada: Reason: – → Reading',
    ]);
  });

  it('and votes are seen by accounts that may read them in all votes', async () => {
    const path = await waiting(1);
    await voted(path, 'Ada', { Approved: true, Reason: 'Unrepeatable' });
    const round = ['Approval status: – → Waiting', 'Approval status: Waiting → Approved'];
    const seenBy = async (role: string) => await subjectsOf(path, clients.get(role));
    expect(await seenBy('Ben')).toHaveLength(4);
    expect(await seenBy('observer')).toEqual([round[0], 'Ada: – → Approved', round[1]]);
    expect(await seenBy('outsider')).toEqual(round);
    expect(await seenBy('some-votes')).toEqual(round);
    for (const role of ['observer', 'outsider', 'some-votes']) {
      const client = clients.get(role) as Client;
      const { value } = (await client.get(`${path}/HistoryLines?$search=Unrepeatable`)).json;
      expect(value, role).toEqual([]);
      const lines = `HistoryLines/any(h:contains(h/NewValue,'Unrepeatable'))`;
      const found = await client.get(`/ServiceRequests?$filter=${lines}`);
      expect(found.json.value, role).toEqual([]);
    }
  });
});
