// This file asks which transitions are possible, and compares the answers with what the service then accepts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plansOf } from '../../src/service/cache/prepared-plans.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, openDesk } from './desk.ts';
import { FIRST_OF_MANY, MEMBER } from './records.ts';
import { COURSES, joinWorker, setModes } from './workflow-table.ts';

interface Transition {
  readonly Symbol: string;
  readonly To: number;
  readonly State: string;
  readonly Label: string;
  readonly Allowed: boolean;
  readonly Takers: readonly string[];
  readonly Guard: string | null;
  readonly Comment: boolean;
  readonly Missing: readonly string[];
}

const status = (Text: string) => ({ Status: { Text } });

let desk: Desk;
let worker: Pick<Desk, 'get' | 'send'>;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(7) });
  worker = await joinWorker(desk);
});
afterAll(async () => await desk?.close());

async function create(set: string, body: object): Promise<string> {
  const { json, text } = await desk.send('POST', `/${set}`, { body });
  expect(json?.Uid, text).toBeDefined();
  return `/${set}(${json.Uid})`;
}

async function transitionsOf(
  path: string,
  client: Pick<Desk, 'get'> = worker,
): Promise<readonly Transition[]> {
  const { status, json, text } = await client.get(`${path}/AllowedTransitions()`);
  expect(status, text).toBe(200);
  return json.Transitions;
}

