// This file follows service levels over HTTP: which agreement, priority and deadline a new entity gets, and how they change with what they
// depend on. Times are UTC unless a comment says otherwise; the schedules are in Amsterdam.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER, MEMBER, ORGANIZATION } from './records.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

const P1 = { Value: 110001 };
const P2 = { Value: 110002 };
const IMPACT = (ordinal: number) => ({ Value: 111000 + ordinal });

let desk: LevelDesk;
beforeAll(async () => {
  desk = await openLevelDesk('2026-03-27 15:30');
});
afterAll(async () => await desk?.close());

/** A new request at a time. */
async function requestAt(time: string, body: Body = {}) {
  desk.at(time);
  const path = await desk.create('ServiceRequests', { Description: 'Printer', ...body });
  return { path, ...(await desk.read(path)) };
}

/** A new agreement of a level for a service. */
async function agreement(level: string, service: string, body: Body = {}): Promise<number> {
  const path = await desk.create('ServiceLevelAgreements', {
    Name: `${level} for ${service}`,
    Status: { Value: 219002 },
    'ServiceLevel@odata.bind': `ServiceLevels(${desk.levels.get(level)?.level})`,
    'Service@odata.bind': service.slice(1),
    ...body,
  });
  return Number(/\d+/.exec(path)?.[0]);
}

let services = 0;
const service = (body: Body = {}) =>
  desk.create('Services', { Name: `Service ${services++}`, ...body });

/** The names of the agreement and the level that a new request gets. */
async function chosenFor(body: Body) {
  const path = await desk.create('ServiceRequests', { Description: 'Printer', ...body });
  const json = await desk.read(
    `${path}?$select=Uid,Sla&$expand=ServiceLevelAgreement($select=Uid),Sla/ServiceLevel($select=Name)`,
  );
  return [json.ServiceLevelAgreement?.Uid ?? null, json.Sla.ServiceLevel?.Name ?? null];
}

const OPEN = { Value: 200001 };
const DEADLINE = '$select=Deadline,DeadlineIsManual,Priority,PriorityIsManual,Sla';

