// This file reads the events of changes from positions of the change log: what each tells, in which order they come, where reading
// continues, and that snapshots, delta links and events hand over to each other without a gap or a repetition.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteChanges } from '../../src/changes/retention.ts';
import { type Event, writeEvent } from '../../src/service/events/event.ts';
import { newestPosition, readEvents } from '../../src/service/events/read-events.ts';
import type { Watch } from '../../src/service/events/watch.ts';
import { type Desk, openDesk, principalNamed } from './desk.ts';
import { CALLER, MEMBER, REQUEST } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const ROOT = 'https://desk.example/odata/';

async function read(watch: Watch, after: string, limit = 100, account = 'admin') {
  const principal = await principalNamed(desk.service, account);
  return await readEvents(desk.service, { principal, watch, after, limit, root: ROOT });
}

const now = () => newestPosition(desk.service);
const told = (events: readonly Event[]) => events.map(({ kind, subject }) => `${kind} ${subject}`);

async function send(method: string, path: string, body?: unknown) {
  const answer = await desk.send(method, path, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
}

/** All events, in pages of a size. Between the pages something else may happen. */
async function readAll(watch: Watch, after: string, limit: number, between = async () => {}) {
  const events: Event[] = [];
  for (let position = after; ; ) {
    const page = await read(watch, position, limit);
    events.push(...page.events);
    // A page that does not advance would never end.
    expect(page.position).not.toBe(position);
    position = page.position;
    if (!page.more) return { events, position };
    await between();
  }
}

describe('An event, CloudEvents 1.0', () => {
  it('has the required attributes, the record as OData JSON with its context, and the time of the change', async () => {
    const start = await now();
    await send('PATCH', `/Persons(${CALLER})`, { Jobtitle: 'Clerk' });
    const { events } = await read({ set: 'Persons', select: 'Uid,Jobtitle' }, start);
    expect(events.map((event) => JSON.parse(writeEvent(event)))).toEqual([
      {
        specversion: '1.0',
        id: `${await now()}-${CALLER}`,
        source: ROOT,
        type: 'docket.Persons.updated',
        subject: `Persons(${CALLER})`,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        datacontenttype: 'application/json',
        data: {
          '@context': `${ROOT}$metadata#Persons(Uid,Jobtitle)/$entity`,
          '@etag': expect.any(String),
          Uid: CALLER,
          Jobtitle: 'Clerk',
        },
      },
    ]);
  });

  it('tells what is new, has changed, has left the filter and was deleted', async () => {
    const start = await now();
    const watch = { set: 'Persons', filter: "LastName eq 'Watched'", select: 'Uid' };
    const make = async (LastName: string) => (await send('POST', '/Persons', { LastName })).Uid;
    const [stays, leaves, goes] = [
      await make('Watched'),
      await make('Watched'),
      await make('Watched'),
    ];
    const enters = await make('Else');
    const first = await read(watch, start);
    expect(told(first.events)).toEqual(
      [stays, leaves, goes].map((uid) => `created Persons(${uid})`),
    );
    await send('DELETE', `/Persons(${goes})`);
    await send('PATCH', `/Persons(${leaves})`, { LastName: 'Else' });
    await send('PATCH', `/Persons(${enters})`, { LastName: 'Watched' });
    const { events } = await read(watch, first.position);
    expect(told(events)).toEqual([
      `deleted Persons(${goes})`,
      `removed Persons(${leaves})`,
      `updated Persons(${enters})`,
    ]);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({
      '@removed': { reason: 'changed' },
      '@id': `Persons(${leaves})`,
    });
    const some = await read({ ...watch, kinds: ['deleted'] }, first.position);
    expect(told(some.events)).toEqual([`deleted Persons(${goes})`]);
    expect(some.position).toBe(await now());
    expect(told((await read(watch, start)).events), 'one that came and went').not.toContain(
      `deleted Persons(${goes})`,
    );
  });
});

describe('Positions', () => {
  it('several changes are one event of the latest state, in the order of the last changes', async () => {
    const start = await now();
    await send('PATCH', `/Persons(${MEMBER})`, { Jobtitle: 'one' });
    await send('PATCH', `/Persons(${CALLER})`, { Jobtitle: 'two' });
    await send('PATCH', `/Persons(${MEMBER})`, { Jobtitle: 'three' });
    const { events, more } = await read({ set: 'Persons', select: 'Jobtitle' }, start);
    expect(events.map(({ data }) => JSON.parse(data).Jobtitle)).toEqual(['two', 'three']);
    expect(more).toBe(false);
  });

  it('records that one change concerns are split between pages of any size, and each comes once', async () => {
    const { Uid: organization } = await send('POST', '/Organizations', { Name1: 'Split' });
    const people: number[] = [];
    for (let index = 0; index < 5; index++)
      people.push(
        (
          await send('POST', '/Persons', {
            LastName: `P${index}`,
            'Organization@odata.bind': `/Organizations(${organization})`,
          })
        ).Uid,
      );
    const watch = { set: 'Persons', select: 'Uid', expand: 'Organization($select=Name1)' };
    const start = await now();
    await send('PATCH', `/Organizations(${organization})`, { Name1: 'Renamed' });
    await send('PATCH', `/Persons(${people[1]})`, { Jobtitle: 'later' });
    const [first, second, ...others] = people;
    const order = [first, ...others, second].map((uid) => `updated Persons(${uid})`);
    for (const limit of [1, 2, 3, 100])
      expect(told((await readAll(watch, start, limit)).events)).toEqual(order);
    let isFirst = true;
    const { events } = await readAll(watch, start, 2, async () => {
      if (!isFirst) return;
      isFirst = false;
      await send('DELETE', `/Persons(${people[0]})`);
      await send('POST', '/Persons', { LastName: 'New' });
    });
    expect(told(events).slice(0, 2)).toEqual(order.slice(0, 2));
    expect(told(events).filter((one) => one.startsWith('deleted'))).toEqual([
      `deleted Persons(${people[0]})`,
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('the id of an event is the position after it, and the same whenever it is read', async () => {
    const start = await now();
    await send('PATCH', `/Persons(${MEMBER})`, { Jobtitle: 'a' });
    await send('PATCH', `/Persons(${CALLER})`, { Jobtitle: 'b' });
    const watch = { set: 'Persons', select: 'Uid' };
    const { events } = await read(watch, start);
    for (const [index, { id }] of events.entries())
      expect((await read(watch, id)).events).toEqual(events.slice(index + 1));
    const one = await read(watch, start, 1);
    expect([one.more, one.position]).toEqual([true, events[0]?.id]);
  });

  it('a record that is made, told and deleted is told as deleted, wherever the page ended', async () => {
    const watch = { set: 'Persons', select: 'Uid', filter: "LastName eq 'Short'" };
    const start = await now();
    const { Uid } = await send('POST', '/Persons', { LastName: 'Short' });
    await send('POST', '/Persons', { LastName: 'Short' });
    const { events, position } = await read(watch, start, 1);
    expect(told(events)).toEqual([`created Persons(${Uid})`]);
    await send('DELETE', `/Persons(${Uid})`);
    expect(told((await read(watch, position)).events)).toContain(`deleted Persons(${Uid})`);
  });

  it('changes that are not kept any more, and those of another database: plan.delta-gone', async () => {
    const watch = { set: 'Persons' };
    await expect(read(watch, '999999')).rejects.toMatchObject({ code: 'plan.delta-gone' });
    await expect(read(watch, 'x')).rejects.toMatchObject({ code: 'plan.deltatoken' });
    const old = await now();
    await send('PATCH', `/Persons(${CALLER})`, { Jobtitle: 'old' });
    await send('PATCH', `/Persons(${CALLER})`, { Jobtitle: 'new' });
    await deleteChanges(desk.installation.database, Date.now() + 365 * 24 * 3600 * 1000);
    await expect(read(watch, old)).rejects.toMatchObject({ code: 'plan.delta-gone' });
  });

  it.each([
    ['a set of administrators', { set: 'Accounts' }],
    ['the present time', { set: 'Persons', filter: 'Birthdate lt now()' }],
  ])('%s cannot be followed: plan.untracked', async (_name, watch) => {
    await expect(read(watch, await now())).rejects.toMatchObject({ code: 'plan.untracked' });
  });
});

describe('Hand-over', () => {
  const QUERY = `/ServiceRequests?$select=Uid,Description&$filter=Uid lt 4000`;
  const watch = { set: 'ServiceRequests', select: 'Uid,Description', filter: 'Uid lt 4000' };
  const change = (Description: string) =>
    send('PATCH', `/ServiceRequests(${REQUEST})`, { Description });
  const descriptions = (events: readonly Event[]) =>
    events.map(({ data }) => JSON.parse(data).Description);

  it('a snapshot, events from the position of its delta link, and the delta link from that of an event', async () => {
    const snapshot = await desk.get(QUERY, { prefer: 'track-changes,maxpagesize=100' });
    const link: string = snapshot.json['@odata.deltaLink'];
    await change('first');
    const position = link.slice(link.lastIndexOf('.') + 1);
    const { events } = await read(watch, position);
    expect(descriptions(events)).toEqual(['first']);
    await change('second');
    const [{ id } = { id: '' }] = events;
    const continued = link.replace(/[^.]+$/, id);
    expect((await desk.get(continued)).json.value).toMatchObject([{ Description: 'second' }]);
    const after: string = (await desk.get(continued)).json['@odata.deltaLink'];
    expect((await read(watch, after.slice(after.lastIndexOf('.') + 1))).events).toEqual([]);
  });
});

describe('An account that may read some records', () => {
  const watch = { set: 'Persons', select: 'Uid,Jobtitle', filter: "Jobtitle ne 'hidden'" };
  const job = (uid: number, Jobtitle: string) => send('PATCH', `/Persons(${uid})`, { Jobtitle });
  let visible: number;
  let invisible: number;
  const readAsAda = async (after: string) => await read(watch, after, 100, 'ada');

  beforeAll(async () => {
    const EntityAccess = [{ Entity: 'Person', Read: true, Filter: "LastName eq 'Seen'" }];
    await send('POST', '/Roles', { Name: 'some', EntityAccess });
    await desk.join({ loginName: 'ada', roles: ['some'] });
    visible = (await send('POST', '/Persons', { LastName: 'Seen' })).Uid;
    invisible = (await send('POST', '/Persons', { LastName: 'Unseen' })).Uid;
  });

  it('gets events of these records, and nothing about any other', async () => {
    const start = await now();
    await job(visible, 'a');
    await job(invisible, 'b');
    const { Uid: another } = await send('POST', '/Persons', { LastName: 'Unseen' });
    await send('DELETE', `/Persons(${another})`);
    await send('DELETE', `/Persons(${invisible})`);
    const { events, position } = await readAsAda(start);
    expect(told(events)).toEqual([`updated Persons(${visible})`]);
    expect(position).toBe(await now());
  });

  it('a record that leaves the filter is removed, one that leaves the visible ones has no event, and one that enters them is updated', async () => {
    const start = await now();
    await job(visible, 'hidden');
    const left = await readAsAda(start);
    expect(told(left.events)).toEqual([`removed Persons(${visible})`]);
    await send('PATCH', `/Persons(${visible})`, { LastName: 'Unseen', Jobtitle: 'c' });
    const gone = await readAsAda(left.position);
    expect(gone.events).toEqual([]);
    await send('PATCH', `/Persons(${visible})`, { LastName: 'Seen' });
    expect(told((await readAsAda(gone.position)).events)).toEqual([`updated Persons(${visible})`]);
  });
});
