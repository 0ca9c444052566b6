// This file imports iCalendar files as holidays: whole days, parts of days, recurring events, later versions, cancelled events, and files with
// mistakes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

let desk: LevelDesk;
beforeAll(async () => {
  desk = await openLevelDesk('2026-03-02 08:00');
});
afterAll(async () => await desk?.close());

const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const day = (uid: string, name: string, date: string, ...more: readonly string[]) =>
  event(`UID:${uid}`, `SUMMARY:${name}`, `DTSTART;VALUE=DATE:${date}`, ...more);
const file = (...events: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events.flat(), 'END:VCALENDAR', ''].join('\r\n');

const newCalendar = async () => await desk.create('Calendars', { Name: 'Days off' });

async function send(calendar: string, Content: string, more: object = {}, headers = {}) {
  const body = { Content, ...more };
  return await desk.send('POST', `${calendar}/ImportHolidays`, { body, headers });
}

async function imported(calendar: string, Content: string, more: object = {}) {
  const { status, json, text } = await send(calendar, Content, more);
  expect(status, text).toBe(200);
  const { '@odata.context': _, ...counts } = json;
  return counts;
}

async function holidaysOf(calendar: string): Promise<readonly string[]> {
  const { value } = await desk.read(`${calendar}/Holidays?$orderby=Date,From`);
  return value.map((one: Record<string, string | null>) => {
    const part = one.From === null && one.To === null ? '' : ` ${one.From}-${one.To}`;
    return `${one.Date}${part} ${one.Name}`;
  });
}

async function daysOf(...events: readonly (readonly string[])[]): Promise<readonly string[]> {
  const calendar = await newCalendar();
  await imported(calendar, file(...events), { From: '2026-01-01', Until: '2028-12-31' });
  return await holidaysOf(calendar);
}

async function mistakeIn(content: string) {
  const calendar = await newCalendar();
  const { status, json } = await send(calendar, content);
  expect([status, await holidaysOf(calendar)]).toEqual([400, []]);
  return json.error;
}

