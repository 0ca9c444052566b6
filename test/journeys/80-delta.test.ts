// This file asks for changes as a client does: tracked reads, delta links, what they tell of records that were made, changed, deleted or
// no longer belong to the query, and how they end. That nothing is missed is shown in 81-replica.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteChanges } from '../../src/changes/retention.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { BARE_REQUEST, CALLER, MANY, MEMBER, REQUEST, WORKORDER } from './records.ts';
import { openZoo } from './zoo.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk?.close());

const TRACK = { prefer: 'odata.track-changes' };
const NEW = { 'odata-maxversion': '4.01' };

async function tracked(query: string, headers: Readonly<Record<string, string>> = {}) {
  let answer = await desk.get(query, { ...TRACK, ...headers });
  const first = answer;
  const next = () => answer.json['@odata.nextLink'] ?? answer.json['@nextLink'];
  while (next() !== undefined) answer = await desk.get(next(), headers);
  const link: string = answer.json['@odata.deltaLink'] ?? answer.json['@deltaLink'];
  return { first, last: answer, link };
}

const patch = async (path: string, body: unknown): Promise<void> => {
  expect((await desk.send('PATCH', path, { body })).status).toBe(204);
};

describe('Requesting changes, OData 4.01 Protocol, "Requesting Changes"', () => {
  it('a tracked read says so, and has a delta link where another next link would be', async () => {
    const { first, last, link } = await tracked('/ServiceRequests?$select=Uid&$filter=Uid ge 4000');
    expect(first.headers['preference-applied']).toBe('odata.track-changes');
    expect(first.json).not.toHaveProperty('@odata.deltaLink');
    expect(last.json).not.toHaveProperty('@odata.nextLink');
    expect(link).toMatch(/^http:\/\/desk\.example\/odata\/ServiceRequests\?.*\$deltatoken=[\w.]+$/);
  });

  it('every set can be tracked whose metadata say so, and none that is reserved to administrators', async () => {
    const { json } = await desk.get('/$metadata?$format=json&engine=true');
    const { sets, definition } = desk.installation.model;
    const [namespace, container] = json.$EntityContainer.split(/\.(?=[^.]+$)/);
    expect(`${namespace}.${container}`).toBe(definition.container);
    const members = json[namespace][container];
    const said = [...sets.keys()].filter(
      (name) => members[name]?.['@Capabilities.ChangeTracking']?.Supported === true,
    );
    expect(said).toContain('ServiceRequests');
    for (const [name, { kind, administrative }] of sets) {
      const answer = await desk.get(`/${name}?$top=1`, TRACK);
      const isTracked = answer.text.includes('"@odata.deltaLink":');
      expect([name, isTracked]).toEqual([name, kind === 'set' && administrative !== true]);
      expect([name, isTracked]).toEqual([name, said.includes(name)]);
    }
  });

  it('the pages of a tracked read hold every record once', async () => {
    const uids: number[] = [];
    for (let link = '/ServiceRequests?$select=Uid&$filter=Uid ge 4000'; link !== undefined; ) {
      const answer = await desk.get(link, uids.length === 0 ? TRACK : {});
      uids.push(...answer.json.value.map((record: { Uid: number }) => record.Uid));
      link = answer.json['@odata.nextLink'];
    }
    expect(uids).toEqual(Array.from({ length: MANY }, (_, index) => 4000 + index));
  });

  it('a delta link keeps $filter, $select, $expand, $search and $compute, and neither $top, $skip, $orderby nor $count', async () => {
    const { link } = await tracked(
      "/Persons?$filter=Name ne 'x'&$select=Uid,Name,Twice&$expand=Organization($select=Name1)&$search=zoë&$compute=Uid mul 2 as Twice&$top=1&$skip=0&$orderby=Name&$count=true",
    );
    const options = [...new URL(link).searchParams.keys()].sort();
    expect(options).toEqual([
      '$compute',
      '$deltatoken',
      '$expand',
      '$filter',
      '$search',
      '$select',
    ]);
  });

  it('a read that was not asked to track has no delta link', async () => {
    const { json, headers } = await desk.get('/Persons');
    expect(json).not.toHaveProperty('@odata.deltaLink');
    expect(headers).not.toHaveProperty('preference-applied');
  });

  it('where changes cannot be tracked the preference is passed over', async () => {
    for (const path of [
      `/ServiceRequests(${REQUEST})/Workorders`,
      `/ServiceRequests(${REQUEST})`,
      '/ServiceRequests?$apply=groupby((Status/Value))',
      '/Persons?$filter=Birthdate lt now()',
      `/ServiceRequests?$expand=HistoryLines($expand=CreatedBy)`,
    ]) {
      const { status, json, headers } = await desk.get(path, TRACK);
      expect([path, status, headers['preference-applied']]).toEqual([path, 200, undefined]);
      expect(json).not.toHaveProperty('@odata.deltaLink');
    }
  });
});

