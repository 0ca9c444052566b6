// This file asks why service levels are what they are, with Explain, and what they would be, with WhatIf. Times are UTC; the schedules are in
// Amsterdam.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER, ORGANIZATION, REQUEST as REQUEST_UID } from './records.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

const IMPACT = (ordinal: number) => ({ Value: 111000 + ordinal });
const REQUEST = { Description: 'Printer' };

let desk: LevelDesk;
beforeAll(async () => {
  desk = await openLevelDesk('2026-03-27 15:30');
});
afterAll(async () => await desk?.close());

async function requestAt(time: string, body: Body = {}): Promise<string> {
  desk.at(time);
  return await desk.create('ServiceRequests', { ...REQUEST, ...body });
}

async function enter(path: string, time: string, Text: string): Promise<void> {
  desk.at(time);
  await desk.change(path, { Status: { Text } });
}

/** Explains an entity at a time, and its resolution. */
async function explain(path: string, time: string) {
  desk.at(time);
  const json = await desk.read(`${path}/Explain()`);
  return { ...json, resolution: json.Clocks.at(-1) };
}

const interval = (
  Kind: string,
  [from, to]: readonly [string, string?],
  WorkingTime: string,
  Cause: string | null = null,
) => ({ Kind, From: shown(from), To: to === undefined ? null : shown(to), WorkingTime, Cause });

const agreement = async (level: string, name: string, body: Body) =>
  await desk.create('ServiceLevelAgreements', {
    Name: name,
    Status: { Value: 219002 },
    'ServiceLevel@odata.bind': `ServiceLevels(${desk.levels.get(level)?.level})`,
    ...body,
  });

const url = (path: string) => `${desk.root}${path.slice(1)}`;

