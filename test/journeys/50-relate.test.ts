// This file relates records and lets them go, by /$ref as the service contract has it: single relations, collections, pairs from either
// side, relations inside complex values; and what the answers are.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendBatch, sendJsonBatch } from './batches.ts';
import { type Desk, openDesk } from './desk.ts';
import { entityTag } from './etags.ts';
import { CALLER, MEMBER, ORGANIZATION, WORKGROUP } from './records.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };
const WHOLE = { prefer: 'return=representation' };
const MINIMAL = { prefer: 'return=minimal' };

async function made(set: string, body: object): Promise<string> {
  const answer = await desk.send('POST', set, { body });
  expect(answer.status, answer.text).toBe(201);
  return `${set}(${answer.json.Uid})`;
}

const send = async (method: string, path: string, id?: unknown, headers = {}) =>
  await desk.send(
    method,
    path,
    id === undefined ? { headers } : { body: { '@odata.id': id }, headers },
  );

async function uids(path: string): Promise<readonly number[]> {
  const { json } = await desk.get(`${path}?$select=Uid&$orderby=Uid`);
  return json.value.map(({ Uid }: { Uid: number }) => Uid);
}

const uidOf = (path: string) => Number(/\((\d+)\)$/.exec(path)?.[1]);

let request: string;
beforeEach(async () => {
  request = await made('/ServiceRequests', { Description: 'Related' });
});

