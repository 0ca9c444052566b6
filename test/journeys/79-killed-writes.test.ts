// This file kills the service again and again while clients create, change, relate and delete records, alone and in change sets: whatever
// was acknowledged is there after the restart, nothing is there in part, and the change log says what the records say.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/connection.ts';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const ROUNDS = sampleSize(5, 20);
const CLIENTS = 4;

let service: Killable;
beforeAll(() => {
  service = makeKillable();
}, 120_000);
afterAll(() => service.close());

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test states what it expects of it
  readonly json: any;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Answered>;

function asking({ origin }: Serving, token: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${origin}/odata/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  };
}

/** What a client knows of a record: acknowledged, or asked for without an answer. */
interface Expected {
  readonly uid: number;
  /** Number of the change that was acknowledged last, and of the one that was asked for last. */
  done: number;
  asked: number;
  caller: readonly (number | null)[];
  state: 'there' | 'gone' | 'unknown';
}

/** A group of records that come together or not at all. */
interface Group {
  readonly name: string;
  readonly size: number;
  state: 'there' | 'unknown';
}

interface Client {
  readonly name: string;
  readonly records: Expected[];
  readonly groups: Group[];
  deeds: number;
}

/** Deeds one after the other until the service is killed; what it does not answer stays uncertain. */
async function work(client: Client, serving: Serving, ask: Ask, people: readonly number[]) {
  while (serving.child.signalCode === null) {
    try {
      await doNext(client, ask, people);
    } catch (error) {
      // A service that was killed breaks the connection; every other failure is one.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function doNext(client: Client, ask: Ask, people: readonly number[]): Promise<void> {
  const number = ++client.deeds;
  const open = client.records.filter(({ state }) => state === 'there');
  const record = open[number % Math.max(open.length, 1)];
  if (record === undefined || open.length < 3) await create(client, ask, number);
  else if (number % 7 === 0) await createTogether(client, ask, number);
  else if (number % 5 === 0) await remove(record, ask);
  else if (number % 3 === 0) await relate(record, ask, people[number % people.length] ?? 0);
  else await change(record, ask);
}

/** A record with two others inside. */
async function create(client: Client, ask: Ask, number: number): Promise<void> {
  const name = `${client.name} deep ${number}`;
  const group: Group = { name, size: 2, state: 'unknown' };
  client.groups.push(group);
  const Workorders = [{ Description: name }, { Description: name }];
  const { status, json } = await ask('POST', 'ServiceRequests', { Description: name, Workorders });
  expect(status).toBe(201);
  group.state = 'there';
  client.records.push({ uid: json.Uid, done: 0, asked: 0, caller: [null], state: 'there' });
}

async function createTogether(client: Client, ask: Ask, number: number): Promise<void> {
  const name = `${client.name} set ${number}`;
  const group: Group = { name, size: 3, state: 'unknown' };
  client.groups.push(group);
  const requests = ['1', '2', '3'].map((id) => ({
    id,
    method: 'post',
    url: 'Workorders',
    atomicityGroup: 'g',
    body: { Description: name },
  }));
  const { status, json } = await ask('POST', '$batch', { requests });
  expect([status, json.responses[2].status]).toEqual([200, 201]);
  group.state = 'there';
}

/** Two properties that must always say the same. */
async function change(record: Expected, ask: Ask): Promise<void> {
  const text = String(++record.asked);
  const body = { Solution: text, Workaround: text };
  expect((await ask('PATCH', `ServiceRequests(${record.uid})`, body)).status).toBe(204);
  record.done = record.asked;
}

async function relate(record: Expected, ask: Ask, person: number): Promise<void> {
  record.caller = [...record.caller, person];
  const body = { '@odata.id': `Persons(${person})` };
  expect((await ask('PUT', `ServiceRequests(${record.uid})/Caller/$ref`, body)).status).toBe(204);
  record.caller = [person];
}

async function remove(record: Expected, ask: Ask): Promise<void> {
  record.state = 'unknown';
  expect((await ask('DELETE', `ServiceRequests(${record.uid})`)).status).toBe(204);
  record.state = 'gone';
}

/** Compares what a client knows with what is there, and makes certain what was not. */
async function check(client: Client, ask: Ask): Promise<void> {
  for (const record of client.records) {
    if (record.state === 'gone' && record.done < 0) continue;
    const path = `ServiceRequests(${record.uid})`;
    const { status, json } = await ask('GET', `${path}?$expand=Caller($select=Uid)`);
    const permitted = { there: [200], gone: [404], unknown: [200, 404] }[record.state];
    expect(permitted, `${path} is ${record.state}`).toContain(status);
    record.state = status === 200 ? 'there' : 'gone';
    if (status === 404) {
      record.done = -1;
      continue;
    }
    const said = Number(json.Solution ?? 0);
    expect(json.Workaround, `${path} is changed as a whole`).toBe(json.Solution);
    expect([record.done, record.asked], path).toContain(said);
    record.done = said;
    record.asked = said;
    const caller = json.Caller?.Uid ?? null;
    expect(record.caller, `the caller of ${path}`).toContain(caller);
    record.caller = [caller];
  }
  for (const group of client.groups.splice(0)) {
    const query = `$filter=Description eq '${group.name}'&$count=true&$top=0`;
    const { json } = await ask('GET', `Workorders?${encodeURI(query)}`);
    const permitted = group.state === 'there' ? [group.size] : [0, group.size];
    expect(permitted, group.name).toContain(json['@odata.count']);
  }
}

/** What the change log says of requests, against the requests themselves: deeds without a note, and notes without a deed. */
function disagreements(file: string): readonly unknown[] {
  const database = connect(file, true);
  try {
    return database
      .prepare(
        `WITH note AS (SELECT "identity", sum("deed" = 'create') AS "made", sum("deed" = 'delete') AS "gone",
            sum("deed" IN ('create', 'update', 'link')) AS "version", count(DISTINCT "request") AS "writes" FROM "docket_change" WHERE "source" = 'ServiceRequests' GROUP BY 1)
          SELECT "identity", "made", "gone", "version", r."$version" FROM note LEFT JOIN "ServiceRequests" r ON r."Uid" = "identity"
            WHERE "made" > 0 AND ("made" <> 1 OR "gone" <> (r."Uid" IS NULL) OR (r."Uid" IS NOT NULL AND r."$version" NOT BETWEEN "writes" AND "version"))
          UNION ALL SELECT 'seq', count(*), max("seq"), 0, 0 FROM "docket_change" HAVING count(*) <> max("seq")
          UNION ALL SELECT 'line', h."Uid", h."$parent", 0, 0 FROM "Record/HistoryLines" h
            JOIN "docket_change" c ON c."identity" = h."$parent" AND c."deed" = 'delete'`,
      )
      .all([]);
  } finally {
    database.close();
  }
}

it('after kill -9 everything that was acknowledged is there, and nothing in part', {
  timeout: 180_000,
}, async () => {
  const clients: Client[] = Array.from({ length: CLIENTS }, (_, index) => ({
    name: `client ${index}`,
    records: [],
    groups: [],
    deeds: 0,
  }));
  let serving = await service.serve();
  const token = await logIn(serving);
  const found = await asking(serving, token)('GET', 'Persons?$select=Uid&$top=5');
  const people = found.json.value.map(({ Uid }: { Uid: number }) => Uid);
  for (let round = 0; round < ROUNDS; round++) {
    const current = serving;
    const ask = asking(current, token);
    const working = Promise.all(
      clients.map(async (client) => await work(client, current, ask, people)),
    );
    working.catch(() => undefined);
    const goal = deedsOf(clients) + CLIENTS + 1;
    while (deedsOf(clients) < goal) await new Promise((passed) => setTimeout(passed, 5));
    await new Promise((passed) => setTimeout(passed, (round * 67) % 300));
    await kill(current);
    await working;
    expect(disagreements(service.database)).toEqual([]);
    serving = await service.serve();
    for (const client of clients) await check(client, asking(serving, token));
  }
  await kill(serving);
  expect(deedsOf(clients)).toBeGreaterThan(ROUNDS * CLIENTS);
});

function deedsOf(clients: readonly Client[]): number {
  return clients.reduce((sum, client) => sum + client.deeds, 0);
}
