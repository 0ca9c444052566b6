// This file lets the deadline of an approval pass, and follows a normal change through its approvals: a deputy, a blocked approver, an
// impossible quorum, a deadline without a decision, and a second round.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';
import { joinVoters, reference, type Voters } from './voters.ts';

const status = (Text: string) => ({ Status: { Text } });

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
let voters: Voters;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
  voters = await joinVoters(desk, ['ada', 'ben', 'cem', 'dee', 'eve']);
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => await desk?.close());

async function waiting(set: string, approval: Body, body: Body = {}): Promise<string> {
  const Approval = { NrOfApproversRequired: 2, ...approval };
  const path = await desk.create(set, { Description: 'Laptop', Approval, ...body });
  const opens =
    set === 'Workorders' ? { Approval: status('Waiting') } : status('Awaiting approval');
  await desk.change(path, opens);
  return path;
}

const vote = (path: string, name: string, Approved: boolean, as?: string) =>
  voters.vote(path, name, { Approved }, as);

const outcomeOf = async (path: string) => {
  const { Status, Approval } = await desk.read(path);
  return [Status.Text, Approval.Status.Text];
};

async function linesOf(path: string): Promise<readonly string[]> {
  const { value } = await desk.read(
    `${path}/HistoryLines?$filter=Attribute eq 'Approval/Status'&$orderby=Uid`,
  );
  return value.map(({ NewValue }: { NewValue: string }) => NewValue);
}

describe('An approval with a deadline', () => {
  it.each(['ServiceRequests', 'Changes'])(
    'of %s expires when it passes, once, and can still be decided',
    async (set) => {
      desk.at('2026-06-01 08:00');
      const Workgroup = reference(await voters.groupOf('ada', 'ben', 'cem'));
      const path = await waiting(set, { Workgroup, Deadline: shown('2026-06-02 08:00') });
      stop = startDueActions(desk.service);
      desk.at('2026-06-02 07:59:59');
      const other = await waiting(set, { Workgroup, Deadline: shown('2026-06-02 07:59') });
      await expect
        .poll(async () => await outcomeOf(other))
        .toEqual(['Awaiting approval', 'Expired']);
      expect(await outcomeOf(path)).toEqual(['Awaiting approval', 'Waiting']);
      desk.at('2026-06-02 08:00');
      await expect
        .poll(async () => await outcomeOf(path))
        .toEqual(['Awaiting approval', 'Expired']);
      expect(await linesOf(path)).toEqual(['Waiting', 'Expired']);
      expect(await vote(path, 'ada', true)).toBe(204);
      expect(await vote(path, 'ben', true)).toBe(204);
      expect((await outcomeOf(path))[1]).toBe('Approved');
      expect(await linesOf(path)).toEqual(['Waiting', 'Expired', 'Approved']);
    },
  );

  it.each(['ServiceRequests', 'Changes'])(
    'is not started again if the status leaves it after it has expired: %s',
    async (set) => {
      desk.at('2026-06-02 10:00');
      const Workgroup = reference(await voters.groupOf('ada', 'ben'));
      const path = await waiting(set, { Workgroup, Deadline: shown('2026-06-02 09:00') });
      stop = startDueActions(desk.service);
      await expect.poll(async () => (await outcomeOf(path))[1]).toBe('Expired');
      await desk.change(path, status('Cancelled'));
      expect(await outcomeOf(path)).toEqual(['Cancelled', 'Not started']);
      expect(await linesOf(path)).toEqual(['Waiting', 'Expired', 'Not started']);
      expect(await vote(path, 'ada', true)).toBe(409);
    },
  );

  it.each(['ServiceRequests', 'Changes', 'Workorders'])(
    'waits again when it is put off, and expires again: %s',
    async (set) => {
      desk.at('2026-06-02 11:00');
      const Workgroup = reference(await voters.groupOf('ada', 'ben'));
      const path = await waiting(set, { Workgroup, Deadline: shown('2026-06-02 11:00') });
      stop = startDueActions(desk.service);
      const expires = async (lines: readonly string[]) =>
        await expect.poll(async () => await linesOf(path)).toEqual(lines);
      await expires(['Waiting', 'Expired']);
      const deadline = async (Deadline: string | null) =>
        await desk.change(path, { Approval: { Deadline } });
      await deadline(shown('2026-06-02 10:00'));
      expect((await outcomeOf(path))[1]).toBe('Expired');
      await deadline(shown('2026-06-02 12:00'));
      expect((await outcomeOf(path))[1]).toBe('Waiting');
      desk.at('2026-06-02 12:00');
      await expires(['Waiting', 'Expired', 'Waiting', 'Expired']);
      await deadline(null);
      await expires(['Waiting', 'Expired', 'Waiting', 'Expired', 'Waiting']);
      expect(await vote(path, 'ada', true)).toBe(204);
      expect(await vote(path, 'ben', true)).toBe(204);
      await deadline(shown('2026-06-03 12:00'));
      expect((await outcomeOf(path))[1]).toBe('Approved');
    },
  );

  it('does not expire after the decision, or without a deadline', async () => {
    desk.at('2026-06-03 08:00');
    const Workgroup = reference(await voters.groupOf('ada', 'ben'));
    const decided = await waiting('ServiceRequests', {
      Workgroup,
      Deadline: shown('2026-06-03 09:00'),
    });
    const open = await waiting('ServiceRequests', { Workgroup });
    expect(await vote(decided, 'ada', true)).toBe(204);
    expect(await vote(decided, 'ben', true)).toBe(204);
    const last = await waiting('ServiceRequests', {
      Workgroup,
      Deadline: shown('2026-06-03 10:00'),
    });
    desk.at('2026-06-04 08:00');
    stop = startDueActions(desk.service);
    await expect.poll(async () => await outcomeOf(last)).toEqual(['Awaiting approval', 'Expired']);
    expect(await outcomeOf(decided)).toEqual(['Registered', 'Approved']);
    expect(await outcomeOf(open)).toEqual(['Awaiting approval', 'Waiting']);
  });
});

