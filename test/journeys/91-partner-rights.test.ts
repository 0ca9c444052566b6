// This file changes relations from the side whose entities the account may change, where the other side has entities that it may not change:
// by references, bodies, lists, deltas and many records at once. What is stored is compared as the administrator sees it.
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { BARE_REQUEST, CALLER, MEMBER, REQUEST, WORKGROUP, WORKORDER } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let roles = 0;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const ALL_BUT = ['Person', 'Workorder', 'ServiceRequest', 'Workgroup', 'ApproverVote', 'Incident'];

/** An account that reads all of some types, and changes those that `changes` lists, under a condition if there is one. */
async function joined(
  changes: Readonly<Record<string, string | true>>,
  reads: readonly object[] = ALL_BUT.map((Entity) => ({ Entity, Read: true })),
): Promise<Asking> {
  roles += 1;
  const role = `partner ${roles}`;
  const granted = Object.entries(changes).map(([Entity, filter]) => ({
    Entity,
    Change: true,
    ...(filter === true ? {} : { Filter: filter }),
  }));
  const body = { Name: role, UpdateAllAllowed: true, EntityAccess: [...reads, ...granted] };
  const answer = await desk.send('POST', '/Roles', { body });
  expect(answer.status, answer.text).toBe(201);
  return await desk.join({ loginName: role, roles: [role], person: MEMBER });
}

async function read(path: string) {
  const { status, json, text } = await desk.get(path);
  expect([path, status], text).toEqual([
    path,
    expect.toSatisfy((one) => one === 200 || one === 204),
  ]);
  return json;
}

const uids = async (path: string): Promise<readonly number[]> =>
  (await read(`${path}?$select=Uid&$orderby=Uid`)).value.map(({ Uid }: { Uid: number }) => Uid);

const reference = (path: string) => ({ body: { '@odata.id': path } });
const v401 = { 'odata-version': '4.01' };

async function expectRefused(account: Asking, method: string, path: string, how: object = {}) {
  const { status, json, text } = await account.send(method, path, how);
  expect([method, path, status, json?.error?.code], text).toEqual([
    method,
    path,
    403,
    'access.write',
  ]);
}

async function expectDone(account: Asking, method: string, path: string, how: object = {}) {
  const { status, text } = await account.send(method, path, how);
  expect([method, path, status], text).toEqual([method, path, 204]);
}

describe('The account of a person', () => {
  let account: Asking;
  beforeAll(async () => {
    account = await joined({ Person: true });
    await desk.join({ loginName: 'kept', roles: [], person: CALLER });
  });

  const personOf = async (loginName: string) => {
    const { value } = await read(`/Accounts?$filter=LoginName eq '${loginName}'&$expand=Person`);
    return value[0].Person?.Uid;
  };
  const path = `/Persons(${CALLER})`;

  test.each([
    ['PATCH', path, { body: { Account: null } }],
    ['PUT', path, { body: { LastName: 'x', Account: null } }],
    ['PATCH', `/Persons/$filter(Uid eq ${CALLER})/$each`, { body: { Account: null } }],
    [
      'PATCH',
      '/Persons',
      { headers: v401, body: { '@context': '#$delta', value: [{ Uid: CALLER, Account: null }] } },
    ],
  ])('remains with %s %s', async (method, address, how) => {
    const answer = await account.send(method, address, how);
    expect([answer.status, answer.json?.error?.code], answer.text).toEqual([403, 'access.write']);
    expect(await personOf('kept')).toBe(CALLER);
  });

  it('cannot be taken by another person', async () => {
    const { value } = await read(`/Accounts?$filter=LoginName eq 'kept'`);
    const id = `Accounts(${value[0].Uid})`;
    for (const [method, address, how] of [
      ['PUT', `/Persons(${MEMBER})/Account/$ref`, reference(id)],
      ['PATCH', `/Persons(${MEMBER})`, { body: { 'Account@odata.bind': id } }],
    ] as const) {
      const { status } = await account.send(method, address, how);
      expect([method, status]).toEqual([
        method,
        expect.toSatisfy((one) => one >= 400 && one < 500),
      ]);
    }
    expect(await personOf('kept')).toBe(CALLER);
  });

  it('is shown as not to be changed', async () => {
    const { json } = await account.get(`${path}/EffectiveRights()`);
    expect(json.Members).toContainEqual({
      Name: 'Account',
      Read: expect.anything(),
      Change: false,
    });
    expect(json.Members).toContainEqual({ Name: 'LastName', Read: true, Change: true });
    const { value } = (await account.get('/SetRights()')).json;
    const persons = value.find((one: { Set: string }) => one.Set === 'Persons');
    expect(persons.Unchangeable).toContain('Account');
    expect(persons.Unchangeable).not.toContain('Manager');
  });

  it('is changed by administrators', async () => {
    await expectDone(desk, 'PATCH', path, { body: { Account: null } });
    expect(await personOf('kept')).toBeUndefined();
  });
});

