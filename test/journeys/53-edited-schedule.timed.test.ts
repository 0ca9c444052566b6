// This file edits a schedule that many open requests use. Other requests are answered meanwhile, all deadlines are right afterwards, and
// those of requests that have ended are unchanged; a mark that is reached meanwhile does not wait for them. Times are UTC; the schedule is in
// Amsterdam.
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

/** More than are performed without a rest. */
const OPEN_REQUESTS = 1300;
/** Documented: less than twice as long. A busy machine may add its part. */
const MOST_TIMES_SLOWER = 10;

/** Milliseconds for all recalculations. */
const LONGEST = 200_000;

const POLL = { timeout: LONGEST };

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
beforeEach(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
  await desk?.close();
});

async function createOpenRequests(): Promise<void> {
  const body = { Description: 'Open', Impact: { Value: 111002 } };
  const headers = { prefer: 'return=minimal' };
  const requests = Array.from({ length: OPEN_REQUESTS / 10 }, (_, index) => {
    return { id: `${index}`, method: 'POST', url: 'ServiceRequests', headers, body };
  });
  for (let round = 0; round < 10; round += 1) {
    const { json } = await desk.send('POST', '/$batch', { body: { requests } });
    const created = json.responses.filter((one: { status: number }) => one.status === 204);
    expect(created).toHaveLength(requests.length);
  }
}

/** The time of a read in milliseconds: the median of many. */
async function medianOfReads(hasEnded: (reads: number) => Promise<boolean>): Promise<number> {
  const times: number[] = [];
  const limit = performance.now() + LONGEST;
  while (!(await hasEnded(times.length))) {
    if (performance.now() > limit) throw new Error('The deadlines have not moved.');
    // Reads in this process would leave no time for the background.
    await wait(5);
    for (let read = 0; read < 5; read += 1) {
      const began = performance.now();
      await desk.read('/ServiceRequests(1001)');
      times.push(performance.now() - began);
    }
  }
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
}

const countOf = async (condition: string) =>
  Number((await desk.get(`/ServiceRequests/$count?$filter=${encodeURIComponent(condition)}`)).text);

it('lets marks that are reached meanwhile pass, however many records are recalculated', async () => {
  await createOpenRequests();
  const urgent = await desk.create('ServiceRequests', {
    Description: 'Urgent',
    Impact: { Value: 111001 },
  });
  const { schedule } = desk.levels.get('Silver') ?? {};
  const Holidays = [{ Date: '2026-12-25', Name: 'Christmas' }];
  await desk.create(`Schedules(${schedule})/Calendars`, { Name: 'Winter', Holidays });
  const outdated = `Description eq 'Open' and Sla/OutdatedSince ne null`;
  expect(await countOf(outdated)).toBe(OPEN_REQUESTS);
  stop = startDueActions(desk.service);
  await expect.poll(() => countOf(outdated), POLL).toBeLessThan(OPEN_REQUESTS);

  desk.at('2026-06-01 07:30');
  const markOf = async () => (await desk.read(urgent)).Sla.Response.Mark;
  await expect.poll(markOf, POLL).toBe(100);
  expect(await countOf(outdated)).toBeGreaterThan(0);
  await expect.poll(() => countOf(outdated), POLL).toBe(0);
}, 300_000);

it('moves all deadlines of open requests, and no others, while requests are answered', async () => {
  await createOpenRequests();
  const ended = await desk.create('ServiceRequests', { Description: 'Ended' });
  await desk.change(ended, { Status: { Text: 'Resolved' } });
  const before = await desk.read(`${ended}?$select=Deadline,Sla`);
  const quiet = await medianOfReads(async (reads) => reads >= 50);

  const schedule = `Schedules(${desk.levels.get('Silver')?.schedule})`;
  const Holidays = [{ Date: '2026-06-01', Name: 'Closed' }];
  await desk.create(`${schedule}/Calendars`, { Name: 'Own', Holidays });
  stop = startDueActions(desk.service);
  const due = `Description eq 'Open' and Deadline eq ${shown('2026-06-02 16:00')}`;
  const busy = await medianOfReads(async () => (await countOf(due)) === OPEN_REQUESTS);

  expect(busy / quiet).toBeLessThan(MOST_TIMES_SLOWER);
  expect(await desk.read(`${ended}?$select=Deadline,Sla`)).toMatchObject({
    Deadline: before.Deadline,
    Sla: before.Sla,
  });
}, 300_000);