describe('An import', () => {
  it('adds whole days, days in a row, and parts of days', async () => {
    const found = await daysOf(
      day('new-year', 'New Year\\, bank holiday', '20260101'),
      day('easter', 'Easter', '20260405', 'DTEND;VALUE=DATE:20260407'),
      day('summer', 'Summer', '20260801', 'DURATION:P2D'),
      event(
        ...['UID:inventory', 'SUMMARY:Inventory'],
        ...[
          'DTSTART;TZID=Europe/Berlin:20260630T120000',
          'DTEND;TZID=Europe/Berlin:20260630T180000',
        ],
      ),
      event(...['UID:night', 'SUMMARY:Maintenance', 'DTSTART:20260901T220000', 'DURATION:P1DT4H']),
    );
    expect(found).toEqual([
      '2026-01-01 New Year, bank holiday',
      '2026-04-05 Easter',
      '2026-04-06 Easter',
      '2026-06-30 12:00:00-18:00:00 Inventory',
      '2026-08-01 Summer',
      '2026-08-02 Summer',
      '2026-09-01 22:00:00-null Maintenance',
      '2026-09-02 Maintenance',
      '2026-09-03 null-02:00:00 Maintenance',
    ]);
  });

  it('reads folded lines, other line ends, alarms and time zones of a file', async () => {
    const text = file(
      event(
        ...['UID:a', 'SUMMARY;LANGUAGE=de:Tag der', '  Deutschen', '\tEinheit'],
        ...['BEGIN:VALARM', 'UID:alarm', 'TRIGGER:-P1D', 'END:VALARM'],
        ...['TRANSP:TRANSPARENT', 'DTSTART;VALUE=DATE:20261003'],
      ),
      [
        'BEGIN:VTIMEZONE',
        'BEGIN:STANDARD',
        'DTSTART:16010101T000000',
        'END:STANDARD',
        'END:VTIMEZONE',
      ],
    );
    const calendar = await newCalendar();
    await imported(calendar, `\uFEFF${text.replaceAll('\r\n', '\n')}`);
    expect(await holidaysOf(calendar)).toEqual(['2026-10-03 Tag der DeutschenEinheit']);
  });

  it.each<[string, string, string[]]>([
    ['yearly', 'FREQ=YEARLY', ['2026-02-28', '2027-02-28', '2028-02-28']],
    ['with a count', 'FREQ=YEARLY;COUNT=2', ['2026-02-28', '2027-02-28']],
    ['until a date', 'FREQ=YEARLY;UNTIL=20270228T235959Z', ['2026-02-28', '2027-02-28']],
    ['with an interval', 'FREQ=YEARLY;INTERVAL=2', ['2026-02-28', '2028-02-28']],
    [
      'on a weekday of a month',
      'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20281231',
      ['2026-02-28', '2026-11-26', '2027-11-25', '2028-11-23'],
    ],
    [
      'on the last Monday of May',
      'FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=3',
      ['2026-02-28', '2026-05-25', '2027-05-31'],
    ],
    [
      'on the last day of each month',
      'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4',
      ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
    ],
    [
      'on Fridays the 13th',
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3',
      ['2026-02-28', '2026-03-13', '2026-11-13'],
    ],
    [
      'every other week, from Sunday on',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;WKST=SU;COUNT=4',
      ['2026-02-28', '2026-03-08', '2026-03-14', '2026-03-22'],
    ],
    [
      'on working days',
      'FREQ=DAILY;BYDAY=MO,TU;UNTIL=20260310',
      ['2026-02-28', '2026-03-02', '2026-03-03', '2026-03-09', '2026-03-10'],
    ],
    [
      'on the second Monday of a year',
      'FREQ=YEARLY;BYDAY=2MO;UNTIL=20280201',
      ['2026-02-28', '2027-01-11', '2028-01-10'],
    ],
  ])('repeats an event %s', async (_, rule, dates) => {
    const found = await daysOf(day('a', 'Off', '20260228', `RRULE:${rule}`));
    expect(found).toEqual(dates.map((date) => `${date} Off`));
  });

  it('leaves out a day that a year does not have', async () => {
    const found = await daysOf(day('a', 'Leap', '20240229', 'RRULE:FREQ=YEARLY'));
    expect(found).toEqual(['2028-02-29 Leap']);
  });

  it('leaves out excepted days, moves others, and adds listed ones', async () => {
    const found = await daysOf(
      day(
        ...(['a', 'Fair', '20260105', 'RRULE:FREQ=WEEKLY;COUNT=5'] as const),
        ...['EXDATE;VALUE=DATE:20260112,20260126', 'RDATE;VALUE=DATE:20260301'],
      ),
      day('a', 'Fair (moved)', '20260120', 'RECURRENCE-ID;VALUE=DATE:20260119'),
      day('a', 'Fair', '20260202', 'RECURRENCE-ID;VALUE=DATE:20260202', 'STATUS:CANCELLED'),
    );
    expect(found).toEqual(['2026-01-05 Fair', '2026-01-20 Fair (moved)', '2026-03-01 Fair']);
  });

  it('takes the latest of several versions of an event', async () => {
    const version = (name: string, date: string, ...more: readonly string[]) =>
      day('a', name, date, ...more);
    expect(
      await daysOf(
        version('Second', '20260502', 'SEQUENCE:2'),
        version('First', '20260501', 'SEQUENCE:1', 'DTSTAMP:20270101T000000Z'),
      ),
    ).toEqual(['2026-05-02 Second']);
    expect(
      await daysOf(
        version('Later', '20260502', 'DTSTAMP:20260201T000000Z'),
        version('Earlier', '20260501', 'DTSTAMP:20260101T000000Z'),
      ),
    ).toEqual(['2026-05-02 Later']);
    const cancelled = version('Gone', '20260502', 'SEQUENCE:3', 'STATUS:CANCELLED');
    expect(await daysOf(version('Kept', '20260501'), cancelled)).toEqual([]);
    const moved = version('Moved', '20260503', 'RECURRENCE-ID;VALUE=DATE:20260501');
    expect(await daysOf(moved, cancelled)).toEqual([]);
  });

  it('has days of this and the four following years, or of the period of the call', async () => {
    const yearly = file(day('a', 'Off', '20200501', 'RRULE:FREQ=YEARLY'));
    const [usual, other] = [await newCalendar(), await newCalendar()];
    expect(await imported(usual, yearly)).toMatchObject({ Events: 1, Created: 5 });
    expect((await holidaysOf(usual)).at(-1)).toBe('2030-05-01 Off');
    await imported(other, yearly, { From: '2021-05-01', Until: '2022-05-01' });
    expect(await holidaysOf(other)).toEqual(['2021-05-01 Off', '2022-05-01 Off']);
    for (const period of [
      { From: '2026-02-01', Until: '2026-01-01' },
      { From: '2000-01-01', Until: '2099-01-01' },
    ]) {
      const { status, json } = await send(other, yearly, period);
      expect([status, json.error.code]).toEqual([400, 'holidays.period']);
    }
  });

  it('contains the days in the period of an event that begins before it', async () => {
    const calendar = await newCalendar();
    const content = file(day('a', 'Break', '20251224', 'DTEND;VALUE=DATE:20260103'));
    await imported(calendar, content, { From: '2026-01-01' });
    expect(await holidaysOf(calendar)).toEqual(['2026-01-01 Break', '2026-01-02 Break']);
    const yearly = [...content.split('\r\n')];
    yearly.splice(-3, 0, 'RRULE:FREQ=YEARLY');
    const other = await newCalendar();
    await imported(other, yearly.join('\r\n'), { From: '2028-01-01', Until: '2028-01-31' });
    expect(await holidaysOf(other)).toEqual(['2028-01-01 Break', '2028-01-02 Break']);
  });
});

