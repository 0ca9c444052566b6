// This file asks for transitions, and tries them, with accounts that may not read what the workflow depends on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { CALLER, MEMBER } from './records.ts';

type User = Pick<Desk, 'get' | 'send'>;

const ASSIGNED = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
const SOLVED = { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } };
const TO_RESOLVED = { To: 'RESOLVED' };
const OWN = { Filter: 'Caller/Uid eq $me' };

let desk: Desk;
let blind: User;
let clerk: User;
let requester: User;
beforeAll(async () => {
  desk = await openDesk({ world: fixedWorld(23) });
  const withheld = ['Solution', 'ClosureCode', 'Assignment'].map((Attribute) => ({
    Entity: 'ServiceRequest',
    Attribute,
    Read: false,
  }));
  blind = await join('blind', [{ Entity: 'ServiceRequest', Read: true }], withheld);
  const all = { Entity: 'ServiceRequest', Read: true, Create: true, Change: true };
  clerk = await join('clerk', [all, { Entity: 'HistoryLine', Read: true, Create: true }], withheld);
  const own = [
    { Entity: 'ServiceRequest', Read: true, ...OWN },
    { Entity: 'Person', Read: true, Filter: 'Uid eq $me' },
  ];
  requester = await join('asker', own, []);
});
afterAll(async () => await desk?.close());

async function join(name: string, EntityAccess: object[], AttributeAccess: object[]) {
  const body = { Name: name, EntityAccess, AttributeAccess };
  const { status, text } = await desk.send('POST', '/Roles', { body });
  expect(status, text).toBe(201);
  return await desk.join({ loginName: name, roles: [name], person: CALLER });
}

async function create(Text: string, values: object): Promise<string> {
  const body = {
    Description: 'Withheld',
    Status: { Text },
    Caller: { '@odata.id': `Persons(${CALLER})` },
    ...values,
  };
  const { json, text } = await desk.send('POST', '/ServiceRequests', { body });
  expect(json?.Uid, text).toBeDefined();
  return `/ServiceRequests(${json.Uid})`;
}

async function transitionsOf(user: User, path: string): Promise<readonly object[]> {
  const { status, json, text } = await user.get(`${path}/AllowedTransitions()`);
  expect(status, text).toBe(200);
  return json.Transitions;
}

const named = (list: readonly object[], symbol: string) =>
  list.find((one) => 'Symbol' in one && one.Symbol === symbol);

const detailsOf = ({ json }: DeskAnswer): readonly string[] =>
  (json?.error?.details ?? []).map((one: { code: string; target?: string }) =>
    one.code === 'workflow.required' ? `${one.code} ${one.target}` : one.code,
  );

const dryRun = { headers: { Prefer: 'dry-run' } };

async function setMode(mode: string) {
  const body = { Value: JSON.stringify([`ServiceRequest=${mode}`]) };
  expect((await desk.send('PATCH', "/Settings('workflows')", { body })).status).toBe(204);
}

describe('the allowed transitions of an account that may not read what they need', () => {
  it.each(['Registered', 'In progress', 'Resolved'])(
    'are the same for any value: %s',
    async (text) => {
      const empty = await create(text, {});
      const full = await create(text, { ...SOLVED, ...ASSIGNED });
      const found = await transitionsOf(blind, empty);
      expect(found.length).toBeGreaterThan(0);
      expect(await transitionsOf(blind, full)).toEqual(found);
    },
  );

  it('leave guards and required members that it may not read to the service', async () => {
    const empty = await create('In progress', {});
    const found = await transitionsOf(blind, empty);
    expect(named(found, 'resolve')).toMatchObject({ Missing: [], Guard: null });
    expect(named(found, 'cancel')).toMatchObject({ Missing: [], Guard: null });
    expect(named(await transitionsOf(desk, empty), 'resolve')).toMatchObject({
      Missing: ['Solution', 'ClosureCode'],
    });
  });

  it('are the same in a collection', async () => {
    const paths = [await create('In progress', {}), await create('In progress', SOLVED)];
    const keys = paths.map((path) => path.replace(/\D/g, ''));
    const query = `$filter=Uid in (${keys.join(',')})`;
    const { json, text } = await blind.get(`/ServiceRequests/AllowedTransitions()?${query}`);
    expect(json?.value, text).toHaveLength(2);
    expect(json.value[1].Transitions).toEqual(json.value[0].Transitions);
  });

  it('do not tell whether there is an assignee that it may not see', async () => {
    const open = await create('Registered', {});
    const taken = await create('Registered', ASSIGNED);
    const found = await transitionsOf(requester, open);
    expect(named(found, 'start')).toMatchObject({ Missing: [] });
    expect(await transitionsOf(requester, taken)).toEqual(found);
    const own = await transitionsOf(desk, open);
    expect(named(own, 'start')).toMatchObject({ Missing: ['Assignment/AssigneePerson'] });
  });

  it('are withheld together with the status', async () => {
    const access = [{ Entity: 'ServiceRequest', Read: true }];
    const status = { Entity: 'ServiceRequest', Attribute: 'Status', Read: false };
    const stateless = await join('stateless', access, [status]);
    const path = await create('Registered', {});
    const answer = await stateless.get(`${path}/AllowedTransitions()`);
    expect([answer.status, answer.json?.error?.code]).toEqual([403, 'access.member']);
  });
});

