// This file tries to find out by dry runs, which leave no trace, what an account may not read: values of members that it may change.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, type DeskAnswer, type Message, openDesk } from './desk.ts';
import { BARE_REQUEST, CALLER, REQUEST, WORKORDER } from './records.ts';

const PATH = `/ServiceRequests(${REQUEST})`;
const STORED = { Priority: { Value: 110001 } };
const OTHER = { Priority: { Value: 110004 } };

let desk: Desk;
let prober: Pick<Desk, 'get' | 'send'>;
/** Reads the priority of requests with the impact of REQUEST. */
let partial: Pick<Desk, 'get' | 'send'>;
/** Reads its own person only. */
let neighbour: Pick<Desk, 'get' | 'send'>;
let CODE: string;
beforeAll(async () => {
  desk = await openDesk();
  const all = { Read: true, Create: true, Change: true, Delete: true };
  const request = { Entity: 'ServiceRequest', ...all };
  const hidden = ['Priority', 'Solution', 'Caller'].map((Attribute) => ({
    ...{ Entity: 'ServiceRequest', Attribute, Read: false },
  }));
  const others = ['Person', 'Workorder', 'HistoryLine'].map((Entity) => ({ Entity, ...all }));
  for (const body of [
    {
      ...{ Name: 'prober', UpdateAllAllowed: true },
      EntityAccess: [request, ...others],
      AttributeAccess: [...hidden, { Entity: 'Person', Attribute: 'Searchcode', Read: false }],
    },
    {
      Name: 'neighbour',
      EntityAccess: [
        { Entity: 'Person', Create: true, Change: true },
        { Entity: 'Person', Read: true, Filter: 'Uid eq $me' },
      ],
    },
    {
      Name: 'partial',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true, Filter: 'Impact/Value eq 111002' }],
    },
  ]) {
    const { status, text } = await desk.send('POST', '/Roles', { body });
    expect(status, text).toBe(201);
  }
  prober = await desk.join({ loginName: 'prober', roles: ['prober'] });
  const { json } = await desk.get('/Persons?$filter=Searchcode ne null&$top=1');
  CODE = json.value[0].Searchcode;
  neighbour = await desk.join({ loginName: 'neighbour', roles: ['neighbour'], person: CALLER });
  partial = await desk.join({ loginName: 'partial', roles: ['prober', 'partial'] });
});
afterAll(async () => await desk?.close());

const dryRun = async (method: string, path: string, body?: unknown, headers = {}) =>
  await prober.send(method, path, messageOf(body, headers));

function messageOf(body: unknown, headers = {}): Message {
  return { headers: { prefer: 'dry-run', ...headers }, ...(body === undefined ? {} : { body }) };
}

function refusal({ status, json, text, headers }: DeskAnswer) {
  expect(json?.error, text).toBeDefined();
  expect(headers).not.toHaveProperty('etag');
  return [status, json.error.code, json.error.target];
}

const HIDDEN = [403, 'access.member', 'Priority'];

/** The error of a change set that changes the request, and then succeeds only if this has not given it another version. */
async function probe(body: unknown, tag: string, path = `ServiceRequests(${REQUEST})`) {
  const id = `ServiceRequests(${REQUEST})`;
  const { of } = await sendJsonBatch({ ...desk, ...prober }, [
    { id: '1', atomicityGroup: 'a', method: 'PATCH', url: path, body },
    {
      ...{ id: '2', atomicityGroup: 'a', method: 'PATCH', url: id, body: {} },
      headers: { 'if-match': tag },
    },
  ]);
  return ['1', '2'].map((one) => [of(one)?.status, of(one)?.body?.error?.code]);
}

describe('A change set that fails', () => {
  test('does not disclose by ETags whether a value is the stored one', async () => {
    const tag = (await prober.get(PATH)).headers.etag as string;
    const bind = (person: number) => ({ 'Caller@odata.bind': `Persons(${person})` });
    const caller = (await desk.get(`${PATH}?$expand=Caller`)).json.Caller.Uid;
    const [other] = (await desk.get(`/Persons?$filter=Uid ne ${caller}&$top=1`)).json.value;
    const answers = [];
    for (const body of [STORED, OTHER, bind(caller), bind(other.Uid)])
      answers.push(await probe(body, tag));
    answers.push(
      await probe({ value: STORED.Priority }, tag, `ServiceRequests(${REQUEST})/Priority`),
    );
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(JSON.stringify(answer)).toContain('write.changed');
    }
    expect((await prober.get(PATH)).headers.etag).toBe(tag);
  });

  test('compares ETags after changes of members that the account may read', async () => {
    const tag = (await prober.get(PATH)).headers.etag as string;
    const answer = await probe({ Impact: { Value: 111002 } }, tag);
    expect(answer.map(([status]) => status)).toEqual([204, 204]);
    expect((await prober.get(PATH)).headers.etag).toBe(tag);
  });
});

