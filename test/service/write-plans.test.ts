// This file compares writes that are done as others of their shape were with the same writes decided one by one: answers, records, history
// and change log must be the same. An annotation that is different every time keeps a body from having the shape of any other.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plansOf } from '../../src/service/cache/prepared-plans.ts';
import { type Desk, type DeskAnswer, openDesk } from '../journeys/desk.ts';
import { type FormFile, upload } from '../journeys/files.ts';
import {
  CALLER,
  MEMBER,
  ORGANIZATION,
  REQUEST,
  WORKGROUP,
  WORKORDER,
} from '../journeys/records.ts';
import { sampleSize } from '../sample-size.ts';

let desks: readonly Desk[] = [];
let start = 0;
beforeAll(async () => {
  start = Date.now() - 1000;
  const withoutPlans = { settings: { limits: { planMegabytes: 0 } } };
  desks = [await openDesk(), await openDesk(withoutPlans)];
  for (const desk of desks) await desk.get('/Persons?$top=1');
  for (const desk of desks) await settled(desk);
});
afterAll(async () => {
  for (const desk of desks) await desk.close();
});

/** Log-ins are noted after they are answered, and notes have keys of the same sequence as records. */
async function settled({ installation: { database } }: Desk): Promise<void> {
  const last = () => String(database.read('SELECT "name", "next" FROM "docket_sequence"', []));
  for (let same = 0, before = last(); same < 5; before = last()) {
    await new Promise((passed) => setTimeout(passed, 100));
    same = before === last() ? same + 1 : 0;
  }
}

interface Deed {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Sent {
  readonly path: string;
  readonly file: FormFile;
  readonly headers: Readonly<Record<string, string>>;
}

const text = fc.oneof(
  fc.constantFrom('Printer', '', 'Zoë 健 𝒳', "it's", '{"a":1}', 'x'.repeat(4001)),
  fc.string(),
);
const code = fc.constantFrom(
  { Value: 101003 },
  { Value: 101009 },
  { Value: 999 },
  { Text: 'New' },
  { Text: 'Nonsense' },
  { Text: 'New', Value: 101001 },
  { Value: null },
  null,
);
const moment = fc.constantFrom(
  '2026-03-30T14:30:00Z',
  '2026-03-29T02:30:00+01:00',
  '1999-12-31T23:59:59.999Z',
  '2026-03-30',
  null,
);
const person = fc.constantFrom(CALLER, MEMBER, 7, REQUEST).map((uid) => `Persons(${uid})`);
const reference = fc.oneof(
  person,
  fc.constantFrom(`/Persons(${CALLER})`, 'Persons', 'nonsense', null),
);

const request = fc.record(
  {
    Description: text,
    Information: fc.option(text),
    Status: code,
    Deadline: moment,
    Blocked: fc.constantFrom(true, false, null, 'yes'),
    SourceID: fc.option(text),
    ExternalReferences: fc.constantFrom([], ['a'], ['b'], ['c', 'd'], null),
    'Caller@odata.bind': reference,
    Assignment: fc.constantFrom(
      { 'AssigneeWorkgroup@odata.bind': `Workgroups(${WORKGROUP})` },
      { 'AssigneeWorkgroup@odata.bind': 'Workgroups(1)' },
      { 'AssigneePerson@odata.bind': `Persons(${MEMBER})` },
      null,
    ),
  },
  { requiredKeys: ['Description'] },
);
const order = fc.record(
  {
    Description: text,
    Status: fc.constantFrom({ Value: 105001 }, { Value: 105004 }, { Value: 5 }),
  },
  { requiredKeys: ['Description'] },
);
const tag = fc.constantFrom('W/"1"', 'W/"2"', 'W/"2.dGhl"', 'W/"3"', 'W/"3.dGhl"', 'W/"4"', '*');
const prefer = fc.constantFrom('return=minimal', 'return=representation', 'dry-run', '');

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    method: fc.constant('POST'),
    path: fc.constant('/ServiceRequests'),
    body: request,
    headers: prefer.map((value) => ({ prefer: value })),
  }),
  fc.record({
    method: fc.constant('POST'),
    path: fc.constant('/ServiceRequests'),
    body: fc.record({ Description: text, Workorders: fc.array(order, { maxLength: 2 }) }),
  }),
  fc.record({
    method: fc.constant('POST'),
    path: fc
      .constantFrom(REQUEST, 4000, 4001, 5)
      .map((uid) => `/ServiceRequests(${uid})/HistoryLines`),
    body: fc.record({ Subject: text, Information: text }),
    headers: prefer.map((value) => ({ prefer: value })),
  }),
  fc.record({
    method: fc.constant('POST'),
    path: fc
      .tuple(fc.constantFrom(REQUEST, 4001, 4002), fc.constantFrom('', '?$select=Uid,Description'))
      .map(([uid, query]) => `/ServiceRequests(${uid})/Workorders${query}`),
    body: fc.record({
      Description: text,
      'ServiceRequest@odata.bind': fc.constantFrom(
        `ServiceRequests(${REQUEST})`,
        'ServiceRequests(4001)',
      ),
    }),
    headers: prefer.map((value) => ({ prefer: value })),
  }),
  fc.record({
    method: fc.constantFrom('PATCH', 'PATCH', 'PUT'),
    path: fc.constantFrom(4000, 4001, 4002, 7).map((uid) => `/ServiceRequests(${uid})`),
    body: request,
    headers: prefer.map((value) => ({ prefer: value })),
  }),
  fc.record({
    method: fc.constant('PATCH'),
    path: fc.constantFrom(4000, 4001, 4002).map((uid) => `/ServiceRequests(${uid})`),
    body: fc.record({ Description: text }),
    headers: tag.map((value) => ({ 'if-match': value })),
  }),
  fc.record({
    method: fc.constant('PATCH'),
    path: fc.constantFrom(WORKORDER, WORKORDER + 1).map((uid) => `/Workorders(${uid})`),
    body: fc.record({
      'ServiceRequest@odata.bind': fc
        .constantFrom(REQUEST, 4000, 4001, 3)
        .map((uid) => `ServiceRequests(${uid})`),
    }),
  }),
  fc.record({
    method: fc.constant('PATCH'),
    path: fc.constantFrom(`/Organizations(${ORGANIZATION})`, '/ServiceRequests(4000)/Caller'),
    body: fc.record({ Name1: text, LastName: text }, { requiredKeys: [] }),
  }),
);

