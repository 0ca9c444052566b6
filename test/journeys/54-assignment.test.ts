// This file gives work to workgroups that choose a person by turns or by load, on every way to create and change records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { setModes } from './workflow-table.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7), records: [...catalogRecords(suiteModel())] });
});
afterAll(async () => await desk?.close());

const bind = (set: string, key: number) => ({ '@odata.id': `${set}(${key})` });

async function created(set: string, body: object): Promise<number> {
  const { status, json, text } = await desk.send('POST', `/${set}`, { body });
  expect(status, text).toBe(201);
  return json.Uid;
}

interface Team {
  readonly group: number;
  readonly people: readonly number[];
}

async function team(method: string, size: number): Promise<Team> {
  const people: number[] = [];
  for (let index = 0; index < size; index++)
    people.push(await created('Persons', { LastName: `Member ${index}` }));
  const Members = people.map((person) => bind('Persons', person));
  const body = { Name: method, Autoassign: { Text: method }, Members };
  return { group: await created('Workgroups', body), people };
}

const forGroup = ({ group }: Team) => ({
  Assignment: { AssigneeWorkgroup: bind('Workgroups', group) },
});

async function assigneeOf(set: string, key: number): Promise<number | undefined> {
  const { json } = await desk.get(
    `/${set}(${key})?$select=Uid&$expand=Assignment/AssigneePerson($select=Uid)`,
  );
  return json.Assignment.AssigneePerson?.Uid;
}

async function give(set: string, own: Team, body: object = {}): Promise<number | undefined> {
  const key = await created(set, { Description: 'Work', ...forGroup(own), ...body });
  return await assigneeOf(set, key);
}

