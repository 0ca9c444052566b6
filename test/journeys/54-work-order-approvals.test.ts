// This file lets approvers vote about work orders, whose status does not wait for votes: the outcome opens a round, and the conditions of the
// workflow wait for its decision. No request can imitate the votes.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';
import { joinVoters, reference, type Voters } from './voters.ts';
import { setModes } from './workflow-table.ts';

const status = (Text: string) => ({ Status: { Text } });
const outcome = (Text: string, more: Body = {}) => ({ Approval: { Status: { Text }, ...more } });
let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
let voters: Voters;
let group: string;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
  await setModes(desk, 'enforce');
  voters = await joinVoters(desk, ['ada', 'ben', 'cem', 'eve']);
  group = await voters.groupOf('ada', 'ben', 'cem');
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => await desk?.close());

/** A work order that is assigned, and needs approvals. */
async function order(NrOfApproversRequired: number | null, Workgroup = group): Promise<string> {
  const path = await desk.create('Workorders', {
    Description: 'Replace the rollers',
    Approval: { NrOfApproversRequired, Workgroup: reference(Workgroup) },
  });
  await desk.change(path, status('Assigned'));
  return path;
}

async function asked(count: number, Workgroup = group, more: Body = {}): Promise<string> {
  const path = await order(count, Workgroup);
  await desk.change(path, outcome('Waiting', more));
  return path;
}

const votesOf = async (path: string) =>
  (await desk.read(`${path}/ApproverVotes?$orderby=Round,Uid&$expand=Person`)).value;

const vote = (path: string, name: string, Approved: boolean, as?: string) =>
  voters.vote(path, name, { Approved }, as);

const approvalOf = async (path: string) => {
  const { Approval } = await desk.read(path);
  const { Status, NrOfApprovers, NrOfApproversApproved, Round } = Approval;
  return [Status?.Text, NrOfApprovers, NrOfApproversApproved, Round];
};

/** The codes of the reasons why a status is rejected; empty if it is accepted. */
async function rejected(path: string, body: Body): Promise<readonly string[]> {
  const { status: code, json } = await desk.send('PATCH', path, { body });
  if (code < 300) return [];
  return [json.error.code, ...(json.error.details ?? []).map((one: Body) => one.code)];
}

