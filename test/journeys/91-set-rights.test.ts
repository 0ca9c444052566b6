// This file asks what accounts may do with each set, and compares it with what they can do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { CALLER } from './records.ts';
import { ZOO } from './zoo-records.ts';

type Client = Pick<Desk, 'get' | 'send'>;

interface SetRights {
  readonly Set: string;
  readonly Read: boolean;
  readonly Create: boolean;
  readonly Update: boolean;
  readonly Delete: boolean;
  readonly Unreadable: readonly string[];
  readonly Unchangeable: readonly string[];
}

let desk: Desk;
let clerk: Client;
let newcomer: Client;
beforeAll(async () => {
  desk = await openDesk();
  const body = {
    Name: 'clerk',
    EntityAccess: [
      { Entity: 'Incident', Read: true },
      { Entity: 'Person', Read: true, Change: true, Create: true },
      { Entity: 'Workgroup', Read: true, Filter: `Name eq 'First line'` },
      { Entity: 'AuditEntry', Read: true },
    ],
    AttributeAccess: [
      { Entity: 'Person', Attribute: 'Birthdate', Read: false, Modify: false },
      { Entity: 'Person', Attribute: 'Email', Read: true, Modify: false },
    ],
  };
  expect((await desk.send('POST', '/Roles', { body })).status).toBe(201);
  clerk = await desk.join({ loginName: 'clerk', roles: ['clerk'], person: CALLER });
  newcomer = await desk.join({ loginName: 'newcomer', roles: [] });
});
afterAll(async () => await desk.close());

async function rightsOf(client: Client): Promise<ReadonlyMap<string, SetRights>> {
  const { status, json } = await client.get('/SetRights()');
  expect(status).toBe(200);
  return new Map(json.value.map((one: SetRights) => [one.Set, one]));
}

