// This file changes the status of records whose related records count: work is finished when its work orders are, work orders follow
// their predecessors, major incidents need a problem, and changes of the same item need windows of their own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { usesPostgres } from '../database.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { CALLER, RECORDS } from './records.ts';
import { joinWorker, setModes } from './workflow-table.ts';

type User = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
/** Another node of the same installation, on PostgreSQL. */
let other: Desk;
let worker: User;
let caller: User;
beforeAll(async () => {
  desk = await openDesk({
    records: [...RECORDS, ...catalogRecords(suiteModel())],
  });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  other = usesPostgres ? await desk.another() : desk;
  worker = await joinWorker(desk);
  caller = await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
});
afterAll(async () => {
  if (other !== desk) await other?.close();
  await desk?.close();
});

const status = (Text: string) => ({ Status: { Text } });
const link = (path: string) => ({ '@odata.id': path.slice(1) });

/** Creates a record while every status is permitted, and returns its path. */
async function create(set: string, body: object): Promise<string> {
  await setModes(desk, 'advise');
  const { json, text } = await desk.send('POST', `/${set}`, { body });
  expect(json?.Uid, text).toBeDefined();
  return `/${set}(${json.Uid})`;
}

const change = async (user: User, path: string, body: object) =>
  await user.send('PATCH', path, { body });

async function expectChanged(user: User, path: string, body: object): Promise<void> {
  const answer = await change(user, path, body);
  expect(answer.status, answer.text).toBe(204);
}

/** Expects that the workflow refuses the change, and returns its reasons. */
function reasonsOf({ status: code, json, text }: DeskAnswer): string {
  expect([code, json?.error?.code], text).toEqual([409, 'workflow.transition']);
  return json.error.details.map((detail: { message: string }) => detail.message).join('\n');
}

const SOLVED = { Solution: 'Restarted it', ClosureCode: { Value: 130001 } };

/** What finishes each kind of work, by the member of its work orders: `From > To`. */
const PARENTS = [
  ['ServiceRequests', 'ServiceRequest', 'In progress', 'Resolved', SOLVED],
  ['ServiceRequests', 'ServiceRequest', 'Resolved', 'Closed', {}],
  ['Incidents', 'Incident', 'Restored', 'Closed', {}],
  ['Problems', 'Problem', 'Known error', 'Resolved', { Solution: 'Sealed it' }],
  ['Problems', 'Problem', 'Resolved', 'Closed', { ClosureCode: { Text: 'Cause not found' } }],
  [
    'Problems',
    'Problem',
    'Under investigation',
    'Closed',
    { ClosureCode: { Text: 'Cause not found' }, ReviewDate: '2020-01-01T00:00:00Z' },
  ],
  ['Changes', 'Change', 'Review', 'Closed', {}],
  ['Changes', 'Change', 'Implementation', 'Closed', {}, { ChangeType: { Text: 'Standard' } }],
  ['Projects', 'Project', 'In execution', 'Completed', {}],
  ['Projects', 'Project', 'Completed', 'Closed', {}],
] as const;

const parent = async (set: string, from: string, more: JsonObject = {}) => {
  const subject = set === 'Projects' ? { Name: 'Move' } : { Description: 'Move' };
  return await create(set, { ...subject, ...status(from), ...more });
};

const order = async (member: string, path: string, state: string) =>
  await create('Workorders', { Description: 'Part', [member]: link(path), ...status(state) });