describe('Another import', () => {
  it('changes and deletes days of the same events, and no others', async () => {
    const calendar = await newCalendar();
    await desk.create(calendar.slice(1).concat('/Holidays'), { Date: '2026-12-24', Name: 'Own' });
    const weekly = (...more: readonly string[]) =>
      day('week', 'Fair', '20260601', 'RRULE:FREQ=WEEKLY;COUNT=3', ...more);
    const first = file(weekly(), day('other', 'Other', '20260701'));
    expect(await imported(calendar, first)).toEqual({
      ...{ Events: 2, Created: 4, Changed: 0, Deleted: 0, Unchanged: 0, Outdated: 0 },
    });
    expect(await imported(calendar, first)).toMatchObject({ Created: 0, Unchanged: 4 });
    const second = file(
      day('week', 'Market', '20260601', 'RRULE:FREQ=WEEKLY;COUNT=2', 'SEQUENCE:1'),
    );
    expect(await imported(calendar, second)).toMatchObject({ Changed: 2, Deleted: 1 });
    const all = ['2026-06-01 Market', '2026-06-08 Market', '2026-07-01 Other', '2026-12-24 Own'];
    expect(await holidaysOf(calendar)).toEqual(all);
    expect(await imported(calendar, first)).toMatchObject({ Outdated: 1, Unchanged: 1 });
    expect(await holidaysOf(calendar)).toEqual(all);
    const cancelled = file(day('week', 'Market', '20260601', 'STATUS:CANCELLED', 'SEQUENCE:2'));
    expect(await imported(calendar, cancelled)).toMatchObject({ Deleted: 2 });
    expect(await holidaysOf(calendar)).toEqual(all.slice(2));
  });

  it('leaves days outside of its period', async () => {
    const calendar = await newCalendar();
    await imported(calendar, file(day('a', 'Off', '20260501', 'RRULE:FREQ=YEARLY')));
    const cancelled = file(day('a', 'Off', '20260501', 'STATUS:CANCELLED'));
    await imported(calendar, cancelled, { From: '2027-01-01', Until: '2030-12-31' });
    expect(await holidaysOf(calendar)).toEqual(['2026-05-01 Off']);
  });

  it('by a dry run shows what it would change, and changes nothing', async () => {
    const calendar = await newCalendar();
    const content = file(day('a', 'Off', '20260501'));
    const { status, json, headers } = await send(calendar, content, {}, { Prefer: 'dry-run' });
    expect([status, json.Created]).toEqual([200, 1]);
    expect(headers['preference-applied']).toContain('dry-run');
    expect(await holidaysOf(calendar)).toEqual([]);
  });

  it('rejects query options, which the counts that it returns have no use for', async () => {
    const calendar = await newCalendar();
    const body = { Content: file(day('a', 'Off', '20260501')) };
    for (const option of ['$select=Created', '$filter=true', '$count=true']) {
      const answer = await desk.send('POST', `${calendar}/ImportHolidays?${option}`, { body });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'request.misplaced-option']);
    }
    expect(await holidaysOf(calendar)).toEqual([]);
  });

  it('needs the right to change the calendar', async () => {
    const calendar = await newCalendar();
    const EntityAccess = [
      { Entity: 'Calendar', Read: true },
      { Entity: 'Holiday', Read: true },
    ];
    await desk.create('Roles', { Name: 'reader', EntityAccess });
    const reader = await desk.join({ loginName: 'reader', roles: ['reader'] });
    for (const content of [file(day('a', 'Off', '20260501')), file()]) {
      const body = { Content: content };
      const answer = await reader.send('POST', `${calendar}/ImportHolidays`, { body });
      expect([answer.status, await holidaysOf(calendar)]).toEqual([403, []]);
    }
    expect(await imported(calendar, file())).toMatchObject({ Events: 0, Created: 0 });
  });
});