describe('References that other entities hold', () => {
  const orders = `/ServiceRequests(${REQUEST})/Workorders`;
  beforeEach(async () => {
    const body = { 'ServiceRequest@odata.bind': `ServiceRequests(${REQUEST})` };
    await desk.send('PATCH', `/Workorders(${WORKORDER})`, { body });
  });

  test.each([
    ['DELETE', `${orders}(${WORKORDER})/$ref`, {}],
    ['DELETE', `${orders}/$ref`, { headers: v401 }],
    ['PUT', `${orders}/$ref`, { headers: v401, body: { value: [] } }],
    [
      'POST',
      `/ServiceRequests(${BARE_REQUEST})/Workorders/$ref`,
      reference(`Workorders(${WORKORDER})`),
    ],
    ['PATCH', `/ServiceRequests(${REQUEST})`, { headers: v401, body: { Workorders: [] } }],
    [
      'PATCH',
      `/ServiceRequests(${BARE_REQUEST})`,
      { body: { 'Workorders@odata.bind': [`Workorders(${WORKORDER})`] } },
    ],
    [
      'PATCH',
      `/ServiceRequests(${REQUEST})`,
      {
        headers: v401,
        body: {
          'Workorders@delta': [
            { '@id': `Workorders(${WORKORDER})`, '@removed': { reason: 'changed' } },
          ],
        },
      },
    ],
  ])('need the right to change those: %s %s', async (method, path, how) => {
    const before = await read(`/Workorders(${WORKORDER})?$expand=ServiceRequest($select=Uid)`);
    await expectRefused(await joined({ ServiceRequest: true }), method, path, how);
    const after = await read(`/Workorders(${WORKORDER})?$expand=ServiceRequest($select=Uid)`);
    expect(after).toEqual(before);
    expect(after.ServiceRequest.Uid).toBe(REQUEST);
    await expectDone(await joined({ ServiceRequest: true, Workorder: true }), method, path, how);
  });

  test('follow the condition of the right', async () => {
    const link = ['POST', `/ServiceRequests(${BARE_REQUEST})/Workorders/$ref`] as const;
    const how = reference(`Workorders(${WORKORDER})`);
    const never = await joined({ ServiceRequest: true, Workorder: "Description eq 'never'" });
    await expectRefused(never, ...link, how);
    await expectRefused(never, 'DELETE', `${orders}/$ref`, { headers: v401 });
    const some = await joined({ ServiceRequest: true, Workorder: `Uid eq ${WORKORDER}` });
    await expectDone(some, ...link, how);
    await expectDone(some, 'DELETE', `/ServiceRequests(${BARE_REQUEST})/Workorders/$ref`, {
      headers: v401,
    });
    expect(await uids(`/ServiceRequests(${BARE_REQUEST})/Workorders`)).toEqual([]);
  });

  test('of new entities need only the right to create them', async () => {
    const creates = ['ServiceRequest', 'Workorder'].map((Entity) => ({ Entity, Create: true }));
    const reads = ALL_BUT.map((Entity) => ({ Entity, Read: true }));
    const account = await joined({}, [...reads, ...creates]);
    const body = { Description: 'two at once', Workorders: [{ Description: 'first' }] };
    const made = await account.send('POST', '/ServiceRequests', { body });
    expect(made.status, made.text).toBe(201);
    expect(await uids(`/ServiceRequests(${made.json.Uid})/Workorders`)).toHaveLength(1);
    const linked = { Description: 'taken', 'Workorders@odata.bind': [`Workorders(${WORKORDER})`] };
    await expectRefused(account, 'POST', '/ServiceRequests', { body: linked });
    const both = await joined({ Workorder: `Uid eq ${WORKORDER}` }, [...reads, ...creates]);
    const taken = await both.send('POST', '/ServiceRequests', { body: linked });
    expect(taken.status, taken.text).toBe(201);
  });
});

