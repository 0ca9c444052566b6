// This file reads, filters and sorts by elapsed and remaining time of service levels, which change without a write. Explain is the measure. Times
// are UTC; the schedules are in Amsterdam.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDuration } from '../../src/edm/value/temporal.ts';
import { type Body, type LevelDesk, openLevelDesk } from './service-levels.ts';

const IMPACT = (ordinal: number) => ({ Value: 111000 + ordinal });
const TIMES = '$select=Uid,Sla/Elapsed,Sla/Remaining';

let desk: LevelDesk;
/** Services with agreements: on the level Bronze, and on Gold. */
const services = { slow: 0, fast: 0 };
beforeAll(async () => {
  desk = await openLevelDesk('2026-03-27 15:30');
  services.slow = await serviceWith('Bronze');
  services.fast = await serviceWith('Gold');
});
afterAll(async () => await desk?.close());

/** A service whose agreement has the level. */
async function serviceWith(level: string): Promise<number> {
  const service = keyOf(await desk.create('Services', { Name: level }));
  await desk.create('ServiceLevelAgreements', {
    Name: level,
    Status: { Value: 219002 },
    'ServiceLevel@odata.bind': `ServiceLevels(${desk.levels.get(level)?.level})`,
    'Service@odata.bind': `Services(${service})`,
  });
  return service;
}

async function requestAt(time: string, body: Body = {}): Promise<string> {
  desk.at(time);
  return await desk.create('ServiceRequests', { Description: 'Printer', ...body });
}

async function enter(path: string, time: string, Text: string): Promise<void> {
  desk.at(time);
  await desk.change(path, { Status: { Text } });
}

const keyOf = (path: string) => Number(/\((\d+)\)/.exec(path)?.[1]);
const query = (options: Record<string, string>) =>
  Object.entries(options)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
    .join('&');

async function timesOf(path: string, time: string) {
  desk.at(time);
  const { Sla } = await desk.read(`${path}?${TIMES}`);
  return [Sla.Elapsed, Sla.Remaining];
}

const nanoseconds = (text: string | null): bigint | null => {
  if (text === null) return null;
  const read = readDuration(text, 12);
  if (read?.kind !== 'value') throw new Error(text);
  return read.value as bigint;
};

