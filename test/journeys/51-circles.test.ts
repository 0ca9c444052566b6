// This file tries to relate records in circles, to relate one to itself, and to say the same of two twice, in every way in which a relation
// can be written: all of them are refused, and nothing is left of what was refused.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineModel, entitySet, entityType, int64, many, one, text } from '../define-model.ts';
import { sendJsonBatch } from './batches.ts';
import { type Desk, type DeskAnswer, openDesk, openForeignDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const V401 = { 'odata-version': '4.01', 'odata-maxversion': '4.01' };

async function made(set: string, body: object): Promise<number> {
  const answer = await desk.send('POST', `/${set}`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.Uid;
}

/** What a refusal says. */
const told = ({ status, json }: DeskAnswer) => [status, json?.error?.code, json?.error?.target];
const CIRCLE = (name: string) => [409, 'write.circle', name];

/** The country, its city, and the building in it. */
let country: number;
let city: number;
let building: number;
beforeEach(async () => {
  country = await made('Locations', { Name: 'Country' });
  city = await made('Locations', { Name: 'City', 'ParentLocation@odata.bind': at(country) });
  building = await made('Locations', { Name: 'Building', 'ParentLocation@odata.bind': at(city) });
});

const at = (uid: number) => `Locations(${uid})`;
const parentOf = async (uid: number) =>
  (await desk.get(`/${at(uid)}?$expand=ParentLocation($select=Uid)`)).json.ParentLocation?.Uid;
const tree = async () => [await parentOf(country), await parentOf(city), await parentOf(building)];

describe('A parent that is below its child is refused with 409', () => {
  it('and the refusal says that the record would be its own ancestor', async () => {
    const body = { 'ParentLocation@odata.bind': at(building) };
    const answer = await desk.send('PATCH', `/${at(country)}`, { body });
    expect(told(answer)).toEqual(CIRCLE('ParentLocation'));
    expect(answer.json.error.message).toContain('Location would become its own ancestor');
    expect(await tree()).toEqual([undefined, country, city]);
  });

  const ref = (uid: number) => ({ '@odata.id': at(uid) });
  const ways: readonly (readonly [string, string, () => Promise<DeskAnswer>])[] = [
    [
      'PATCH of itself',
      'ParentLocation',
      () => patch(country, { 'ParentLocation@odata.bind': at(country) }),
    ],
    [
      'PATCH of 4.01',
      'ParentLocation',
      () => patch(country, { ParentLocation: { '@id': at(city) } }),
    ],
    [
      'PUT',
      'ParentLocation',
      () =>
        desk.send('PUT', `/${at(country)}`, {
          body: { Name: 'Country', 'ParentLocation@odata.bind': at(building) },
        }),
    ],
    [
      'PUT …/$ref',
      'ParentLocation',
      () => desk.send('PUT', `/${at(country)}/ParentLocation/$ref`, { body: ref(city) }),
    ],
    [
      'POST …/$ref from the other side',
      'ChildLocations',
      () => desk.send('POST', `/${at(building)}/ChildLocations/$ref`, { body: ref(country) }),
    ],
    [
      'PUT …/$ref of the whole collection',
      'ChildLocations',
      () =>
        desk.send('PUT', `/${at(building)}/ChildLocations/$ref`, {
          body: { value: [{ '@id': at(country) }] },
          headers: V401,
        }),
    ],
    [
      'a bind of the collection',
      'ChildLocations',
      () => patch(building, { 'ChildLocations@odata.bind': [at(country)] }),
    ],
    [
      'a deep update',
      'ChildLocations',
      () =>
        patch(building, {
          ChildLocations: [{ '@id': at(city), ParentLocation: { '@id': at(building) } }],
        }),
    ],
    [
      'a list of changes inside a body',
      'ChildLocations',
      () => patch(building, { 'ChildLocations@delta': [{ '@id': at(country) }] }),
    ],
    [
      'a list of changes of the set',
      'ParentLocation',
      () =>
        desk.send('PATCH', '/Locations', {
          body: {
            '@context': '#$delta',
            value: [{ '@id': at(country), ParentLocation: { '@id': at(city) } }],
          },
          headers: V401,
        }),
    ],
    [
      '/$each',
      'ParentLocation',
      () =>
        desk.send('PATCH', `/Locations/$filter(Uid%20eq%20${country})/$each`, {
          body: { ParentLocation: { '@id': at(building) } },
          headers: V401,
        }),
    ],
    [
      'a deep insert that joins both ends',
      'ParentLocation',
      () =>
        desk.send('POST', '/Locations', {
          body: {
            Name: 'Between',
            'ParentLocation@odata.bind': at(building),
            'ChildLocations@odata.bind': [at(country)],
          },
        }),
    ],
    [
      'POST to the collection',
      'ChildLocations',
      () =>
        desk.send('POST', `/${at(building)}/ChildLocations`, {
          body: { Name: 'Between', 'ChildLocations@odata.bind': [at(country)] },
        }),
    ],
  ];
  const patch = (uid: number, body: object) =>
    desk.send('PATCH', `/${at(uid)}`, { body, headers: V401 });

  it.each(ways)('by %s', async (_, name, send) => {
    for (let times = 0; times < 3; times++) {
      const answer = await send();
      expect(answer.status, answer.text).toBe(409);
      expect(told(answer)).toEqual(CIRCLE(name));
    }
    expect(await tree()).toEqual([undefined, country, city]);
  });

  it('by a change set of which no single request closes the circle', async () => {
    const other = await made('Locations', { Name: 'Other' });
    const requests = [change('1', other, building), change('2', country, other)];
    const { statuses } = await sendJsonBatch(desk, requests);
    expect(Object.values(statuses)).toContain(409);
    expect([await tree(), await parentOf(other)]).toEqual([[undefined, country, city], undefined]);
  });

  const change = (id: string, uid: number, parent: number) => ({
    id,
    atomicityGroup: 'g',
    method: 'PATCH',
    url: at(uid),
    headers: { 'content-type': 'application/json' },
    body: { 'ParentLocation@odata.bind': at(parent) },
  });
});

describe('What counts is how things are in the end', () => {
  it('a tree is turned round by one list of changes, in whatever order', async () => {
    const value = [
      { '@id': at(country), ParentLocation: { '@id': at(building) } },
      { '@id': at(city), ParentLocation: { '@id': at(country) } },
      { '@id': at(building), ParentLocation: null },
    ];
    const answer = await desk.send('PATCH', '/Locations', {
      body: { '@context': '#$delta', value },
      headers: V401,
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await tree()).toEqual([building, country, undefined]);
  });

  it('a record moves to another branch, and its own parent again is no change', async () => {
    for (const parent of [country, city, city]) {
      const body = { '@odata.id': at(parent) };
      const path = `/${at(building)}/ParentLocation/$ref`;
      expect((await desk.send('PUT', path, { body })).status).toBe(204);
    }
    expect(await tree()).toEqual([undefined, country, city]);
  });
});

describe('So are other trees and chains', () => {
  it.each([
    ['ConfigurationItems', { Name1: 'Rack' }, 'ParentItem'],
    ['Services', { Name: 'Mail' }, 'ParentService'],
    ['Organizations', { Name1: 'Hill' }, 'ParentOrganization'],
    ['Workgroups', { Name: 'Line' }, 'ParentWorkgroup'],
    ['Projects', { Name: 'Move', Description: 'Move' }, 'ParentProject'],
  ])('%s', async (set, body, parent) => {
    const above = await made(set, body);
    const below = await made(set, { ...body, [`${parent}@odata.bind`]: `${set}(${above})` });
    for (const uid of [above, below]) {
      const closing = { '@odata.id': `${set}(${uid})` };
      const answer = await desk.send('PUT', `/${set}(${above})/${parent}/$ref`, { body: closing });
      expect(told(answer)).toEqual(CIRCLE(parent));
    }
  });

  it('work orders that wait for each other, from either side', async () => {
    const order = (uid: number | undefined) => ({ '@odata.id': `Workorders(${uid})` });
    const [first, second, third] = await Promise.all(
      ['a', 'b', 'c'].map((Description) => made('Workorders', { Description })),
    );
    const add = (from: number | undefined, name: string, to: number | undefined) =>
      desk.send('POST', `/Workorders(${from})/${name}/$ref`, { body: order(to) });
    expect((await add(second, 'Predecessors', first)).status).toBe(204);
    expect((await add(second, 'Successors', third)).status).toBe(204);
    expect((await add(third, 'Predecessors', first)).status).toBe(204);
    expect(told(await add(first, 'Predecessors', third))).toEqual(CIRCLE('Predecessors'));
    expect(told(await add(third, 'Successors', first))).toEqual(CIRCLE('Successors'));
    expect(told(await add(first, 'Successors', first))).toEqual(CIRCLE('Successors'));
    const { json } = await desk.get(`/Workorders(${first})/Predecessors`);
    expect(json.value).toEqual([]);
  });
});

describe('A relation of a record to itself is refused with 409', () => {
  const SELF = [409, 'write.self-relation', 'Target'];

  it('when it is made, from whatever side, and when one of its ends is changed', async () => {
    const one = `Incidents(${await made('Incidents', { Description: 'one' })})`;
    const other = `Problems(${await made('Problems', { Description: 'other' })})`;
    const body = { 'Target@odata.bind': one };
    const itself = { 'Source@odata.bind': one, ...body };
    expect(told(await desk.send('POST', '/RecordRelations', { body: itself }))).toEqual(SELF);
    expect(told(await desk.send('POST', `/${one}/Relations`, { body }))).toEqual(SELF);
    const relation = await made('RecordRelations', { ...body, 'Source@odata.bind': other });
    const path = `/RecordRelations(${relation})`;
    const ref = { body: { '@odata.id': one } };
    expect(told(await desk.send('PUT', `${path}/Source/$ref`, ref))).toEqual(SELF);
    const change = { body: { 'Source@odata.bind': one } };
    expect(told(await desk.send('PATCH', path, change))).toEqual(SELF);
    const added = { body: { '@odata.id': `RecordRelations(${relation})` } };
    expect(told(await desk.send('POST', `/${one}/Relations/$ref`, added))).toEqual(SELF);
    const stays = await desk.get(`${path}/Source`);
    expect(stays.json.Description).toBe('other');
  });

  it('an item that depends on itself, along with its owner too', async () => {
    const item = `ConfigurationItems(${await made('ConfigurationItems', { Name1: 'Server' })})`;
    const body = { 'Target@odata.bind': item };
    expect(told(await desk.send('POST', `/${item}/ItemRelations`, { body }))).toEqual(SELF);
    const inside = { ItemRelations: [{ Target: { '@id': item } }] };
    const deep = await desk.send('PATCH', `/${item}`, { body: inside, headers: V401 });
    expect(told(deep)).toEqual(SELF);
    expect((await desk.get(`/${item}/ItemRelations`)).json.value).toEqual([]);
  });
});

describe('A relation that is there already is refused with 409', () => {
  const TWICE = [409, 'write.related-already', 'Target'];
  let one = '';
  let other = '';
  beforeEach(async () => {
    one = `Incidents(${await made('Incidents', { Description: 'one' })})`;
    other = `Problems(${await made('Problems', { Description: 'other' })})`;
  });
  const pair = (Value?: number) => ({
    'Source@odata.bind': one,
    'Target@odata.bind': other,
    ...(Value === undefined ? {} : { Type: { Value } }),
  });
  const post = (body: object) => desk.send('POST', '/RecordRelations', { body });

  it('with the same type, with none, and again; another type and the way back are others', async () => {
    for (const type of [201001, 201002, undefined]) {
      expect((await post(pair(type))).status).toBe(201);
      for (let times = 0; times < 2; times++) expect(told(await post(pair(type)))).toEqual(TWICE);
    }
    const back = { 'Source@odata.bind': other, 'Target@odata.bind': one, Type: { Value: 201001 } };
    expect((await post(back)).status).toBe(201);
    const { json } = await desk.get(`/${one}/Relations?$count=true`);
    expect(json['@odata.count']).toBe(3);
    const message = (await post(pair(201001))).json.error.message;
    expect(message).toContain(
      'There is already a RecordRelation between the two, of the same "Type"',
    );
  });

  it('when one becomes like another, by whatever of it', async () => {
    const first = `RecordRelations(${await made('RecordRelations', pair(201001))})`;
    const second = `RecordRelations(${await made('RecordRelations', pair(201002))})`;
    const alone = `RecordRelations(${await made('RecordRelations', { Type: { Value: 201001 }, 'Target@odata.bind': other })})`;
    const Type = { Value: 201001 };
    const change = (path: string, method: string, body: object) =>
      desk.send(method, `/${path}`, { body, headers: V401 });
    const answers = [
      await change(second, 'PATCH', { Type }),
      await change(second, 'PUT', { ...pair(201001), Remark: 'x' }),
      await change(`${second}/Type`, 'PUT', { value: Type }),
      await change(`${second}/Type/Value`, 'PUT', { value: 201001 }),
      await change(alone, 'PATCH', { 'Source@odata.bind': one }),
      await change(`${alone}/Source/$ref`, 'PUT', { '@odata.id': one }),
      await change(`${one}/Relations/$ref`, 'POST', { '@odata.id': alone }),
      await change(`${one}/Relations`, 'POST', { Type, 'Target@odata.bind': other }),
      await change(one, 'PATCH', {
        Relations: [{ '@id': first }, { Type, Target: { '@id': other } }],
      }),
      await change('RecordRelations', 'PATCH', {
        '@context': '#$delta',
        value: [{ Type, Source: { '@id': one }, Target: { '@id': other } }],
      }),
      await change(`RecordRelations/$filter(${filterOf(second)})/$each`, 'PATCH', { Type }),
    ];
    expect(answers.map(told)).toEqual(answers.map(() => TWICE));
    expect((await change(second, 'PATCH', { Remark: 'kept' })).status).toBe(204);
    const types = await desk.get(`/${one}/Relations?$select=Type&$orderby=Type/Value`);
    expect(types.json.value.map((row: { Type: { Value: number } }) => row.Type.Value)).toEqual([
      201001, 201002,
    ]);
  });

  const filterOf = (path: string) => `Uid%20eq%20${/\d+/.exec(path)?.[0]}`;

  it('what is exchanged by one list of changes is not', async () => {
    const first = await made('RecordRelations', pair(201001));
    const second = await made('RecordRelations', pair(201002));
    const value = [
      { '@id': `RecordRelations(${first})`, Type: { Value: 201002 } },
      { '@id': `RecordRelations(${second})`, Type: { Value: 201001 } },
    ];
    const body = { '@context': '#$delta', value };
    const answer = await desk.send('PATCH', '/RecordRelations', { body, headers: V401 });
    expect(answer.status, answer.text).toBeLessThan(300);
  });

  it('of two that a batch makes at once, in one change set, neither is made', async () => {
    const make = (id: string) => ({
      id,
      atomicityGroup: 'g',
      method: 'POST',
      url: 'RecordRelations',
      headers: { 'content-type': 'application/json' },
      body: pair(201001),
    });
    const { statuses } = await sendJsonBatch(desk, [make('1'), make('2')]);
    expect(Object.values(statuses)).toContain(409);
    expect((await desk.get(`/${one}/Relations`)).json.value).toEqual([]);
  });

  it('of many that come at the same time one is made', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post(pair(201001))));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('an item depends on another in one way once; so does another item', async () => {
    const [first, second, third] = await Promise.all(
      ['a', 'b', 'c'].map((Name1) => made('ConfigurationItems', { Name1 })),
    );
    const add = (owner: number | undefined, Value: number) =>
      desk.send('POST', `/ConfigurationItems(${owner})/ItemRelations`, {
        body: {
          RelationType: { Value },
          'Target@odata.bind': `ConfigurationItems(${second})`,
        },
      });
    expect((await add(first, 229001)).status).toBe(201);
    expect((await add(first, 229002)).status).toBe(201);
    expect((await add(third, 229001)).status).toBe(201);
    expect(told(await add(first, 229001))).toEqual(TWICE);
  });
});

describe('A model of an installation', () => {
  const model = defineModel({
    namespaces: [{ name: 'Own' }],
    types: [
      entityType(
        'Node',
        [
          int64('Id', { nullable: false, generated: { by: 'key' } }),
          text('Name'),
          one('Within', 'Node', { partner: 'Holds', acyclic: true }),
          many('Holds', 'Node', { partner: 'Within' }),
        ],
        { key: ['Id'], abstract: true },
      ),
      entityType('Folder', [], { base: 'Node' }),
      entityType('Page', [many('Next', 'Page', { acyclic: true })], { base: 'Node' }),
      entityType(
        'Link',
        [
          int64('Id', { nullable: false, generated: { by: 'key' } }),
          one('A', 'Node'),
          one('B', 'Node'),
          text('Kind'),
        ],
        { key: ['Id'], relates: { source: 'A', target: 'B', type: 'Kind' } },
      ),
    ],
    sets: [entitySet('Folders', 'Folder'), entitySet('Pages', 'Page'), entitySet('Links', 'Link')],
  });

  it('has the same rules, over trees of several sets and chains without a partner', async () => {
    const own = await openForeignDesk(model, {});
    const put = (path: string, id: string | undefined, method = 'PUT') =>
      own.send(method, `/${path}/$ref`, { body: { '@odata.id': id } });
    try {
      const [folder, page, next] = await Promise.all(
        ['Folders', 'Pages', 'Pages'].map(
          async (set) =>
            `${set}(${(await own.send('POST', `/${set}`, { body: { Name: 'x' } })).json.Id})`,
        ),
      );
      expect((await put(`${page}/Within`, folder)).status).toBe(204);
      expect(told(await put(`${folder}/Within`, page))).toEqual(CIRCLE('Within'));
      expect(told(await put(`${page}/Holds`, folder, 'POST'))).toEqual(CIRCLE('Holds'));
      expect((await put(`${page}/Next`, next, 'POST')).status).toBe(204);
      expect(told(await put(`${next}/Next`, page, 'POST'))).toEqual(CIRCLE('Next'));
      const link = { 'A@odata.bind': page, 'B@odata.bind': page };
      const answer = await own.send('POST', '/Links', { body: link });
      expect(told(answer)).toEqual([409, 'write.self-relation', 'B']);
      const others = { 'A@odata.bind': page, 'B@odata.bind': folder, Kind: 'x' };
      expect((await own.send('POST', '/Links', { body: others })).status).toBe(201);
      const again = await own.send('POST', '/Links', { body: others });
      expect(told(again)).toEqual([409, 'write.related-already', 'B']);
    } finally {
      await own.close();
    }
  });
});