describe('A new request', () => {
  it.each([
    ['over a change of the clocks', '2026-03-27 15:30', 2, '2026-03-30 14:30', '2026-03-27 16:30'],
    ['on a Saturday', '2026-03-28 09:00', 1, '2026-03-30 14:00', '2026-03-30 06:30'],
    ['exactly at closing', '2026-06-01 16:00', 1, '2026-06-02 14:00', '2026-06-02 06:30'],
    ['to the second', '2026-06-05 15:59:30', 1, '2026-06-08 13:59:30', '2026-06-08 06:29:30'],
  ])('gets the deadlines of the default level %s', async (_, start, impact, due, response) => {
    const made = await requestAt(start, { Impact: IMPACT(impact) });
    expect([made.Deadline, made.DeadlineIsManual]).toEqual([shown(due), false]);
    expect(made.Sla).toMatchObject({
      ResolveDeadline: shown(due),
      ResponseDeadline: shown(response),
      State: { Text: 'Running', ...OPEN },
      Response: { State: { Value: 200001 }, Outcome: null, Mark: null },
      Resolution: { State: { Value: 200001 }, Outcome: null, Mark: null },
    });
  });

  it('has the priority of its impact, and targets of that priority', async () => {
    const made = await requestAt('2026-06-08 07:00', { Impact: IMPACT(3) });
    expect([made.Priority.Value, made.PriorityIsManual]).toEqual([110003, false]);
    expect(made.Deadline).toBe(shown('2026-06-11 07:00'));
  });

  it('keeps a priority of its own, which decides about the targets', async () => {
    const made = await requestAt('2026-06-08 07:00', { Impact: IMPACT(3), Priority: P1 });
    expect([made.Priority.Value, made.PriorityIsManual]).toEqual([110001, true]);
    expect(made.Deadline).toBe(shown('2026-06-08 15:00'));
  });

  it('has a higher priority if its caller is a VIP, but none above the highest', async () => {
    const vip = await desk.create('Persons', { LastName: 'Vip', Category: { Value: 151005 } });
    const bind = { 'Caller@odata.bind': vip.slice(1) };
    const two = await requestAt('2026-06-08 07:00', { Impact: IMPACT(3), ...bind });
    expect([two.Priority.Value, two.PriorityIsManual]).toEqual([110002, false]);
    const one = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1), ...bind });
    expect(one.Priority.Value).toBe(110001);
  });

  it('keeps a deadline of its own, but not a null', async () => {
    const Deadline = '2026-07-01T12:00:00Z';
    const own = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1), Deadline });
    expect([own.Deadline, own.DeadlineIsManual]).toEqual([shown('2026-07-01 12:00'), true]);
    const computed = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1), Deadline: null });
    expect([computed.Deadline, computed.DeadlineIsManual]).toEqual([
      shown('2026-06-08 15:00'),
      false,
    ]);
  });

  it('keeps a deadline of any year, without the working time until then', async () => {
    const path = await desk.create('ServiceRequests', { Description: 'x', Impact: IMPACT(1) });
    const select = '?$select=Deadline,Sla/State,Sla/Remaining,Sla/NextMark';
    for (const Deadline of ['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z']) {
      const began = performance.now();
      expect(await desk.send('PATCH', path, { body: { Deadline } })).toMatchObject({ status: 204 });
      // 8,000 years of working time would take 15 s.
      expect(performance.now() - began).toBeLessThan(3000);
      const { json } = await desk.get(path + select);
      expect(json.Deadline.slice(0, 10)).toBe(Deadline.slice(0, 10));
      expect(json.Sla).toMatchObject({ State: expect.anything(), Remaining: null });
      const explained = await desk.get(`${path}/Explain()`);
      expect(explained.status).toBe(200);
    }
    await desk.send('PATCH', path, { body: { Deadline: null } });
    expect((await desk.get(path + select)).json.Sla.Remaining).toMatch(/^P/);
  });

  it.each(['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])(
    'has no clocks if it starts in another century: %s',
    async (DetectedAt) => {
      const path = await desk.create('Incidents', { Description: 'x', DetectedAt });
      const { json } = await desk.get(path);
      expect(json.Sla).toMatchObject({ ResolveDeadline: null, State: null, NextMark: null });
      expect((await desk.get(`${path}/Explain()`)).status).toBe(200);
      const body = { DetectedAt: '2026-06-08T07:00:00Z', Impact: IMPACT(1) };
      await desk.send('PATCH', path, { body });
      expect((await desk.get(path)).json.Sla.ResolveDeadline).toMatch(/^2026/);
    },
  );

  it('has one default level, which one request can replace', async () => {
    const [gold, silver] = ['Gold', 'Silver'].map((name) => desk.levels.get(name)?.level);
    const second = { body: { Name: 'Other', IsDefault: true } };
    const taken = (target: string) => ({ code: 'clocks.default-level', target });
    const made = await desk.send('POST', '/ServiceLevels', second);
    expect([made.status, made.json.error]).toMatchObject([409, taken('IsDefault')]);
    const changed = await desk.send('PATCH', `/ServiceLevels(${gold})`, second);
    expect([changed.status, changed.json.error]).toMatchObject([409, taken('IsDefault')]);
    const blocked = { Name: 'Later', IsDefault: true, Blocked: true };
    const later = await desk.create('ServiceLevels', blocked);
    const unblocked = await desk.send('PATCH', later, { body: { Blocked: false } });
    expect([unblocked.status, unblocked.json.error]).toMatchObject([409, taken('Blocked')]);
    const replace = async (former: unknown, next: unknown) =>
      await desk.send('PATCH', '/ServiceLevels', {
        headers: { 'OData-Version': '4.01' },
        body: {
          '@context': '#$delta',
          value: [
            { '@id': `ServiceLevels(${next})`, IsDefault: true },
            { '@id': `ServiceLevels(${former})`, IsDefault: false },
          ],
        },
      });
    expect((await replace(silver, gold)).status).toBeLessThan(300);
    expect((await replace(gold, silver)).status).toBeLessThan(300);
  });

  it('cannot be promised in less than no time', async () => {
    const path = `/ServiceLevels(${desk.levels.get('Gold')?.level})/PriorityImpactSettings`;
    const body = { Impact: IMPACT(1), ResponseDuration: '-PT1H', ResolveDuration: '-PT1S' };
    const { status, json } = await desk.send('POST', path, { body });
    expect([status, json.error.code]).toEqual([400, 'write.body']);
    const { details } = json.error;
    expect(details.map(({ target }: { target: string }) => target)).toEqual([
      'ResponseDuration',
      'ResolveDuration',
    ]);
  });

  it('without a target has no clock and is not breached (frappe/helpdesk#1643)', async () => {
    const bronze = await service();
    await agreement('Bronze', bronze);
    const made = await requestAt('2026-06-08 07:00', {
      Impact: IMPACT(5),
      Urgency: { Value: 112004 },
      'Service@odata.bind': bronze.slice(1),
    });
    // The level has no priority for the impact, so that the matrix of impact and urgency decides.
    expect([made.Priority.Value, made.Deadline, made.Sla.State]).toEqual([110005, null, null]);
    expect(made.Sla.Resolution).toMatchObject({ State: null, Outcome: null });
  });

  it('is calculated in batches, upserts and deep inserts, too', async () => {
    desk.at('2026-06-08 07:00');
    const body = { Description: 'In a batch', Impact: IMPACT(1) };
    const requests = [{ id: '1', method: 'POST', url: 'ServiceRequests', body }];
    const batch = await desk.send('POST', '/$batch', { body: { requests } });
    expect(batch.json.responses[0].body.Deadline).toBe(shown('2026-06-08 15:00'));
    const deep = await desk.create('Workorders', {
      Description: 'Inside',
      ServiceRequest: { Description: 'Deep', Impact: IMPACT(1) },
    });
    const inner = await desk.read(`${deep}/ServiceRequest`);
    expect(inner.Deadline).toBe(shown('2026-06-08 15:00'));
  });

  it('is new: it has one version, and no history of what was calculated', async () => {
    const { path } = await requestAt('2026-06-08 07:00', { Impact: IMPACT(1) });
    const { value } = await desk.read(`${path}/HistoryLines`);
    expect(value).toEqual([]);
  });
});