describe('Elapsed and remaining time', () => {
  it('follow the working time of the schedule (cases 1 and 2)', async () => {
    const path = await requestAt('2026-03-27 15:30', { Impact: IMPACT(2) });
    expect(await timesOf(path, '2026-03-27 15:30')).toEqual(['PT0S', 'PT10H']);
    expect(await timesOf(path, '2026-03-29 12:00')).toEqual(['PT1H30M', 'PT8H30M']);
    expect(await timesOf(path, '2026-03-30 09:30')).toEqual(['PT5H', 'PT5H']);
    expect(await timesOf(path, '2026-03-30 15:30')).toEqual(['PT11H', '-PT1H']);
  });

  it('stand still while the clock pauses and when it has stopped (frappe/helpdesk#2449)', async () => {
    const path = await requestAt('2026-06-01 07:00', { Impact: IMPACT(2) });
    await enter(path, '2026-06-01 08:00', 'Waiting for caller');
    expect(await timesOf(path, '2026-06-02 08:00')).toEqual(['PT1H', 'PT9H']);
    await enter(path, '2026-06-02 09:00', 'In progress');
    expect(await timesOf(path, '2026-06-02 10:00')).toEqual(['PT2H', 'PT8H']);
    await enter(path, '2026-06-02 11:00', 'Resolved');
    expect(await timesOf(path, '2026-06-09 11:00')).toEqual(['PT3H', 'PT7H']);
    await enter(path, '2026-06-10 08:00', 'In progress');
    expect(await timesOf(path, '2026-06-10 08:30')).toEqual(['PT3H30M', 'PT6H30M']);
  });

  it('refer to a deadline that was set by hand', async () => {
    const path = await requestAt('2026-06-01 07:00', { Deadline: '2026-06-02T08:00:00Z' });
    expect(await timesOf(path, '2026-06-01 15:00')).toEqual(['PT8H', 'PT3H']);
    await enter(path, '2026-06-01 15:30', 'Waiting for caller');
    expect(await timesOf(path, '2026-06-03 15:00')).toEqual(['PT8H30M', 'PT2H30M']);
  });

  it('count an overrun in working time (frappe/helpdesk#3297: in wall time)', async () => {
    const path = await requestAt('2026-06-05 07:00', { Impact: IMPACT(1) });
    expect(await timesOf(path, '2026-06-05 15:30')).toEqual(['PT8H30M', '-PT30M']);
    expect(await timesOf(path, '2026-06-08 07:00')).toEqual(['PT10H', '-PT2H']);
  });

  // frappe/helpdesk#3776: a deadline without a zone was over for an agent in another one.
  it('are over at the same instant for callers in all zones', async () => {
    const path = await requestAt('2026-06-05 22:00', { Impact: IMPACT(1) });
    const { Deadline } = await desk.read(path);
    expect(Deadline).toBe('2026-06-08T14:00:00.000Z');
    const isLate = async (time: string, now: string) => {
      desk.at(time);
      const filter = `Uid eq ${keyOf(path)} and Sla/Remaining lt duration'PT0S' and Deadline lt ${now}`;
      return (await desk.read(`/ServiceRequests?${query({ filter })}`)).value.length;
    };
    expect(await isLate('2026-06-08 14:00', '2026-06-08T16:00:00+02:00')).toBe(0);
    expect(await isLate('2026-06-08 14:01', '2026-06-08T10:01:00-04:00')).toBe(1);
  });

  it('are null without a target', async () => {
    const path = await requestAt('2026-06-01 07:00', { Impact: IMPACT(2) });
    await desk.change(path, { Priority: { Value: 110005 }, Service: { Uid: services.slow } });
    expect(await timesOf(path, '2026-06-01 09:00')).toEqual([null, null]);
    const [resolution] = (await desk.read(`${path}/Explain()`)).Clocks.slice(-1);
    expect([resolution.Elapsed, resolution.Remaining]).toEqual([null, null]);
  });
});

describe('A response', () => {
  it('contains them only if $select names them', async () => {
    const path = await requestAt('2026-06-15 07:00', { Impact: IMPACT(2) });
    for (const options of ['', '?$select=Sla', '?$select=*', '?$select=Sla($select=State)']) {
      const { Sla } = await desk.read(`${path}${options}`);
      expect(Object.keys(Sla), options).not.toContain('Remaining');
      expect(Object.keys(Sla), options).not.toContain('Elapsed');
    }
    expect(Object.keys(await desk.read(`${path}/Sla`))).not.toContain('Remaining');
    const named = [
      '?$select=Sla/Remaining',
      '?$select=Sla($select=Remaining)',
      '?$select=*,Sla/Remaining',
    ];
    for (const options of named) {
      const { Sla } = await desk.read(`${path}${options}`);
      expect([Sla.Remaining, Sla.Elapsed], options).toEqual(['PT10H', undefined]);
    }
    expect((await desk.read(`${path}?$select=*,Sla/Remaining`)).Sla.State.Text).toBe('Running');
    expect(await desk.read(`${path}/Sla/Remaining`)).toMatchObject({ value: 'PT10H' });
    expect((await desk.get(`${path}/Sla/Remaining/$value`)).text).toBe('PT10H');
    const [expanded] = (
      await desk.read(
        `/ServiceRequests?$filter=Uid eq ${keyOf(path)}&$expand=HistoryLines&${TIMES}`,
      )
    ).value;
    expect(expanded.Sla.Remaining).toBe('PT10H');
  });

  it('is never an old one: no cache, no 304, no delta', async () => {
    const path = await requestAt('2026-06-15 07:00', { Impact: IMPACT(2) });
    const named = `${path}?$select=Sla/Remaining`;
    const list = `/ServiceRequests?$filter=Uid eq ${keyOf(path)}&$select=Sla/Remaining`;
    for (const minute of ['00', '15', '30']) {
      desk.at(`2026-06-15 08:${minute}`);
      const rest = minute === '00' ? 'PT9H' : `PT8H${60 - Number(minute)}M`;
      const one = await desk.get(named, { 'if-none-match': '*' });
      expect([one.status, one.json?.Sla.Remaining]).toEqual([200, rest]);
      const etag = String(one.headers.etag);
      const again = await desk.get(named, { 'if-none-match': etag });
      expect(again.status).toBe(200);
      expect((await desk.read(list)).value[0].Sla.Remaining).toBe(rest);
    }
    expect((await desk.get(path, { 'if-none-match': '*' })).status).toBe(304);
    const tracked = await desk.get(list, { prefer: 'track-changes' });
    expect(tracked.headers['preference-applied'] ?? '').not.toContain('track-changes');
    expect(tracked.json['@odata.deltaLink']).toBeUndefined();
    const plain = await desk.get(`${list.replace('/Remaining', '/State')}`, {
      prefer: 'track-changes',
    });
    expect(plain.json['@odata.deltaLink']).toBeTypeOf('string');
  });

  it('to a change shows them as they are after it', async () => {
    const path = await requestAt('2026-06-15 07:00', { Impact: IMPACT(2) });
    desk.at('2026-06-15 08:00');
    const changed = await desk.change(`${path}?${TIMES}`, { Priority: { Value: 110001 } });
    expect(changed.Sla).toMatchObject({ Elapsed: 'PT1H', Remaining: 'PT7H' });
  });
});