describe('Explain', () => {
  it('returns level, priority and marks of a request over a change of the clocks (case 1)', async () => {
    const path = await requestAt('2026-03-27 15:30', { Impact: IMPACT(2) });
    const { resolution, Clocks, ...rest } = await explain(path, '2026-03-30 09:30');
    const silver = url(`/ServiceLevels(${desk.levels.get('Silver')?.level})`);
    expect(rest).toEqual({
      '@odata.context': `${desk.root}$metadata#Docket.System.ClockExplanation`,
      At: shown('2026-03-30 09:30'),
      Start: shown('2026-03-27 15:30'),
      Agreement: null,
      Level: silver,
      Schedule: `${silver}/Schedule`,
      TimeZone: 'Europe/Amsterdam',
      Priority: 110002,
      PriorityReason: 'level',
      PriorityRaised: false,
      Candidates: [],
    });
    expect(Clocks.map(({ Name }: { Name: string }) => Name)).toEqual(['Response', 'Resolution']);
    expect(Clocks[0]).toMatchObject({ Outcome: 'BREACHED', Remaining: '-PT4H' });
    expect(resolution).toEqual({
      Name: 'Resolution',
      State: 'RUNNING',
      Outcome: null,
      Target: 'PT10H',
      Deadline: shown('2026-03-30 14:30'),
      DeadlineIsManual: false,
      Elapsed: 'PT5H',
      Remaining: 'PT5H',
      Intervals: [interval('Counted', ['2026-03-27 15:30'], 'PT5H')],
      Marks: [
        { Percent: 50, At: shown('2026-03-30 09:30'), Reached: true },
        { Percent: 75, At: shown('2026-03-30 12:00'), Reached: false },
        { Percent: 100, At: shown('2026-03-30 14:30'), Reached: false },
      ],
    });
    const { status } = await desk.get(silver);
    expect(status).toBe(200);
  });

  it('returns a pause with its causes (case 2)', async () => {
    const path = await requestAt('2026-03-27 15:30', { Impact: IMPACT(2) });
    await enter(path, '2026-03-30 08:00', 'Waiting for caller');
    const paused = await explain(path, '2026-03-30 09:00');
    expect(paused.resolution).toMatchObject({
      State: 'PAUSED',
      Elapsed: 'PT3H30M',
      Remaining: 'PT6H30M',
      Intervals: [
        interval('Counted', ['2026-03-27 15:30', '2026-03-30 08:00'], 'PT3H30M'),
        interval('Paused', ['2026-03-30 08:00'], 'PT1H', 'WAITING_CALLER'),
      ],
    });
    await enter(path, '2026-03-30 10:00', 'In progress');
    const { resolution } = await explain(path, '2026-03-30 11:00');
    expect(resolution).toMatchObject({ Elapsed: 'PT4H30M', Deadline: shown('2026-03-31 06:30') });
    expect(resolution.Intervals.slice(1)).toEqual([
      interval('Paused', ['2026-03-30 08:00', '2026-03-30 10:00'], 'PT2H', 'WAITING_CALLER'),
      interval('Counted', ['2026-03-30 10:00'], 'PT1H', 'IN_PROGRESS'),
    ]);
  });

  it('returns the time in which a reopened request was stopped (case 31)', async () => {
    const path = await requestAt('2026-06-01 07:00', { Impact: IMPACT(2) });
    await enter(path, '2026-06-01 14:00', 'Resolved');
    const stopped = await explain(path, '2026-06-02 09:00');
    expect(stopped.resolution).toMatchObject({
      State: 'STOPPED',
      Outcome: 'MET',
      Elapsed: 'PT7H',
      Intervals: [interval('Counted', ['2026-06-01 07:00', '2026-06-01 14:00'], 'PT7H')],
    });
    await enter(path, '2026-06-03 08:00', 'In progress');
    const { resolution } = await explain(path, '2026-06-03 09:00');
    expect(resolution).toMatchObject({
      State: 'RUNNING',
      Deadline: shown('2026-06-03 11:00'),
      Elapsed: 'PT8H',
      Remaining: 'PT2H',
    });
    expect(resolution.Intervals.slice(1)).toEqual([
      interval('Stopped', ['2026-06-01 14:00', '2026-06-03 08:00'], 'PT14H', 'RESOLVED'),
      interval('Counted', ['2026-06-03 08:00'], 'PT1H', 'IN_PROGRESS'),
    ]);
  });

  it('returns a deadline where the clock had counted a target that became shorter (case 38)', async () => {
    const silver = desk.levels.get('Silver')?.schedule;
    const level = await desk.create('ServiceLevels', {
      Name: 'Fast',
      'Schedule@odata.bind': `Schedules(${silver})`,
      PriorityImpactSettings: [
        { Impact: IMPACT(1), Priority: { Value: 110001 }, ResolveDuration: 'PT30M' },
      ],
    });
    const path = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    await enter(path, '2026-06-01 08:00', 'Waiting for caller');
    await enter(path, '2026-06-01 09:00', 'In progress');
    desk.at('2026-06-01 13:00');
    const service = await desk.create('Services', { Name: 'Fast' });
    const bind = { 'Service@odata.bind': service.slice(1) };
    await agreement('Silver', 'Fast', { ...bind, 'ServiceLevel@odata.bind': level.slice(1) });
    await desk.change(path, bind);
    const { resolution } = await explain(path, '2026-06-01 13:00');
    expect(resolution).toMatchObject({
      Target: 'PT30M',
      Deadline: shown('2026-06-01 07:30'),
      Outcome: 'BREACHED',
      Elapsed: 'PT5H',
      Remaining: '-PT4H30M',
    });
  });

  it('ranks agreements, and says why others do not match', async () => {
    const service = (body: Body = {}) => desk.create('Services', { Name: 'Service', ...body });
    const parent = await service();
    const own = await service({ 'ParentService@odata.bind': parent.slice(1) });
    const bind = { 'Service@odata.bind': own.slice(1) };
    const inherited = { 'Service@odata.bind': parent.slice(1) };
    const others = {
      'ReceiverPersons@odata.bind': [(await desk.create('Persons', { LastName: 'Else' })).slice(1)],
    };
    const all = await agreement('Silver', 'all', inherited);
    const organization = await agreement('Gold', 'organization', {
      ...bind,
      'ReceiverOrganizations@odata.bind': [`Organizations(${ORGANIZATION})`],
    });
    const other = await agreement('Gold', 'other', { ...bind, ...others });
    const late = await agreement('Gold', 'late', { ...bind, ActualStart: '2026-07-01T00:00:00Z' });
    const gone = await agreement('Gold', 'gone', { ...bind, ActualFinish: '2026-06-01T00:00:00Z' });
    const path = await requestAt('2026-06-08 07:00', {
      Impact: IMPACT(2),
      Priority: { Value: 110001 },
      'Caller@odata.bind': `Persons(${CALLER})`,
      'CallerOrganization@odata.bind': `Organizations(${ORGANIZATION})`,
      ...bind,
    });
    const found = await explain(path, '2026-06-08 08:00');
    expect(found).toMatchObject({ Agreement: url(organization), PriorityReason: 'manual' });
    const all5 = [all, organization, other, late, gone].map(url);
    const considered = found.Candidates.filter((one: Body) => all5.includes(String(one.Agreement)));
    expect(considered.slice(0, 2)).toEqual([
      {
        Agreement: url(organization),
        Rank: 1,
        Reason: 'the same Service; the same CallerOrganization',
      },
      {
        Agreement: url(all),
        Rank: 2,
        Reason: 'parent 1 of Service; any Caller or CallerOrganization',
      },
    ]);
    expect(
      considered
        .slice(2)
        .toSorted((a: { Agreement: string }, b: { Agreement: string }) =>
          a.Agreement < b.Agreement ? -1 : 1,
        ),
    ).toEqual([
      { Agreement: url(other), Rank: null, Reason: 'for another Caller or CallerOrganization' },
      { Agreement: url(late), Rank: null, Reason: `not valid before ${shown('2026-07-01 00:00')}` },
      {
        Agreement: url(gone),
        Rank: null,
        Reason: `not valid from ${shown('2026-06-01 00:00')} on`,
      },
    ]);
  });

  it('keeps a deadline that was set by hand, which pauses do not move', async () => {
    const Deadline = '2026-06-09T08:00:00Z';
    const path = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1), Deadline });
    await enter(path, '2026-06-08 08:00', 'Waiting for caller');
    await enter(path, '2026-06-08 09:00', 'In progress');
    const { resolution } = await explain(path, '2026-06-08 15:00');
    expect(resolution).toMatchObject({
      Deadline: shown('2026-06-09 08:00'),
      DeadlineIsManual: true,
      Elapsed: 'PT7H',
      Remaining: 'PT3H',
    });
  });

  it('returns no clocks of a record that was loaded, and nothing of a missing one', async () => {
    const { Clocks, Agreement } = await explain(
      `/ServiceRequests(${REQUEST_UID})`,
      '2026-06-08 08:00',
    );
    expect([Clocks, Agreement]).toEqual([[], null]);
    const missing = await desk.get('/ServiceRequests(987654321)/Explain()');
    expect([missing.status, missing.json.error.code]).toEqual([404, 'response.not-found']);
    const late = await desk.get(`/ServiceRequests(${REQUEST_UID})/Explain()?$select=Level`);
    expect(late.status).toBe(400);
  });

  it('has the formats of other functions, but no export', async () => {
    const path = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1) });
    const inFormat = (accept: string) => desk.get(`${path}/Explain()`, { accept });
    const exact = await inFormat('application/json;IEEE754Compatible=true');
    expect(exact.json.Priority).toBe('110001');
    const full = await inFormat('application/json;odata.metadata=full');
    expect(full.json.Clocks[0]['Target@odata.type']).toBe('#Duration');
    const xml = await inFormat('application/xml');
    expect(xml.text).toContain('<d:PriorityReason>level</d:PriorityReason>');
    const schedule = `/Schedules(${desk.levels.get('Silver')?.schedule})`;
    const opening = await desk.get(`${schedule}/NextOpening(At=2026-06-06T08:00:00Z)`, {
      accept: 'text/csv',
    });
    for (const { status, json } of [await inFormat('text/csv'), opening])
      expect([status, json.error.code]).toEqual([406, 'request.not-acceptable']);
  });

  it('works in batches, and changes nothing', async () => {
    const path = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1) });
    const before = await desk.read(path);
    const requests = [{ id: '1', method: 'GET', url: `${path.slice(1)}/Explain()` }];
    const { json } = await desk.send('POST', '/$batch', { body: { requests } });
    expect(json.responses[0].body).toMatchObject({ Priority: 110001, PriorityReason: 'level' });
    expect(await desk.read(path)).toEqual(before);
  });

  it('replays five changes of the priority with pauses to the stored deadline', async () => {
    const random = randomIntegers(38);
    for (let round = 0; round < 5; round += 1) {
      let time = Date.parse('2026-06-01T07:00:00Z') + random(5 * 86_400) * 1000;
      const path = await requestAt(textOf(time), { Impact: IMPACT(3) });
      const later = () => {
        time += random(20 * 3600) * 1000;
        return textOf(time);
      };
      for (let change = 0; change < 5; change += 1) {
        await enter(path, later(), 'Waiting for caller');
        desk.at(later());
        await desk.change(path, { Priority: { Value: 110001 + random(5) } });
        await enter(path, later(), 'In progress');
        await requireReplay(path, later());
      }
    }
  });
});