describe('Work with work orders', () => {
  it.each(PARENTS)('of %s (%s) cannot go from %s to %s while one is open', async (...course) => {
    const [set, member, from, to, values, more] = course;
    const path = await parent(set, from, more);
    await order(member, path, 'Closed');
    await order(member, path, 'Cancelled');
    const last = await order(member, path, 'In progress');
    const target = { ...values, ...status(to) };
    await setModes(desk, 'enforce');
    expect(reasonsOf(await change(worker, path, target))).toContain('Workorders/all(');
    await expectChanged(worker, last, status('Completed'));
    await expectChanged(worker, path, target);
  });

  it.each(['Registered', 'Assigned', 'Accepted', 'On hold', 'Refused'])(
    'is not finished while a work order is %s, which AllowedTransitions tells',
    async (state) => {
      const path = await parent('Incidents', 'Restored');
      await order('Incident', path, state);
      await setModes(desk, 'enforce');
      expect(reasonsOf(await change(worker, path, status('Closed')))).toContain('Workorders/all(');
      const { json } = await worker.get(`${path}/AllowedTransitions()`);
      const close = json.Transitions.find((one: { Symbol: string }) => one.Symbol === 'close');
      expect(close).toMatchObject({ Allowed: false });
      expect(close.Guard).toContain('Workorders/all(');
    },
  );

  it('may be finished in the mode advise', async () => {
    const path = await parent('ServiceRequests', 'In progress');
    await order('ServiceRequest', path, 'In progress');
    await expectChanged(worker, path, { ...SOLVED, ...status('Resolved') });
  });

  it('counts work orders that the account cannot read', async () => {
    const path = await parent('ServiceRequests', 'Resolved', {
      Caller: { '@odata.id': `Persons(${CALLER})` },
    });
    const last = await order('ServiceRequest', path, 'In progress');
    expect((await caller.get(last)).status).not.toBe(200);
    const close = async () =>
      await caller.send('POST', `${path}/Transition`, { body: { To: 'CLOSED' } });
    expect(reasonsOf(await close())).toContain('Workorders/all(');
    await expectChanged(worker, last, status('Completed'));
    expect((await close()).status).toBe(204);
  });

  it('is finished by one of two requests at the same time after its last two work orders', async () => {
    const finish = async (user: User, last: string, path: string) => {
      await expectChanged(user, last, status('Completed'));
      return (await change(user, path, status('Closed'))).status;
    };
    for (let turn = 0; turn < 8; turn++) {
      const path = await parent('Incidents', 'Restored');
      const first = await order('Incident', path, 'In progress');
      const second = await order('Incident', path, 'In progress');
      await setModes(desk, 'enforce');
      const both = [finish(desk, first, path), finish(other, second, path)];
      expect(await Promise.all(both)).toContain(204);
      expect((await desk.get(path)).json.Status.Text).toBe('Closed');
    }
  });
});

/** Statuses in which work gets no further open work orders. */
const CLOSED = [
  ['ServiceRequests', 'ServiceRequest', 'Closed'],
  ['ServiceRequests', 'ServiceRequest', 'Cancelled'],
  ['ServiceRequests', 'ServiceRequest', 'Rejected'],
  ['Incidents', 'Incident', 'Closed'],
  ['Incidents', 'Incident', 'Cancelled'],
  ['Problems', 'Problem', 'Closed'],
  ['Problems', 'Problem', 'Cancelled'],
  ['Changes', 'Change', 'Closed'],
  ['Changes', 'Change', 'Cancelled'],
  ['Projects', 'Project', 'Closed'],
  ['Projects', 'Project', 'Cancelled'],
] as const;

const DELTA = { 'OData-Version': '4.01', 'OData-MaxVersion': '4.01' };