describe('Several requests', () => {
  const KINDS = ['running', 'paused', 'stopped', 'none'] as const;
  let all: string;

  /** Requests with clocks in all states, in two schedules. */
  beforeAll(async () => {
    for (let index = 0; index < 24; index += 1) {
      const kind = KINDS[index % 4];
      const path = await requestAt(
        `2026-07-06 ${String(6 + (index % 8)).padStart(2, '0')}:${10 + index}`,
        {
          Impact: IMPACT(1 + (index % 3)),
          Description: 'Sorted',
          ...(index % 2 === 0 ? { 'Service@odata.bind': `Services(${services.fast})` } : {}),
        },
      );
      if (kind === 'paused') await enter(path, '2026-07-06 14:00', 'Waiting for caller');
      if (kind === 'stopped') await enter(path, '2026-07-06 15:00', 'Resolved');
      // The level Bronze has no target for the lowest priority.
      const none = { Service: { Uid: services.slow }, Priority: { Value: 110005 } };
      if (kind === 'none') await desk.change(path, none);
    }
    all = `Description eq 'Sorted'`;
    desk.at('2026-07-07 09:00');
  });

  async function rows(options: Record<string, string>) {
    const found: { Uid: number; rest: bigint | null; passed: bigint | null }[] = [];
    let path: string | undefined = `/ServiceRequests?${TIMES}&${query(options)}`;
    while (path !== undefined) {
      const json: Body & {
        value: { Uid: number; Sla: { Remaining: string | null; Elapsed: string | null } }[];
      } = await desk.read(path);
      found.push(
        ...json.value.map(({ Uid, Sla }) => ({
          Uid,
          rest: nanoseconds(Sla.Remaining),
          passed: nanoseconds(Sla.Elapsed),
        })),
      );
      path = (json['@odata.nextLink'] as string | undefined)?.slice(desk.root.length - 1);
    }
    return found;
  }

  const byRest = (
    left: { Uid: number; rest: bigint | null },
    right: { Uid: number; rest: bigint | null },
  ) => {
    if (left.rest === right.rest) return left.Uid - right.Uid;
    if (left.rest === null || right.rest === null) return left.rest === null ? -1 : 1;
    return left.rest < right.rest ? -1 : 1;
  };
  const keys = (list: readonly { Uid: number }[]) => list.map(({ Uid }) => Uid);

  it('are sorted by remaining time, in both directions, on pages of any size', async () => {
    const expected = (await rows({ filter: all })).toSorted(byRest);
    expect(new Set(expected.map(({ rest }) => rest)).size).toBeGreaterThan(12);
    const ascending = await rows({ filter: all, orderby: 'Sla/Remaining' });
    expect(keys(ascending)).toEqual(keys(expected));
    const descending = await rows({ filter: all, orderby: 'Sla/Remaining desc' });
    expect(descending.map(({ rest }) => rest)).toEqual(
      expected.map(({ rest }) => rest).toReversed(),
    );
    for (const [skip, top] of [
      [0, 5],
      [3, 7],
      [20, 50],
    ] as const) {
      const page = await rows({
        filter: all,
        orderby: 'Sla/Remaining',
        skip: `${skip}`,
        top: `${top}`,
      });
      expect(keys(page)).toEqual(keys(expected.slice(skip, skip + top)));
    }
  });

  it('continue on the next page as of the first one, whatever passes', async () => {
    desk.at('2026-07-07 09:00');
    for (const orderby of [
      'Sla/Remaining',
      'Sla/Remaining desc',
      'Sla/Elapsed',
      'Sla/Remaining,Description desc',
      'now()',
      'Registration/DateCreated sub now()',
      'now() sub Registration/DateCreated,Description desc',
      "Registration/DateCreated lt now() sub duration'PT20H' desc",
    ]) {
      desk.at('2026-07-07 09:00');
      const whole = keys(await rows({ filter: all, orderby }));
      expect(whole).toHaveLength(24);
      const found: number[] = [];
      let path: string | undefined = `/ServiceRequests?${TIMES}&${query({ filter: all, orderby })}`;
      for (let minute = 10; path !== undefined; minute += 5) {
        const { json } = await desk.get(path, { prefer: 'maxpagesize=5' });
        found.push(...json.value.map(({ Uid }: { Uid: number }) => Uid));
        path = json['@odata.nextLink']?.slice(desk.root.length - 1);
        desk.at(`2026-07-07 09:${minute}`);
      }
      expect(found, orderby).toEqual(whole);
    }
    desk.at('2026-07-07 09:00');
  });

  it('continue on the next page of an expanded collection as of the first one, too', async () => {
    const path = await requestAt('2026-07-08 09:00');
    const uids: number[] = [];
    for (const minute of [0, 10, 20, 25]) {
      desk.at(`2026-07-08 10:${minute || '00'}`);
      const link = { 'ServiceRequest@odata.bind': path.slice(1) };
      uids.push(keyOf(await desk.create('Workorders', { Description: 'Part', ...link })));
    }
    desk.at('2026-07-08 10:30');
    const recent = "$filter=Registration/DateCreated gt now() sub duration'PT25M'";
    const expand = `Workorders($select=Uid;$orderby=Uid;${recent})`;
    const first = await desk.get(`${path}?${query({ expand })}`, { prefer: 'maxpagesize=1' });
    const found: number[] = [];
    let { Workorders: items, 'Workorders@odata.nextLink': next } = first.json;
    for (let minute = 45; ; minute += 10) {
      found.push(...items.map(({ Uid }: { Uid: number }) => Uid));
      if (next === undefined) break;
      desk.at(`2026-07-08 10:${minute}`);
      const { json } = await desk.get(next.slice(desk.root.length - 1));
      ({ value: items, '@odata.nextLink': next } = json);
    }
    expect(found).toEqual(uids.slice(1));
    desk.at('2026-07-07 09:00');
  });

  it('are filtered by remaining and elapsed time', async () => {
    desk.at('2026-07-07 09:00');
    const every = await rows({ filter: all });
    const hour = 3_600_000_000_000n;
    const cases: [string, (row: { rest: bigint | null; passed: bigint | null }) => boolean][] = [
      [`Sla/Remaining lt duration'PT1H'`, ({ rest }) => rest !== null && rest < hour],
      [`Sla/Remaining le duration'PT0S'`, ({ rest }) => rest !== null && rest <= 0n],
      [`Sla/Remaining gt duration'PT6H'`, ({ rest }) => rest !== null && rest > 6n * hour],
      [`duration'PT6H' gt Sla/Remaining`, ({ rest }) => rest !== null && rest < 6n * hour],
      // A comparison with null is false.
      [`not (Sla/Remaining ge duration'PT1H')`, ({ rest }) => rest === null || rest < hour],
      [`Sla/Remaining ne null`, ({ rest }) => rest !== null],
      [`Sla/Remaining eq null`, ({ rest }) => rest === null],
      [`Sla/Elapsed gt duration'PT5H'`, ({ passed }) => passed !== null && passed > 5n * hour],
      [
        `Sla/Remaining gt duration'-PT20H' and Sla/Remaining lt duration'PT5H'`,
        ({ rest }) => rest !== null && rest > -20n * hour && rest < 5n * hour,
      ],
    ];
    for (const [filter, holds] of cases) {
      const expected = every.filter(holds);
      const options = { filter: `${all} and ${filter}` };
      expect(keys(await rows(options)), filter).toEqual(keys(expected));
      const sorted = await rows({ ...options, orderby: 'Sla/Remaining' });
      expect(keys(sorted), filter).toEqual(keys(expected.toSorted(byRest)));
      const count = await desk.get(`/ServiceRequests/$count?${query(options)}`);
      expect(Number(count.text), filter).toBe(expected.length);
    }
  });

  it('are compared with the longest durations', async () => {
    desk.at('2026-07-07 09:00');
    const found = async (operator: string, limit: string) =>
      keys(await rows({ filter: `${all} and Sla/Remaining ${operator} duration'${limit}'` }));
    const running = keys(await rows({ filter: `${all} and Sla/Remaining ne null` }));
    expect(running.length).toBeGreaterThan(12);
    for (const [below, above] of [['lt', 'gt'] as const, ['le', 'ge'] as const]) {
      expect(await found(below, 'P106751D')).toEqual(running);
      expect(await found(above, '-P106751D')).toEqual(running);
      expect(await found(above, 'P106751D')).toEqual([]);
      expect(await found(below, '-P106751D')).toEqual([]);
    }
  });

  it('are filtered by remaining time and state', async () => {
    desk.at('2026-07-07 09:00');
    for (const state of ['Running', 'Paused', 'Stopped']) {
      for (const filter of [
        `Sla/Resolution/State/Text eq '${state}'`,
        `Sla/Resolution/State/Text in ('${state}')`,
        `Sla/Resolution/State/Text ne '${state}'`,
      ]) {
        const expected = await rows({ filter: `${all} and ${filter}` });
        expect(expected.length).toBeGreaterThan(0);
        const sorted = await rows({ filter: `${all} and ${filter}`, orderby: 'Sla/Remaining' });
        expect(keys(sorted), filter).toEqual(keys(expected.toSorted(byRest)));
        const late = await rows({
          filter: `${all} and ${filter} and Sla/Remaining lt duration'PT8H'`,
        });
        const isLate = ({ rest }: { rest: bigint | null }) =>
          rest !== null && rest < 8n * 3_600_000_000_000n;
        expect(keys(late), filter).toEqual(keys(expected.filter(isLate)));
      }
    }
  });

  it('are aggregated, grouped and computed with', async () => {
    desk.at('2026-07-07 09:00');
    const every = await rows({ filter: `${all} and Sla/Remaining ne null` });
    const apply = `filter(${all})/aggregate(Sla/Remaining with min as Least,Sla/Elapsed with max as Most)`;
    const { value } = await desk.read(`/ServiceRequests?${query({ apply })}`);
    const rests = every
      .flatMap(({ rest }) => rest ?? [])
      .toSorted((one, other) => (one < other ? -1 : 1));
    expect(nanoseconds(value[0].Least)).toBe(rests[0]);
    const grouped = await desk.read(
      `/ServiceRequests?${query({ apply: `filter(${all} and Sla/Remaining lt duration'PT1H')/groupby((Sla/Resolution/State),aggregate($count as Number))` })}`,
    );
    const sum = grouped.value.reduce(
      (total: number, { Number: one }: { Number: number }) => total + one,
      0,
    );
    expect(sum).toBe(every.filter(({ rest }) => rest !== null && rest < 3_600_000_000_000n).length);
    const [{ Hours }] = (
      await desk.read(
        `/ServiceRequests?${query({ filter: `Uid eq ${every[0]?.Uid}`, compute: 'totalseconds(Sla/Remaining) div 3600 as Hours', select: 'Hours' })}`,
      )
    ).value;
    expect(Hours).toBeCloseTo(Number(every[0]?.rest) / 3.6e12, 6);
  });

  it('reject a path of a write that depends on it with 501', async () => {
    const path = `/ServiceRequests/$filter(@f)/$each?@f=${encodeURIComponent(`Sla/Remaining lt duration'PT1H'`)}`;
    const { status, json } = await desk.send('PATCH', path, { body: { Information: 'Late' } });
    expect([status, json.error.message]).toEqual([501, expect.stringContaining('remaining time')]);
  });
});