it('a normal change has a round of three with a quorum of two, and a second one', async () => {
  desk.at('2026-06-08 08:00');
  const group = await voters.groupOf('ada', 'ben', 'cem', 'dee');
  await desk.change(voters.persons.get('dee') ?? '', { Blocked: true });
  await desk.change(voters.persons.get('ben') ?? '', {
    OutOfOfficeUntil: shown('2026-06-20 08:00'),
    Deputy: reference(voters.persons.get('eve') ?? ''),
  });
  const Deadline = shown('2026-06-09 08:00');
  const path = await waiting(
    'Changes',
    { Workgroup: reference(group), Deadline },
    { ChangeType: { Text: 'Normal' } },
  );
  expect((await desk.read(path)).Approval).toMatchObject({ NrOfApprovers: 3, Round: 1 });

  // The deadline passes without a decision.
  expect(await vote(path, 'ada', true)).toBe(204);
  stop = startDueActions(desk.service);
  desk.at('2026-06-09 08:00');
  await expect.poll(async () => await outcomeOf(path)).toEqual(['Awaiting approval', 'Expired']);

  // Two of three reject: the quorum is impossible before the last vote.
  expect(await vote(path, 'ada', false)).toBe(204);
  expect(await vote(path, 'ben', false, 'dee')).toBe(403);
  expect(await vote(path, 'ben', false, 'eve')).toBe(204);
  expect(await outcomeOf(path)).toEqual(['Rejected', 'Rejected']);
  expect(await vote(path, 'cem', true)).toBe(409);

  // The second round ignores the votes of the first.
  await desk.change(path, { ...status('Assessment'), Approval: { Deadline: null } });
  await desk.change(path, status('Awaiting approval'));
  expect((await desk.read(path)).Approval).toMatchObject({ Round: 2, NrOfApproversApproved: 0 });
  expect(await vote(path, 'cem', true)).toBe(204);
  expect(await outcomeOf(path)).toEqual(['Awaiting approval', 'Waiting']);
  expect(await vote(path, 'ada', true)).toBe(204);
  expect(await outcomeOf(path)).toEqual(['Approved', 'Approved']);
});