describe('A work order of closed work', () => {
  /** Requests that relate a new or existing work order to the parent. */
  const WAYS: Readonly<
    Record<string, (path: string, member: string, key: string) => Promise<DeskAnswer>>
  > = {
    'POST with its parent': async (path, member) =>
      await worker.send('POST', '/Workorders', {
        body: { Description: 'Late', [member]: link(path) },
      }),
    'POST below the parent': async (path) =>
      await worker.send('POST', `${path}/Workorders`, { body: { Description: 'Late' } }),
    'PATCH of the relation': async (path, member, key) =>
      await worker.send('PATCH', key, { body: { [member]: link(path) } }),
    'a reference to the parent': async (path, member, key) =>
      await worker.send('PUT', `${key}/${member}/$ref`, { body: link(path) }),
    'a reference of the parent': async (path, _, key) =>
      await worker.send('POST', `${path}/Workorders/$ref`, { body: link(key) }),
    'a delta of the parent': async (path) =>
      await worker.send('PATCH', path, {
        body: { 'Workorders@delta': [{ Description: 'Late' }] },
        headers: DELTA,
      }),
  };
  const relate = async (way: string, path: string, member: string, key: string) =>
    await (WAYS[way] as (typeof WAYS)[string])(path, member, key);

  it.each(Object.keys(WAYS))('is rejected by %s', async (way) => {
    const path = await parent('Incidents', 'Closed');
    const open = await parent('Incidents', 'Restored');
    const key = await create('Workorders', { Description: 'Late' });
    await setModes(desk, 'enforce');
    const { status: code, json, text } = await relate(way, path, 'Incident', key);
    expect([code, json?.error?.code], text).toEqual([409, 'workflow.relation']);
    expect(json.error.message).toBe(
      'The Workorder cannot be related by Incident. An incident that is closed or cancelled accepts finished work orders only.',
    );
    expect((await desk.get(`${path}/Workorders`)).json.value).toEqual([]);
    expect((await relate(way, open, 'Incident', key)).status).toBeLessThan(300);
  });

  it.each(Object.keys(WAYS))('is permitted by %s in other modes, with advice', async (way) => {
    const key = await create('Workorders', { Description: 'Late' });
    const path = await parent('Incidents', 'Closed');
    const countOf = async () => {
      const query = "$filter=Entity eq 'Workorder' and Reason eq 'workflow.relation Incident'";
      const { value } = (await desk.get(`/WorkflowReport()?${query}`)).json;
      return value.reduce((sum: number, { Count }: { Count: number }) => sum + Number(Count), 0);
    };
    const before = await countOf();
    await setModes(desk, 'enforce', 'Workorder=off');
    expect((await relate(way, path, 'Incident', key)).status).toBeLessThan(300);
    expect(await countOf()).toBe(before);
    await setModes(desk, 'advise');
    await change(worker, key, { Incident: null });
    expect((await relate(way, path, 'Incident', key)).status).toBeLessThan(300);
    expect(await countOf()).toBe(before + 1);
  });

  it.each(CLOSED)('is rejected for each kind: %s, %s %s', async (set, member, state) => {
    const path = await parent(set, state);
    await setModes(desk, 'enforce');
    const answer = await relate('POST with its parent', path, member, '');
    expect([answer.status, answer.json.error.target]).toEqual([409, member]);
  });

  it('can be recorded later if it is finished', async () => {
    const path = await parent('Incidents', 'Closed');
    const key = await create('Workorders', { Description: 'Late', ...status('Completed') });
    await setModes(desk, 'enforce');
    await expectChanged(worker, key, { Incident: link(path) });
  });

  it('is shown as advice in the response', async () => {
    const path = await parent('Incidents', 'Closed');
    const headers = { Prefer: 'return=representation, include-annotations="Docket.*"' };
    const body = { Description: 'Late', Incident: link(path) };
    const { json } = await worker.send('POST', '/Workorders', { body, headers });
    expect(json['@Docket.Advice']).toMatchObject([{ code: 'workflow.relation' }]);
  });
});

describe('A work order', () => {
  it('starts when its predecessors are completed', async () => {
    const before = await create('Workorders', { Description: 'First', ...status('In progress') });
    const path = await create('Workorders', {
      Description: 'Second',
      Predecessors: [link(before)],
      ...status('Accepted'),
    });
    await setModes(desk, 'enforce');
    const refused = await change(worker, path, status('In progress'));
    expect(reasonsOf(refused)).toContain('Predecessors/all(');
    await expectChanged(worker, before, status('Completed'));
    await expectChanged(worker, path, status('In progress'));
  });
});

