// This file lets every part of the service that changes records by itself do so: each line that it writes names the part and the cause, and
// no request can claim either.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { performer } from '../../src/service/handle-request.ts';
import { principalNamed } from './desk.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

const reference = (path: string) => ({ '@odata.id': path.replace(/^\//, '') });
const status = (Text: string) => ({ Status: { Text } });
const uidIn = (path: string) => Number(/\d+/.exec(path)?.[0]);

let desk: LevelDesk;
let person: string;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
  person = await desk.create('Persons', { LastName: 'Ada', Name: 'Ada' });
  const EntityAccess = [
    { Entity: 'WorkItem', Read: true },
    { Entity: 'Person', Read: true },
    { Entity: 'ApproverVote', Read: true, Change: true },
  ];
  await desk.create('Roles', { Name: 'voter', EntityAccess });
  await desk.join({ loginName: 'ada', roles: ['voter'], person: uidIn(person) });
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => await desk?.close());

const start = () => {
  stop = startDueActions(desk.service);
};

const request = async (body: Body = {}) =>
  await desk.create('ServiceRequests', { Description: 'Printer', ...body });

/** The origin, the account and the cause of the lines about a member, oldest first. */
async function linesAbout(path: string, attribute: string): Promise<readonly unknown[]> {
  const filter = encodeURIComponent(`Attribute eq '${attribute}'`);
  const expand = '$expand=CreatedBy($select=LoginName)';
  const { value } = await desk.read(
    `${path}/HistoryLines?$filter=${filter}&$orderby=Uid&${expand}`,
  );
  return value.map((line: { Origin: string; Cause: string; CreatedBy: Body | null }) => [
    line.Origin,
    line.CreatedBy?.LoginName ?? null,
    line.Cause,
  ]);
}

/** Sends a PATCH of an account without a token, which would expire as time moves. */
async function sendAs(account: string, path: string, body: Body): Promise<number> {
  const call = {
    id: 'vote',
    method: 'PATCH',
    path,
    query: '',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    address: '',
    root: desk.root,
  };
  const principal = await principalNamed(desk.service, account);
  return (await performer(desk.service)(call, principal)).status;
}

const byAdmin = [null, 'admin', null];

async function group(body: Body = {}): Promise<string> {
  return await desk.create('Workgroups', { Name: 'Desk', Members: [reference(person)], ...body });
}

describe('A line of the history that the service writes names its origin and cause', () => {
  it('when a group chooses a person, or nobody can be chosen', async () => {
    const desks = await group({ Autoassign: { Text: 'Round robin' } });
    const nobody = await group({ Autoassign: { Text: 'Round robin' }, Name: 'Night', Members: [] });
    const assigned = await request();
    await desk.change(assigned, { Assignment: { AssigneeWorkgroup: reference(desks) } });
    const own = ['docket assignment', null, 'Workgroup: Desk'];
    expect(await linesAbout(assigned, 'Assignment/AssigneePerson')).toEqual([own]);
    expect(await linesAbout(assigned, 'Assignment/AssigneeWorkgroup')).toEqual([byAdmin]);
    const alone = await request({ Assignment: { AssigneeWorkgroup: reference(nobody) } });
    expect((await desk.read(`${alone}/HistoryLines`)).value).toMatchObject([
      { Origin: 'docket assignment', Cause: 'Workgroup: Night' },
    ]);
  });

  it('when a status opens a round, a vote decides it, or its deadline passes', async () => {
    desk.at('2026-06-02 07:00');
    const Workgroup = reference(await group());
    const Approval = { NrOfApproversRequired: 1, Workgroup, Deadline: shown('2026-06-02 09:00') };
    const path = await request({ Approval });
    await desk.change(path, status('Awaiting approval'));
    start();
    desk.at('2026-06-02 09:00');
    await expect.poll(async () => (await desk.read(path)).Approval.Status.Text).toBe('Expired');
    const { value } = await desk.read(`${path}/ApproverVotes`);
    const vote = `ApproverVotes(${value[0].Uid})`;
    expect(await sendAs('ada', vote, { Approved: true })).toBe(204);
    expect(await linesAbout(path, 'Approval/Status')).toEqual([
      ['docket votes', null, 'Status'],
      ['docket schedule', null, 'ExpireApproval: Approval/Deadline 2026-06-02T09:00:00.000Z'],
      ['docket votes', null, `${vote}/Approved`],
    ]);
    expect(await linesAbout(path, 'Status')).toEqual([
      byAdmin,
      ['docket votes', null, `${vote}/Approved`],
    ]);
    expect(await linesAbout(path, `${vote}/Approved`)).toEqual([[null, 'ada', null]]);
  });

  it('when a timer closes a request, and a date ends a wait', async () => {
    desk.at('2026-06-03 07:00');
    const resolved = await request({ ...status('Resolved') });
    const waiting = await request({ ...status('In progress') });
    await desk.change(waiting, {
      ...status('Waiting for supplier'),
      OnHoldReason: { Text: 'Supplier' },
      OnHoldUntil: shown('2026-06-04 07:00'),
    });
    start();
    desk.at('2026-06-10 07:00');
    const ended = async () => [
      (await linesAbout(resolved, 'Status')).at(-1),
      (await linesAbout(waiting, 'Status')).at(-1),
      (await linesAbout(waiting, 'OnHoldReason')).at(-1),
    ];
    const resumed = ['docket schedule', null, 'ContinueWork: OnHoldUntil 2026-06-04T07:00:00.000Z'];
    await expect
      .poll(ended)
      .toEqual([
        ['docket schedule', null, 'AutoClose: AutoCloseAt 2026-06-10T07:00:00.000Z'],
        resumed,
        resumed,
      ]);
  });

  it('when the last work order moves a request', async () => {
    const path = await request({
      ...status('In progress'),
      Assignment: { AssigneePerson: reference(person) },
    });
    const order = await desk.create('Workorders', {
      Description: 'Replace',
      ServiceRequest: reference(path),
      ...status('In progress'),
    });
    await desk.change(path, { ...status('Waiting for supplier') });
    await desk.change(order, { ...status('Completed') });
    expect((await linesAbout(path, 'Status')).at(-1)).toEqual([
      'docket workflow',
      null,
      `resume-after-work: Workorders(${uidIn(order)})`,
    ]);
  });

  it('when a contract expires', async () => {
    desk.at('2026-06-15 07:00');
    const path = await desk.create('MaintenanceContracts', {
      Name: 'Printers',
      ContractNumber: 'N-1',
      ...status('Active'),
      EndDate: shown('2026-06-16 07:00'),
    });
    start();
    desk.at('2026-06-16 07:00');
    await expect
      .poll(() => linesAbout(path, 'Status'))
      .toEqual([['docket schedule', null, 'Expire: EndDate 2026-06-16T07:00:00.000Z']]);
  });

  it('when a service level is reached, and when its schedule is changed', async () => {
    desk.at('2026-06-22 07:00');
    const path = await request({ Impact: { Text: 'Whole organisation' } });
    const { NextMark } = (await desk.read(path)).Sla;
    start();
    desk.at('2026-06-22 07:16');
    await expect
      .poll(() => linesAbout(path, 'Sla/Response/Mark'))
      .toEqual([['docket schedule', null, `Recalculate: Sla/NextMark ${NextMark}`]]);
    const { schedule } = desk.levels.get('Silver') ?? { schedule: 0 };
    const calendar = await desk.create('Calendars', {
      Name: 'Outing',
      Holidays: [{ Date: '2026-06-22', Name: 'Outing' }],
    });
    await desk.change(`/Schedules(${schedule})`, {
      'Calendars@delta': [{ Uid: uidIn(calendar) }],
    });
    await expect
      .poll(async () => (await linesAbout(path, 'Deadline')).at(-1))
      .toEqual(['docket schedule', null, 'Calendar: Outing (admin); Schedule: Silver (admin)']);
  });
});

describe('The origin and the cause of a line', () => {
  const forged = { Origin: 'docket votes', Cause: 'Workgroup: Desk' };

  it('are set by the service: a request that names them has no effect on them', async () => {
    const path = await request();
    const added = await desk.send('POST', `${path}/HistoryLines`, {
      body: { Information: 'Noted', ...forged },
    });
    expect(added.status, added.text).toBe(201);
    expect(added.json).toMatchObject({ Origin: null, Cause: null, Information: 'Noted' });
    const line = `${path}/HistoryLines(${added.json.Uid})`;
    const changed = await desk.change(line, { Information: 'Noted again', ...forged });
    expect(changed).toMatchObject({ Origin: null, Cause: null, Information: 'Noted again' });
  });

  it.each(['Origin', 'Cause'])('%s cannot be changed as a property: 4xx', async (name) => {
    const path = await request();
    const note = await desk.send('POST', `${path}/HistoryLines`, { body: { Information: 'N' } });
    const line = `${path}/HistoryLines(${note.json.Uid})`;
    const { status: code, text } = await desk.send('PUT', `${line}/${name}`, {
      body: { value: 'docket votes' },
    });
    expect([400, 403, 405], text).toContain(code);
    expect(await desk.read(line)).toMatchObject({ Origin: null, Cause: null });
  });

  it('stay as they are: lines of the service cannot be changed or deleted', async () => {
    const own = await group({ Autoassign: { Text: 'Round robin' } });
    const path = await request();
    await desk.change(path, { Assignment: { AssigneeWorkgroup: reference(own) } });
    const before = (await desk.read(`${path}/HistoryLines`)).value;
    for (const { Uid } of before)
      for (const [method, message] of [
        ['PATCH', { body: { Subject: 'forged' } }],
        ['DELETE', {}],
      ] as const) {
        const line = `${path}/HistoryLines(${Uid})`;
        const { status: code, text } = await desk.send(method, line, message);
        expect(code, text).toBe(403);
      }
    expect((await desk.read(`${path}/HistoryLines`)).value).toEqual(before);
  });
});