describe('An edited schedule', () => {
  it('leaves the times of the old one until the clocks follow it (zammad/zammad#534)', async () => {
    const path = await requestAt('2026-08-03 07:00', { Impact: IMPACT(1) });
    const { schedule } = desk.levels.get('Silver') ?? { schedule: 0 };
    const windows = await desk.read(`/Schedules(${schedule})/Windows?$filter=Weekday eq 1`);
    await desk.change(`/Schedules(${schedule})/Windows(${windows.value[0].Uid})`, {
      From: '10:00:00',
    });
    expect(await timesOf(path, '2026-08-03 07:30')).toEqual(['PT30M', 'PT7H30M']);
    const applied = await desk.send('POST', `${path}/ApplyRules`, { body: {} });
    expect(applied.status, applied.text).toBeLessThan(300);
    expect(await timesOf(path, '2026-08-03 09:00')).toEqual(['PT1H', 'PT7H']);
    await desk.change(`/Schedules(${schedule})/Windows(${windows.value[0].Uid})`, {
      From: '08:00:00',
    });
  });
});

describe('The row', () => {
  const step = fc.record({
    after: fc.integer({ min: 1, max: 60 * 72 }),
    change: fc.oneof(
      fc
        .constantFrom('In progress', 'Waiting for caller', 'Waiting for supplier', 'Resolved')
        .map((Text) => ({ Status: { Text } })),
      fc.integer({ min: 1, max: 5 }).map((ordinal) => ({ Priority: { Value: 110000 + ordinal } })),
      fc
        .constantFrom(null, 'slow', 'fast')
        .map((name) => ({ Service: name === null ? null : { Uid: services[name as 'slow'] } })),
      fc.constantFrom(null, '2026-09-10T09:00:00Z').map((Deadline) => ({ Deadline })),
    ),
  });

  it('agrees with Explain for random requests', { timeout: 240_000 }, async () => {
    let from = Date.parse('2026-09-01T00:00:00Z');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 1, maxLength: 6 }),
        async (impact, steps) => {
          let time = from;
          const at = () => new Date(time).toISOString().slice(0, -1).replace('T', ' ');
          const path = await requestAt(at(), { Impact: IMPACT(impact) });
          for (const { after, change } of steps) {
            time += after * 60_000;
            desk.at(at());
            const changed = await desk.send('PATCH', path, { body: change });
            // The deadline of a clock that has stopped cannot be changed.
            const isFixed = 'Deadline' in change && changed.status === 409;
            if (isFixed) expect(changed.json.error.code).toBe('clocks.stopped');
            else expect(changed.status, changed.text).toBeLessThan(300);
            time += after * 7_001;
            desk.at(at());
            const { Sla } = await desk.read(`${path}?${TIMES}`);
            const [resolution] = (await desk.read(`${path}/Explain()`)).Clocks.slice(-1);
            expect([Sla.Elapsed, Sla.Remaining]).toEqual([
              resolution?.Elapsed ?? null,
              resolution?.Remaining ?? null,
            ]);
          }
          from += 60_000;
        },
      ),
      { numRuns: 25 },
    );
  });
});