describe('A major incident', () => {
  it('is closed when it has a problem', async () => {
    const path = await parent('Incidents', 'Restored', { MajorIncident: true });
    const problem = await create('Problems', { Description: 'Cause' });
    await setModes(desk, 'enforce');
    const refused = await change(worker, path, status('Closed'));
    expect(reasonsOf(refused)).toContain('Problem ne null');
    await expectChanged(worker, path, { Problem: link(problem), ...status('Closed') });
  });
});

describe('Changes of the same item', () => {
  const window = (Start: string, End: string) => ({
    ScheduledWindow: { Start: `2026-04-04T${Start}:00Z`, End: `2026-04-04T${End}:00Z` },
  });
  const EVENING = window('20:00', '22:00');

  const item = async () => link(await create('ConfigurationItems', { Name1: 'Server' }));
  const approved = async (body: object) =>
    await create('Changes', { Description: 'Patch', ...status('Approved'), ...body });

  it.each([
    [window('21:00', '23:00'), 'Scheduled', 409],
    [window('20:30', '21:00'), 'Implementation', 409],
    [window('19:00', '23:00'), 'Scheduled', 409],
    [window('22:00', '23:00'), 'Scheduled', 204],
    [window('18:00', '20:00'), 'Scheduled', 204],
    [window('21:00', '23:00'), 'Approved', 204],
    [window('21:00', '23:00'), 'Closed', 204],
  ])('at %j, with the other one %s: %d', async (other, state, code) => {
    const ConfigurationItem = await item();
    await approved({ ConfigurationItem, ...other, ...status(state) });
    const path = await approved({ ConfigurationItem });
    await setModes(desk, 'enforce');
    const answer = await change(worker, path, { ...EVENING, ...status('Scheduled') });
    expect(answer.status, answer.text).toBe(code);
    if (code === 409) expect(reasonsOf(answer)).toContain('ConfigurationItem/Changes/any(');
  });

  it('do not conflict with those of other items, or without an item', async () => {
    await approved({ ConfigurationItem: await item(), ...EVENING, ...status('Scheduled') });
    await approved({ ...EVENING, ...status('Scheduled') });
    const other = await approved({ ConfigurationItem: await item() });
    const none = await approved({});
    await setModes(desk, 'enforce');
    for (const path of [other, none])
      await expectChanged(worker, path, { ...EVENING, ...status('Scheduled') });
  });

  it.each(['main', 'further'])(
    'conflict by further items with the %s one of another',
    async (which) => {
      const shared = await item();
      const main = { ConfigurationItem: shared };
      const further = {
        ConfigurationItem: await item(),
        ConfigurationItems: [await item(), shared],
      };
      await approved({
        ...(which === 'main' ? main : further),
        ...EVENING,
        ...status('Scheduled'),
      });
      const path = await approved({ ...further, ConfigurationItem: await item() });
      const apart = await approved({ ConfigurationItems: [await item()] });
      await setModes(desk, 'enforce');
      const answer = await change(worker, path, { ...EVENING, ...status('Scheduled') });
      expect(reasonsOf(answer)).toContain('$root/Changes/any(');
      await expectChanged(worker, apart, { ...EVENING, ...status('Scheduled') });
      const later = { ...window('22:00', '23:00'), ...status('Scheduled') };
      await expectChanged(worker, path, later);
    },
  );

  it('conflict by the main item with a further one of another', async () => {
    const shared = await item();
    await approved({ ConfigurationItems: [shared], ...EVENING, ...status('Implementation') });
    const path = await approved({ ConfigurationItem: shared });
    await setModes(desk, 'enforce');
    const answer = await change(worker, path, { ...EVENING, ...status('Scheduled') });
    expect(reasonsOf(answer)).toContain('$root/Changes/any(');
  });

  it('are reported, and permitted to those who may override', async () => {
    const ConfigurationItem = await item();
    const standard = { ConfigurationItem, ChangeType: { Text: 'Standard' }, ...EVENING };
    await approved({ ...standard, ...status('Scheduled') });
    const path = await approved({ ...standard, ...status('Registered') });
    await setModes(desk, 'enforce');
    const allowedTo = async (user: User) => {
      const { json } = await user.get(`${path}/AllowedTransitions()`);
      return json.Transitions.filter(({ State }: { State: string }) => State === 'SCHEDULED').map(
        (one: { Symbol: string; Allowed: boolean }) => [one.Symbol, one.Allowed],
      );
    };
    expect(await allowedTo(worker)).toEqual([
      ['schedule-standard', false],
      ['schedule-standard-despite-conflict', false],
    ]);
    expect(await allowedTo(desk)).toEqual([
      ['schedule-standard', false],
      ['schedule-standard-despite-conflict', true],
    ]);
    expect((await change(worker, path, status('Scheduled'))).status).toBe(409);
    await expectChanged(desk, path, status('Scheduled'));
  });
});

