// This file saves views and dashboards, shares them, and tries what others may do with them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { ZOO } from './zoo-records.ts';

type Client = Pick<Desk, 'get' | 'send'>;

let desk: Desk;
let ada: Client;
let bob: Client;
let eve: Client;
let group: number;
let role: number;
beforeAll(async () => {
  desk = await openDesk();
  const people: number[] = [];
  for (const LastName of ['Ada', 'Bob', 'Eve']) {
    const { json } = await desk.send('POST', '/Persons', { body: { LastName } });
    people.push(json.Uid);
  }
  const Members = people.slice(0, 2).map((uid) => ({ '@id': `Persons(${uid})` }));
  const made = await desk.send('POST', '/Workgroups', { body: { Name: 'Front', Members } });
  group = made.json.Uid;
  const access = (names: readonly string[]) => names.map((Entity) => ({ Entity, Read: true }));
  const agent = { Name: 'agent', EntityAccess: access(['ServiceRequest', 'Workgroup', 'Role']) };
  role = (await desk.send('POST', '/Roles', { body: agent })).json.Uid;
  const requester = { Name: 'requester', EntityAccess: access(['ServiceRequest']) };
  expect((await desk.send('POST', '/Roles', { body: requester })).status).toBe(201);
  const join = async (loginName: string, roles: readonly string[], person?: number) =>
    await desk.join({ loginName, roles, ...(person === undefined ? {} : { person }) });
  ada = await join('ada', ['agent'], people[0]);
  bob = await join("bob's", ['requester'], people[1]);
  eve = await join('eve', ['agent'], people[2]);
});
afterAll(async () => await desk.close());

const VIEW = {
  EntitySet: 'ServiceRequests',
  Name: 'Mine',
  Query: '$filter=Caller/Uid eq 5 and Status/Value ne 1&$orderby=Uid desc&$select=Uid,Status',
  Layout: '{"columns":["Uid"]}',
};

async function save(client: Client, body: object = {}, set = 'ConsoleViews') {
  const whole = set === 'ConsoleViews' ? { ...VIEW, ...body } : { Name: 'Board', ...body };
  return await client.send('POST', `/${set}`, { body: whole });
}

async function saved(client: Client, body: object = {}, set = 'ConsoleViews'): Promise<string> {
  const { status, json } = await save(client, body, set);
  expect([status, json.error]).toEqual([201, undefined]);
  return `/${set}(${json.Uid})`;
}

const statuses = async (path: string, clients: readonly Client[] = [ada, bob, eve]) =>
  await Promise.all(clients.map(async (one) => (await one.get(path)).status));

const inGroup = () => ({ Scope: 'workgroup', Workgroup: { '@id': `Workgroups(${group})` } });
const inRole = () => ({ Scope: 'role', Role: { '@id': `Roles(${role})` } });

describe('A saved view', () => {
  it('belongs to the account that has saved it', async () => {
    const { json } = await save(ada, { Owner: 'eve' });
    expect(json).toMatchObject({
      ...VIEW,
      Owner: 'ada',
      Scope: 'own',
      IsDefault: false,
      Position: null,
    });
    expect(await statuses(`/ConsoleViews(${json.Uid})`)).toEqual([200, 404, 404]);
    const { json: others } = await eve.get('/ConsoleViews');
    expect(others.value.map(({ Owner }: { Owner: string }) => Owner)).not.toContain('ada');
  });

  it('is changed and deleted by its owner, and by administrators', async () => {
    const path = await saved(ada);
    expect((await eve.send('PATCH', path, { body: { Name: 'Hers' } })).status).toBe(404);
    expect((await eve.send('DELETE', path)).status).toBe(404);
    expect((await ada.send('PATCH', path, { body: { Name: 'Open', Position: 2 } })).status).toBe(
      204,
    );
    expect((await desk.send('PATCH', path, { body: { IsDefault: true } })).status).toBe(204);
    expect((await ada.get(path)).json).toMatchObject({
      Name: 'Open',
      Position: 2,
      IsDefault: true,
    });
    expect((await ada.send('DELETE', path)).status).toBe(204);
    expect((await ada.get(path)).status).toBe(404);
  });

  it('without a name keeps what is too long for a URL', async () => {
    const path = await saved(ada, {
      Name: null,
      Query: `$filter=Description eq '${'x'.repeat(5000)}'`,
    });
    expect((await ada.get(path)).json.Query).toHaveLength(5025);
  });

  it('is not in the service document, in $metadata or in the audit trail', async () => {
    await saved(ada, { Name: 'Unseen' });
    const count = encodeURIComponent(`contains(Target,'ConsoleView')`);
    expect((await desk.get(`/AuditEntries?$filter=${count}`)).json.value).toEqual([]);
    expect((await desk.get('/')).text).not.toContain('ConsoleViews');
    expect((await desk.get('/$metadata')).text).not.toMatch(/Console(?:View|Dashboard|Tile)/);
  });
});