const textOf = (time: number) => new Date(time).toISOString().slice(0, -1).replace('T', ' ');

/** Pseudo-random integers from 0 on, below the limit. */
function randomIntegers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

/** The counted intervals add up to the elapsed time, and lead to the stored deadline. */
async function requireReplay(path: string, time: string): Promise<void> {
  const { resolution, Level } = await explain(path, time);
  const stored = await desk.read(`${path}?$select=Deadline`);
  expect(resolution.Deadline).toBe(stored.Deadline);
  const counted = resolution.Intervals.filter(({ Kind }: Body) => Kind === 'Counted');
  let rest = hours(resolution.Target);
  const elapsed = counted.reduce((sum: number, one: Body) => sum + hours(one.WorkingTime), 0);
  expect(elapsed).toBeCloseTo(hours(resolution.Elapsed), 6);
  expect(hours(resolution.Remaining)).toBeCloseTo(rest - elapsed, 6);
  for (const { From, WorkingTime, To } of counted) {
    if (To !== null && hours(WorkingTime) < rest) rest -= hours(WorkingTime);
    else {
      const duration = `duration'PT${(rest * 3600).toFixed(3)}S'`;
      const schedule = `${Level.slice(desk.root.length - 1)}/Schedule`;
      const { value } = await desk.read(
        `${schedule}/AddWorkingTime(Start=${From},Duration=${duration})`,
      );
      expect(value).toBe(stored.Deadline);
      return;
    }
  }
  throw new Error(`the intervals of ${path} do not reach the deadline`);
}