describe('Using delta links', () => {
  it('no change: an empty page with a delta link', async () => {
    const { link } = await tracked('/Persons?$select=Uid');
    const { status, json } = await desk.get(link);
    expect(status).toBe(200);
    expect(json).toEqual({
      '@odata.context': `${desk.root}$metadata#Persons(Uid)/$delta`,
      value: [],
      '@odata.deltaLink': link,
    });
  });

  it('changed and new records come as they are now, each once, with their ETags', async () => {
    const { link } = await tracked(
      '/Persons?$select=Uid,Jobtitle&$expand=Organization($select=Name1)',
    );
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'Clerk' });
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'Head' });
    const made = await desk.send('POST', '/Persons', {
      body: { LastName: 'New', Jobtitle: 'Trainee' },
    });
    const { json } = await desk.get(link);
    expect(json['@odata.context']).toBe(
      `${desk.root}$metadata#Persons(Uid,Jobtitle,Organization(Name1))/$delta`,
    );
    expect(json.value).toEqual([
      {
        '@odata.etag': 'W/"3"',
        Uid: CALLER,
        Jobtitle: 'Head',
        Organization: {
          '@odata.etag': 'W/"1"',
          Name1: 'Hillside',
          '@odata.id': `${desk.root}Organizations(11)`,
        },
      },
      { '@odata.etag': 'W/"1"', Uid: made.json.Uid, Jobtitle: 'Trainee', Organization: null },
    ]);
  });

  it('what was told is not told again by the new delta link, and is by the old one', async () => {
    const { link } = await tracked('/Persons?$select=Uid');
    await patch(`/Persons(${MEMBER})`, { Jobtitle: 'Nurse' });
    const told = await desk.get(link);
    expect(told.json.value).toHaveLength(1);
    expect(told.json['@odata.deltaLink']).not.toBe(link);
    expect((await desk.get(told.json['@odata.deltaLink'])).json.value).toEqual([]);
    expect((await desk.get(link)).json.value).toEqual(told.json.value);
  });

  it('records that leave the filter, and deleted ones, are removed: in the form of 4.0', async () => {
    const { link } = await tracked("/Persons?$select=Uid&$filter=LastName eq 'Removed'");
    const { json: leaving } = await desk.send('POST', '/Persons', {
      body: { LastName: 'Removed' },
    });
    const { json: going } = await desk.send('POST', '/Persons', { body: { LastName: 'Removed' } });
    const there = await desk.get(link);
    expect(there.json.value).toHaveLength(2);
    await patch(`/Persons(${leaving.Uid})`, { LastName: 'Else' });
    expect((await desk.send('DELETE', `/Persons(${going.Uid})`)).status).toBe(204);
    const context = `${desk.root}$metadata#Persons/$deletedEntity`;
    const { json } = await desk.get(there.json['@odata.deltaLink']);
    expect(json.value).toEqual([
      { '@odata.context': context, id: `Persons(${leaving.Uid})`, reason: 'changed' },
      { '@odata.context': context, id: `Persons(${going.Uid})`, reason: 'deleted' },
    ]);
    expect((await desk.get(link)).json.value, 'they came and went').toEqual([]);
  });

  it('the same in the form of 4.01, with the context where all metadata are wanted', async () => {
    const { link } = await tracked('/Workorders?$select=Uid', NEW);
    const { json: made } = await desk.send('POST', '/Workorders', { body: { Description: 'x' } });
    const after = (await desk.get(link, NEW)).json['@deltaLink'];
    await desk.send('DELETE', `/Workorders(${made.Uid})`);
    const removed = { '@removed': { reason: 'deleted' }, '@id': `Workorders(${made.Uid})` };
    expect((await desk.get(after, NEW)).json).toEqual({
      '@context': `${desk.root}$metadata#Workorders(Uid)/$delta`,
      value: [removed],
      '@deltaLink': expect.any(String),
    });
    const full = await desk.get(after, { ...NEW, accept: 'application/json;metadata=full' });
    const context = `${desk.root}$metadata#Workorders/$deletedEntity`;
    expect(full.json.value).toEqual([{ '@context': context, ...removed }]);
    expect(Object.keys(full.json.value[0])).toEqual(['@context', '@removed', '@id']);
  });

  it('a record whose expanded collection has changed comes with the whole collection', async () => {
    const query = `/ServiceRequests?$filter=Uid lt 4000&$select=Uid&$expand=Workorders($select=Uid)`;
    const { link } = await tracked(query);
    await patch(`/Workorders(${WORKORDER})`, {
      'ServiceRequest@odata.bind': `/ServiceRequests(${BARE_REQUEST})`,
    });
    const { json } = await desk.get(link);
    expect(json.value).toMatchObject([
      { Uid: REQUEST, Workorders: [{ Uid: WORKORDER + 1 }] },
      { Uid: BARE_REQUEST, Workorders: [{ Uid: WORKORDER }] },
    ]);
  });

  it('many changes come in pages, at the end of which is the new delta link', async () => {
    const { link } = await tracked('/ServiceRequests?$select=Uid&$filter=Uid ge 4000');
    for (let uid = 4000; uid < 4005; uid++) {
      await patch(`/ServiceRequests(${uid})`, { Description: 'Changed' });
    }
    const found: number[] = [];
    let answer: DeskAnswer | undefined;
    for (let at: string | undefined = link; at !== undefined; at = answer.json['@odata.nextLink']) {
      answer = await desk.get(at, { prefer: 'maxpagesize=2,track-changes' });
      found.push(...answer.json.value.map((record: { Uid: number }) => record.Uid));
      expect(answer.headers['preference-applied']).toBe('maxpagesize=2, track-changes');
    }
    expect(found).toEqual([4000, 4001, 4002, 4003, 4004]);
    const sizes: number[] = [];
    answer = await desk.get(link, { prefer: 'maxpagesize=2' });
    for (;;) {
      sizes.push(answer.json.value.length);
      if (answer.json['@odata.nextLink'] === undefined) break;
      answer = await desk.get(answer.json['@odata.nextLink']);
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect((await desk.get(answer?.json['@odata.deltaLink'])).json.value).toEqual([]);
  });

  it('/$count behind the path gives the number of changes', async () => {
    const { link } = await tracked('/Persons?$select=Uid&$expand=Organization&$filter=Uid gt 0');
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'Counted' });
    await desk.send('POST', '/Persons', { body: { LastName: 'Counted' } });
    const counted = await desk.get(link.replace('/Persons?', '/Persons/$count?'), {
      accept: 'text/plain',
    });
    expect([counted.status, counted.text]).toEqual([200, '2']);
    expect((await desk.get(`${link}&$count=true`)).json['@odata.count']).toBe(2);
  });

  it.each(['$top=1', '$skip=1', '$orderby=Name'])('%s cannot be added', async (option) => {
    const { link } = await tracked('/Persons?$select=Uid');
    const { status, json } = await desk.get(`${link}&${option}`);
    expect([status, json.error.code]).toEqual([400, 'request.misplaced-option']);
  });

  it.each(['application/json;odata.metadata=none', 'application/atom+xml'])(
    'changes cannot be given as %s',
    async (accept) => {
      const { link } = await tracked('/Persons?$select=Uid');
      expect((await desk.get(link, { accept })).status).toBe(406);
    },
  );
});