describe('Relationships', () => {
  it('PUT …/<SingleNav>/$ref assigns a single related record: 204, and again 204', async () => {
    for (const uid of [CALLER, MEMBER, MEMBER]) {
      const answer = await send('PUT', `${request}/Caller/$ref`, `Persons(${uid})`);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await desk.get(`${request}/Caller`)).json.Uid).toBe(uid);
    }
  });

  it.each([
    `Persons(${CALLER})`,
    `/Persons(${CALLER})`,
    `/odata/Persons(${CALLER})`,
    `http://desk.example/odata/Persons(${CALLER})`,
    `../../Persons(${CALLER})`,
    `Person(${CALLER})`,
  ])('the reference can be written %s', async (id) => {
    expect((await send('PUT', `${request}/Caller/$ref`, id)).status).toBe(204);
    expect((await desk.get(`${request}/Caller`)).json.Uid).toBe(CALLER);
  });

  it('4.01 writes @id, and a singular address of the owner is the same', async () => {
    const path = `${request.replace('ServiceRequests', 'ServiceRequest')}/Caller/$ref`;
    const answer = await desk.send('PUT', path, {
      body: { '@id': `Persons(${CALLER})` },
      headers: { 'odata-version': '4.01', 'odata-maxversion': '4.01' },
    });
    expect([answer.status, answer.headers['odata-version']]).toEqual([204, '4.01']);
    expect((await desk.get(`${request}/Caller`)).json.Uid).toBe(CALLER);
  });

  it('a member beside the reference is an error', async () => {
    const body = { '@odata.id': `Persons(${CALLER})`, Nope: 1 };
    const answer = await desk.send('PUT', `${request}/Caller/$ref`, { body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'write.body']);
    expect(answer.text).toContain('@odata.id');
  });

  it('DELETE …/<SingleNav>/$ref empties the reference; where there is none: 404', async () => {
    await send('PUT', `${request}/Caller/$ref`, `Persons(${CALLER})`);
    expect((await send('DELETE', `${request}/Caller/$ref`)).status).toBe(204);
    expect((await desk.get(`${request}/Caller`)).status).toBe(204);
    expect((await desk.get(`/Persons(${CALLER})`)).status).toBe(200);
    expect((await send('DELETE', `${request}/Caller/$ref`)).status).toBe(404);
  });

  it('POST …/<CollectionNav>/$ref adds to a collection; what is in it already: 204', async () => {
    const order = await made('/Workorders', { Description: 'Free' });
    for (let times = 0; times < 2; times++) {
      const answer = await send('POST', `${request}/Workorders/$ref`, order.slice(1));
      expect(answer.status).toBe(204);
      expect(await uids(`${request}/Workorders`)).toEqual([uidOf(order)]);
    }
    expect((await desk.get(`${order}/ServiceRequest`)).json.Uid).toBe(uidOf(request));
  });

  it('a work order that is added to another request leaves the first', async () => {
    const order = await made('/Workorders', { Description: 'Moved' });
    const other = await made('/ServiceRequests', { Description: 'Other' });
    await send('POST', `${request}/Workorders/$ref`, order.slice(1));
    expect((await send('POST', `${other}/Workorders/$ref`, order.slice(1))).status).toBe(204);
    expect([await uids(`${request}/Workorders`), await uids(`${other}/Workorders`)]).toEqual([
      [],
      [uidOf(order)],
    ]);
  });

  it.each([
    ['by key', (uid: number) => `Workorders(${uid})/$ref`],
    ['by $id', (uid: number) => `Workorders/$ref?$id=../../Workorders(${uid})`],
    [
      'by a whole $id',
      (uid: number) => `Workorders/$ref?$id=http://desk.example/odata/Workorders(${uid})`,
    ],
  ])('DELETE …/<CollectionNav>(<uid2>)/$ref removes that item, %s; again: 404', async (_, path) => {
    const order = await made('/Workorders', { Description: 'Free' });
    await send('POST', `${request}/Workorders/$ref`, order.slice(1));
    const address = `${request}/${path(uidOf(order))}`;
    expect((await send('DELETE', address)).status).toBe(204);
    expect(await uids(`${request}/Workorders`)).toEqual([]);
    expect((await desk.get(order)).status).toBe(200);
    expect((await send('DELETE', address)).status).toBe(404);
  });

  it('pairs are made and let go from either side: Members of a Workgroup, Workgroups of a Person', async () => {
    const group = await made('/Workgroups', { Name: 'Pairs' });
    const person = await made('/Persons', { LastName: 'Paired' });
    const both = async () => [await uids(`${group}/Members`), await uids(`${person}/Workgroups`)];
    const paired = [[uidOf(person)], [uidOf(group)]];
    expect((await send('POST', `${group}/Members/$ref`, person.slice(1))).status).toBe(204);
    expect(await both()).toEqual(paired);
    expect((await send('DELETE', `${person}/Workgroups(${uidOf(group)})/$ref`)).status).toBe(204);
    expect(await both()).toEqual([[], []]);
    for (let times = 0; times < 2; times++)
      expect((await send('POST', `${person}/Workgroups/$ref`, group.slice(1))).status).toBe(204);
    expect(await both()).toEqual(paired);
    expect((await send('DELETE', `${group}/Members(${uidOf(person)})/$ref`)).status).toBe(204);
    expect(await both()).toEqual([[], []]);
    expect((await send('DELETE', `${group}/Members(${uidOf(person)})/$ref`)).status).toBe(404);
  });

  it.each(['AssigneeWorkgroup', 'AssigneePerson'])(
    'the same on nested references: PUT and DELETE …/Assignment/%s/$ref',
    async (navigation) => {
      const target =
        navigation === 'AssigneePerson' ? `Persons(${MEMBER})` : `Workgroups(${WORKGROUP})`;
      const path = `${request}/Assignment/${navigation}`;
      expect((await send('PUT', `${path}/$ref`, target)).status).toBe(204);
      expect((await desk.get(path)).json.Uid).toBe(uidOf(`/${target}`));
      const ref = await desk.get(`${path}/$ref`);
      expect(ref.json['@odata.id']).toBe(`${desk.root}${target}`);
      expect((await send('DELETE', `${path}/$ref`)).status).toBe(204);
      expect((await desk.get(path)).status).toBe(204);
      expect((await send('DELETE', `${path}/$ref`)).status).toBe(404);
    },
  );

  it('PUT on the references of a collection replaces them all, DELETE removes them all', async () => {
    const group = await made('/Workgroups', {
      Name: 'All',
      'Members@odata.bind': [`Persons(${CALLER})`],
    });
    const path = `${group}/Members/$ref`;
    const value = [{ '@id': `Persons(${MEMBER})` }];
    const put = await desk.send('PUT', path, {
      body: { value },
      headers: { 'odata-version': '4.01' },
    });
    expect(put.status, put.text).toBe(204);
    expect(await uids(`${group}/Members`)).toEqual([MEMBER]);
    expect((await send('DELETE', path, undefined, V401)).status).toBe(204);
    expect(await uids(`${group}/Members`)).toEqual([]);
  });
});