const fileName = fc.constantFrom(
  'a',
  'A',
  'report.pdf',
  'Zoë 健 𝒳',
  'x'.repeat(255),
  'x'.repeat(256),
);

const sent: fc.Arbitrary<Sent> = fc.record({
  path: fc
    .constantFrom(REQUEST, 4001, 4002, 5)
    .map((uid) => `/ServiceRequests(${uid})/Attachments`),
  file: fc.record({
    name: fileName,
    fileName,
    type: fc.constantFrom('text/plain', 'image/png', 'a/b; c=d'),
    bytes: fc.constantFrom('', 'hello', 'x'.repeat(100_000)),
  }),
  headers: fc
    .constantFrom(
      'return=minimal',
      'return=minimal, conflict-resolution=rename',
      'conflict-resolution=rename',
      'conflict-resolution=replace',
      'dry-run',
      'note=none',
    )
    .map((prefer) => ({ prefer })),
});

/** Moments of the test itself are different for each of the two. */
function withoutMoments(shown: string): string {
  return shown.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, (moment) =>
    Date.parse(moment) >= start ? 'now' : moment,
  );
}

function shownAnswer({ status, headers, text: body }: DeskAnswer): unknown {
  const { etag, location, 'odata-entityid': id, 'preference-applied': applied } = headers;
  return { status, etag, location, id, applied, body: withoutMoments(body) };
}

/** All rows of all tables of records, and the change log. */
async function rowsOf({ installation: { database } }: Desk): Promise<readonly string[]> {
  const tables = await database.read(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '%$%'
        AND name NOT LIKE 'sqlite%' AND (name NOT LIKE 'docket%' OR name = 'docket_change')`,
    [],
  );
  const all: string[] = [];
  for (const [name] of tables) {
    const table = String(name);
    const columns = table === 'docket_change' ? 'deed, source, identity, navigation, other' : '*';
    const rows = await database.read(`SELECT ${columns} FROM "${table}" ORDER BY 1, 2`, []);
    const json = JSON.stringify(rows, (_, cell) => (typeof cell === 'bigint' ? `${cell}` : cell));
    all.push(`${table} ${withoutMoments(json)}`);
  }
  return all;
}

describe('writes of one shape', () => {
  it('are answered and done as if each were the only one', { timeout: 60_000 }, async () => {
    const [known, alone] = desks;
    if (known === undefined || alone === undefined) throw new Error('there are no desks');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 20, maxLength: 40 }), async (deeds) => {
        for (const { method, path, body, headers = {} } of deeds) {
          const own = { ...body, '@test.note': `${++number}` };
          const first = await known.send(method, path, { body, headers });
          const second = await alone.send(method, path, { body: own, headers });
          expect(shownAnswer(first), `${method} ${path} ${JSON.stringify(body)}`).toEqual(
            shownAnswer(second),
          );
          expect(first.status).toBeLessThan(500);
        }
      }),
      { numRuns: sampleSize(6, 12) },
    );
    expect(await rowsOf(known)).toEqual(await rowsOf(alone));
    expect(plansOf(known.service).hits).toBeGreaterThan(50);
    expect(plansOf(alone.service).hits).toBe(0);
  });

  it('are answered and done so where they bring files', { timeout: 60_000 }, async () => {
    const [known, alone] = desks;
    if (known === undefined || alone === undefined) throw new Error('there are no desks');
    const before = plansOf(known.service).hits;
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 20, maxLength: 40 }), async (uploads) => {
        for (const { path, file, headers } of uploads) {
          const own = { prefer: `${headers.prefer}, note-${++number}` };
          const first = await upload(known, path, file, headers);
          const second = await upload(alone, path, file, own);
          expect(shownAnswer(first), `${path} ${JSON.stringify(file)}`).toEqual(
            shownAnswer(second),
          );
          expect(first.status).toBeLessThan(500);
        }
      }),
      { numRuns: sampleSize(6, 12) },
    );
    expect(await rowsOf(known)).toEqual(await rowsOf(alone));
    expect(plansOf(known.service).hits - before).toBeGreaterThan(50);
    expect(plansOf(alone.service).hits).toBe(0);
  });
});