describe('The end of a delta link', () => {
  const code = ({ status, json }: DeskAnswer) => [status, json.error.code];

  it('a token that is none: 400', async () => {
    expect(code(await desk.get('/Persons?$deltatoken=8015'))).toEqual([400, 'plan.deltatoken']);
  });

  it('a link that was changed: 410, with the address of the collection', async () => {
    const { link } = await tracked('/Persons?$select=Uid&$filter=Uid gt 3');
    const answer = await desk.get(link.replace('gt%203', 'gt%204'));
    expect(code(answer)).toEqual([410, 'plan.delta-gone']);
    expect(answer.headers.location).toBe('?$filter=Uid%20gt%204&$select=Uid');
  });

  it('changes that are not kept any more: 410, and a link since then goes on', async () => {
    const { link } = await tracked('/Persons?$select=Uid');
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'Before' });
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'After' });
    const fresh = (await tracked('/Persons?$select=Uid')).link;
    await deleteChanges(desk.installation.database, Date.now() + 365 * 24 * 3600 * 1000);
    expect(code(await desk.get(link))).toEqual([410, 'plan.delta-gone']);
    expect(code(await desk.get(link.replace('/Persons?', '/Persons/$count?')))).toEqual([
      410,
      'plan.delta-gone',
    ]);
    expect((await desk.get(fresh)).json.value).toEqual([]);
    await patch(`/Persons(${CALLER})`, { Jobtitle: 'Later' });
    expect((await desk.get(fresh)).json.value).toMatchObject([{ Uid: CALLER }]);
  });

  it('changes that the database never saw, as after a restored backup: 410', async () => {
    const { link } = await tracked('/Persons?$select=Uid');
    const future = link.replace(/\d+$/, '999999');
    expect(code(await desk.get(future))).toEqual([410, 'plan.delta-gone']);
  });
});