describe('DELETE of all links of a collection', () => {
  const path = async () => {
    const members = [`Persons(${CALLER})`, `Persons(${MEMBER})`];
    return `${await made('/Workgroups', { Name: 'Kept', 'Members@odata.bind': members })}/Members`;
  };

  it.each([
    ['says no version', {}],
    ['speaks 4.0', { 'odata-maxversion': '4.0' }],
    ['writes 4.0', { 'odata-version': '4.0' }],
  ])('405 for a client that %s: all links are still there', async (_, headers) => {
    const members = await path();
    const answer = await send('DELETE', `${members}/$ref`, undefined, headers);
    expect([answer.status, answer.json.error.code, answer.headers.allow]).toEqual([
      405,
      'write.all-links',
      'GET, POST, PUT',
    ]);
    expect(await uids(members)).toEqual([CALLER, MEMBER]);
  });

  it.each([
    ['OData-Version: 4.01', { 'odata-version': '4.01' }],
    ['OData-MaxVersion: 4.01', { 'odata-maxversion': '4.01' }],
    ['both', V401],
  ])('204 with %s', async (_, headers) => {
    const members = await path();
    expect((await send('DELETE', `${members}/$ref`, undefined, headers)).status).toBe(204);
    expect(await uids(members)).toEqual([]);
  });

  it('the message says how to remove one link, and both ways do so', async () => {
    const members = await path();
    const { error } = (await send('DELETE', `${members}/$ref`)).json;
    expect(error.message).toContain('OData-Version: 4.01');
    const advised = [...error.message.matchAll(/Members(\(<key>\))?\/\$ref(\?\$id=<URL>)?/g)];
    const links = [CALLER, MEMBER];
    expect(advised).toHaveLength(links.length);
    for (const [index, [text]] of advised.entries()) {
      const link = text
        .replace('Members', '')
        .replace('<key>', `${links[index]}`)
        .replace('<URL>', `${desk.root}Persons(${links[index]})`);
      expect((await send('DELETE', `${members}${link}`)).status).toBe(204);
      expect(await uids(members)).toEqual(links.slice(index + 1));
    }
  });

  it('OPTIONS names DELETE to clients of 4.01 only', async () => {
    const members = await path();
    const allow = async (headers: object) =>
      (await send('OPTIONS', `${members}/$ref`, undefined, headers)).headers.allow;
    expect([await allow({}), await allow(V401)]).toEqual([
      expect.not.stringContaining('DELETE'),
      expect.stringContaining('DELETE'),
    ]);
  });

  it('a part of a batch is held to the version of the part, or else of the batch', async () => {
    const members = await path();
    const part = { id: '1', method: 'DELETE', url: `${members.slice(1)}/$ref` };
    const old = await sendJsonBatch(desk, [part]);
    expect([old.statuses['1'], old.of('1').body.error.code]).toEqual([405, 'write.all-links']);
    const group = { ...part, atomicityGroup: 'g' };
    expect((await sendJsonBatch(desk, [group])).statuses['1']).toBe(405);
    const parts = await sendBatch(desk, [[{ method: 'DELETE', url: part.url }]]);
    expect(parts.items[0]).toMatchObject({ status: 405 });
    expect(await uids(members)).toEqual([CALLER, MEMBER]);
    const stated = { ...part, headers: { 'odata-version': '4.01' } };
    expect((await sendJsonBatch(desk, [stated])).statuses['1']).toBe(204);
    expect(await uids(members)).toEqual([]);
    const again = await path();
    const inherits = { ...part, url: `${again.slice(1)}/$ref` };
    const all = await sendJsonBatch(desk, [inherits], { 'odata-maxversion': '4.01' });
    expect([all.statuses['1'], await uids(again)]).toEqual([204, []]);
  });

  it('files, lines and what the service keeps are no links: nothing is removed in any version', async () => {
    const line = await made(`${request}/HistoryLines`, { Subject: 'Stays' }).catch(() => undefined);
    expect(line).toBeDefined();
    for (const headers of [{}, V401]) {
      const answer = await send('DELETE', `${request}/HistoryLines/$ref`, undefined, headers);
      expect([answer.status, answer.json.error.code]).toEqual([400, 'write.contained']);
      expect(answer.json.error.message).toMatch(/or POST them to "HistoryLines"\.$/);
    }
    const one = await send('DELETE', '/Persons(31)/Account/$ref');
    expect(one.json.error.message).toMatch(/or PUT one to "Account"\.$/);
    expect(await uids(`${request}/HistoryLines`)).toHaveLength(1);
  });

  it.each([
    ['DELETE', '/$filter(Uid%20eq%2031)', undefined],
    ['PUT', '/$filter(Uid%20eq%2031)', { value: [] }],
    ['POST', '/$filter(Uid%20eq%2031)', { '@id': 'Persons(32)' }],
  ])('%s behind %s, which chooses some of the links: 405, none is removed', async (...given) => {
    const [method, chosen, body] = given;
    const members = await path();
    const answer = await desk.send(method, `${members}${chosen}/$ref`, {
      headers: V401,
      ...(body === undefined ? {} : { body }),
    });
    expect([answer.status, answer.json?.error.code]).toEqual([405, 'request.method']);
    expect(String(answer.headers.allow).split(', ')).not.toContain(method);
    expect(await uids(members)).toEqual([CALLER, MEMBER]);
  });
});