describe('SetRights', () => {
  it.each([
    ['/SetRights()/$count', 400, 'request.misplaced-segment'],
    ['/SetRights()(1)', 400, 'request.misplaced-segment'],
    ['/SetRights()?$format=csv', 406, 'request.not-acceptable'],
    ['/ModelInForce()?$format=csv', 406, 'request.not-acceptable'],
  ])('is written whole, in a format for values: %s', async (path, status, code) => {
    const answer = await desk.get(path);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it('lists each set of the model and of the engine once, for administrators with all rights', async () => {
    const { json } = await desk.get('/SetRights()');
    expect(json['@odata.context']).toBe(
      'http://desk.example/odata/$metadata#Collection(Docket.System.RightsToSet)',
    );
    const names = json.value.map(({ Set: name }: SetRights) => name);
    expect(new Set(names).size).toBe(names.length);
    const document = (await desk.get('/')).json.value.filter(
      ({ kind }: { kind: string }) => kind !== 'FunctionImport',
    );
    for (const { name } of document) expect(names).toContain(name);
    for (const name of ['Accounts', 'Settings', 'ConsoleViews', 'ApiKeys'])
      expect(names).toContain(name);
    const rights = await rightsOf(desk);
    expect(rights.get('Persons')).toMatchObject({
      ...{ Read: true, Create: true, Update: true, Delete: true, Unreadable: [] },
      Unchangeable: expect.arrayContaining(['Uid', 'Registration']),
    });
    expect(rights.get('Persons')?.Unchangeable).not.toContain('LastName');
    expect(rights.get('AuditEntries')).toMatchObject({
      ...{ Read: true, Create: false, Update: false, Delete: false },
    });
    expect(rights.get('Settings')).toMatchObject({ Create: false, Update: true, Delete: false });
  });

  it('shows the rights of roles, with the members that they withhold', async () => {
    const rights = await rightsOf(clerk);
    const persons = rights.get('Persons');
    expect(persons).toMatchObject({ Read: true, Create: true, Update: true, Delete: false });
    expect(persons?.Unreadable).toEqual(expect.arrayContaining(['Birthdate', 'Organization']));
    expect(persons?.Unreadable).not.toContain('Email');
    expect(persons?.Unreadable).not.toContain('Workgroups');
    expect(persons?.Unchangeable).toEqual(expect.arrayContaining(['Birthdate', 'Email', 'Uid']));
    expect(persons?.Unchangeable).not.toContain('LastName');
    // Rights to some records count.
    expect(rights.get('Workgroups')).toMatchObject({ Read: true, Update: false });
    expect(rights.get('Workgroups')?.Unchangeable).toEqual([]);
    expect(rights.get('Organizations')).toEqual({
      ...{ Set: 'Organizations', Read: false, Create: false, Update: false, Delete: false },
      ...{ Unreadable: [], Unchangeable: [] },
    });
    expect(rights.get('AuditEntries')).toMatchObject({ Read: true, Create: false });
    expect(rights.get('Accounts')).toMatchObject({ Read: false, Create: false });
    expect(rights.get('ConsoleViews')).toMatchObject({ Read: true, Create: true, Delete: true });
  });

  it('agrees with what the account can read', async () => {
    for (const client of [clerk, newcomer])
      for (const [name, { Read }] of await rightsOf(client)) {
        const { status } = await client.get(`/${name}`);
        expect([name, Read ? [200, 204, 404].includes(status) : status === 403]).toEqual([
          name,
          true,
        ]);
      }
  });

  it('agrees with the members that the account can read', async () => {
    const persons = (await rightsOf(clerk)).get('Persons');
    for (const name of persons?.Unreadable ?? []) {
      const asked = await clerk.get(`/Persons?$filter=${name} ne null`);
      const expanded = await clerk.get(`/Persons?$expand=${name}`);
      expect([name, [asked.status, expanded.status].includes(403)]).toEqual([name, true]);
    }
  });

  it('of a read-only key contains no right to write', async () => {
    const body = { Name: 'reader', ReadOnly: true };
    const { json } = await clerk.send('POST', '/CreateApiKey', { body });
    const headers = { authorization: `Bearer ${json.value}` };
    const answer = await desk.as('anonymous').get('/SetRights()', headers);
    const persons = answer.json.value.find((one: SetRights) => one.Set === 'Persons');
    expect(persons).toMatchObject({ Read: true, Create: false, Update: false, Delete: false });
  });

  it('needs a token, works in batches, and has no query options', async () => {
    expect((await desk.as('anonymous').get('/SetRights()')).status).toBe(401);
    const body = { requests: [{ id: '1', method: 'GET', url: 'SetRights()' }] };
    const { json } = await clerk.send('POST', '/$batch', { body });
    expect(json.responses[0].status).toBe(200);
    expect(json.responses[0].body.value.length).toBeGreaterThan(15);
    expect((await clerk.get('/SetRights()?$top=1')).status).toBe(400);
    expect((await clerk.get('/SetRights(Account=%27ada%27)')).status).toBe(400);
  });
});

describe('SetRights of a model of its own', () => {
  it('has the sets of that model', async () => {
    const zoo = await openForeignDesk(oddDefinition, ZOO);
    const rights = await rightsOf(zoo);
    expect(rights.get('Keepers')).toMatchObject({ Read: true, Create: true, Delete: true });
    await zoo.close();
  });
});

describe('The rights simulator', () => {
  it('shows an administrator what another account may do with a record', async () => {
    const path = `/Persons(${CALLER})/EffectiveRights(Account='clerk')`;
    const { status, json } = await desk.get(path);
    expect(status).toBe(200);
    expect(json).toMatchObject({ Read: true, Change: true, Delete: false });
    const member = (name: string) =>
      json.Members.find(({ Name }: { Name: string }) => Name === name);
    expect(member('Birthdate')).toEqual({ Name: 'Birthdate', Read: false, Change: false });
    expect(member('Email')).toEqual({ Name: 'Email', Read: true, Change: false });
    expect(member('LastName')).toEqual({ Name: 'LastName', Read: true, Change: true });
    expect((await clerk.get(path.replace('clerk', 'newcomer'))).status).toBe(403);
    expect((await desk.get(path.replace('clerk', 'nobody at all'))).status).toBe(404);
    const none = await desk.get(path.replace('clerk', 'newcomer'));
    expect(none.json.Read).toBe(false);
  });
});
