// This file calculates with the working time of stored schedules over HTTP: windows, holidays, time zones and their changes, the rights of
// the caller, and what a schedule without working time answers. It also serves a foreign model with other names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { modelOf } from './schedule-models.ts';

const WEEK = [1, 2, 3, 4, 5, 6, 7];

interface ScheduleBody {
  readonly TimeZone?: string | null;
  readonly Windows?: readonly object[];
  readonly Calendars?: readonly object[];
}

const daily = (weekdays: readonly number[], From: string | null, To: string | null) =>
  weekdays.map((Weekday) => ({ Weekday, From, To }));

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

/** The address of a new schedule. */
async function schedule(body: ScheduleBody, client: Pick<Desk, 'send'> = desk): Promise<string> {
  const { status, json, text } = await client.send('POST', '/Schedules', {
    body: { Name: 'Office hours', TimeZone: 'Europe/Amsterdam', ...body },
  });
  expect(status, text).toBe(201);
  return `/Schedules(${json.Uid})`;
}

const silver = (body: ScheduleBody = {}) =>
  schedule({ Windows: daily([1, 2, 3, 4, 5], '08:00:00', '18:00:00'), ...body });

async function shownBy(path: string): Promise<unknown> {
  const { status, json, text } = await desk.get(path);
  expect(status, text).toBe(200);
  return json.value;
}

