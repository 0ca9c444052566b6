// This file keeps replicas up to date while others write: whatever is done, and whenever between two pages it is done, the replica of
// a tracked query is in the end what the query gives, and nothing is told a second time.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { Replica, type ReplicaOptions, readAll } from './replica.ts';

let desk: Desk;
/** May read some records of each set: those of its own person, and those with certain words. */
let restricted: Pick<Desk, 'get'>;
const people: number[] = [];
const requests: number[] = [];
const orders: number[] = [];
const incidents: number[] = [];

beforeAll(async () => {
  desk = await openDesk({ records: [] });
  for (let index = 0; index < 4; index++) {
    await create('Persons', people, { LastName: `Person ${index}` });
    await create('ServiceRequests', requests, { Description: `Request ${index}` });
    await create('Workorders', orders, { Description: `Order ${index}` });
    await create('Incidents', incidents, { Description: `Incident ${index}` });
  }
  const [person = 0] = people;
  const roles = await desk.send('POST', '/Roles', { body: RESTRICTED });
  expect([roles.status, roles.text]).toEqual([201, expect.anything()]);
  restricted = await desk.join({ loginName: 'reader', roles: ['reader'], person });
});
afterAll(async () => await desk.close());

async function create(set: string, into: number[], body: unknown): Promise<void> {
  const answer = await desk.send('POST', `/${set}`, { body });
  if (answer.status !== 201) throw new Error(`${set}: ${answer.text}`);
  into.push(answer.json.Uid);
}

/** Which records are visible depends on themselves, on related ones, on links and on the account. */
const RESTRICTED = {
  Name: 'reader',
  EntityAccess: Object.entries({
    ServiceRequest: `startswith(Description,'alpha') or Caller/Uid eq $me or Workorders/any(w:startswith(w/Description,'beta'))`,
    Workorder: `contains(Description,'a') and (ServiceRequest eq null or ServiceRequest/Description ne 'beta 1')`,
    Incident: 'ServiceRequests/any()',
    Person: `Uid eq $me or contains(LastName,'1')`,
    HistoryLine: `contains(Subject,'a')`,
    CodeEntry: undefined,
    CodeList: undefined,
  }).map(([Entity, Filter]) => ({ Entity, Read: true, Filter })),
};

// ---- deeds ----------------------------------------------------------------------------------------------------------

/** A deed picks its records by numbers, whichever there are when it is done. */
interface Deed {
  readonly kind: (typeof KINDS)[number];
  readonly first: number;
  readonly second: number;
}

const KINDS = [
  'new request',
  'describe request',
  'status of request',
  'caller of request',
  'no caller',
  'assignee of request',
  'delete request',
  'new order for request',
  'describe order',
  'order to other request',
  'take order from other request',
  'order to no request',
  'add order',
  'remove order',
  'delete order',
  'name person',
  'link incident',
  'link from incident',
  'unlink incident',
  'describe incident',
  'delete incident',
  'new incident',
  'new line',
  'line of request',
  'delete line',
  'new person',
  'delete person',
] as const;

const deeds = fc.record({
  kind: fc.constantFrom(...KINDS),
  first: fc.nat(1000),
  second: fc.nat(1000),
});

function pick(from: readonly number[], which: number): number {
  return from[which % Math.max(1, from.length)] ?? 0;
}

const WORDS = ['alpha', 'beta', 'gamma'] as const;
const STATUSES = [101001, 101003, 101009] as const;

function word(which: number): string {
  return `${WORDS[which % 3]} ${which}`;
}

/** Kinds of deeds that had an effect. */
const done = new Set<Deed['kind']>();

/** Deeds may be refused (there is nothing to delete, a record is still referred to): the service must not fail. */
async function perform(deed: Deed): Promise<void> {
  const answer = await ask(deed);
  if (answer === undefined) return;
  if (answer.status >= 500) throw new Error(`${deed.kind}: ${answer.text}`);
  if (answer.status < 300) done.add(deed.kind);
}