describe.each(['ConsoleViews', 'ConsoleDashboards'])('Sharing of %s', (set) => {
  it('with a workgroup lets its members read', async () => {
    const path = await saved(ada, inGroup(), set);
    expect(await statuses(path)).toEqual([200, 200, 404]);
    expect((await bob.send('PATCH', path, { body: { Name: 'x' } })).status).toBe(403);
    expect((await bob.send('DELETE', path)).status).toBe(403);
  });

  it('with a role or everybody lets others read, and needs an administrator', async () => {
    const byRole = await saved(desk, inRole(), set);
    expect(await statuses(byRole)).toEqual([200, 404, 200]);
    const byAll = await saved(desk, { Scope: 'everybody' }, set);
    expect(await statuses(byAll)).toEqual([200, 200, 200]);
    expect((await ada.send('PATCH', byAll, { body: { Name: 'x' } })).status).toBe(403);
    for (const body of [inRole(), { Scope: 'everybody' }])
      expect((await save(ada, body, set)).status).toBe(403);
  });

  it('with a workgroup of others is rejected', async () => {
    expect((await save(eve, inGroup(), set)).status).toBe(403);
  });

  it('cannot be extended by a change', async () => {
    const path = await saved(ada, {}, set);
    const attempts: readonly (readonly [string, string, unknown])[] = [
      ['PATCH', path, { Scope: 'everybody' }],
      ['PATCH', path, inRole()],
      [
        'PUT',
        path,
        {
          EntitySet: set === 'ConsoleViews' ? 'Persons' : undefined,
          Name: 'x',
          Scope: 'everybody',
        },
      ],
      ['PUT', `${path}/Scope`, { value: 'everybody' }],
      ['PATCH', `${path}/Scope`, { value: 'everybody' }],
    ];
    for (const [method, url, body] of attempts) {
      const { status } = await ada.send(method, url, { body });
      expect([method, url, [403, 405].includes(status) ? 'rejected' : status]).toEqual([
        method,
        url,
        'rejected',
      ]);
    }
    expect((await ada.get(path)).json.Scope).toBe('own');
    expect((await ada.send('PATCH', path, { body: inGroup() })).status).toBe(204);
    expect(await statuses(path)).toEqual([200, 200, 404]);
    expect((await ada.send('PATCH', path, { body: { Scope: 'own' } })).status).toBe(204);
    expect(await statuses(path)).toEqual([200, 404, 404]);
  });

  it('of a shared one cannot be moved to a workgroup of others by a reference', async () => {
    const other = (await desk.send('POST', '/Workgroups', { body: { Name: `Back ${set}` } })).json;
    const path = await saved(ada, inGroup(), set);
    const body = { '@id': `Workgroups(${other.Uid})` };
    expect((await ada.send('PUT', `${path}/Workgroup/$ref`, { body })).status).toBe(403);
    expect(await statuses(path)).toEqual([200, 200, 404]);
  });

  it('requires whom it is shared with', async () => {
    for (const [Scope, member] of [
      ['workgroup', 'Workgroup'],
      ['role', 'Role'],
    ]) {
      const { status, json } = await save(desk, { Scope }, set);
      expect([status, json.error.code, json.error.target]).toEqual([400, 'console.scope', member]);
    }
    const { status, json } = await save(desk, { Scope: 'planet' }, set);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('everybody')]);
  });
});