describe('The agreement', () => {
  it('is that of the service, or of the nearest parent that has one', async () => {
    const top = await service();
    const middle = await service({ 'ParentService@odata.bind': top.slice(1) });
    const leaf = await service({ 'ParentService@odata.bind': middle.slice(1) });
    const gold = await agreement('Gold', top);
    expect(await chosenFor({ 'Service@odata.bind': leaf.slice(1) })).toEqual([gold, 'Gold']);
    const bronze = await agreement('Bronze', middle);
    expect(await chosenFor({ 'Service@odata.bind': leaf.slice(1) })).toEqual([bronze, 'Bronze']);
    expect(await chosenFor({ 'Service@odata.bind': top.slice(1) })).toEqual([gold, 'Gold']);
  });

  it('ranks the caller before the organization, its parents, and agreements for all', async () => {
    const top = await service();
    const parent = await desk.create('Organizations', { Name1: 'Group', Searchcode: 'GROUP' });
    const child = await desk.create('Organizations', {
      Name1: 'Unit',
      Searchcode: 'UNIT',
      'ParentOrganization@odata.bind': parent.slice(1),
    });
    const bind = {
      'Service@odata.bind': top.slice(1),
      'Caller@odata.bind': `Persons(${CALLER})`,
      'CallerOrganization@odata.bind': child.slice(1),
    };
    const persons = { 'ReceiverPersons@odata.bind': [`Persons(${CALLER})`] };
    const organizations = (path: string) => ({
      'ReceiverOrganizations@odata.bind': [path.slice(1)],
    });
    const other = { 'ReceiverOrganizations@odata.bind': [`Organizations(${ORGANIZATION})`] };
    await agreement('Gold', top, other);
    expect(await chosenFor(bind)).toEqual([null, 'Silver']);
    const everybody = await agreement('Bronze', top);
    expect(await chosenFor(bind)).toEqual([everybody, 'Bronze']);
    const group = await agreement('Gold', top, organizations(parent));
    expect(await chosenFor(bind)).toEqual([group, 'Gold']);
    const unit = await agreement('Bronze', top, organizations(child));
    expect(await chosenFor(bind)).toEqual([unit, 'Bronze']);
    const own = await agreement('Gold', top, persons);
    expect(await chosenFor(bind)).toEqual([own, 'Gold']);
  });

  it('counts only while it is active and valid; the lowest Priority comes first, then the lowest key', async () => {
    desk.at('2026-06-08 07:00');
    const top = await service();
    const bind = { 'Service@odata.bind': top.slice(1) };
    await agreement('Gold', top, { Status: { Value: 219001 } });
    await agreement('Gold', top, { Blocked: true });
    await agreement('Gold', top, { ActualFinish: '2026-06-08T07:00:00Z' });
    await agreement('Gold', top, { ActualStart: '2026-06-08T07:00:01Z' });
    expect(await chosenFor(bind)).toEqual([null, 'Silver']);
    const first = await agreement('Gold', top, { ActualStart: '2026-06-08T07:00:00Z' });
    await agreement('Bronze', top);
    expect(await chosenFor(bind)).toEqual([first, 'Gold']);
    const urgent = await agreement('Bronze', top, { Priority: 1 });
    expect(await chosenFor(bind)).toEqual([urgent, 'Bronze']);
  });

  it('sees what the same transaction has changed, and nothing that was rolled back', async () => {
    const top = await service();
    const bind = { 'Service@odata.bind': top.slice(1) };
    const create = { Description: 'Printer', ...bind };
    const body = {
      Name: 'Gold',
      Status: { Value: 219002 },
      'ServiceLevel@odata.bind': `ServiceLevels(${desk.levels.get('Gold')?.level})`,
      ...bind,
    };
    const group = (last: object) => ({
      requests: [
        { id: '1', atomicityGroup: 'g', method: 'POST', url: 'ServiceLevelAgreements', body },
        { id: '2', atomicityGroup: 'g', method: 'POST', url: 'ServiceRequests', body: create },
        { id: '3', atomicityGroup: 'g', ...last },
      ],
    });
    const bad = group({ method: 'POST', url: 'ServiceRequests', body: { Description: '' } });
    const failed = await desk.send('POST', '/$batch', { body: bad });
    expect(failed.json.responses.map(({ status }: { status: number }) => status)).toContain(400);
    expect(await chosenFor(bind)).toEqual([null, 'Silver']);
    const good = group({ method: 'POST', url: 'ServiceRequests', body: create });
    const done = await desk.send('POST', '/$batch', { body: good });
    const uid = done.json.responses[1].body.Uid;
    const level = await desk.read(`/ServiceRequests(${uid})/Sla/ServiceLevel`);
    expect(level.Name).toBe('Gold');
  });
});