describe('A group that assigns by turns', () => {
  it('gives every member of an even-sized team the same share (initiativa/roundrobin#25)', async () => {
    const own = await team('Round robin', 4);
    const sets = ['ServiceRequests', 'Incidents', 'Problems', 'Changes', 'Workorders'];
    const assigned: (number | undefined)[] = [];
    for (let index = 0; index < 20; index++)
      assigned.push(await give(sets[index % sets.length] ?? '', own));
    for (const person of own.people)
      expect(assigned.filter((one) => one === person)).toHaveLength(5);
    expect(assigned.slice(0, 5)).toEqual([...own.people, own.people[0]]);
  });

  it('assigns work that comes by mail, nested, by references, in batches and lists of changes (initiativa/roundrobin#55)', async () => {
    const own = await team('Round robin', 7);
    const template = await created('Templates', {
      Name: 'From mail',
      Entity: bind('Entities', entityKeys(suiteModel()).ServiceRequest ?? 0),
      Values: [{ AttributeName: 'Assignment/AssigneeWorkgroup', Value: String(own.group) }],
    });
    const email = await created('EmailServiceRequests', { Subject: 'Help', MessageId: '<h@x.y>' });
    const converted = await desk.send('POST', `/EmailServiceRequests(${email})/Convert`, {
      body: { Template: bind('Templates', template) },
    });
    expect(converted.status, converted.text).toBe(201);
    const assigned = [await assigneeOf('ServiceRequests', converted.json.Uid)];

    const Workorders = [{ Description: 'Inner', ...forGroup(own) }];
    const parent = await created('ServiceRequests', { Description: 'Outer', Workorders });
    const inner = (await desk.get(`/ServiceRequests(${parent})/Workorders`)).json.value[0].Uid;
    assigned.push(await assigneeOf('Workorders', inner));

    const patched = await created('ServiceRequests', { Description: 'Patched' });
    const patch = await desk.send('PATCH', `/ServiceRequests(${patched})`, { body: forGroup(own) });
    expect(patch.status, patch.text).toBe(204);
    assigned.push(await assigneeOf('ServiceRequests', patched));

    const linked = await created('ServiceRequests', { Description: 'Linked' });
    const ref = `/ServiceRequests(${linked})/Assignment/AssigneeWorkgroup/$ref`;
    const put = await desk.send('PUT', ref, { body: bind('Workgroups', own.group) });
    expect(put.status, put.text).toBe(204);
    assigned.push(await assigneeOf('ServiceRequests', linked));

    const part = {
      method: 'POST',
      url: 'ServiceRequests',
      headers: { 'content-type': 'application/json' },
      body: { Description: 'In a batch', ...forGroup(own) },
    };
    const requests = ['1', '2'].map((id) => ({ id, atomicityGroup: 'g', ...part }));
    const batch = await desk.send('POST', '/$batch', { body: { requests } });
    for (const { body } of batch.json.responses)
      assigned.push(await assigneeOf('ServiceRequests', body.Uid));

    const changed = await created('ServiceRequests', { Description: 'In a list' });
    const change = { '@id': `ServiceRequests(${changed})`, ...forGroup(own) };
    const list = await desk.send('PATCH', '/ServiceRequests', {
      headers: { 'OData-Version': '4.01' },
      body: { '@context': '#$delta', value: [change] },
    });
    expect(list.status, list.text).toBeLessThan(300);
    assigned.push(await assigneeOf('ServiceRequests', changed));
    expect(assigned).toEqual(own.people);
  });

  it('passes over those who are away, blocked or gone, and goes on with them later', async () => {
    const own = await team('Round robin', 5);
    const [first, away, blocked, last, gone] = own.people;
    const change = async (person: number | undefined, body: object) =>
      await desk.send('PATCH', `/Persons(${person})`, { body });
    const { now } = desk.service.world;
    await change(away, { OutOfOfficeUntil: new Date(now() + 3600_000).toISOString() });
    await change(blocked, { Blocked: true });
    await change(gone, { Status: { Text: 'Left' } });
    await change(last, { Status: { Text: 'External' } });
    const three = [];
    for (let index = 0; index < 3; index++) three.push(await give('ServiceRequests', own));
    expect(three).toEqual([first, last, first]);
    await change(away, { OutOfOfficeUntil: new Date(now()).toISOString() });
    expect(await give('ServiceRequests', own)).toBe(away);
    const members = `/Workgroups(${own.group})/Members`;
    const left = await desk.send('DELETE', `${members}/$ref?$id=../../Persons(${last})`);
    expect(left.status, left.text).toBe(204);
    expect(await give('ServiceRequests', own)).toBe(first);
  });

  it('records who assigned, and that nobody was available', async () => {
    const own = await team('Round robin', 1);
    const key = await created('ServiceRequests', { Description: 'Work', ...forGroup(own) });
    const history = async (request: number) =>
      (await desk.get(`/ServiceRequests(${request})/HistoryLines`)).json.value;
    expect(await history(key)).toMatchObject([{ Attribute: 'Assignment/AssigneePerson' }]);
    const { json } = await desk.get(`/ServiceRequests(${key})?$select=Uid,Registration`);
    expect(json.Registration.ModifiedBy).toBe('docket assignment');

    await desk.send('PATCH', `/Persons(${own.people[0]})`, { body: { Blocked: true } });
    const alone = await created('ServiceRequests', { Description: 'Work', ...forGroup(own) });
    expect(await assigneeOf('ServiceRequests', alone)).toBeUndefined();
    expect(await history(alone)).toMatchObject([
      { Information: 'Nobody in the workgroup is available at present.' },
    ]);
  });

  it.each([
    ['ServiceRequests', 'Resolved'],
    ['Incidents', 'Closed'],
    ['Workorders', 'Completed'],
  ])('leaves work of %s alone that the same change finishes', async (set, Text) => {
    const own = await team('Round robin', 2);
    const finished = { ...forGroup(own), Status: { Text } };
    const key = await created(set, { Description: 'Work' });
    const { status, text } = await desk.send('PATCH', `/${set}(${key})`, { body: finished });
    expect(status, text).toBe(204);
    expect(await assigneeOf(set, key)).toBeUndefined();
    expect(await give(set, own, { Status: { Text } })).toBeUndefined();
    expect(await give(set, own)).toBe(own.people[0]);
  });

  it('does not choose again for a group that stays the same', async () => {
    const own = await team('Round robin', 2);
    const key = await created('ServiceRequests', { Description: 'Work', ...forGroup(own) });
    const path = `/ServiceRequests(${key})`;
    const { Assignment } = forGroup(own);
    const reference = `${path}/Assignment/AssigneeWorkgroup/$ref`;
    const changes = [
      ['PATCH', path, { Assignment: { ...Assignment, AssigneePerson: null } }],
      ['PATCH', path, { Assignment }],
      ['PUT', reference, Assignment.AssigneeWorkgroup],
    ] as const;
    for (const [method, address, body] of changes) {
      const { status, text } = await desk.send(method, address, { body });
      expect(status, text).toBe(204);
      expect(await assigneeOf('ServiceRequests', key)).toBeUndefined();
    }
    const other = await team('Round robin', 1);
    await desk.send('PATCH', path, { body: forGroup(other) });
    expect(await assigneeOf('ServiceRequests', key)).toBe(other.people[0]);
  });

  it('leaves work alone that has a person, is finished, or stays with the group', async () => {
    const own = await team('Round robin', 2);
    const person = await created('Persons', { LastName: 'Chosen' });
    const both = {
      Assignment: { ...forGroup(own).Assignment, AssigneePerson: bind('Persons', person) },
    };
    expect(await give('ServiceRequests', own, both)).toBe(person);
    const finished = { ActualFinish: '2026-03-30T12:00:00Z' };
    expect(await give('ServiceRequests', own, finished)).toBeUndefined();
    const key = await created('ServiceRequests', { Description: 'Work', ...forGroup(own) });
    const body = { Assignment: { AssigneePerson: null } };
    expect((await desk.send('PATCH', `/ServiceRequests(${key})`, { body })).status).toBe(204);
    expect(await assigneeOf('ServiceRequests', key)).toBeUndefined();
    expect(await give('ServiceRequests', await team('None', 2))).toBeUndefined();
  });
});