describe('Relationships, the Prefer header', () => {
  it.each([
    ['PUT', () => `${request}/Caller/$ref`, `Persons(${CALLER})`],
    ['PUT', () => `${request}/Assignment/AssigneePerson/$ref`, `Persons(${CALLER})`],
    ['POST', () => `${request}/ConfigurationItems/$ref`, 'item'],
  ])('%s with return=representation: 200 with the updated owner', async (method, path, target) => {
    const id =
      target === 'item' ? (await made('/ConfigurationItems', { Name1: 'CI' })).slice(1) : target;
    const answer = await send(method, path(), id, WHOLE);
    expect([answer.status, answer.json?.Uid]).toEqual([200, uidOf(request)]);
    expect(answer.headers['preference-applied']).toBe('return=representation');
    expect(answer.headers.etag).toBe(answer.json['@odata.etag']);
    expect(entityTag((await desk.get(request)).headers.etag)).toBe(answer.headers.etag);
    expect(answer.json['@odata.context']).toBe(`${desk.root}$metadata#ServiceRequests/$entity`);
  });

  it('DELETE: 200 with what $select shows of the owner', async () => {
    await send('PUT', `${request}/Caller/$ref`, `Persons(${CALLER})`);
    const path = `${request}/Caller/$ref?$select=Uid&$expand=Caller`;
    const answer = await send('DELETE', path, undefined, WHOLE);
    expect([answer.status, answer.json?.Uid, answer.json?.Caller]).toEqual([
      200,
      uidOf(request),
      null,
    ]);
    expect(answer.json).not.toHaveProperty('Description');
  });

  it('return=minimal: 204, and it is said', async () => {
    const answer = await send('PUT', `${request}/Caller/$ref`, `Persons(${CALLER})`, MINIMAL);
    expect([answer.status, answer.headers['preference-applied']]).toEqual([204, 'return=minimal']);
  });
});