describe('An incident', () => {
  it('starts when it was detected, and uses the organization of its caller', async () => {
    desk.at('2026-06-08 09:00');
    const path = await desk.create('Incidents', {
      Description: 'Mail is down',
      Impact: IMPACT(1),
      DetectedAt: '2026-06-08T07:00:00Z',
    });
    expect((await desk.read(path)).Deadline).toBe(shown('2026-06-08 15:00'));
    const top = await service();
    const gold = await agreement('Gold', top, {
      'ReceiverOrganizations@odata.bind': [`Organizations(${ORGANIZATION})`],
    });
    const own = await desk.create('Incidents', {
      Description: 'Mail is down',
      'Caller@odata.bind': `Persons(${CALLER})`,
      'Service@odata.bind': top.slice(1),
    });
    expect((await desk.read(`${own}/ServiceLevelAgreement`)).Uid).toBe(gold);
  });
});

describe('A change', () => {
  it('of the impact calculates again from the original start, and is recorded', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(3) });
    desk.at('2026-06-01 07:20');
    const changed = await desk.change(`${path}?${DEADLINE}`, { Impact: IMPACT(2) });
    expect([changed.Priority.Value, changed.Deadline]).toEqual([110002, shown('2026-06-02 07:00')]);
    const { value } = await desk.read(`${path}/HistoryLines?$select=Attribute,OldValue,NewValue`);
    const attributes = value.map(({ Attribute }: { Attribute: string }) => Attribute).sort();
    expect(attributes).toEqual(['Deadline', 'Impact', 'Priority']);
    const priority = value.find(({ Attribute }: { Attribute: string }) => Attribute === 'Priority');
    expect(priority).toMatchObject({ OldValue: 'Medium', NewValue: 'High' });
  });

  it('of the service, by a reference, chooses the agreement again', async () => {
    const top = await service();
    const gold = await agreement('Gold', top);
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const body = { '@odata.id': top.slice(1) };
    const { status } = await desk.send('PUT', `${path}/Service/$ref`, { body });
    expect(status).toBe(204);
    expect((await desk.read(`${path}/ServiceLevelAgreement`)).Uid).toBe(gold);
    expect((await desk.read(path)).Deadline).toBe(shown('2026-06-01 11:00'));
  });

  it('of the deadline freezes it until it is cleared', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const Deadline = '2026-06-20T12:00:00Z';
    const own = await desk.change(`${path}?${DEADLINE}`, { Deadline });
    expect([own.Deadline, own.DeadlineIsManual]).toEqual([shown('2026-06-20 12:00'), true]);
    const kept = await desk.change(`${path}?${DEADLINE}`, { Impact: IMPACT(2) });
    expect([kept.Priority.Value, kept.Deadline]).toEqual([110002, shown('2026-06-20 12:00')]);
    const cleared = await desk.change(`${path}?${DEADLINE}`, { Deadline: null });
    expect([cleared.Deadline, cleared.DeadlineIsManual]).toEqual([
      shown('2026-06-02 07:00'),
      false,
    ]);
  });

  it('of the priority freezes it until it is cleared', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(3) });
    const own = await desk.change(`${path}?${DEADLINE}`, { Priority: P2 });
    expect([own.PriorityIsManual, own.Deadline]).toEqual([true, shown('2026-06-02 07:00')]);
    const kept = await desk.change(`${path}?${DEADLINE}`, { Impact: IMPACT(1) });
    expect(kept.Priority.Value).toBe(110002);
    const cleared = await desk.change(`${path}?${DEADLINE}`, { Priority: null });
    expect([cleared.Priority.Value, cleared.PriorityIsManual]).toEqual([110001, false]);
    expect(cleared.Deadline).toBe(shown('2026-06-01 15:00'));
  });

  it('that clears the impact clears the priority and the deadline, too', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const cleared = await desk.change(`${path}?${DEADLINE}`, { Impact: null });
    expect(cleared).toMatchObject({ Priority: null, PriorityIsManual: false, Deadline: null });
    expect(cleared.Sla).toMatchObject({ ResolveDeadline: null, State: null, NextMark: null });
    const again = await desk.change(`${path}?${DEADLINE}`, { Impact: IMPACT(1) });
    expect(again.Deadline).toBe(shown('2026-06-01 15:00'));
  });

  it('of other members changes nothing else: same version of the clocks, one history line', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    desk.at('2026-06-03 07:00');
    const changed = await desk.change(`${path}?${DEADLINE}`, { Solution: 'Turn it on' });
    expect(changed.Sla.State).toMatchObject(OPEN);
    const { value } = await desk.read(`${path}/HistoryLines?$select=Attribute`);
    expect(value).toMatchObject([{ Attribute: 'Solution' }]);
    expect(value).toHaveLength(1);
  });

  it('by a client of what is calculated is ignored or rejected', async () => {
    const { path, Sla } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const body = { DeadlineIsManual: true, Sla: { ResolveDeadline: null } };
    const { status } = await desk.send('PATCH', path, { body });
    expect(status).toBeLessThan(500);
    const after = await desk.read(path);
    expect([after.DeadlineIsManual, after.Sla]).toEqual([false, Sla]);
  });
});