async function ask({ kind, first, second }: Deed): Promise<DeskAnswer | undefined> {
  const request = `/ServiceRequests(${pick(requests, first)})`;
  const order = `/Workorders(${pick(orders, second)})`;
  const incident = `/Incidents(${pick(incidents, second)})`;
  const person = `/Persons(${pick(people, second)})`;
  const patch = (path: string, body: unknown) => desk.send('PATCH', path, { body });
  const refer = (method: string, path: string, to: string) =>
    desk.send(method, `${path}/$ref`, { body: { '@odata.id': to } });
  switch (kind) {
    case 'new request':
      return await creating('ServiceRequests', requests, { Description: word(first) });
    case 'describe request':
      return await patch(request, { Description: word(second) });
    case 'status of request':
      return await patch(request, { Status: { Value: STATUSES[second % 3] } });
    case 'caller of request':
      return await patch(request, { 'Caller@odata.bind': person });
    case 'no caller':
      return await desk.send('DELETE', `${request}/Caller/$ref`);
    case 'assignee of request':
      return await patch(request, { Assignment: { 'AssigneePerson@odata.bind': person } });
    case 'delete request':
      return await deleting('ServiceRequests', requests, first);
    case 'new order for request':
      return await creating('Workorders', orders, {
        Description: word(second),
        'ServiceRequest@odata.bind': request,
      });
    case 'describe order':
      return await patch(order, { Description: word(first) });
    case 'order to other request':
      return await patch(order, { 'ServiceRequest@odata.bind': request });
    case 'order to no request':
      return await patch(order, { ServiceRequest: null });
    case 'take order from other request':
      return await refer(
        'POST',
        `/ServiceRequests(${pick(requests, first + 1)})/Workorders`,
        order,
      );
    case 'add order':
      return await refer('POST', `${request}/Workorders`, order);
    case 'remove order':
      return await desk.send(
        'DELETE',
        `${request}/Workorders${order.replace('/Workorders', '')}/$ref`,
      );
    case 'delete order':
      return await deleting('Workorders', orders, second);
    case 'name person':
      return await patch(person, { LastName: word(first) });
    case 'link incident':
      return await refer('POST', `${request}/Incidents`, incident);
    case 'link from incident':
      return await refer('POST', `${incident}/ServiceRequests`, request);
    case 'unlink incident':
      return await desk.send(
        'DELETE',
        `${request}/Incidents${incident.replace('/Incidents', '')}/$ref`,
      );
    case 'describe incident':
      return await patch(incident, { Description: word(first) });
    case 'delete incident':
      return await deleting('Incidents', incidents, second);
    case 'new incident':
      return await creating('Incidents', incidents, {
        Description: word(second),
        'ServiceRequests@odata.bind': [request],
      });
    case 'new line':
      return await desk.send('POST', `${request}/HistoryLines`, {
        body: { Subject: word(second) },
      });
    case 'line of request':
    case 'delete line': {
      const lines = await desk.get(`${request}/HistoryLines?$select=Uid`);
      const found: readonly { Uid: number }[] = lines.json?.value ?? [];
      const line = `${request}/HistoryLines(${found[second % Math.max(1, found.length)]?.Uid ?? 0})`;
      if (kind === 'delete line') return await desk.send('DELETE', line);
      return await patch(line, { Subject: word(first) });
    }
    case 'new person':
      return await creating('Persons', people, { LastName: word(second) });
    case 'delete person':
      return await deleting('Persons', people, second);
  }
}

async function creating(set: string, into: number[], body: unknown): Promise<DeskAnswer> {
  const answer = await desk.send('POST', `/${set}`, { body });
  if (answer.status === 201) into.push(answer.json.Uid);
  return answer;
}

/** Some always stay. */
async function deleting(
  set: string,
  from: number[],
  which: number,
): Promise<DeskAnswer | undefined> {
  if (from.length < 3) return undefined;
  const uid = pick(from, which);
  const answer = await desk.send('DELETE', `/${set}(${uid})`);
  if (answer.status === 204) from.splice(from.indexOf(uid), 1);
  return answer;
}

// ---- replicas -------------------------------------------------------------------------------------------------------

const QUERIES: readonly string[] = [
  '/ServiceRequests?$select=Uid,Description,Status',
  "/ServiceRequests?$select=Uid,Description&$filter=startswith(Description,'alpha')",
  '/ServiceRequests?$select=Uid&$filter=Status/Value eq 101003 or Status/Value eq 101009',
  '/ServiceRequests?$select=Uid,Description&$expand=Caller($select=Name)',
  "/ServiceRequests?$select=Uid&$filter=startswith(Caller/LastName,'beta')",
  '/ServiceRequests?$select=Uid&$expand=Workorders($select=Uid,Description)',
  "/ServiceRequests?$select=Uid&$expand=Workorders($select=Uid;$filter=startswith(Description,'gamma'))",
  "/ServiceRequests?$select=Uid&$filter=Workorders/any(w:startswith(w/Description,'alpha'))",
  '/ServiceRequests?$select=Uid&$filter=Workorders/$count gt 1',
  '/ServiceRequests?$select=Uid,Description&$expand=Incidents($select=Uid,Description)',
  '/ServiceRequests?$select=Uid&$expand=HistoryLines($select=Uid,Subject)',
  '/ServiceRequests?$select=Uid&$expand=Assignment/AssigneePerson($select=Uid,Name)',
  '/Incidents?$select=Uid&$expand=ServiceRequests($select=Uid;$expand=Caller($select=Name),Workorders($select=Uid))',
  "/Workorders?$select=Uid,Description&$filter=ServiceRequest/Description eq 'beta 1' or contains(ServiceRequest/Caller/Name,'1')",
  '/Workorders?$select=Uid&$expand=ServiceRequest($select=Uid,Description;$expand=HistoryLines($select=Uid))',
  '/Workorders?$select=Uid&$expand=ServiceRequest/$ref',
  '/Persons?$select=Uid,Name&$search=alpha',
];