describe('A round about a work order', () => {
  it('is opened by the outcome, with a vote for each member of the group', async () => {
    const path = await asked(2);
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 0, 1]);
    expect((await votesOf(path)).map(({ Person, IsOpen }: Body) => [Person, IsOpen])).toMatchObject(
      ['ada', 'ben', 'cem'].map((Name) => [{ Name }, true]),
    );
    await desk.change(path, { Information: 'Urgent', ...outcome('Waiting') });
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 0, 1]);
  });

  it('is opened for a work order that is created with the outcome, which the answer shows', async () => {
    const body = {
      Description: 'Replace',
      Approval: {
        Status: { Text: 'Waiting' },
        NrOfApproversRequired: 1,
        Workgroup: reference(group),
      },
    };
    const { status: code, json, headers } = await desk.send('POST', '/Workorders', { body });
    expect(code).toBe(201);
    expect(json.Approval).toMatchObject({ NrOfApprovers: 3, Round: 1 });
    const changed = await desk.send('PATCH', `/Workorders(${json.Uid})`, {
      headers: { 'if-match': String(headers.etag) },
      body: { Information: 'Urgent' },
    });
    expect(changed.status, changed.text).toBe(204);
  });

  it('needs a number of approvals, and enough people: 409', async () => {
    const path = await order(null);
    expect(await rejected(path, outcome('Waiting'))).toEqual(['approval.required']);
    await desk.change(path, { Approval: { NrOfApproversRequired: 4 } });
    expect(await rejected(path, outcome('Waiting'))).toEqual(['approval.approvers']);
    const empty = await desk.create('Workgroups', { Name: 'Nobody' });
    const alone = await order(1, empty);
    expect(await rejected(alone, outcome('Waiting'))).toEqual(['approval.approvers']);
    expect(await approvalOf(alone)).toEqual([undefined, null, null, null]);
    expect(await votesOf(path)).toEqual([]);
  });

  it('is approved by the quorum, and the work can be accepted and started', async () => {
    const path = await asked(2);
    const waits = ['workflow.transition', 'workflow.guard', 'workflow.next'];
    expect(await rejected(path, status('Accepted'))).toEqual(waits);
    expect(await vote(path, 'ada', true)).toBe(204);
    expect(await rejected(path, status('Accepted'))).toEqual(waits);
    expect(await vote(path, 'cem', true)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Approved', 3, 2, 1]);
    expect((await votesOf(path)).map(({ IsOpen }: Body) => IsOpen)).toEqual([false, false, false]);
    expect(await vote(path, 'ben', false)).toBe(409);
    expect(await rejected(path, status('Accepted'))).toEqual([]);
    expect(await rejected(path, status('In progress'))).toEqual([]);
  });

  it('is rejected as soon as the quorum is impossible', async () => {
    const path = await asked(2);
    expect(await vote(path, 'ada', false)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 0, 1]);
    expect(await vote(path, 'ben', false)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Rejected', 3, 0, 1]);
    expect(await rejected(path, status('Accepted'))).toContain('workflow.guard');
    expect(await rejected(path, status('Refused'))).toEqual([]);
  });

  it('is decided by a deputy while the approver is away, and by nobody else', async () => {
    const path = await asked(1);
    expect(await vote(path, 'ada', true, 'eve')).toBe(403);
    const away = {
      OutOfOfficeUntil: shown('2026-06-20 07:00'),
      Deputy: reference(voters.persons.get('eve') ?? ''),
    };
    await desk.change(voters.persons.get('ada') ?? '', away);
    expect(await vote(path, 'ada', true, 'eve')).toBe(204);
    await desk.change(voters.persons.get('ada') ?? '', { OutOfOfficeUntil: null, Deputy: null });
    expect(await approvalOf(path)).toEqual(['Approved', 3, 1, 1]);
  });

  it('is withdrawn by the outcome, and a new one ignores its votes', async () => {
    const path = await asked(2);
    expect(await vote(path, 'ada', true)).toBe(204);
    await desk.change(path, outcome('Not started'));
    expect((await votesOf(path)).map(({ IsOpen }: Body) => IsOpen)).toEqual([false, false, false]);
    expect(await vote(path, 'ben', true)).toBe(409);
    expect(await rejected(path, status('Accepted'))).toContain('workflow.guard');
    await desk.change(path, outcome('Waiting'));
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 0, 2]);
    expect(await vote(path, 'ben', true)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 1, 2]);
  });

  it('expires at its deadline, and can still be decided', async () => {
    desk.at('2026-06-08 07:00');
    const path = await asked(1, group, { Deadline: shown('2026-06-08 08:00') });
    stop = startDueActions(desk.service);
    desk.at('2026-06-08 08:00');
    await expect.poll(async () => (await approvalOf(path))[0]).toBe('Expired');
    expect((await votesOf(path)).map(({ IsOpen }: Body) => IsOpen)).toEqual([true, true, true]);
    expect(await vote(path, 'ada', true)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Approved', 3, 1, 1]);
  });
});

describe('The approval of a work order', () => {
  it('is not imitated by a request: only votes count', async () => {
    const path = await asked(2);
    const forged = { NrOfApproversApproved: 2, NrOfApprovers: 3, Round: 9 };
    await desk.change(path, outcome('Approved', forged));
    expect(await approvalOf(path)).toEqual(['Approved', 3, 0, 1]);
    expect(await rejected(path, status('Accepted'))).toContain('workflow.guard');
  });

  it('is not needed where none is required', async () => {
    for (const required of [null, 0]) {
      const path = await order(required);
      expect(await rejected(path, status('Accepted'))).toEqual([]);
      expect(await rejected(path, status('In progress'))).toEqual([]);
    }
  });

  it('is asked for again if more approvals become required after it', async () => {
    const path = await asked(1);
    expect(await vote(path, 'ada', true)).toBe(204);
    expect(await rejected(path, status('Accepted'))).toEqual([]);
    await desk.change(path, { Approval: { NrOfApproversRequired: 2 } });
    expect(await rejected(path, status('In progress'))).toContain('workflow.guard');
    await desk.change(path, outcome('Waiting'));
    for (const name of ['ben', 'cem']) expect(await vote(path, name, true)).toBe(204);
    expect(await approvalOf(path)).toEqual(['Approved', 3, 2, 2]);
    expect(await rejected(path, status('In progress'))).toEqual([]);
  });

  it('has lines in the history: the round, the votes and the decision', async () => {
    const path = await asked(1);
    expect(await vote(path, 'ada', true)).toBe(204);
    const filter = encodeURIComponent("Kind/Text eq 'Approval'");
    const { value } = await desk.read(`${path}/HistoryLines?$filter=${filter}&$orderby=Uid`);
    expect(value.map(({ Subject }: Body) => Subject)).toEqual([
      'Approval status: – → Waiting',
      'ada: – → Approved',
      'Approval status: Waiting → Approved',
    ]);
  });
});