/** `P1DT2H3M4.5S` in hours. */
function hours(duration: unknown): number {
  const [, sign, days = 0, hour = 0, minutes = 0, seconds = 0] =
    /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(String(duration)) ?? [];
  const sum = Number(days) * 24 + Number(hour) + Number(minutes) / 60 + Number(seconds) / 3600;
  return sign === '-' ? -sum : sum;
}

describe('WhatIf', () => {
  const whatIf = async (
    values: Body,
    ask: Pick<LevelDesk, 'get'> = desk,
    set = 'ServiceRequests',
  ) => await ask.get(`/${set}/WhatIf(Values=@v)?@v=${encodeURIComponent(JSON.stringify(values))}`);
  const count = async () => (await desk.get('/ServiceRequests/$count')).text;

  it('explains what a request would get, and stores nothing', async () => {
    desk.at('2026-03-27 15:30');
    const before = await count();
    const values = { ...REQUEST, Impact: IMPACT(2), HistoryLines: [{ Subject: 'Note' }] };
    const { status, json, text } = await whatIf(values);
    expect(status, text).toBe(200);
    expect(json).toMatchObject({
      '@odata.context': `${desk.root}$metadata#Docket.System.ClockExplanation`,
      Priority: 110002,
      Clocks: [{ Name: 'Response' }, { Deadline: shown('2026-03-30 14:30'), Remaining: 'PT10H' }],
    });
    expect(await count()).toBe(before);
    const path = await desk.create('ServiceRequests', { ...REQUEST, Impact: IMPACT(2) });
    expect((await desk.read(path)).Deadline).toBe(json.Clocks[1].Deadline);
  });

  it('takes deadlines and priorities by hand, other sets, and values in the body of $query', async () => {
    desk.at('2026-06-08 07:00');
    const manual = await whatIf({ ...REQUEST, Deadline: '2026-06-09T08:00:00Z' });
    expect(manual.json.Clocks[1]).toMatchObject({ DeadlineIsManual: true });
    const incident = await whatIf({ ...REQUEST, Impact: IMPACT(1) }, desk, 'Incidents');
    expect(incident.json.Clocks[1].Deadline).toBe(shown('2026-06-08 15:00'));
    const query = await desk.send('POST', '/ServiceRequests/WhatIf(Values=@v)/$query', {
      headers: { 'content-type': 'text/plain' },
      body: `@v=${encodeURIComponent(JSON.stringify({ ...REQUEST, Impact: IMPACT(1) }))}`,
    });
    expect(query.json?.Clocks[1].Deadline, query.text).toBe(shown('2026-06-08 15:00'));
  });

  it('accepts files, which it does not store', async () => {
    desk.at('2026-06-08 07:00');
    const file = {
      Name: 'notes.txt',
      '@odata.mediaContentType': 'text/plain',
      $value: 'Tm90ZXM',
    };
    const { status, json, text } = await whatIf({ ...REQUEST, Attachments: [file] });
    expect(status, text).toBe(200);
    expect(json.Clocks).toHaveLength(2);
  });

  it.each([
    ['{"Description":"x","Impct":1}', 'write.body'],
    ['{}', 'write.body'],
    ['[]', 'bind.argument'],
    ["'Printer'", 'bind.argument'],
    ['null', 'bind.argument'],
  ])('rejects %s as creating would', async (values, code) => {
    const path = `/ServiceRequests/WhatIf(Values=@v)?@v=${encodeURIComponent(values)}`;
    const { status, json } = await desk.get(path);
    expect([status, json.error.code]).toEqual([400, code]);
  });

  it('needs the right to create', async () => {
    const body = { Name: 'looks', EntityAccess: [{ Entity: 'ServiceRequest', Read: true }] };
    await desk.create('Roles', body);
    const reader = await desk.join({ loginName: 'looks', roles: ['looks'] });
    const { status } = await whatIf(REQUEST, reader);
    expect(status).toBe(403);
  });
});