describe('Working time of a schedule', () => {
  it('passes in its windows, in its zone, over a change of the clocks', async () => {
    const path = await silver();
    const due = `${path}/AddWorkingTime(Start=2026-03-27T15:30:00Z,Duration=duration'PT10H')`;
    expect(await shownBy(due)).toBe('2026-03-30T14:30:00.000Z');
    const between = `${path}/WorkingTime(From=2026-03-27T15:30:00Z,To=2026-03-30T14:30:00Z)`;
    expect(await shownBy(between)).toBe('PT10H');
    const back = `${path}/WorkingTime(From=2026-03-30T14:30:00Z,To=2026-03-27T15:30:00Z)`;
    expect(await shownBy(back)).toBe('-PT10H');
  });

  it('counts every minute of a schedule without closing hours (zammad/zammad#3180)', async () => {
    const path = await schedule({ Windows: daily(WEEK, null, null) });
    const week = `${path}/WorkingTime(From=2026-06-01T00:00:00Z,To=2026-06-08T00:00:00Z)`;
    expect(await shownBy(week)).toBe('P7D');
  });

  it('ends with a window that lasts until midnight (zammad/zammad#2497)', async () => {
    const path = await schedule({ Windows: daily([1], '09:00:00', '00:00:00') });
    const due = `${path}/AddWorkingTime(Start=2026-06-01T07:00:00Z,Duration=duration'PT15H')`;
    expect(await shownBy(due)).toBe('2026-06-01T22:00:00.000Z');
  });

  it('does not pass on holidays of any of its calendars, but in the hours that they open', async () => {
    const Holidays = [
      { Date: '2026-04-06', Name: 'Easter Monday' },
      { Date: '2026-04-04', Name: 'Inventory', From: '10:00:00', To: '12:00:00', Open: true },
    ];
    const calendar = { Name: 'Public', Holidays: Holidays.slice(0, 1) };
    const other = { Name: 'Own', Holidays: Holidays.slice(1) };
    const path = await silver({ Calendars: [calendar, other] });
    const due = `${path}/AddWorkingTime(Start=2026-04-04T08:00:00Z,Duration=duration'PT8H')`;
    expect(await shownBy(due)).toBe('2026-04-07T12:00:00.000Z');
  });

  it('follows changes of the schedule', async () => {
    const path = await silver();
    const opening = `${path}/NextOpening(At=2026-06-06T10:00:00Z)`;
    expect(await shownBy(opening)).toBe('2026-06-08T06:00:00.000Z');
    await desk.send('PATCH', path, { body: { TimeZone: 'America/New_York' } });
    expect(await shownBy(opening)).toBe('2026-06-08T12:00:00.000Z');
    const body = { Weekday: 7, From: '09:00:00', To: null };
    expect((await desk.send('POST', `${path}/Windows`, { body })).status).toBe(201);
    expect(await shownBy(opening)).toBe('2026-06-07T13:00:00.000Z');
  });

  it('adds working days at the same local time', async () => {
    const Holidays = [{ Date: '2026-04-03' }, { Date: '2026-04-06' }];
    const path = await silver({ Calendars: [{ Name: 'Easter', Holidays }] });
    const due = `${path}/AddWorkingDays(Start=2026-03-27T15:30:00Z,Days=5)`;
    expect(await shownBy(due)).toBe('2026-04-07T14:30:00.000Z');
  });

  it('is a value like any other: in a batch, with parameter aliases, with the names of its type', async () => {
    const path = await silver();
    const alias = `${path}/NextOpening(At=@at)?@at=2026-06-06T10:00:00Z`;
    const { json } = await desk.get(alias, { accept: 'application/json;odata.metadata=full' });
    expect(json['@odata.context']).toMatch(/\$metadata#Edm\.DateTimeOffset$/);
    const requests = [{ id: '1', method: 'GET', url: alias.slice(1) }];
    const batch = await desk.send('POST', '/$batch', { body: { requests } });
    expect(batch.json.responses[0].body.value).toBe('2026-06-08T06:00:00.000Z');
  });
});

describe('Requests that cannot be answered', () => {
  it.each([
    ['no windows (zammad/zammad#1396)', {}, /: Windows has no entries\.$/],
    ['no time zone', { TimeZone: null, Windows: daily([1], null, null) }, /TimeZone is not set/],
  ])('a schedule with %s is a conflict', async (_, body, message) => {
    const path = await schedule(body);
    const { status, json } = await desk.get(`${path}/NextOpening(At=2026-06-06T10:00:00Z)`);
    expect([status, json.error.code]).toEqual([409, 'schedule.unusable']);
    expect(json.error.message).toMatch(message);
  });

  it('a schedule that never opens is a conflict', async () => {
    const Holidays = [{ Date: '2026-06-01', Open: true }];
    const path = await schedule({ Calendars: [{ Name: 'Once', Holidays }] });
    const { status, json } = await desk.get(`${path}/NextOpening(At=2026-06-06T10:00:00Z)`);
    expect([status, json.error.code]).toEqual([409, 'schedule.no-time']);
  });

  it('a result after the year 9999 is a conflict', async () => {
    const path = await schedule({ Windows: daily([1, 2, 3, 4, 5, 6, 7], null, null) });
    const call = "AddWorkingTime(Start=9999-12-31T20:00:00Z,Duration=duration'PT10H')";
    const { status, json } = await desk.get(`${path}/${call}`);
    expect([status, json.error.code]).toEqual([409, 'schedule.no-time']);
  });

  it.each([
    ['WorkingTime(From=2001-01-01T00:00:00Z,To=2026-01-01T00:00:00Z)', /To must be at most 10/],
    ["AddWorkingTime(Start=2026-01-01T00:00:00Z,Duration=duration'-PT1H')", /Duration must be a/],
    ['AddWorkingDays(Start=2026-01-01T00:00:00Z,Days=-1)', /Days must be a number of days/],
    ['AddWorkingDays(Start=2026-01-01T00:00:00Z,Days=4000)', /Days must be a number of days/],
    ['NextOpening(At=now())', /Expected a literal/],
    [
      'NextOpening(At=null)',
      /cannot be called with \(null\).*a literal Edm\.DateTimeOffset for At/,
    ],
    ["NextOpening(At=@at)?@at=2026-01-01T00:00:00Z add duration'P1D'", /\(an expression\)/],
    ['NextOpening()', /At=/],
    ["NextOpening(At='soon')", /Edm\.DateTimeOffset/],
  ])('%s is rejected', async (call, message) => {
    const { status, json } = await desk.get(`${await silver()}/${call}`);
    expect(status).toBe(400);
    expect(json.error.message).toMatch(message);
  });

  it('a schedule that does not exist is not found; a collection has no such function', async () => {
    const call = 'NextOpening(At=2026-06-06T10:00:00Z)';
    expect((await desk.get(`/Schedules(999999)/${call}`)).status).toBe(404);
    expect((await desk.get(`/Schedules/${call}`)).status).toBe(404);
    expect((await desk.send('POST', `${await silver()}/${call}`, { body: {} })).status).toBe(405);
  });

  it('an account without the right to read schedules gets none of their results', async () => {
    const reader = await desk.join({ loginName: 'reader', roles: ['requester'] });
    const path = await silver();
    const { status } = await reader.get(`${path}/NextOpening(At=2026-06-06T10:00:00Z)`);
    expect(status).toBe((await reader.get(path)).status);
    expect(status).toBeGreaterThanOrEqual(403);
  });
});

describe('A foreign model', () => {
  it('has schedules and calculations under its own names', async () => {
    const hours = { Day: 1, Starts: '10:00:00', Ends: '12:00:00' };
    const document = { Shops: [{ Id: 1, Zone: 'Asia/Kolkata', Hours: [hours] }] };
    const shops = await openForeignDesk(modelOf({}), document);
    const { status, json, text } = await shops.get('/Shops(1)/Opens(When=2026-06-02T00:00:00Z)');
    await shops.close();
    expect(status, text).toBe(200);
    expect(json.value).toBe('2026-06-08T04:30:00Z');
  });

  it('may have windows on no day: such a schedule is a conflict', async () => {
    const Hours = [{ Day: 8, Starts: '10:00:00', Ends: '12:00:00' }];
    const document = { Shops: [{ Id: 1, Zone: 'Asia/Kolkata', Hours }] };
    const shops = await openForeignDesk(modelOf({}), document);
    const { status, json } = await shops.get('/Shops(1)/Opens(When=2026-06-02T00:00:00Z)');
    await shops.close();
    expect([status, json.error.code]).toEqual([409, 'schedule.unusable']);
    expect(json.error.message).toMatch(/Hours has no Day from 1/);
  });

  it.each([
    [
      { Windows: { Rows: 'Zone', Weekday: 'Day', From: 'Starts', To: 'Ends' } },
      /Zone is not a pat/,
    ],
    [
      { Windows: { Rows: 'Hours', Weekday: 'Dya', From: 'Starts', To: 'Ends' } },
      /Did you mean "Day/,
    ],
    [{ Windows: { Rows: 'Hours', Weekday: 'Starts', From: 'Day', To: 'Ends' } }, /not of type Edm/],
    [{ TimeZone: 'Id' }, /Id is not of type Edm\.String/],
  ])('with mistakes in its schedule is rejected: %j', (schedule, message) => {
    const mistakes = lintModel(modelOf({ schedule }));
    const texts = mistakes.map(({ message: text, remedy }) => `${text} ${remedy}`);
    expect(texts.join('\n')).toMatch(message);
  });

  it.each([
    [{ '@Docket.Calculates': 'working-time' }, /does not have the parameters/],
    [{ $ReturnType: { $Type: 'Edm.String' } }, /does not have the parameters and the result/],
    [{ '@Docket.Expression': '$it/Id' }, /has an expression, too/],
    [{ $IsBound: false }, /not a function of a schedule/],
  ])('with mistakes in its calculation is rejected: %j', (operation, message) => {
    const texts = lintModel(modelOf({ operation })).map(({ message: text }) => text);
    expect(texts.join('\n')).toMatch(message);
  });

  it('with an unknown calculation or member cannot be read', () => {
    expect(() => modelOf({ operation: { '@Docket.Calculates': 'opening' } })).toThrow(/Use one of/);
    expect(() => modelOf({ schedule: { Zone: 'Zone' } })).toThrow(/Zone is not allowed here/);
  });
});
