// This file lets time pass for service levels: marks and breaches are recorded when they are reached, and open requests follow changes of
// agreements, levels and schedules, while those that have ended stay as they are.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 07:00');
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => await desk?.close());

const start = () => {
  stop = startDueActions(desk.service);
};

async function requestAt(time: string, body: Body = {}): Promise<string> {
  desk.at(time);
  const Impact = { Value: 111001 };
  return await desk.create('ServiceRequests', { Description: 'Printer', Impact, ...body });
}

interface Line {
  readonly Attribute: string;
  readonly NewValue: string;
}

const uidIn = (address: string) => Number(/\((\d+)\)/.exec(address)?.[1]);

/** The marks in the history, oldest first. */
async function marksOf(path: string, clock = 'Resolution'): Promise<readonly string[]> {
  const query = '$select=Attribute,NewValue&$orderby=Uid';
  const { value } = await desk.read(`${path}/HistoryLines?${query}`);
  const lines: readonly Line[] = value;
  return lines
    .filter(({ Attribute }) => Attribute === `Sla/${clock}/Mark`)
    .map(({ NewValue }) => NewValue);
}

describe('A mark', () => {
  // glpi-project/glpi#22678 and #15357: a mark before the deadline was at midnight.
  it('is recorded when it is reached: 50, 75 and 100 percent of the working time', async () => {
    const path = await requestAt('2026-03-27 15:30', { Priority: { Value: 110002 } });
    expect((await desk.read(path)).Sla.NextMark).toBe(shown('2026-03-27 16:00'));
    start();
    desk.at('2026-03-30 09:29:59');
    await expect.poll(async () => await marksOf(path, 'Response')).toEqual(['100']);
    expect(await marksOf(path)).toEqual([]);
    desk.at('2026-03-30 09:30');
    await expect.poll(async () => await marksOf(path)).toEqual(['50']);
    desk.at('2026-03-30 12:00');
    await expect.poll(async () => await marksOf(path)).toEqual(['50', '75']);
    expect((await desk.read(path)).Sla.State.Text).toBe('Running');
    desk.at('2026-03-30 14:30');
    await expect.poll(async () => await marksOf(path)).toEqual(['50', '75', '100']);
    expect((await desk.read(path)).Sla).toMatchObject({
      State: { Text: 'Breached' },
      Resolution: { State: { Text: 'Running' }, Outcome: { Text: 'Breached' } },
      NextMark: null,
    });
  });

  it('is the highest one if several have passed, in one line, written by the service', async () => {
    const path = await requestAt('2026-06-01 07:00');
    desk.at('2026-06-10 07:00');
    start();
    await expect.poll(async () => await marksOf(path)).toEqual(['100']);
    const { Registration } = await desk.read(path);
    expect(Registration.ModifiedBy).toBe('docket schedule');
  });

  it('is not reached while the clock pauses, nor after it has ended', async () => {
    const waiting = await requestAt('2026-06-01 07:00', { Status: { Value: 101004 } });
    const done = await requestAt('2026-06-01 07:00');
    await desk.change(done, { Status: { Value: 101010 } });
    const other = await requestAt('2026-06-01 07:00');
    desk.at('2026-06-10 07:00');
    start();
    await expect.poll(async () => await marksOf(other)).toEqual(['100']);
    expect([await marksOf(waiting), await marksOf(done)]).toEqual([[], []]);
  });

  it('is not reached by a request that was merged with another one (zammad/zammad#904)', async () => {
    const original = await requestAt('2026-06-01 07:00');
    const merged = await requestAt('2026-06-01 07:00');
    const Type = { Text: 'Duplicates' };
    const body = { Type, 'Target@odata.bind': `ServiceRequests(${uidIn(original)})` };
    const related = await desk.send('POST', `${merged}/Relations`, { body });
    expect(related.status, related.text).toBe(201);
    await desk.change(merged, { Status: { Text: 'Cancelled' } });
    desk.at('2026-06-10 07:00');
    start();
    await expect.poll(async () => await marksOf(original)).toEqual(['100']);
    expect(await marksOf(merged)).toEqual([]);
    expect((await desk.read(merged)).Sla).toMatchObject({
      Resolution: { State: { Text: 'Stopped' }, Outcome: { Text: 'Cancelled' } },
      NextMark: null,
    });
  });

  // zammad/zammad#4432 and #2157: notices at midnight and at weekends.
  it('is never reached outside of working time', async () => {
    for (const time of ['2026-06-05 14:59', '2026-06-05 21:00', '2026-06-06 10:00']) {
      for (const priority of [1, 2, 3, 4, 5]) {
        const path = await requestAt(time, { Priority: { Value: 110000 + priority } });
        const { Clocks } = await desk.read(`${path}/Explain()`);
        const marks = Clocks.flatMap(({ Marks }: { Marks: { At: string }[] }) => Marks);
        expect(marks.length).toBeGreaterThan(3);
        for (const { At } of marks) {
          const [day, hour] = [new Date(At).getUTCDay(), At.slice(11, 19)];
          expect(day, At).toBeGreaterThan(0);
          expect(day, At).toBeLessThan(6);
          expect(hour >= '06:00:00' && hour <= '16:00:00', At).toBe(true);
        }
      }
    }
  });

  it('of a deadline that was set by hand is a part of the working time until then', async () => {
    const path = await requestAt('2026-06-01 07:00', {
      Status: { Value: 101003 },
      Deadline: '2026-06-02T07:00:00Z',
    });
    expect((await desk.read(path)).Sla.NextMark).toBe(shown('2026-06-01 12:00'));
  });
});