describe('An account', () => {
  it('sees only the rules that it may read', async () => {
    const path = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1) });
    await desk.create('Roles', {
      Name: 'without rules',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true }],
    });
    const reader = await desk.join({ loginName: 'without-rules', roles: ['without rules'] });
    const { status, json, text } = await reader.get(`${path}/Explain()`);
    expect(status, text).toBe(200);
    const rules = { Agreement: null, Level: null, Schedule: null, TimeZone: null, Candidates: [] };
    expect(json).toMatchObject(rules);
    expect(json.Clocks[1].Deadline).toBe(shown('2026-06-08 15:00'));
  });

  it('gets no explanation of members that it may not read, nor of requests that it does not see', async () => {
    const path = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1) });
    await desk.create('Roles', {
      Name: 'without deadlines',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true }],
      AttributeAccess: [{ Entity: 'ServiceRequest', Attribute: 'Deadline', Read: false }],
    });
    await desk.create('Roles', {
      Name: 'closed only',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true, Filter: 'Status/Value eq 101009' }],
    });
    const without = await desk.join({ loginName: 'a', roles: ['without deadlines'] });
    const closed = await desk.join({ loginName: 'b', roles: ['closed only'] });
    const [hidden, unseen] = [
      await without.get(`${path}/Explain()`),
      await closed.get(`${path}/Explain()`),
    ];
    expect([hidden.status, hidden.json.error?.code]).toEqual([403, 'access.member']);
    expect(unseen.status).toBe(404);
  });
});