describe('What a view contains', () => {
  it.each([
    [
      'an unknown set',
      { EntitySet: 'ServiceRequest5' },
      'console.set',
      'EntitySet',
      'ServiceRequests',
    ],
    ['an unknown property', { Query: '$filter=Nothing eq 1' }, 'console.query', 'Query', 'Nothing'],
    ['a mistake in the syntax', { Query: '$filter=Uid eq' }, 'console.query', 'Query', 'position'],
    ['an unknown option', { Query: '$filtre=Uid eq 1' }, 'console.query', 'Query', '$filtre'],
    ['a format', { Query: '$format=json' }, 'console.query', 'Query', '$format'],
    ['a custom option', { Query: 'x=1' }, 'console.query', 'Query', '"x"'],
    ['a wrong column', { Query: '$select=Uid,Nothing' }, 'console.query', 'Query', 'Nothing'],
    ['a layout that is no JSON', { Layout: '{' }, 'console.json', 'Layout', 'JSON'],
    ['a layout that is no object', { Layout: '[1]' }, 'console.json', 'Layout', 'JSON object'],
  ])('is not %s', async (_what, body, code, target, reason) => {
    const { status, json } = await save(ada, body);
    expect([status, json.error.code, json.error.target]).toEqual([400, code, target]);
    expect(json.error.message).toContain(reason);
    const path = await saved(ada);
    expect((await ada.send('PATCH', path, { body })).status).toBe(400);
  });

  it('is reported with all mistakes', async () => {
    const { json } = await save(ada, { Query: '$filter=Nothing eq 1', Layout: '{' });
    expect(json.error.details.map(({ code }: { code: string }) => code)).toEqual([
      'console.query',
      'console.json',
    ]);
  });

  it('may be any query that the set permits', async () => {
    for (const Query of [
      '$filter=Status/Value%20eq%20101001&$top=5',
      '$search=printer&$expand=Caller($select=Name)&$count=true',
      '$apply=groupby((Status/Value),aggregate($count as N))&$orderby=N desc',
      '$filter=Uid eq @a&@a=5',
      '',
    ])
      await saved(ada, { Query });
    await saved(desk, { EntitySet: 'AuditEntries', Query: "$filter=Kind eq 'log-in'" });
  });
});

describe('A dashboard', () => {
  const TILE = {
    Title: 'Open by status',
    Kind: 'bar',
    EntitySet: 'ServiceRequests',
    Filter: 'Uid gt 5',
    Apply: 'groupby((Status/Value),aggregate($count as N))',
    Axes: '{"x":"Status"}',
  };

  it('has tiles, which are added, changed and deleted by its owner', async () => {
    const path = await saved(ada, { Tiles: [TILE] }, 'ConsoleDashboards');
    const added = await ada.send('POST', `${path}/Tiles`, { body: { ...TILE, Position: 2 } });
    expect(added.status).toBe(201);
    const { json } = await ada.get(`${path}?$expand=Tiles($orderby=Uid)`);
    expect(json.Tiles).toMatchObject([TILE, { ...TILE, Position: 2 }]);
    const tile = `${path}/Tiles(${added.json.Uid})`;
    expect((await ada.send('PATCH', tile, { body: { Kind: 'line' } })).status).toBe(204);
    expect((await ada.send('DELETE', tile)).status).toBe(204);
    expect((await ada.get(`${path}/Tiles/$count`)).text).toBe('1');
  });

  it('that is shared shows its tiles, and lets nobody else change them', async () => {
    const path = await saved(ada, { ...inGroup(), Tiles: [TILE] }, 'ConsoleDashboards');
    const { json } = await bob.get(`${path}/Tiles`);
    expect(json.value).toMatchObject([TILE]);
    const tile = `${path}/Tiles(${json.value[0].Uid})`;
    expect((await bob.send('POST', `${path}/Tiles`, { body: TILE })).status).toBe(403);
    expect((await bob.send('PATCH', tile, { body: { Kind: 'x' } })).status).toBe(403);
    expect((await bob.send('DELETE', tile)).status).toBe(403);
    expect((await eve.get(tile)).status).toBe(404);
    expect((await eve.send('POST', `${path}/Tiles`, { body: TILE })).status).toBe(404);
    expect((await bob.get(`${path}?$expand=Tiles`)).json.Tiles).toHaveLength(1);
  });

  it('has tiles whose queries are checked', async () => {
    const path = await saved(ada, {}, 'ConsoleDashboards');
    for (const [member, text] of [
      ['Filter', 'Nothing eq 1'],
      ['Apply', 'groupby((Nothing))'],
      ['Axes', 'x'],
      ['EntitySet', 'Nothing'],
    ] as const) {
      const body = { ...TILE, [member]: text };
      const { status, json } = await ada.send('POST', `${path}/Tiles`, { body });
      expect([status, json.error.target]).toEqual([400, member]);
    }
    const { json } = await ada.send('POST', `${path}/Tiles`, {
      body: { ...TILE, Filter: 'Uid eq 1 & 2' },
    });
    expect([json.error.code, json.error.target]).toEqual(['console.query', 'Filter']);
  });
});

describe('A model of its own', () => {
  it('has views without workgroups', async () => {
    const zoo = await openForeignDesk(oddDefinition, ZOO);
    const body = { EntitySet: 'Keepers', Query: '$orderby=Name', Name: 'All' };
    const { status, json } = await zoo.send('POST', '/ConsoleViews', { body });
    expect([status, json.Owner]).toEqual([201, 'admin']);
    const shared = { ...body, Scope: 'workgroup' };
    expect((await zoo.send('POST', '/ConsoleViews', { body: shared })).status).toBe(400);
    await zoo.close();
  });
});
