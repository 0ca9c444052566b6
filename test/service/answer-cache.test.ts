// This file checks that answers which are given again are those that would be made anew, whatever was written meanwhile and by whom:
// two services over one database, of which only one keeps answers, and a third that writes like another process.
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { performer } from '../../src/service/handle-request.ts';
import type { Call, Service } from '../../src/service/service.ts';
import type { Database } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/sqlite/database.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { CALLER, MEMBER, REQUEST, WORKORDER } from '../journeys/records.ts';

let desk: Desk;
let kept: Service;
let fresh: Service;
let elsewhere: Database;
let reads = 0;

beforeAll(async () => {
  desk = await openDesk();
  const { database } = desk.installation;
  const counting: Database = {
    ...database,
    read: (text, values) => {
      reads++;
      return database.read(text, values);
    },
    scan: async (text, values) => {
      reads++;
      return await database.scan(text, values);
    },
  };
  const { service } = desk;
  kept = { ...service, database: counting };
  fresh = { ...service, limits: { ...service.limits, answerMegabytes: 0 } };
  elsewhere = openSqlite({ file: join(desk.installation.config.data, 'docket.db') });
});
afterAll(async () => {
  await elsewhere.close();
  await desk.close();
});

const ADMIN: Principal = {
  account: 1n,
  loginName: 'admin',
  person: BigInt(CALLER),
  roles: ['administrator'],
  administrator: true,
};

let asked = 0;

async function ask(service: Service, method: string, address: string, body?: unknown) {
  const [path = '', query = ''] = address.split('?');
  const call: Call = {
    id: `a${asked++}`,
    method,
    path,
    query,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    address: '127.0.0.1',
    root: desk.root,
  };
  const answer = await performer(service)(call, ADMIN);
  const text = answer.body === undefined ? '' : Buffer.from(answer.body).toString('utf8');
  return { status: answer.status, headers: answer.headers, text };
}

const QUERIES = [
  'ServiceRequests?$top=5',
  "ServiceRequests?$filter=startswith(Description,'new')&$count=true",
  'ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))',
  `ServiceRequests?$filter=Caller/Uid%20eq%20${CALLER}&$select=Uid,Description`,
  `ServiceRequests?$top=3&$expand=Caller($select=Name),Workorders($select=Uid,Description)`,
  `ServiceRequests(${REQUEST})/Workorders`,
  `ServiceRequests(${REQUEST})/Workorders/$count`,
  `ServiceRequests(${REQUEST})?$expand=History`,
  `ServiceRequests(${REQUEST})/History?$count=true`,
  'Persons?$expand=ServiceRequests($count=true;$top=2;$select=Uid)&$top=3',
  'Persons?$orderby=Name%20desc&$top=4&$select=Name',
  'ServiceRequests?$search=lamp&$select=Uid,Description',
  'Workorders?$filter=ServiceRequest/Status/Value%20eq%20101003&$select=Uid',
  '$crossjoin(Persons,Workgroups)?$top=4',
];

/** A write as method, address and body. */
type Write = readonly [method: string, address: string, body?: object];

const number = fc.nat({ max: 5 });
const write: fc.Arbitrary<Write> = fc.oneof(
  number.map((at) => ['POST', 'ServiceRequests', { Description: `new lamp ${at}` }] as const),
  number.map(
    (at) => ['PATCH', `ServiceRequests(${REQUEST})`, { Description: `lamp ${at}` }] as const,
  ),
  fc
    .constantFrom(101001, 101003, 101004)
    .map(
      (status) => ['PATCH', `ServiceRequests(${REQUEST})`, { Status: { Value: status } }] as const,
    ),
  number.map((at) => ['PATCH', `Persons(${MEMBER})`, { FirstName: `n${at}` }] as const),
  number.map((at) => ['PATCH', `Workorders(${WORKORDER})`, { Description: `w${at}` }] as const),
  fc
    .constantFrom(CALLER, MEMBER)
    .map(
      (uid) =>
        [
          'PUT',
          `ServiceRequests(${REQUEST})/Caller/$ref`,
          { '@odata.id': `Persons(${uid})` },
        ] as const,
    ),
  fc.constant(['DELETE', `ServiceRequests(${REQUEST})/Caller/$ref`] as const),
  fc.constant(['DELETE', `Workorders(${WORKORDER})/ServiceRequest/$ref`] as const),
  fc.constant([
    'POST',
    `ServiceRequests(${REQUEST})/Workorders/$ref`,
    { '@odata.id': `Workorders(${WORKORDER})` },
  ] as const),
  number.map(
    (at) =>
      [
        'POST',
        'ServiceRequests',
        { Description: `new ${at}`, Workorders: [{ Description: 'deep' }] },
      ] as const,
  ),
  fc.constant(['PATCH', 'ServiceRequests(999)', { Description: 'nobody' }] as const),
);

/** One write here and one by another process: tried in every run, so that the property never only sees refusals. */
const WRITES_THAT_SUCCEED: [Write, boolean, string[]][] = [
  [['POST', 'ServiceRequests', { Description: 'new lamp' }], false, QUERIES],
  [['PATCH', `Persons(${MEMBER})`, { FirstName: 'other' }], true, QUERIES],
];

it('an answer that is given again is the one that would be made, whatever was written and by whom', async () => {
  const done: number[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(write, fc.boolean(), fc.shuffledSubarray(QUERIES, { minLength: 4 })), {
        maxLength: 4,
        minLength: 1,
      }),
      async (steps) => {
        for (const [[method, address, body], isElsewhere, queries] of steps) {
          const writer = isElsewhere ? { ...fresh, database: elsewhere } : fresh;
          done.push((await ask(writer, method, address, body)).status);
          for (const query of [...queries, ...queries])
            expect(await ask(kept, 'GET', query)).toEqual(await ask(fresh, 'GET', query));
        }
      },
    ),
    { numRuns: 12, examples: [[WRITES_THAT_SUCCEED]] },
  );
  const succeeded = done.filter((status) => status < 300);
  expect(succeeded.length).toBeGreaterThanOrEqual(WRITES_THAT_SUCCEED.length);
}, 60_000);

it('an answer is made twice, and then given again until what it was made of changes', async () => {
  const address = 'ServiceRequests?$filter=Deadline%20eq%20null&$count=true';
  const made = async () => {
    const before = reads;
    await ask(kept, 'GET', address);
    return reads - before;
  };
  expect([await made(), await made(), await made(), await made()]).toEqual([1, 1, 0, 0]);
  await ask(fresh, 'PATCH', `Persons(${MEMBER})`, { Title: `T${Date.now()}` });
  expect(await made()).toBe(0);
  const writer = { ...fresh, database: elsewhere };
  const { status } = await ask(writer, 'POST', 'ServiceRequests', { Description: 'one more' });
  expect(status).toBe(201);
  expect([await made(), await made()]).toEqual([1, 0]);
});

it('what depends on the moment is made anew', async () => {
  const before = reads;
  for (let time = 0; time < 3; time++)
    await ask(kept, 'GET', 'ServiceRequests?$filter=Deadline%20lt%20now()&$select=Uid');
  expect(reads - before).toBe(3);
});