describe('AllowedTransitions', () => {
  it('of an entity lists the next states with what is missing', async () => {
    const body = { Description: 'Asked', ...status('In progress'), Solution: 'Known' };
    const path = await create('ServiceRequests', body);
    const { json } = await worker.get(`${path}/AllowedTransitions()`);
    expect(json).toMatchObject({
      '@odata.context': `${desk.root}$metadata#Docket.System.AllowedTransitions`,
      Entity: `${desk.root}${path.slice(1)}`,
      State: 101003,
    });
    expect(json.Transitions[2]).toEqual({
      Symbol: 'resolve',
      To: 101008,
      State: 'RESOLVED',
      Label: 'Resolved',
      Allowed: false,
      Permitted: true,
      Takers: [],
      Guard: null,
      Comment: false,
      Missing: ['ClosureCode'],
      Prompt: [],
      Clocks: [],
    });
    expect(json.Transitions.map(({ Symbol: symbol }: Transition) => symbol)).toEqual([
      'wait-for-caller',
      'wait-for-supplier',
      'resolve',
      'cancel',
    ]);
    const [, , , cancel] = json.Transitions;
    expect(cancel).toMatchObject({ Missing: ['ClosureCode'], Allowed: false });
    expect(cancel.Guard).toBe('ClosureCode/Value in (130006,130008,130009)');
  });

  it('has labels in the language of the request', async () => {
    const path = await create('ServiceRequests', { Description: 'Gevraagd' });
    const { json } = await worker.get(`${path}/AllowedTransitions()`, { 'accept-language': 'nl' });
    expect(json.Transitions[0].Label).toBe('Toegewezen');
  });

  it('is not allowed what the roles or rights of the account do not permit', async () => {
    const Approval = { NrOfApproversRequired: 1 };
    const path = await create('ServiceRequests', {
      Description: 'Voted on',
      Approval,
      ...status('Awaiting approval'),
    });
    const approve = (list: readonly Transition[]) => list.find((one) => one.Symbol === 'approve');
    expect(approve(await transitionsOf(path))).toMatchObject({
      Allowed: false,
      Takers: ['the service'],
    });
    expect(approve(await transitionsOf(path, desk))).toMatchObject({ Allowed: true });
    const EntityAccess = [{ Entity: 'ServiceRequest', Read: true }];
    await desk.send('POST', '/Roles', { body: { Name: 'watcher', EntityAccess } });
    const watcher = await desk.join({ loginName: 'watcher', roles: ['watcher'] });
    const registered = await create('ServiceRequests', {
      Description: 'Watched',
      Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } },
    });
    const start = (list: readonly Transition[]) => list.find((one) => one.Symbol === 'start');
    expect(start(await transitionsOf(registered))?.Allowed).toBe(true);
    expect(start(await transitionsOf(registered, watcher))?.Allowed).toBe(false);
  });

  it('is what the service then accepts, for every status of every entity', async () => {
    for (const { set, create: values, statuses } of Object.values(COURSES)) {
      await setModes(desk, 'off');
      const paths: string[] = [];
      for (const one of statuses) paths.push(await create(set, { ...values, ...status(one) }));
      await setModes(desk, 'enforce');
      for (const path of paths) {
        const found = await transitionsOf(path);
        const allowed = new Set(found.flatMap(({ To, Allowed }) => (Allowed ? [To] : [])));
        for (const To of new Set(found.map((one) => one.To))) {
          const body = { Status: { Value: To } };
          const answer = await worker.send('PATCH', path, { headers: { Prefer: 'dry-run' }, body });
          expect([path, To, answer.status]).toEqual([path, To, allowed.has(To) ? 204 : 409]);
        }
      }
    }
    await setModes(desk);
  });

  it('of a collection has an item for each record, in pages', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => FIRST_OF_MANY + index);
    const filter = encodeURIComponent(`Uid in (${keys.join(',')})`);
    const path = `/ServiceRequests/$filter(@f)/AllowedTransitions()?@f=${filter}`;
    const { status, json, text } = await worker.get(path, { prefer: 'maxpagesize=50' });
    expect(status, text).toBe(200);
    expect(json['@odata.context']).toBe(
      `${desk.root}$metadata#Collection(Docket.System.AllowedTransitions)`,
    );
    const entities = json.value.map(({ Entity }: { Entity: string }) => Entity);
    expect(entities).toEqual(keys.map((key) => `${desk.root}ServiceRequests(${key})`));
    const single = await transitionsOf(`/ServiceRequests(${FIRST_OF_MANY})`);
    expect(json.value[0].Transitions).toEqual(single);
    const paged = await worker.get('/ServiceRequests/AllowedTransitions()?$top=3&$skip=1', {
      prefer: 'maxpagesize=2',
    });
    expect(paged.json.value).toHaveLength(2);
    const next = await worker.get(paged.json['@odata.nextLink'], { prefer: 'maxpagesize=2' });
    expect(next.json.value, next.text).toHaveLength(1);
  });

  it('takes options that select records, and no others', async () => {
    const filtered = `/ServiceRequests/AllowedTransitions()?$filter=Uid eq 1001&$count=true`;
    const { json } = await worker.get(filtered);
    expect([json['@odata.count'], json.value.length]).toEqual([1, 1]);
    const rejected = await worker.get('/ServiceRequests(1001)/AllowedTransitions()?$top=1');
    expect([rejected.status, rejected.json.error.code]).toEqual([400, 'request.misplaced-option']);
    const inside = await worker.get('/ServiceRequests(1001)/AllowedTransitions()/Transitions');
    expect(inside.json.error.message).toContain('AllowedTransitions, which is not composable');
    expect((await worker.get('/Persons(31)/AllowedTransitions()')).status).toBe(404);
    const posted = await worker.send('POST', '/ServiceRequests(1001)/AllowedTransitions()');
    expect(posted.status).toBe(405);
  });

  it('is declared in $metadata for entities and collections', async () => {
    const { json } = await desk.get('/$metadata?$format=json');
    const overloads = json['Service.Web.OData.Model'].AllowedTransitions;
    const bound = overloads.map((one: { $Parameter: [{ $Type: string; $Collection?: true }] }) => [
      one.$Parameter[0].$Type.replace(/.*\./, ''),
      one.$Parameter[0].$Collection === true,
    ]);
    expect(bound).toContainEqual(['ServiceRequest', false]);
    expect(bound).toContainEqual(['ServiceRequest', true]);
    expect(bound).toHaveLength(14);
  });
});

describe('Changes of status', () => {
  it('have small plans, many of which are kept', async () => {
    const own = await openDesk({ settings: { limits: { planMegabytes: 2 } } });
    const { json } = await own.send('POST', '/ServiceRequests', { body: { Description: 'x' } });
    const path = `/ServiceRequests(${json.Uid})`;
    const { hits } = plansOf(own.service);
    for (const text of ['In progress', 'Assigned', 'In progress', 'Assigned']) {
      const answer = await own.send('PATCH', path, { body: status(text) });
      expect(answer.status, answer.text).toBe(204);
    }
    expect(plansOf(own.service).hits - hits).toBeGreaterThanOrEqual(2);
    await own.close();
  });
});