describe('Relationships, what is refused', () => {
  it.each([
    ['PUT', '/ServiceRequests(999999)/Caller/$ref', `Persons(${CALLER})`, 404],
    ['POST', '/ServiceRequests(999999)/Workorders/$ref', 'Workorders(2001)', 404],
    ['DELETE', '/ServiceRequests(999999)/Caller/$ref', undefined, 404],
    ['PUT', '/ServiceRequests(1002)/Callr/$ref', `Persons(${CALLER})`, 404],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', 'Persons(999999)', 400],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', `Workgroups(${WORKGROUP})`, 400],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', 'http://evil.example/odata/Persons(31)', 400],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', 'Persons', 400],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', '', 400],
    ['PUT', '/ServiceRequests(1002)/Caller/$ref', 7, 400],
    ['POST', '/ServiceRequests(1002)/Workorders/$ref', 'Workorders(999999)', 400],
    ['POST', '/ServiceRequests(1002)/Caller/$ref', `Persons(${CALLER})`, 405],
    ['PATCH', '/ServiceRequests(1002)/Caller/$ref', `Persons(${CALLER})`, 405],
    ['PUT', '/ServiceRequests(1002)/Attachments/$ref', 'Persons(31)', 400],
    ['POST', '/ServiceRequests(1002)/HistoryLines/$ref', 'Persons(31)', 400],
    ['PUT', '/ServiceRequests(1002)/Description/$ref', `Persons(${CALLER})`, 404],
    ['DELETE', '/ServiceRequests(1002)/Workorders(999999)/$ref', undefined, 404],
    ['DELETE', '/ServiceRequests(1002)/Caller/$ref?$id=Persons(31)', undefined, 400],
    ['PUT', '/ServiceRequests(1001)/Template/$ref', 'Templates(1)', 400],
  ])('%s %s to %j: %i', async (method, path, id, status) => {
    const answer = await send(method, path, id);
    expect([answer.status, typeof answer.json?.error?.message]).toEqual([status, 'string']);
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['a list', []],
    ['null', 'null'],
    ['other members', { id: 'Persons(31)' }],
  ])('a body of %s: 400', async (_, body) => {
    const answer = await desk.send('PUT', `${request}/Caller/$ref`, {
      ...(body === undefined ? {} : { body }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(400);
  });

  it('a link is not made by halves: with a wrong list nothing has changed', async () => {
    const group = await made('/Workgroups', {
      Name: 'Whole',
      'Members@odata.bind': [`Persons(${CALLER})`],
    });
    const value = [{ '@odata.id': `Persons(${MEMBER})` }, { '@odata.id': 'Persons(999999)' }];
    expect((await desk.send('PUT', `${group}/Members/$ref`, { body: { value } })).status).toBe(400);
    expect(await uids(`${group}/Members`)).toEqual([CALLER]);
  });

  it('If-Match speaks of the owner: 412 where it has changed, and the ETag changes with a relation', async () => {
    const { etag } = (await desk.get(request)).headers;
    const fresh = { 'if-match': String(etag) };
    const path = `${request}/Caller/$ref`;
    expect((await send('PUT', path, `Persons(${CALLER})`, fresh)).status).toBe(204);
    expect((await send('PUT', path, `Persons(${MEMBER})`, fresh)).status).toBe(412);
    expect((await desk.get(`${request}/Caller`)).json.Uid).toBe(CALLER);
    expect((await send('DELETE', path, undefined, fresh)).status).toBe(412);
    const { etag: later } = (await desk.get(request)).headers;
    const again = await send('PUT', path, `Persons(${CALLER})`);
    expect(again.headers.etag).toBe(entityTag(later));
  });

  it('an organization keeps its own persons: both ends of a relation agree', async () => {
    const person = await made('/Persons', { LastName: 'Agreed' });
    await send('PUT', `${person}/Organization/$ref`, `Organizations(${ORGANIZATION})`);
    expect(await uids(`/Organizations(${ORGANIZATION})/Persons`)).toContain(uidOf(person));
    const path = `/Organizations(${ORGANIZATION})/Persons(${uidOf(person)})/$ref`;
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await desk.get(`${person}/Organization`)).status).toBe(204);
  });
});

describe('Two accounts of one person, whose type has a single-valued navigation for them', () => {
  beforeAll(async () => {
    for (const loginName of ['twin one', 'twin two'])
      await desk.join({ loginName, roles: [], person: MEMBER });
  });

  it.each([
    ['/Persons(32)/Account?$select=LoginName', { LoginName: 'twin one' }],
    ['/Persons(32)?$select=Uid&$expand=Account($select=LoginName)', { Uid: 32 }],
  ])('are one by %s', async (path, expected) => {
    const { status, json, text } = await desk.get(path);
    expect([status, json], text).toEqual([200, expect.objectContaining(expected)]);
    expect(text).toContain('twin one');
    expect(text).not.toContain('twin two');
  });

  it.each([
    "/Persons?$filter=Account/LoginName eq 'twin one'",
    '/Persons?$filter=Account ne null and Uid eq 32',
    '/Persons?$filter=Uid eq 32&$orderby=Account/LoginName',
    '/Persons?$filter=Uid eq 32&$compute=Account/LoginName as L&$select=Uid,L',
    '/Persons?$filter=Uid eq 32&$expand=Account',
    '/Persons?$apply=filter(Uid eq 32)/groupby((Uid,Account/LoginName))',
    '/ServiceRequests?$apply=filter(Caller/Account eq null)/aggregate($count as N)',
  ])('make one row of %s', async (path) => {
    const { status, json, text } = await desk.get(path);
    expect([status, json.value?.length], text).toEqual([200, 1]);
  });
});