describe('Open requests', () => {
  const deadlineOf = async (path: string) => (await desk.read(path)).Deadline;

  it('follow a new holiday (zammad/zammad#534); those that have ended do not', async () => {
    const open = await requestAt('2026-07-03 14:00');
    const ended = await requestAt('2026-07-03 14:00');
    await desk.change(ended, { Status: { Value: 101008 } });
    const before = await desk.read(ended);
    start();
    expect(await deadlineOf(open)).toBe(shown('2026-07-06 12:00'));
    const schedule = `Schedules(${desk.levels.get('Silver')?.schedule})`;
    const Holidays = [{ Date: '2026-07-06', Name: 'Outing' }];
    await desk.create(`${schedule}/Calendars`, { Name: 'Own', Holidays });
    await expect.poll(async () => await deadlineOf(open)).toBe(shown('2026-07-07 12:00'));
    const after = await desk.read(ended);
    expect([after.Deadline, after.Sla]).toEqual([before.Deadline, before.Sla]);
  });

  it('follow a changed target, window and time zone', async () => {
    const path = await requestAt('2026-08-03 07:00');
    const { level, schedule } = desk.levels.get('Silver') ?? { level: 0, schedule: 0 };
    start();
    expect(await deadlineOf(path)).toBe(shown('2026-08-03 15:00'));
    const settings = `/ServiceLevels(${level})/PriorityImpactSettings`;
    const { value } = await desk.read(`${settings}?$filter=Priority/Value eq 110001`);
    const setting = `${settings}(${value[0].Uid})`;
    await desk.change(setting, { ResolveDuration: 'PT4H' });
    await expect.poll(async () => await deadlineOf(path)).toBe(shown('2026-08-03 11:00'));
    expect((await causesOf(path))[0]).toBe('Service level: Silver (admin)');
    await desk.change(`/Schedules(${schedule})`, { TimeZone: 'UTC' });
    await expect.poll(async () => await deadlineOf(path)).toBe(shown('2026-08-03 12:00'));
    const monday = `/Schedules(${schedule})/Windows?$filter=Weekday eq 1`;
    const windows = await desk.read(monday);
    const window = `/Schedules(${schedule})/Windows(${windows.value[0].Uid})`;
    desk.at('2026-08-03 07:01');
    await desk.change(window, { From: '10:00:00' });
    await expect.poll(async () => await deadlineOf(path)).toBe(shown('2026-08-03 14:00'));
    expect((await causesOf(path))[0]).toBe('Schedule: Silver (admin)');
    await desk.change(window, { From: '08:00:00' });
    await desk.change(`/Schedules(${schedule})`, { TimeZone: 'Europe/Amsterdam' });
    await desk.change(setting, { ResolveDuration: 'PT8H' });
    await expect.poll(async () => await deadlineOf(path)).toBe(shown('2026-08-03 15:00'));
  });

  /** A request with an agreement of its own. */
  async function agreedRequest(time: string) {
    const service = await desk.create('Services', { Name: 'Mail' });
    const agreement = await desk.create('ServiceLevelAgreements', {
      Name: 'Gold for mail',
      Status: { Value: 219002 },
      'ServiceLevel@odata.bind': `ServiceLevels(${desk.levels.get('Gold')?.level})`,
      'Service@odata.bind': service.slice(1),
    });
    const bind = { 'Service@odata.bind': service.slice(1) };
    return { agreement, path: await requestAt(time, bind) };
  }

  it('get the default level when their agreement ends (zammad/zammad#4353)', async () => {
    const { agreement, path } = await agreedRequest('2026-08-03 07:00');
    start();
    expect(await deadlineOf(path)).toBe(shown('2026-08-03 11:00'));
    await desk.change(agreement, { Status: { Value: 219004 } });
    await expect.poll(async () => await deadlineOf(path)).toBe(shown('2026-08-03 15:00'));
    expect((await desk.get(`${path}/ServiceLevelAgreement`)).status).toBe(204);
  });

  /** The causes in the lines about the deadline, newest first. */
  async function causesOf(path: string): Promise<readonly (string | null)[]> {
    const filter = encodeURIComponent("Attribute eq 'Deadline'");
    const { value } = await desk.read(`${path}/HistoryLines?$filter=${filter}&$orderby=Uid desc`);
    return value.map(({ Cause }: { Cause: string | null }) => Cause);
  }

  it('have lines with what was changed, and by whom, in their history', async () => {
    const path = await requestAt('2026-11-09 08:00');
    desk.at('2026-11-09 08:01');
    const { schedule } = desk.levels.get('Silver') ?? { schedule: 0 };
    const Holidays = [{ Date: '2026-11-09', Name: 'Outing' }];
    const calendar = await desk.create('Calendars', { Name: 'Regional', Holidays });
    await desk.change(`/Schedules(${schedule})`, { 'Calendars@delta': [{ Uid: uidIn(calendar) }] });
    desk.at('2026-11-09 08:02');
    start();
    await expect
      .poll(() => causesOf(path))
      .toEqual(['Calendar: Regional (admin); Schedule: Silver (admin)']);

    desk.at('2026-11-09 08:03');
    const [holiday] = (await desk.read(`${calendar}/Holidays`)).value;
    const deleted = await desk.send('DELETE', `${calendar}/Holidays(${holiday.Uid})`);
    expect(deleted.status).toBe(204);
    await expect.poll(async () => (await causesOf(path))[0]).toBe('Calendar: Regional (admin)');

    await desk.change(path, { Deadline: '2026-12-01T00:00:00Z' });
    expect((await causesOf(path))[0]).toBeNull();
  });

  it('have the first three of many changes in it', async () => {
    const path = await requestAt('2026-11-16 08:00');
    desk.at('2026-11-16 08:01');
    const { level } = desk.levels.get('Silver') ?? { level: 0 };
    const settings = `/ServiceLevels(${level})/PriorityImpactSettings`;
    const { value } = await desk.read(`${settings}?$filter=Priority/Value eq 110001`);
    await desk.change(`${settings}(${value[0].Uid})`, { ResolveDuration: 'PT4H' });
    for (const Name of ['One', 'Two', 'Three']) await desk.create('Calendars', { Name });
    await desk.change(path, { Status: { Value: 101003 } });
    await desk.change(`${settings}(${value[0].Uid})`, { ResolveDuration: 'PT8H' });
    expect(await causesOf(path)).toEqual([
      'Service level: Silver (admin); Calendar: One (admin); Calendar: Two (admin); …',
    ]);
  });

  it('follow the new rules from their next change on if it comes first', async () => {
    const path = await requestAt('2026-10-05 07:00');
    expect((await desk.read(path)).Sla.OutdatedSince).toBeNull();
    const schedule = `Schedules(${desk.levels.get('Silver')?.schedule})`;
    const Holidays = [{ Date: '2026-10-05', Name: 'Outing' }];
    desk.at('2026-10-05 07:10');
    await desk.create(`${schedule}/Calendars`, { Name: 'Autumn', Holidays });
    desk.at('2026-10-05 07:20');
    await desk.create(`${schedule}/Calendars`, { Name: 'Later', Holidays: [] });
    expect(await desk.read(path)).toMatchObject({
      Deadline: shown('2026-10-05 15:00'),
      Sla: { OutdatedSince: shown('2026-10-05 07:10'), NextMark: shown('2026-10-05 07:15') },
    });
    await desk.change(path, { Status: { Value: 101003 } });
    expect(await desk.read(path)).toMatchObject({
      Deadline: shown('2026-10-06 14:00'),
      Sla: { OutdatedSince: null },
    });
  });

  it('lose an agreement that has ended with their next change if it comes first', async () => {
    const { agreement, path } = await agreedRequest('2026-11-02 08:00');
    expect(await deadlineOf(path)).toBe(shown('2026-11-02 12:00'));
    await desk.change(agreement, { Status: { Value: 219004 } });
    await desk.change(path, { Status: { Value: 101003 } });
    expect(await deadlineOf(path)).toBe(shown('2026-11-02 16:00'));
  });

  it('are recalculated on request, by the action', async () => {
    const path = await requestAt('2026-09-01 07:00');
    desk.at('2026-09-01 11:30');
    const action = `${path}/Service.Web.OData.Model.Recalculate`;
    expect((await desk.send('POST', action, { body: {} })).status).toBe(204);
    expect((await desk.read(path)).Sla.Resolution.Mark).toBe(50);
    expect(await marksOf(path)).toEqual(['50']);
  });
});