describe('In an enforced workflow', () => {
  it('the person is chosen before a status is checked that requires one', async () => {
    await setModes(desk, 'enforce');
    const own = await team('Round robin', 2);
    const key = await created('ServiceRequests', { Description: 'Work' });
    const body = { ...forGroup(own), Status: { Text: 'In progress' } };
    const { status, text } = await desk.send('PATCH', `/ServiceRequests(${key})`, { body });
    expect(status, text).toBe(204);
    const { json } = await desk.get(`/ServiceRequests(${key})`);
    expect(json).toMatchObject({ Status: { Text: 'In progress' } });
    expect(json.Assignment.AssignedAt).not.toBeNull();
    expect(await assigneeOf('ServiceRequests', key)).toBe(own.people[0]);
    await setModes(desk, 'advise');
  });
});

describe('A group that assigns by load', () => {
  it('chooses the member with the least open work of all kinds, by turns among equals', async () => {
    const own = await team('Least load', 3);
    const [first, second, third] = own.people;
    const busy = async (set: string, person: number | undefined, body: object = {}) =>
      await created(set, {
        Description: 'Busy',
        Assignment: { AssigneePerson: bind('Persons', person ?? 0) },
        ...body,
      });
    await busy('ServiceRequests', first);
    await busy('Incidents', first);
    await busy('Workorders', second);
    await busy('Problems', third, { ActualFinish: '2026-03-30T12:00:00Z' });
    const assigned = [];
    for (let index = 0; index < 6; index++) assigned.push(await give('Changes', own));
    expect(assigned).toEqual([third, second, third, first, second, third]);
  });
});