describe('The status', () => {
  it('raises the version by one, with the clocks and the kept data that follow from it', async () => {
    desk.at('2026-06-01 07:00');
    const path = await desk.create('ServiceRequests', { Description: 'Printer' });
    const versionOf = (tag: unknown) => Number(/^W\/"(\d+)"$/.exec(String(tag))?.[1]);
    let version = versionOf((await desk.read(path))['@odata.etag']);
    expect(version).toBe(1);
    for (const Text of ['In progress', 'Waiting for caller', 'In progress', 'Resolved', 'Closed']) {
      desk.at(`2026-06-01 07:${10 + version}`);
      const body = { Status: { Text } };
      const { status, headers } = await desk.send('PATCH', path, {
        body,
        headers: { 'if-match': `W/"${version}"` },
      });
      expect(status).toBe(204);
      version += 1;
      expect(versionOf(headers.etag), Text).toBe(version);
      const stored = await desk.read(path);
      expect(versionOf(stored['@odata.etag'])).toBe(version);
      expect(stored.Registration.DateModified).toBe(shown(`2026-06-01 07:${9 + version}`));
    }
    const { ActualStart, ClosedAt, Sla } = await desk.read(path);
    expect([ActualStart, ClosedAt]).toEqual([shown('2026-06-01 07:11'), shown('2026-06-01 07:15')]);
    expect(Sla).toMatchObject({ PausedTotal: 'PT1M', Resolution: { State: { Text: 'Stopped' } } });
  });

  const STATUS = (ordinal: number) => ({ Status: { Value: 101000 + ordinal } });
  const [ASSIGNED, WORK, WAIT, APPROVE, RESOLVED, CLOSED, CANCELLED] = [2, 3, 4, 6, 8, 9, 10].map(
    STATUS,
  );
  /** Changes the status at a time, and returns the clocks. */
  async function moved(path: string, time: string, body: Body = {}) {
    desk.at(time);
    return await desk.change(`${path}?${DEADLINE}`, body);
  }
  const OUTCOMES = { MET: { Value: 200004 }, BREACHED: { Value: 200005 } };

  it('pauses the clock in working time (frappe/helpdesk#2449, frappe/erpnext#49414)', async () => {
    const { path } = await requestAt('2026-03-27 15:30', { Impact: IMPACT(2) });
    const waiting = await moved(path, '2026-03-30 08:00', WAIT);
    expect(waiting.Sla.State).toMatchObject({ Text: 'Paused' });
    expect(waiting.Deadline).toBe(shown('2026-03-30 14:30'));
    const resumed = await moved(path, '2026-03-30 10:00', WORK);
    expect(resumed.Deadline).toBe(shown('2026-03-31 06:30'));
    expect(resumed.Sla).toMatchObject({ State: OPEN, PausedTotal: 'PT2H' });
  });

  it.each([
    ['2026-06-01 07:00', 2, '2026-06-01 15:00', '2026-06-02 07:00', '2026-06-02 09:00', 'PT2H'],
    ['2026-06-05 14:00', 1, '2026-06-05 16:30', '2026-06-08 05:30', '2026-06-08 12:00', 'PT0S'],
    ['2026-10-23 13:00', 1, '2026-10-23 14:00', '2026-10-26 09:00', '2026-10-26 16:00', 'PT4H'],
  ])('pauses a request of %s over closed hours', async (start, impact, from, to, due, paused) => {
    const { path } = await requestAt(start, { Impact: IMPACT(impact) });
    await moved(path, from, WAIT);
    const { Deadline, Sla } = await moved(path, to, WORK);
    expect([Deadline, Sla.PausedTotal]).toEqual([shown(due), paused]);
  });

  it('keeps the pauses when the priority changes (glpi-project/glpi#6902, #15605)', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(3) });
    await moved(path, '2026-06-01 08:00', WAIT);
    expect((await moved(path, '2026-06-01 09:00', WORK)).Deadline).toBe(shown('2026-06-04 08:00'));
    const changed = await moved(path, '2026-06-01 10:00', { Priority: P2 });
    expect(changed.Deadline).toBe(shown('2026-06-02 08:00'));
  });

  it('of a request whose target has become shorter than the time that has passed: breached', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(4) });
    const { Deadline, Sla } = await moved(path, '2026-06-03 10:00', { Priority: P1 });
    expect(Deadline).toBe(shown('2026-06-01 15:00'));
    expect(Sla).toMatchObject({
      State: { Text: 'Breached' },
      Resolution: { State: OPEN, Outcome: OUTCOMES.BREACHED, Mark: 100 },
    });
  });

  // frappe/erpnext#28752: one status for two clocks.
  it('meets the response with any status in which somebody works on it, once and for all', async () => {
    for (const status of [WORK, WAIT, RESOLVED]) {
      const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
      const { Sla } = await moved(path, '2026-06-01 07:29', status);
      expect(Sla).toMatchObject({
        RespondedAt: shown('2026-06-01 07:29'),
        Response: { State: { Value: 200003 }, Outcome: OUTCOMES.MET },
      });
      const back = await moved(path, '2026-06-01 08:00', ASSIGNED);
      expect(back.Sla).toMatchObject({ RespondedAt: shown('2026-06-01 07:29') });
    }
  });

  // The account that asks is that of the caller.
  const NOTE = { Information: 'We are looking at it', Visibility: { Value: 203002 } };
  const callerIs = (key: number) => ({ 'Caller@odata.bind': `Persons(${key})` });
  async function noteAt(path: string, time: string, note: Body) {
    desk.at(time);
    await desk.create(`${path.slice(1)}/HistoryLines`, note);
    return (await desk.read(`${path}?${DEADLINE}`)).Sla;
  }

  // zammad/zammad#5177: a later target hid that of the first response.
  it.each([
    ['MET', '2026-06-01 07:30'],
    ['BREACHED', '2026-06-01 07:31'],
  ] as const)('has %s the response with the first public note of an agent', async (outcome, at) => {
    const body = { Impact: IMPACT(1), ...callerIs(MEMBER) };
    const { path } = await requestAt('2026-06-01 07:00', body);
    const internal = { ...NOTE, Visibility: { Value: 203001 } };
    expect(await noteAt(path, '2026-06-01 07:10', internal)).toMatchObject({
      RespondedAt: null,
      Response: { State: OPEN, Outcome: null },
    });
    const met = { RespondedAt: shown(at), Response: { Outcome: OUTCOMES[outcome] } };
    expect(await noteAt(path, at, NOTE)).toMatchObject({ ...met, Resolution: { State: OPEN } });
    expect(await noteAt(path, '2026-06-01 08:00', NOTE)).toMatchObject(met);
    expect((await moved(path, '2026-06-01 09:00', WORK)).Sla).toMatchObject(met);
  });

  it('does not meet the response with a note of the caller', async () => {
    const body = { Impact: IMPACT(1), ...callerIs(CALLER) };
    const { path } = await requestAt('2026-06-01 07:00', body);
    expect(await noteAt(path, '2026-06-01 07:10', NOTE)).toMatchObject({ RespondedAt: null });
  });

  it('meets the response with a note that is created with the request, or in its change', async () => {
    const HistoryLines = [NOTE];
    const body = { Impact: IMPACT(1), ...callerIs(MEMBER) };
    const { Sla } = await requestAt('2026-06-01 07:00', { ...body, HistoryLines });
    expect(Sla).toMatchObject({ RespondedAt: shown('2026-06-01 07:00') });
    const { path } = await requestAt('2026-06-01 07:00', body);
    const changed = await moved(path, '2026-06-01 07:05', { 'HistoryLines@delta': HistoryLines });
    expect(changed.Sla).toMatchObject({ RespondedAt: shown('2026-06-01 07:05') });
  });

  it('is met if it stops exactly at the deadline, and breached a second later', async () => {
    for (const [time, outcome] of [
      ['2026-06-01 15:00:00', OUTCOMES.MET],
      ['2026-06-01 15:00:01', OUTCOMES.BREACHED],
    ] as const) {
      const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
      const { Sla } = await moved(path, time, RESOLVED);
      expect(Sla).toMatchObject({ ResolvedAt: shown(time), Resolution: { Outcome: outcome } });
      expect(Sla.State).toMatchObject(outcome);
    }
  });

  it('ends a pause that goes directly to resolved (frappe/helpdesk#3776)', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    await moved(path, '2026-06-01 14:00', WAIT);
    const { Sla, Deadline } = await moved(path, '2026-06-02 09:00', RESOLVED);
    expect(Sla).toMatchObject({ State: OUTCOMES.MET, PausedTotal: 'PT5H' });
    expect(Deadline).toBe(shown('2026-06-02 10:00'));
  });

  it('does not calculate the result again from resolved to closed (frappe/helpdesk#3297)', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const resolved = await moved(path, '2026-06-01 09:00', RESOLVED);
    const closed = await moved(path, '2026-06-20 09:00', CLOSED);
    expect(closed.Sla).toEqual(resolved.Sla);
    const changed = await moved(path, '2026-06-20 10:00', { Impact: IMPACT(3) });
    expect(changed.Sla.ResolveDeadline).toBe(resolved.Sla.ResolveDeadline);
  });

  const OTHER = { Deadline: '2020-01-01T00:00:00Z' };

  it('keeps the deadline of a stopped clock, which null leaves as it is', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const { Deadline, Sla } = await moved(path, '2026-06-01 09:00', RESOLVED);
    for (const body of [{ Deadline: null }, { Deadline }]) {
      const kept = await moved(path, '2026-06-02 09:00', body);
      expect(kept).toMatchObject({ Deadline, DeadlineIsManual: false, Sla });
    }
    const replaced = await desk.send('PUT', path, { body: { Description: 'x', ...RESOLVED } });
    expect(replaced.status, replaced.text).toBe(204);
    expect(await desk.read(`${path}?${DEADLINE}`)).toMatchObject({ Deadline, Sla });
  });

  it('keeps the deadline that was set by hand with the change that stops the clock', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const manual = { Deadline: shown('2020-01-01 00:00'), DeadlineIsManual: true };
    const stopped = await moved(path, '2026-06-01 08:00', { ...OTHER, ...RESOLVED });
    expect(stopped).toMatchObject({ ...manual, Sla: { State: OUTCOMES.BREACHED } });
    expect(await moved(path, '2026-06-02 09:00', { Deadline: null })).toMatchObject(manual);
  });

  it.each<[string, Body, Body]>([
    ['ServiceRequests', { Status: { Text: 'Resolved' } }, { Status: { Text: 'In progress' } }],
    ['Incidents', { Status: { Text: 'Restored' } }, { Status: { Text: 'In progress' } }],
  ])(
    'of %s rejects another deadline of a stopped clock, unless it reopens',
    async (set, ended, reopened) => {
      desk.at('2026-06-01 07:00');
      const path = await desk.create(set, { Description: 'x', Impact: IMPACT(1) });
      const stopped = await desk.change(path, ended);
      const { status, json } = await desk.send('PATCH', path, { body: OTHER });
      expect([status, json.error.code, json.error.target]).toEqual([
        409,
        'clocks.stopped',
        'Deadline',
      ]);
      const each = `/${set}/$filter(@f)/$each?@f=Uid eq ${stopped.Uid}`;
      expect(await desk.send('PATCH', each, { body: OTHER })).toMatchObject({ status: 409 });
      expect(await desk.read(path)).toEqual(stopped);
      const running = await desk.change(path, { ...OTHER, ...reopened });
      expect(running).toMatchObject({
        Deadline: shown('2020-01-01 00:00'),
        DeadlineIsManual: true,
        Sla: { Resolution: { State: OPEN, Outcome: OUTCOMES.BREACHED } },
      });
    },
  );

  it.each([
    ['resolved', RESOLVED],
    ['closed (zammad/zammad#188)', CLOSED],
  ])('continues the clock when it reopens from %s', async (_, ended) => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(2) });
    await moved(path, '2026-06-01 16:00', ended);
    const { Deadline, Sla } = await moved(path, '2026-06-03 10:00', WORK);
    expect(Deadline).toBe(shown('2026-06-03 11:00'));
    expect(Sla).toMatchObject({ State: OPEN, ResolvedAt: null, Resolution: { Outcome: null } });
  });

  it('cancels: neither met nor breached', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    const { Sla } = await moved(path, '2026-06-05 09:00', CANCELLED);
    expect(Sla.State).toMatchObject({ Text: 'Stopped' });
    expect(Sla.Resolution.Outcome).toMatchObject({ Text: 'Cancelled' });
  });

  it('does not breach while it pauses, nor is it due (glpi-project/glpi#24481)', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    await moved(path, '2026-06-01 08:00', APPROVE);
    const { Sla } = await moved(path, '2026-06-10 08:00', { Priority: P1 });
    expect(Sla).toMatchObject({ State: { Text: 'Paused' }, NextMark: null });
    expect(Sla.Resolution.Outcome).toBeNull();
  });

  it('does not move a deadline that was set by hand', async () => {
    const { path } = await requestAt('2026-06-01 07:00', { Impact: IMPACT(1) });
    await moved(path, '2026-06-01 07:00', { Deadline: '2026-06-02T12:00:00Z' });
    await moved(path, '2026-06-01 08:00', WAIT);
    const { Deadline, Sla } = await moved(path, '2026-06-02 08:00', WORK);
    expect([Deadline, Sla.ResolveDeadline]).toEqual([
      shown('2026-06-02 12:00'),
      shown('2026-06-02 12:00'),
    ]);
  });
});
