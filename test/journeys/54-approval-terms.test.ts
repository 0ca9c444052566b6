// This file changes what a round of votes depends on while it is open: the number of required approvals, the deadline, the status, and the votes
// themselves. No change of these makes a vote decide the opposite of what it says.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type LevelDesk, openLevelDesk } from './service-levels.ts';
import { joinVoters, reference, type Voters } from './voters.ts';
import { setModes } from './workflow-table.ts';

const status = (Text: string) => ({ Status: { Text } });
const required = (NrOfApproversRequired: number | null) => ({
  Approval: { NrOfApproversRequired },
});
let desk: LevelDesk;
let voters: Voters;
let group: string;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
  await setModes(desk, 'enforce');
  voters = await joinVoters(desk, ['ada', 'ben', 'cem']);
  group = await voters.groupOf('ada', 'ben', 'cem');
});
afterAll(async () => await desk?.close());

const SETS = ['ServiceRequests', 'Changes', 'Workorders'];

/** What Cancelled needs besides. */
const CLOSURE: Readonly<Record<string, Body>> = {
  ServiceRequests: { ClosureCode: { Value: 130006 } },
};

/** A record with an open round of three votes. */
async function asked(set: string, count: number, more: Body = {}): Promise<string> {
  const path = await desk.create(set, {
    Description: 'Laptop',
    Approval: { NrOfApproversRequired: count, Workgroup: reference(group), ...more },
    ...(set === 'Changes' ? { ChangeType: { Text: 'Normal' } } : {}),
  });
  if (set === 'Changes') await desk.change(path, status('Assessment'));
  const opens =
    set === 'Workorders'
      ? { Approval: { Status: { Text: 'Waiting' } } }
      : status('Awaiting approval');
  await desk.change(path, opens);
  return path;
}

const approvalOf = async (path: string) => {
  const { Approval } = await desk.read(path);
  const { Status, NrOfApproversRequired, NrOfApproversApproved } = Approval;
  return [Status?.Text, NrOfApproversRequired, NrOfApproversApproved];
};

/** The code of the error. */
async function rejected(method: string, path: string, body?: Body): Promise<string> {
  const answer = await desk.send(method, path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBe(409);
  return answer.json.error.code;
}

afterEach(async () => {
  await desk.change(voters.persons.get('cem') ?? '', { Blocked: false });
});

describe.each(SETS)('The number of required approvals in an open round: %s', (set) => {
  it('cannot be taken away: 409, and a rejecting vote does not approve', async () => {
    const path = await asked(set, 2);
    for (const number of [0, null])
      expect(await rejected('PATCH', path, required(number))).toBe('approval.required');
    expect(await rejected('DELETE', `${path}/Approval/NrOfApproversRequired`)).toBe(
      'approval.required',
    );
    expect(await voters.vote(path, 'ada', { Approved: false })).toBe(204);
    expect(await approvalOf(path)).toEqual(['Waiting', 2, 0]);
    expect(await voters.vote(path, 'ben', { Approved: false })).toBe(204);
    expect(await approvalOf(path)).toEqual(['Rejected', 2, 0]);
  });

  it('cannot exceed the number of those who can vote: 409', async () => {
    const path = await asked(set, 2);
    expect(await rejected('PATCH', path, required(4))).toBe('approval.approvers');
    await desk.change(path, required(3));
    expect(await voters.vote(path, 'ada', { Approved: true })).toBe(204);
    expect(await approvalOf(path)).toEqual(['Waiting', 3, 1]);
  });

  it('decides as soon as the votes are enough, or can no more be enough', async () => {
    const path = await asked(set, 3);
    expect(await voters.vote(path, 'ada', { Approved: true })).toBe(204);
    await desk.change(path, required(2));
    expect((await approvalOf(path))[0]).toBe('Waiting');
    await desk.change(path, required(1));
    expect(await approvalOf(path)).toEqual(['Approved', 1, 1]);
    expect((await voters.voteOf(path, 'ben')).IsOpen).toBe(false);
    const other = await asked(set, 2);
    expect(await voters.vote(other, 'ada', { Approved: false })).toBe(204);
    await desk.change(other, required(3));
    expect(await approvalOf(other)).toEqual(['Rejected', 3, 0]);
  });

  it('is not checked if it stays the same, or if the request ends the round', async () => {
    const path = await asked(set, 3);
    const cem = voters.persons.get('cem') ?? '';
    await desk.change(cem, { Blocked: true });
    await desk.change(path, { Information: 'Urgent', ...required(3) });
    expect(await rejected('PATCH', path, required(4))).toBe('approval.approvers');
    expect((await approvalOf(path))[0]).toBe('Waiting');
    const withdrawn = { Approval: { Status: { Text: 'Not started' }, NrOfApproversRequired: 0 } };
    const cancelled = { ...status('Cancelled'), ...required(0), ...CLOSURE[set] };
    await desk.change(path, set === 'Workorders' ? withdrawn : cancelled);
    expect(await approvalOf(path)).toEqual(['Not started', 0, 0]);
  });
});

it.each(SETS)('a vote is not deleted while its round is open: 409 (%s)', async (set) => {
  const path = await asked(set, 1);
  const { Uid } = await voters.voteOf(path, 'ada');
  expect(await rejected('DELETE', `/ApproverVotes(${Uid})`)).toBe('approval.open');
  expect(await rejected('DELETE', `${path}/ApproverVotes(${Uid})`)).toBe('approval.open');
  expect(await voters.vote(path, 'ben', { Approved: true })).toBe(204);
  expect((await desk.send('DELETE', `/ApproverVotes(${Uid})`)).status).toBe(204);
  const open = await asked(set, 1);
  expect((await desk.send('DELETE', open)).status).toBe(204);
});

it('the number of required approvals is not negative: 400', async () => {
  const body = { Description: 'Laptop', ...required(-3) };
  for (const set of SETS) expect((await desk.send('POST', `/${set}`, { body })).status).toBe(400);
  const path = await asked('Workorders', 2);
  const answer = await desk.send('PATCH', path, { body: required(-3) });
  expect([answer.status, answer.json.error.target]).toEqual([
    400,
    'Approval/NrOfApproversRequired',
  ]);
});

it('the history names the number as the cause of a decision', async () => {
  const path = await asked('ServiceRequests', 2);
  expect(await voters.vote(path, 'ada', { Approved: true })).toBe(204);
  await desk.change(path, required(1));
  expect((await desk.read(path)).Status.Text).toBe('Registered');
  const query = encodeURI(`?$filter=Attribute eq 'Status'&$orderby=Uid desc&$top=1`);
  const { value } = await desk.read(`${path}/HistoryLines${query}`);
  expect(value[0]).toMatchObject({
    Origin: 'docket votes',
    Cause: 'Approval/NrOfApproversRequired',
  });
});
