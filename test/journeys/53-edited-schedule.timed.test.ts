// This file edits a schedule that many open requests use. Other requests are answered meanwhile, all deadlines are right afterwards, and
// those of requests that have ended are unchanged. Times are UTC; the schedule is in Amsterdam.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

/** More than are performed without a rest. */
const OPEN_REQUESTS = 1300;
/** Documented: less than twice as long. A busy machine may add its part. */
const MOST_TIMES_SLOWER = 10;

/** Milliseconds for all recalculations. */
const LONGEST = 200_000;

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
});
afterAll(async () => {
  await stop?.();
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