describe('The end of the last work order', () => {
  const done = 'Completed';
  const statusOf = async (path: string) => (await desk.get(path)).json.Status.Text;

  it.each(['off', 'advise', 'enforce'] as const)(
    'resumes a request that waits for a supplier, in the mode %s',
    async (mode) => {
      const path = await parent('ServiceRequests', 'Waiting for supplier', {
        Assignment: { AssigneePerson: { '@odata.id': `Persons(${CALLER})` } },
        OnHoldReason: { Text: 'Part on order' },
      });
      const [first, last] = [
        await order('ServiceRequest', path, 'In progress'),
        await order('ServiceRequest', path, 'On hold'),
      ];
      await setModes(desk, mode);
      await expectChanged(worker, first, status(done));
      expect(await statusOf(path)).toBe('Waiting for supplier');
      await expectChanged(worker, last, status(done));
      expect((await desk.get(path)).json).toMatchObject({
        Status: { Text: 'In progress' },
        OnHoldReason: null,
      });
      const lines = (await desk.get(`${path}/HistoryLines`)).json.value;
      expect(lines.map(({ Subject: text }: { Subject: string }) => text)).toContain(
        'Status: Waiting for supplier → In progress',
      );
    },
  );

  it('moves a change to its review, but not one that is standard', async () => {
    const change = await parent('Changes', 'Implementation', { ChangeType: { Text: 'Normal' } });
    const standard = await parent('Changes', 'Implementation', {
      ChangeType: { Text: 'Standard' },
    });
    for (const path of [change, standard]) {
      const work = await order('Change', path, 'In progress');
      await expectChanged(worker, work, status(done));
    }
    expect(await statusOf(change)).toBe('Review');
    expect(await statusOf(standard)).toBe('Implementation');
  });

  it('follows a request that finishes many', async () => {
    const path = await parent('Changes', 'Implementation', { ChangeType: { Text: 'Normal' } });
    const orders = [
      await order('Change', path, 'In progress'),
      await order('Change', path, 'In progress'),
    ];
    const keys = orders.map((one) => one.replace(/\D/g, '')).join(',');
    const all = `/Workorders/$filter(Uid in (${keys}))/$each`;
    const answer = await desk.send('PATCH', all, {
      body: status(done),
      headers: { 'OData-Version': '4.01', 'OData-MaxVersion': '4.01' },
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await statusOf(path)).toBe('Review');
  });

  it('counts once: a work order that is closed later moves nothing', async () => {
    const path = await parent('Changes', 'Implementation', { ChangeType: { Text: 'Normal' } });
    const work = await order('Change', path, 'In progress');
    await expectChanged(worker, work, status(done));
    await expectChanged(desk, path, status('Implementation'));
    await expectChanged(worker, work, status('Closed'));
    expect(await statusOf(path)).toBe('Implementation');
  });

  it('leaves what is not possible to people', async () => {
    const path = await parent('ServiceRequests', 'Waiting for supplier');
    const work = await order('ServiceRequest', path, 'In progress');
    await setModes(desk, 'enforce');
    await expectChanged(worker, work, status(done));
    expect(await statusOf(path)).toBe('Waiting for supplier');
  });

  it('is the last of those that two nodes finish at the same time', async () => {
    const path = await parent('Changes', 'Implementation', { ChangeType: { Text: 'Normal' } });
    const orders = [
      await order('Change', path, 'In progress'),
      await order('Change', path, 'In progress'),
    ];
    await Promise.all(
      orders.map(async (work, index) => {
        await expectChanged(index === 0 ? desk : other, work, status(done));
      }),
    );
    expect(await statusOf(path)).toBe('Review');
  });
});

describe('A note of the caller', () => {
  const statusOf = async (path: string) => (await desk.get(path)).json.Status.Text;
  const waiting = async (state = 'Waiting for caller') =>
    await parent('ServiceRequests', state, {
      'Caller@odata.bind': `Persons(${CALLER})`,
      Assignment: { AssigneePerson: { '@odata.id': `Persons(${CALLER})` } },
      OnHoldReason: { Text: 'Information from caller' },
    });
  const add = async (user: User, path: string, visibility: number) => {
    const body = { Information: 'It is the left one', Visibility: { Value: visibility } };
    const added = await user.send('POST', `${path}/HistoryLines`, { body });
    expect(added.status, added.text).toBe(201);
  };
  const [INTERNAL, PUBLIC] = [203001, 203002];

  // zammad/zammad#1322: a note in the portal was not seen as contact.
  it.each(['off', 'advise', 'enforce'] as const)(
    'resumes a request that waits for it, in the mode %s',
    async (mode) => {
      const path = await waiting();
      await setModes(desk, mode);
      await add(caller, path, PUBLIC);
      expect((await desk.get(path)).json).toMatchObject({
        Status: { Text: 'In progress' },
        OnHoldReason: null,
      });
    },
  );

  it('resumes no other request, nor does a note of somebody else', async () => {
    const supplier = await waiting('Waiting for supplier');
    await add(caller, supplier, PUBLIC);
    expect(await statusOf(supplier)).toBe('Waiting for supplier');
    const path = await waiting();
    await add(worker, path, PUBLIC);
    expect(await statusOf(path)).toBe('Waiting for caller');
  });

  it('resumes nothing if others wrote it before, or if it is internal', async () => {
    const path = await waiting('In progress');
    await add(caller, path, PUBLIC);
    await expectChanged(desk, path, {
      ...status('Waiting for caller'),
      OnHoldReason: { Text: 'Information from caller' },
    });
    await add(worker, path, PUBLIC);
    expect(await statusOf(path)).toBe('Waiting for caller');
    await add(desk, path, INTERNAL);
    expect(await statusOf(path)).toBe('Waiting for caller');
  });

  it('is none by an account without a person, if the request has no caller', async () => {
    const path = await parent('ServiceRequests', 'Waiting for caller', {
      Assignment: { AssigneePerson: { '@odata.id': `Persons(${CALLER})` } },
    });
    const nobody = await desk.join({ loginName: 'personless', roles: ['administrator'] });
    await add(nobody, path, PUBLIC);
    expect(await statusOf(path)).toBe('Waiting for caller');
  });

  it('is stored, even if the request cannot be resumed', async () => {
    const path = await parent('ServiceRequests', 'Waiting for caller', {
      'Caller@odata.bind': `Persons(${CALLER})`,
    });
    await setModes(desk, 'enforce');
    await add(caller, path, PUBLIC);
    expect(await statusOf(path)).toBe('Waiting for caller');
  });
});