describe('Changes in another model', () => {
  let zoo: Desk;
  beforeAll(async () => {
    zoo = await openZoo();
  });
  afterAll(async () => await zoo?.close());

  const follow = async (query: string) => (await zoo.get(query, TRACK)).json['@odata.deltaLink'];
  const removed = async (link: string) =>
    (await zoo.get(link)).json.value.map((item: { id?: string; reason?: string }) => [
      item.id,
      item.reason,
    ]);

  it('records with keys of several parts, and of text, are removed under their addresses', async () => {
    const enclosures = await follow('/Enclosures');
    const species = await follow('/AllSpecies');
    expect((await zoo.send('DELETE', "/Enclosures(Wing='B',Number=2)")).status).toBe(204);
    expect((await zoo.send('DELETE', "/AllSpecies('Psittaciformes')")).status).toBe(409);
    expect(
      (await zoo.send('POST', '/AllSpecies', { body: { Latin: "O'x / y", Title: 'Odd' } })).status,
    ).toBe(201);
    const named = (await zoo.get(species)).json['@odata.deltaLink'];
    expect((await zoo.send('DELETE', "/AllSpecies('O''x%20%2F%20y')")).status).toBe(204);
    expect(await removed(enclosures)).toEqual([["Enclosures(Wing='B',Number=2)", 'deleted']]);
    expect(await removed(named)).toEqual([["AllSpecies('O''x%20%2F%20y')", 'deleted']]);
  });

  it('a record that is made anew under the key of a deleted one comes behind its removal', async () => {
    const link = await follow('/AllSpecies?$select=Latin,Title');
    const body = { Latin: 'Again', Title: 'first' };
    await zoo.send('POST', '/AllSpecies', { body });
    const known = (await zoo.get(link)).json['@odata.deltaLink'];
    await zoo.send('DELETE', "/AllSpecies('Again')");
    await zoo.send('POST', '/AllSpecies', { body: { ...body, Title: 'second' } });
    expect((await zoo.get(known)).json.value).toMatchObject([
      { id: "AllSpecies('Again')", reason: 'deleted' },
      { Latin: 'Again', Title: 'second' },
    ]);
  });
});