test('A write gives a record another version, once, whether or not a withheld value differs', async () => {
  const tags = [];
  for (const body of [STORED, STORED, { ...STORED, Impact: { Value: 111002 } }])
    tags.push((await prober.send('PATCH', PATH, { body })).headers.etag as string);
  const versions = tags.map((tag) => Number(/\d+/.exec(tag)));
  expect(versions).toEqual([0, 1, 2].map((more) => (versions[0] as number) + more));
});

describe('A dry run', () => {
  test('writes members that the account may read', async () => {
    const { etag } = (await dryRun('PATCH', PATH, {})).headers;
    const same = await dryRun('PATCH', PATH, { Impact: { Value: 111002 } });
    expect([same.status, same.headers.etag]).toEqual([204, etag]);
    const other = await dryRun('PATCH', PATH, { Impact: { Value: 111001 } });
    expect([other.status, other.headers.etag === etag]).toEqual([204, false]);
  });

  test('does not disclose by ETags whether a value is the stored one', async () => {
    for (const body of [STORED, OTHER, { Priority: null }]) {
      expect(refusal(await dryRun('PATCH', PATH, body))).toEqual(HIDDEN);
      const shown = { prefer: 'dry-run, return=representation' };
      expect(refusal(await dryRun('PATCH', PATH, body, shown))).toEqual(HIDDEN);
      const each = `/ServiceRequests/$filter(Uid eq ${REQUEST})/$each`;
      expect(refusal(await dryRun('PATCH', each, body))).toEqual(HIDDEN);
    }
  });

  test('does not replace an entity with members that the account may not read', async () => {
    for (const body of [{ Description: 'x' }, { Description: 'x', ...STORED }]) {
      const [status, code] = refusal(await dryRun('PUT', PATH, body));
      expect([status, code]).toEqual([403, 'access.member']);
    }
  });

  test('does not write such a property or relation by its own URL', async () => {
    const value = { value: STORED.Priority };
    expect(refusal(await dryRun('PUT', `${PATH}/Priority`, value))).toEqual(HIDDEN);
    expect(refusal(await dryRun('DELETE', `${PATH}/Priority`))).toEqual(HIDDEN);
    const target = [403, 'access.member', 'Caller'];
    const reference = { '@odata.id': `Persons(${CALLER})` };
    expect(refusal(await dryRun('PUT', `${PATH}/Caller/$ref`, reference))).toEqual(target);
    expect(refusal(await dryRun('DELETE', `${PATH}/Caller/$ref`))).toEqual(target);
    const bind = { 'Caller@odata.bind': `Persons(${CALLER})` };
    expect(refusal(await dryRun('PATCH', PATH, bind))).toEqual(target);
  });

  test('does not write them in nested entities, delta payloads and upserts', async () => {
    const nested = { ServiceRequest: { Uid: REQUEST, ...STORED } };
    const deep = await dryRun('PATCH', `/Workorders(${WORKORDER})`, nested);
    expect(refusal(deep).slice(0, 2)).toEqual([403, 'access.member']);
    const value = [{ Uid: REQUEST, ...STORED }];
    const delta = { '@context': '#$delta', value };
    const answer = await dryRun('PATCH', '/ServiceRequests', delta);
    expect(refusal(answer).slice(0, 2)).toEqual([403, 'access.member']);
  });

  test('does not write them by an action', async () => {
    const body = { To: 'IN_PROGRESS', Values: STORED };
    const answer = await dryRun('POST', `${PATH}/Transition`, body);
    expect(refusal(answer).slice(0, 2)).toEqual([403, 'access.member']);
    const each = `/ServiceRequests/$filter(Uid eq ${REQUEST})/$each/Transition`;
    expect(refusal(await dryRun('POST', each, body)).slice(0, 2)).toEqual([403, 'access.member']);
  });

  test('creates entities with them, which discloses nothing', async () => {
    const body = { Description: 'New', ...OTHER };
    expect((await dryRun('POST', '/ServiceRequests', body)).status).toBe(201);
  });

  test('does not disclose by conflicts which values of unique members exist', async () => {
    const hidden = [403, 'access.member', 'Searchcode'];
    for (const Searchcode of [CODE, 'UNKNOWN']) {
      const body = { LastName: 'Probe', Searchcode };
      expect(refusal(await dryRun('POST', '/Persons', body))).toEqual(hidden);
      const nested = { Description: 'x', Caller: body };
      expect(refusal(await dryRun('POST', '/ServiceRequests', nested))[1]).toEqual(hidden[1]);
      const request = { method: 'POST', url: 'Persons', body };
      for (const inGroup of [false, true]) {
        const { answer } = await sendJsonBatch(
          { ...desk, ...prober },
          [{ ...request, id: '1', ...(inGroup ? { atomicityGroup: 'a' } : {}) }],
          { prefer: 'dry-run' },
        );
        expect(answer.text).toContain('access.member');
      }
    }
    expect((await dryRun('POST', '/Persons', { LastName: 'Probe' })).status).toBe(201);
  });

  test('does not disclose them by imports', async () => {
    for (const mode of ['insert', 'upsert']) {
      const path = `/Persons/Docket.System.Import?mode=${mode}`;
      const rows = `LastName,Searchcode\nProbe,${CODE}\nProbe,UNKNOWN\n`;
      const answer = await dryRun('POST', path, rows, { 'content-type': 'text/csv' });
      expect(refusal(answer).slice(0, 2)).toEqual([403, 'access.member']);
    }
  });

  test('sets unique members only if the account may read them in all records', async () => {
    for (const Searchcode of [CODE, 'UNKNOWN']) {
      const message = messageOf({ LastName: 'Probe', Searchcode });
      const denied = await neighbour.send('POST', '/Persons', message);
      expect(refusal(denied)).toEqual([403, 'access.member', 'Searchcode']);
      expect(denied.json.error.message).toContain('because it is unique');
      const own = await neighbour.send('PATCH', `/Persons(${CALLER})`, messageOf({ Searchcode }));
      expect(refusal(own)).toEqual([403, 'access.member', 'Searchcode']);
    }
    const body = { LastName: 'Probe', Searchcode: CODE };
    const taken = await desk.send('POST', '/Persons', messageOf(body));
    expect(refusal(taken).slice(0, 2)).toEqual([409, 'store.unique']);
  });

  test('depends on the record if the right to read does', async () => {
    for (const body of [STORED, OTHER])
      expect((await partial.send('PATCH', PATH, messageOf(body))).status).toBe(204);
    const bare = `/ServiceRequests(${BARE_REQUEST})`;
    for (const body of [OTHER, { Impact: { Value: 111002 }, ...OTHER }])
      expect(refusal(await partial.send('PATCH', bare, messageOf(body)))).toEqual(HIDDEN);
    const each = await partial.send('PATCH', '/ServiceRequests/$each', messageOf(OTHER));
    expect(refusal(each)).toEqual(HIDDEN);
  });

  test('applies to all requests of a group in a batch', async () => {
    const change = { method: 'PATCH', url: PATH.slice(1), body: STORED };
    const dry = { method: 'PATCH', url: `Persons(${CALLER})`, body: { LastName: 'X' } };
    const headers = { Prefer: 'dry-run' };
    for (const group of [
      [change, { ...dry, headers }],
      [{ ...dry, headers }, change],
    ]) {
      const { answer } = await sendBatch({ ...desk, ...prober }, [group]);
      expect(answer.text).toContain('access.member');
      expect(answer.text).not.toContain('ETag');
    }
    const { of } = await sendJsonBatch({ ...desk, ...prober }, [
      { ...change, id: '1', atomicityGroup: 'a' },
      { ...dry, id: '2', atomicityGroup: 'a', headers },
    ]);
    expect(of('1').status).toBe(403);
  });
});

test('An account may change what it may not read, which leaves a trace', async () => {
  const body = { Solution: 'Blind' };
  expect((await prober.send('PATCH', PATH, { body })).status).toBe(204);
  const { Solution, Registration } = (await desk.get(PATH)).json;
  expect([Solution, Registration.ModifiedBy]).toEqual(['Blind', 'prober']);
});