test('Votes are neither moved nor detached by those who may not change them', async () => {
  const vote = await desk.send('POST', `/ServiceRequests(${REQUEST})/ApproverVotes`, {
    body: { 'Person@odata.bind': `Persons(${MEMBER})` },
  });
  expect(vote.status, vote.text).toBe(201);
  const votes = `ServiceRequests(${REQUEST})/ApproverVotes`;
  const account = await joined({ ServiceRequest: true });
  const id = `ApproverVotes(${vote.json.Uid})`;
  const other = `/ServiceRequests(${BARE_REQUEST})/ApproverVotes/$ref`;
  await expectRefused(account, 'POST', other, reference(id));
  await expectRefused(account, 'DELETE', `/${votes}(${vote.json.Uid})/$ref`);
  const empty = { headers: v401, body: { ApproverVotes: [] } };
  await expectRefused(account, 'PATCH', `/ServiceRequests(${REQUEST})`, empty);
  expect(await uids(`/${votes}`)).toEqual([vote.json.Uid]);
});

describe('A relation between two collections', () => {
  const members = `/Workgroups(${WORKGROUP})/Members`;
  const groups = `/Persons(${CALLER})/Workgroups`;
  beforeEach(async () => {
    await expectDone(desk, 'PUT', `${members}/$ref`, {
      headers: v401,
      body: { value: [{ '@id': `Persons(${MEMBER})` }] },
    });
  });

  it.each([{ Person: true }, { Workgroup: true }] as const)(
    'needs the right to change both: %o',
    async (changes) => {
      const account = await joined(changes);
      await expectRefused(account, 'POST', `${groups}/$ref`, reference(`Workgroups(${WORKGROUP})`));
      await expectRefused(account, 'POST', `${members}/$ref`, reference(`Persons(${CALLER})`));
      await expectRefused(account, 'DELETE', `/Persons(${MEMBER})/Workgroups(${WORKGROUP})/$ref`);
      await expectRefused(account, 'DELETE', `${members}(${MEMBER})/$ref`);
      await expectRefused(account, 'DELETE', `${members}/$ref`, { headers: v401 });
      expect(await uids(members)).toEqual([MEMBER]);
      const both = await joined({ Person: true, Workgroup: true });
      await expectDone(both, 'POST', `${groups}/$ref`, reference(`Workgroups(${WORKGROUP})`));
      expect(await uids(members)).toEqual([CALLER, MEMBER]);
    },
  );

  it.each([
    ['DELETE', `${members}/$ref`, { headers: v401 }],
    ['PUT', `${members}/$ref`, { headers: v401, body: { value: [] } }],
    ['PATCH', `/Workgroups(${WORKGROUP})`, { headers: v401, body: { Members: [] } }],
    ['PUT', members, { headers: v401, body: { value: [] } }],
  ])('keeps what the account does not see: %s %s', async (method, path, how) => {
    await expectDone(desk, 'POST', `${members}/$ref`, reference(`Persons(${CALLER})`));
    const reads = [
      { Entity: 'Workgroup', Read: true },
      { Entity: 'Person', Read: true, Filter: `Uid eq ${MEMBER}` },
    ];
    const account = await joined({ Workgroup: true, Person: true }, reads);
    await expectDone(account, method, path, how);
    expect(await uids(members)).toEqual([CALLER]);
  });
});