it('An import moves the deadlines of open requests', async () => {
  desk.at('2026-03-27 15:30');
  const stop = startDueActions(desk.service);
  const calendar = await newCalendar();
  const schedule = `/Schedules(${desk.levels.get('Silver')?.schedule})`;
  const body = { '@odata.id': calendar.slice(1) };
  expect((await desk.send('POST', `${schedule}/Calendars/$ref`, { body })).status).toBe(204);
  const High = { Value: 110002 };
  const request = await desk.create('ServiceRequests', { Description: 'Laptop', Priority: High });
  const deadline = async () => (await desk.read(request)).Deadline;
  expect(await deadline()).toBe(shown('2026-03-30 14:30'));
  await imported(calendar, file(day('a', 'Off', '20260330')));
  await expect.poll(deadline).toBe(shown('2026-03-31 14:30'));
  await stop();
});

describe('A mistake in a file', () => {
  const head = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'SUMMARY:May Day'];
  it.each<[string, readonly string[], string]>([
    [
      'no calendar',
      ['Date;Name', '2026-01-01;Off'],
      'Line 1, the file: BEGIN:VCALENDAR is expected',
    ],
    ['nothing', [''], 'Line 1, the file: BEGIN:VCALENDAR is expected'],
    [
      'no end',
      [...head, 'DTSTART;VALUE=DATE:20260501'],
      'Line 1, VCALENDAR: END:VCALENDAR is missing',
    ],
    ['another end', [...head, 'END:VCALENDAR'], 'Line 5, VEVENT: END:VEVENT is expected'],
    ['no line', [...head, 'DTSTART'], 'Line 5, VEVENT: '],
    ['no UID', ['BEGIN:VCALENDAR', '', ...day('', 'X', '20260501')], 'Line 3, VEVENT "X": UID'],
    ['no start', [...head, 'END:VEVENT'], 'Line 2, VEVENT "May Day": DTSTART is missing'],
    [
      'no such day',
      [...head, 'DTSTART;VALUE=DATE:20260231', 'END:VEVENT'],
      'Line 5, VEVENT "May Day": DTSTART: "20260231" is not a date',
    ],
    [
      'UTC',
      [...head, 'DTSTART:20260501T100000Z', 'END:VEVENT'],
      'DTSTART: 20260501T100000Z is in UTC',
    ],
    [
      'two starts',
      [...head, 'DTSTART;VALUE=DATE:20260501', 'DTSTART;VALUE=DATE:20260502', 'END:VEVENT'],
      'Line 6, VEVENT "May Day": DTSTART occurs twice',
    ],
    [
      'an end before',
      [...head, 'DTSTART;VALUE=DATE:20260501', 'DTEND;VALUE=DATE:20260501', 'END:VEVENT'],
      'Line 6, VEVENT "May Day": DTEND: the event does not end after it starts',
    ],
    [
      'no length',
      [...head, 'DTSTART:20260501T100000', 'END:VEVENT'],
      'DTSTART: the event does not end after it starts',
    ],
    [
      'another zone',
      [...head, 'DTSTART;TZID=Europe/Paris:20260501T100000', 'DTEND:20260501T110000', 'END:VEVENT'],
      'DTEND: it is not a value of the same kind',
    ],
    [
      'a long event',
      [...head, 'DTSTART;VALUE=DATE:20260501', 'DURATION:P9000D', 'END:VEVENT'],
      'DURATION: the event lasts more than 366 days',
    ],
    [
      'a wrong duration',
      [...head, 'DTSTART;VALUE=DATE:20260501', 'DURATION:PT', 'END:VEVENT'],
      'DURATION: it is not a duration',
    ],
    [
      'half a day',
      [...head, 'DTSTART;VALUE=DATE:20260501', 'DURATION:PT12H', 'END:VEVENT'],
      'an event of whole days lasts a number of days',
    ],
    [
      'a sequence',
      [...head, 'SEQUENCE:new', 'END:VEVENT'],
      'Line 5, VEVENT "May Day": SEQUENCE: it is not a number',
    ],
  ])('is reported with its place: %s', async (_, lines, message) => {
    const ended = lines.includes('END:VEVENT') ? [...lines, 'END:VCALENDAR'] : lines;
    const { code, message: found, target } = await mistakeIn(ended.join('\n'));
    expect([code, target, found]).toEqual([
      'holidays.file',
      'Content',
      expect.stringContaining(message),
    ]);
  });

  it.each([
    ['FREQ=HOURLY', 'FREQ must be one of DAILY, WEEKLY, MONTHLY, YEARLY'],
    ['INTERVAL=2', ''],
    ['FREQ=YEARLY;BYSETPOS=1;BYDAY=MO', 'BYSETPOS is not supported'],
    ['FREQ=YEARLY;BYEASTER=1', 'BYEASTER is not supported'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'no year has such a day'],
    ['FREQ=YEARLY;BYMONTH=13', ''],
    ['FREQ=YEARLY;INTERVAL=0', 'INTERVAL=0 is not a number from 1 to 1000'],
    ['FREQ=WEEKLY;BYDAY=2MO', 'numbers in BYDAY need FREQ=MONTHLY or FREQ=YEARLY'],
    ['FREQ=WEEKLY;BYDAY=XX', ''],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY is not allowed with FREQ=WEEKLY'],
    ['FREQ=YEARLY;COUNT=2;UNTIL=20300101', 'COUNT and UNTIL exclude each other'],
    ['FREQ=YEARLY;UNTIL=20300231', 'UNTIL=20300231 is not a date'],
    ['FREQ=YEARLY;COUNT=0', 'COUNT=0 is not a number from 1'],
  ])('is reported for the rule %s', async (rule, message) => {
    const error = await mistakeIn(file(day('a', 'May Day', '20260501', `RRULE:${rule}`)));
    expect([error.code, error.message]).toEqual([
      'holidays.file',
      expect.stringMatching(/^Line 7, VEVENT/),
    ]);
    expect(error.message).toContain(message);
  });

  it('is a file that is too large, or has too many days', async () => {
    const many = Array.from({ length: 5001 }, (_, index) => day(`${index}`, 'X', '20260501'));
    for (const [content, things] of [
      ['x'.repeat(1_048_577), '1048576 characters'],
      [file(...many), '5000 events'],
      [
        file(
          ...many
            .slice(0, 20)
            .map((one) => [...one.slice(0, -1), 'RRULE:FREQ=DAILY', 'END:VEVENT']),
        ),
        '5000 days off',
      ],
      [
        file(
          ...many
            .slice(0, 60)
            .map((one) => [
              ...one.slice(0, 3),
              'DTSTART;VALUE=DATE:17000101',
              'RRULE:FREQ=YEARLY;COUNT=9999',
              'END:VEVENT',
            ]),
        ),
        '5000000 possible occurrences',
      ],
    ] as const) {
      const error = await mistakeIn(content);
      expect([error.code, error.message]).toEqual([
        'holidays.too-many',
        expect.stringContaining(things),
      ]);
    }
  });
});