describe('a change of the status by an account that may not read what it needs', () => {
  beforeAll(async () => await setMode('enforce'));
  afterAll(async () => await desk.send('DELETE', "/Settings('workflows')"));

  const resolved = { Status: { Text: 'Resolved' } };

  /** A request that has what a solution needs, and another one that does not. */
  async function both(): Promise<readonly [string, string]> {
    await setMode('off');
    const paths = [await create('In progress', {}), await create('In progress', SOLVED)] as const;
    await setMode('enforce');
    return paths;
  }

  it('is judged without it in a dry run', async () => {
    const [empty, full] = await both();
    const answers = [];
    for (const path of [empty, full])
      answers.push(await clerk.send('PATCH', path, { ...dryRun, body: resolved }));
    for (const path of [empty, full])
      answers.push(
        await clerk.send('POST', `${path}/Transition`, { ...dryRun, body: TO_RESOLVED }),
      );
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  });

  it('names it in the refusal if nothing else is lacking, and succeeds with it', async () => {
    const [empty, full] = await both();
    const refused = await clerk.send('PATCH', empty, { body: resolved });
    expect(detailsOf(refused)).toEqual([
      'workflow.required Solution',
      'workflow.required ClosureCode',
      'workflow.next',
    ]);
    const taken = await clerk.send('PATCH', full, { body: resolved });
    expect(taken.status, taken.text).toBe(204);
  });

  it('does not name it in the refusal of a change that cannot succeed', async () => {
    await setMode('off');
    const paths = [await create('Resolved', {}), await create('Resolved', ASSIGNED)];
    await setMode('enforce');
    const body = { Status: { Text: 'In progress' } };
    for (const path of paths) {
      const answer = await clerk.send('PATCH', path, { body });
      expect(answer.status, answer.text).toBe(409);
      expect(detailsOf(answer)).not.toContain('workflow.required Assignment/AssigneePerson');
      expect(detailsOf(answer)).toContain('workflow.comment');
    }
  });

  it('is not disclosed by a dry run that relates work to the record', async () => {
    const access = ['ServiceRequest', 'Workorder'].map((Entity) => ({
      Entity,
      Read: true,
      Create: true,
      Change: true,
    }));
    const status = { Entity: 'ServiceRequest', Attribute: 'Status', Read: false };
    const linker = await join('linker', access, [status]);
    await setMode('off');
    const paths = [await create('In progress', {}), await create('Closed', {})];
    const modes = ['ServiceRequest=enforce', 'Workorder=enforce'];
    await desk.send('PATCH', "/Settings('workflows')", { body: { Value: JSON.stringify(modes) } });
    const answers = [];
    for (const path of paths) {
      const body = { Description: 'Work', 'ServiceRequest@odata.bind': path.slice(1) };
      answers.push(await linker.send('POST', '/Workorders', { ...dryRun, body }));
    }
    expect(answers.map(({ status: code }) => code)).toEqual([201, 201]);
    const body = { Description: 'Work', 'ServiceRequest@odata.bind': paths[1]?.slice(1) };
    const { json } = await linker.send('POST', '/Workorders', { body });
    expect(json?.error?.code).toBe('workflow.relation');
  });
});