interface Course {
  readonly query: string;
  readonly options: ReplicaOptions;
  /** Whether the account of the replica may read some records only. */
  readonly isRestricted: boolean;
  /** Deeds between one page and the next, as long as there are some. */
  readonly rounds: readonly (readonly Deed[])[];
}

const courses = fc.record<Course>({
  query: fc.constantFrom(...QUERIES),
  isRestricted: fc.boolean(),
  options: fc.record({
    version: fc.constantFrom('4.0', '4.01'),
    pageSize: fc.integer({ min: 1, max: 7 }),
  }),
  rounds: fc.array(fc.array(deeds, { maxLength: 4 }), { minLength: 2, maxLength: 12 }),
});

const readerOf = ({ isRestricted }: Pick<Course, 'isRestricted'>) =>
  isRestricted ? restricted : desk;

async function keepUp({ query, options, rounds, isRestricted }: Course): Promise<Replica> {
  const replica = new Replica(readerOf({ isRestricted }), query, options);
  const left = [...rounds];
  const write = async () => {
    for (const deed of left.shift() ?? []) await perform(deed);
  };
  do {
    const { ids } = await replica.follow(write);
    // Between two pages, a record may become visible or invisible after it was reported.
    if (!isRestricted) expect(new Set(ids.map((id) => id.replace('-', ''))).size).toBe(ids.length);
  } while (left.length > 0);
  await replica.follow();
  return replica;
}

describe('a replica kept by delta links, OData 4.01 Protocol, "Requesting Changes"', () => {
  it('is the source in the end, whatever was done between the pages, and nothing is told twice', async () => {
    await fc.assert(
      fc.asyncProperty(courses, async (course) => {
        const replica = await keepUp(course);
        const source = await readAll(readerOf(course), course.query, course.options);
        expect(sorted(replica.records)).toEqual(sorted(source));
        expect((await replica.follow()).ids).toEqual([]);
      }),
      { numRuns: sampleSize(50, 200), seed: 20260331 },
    );
  }, 120_000);

  it('is the source for every kind of query after every kind of deed', async () => {
    const replicas = [desk, restricted].flatMap((reader) =>
      QUERIES.filter((_, index) => reader === desk || index % sampleSize(3, 1) === 0).map(
        (query) => ({ reader, query, replica: new Replica(reader, query) }),
      ),
    );
    for (const { replica } of replicas) await replica.follow();
    for (const deed of eachKind()) {
      await perform(deed);
      for (const { reader, query, replica } of replicas) {
        await replica.follow();
        const source = await readAll(reader, query);
        expect(sorted(replica.records), `${deed.kind}: ${query}`).toEqual(sorted(source));
      }
    }
    expect(KINDS.filter((kind) => !done.has(kind))).toEqual([]);
  }, 120_000);

  it('is the source in the end when writers do not wait for the reader', async () => {
    const sample = fc.sample(deeds, { numRuns: 200, seed: 7 });
    const replicas = QUERIES.slice(0, 10).map(
      (query) => ({ query, replica: new Replica(desk, query, { pageSize: 5 }) }) as const,
    );
    let isWriting = true;
    const writer = async (part: number) => {
      for (let at = part; at < sample.length; at += 2) {
        const deed = sample[at];
        if (deed !== undefined) await perform(deed);
      }
    };
    const writers = Promise.all([writer(0), writer(1)]).finally(() => {
      isWriting = false;
    });
    const readers = replicas.map(async ({ replica }) => {
      while (isWriting) await replica.follow(turn);
    });
    await Promise.all([writers, ...readers]);
    for (const { query, replica } of replicas) {
      await replica.follow();
      const source = await readAll(desk, query, { pageSize: 5 });
      expect(sorted(replica.records), query).toEqual(sorted(source));
      expect((await replica.follow()).ids, query).toEqual([]);
    }
  }, 120_000);
});

/** Each kind twice, for the first and the second of the records; others are deleted, so that links that were made can be taken away. */
function eachKind(): readonly Deed[] {
  return [0, 1].flatMap((round) =>
    KINDS.map((kind) => {
      const which = kind.startsWith('delete') && kind !== 'delete line' ? 2 : round;
      return { kind, first: which, second: which };
    }),
  );
}

/** Lets others have their turn. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function sorted(records: ReadonlyMap<string, unknown>): readonly (readonly [string, unknown])[] {
  return [...records].sort(([left], [right]) => (left < right ? -1 : 1));
}
