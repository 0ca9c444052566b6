// This file checks the rules for values in the built-in model.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const NO_ADDRESS = 'expected an e-mail address such as name@example.com (Validation.Pattern).';
const NO_ZONE =
  'expected a name of the IANA time zone database, such as Europe/Amsterdam (Docket.TimeZone).';

describe('The service rejects', () => {
  it.each([
    [
      'ServiceRequests',
      { Description: ' ' },
      'expected text that is not blank (Validation.Pattern).',
    ],
    ['Persons', { LastName: '\t' }, 'expected text that is not blank (Validation.Pattern).'],
    ['Persons', { LastName: 'Lee', Email: 'lee' }, NO_ADDRESS],
    ['Persons', { LastName: 'Lee', Email: 'lee@home@example.com' }, NO_ADDRESS],
    ['Persons', { LastName: 'Lee', Email: 'lee@example..com' }, NO_ADDRESS],
    ['Organizations', { Name1: 'Lee', Email: 'lee@' }, NO_ADDRESS],
    ['Locations', { Name: 'Home', TimeZone: 'Mars/Olympus' }, NO_ZONE],
    ['Locations', { Name: 'Home', TimeZone: '+01:00' }, NO_ZONE],
    [
      'MaintenanceContracts',
      { Name: 'Lifts', Price: { Amount: -0.01, Currency: 'EUR' } },
      'expected a value of at least 0 (Validation.Minimum).',
    ],
  ])('in %s: %j', async (set, body, message) => {
    const { status, json } = await desk.send('POST', `/${set}`, { body });
    const details = (json.error?.details ?? []) as readonly { message: string }[];
    expect([status, details.some((one) => one.message.includes(message))]).toEqual([400, true]);
  });
});

describe('The service accepts', () => {
  it.each([
    ['Persons', { LastName: 'Lee', Email: "anna.o'lee+desk@mail.example.com", TimeZone: 'UTC' }],
    [
      'Persons',
      { LastName: 'Lee', Email: 'root@localhost', TimeZone: 'America/Argentina/Ushuaia' },
    ],
    ['Persons', { LastName: 'Lee', Email: 'info@müller.example', TimeZone: 'Europe/Kyiv' }],
    ['MaintenanceContracts', { Name: 'Free', Price: { Amount: 0, Currency: 'EUR' } }],
  ])('in %s: %j', async (set, body) => {
    expect((await desk.send('POST', `/${set}`, { body })).status).toBe(201);
  });
});

describe('Windows and parts of days contain time', () => {
  const EMPTY_WINDOW = 'The window must not end at the time at which it begins.';
  const EMPTY_PART = 'The part of the day must end after it begins.';
  const window = (From: string | null, To: string | null) => ({ Weekday: 1, From, To });
  const holiday = (From: string | null, To: string | null) => ({ Date: '2026-12-24', From, To });
  const paths = { Windows: '', Holidays: '' };

  beforeAll(async () => {
    const schedule = await desk.send('POST', '/Schedules', { body: { Name: 'Nights' } });
    const calendar = await desk.send('POST', '/Calendars', { body: { Name: 'Days off' } });
    paths.Windows = `/Schedules(${schedule.json.Uid})/Windows`;
    paths.Holidays = `/Calendars(${calendar.json.Uid})/Holidays`;
  });

  it.each([
    ['Windows', window('09:00:00', '09:00:00'), EMPTY_WINDOW],
    ['Holidays', holiday('12:00:00', '12:00:00'), EMPTY_PART],
    ['Holidays', holiday('12:00:00', '11:00:00'), EMPTY_PART],
    ['Windows', { ...window('09:00:00', '17:00:00'), Weekday: null }, 'A window needs a Weekday'],
    ['Windows', { From: '09:00:00' }, 'A window needs a Weekday'],
    ['Holidays', { Name: 'Some day' }, 'A holiday needs a Date.'],
  ] as const)('rejected in %s: %j', async (name, body, message) => {
    const { status, json } = await desk.send('POST', paths[name], { body });
    expect([status, json.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each([
    ['Windows', window('22:00:00', '06:00:00')],
    ['Windows', window('22:00:00', null)],
    ['Windows', window('00:00:00', '00:00:00')],
    ['Windows', window(null, '06:00:00')],
    ['Windows', window(null, null)],
    ['Holidays', holiday(null, null)],
    ['Holidays', holiday('12:00:00', null)],
    ['Holidays', holiday('12:00:00', '00:00:00')],
    ['Holidays', holiday(null, '12:00:00')],
    ['Holidays', { ...holiday('10:00:00', '14:00:00'), Open: true }],
  ] as const)('accepted in %s: %j', async (name, body) => {
    const { status, json } = await desk.send('POST', paths[name], { body });
    expect([status, json]).toEqual([201, expect.objectContaining(body)]);
  });

  it('also when a window is changed, and in the language of the request', async () => {
    const body = window('09:00:00', '17:00:00');
    const { json } = await desk.send('POST', paths.Windows, { body });
    const changed = await desk.send('PATCH', `${paths.Windows}(${json.Uid})`, {
      body: { To: '09:00:00' },
      headers: { 'accept-language': 'nl' },
    });
    expect([changed.status, changed.json.error?.message]).toEqual([
      400,
      expect.stringContaining('Het blok mag niet eindigen'),
    ]);
  });

  it('also in the body of their schedule', async () => {
    const Windows = [window('08:00:00', '09:00:00'), window('09:00:00', '09:00:00')];
    const created = await desk.send('POST', '/Schedules', { body: { Name: 'Days', Windows } });
    const { json } = await desk.send('POST', '/Schedules', { body: { Name: 'Days' } });
    const changed = await desk.send('PATCH', `/Schedules(${json.Uid})`, {
      body: { 'Windows@delta': Windows },
    });
    for (const answer of [created, changed]) {
      const { message, target } = answer.json.error;
      expect([answer.status, message]).toEqual([400, expect.stringContaining(EMPTY_WINDOW)]);
      expect(target).toMatch(/^Windows(@odata\.delta)?\[1\]$/);
    }
  });
});
