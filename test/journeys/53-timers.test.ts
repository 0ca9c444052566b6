// This file lets time pass for requests that wait or are resolved: the service closes them after five working days, and continues work at the
// date until which they are on hold. The working days are case 37 of the calendar cases.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { fixedWorld } from '../world.ts';
import { openDesk } from './desk.ts';
import { MEMBER } from './records.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

const RESOLVED = { Status: { Text: 'Resolved' } };
const IN_PROGRESS = { Status: { Text: 'In progress' } };
const REOPENED = { ...IN_PROGRESS, 'HistoryLines@delta': [{ Information: 'Broken again' }] };

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openLevelDesk('2026-03-27 15:00');
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

const statusOf = async (path: string) => (await desk.read(path)).Status.Text;

/** Who has set the statuses, and which. */
async function statusLines(path: string): Promise<readonly (readonly [string, string])[]> {
  const { value } = await desk.read(
    `${path}/HistoryLines?$filter=Attribute eq 'Status'&$orderby=Uid&$expand=CreatedBy($select=LoginName)`,
  );
  return value.map((line: { NewValue: string; CreatedBy: { LoginName: string } | null }) => [
    line.NewValue,
    line.CreatedBy?.LoginName ?? 'docket schedule',
  ]);
}

describe('A resolved request', () => {
  it('is closed by the service after five working days of its schedule, and no earlier', async () => {
    desk.at('2026-03-27 15:30');
    const path = await request();
    expect((await desk.change(path, RESOLVED)).AutoCloseAt).toBe(shown('2026-04-03 14:30'));
    start();
    const other = await request(RESOLVED);
    desk.at('2026-04-03 14:29:59');
    const early = await request({ ...IN_PROGRESS, OnHoldUntil: shown('2026-04-03 14:00') });
    await desk.change(early, { Status: { Text: 'Waiting for caller' } });
    await expect.poll(() => statusOf(early)).toBe('In progress');
    expect(await statusOf(path)).toBe('Resolved');
    desk.at('2026-04-03 14:30');
    await expect.poll(() => statusOf(path)).toBe('Closed');
    await expect.poll(() => statusOf(other)).toBe('Closed');
    expect(await desk.read(path)).toMatchObject({
      AutoCloseAt: null,
      ClosedAt: shown('2026-04-03 14:30'),
      Registration: { ModifiedBy: 'docket schedule' },
    });
    expect((await statusLines(path)).map(([status]) => status)).toEqual(['Resolved', 'Closed']);
  });

  // zammad/zammad#3329: timers acted on stale data. freescout-help-desk/freescout#3295: a second closing fired nothing.
  it('is not closed if it is reopened, and again five working days after it is resolved again', async () => {
    desk.at('2026-06-01 07:00');
    const path = await request(RESOLVED);
    expect((await desk.read(path)).AutoCloseAt).toBe(shown('2026-06-08 07:00'));
    desk.at('2026-06-03 07:00');
    expect((await desk.change(path, REOPENED)).AutoCloseAt).toBeNull();
    start();
    desk.at('2026-06-09 07:00');
    const closing = await request({});
    await desk.change(closing, RESOLVED);
    expect((await desk.change(path, RESOLVED)).AutoCloseAt).toBe(shown('2026-06-16 07:00'));
    // A change of something else does not move it.
    desk.at('2026-06-10 07:00');
    expect((await desk.change(path, { Impact: { Value: 111001 } })).AutoCloseAt).toBe(
      shown('2026-06-16 07:00'),
    );
    desk.at('2026-06-16 07:00');
    await expect.poll(() => statusOf(path)).toBe('Closed');
  });

  it('leaves holidays out', async () => {
    desk.at('2026-07-03 08:00');
    const { schedule } = desk.levels.get('Silver') ?? { schedule: 0 };
    await desk.change(`/Schedules(${schedule})`, {
      Calendars: [{ Name: 'Feast', Holidays: [{ Date: '2026-07-06' }, { Date: '2026-07-07' }] }],
    });
    const path = await request(RESOLVED);
    expect((await desk.read(path)).AutoCloseAt).toBe(shown('2026-07-14 08:00'));
  });

  it('is not closed before its work orders are finished', async () => {
    desk.at('2026-11-02 08:00');
    const path = await request(RESOLVED);
    const order = await desk.create('Workorders', {
      Description: 'Send an invoice',
      ServiceRequest: { '@odata.id': path.slice(1) },
    });
    const other = await request(RESOLVED);
    start();
    desk.at('2026-11-09 08:00');
    await expect.poll(() => statusOf(other)).toBe('Closed');
    expect(await statusOf(path)).toBe('Resolved');
    await desk.change(order, { Status: { Text: 'Completed' } });
    await expect.poll(() => statusOf(path)).toBe('Closed');
  });

  it('cannot be given another time', async () => {
    const path = await request(RESOLVED);
    const before = (await desk.read(path)).AutoCloseAt;
    const body = { AutoCloseAt: '2030-01-01T00:00:00Z' };
    const answer = await desk.send('PATCH', path, { body });
    expect([answer.status, (await desk.read(path)).AutoCloseAt]).toEqual([204, before]);
  });
});

describe('A request on hold', () => {
  it('is in progress again at the date, without the reason of the wait', async () => {
    desk.at('2026-09-01 07:00');
    const path = await request({
      ...IN_PROGRESS,
      Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } },
    });
    await desk.change(path, {
      Status: { Text: 'Waiting for supplier' },
      OnHoldReason: { Text: 'Supplier' },
      OnHoldUntil: shown('2026-09-02 07:00'),
    });
    start();
    desk.at('2026-09-02 06:59:59');
    const due = await request({ ...RESOLVED });
    expect(await statusOf(due)).toBe('Resolved');
    expect(await statusOf(path)).toBe('Waiting for supplier');
    desk.at('2026-09-02 07:00');
    await expect.poll(() => statusOf(path)).toBe('In progress');
    expect(await desk.read(path)).toMatchObject({ OnHoldReason: null, OnHoldUntil: null });
  });

  it('waits as long as it has no date', async () => {
    const path = await request(IN_PROGRESS);
    await desk.change(path, { Status: { Text: 'Waiting for caller' } });
    const other = await request({ ...IN_PROGRESS, OnHoldUntil: shown('2026-01-01 00:00') });
    await desk.change(other, { Status: { Text: 'Waiting for caller' } });
    start();
    await expect.poll(() => statusOf(other)).toBe('In progress');
    expect(await statusOf(path)).toBe('Waiting for caller');
  });
});

describe('Without service levels', () => {
  it('every day is a working day', async () => {
    const bare = await openDesk({ world: fixedWorld(5, Date.parse('2026-06-05T07:00:00Z')) });
    const body = { Description: 'Printer', ...RESOLVED };
    const { json } = await bare.send('POST', '/ServiceRequests', { body });
    expect(json.AutoCloseAt).toBe('2026-06-10T07:00:00.000Z');
    const path = `/ServiceRequests(${json.Uid})`;
    await bare.send('PATCH', path, { body: REOPENED });
    expect((await bare.get(path)).json.AutoCloseAt).toBeNull();
    await bare.close();
  });
});