// ---- other models ---------------------------------------------------------------------------------------------------

const one = (type: string, more: JsonObject = {}) => ({
  $Kind: 'NavigationProperty',
  $Type: `Farm.${type}`,
  $Nullable: true,
  ...more,
});
const KEY = { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } };

function farm(changes: JsonObject = {}): JsonObject {
  return {
    $Version: '4.01',
    $EntityContainer: 'Farm.Barn',
    Farm: {
      Mode: {
        $Kind: 'ComplexType',
        Id: { $Type: 'Edm.Int64' },
        Text: { $Nullable: true },
        '@Docket.Coded': { Value: 'Id', Text: 'Text' },
      },
      Hand: { ...KEY, Absent: { $Type: 'Edm.Boolean', $Nullable: true } },
      Crew: {
        ...KEY,
        Mode: { $Type: 'Farm.Mode', $Nullable: true, '@Docket.CodeList': 'Modes' },
        Hands: one('Hand', { $Collection: true, $Nullable: false }),
        Previous: one('Hand'),
      },
      Cow: {
        ...KEY,
        Crew: one('Crew'),
        Milker: one('Hand'),
        '@Docket.Assigned': {
          Group: 'Crew',
          Person: 'Milker',
          Method: 'Mode',
          RoundRobin: 'TURNS',
          Members: 'Hands',
          Where: 'Absent ne true',
          Last: 'Previous',
          ...changes,
        },
      },
      Barn: {
        $Kind: 'EntityContainer',
        '@Docket.CodeLists': [
          {
            Name: 'Modes',
            Codes: [{ Value: 1, Meaning: 'TURNS', Texts: [{ Language: 'en', Text: 'Turns' }] }],
          },
        ],
        Hands: { $Collection: true, $Type: 'Farm.Hand' },
        Crews: { $Collection: true, $Type: 'Farm.Crew' },
        Cows: { $Collection: true, $Type: 'Farm.Cow' },
      },
    },
  };
}

describe('Docket.Assigned', () => {
  it('assigns in a model of other names', async () => {
    const { definition, mistakes } = readCsdl(farm());
    expect(mistakes).toEqual([]);
    const barn = await openForeignDesk(definition, {});
    const post = async (set: string, body: object) => {
      const { status, text } = await barn.send('POST', `/${set}`, { body });
      expect(status, text).toBe(201);
    };
    for (const Id of [1, 2]) await post('Hands', { Id });
    await post('Crews', { Id: 1, Mode: { Id: 1 }, Hands: [bind('Hands', 1), bind('Hands', 2)] });
    for (const Id of [1, 2, 3]) await post('Cows', { Id, Crew: bind('Crews', 1) });
    const { json } = await barn.get('/Cows?$expand=Milker&$orderby=Id');
    expect(json.value.map(({ Milker }: { Milker: { Id: number } }) => Milker.Id)).toEqual([
      1, 2, 1,
    ]);
    await barn.close();
  });

  it.each<[JsonObject, string]>([
    [{ Group: 'Crews' }, 'the member Crews of Farm.Cow'],
    [{ Person: 'Id' }, 'Id is not a single navigation property'],
    [{ Members: 'Previous' }, 'Previous is not a collection of entities'],
    [{ Last: 'Hands' }, 'Hands is not a single navigation property'],
    [{ Method: 'Id' }, 'Id is not a coded property'],
    [{ RoundRobin: 'TURN' }, 'the code TURN'],
    [{ Note: { Member: 'Crew/Mode', Text: 'x' } }, 'Crew/Mode is not a text of a collection'],
    [{ Groups: 'Crew' }, 'Groups'],
  ])('%j is reported', (changes, text) => {
    const { definition, mistakes } = readCsdl(farm(changes));
    const found = mistakes.length > 0 ? mistakes : lintModel(definition);
    expect(found.map(({ message }) => message).join('\n')).toContain(text);
  });
});
