// This file enforces workflows on every way to write a record, and reads what the errors say.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { suiteModel } from '../service-desk.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk, openForeignDesk } from './desk.ts';
import { MEMBER, RECORDS } from './records.ts';
import { joinWorker, setModes } from './workflow-table.ts';

const V401 = { 'OData-Version': '4.01' };
const status = (Text: string) => ({ Status: { Text } });
const PERSON = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
const SOLVED = { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } };

interface Detail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

const rejected = ({ status, json, text }: DeskAnswer) => {
  expect(status, text).toBe(409);
  const { code, target, message, details = [] } = json.error;
  return { code, target, message, details: details as readonly Detail[] };
};

describe('The built-in workflow of service requests, enforced,', () => {
  let desk: Desk;
  let worker: Pick<Desk, 'get' | 'send'>;
  beforeAll(async () => {
    const records = [...RECORDS, ...catalogRecords(suiteModel())];
    desk = await openDesk({ world: fixedWorld(7), records, settings: { workflows: ['enforce'] } });
    worker = await joinWorker(desk);
  });
  afterAll(async () => await desk?.close());

  async function request(body: object = {}): Promise<string> {
    const created = await worker.send('POST', '/ServiceRequests', {
      body: { Description: 'Printer', ...body },
    });
    expect(created.status, created.text).toBe(201);
    return `/ServiceRequests(${created.json.Uid})`;
  }

  async function started(): Promise<string> {
    const path = await request();
    const body = { ...status('In progress'), ...PERSON };
    expect((await worker.send('PATCH', path, { body })).status).toBe(204);
    return path;
  }

  const patch = async (path: string, body: object) => await worker.send('PATCH', path, { body });
  const statusOf = async (path: string) => (await worker.get(path)).json.Status.Text;

  it('lists every missing member and the next statuses', async () => {
    const path = await started();
    const { code, target, message, details } = rejected(await patch(path, status('Resolved')));
    expect([code, target]).toEqual(['workflow.transition', 'Status']);
    expect(message).toBe(
      'The Status of this ServiceRequest cannot change from In progress (IN_PROGRESS) to Resolved (RESOLVED). ' +
        'The Status Resolved (RESOLVED) requires a value of "Solution". See details for 1 more.',
    );
    expect(details.map((one) => [one.code, one.target])).toEqual([
      ['workflow.required', 'Solution'],
      ['workflow.required', 'ClosureCode'],
      ['workflow.next', 'Status'],
    ]);
    expect(details.at(-1)?.message).toBe(
      'After In progress (IN_PROGRESS), the Status can become Waiting for caller (WAITING_CALLER), ' +
        'Waiting for supplier (WAITING_SUPPLIER), Resolved (RESOLVED), Cancelled (CANCELLED).',
    );
  });

  it('counts what the request itself sends, and what is stored', async () => {
    const path = await started();
    expect((await patch(path, { Solution: SOLVED.Solution })).status).toBe(204);
    const { ClosureCode } = SOLVED;
    expect((await patch(path, { ...status('Resolved'), ClosureCode })).status).toBe(204);
    expect(await statusOf(path)).toBe('Resolved');
  });

  it('does not count an empty text, and what the request removes', async () => {
    const path = await started();
    const empty = await patch(path, { ...status('Resolved'), ...SOLVED, Solution: '' });
    expect(rejected(empty).details[0]?.target).toBe('Solution');
    expect((await patch(path, SOLVED)).status).toBe(204);
    const removed = await patch(path, { ...status('Resolved'), ClosureCode: null });
    expect(rejected(removed).details[0]?.target).toBe('ClosureCode');
  });

  it('reports the guard and the members that a transition lacks together', async () => {
    const path = await started();
    const { details } = rejected(await patch(path, status('Cancelled')));
    expect(details.map(({ code }) => code)).toEqual([
      'workflow.guard',
      'workflow.required',
      'workflow.next',
    ]);
    expect(details[0]?.message).toContain('ClosureCode/Value in (130006,130008,130009)');
  });

  it('leaves votes to the service', async () => {
    const path = await request();
    const Approval = { NrOfApproversRequired: 1, Workgroup: { '@odata.id': 'Workgroups(21)' } };
    expect((await patch(path, { ...status('Awaiting approval'), Approval })).status).toBe(204);
    const { details } = rejected(await patch(path, status('Assigned')));
    expect(details[0]).toMatchObject({
      code: 'workflow.roles',
      message: 'The transition "approve" is reserved for the service.',
    });
    expect(details.at(-1)?.message).toBe(
      'After Awaiting approval (AWAITING_APPROVAL), the Status can become Cancelled (CANCELLED).',
    );
  });

  it('stays without a status that is no state, until a transition from any state is declared', async () => {
    const path = await started();
    expect(rejected(await patch(path, { Status: null })).message).toContain('to null');
  });

  it('applies to PUT, which sets the default', async () => {
    const path = await started();
    const answer = await worker.send('PUT', path, { body: { Description: 'Replaced' } });
    expect(rejected(answer).message).toContain('from In progress (IN_PROGRESS) to Registered');
  });

  it('applies to the property', async () => {
    const path = await started();
    const body = { value: { Text: 'Closed' } };
    expect(rejected(await worker.send('PUT', `${path}/Status`, { body })).target).toBe('Status');
    expect(rejected(await worker.send('DELETE', `${path}/Status`)).code).toBe(
      'workflow.transition',
    );
  });

  it('applies to upserts that create and that change', async () => {
    const path = await started();
    const create = await worker.send('PATCH', `${path}/Workorders(987654)`, {
      body: { Description: 'Sent', ...status('Closed') },
    });
    expect([create.status, create.json?.error?.code]).not.toEqual([201, undefined]);
    const mail = { Subject: 'Help', ...status('Converted') };
    const posted = await worker.send('POST', '/EmailServiceRequests', { body: mail });
    expect(rejected(posted)).toMatchObject({ code: 'workflow.initial', target: 'Status' });
  });

  it('applies to nested entities that are created and changed, by their places', async () => {
    const nested = await worker.send('POST', '/ServiceRequests', {
      body: {
        Description: 'With work',
        Workorders: [{ Description: 'First' }, { Description: 'Second', ...status('Closed') }],
      },
    });
    expect(rejected(nested)).toMatchObject({
      code: 'workflow.initial',
      target: 'Workorders[1]/Status',
    });
    const path = await request({ Workorders: [{ Description: 'First' }] });
    const [first] = (await worker.get(`${path}/Workorders`)).json.value;
    const change = { '@odata.id': `Workorders(${first.Uid})`, ...status('Completed') };
    const delta = await worker.send('PATCH', path, {
      headers: V401,
      body: { 'Workorders@delta': [change] },
    });
    expect(rejected(delta)).toMatchObject({
      code: 'workflow.transition',
      target: 'Workorders@odata.delta[0]/Status',
    });
  });

  it('applies to delta payloads of a collection, and to the members of $each', async () => {
    const path = await started();
    const key = Number(/\d+/.exec(path)?.[0]);
    const payload = {
      '@context': '#$delta',
      value: [{ '@id': `ServiceRequests(${key})`, ...status('Closed') }],
    };
    const delta = await worker.send('PATCH', '/ServiceRequests', {
      headers: V401,
      body: payload,
    });
    expect(rejected(delta).code).toBe('workflow.transition');
    const filter = encodeURIComponent(`Uid eq ${key}`);
    const each = await desk.send('PATCH', `/ServiceRequests/$filter(@f)/$each?@f=${filter}`, {
      headers: V401,
      body: status('Closed'),
    });
    expect(rejected(each).code).toBe('workflow.transition');
    expect(await statusOf(path)).toBe('In progress');
  });

  it('applies to $batch, where each part has its own answer', async () => {
    const [first, second] = [await started(), await started()];
    const part = (id: string, path: string, body: object) => ({
      id,
      method: 'PATCH',
      url: path.slice(1),
      headers: { 'content-type': 'application/json' },
      body,
    });
    const requests = [
      part('1', first, status('Closed')),
      part('2', second, { ...status('Resolved'), ...SOLVED }),
    ];
    const { json } = await worker.send('POST', '/$batch', {
      headers: { Prefer: 'continue-on-error' },
      body: { requests },
    });
    expect(json.responses.map((one: { status: number }) => one.status)).toEqual([409, 204]);
  });

  it('applies to templates and imports', async () => {
    const entity = entityKeys(suiteModel()).ServiceRequest;
    const made = await desk.send('POST', '/Templates', {
      body: {
        Name: 'Closed from the start',
        'Entity@odata.bind': `Entities(${entity})`,
        Values: [{ AttributeName: 'Status', Value: '101009' }],
      },
    });
    expect(made.status, made.text).toBe(201);
    const body = { Description: 'Made', 'Template@odata.bind': `Templates(${made.json.Uid})` };
    expect(rejected(await desk.send('POST', '/ServiceRequests', { body })).code).toBe(
      'workflow.initial',
    );
    const imported = await desk.send('POST', '/ServiceRequests/Docket.System.Import', {
      headers: { 'content-type': 'text/csv' },
      body: 'Description,Status\r\nBy file,Closed\r\n',
    });
    expect(imported.text).toContain('A new ServiceRequest cannot have the Status Closed (CLOSED)');
  });

  it('permits reopening for ten days after the record was finished', async () => {
    const path = await started();
    const ActualFinish = new Date(desk.service.world.now() - 11 * 86_400_000).toISOString();
    await patch(path, { ...status('Resolved'), ...SOLVED });
    await patch(path, { ActualFinish });
    expect(rejected(await patch(path, status('In progress'))).details[0]?.message).toContain(
      'P10D',
    );
    const recent = new Date(desk.service.world.now() - 9 * 86_400_000).toISOString();
    await patch(path, { ActualFinish: recent });
    const noted = { ...status('In progress'), 'HistoryLines@delta': [{ Information: 'Again' }] };
    expect((await patch(path, noted)).status).toBe(204);
  });

  it('requires a problem before a major incident is closed', async () => {
    const { json } = await worker.send('POST', '/Incidents', {
      body: { Description: 'Down', MajorIncident: true },
    });
    const path = `/Incidents(${json.Uid})`;
    const restored = {
      RestoredAt: '2026-03-30T12:00:00Z',
      Solution: 'Up',
      ClosureCode: { Text: 'Replaced' },
    };
    expect((await patch(path, { ...status('Restored'), ...restored })).status).toBe(204);
    expect(rejected(await patch(path, status('Closed'))).details[0]?.message).toContain('Problem');
    const Problem = { Description: 'Why it went down' };
    const closed = await worker.send('PATCH', path, {
      headers: V401,
      body: { ...status('Closed'), Problem },
    });
    expect(closed.status, closed.text).toBe(204);
  });

  it('sees what the same request does to other records', async () => {
    const created = await worker.send('POST', '/Workorders', {
      body: { Description: 'Second', Predecessors: [{ Description: 'First' }] },
    });
    const path = `/Workorders(${created.json.Uid})`;
    for (const next of ['Assigned', 'Accepted'])
      expect((await patch(path, status(next))).status).toBe(204);
    expect(rejected(await patch(path, status('In progress'))).details[0]?.message).toContain(
      'Predecessors',
    );
    const Predecessors: readonly never[] = [];
    const freed = await worker.send('PATCH', path, {
      headers: V401,
      body: { ...status('In progress'), Predecessors },
    });
    expect(freed.status, freed.text).toBe(204);
  });
});

describe('The setting workflows', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(async () => await desk?.close());

  const close = async (set: string) =>
    (await desk.send('POST', `/${set}`, { body: { Description: 'New', ...status('Closed') } }))
      .status;

  it('applies at once, to all workflows or to one', async () => {
    expect([await close('ServiceRequests'), await close('Incidents')]).toEqual([201, 201]);
    await setModes(desk, 'enforce', 'Incident=advise');
    expect([await close('ServiceRequests'), await close('Incidents')]).toEqual([409, 201]);
    await setModes(desk, 'Incident=enforce');
    expect([await close('ServiceRequests'), await close('Incidents')]).toEqual([201, 409]);
    await setModes(desk);
    expect([await close('ServiceRequests'), await close('Incidents')]).toEqual([201, 201]);
  });

  it.each([
    [['enforced'], 'enforce'],
    [['Person=enforce'], 'Incident=enforce'],
    [['Incident=off', 'Incident=enforce'], 'at most one mode for the same workflows'],
  ])('rejects %j', async (modes, expected) => {
    const body = { Value: JSON.stringify(modes) };
    const answer = await desk.send('PATCH', "/Settings('workflows')", { body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.setting']);
    expect(answer.text).toContain(expected);
  });
});

const CODE = {
  $Kind: 'ComplexType',
  '@Docket.Coded': { Value: 'Value', Text: 'Text' },
  Text: { $Nullable: true },
  Value: { $Type: 'Edm.Int64', $Nullable: true },
};

const code = (Value: number, Text: string, Meaning: string) => ({
  Value,
  Texts: [{ Language: 'en', Text }],
  Meaning,
});

const KITCHEN: JsonObject = {
  $Version: '4.01',
  $EntityContainer: 'Inn.Kitchen',
  Inn: {
    Code: CODE,
    Order: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Docket.Workflow': {
        Member: 'Stage',
        Mode: 'enforce',
        Initial: ['ASKED'],
        States: [{ Symbol: 'ASKED' }, { Symbol: 'COOKED' }, { Symbol: 'EATEN', Category: 'final' }],
        Transitions: [
          { Symbol: 'cook', From: ['ASKED'], To: 'COOKED', Roles: ['cook', 'chef'] },
          { Symbol: 'warm-up', From: ['ASKED'], To: 'COOKED', Guard: 'IsWarm' },
          { Symbol: 'eat', From: ['COOKED'], To: 'EATEN', Require: ['Guests'] },
          { Symbol: 'ask-again', To: 'ASKED' },
        ],
      },
      Id: { $Type: 'Edm.Int32' },
      IsWarm: { $Type: 'Edm.Boolean', $Nullable: true },
      Stage: {
        $Type: 'Inn.Code',
        $Nullable: true,
        $DefaultValue: { Value: 1 },
        '@Docket.CodeList': 'Stages',
      },
      Guests: { $Kind: 'NavigationProperty', $Collection: true, $Type: 'Inn.Guest' },
    },
    Feast: { $Kind: 'EntityType', $BaseType: 'Inn.Order', Toast: { $Nullable: true } },
    Guest: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int32' } },
    Table: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      '@Docket.Workflow': {
        Member: 'Stage',
        Initial: ['ASKED'],
        States: [{ Symbol: 'ASKED' }, { Symbol: 'EATEN', Category: 'final' }],
        Transitions: [
          {
            Symbol: 'clear',
            From: ['ASKED'],
            To: 'EATEN',
            Guard: 'Orders/all(o:o/Stage/Value eq 3)',
            By: 'service',
            On: 'Orders',
          },
        ],
      },
      Id: { $Type: 'Edm.Int32' },
      Stage: {
        $Type: 'Inn.Code',
        $Nullable: true,
        $DefaultValue: { Value: 1 },
        '@Docket.CodeList': 'Stages',
      },
      Orders: { $Kind: 'NavigationProperty', $Collection: true, $Type: 'Inn.Order' },
    },
    Kitchen: {
      $Kind: 'EntityContainer',
      '@Docket.CodeLists': [
        {
          Name: 'Stages',
          Ordered: true,
          Hierarchical: false,
          Codes: [
            code(1, 'Asked', 'ASKED'),
            code(2, 'Cooked', 'COOKED'),
            code(3, 'Eaten', 'EATEN'),
          ],
        },
      ],
      Orders: { $Collection: true, $Type: 'Inn.Order' },
      Guests: { $Collection: true, $Type: 'Inn.Guest' },
      Tables: { $Collection: true, $Type: 'Inn.Table' },
    },
  },
};

describe('A workflow of another model', () => {
  let desk: Desk;
  let waiter: Pick<Desk, 'send'>;
  let cook: Pick<Desk, 'send'>;
  beforeAll(async () => {
    const { definition, mistakes } = readCsdl(KITCHEN);
    expect(mistakes).toEqual([]);
    desk = await openForeignDesk(definition, {});
    const rights = { Read: true, Create: true, Change: true };
    for (const Name of ['waiter', 'cook']) {
      const EntityAccess = ['Order', 'Guest'].map((Entity) => ({ Entity, ...rights }));
      const { status, text } = await desk.send('POST', '/Roles', { body: { Name, EntityAccess } });
      expect(status, text).toBe(201);
    }
    waiter = await desk.join({ loginName: 'walter', roles: ['waiter'] });
    cook = await desk.join({ loginName: 'carla', roles: ['cook'] });
  });
  afterAll(async () => await desk?.close());

  let last = 0;
  async function order(body: object = {}): Promise<string> {
    last += 1;
    const { status, text } = await waiter.send('POST', '/Orders', { body: { Id: last, ...body } });
    expect(status, text).toBe(201);
    return `/Orders(${last})`;
  }

  const stage = (Value: number) => ({ Stage: { Value } });

  it('is taken by the roles that its transitions name', async () => {
    const path = await order();
    const { details } = rejected(await waiter.send('PATCH', path, { body: stage(2) }));
    expect(details.map(({ message }) => message)).toEqual([
      'The transition "cook" is reserved for cook, chef.',
      'After Asked (ASKED), the Stage can become Cooked (COOKED).',
    ]);
    expect((await cook.send('PATCH', path, { body: stage(2) })).status).toBe(204);
  });

  it('needs one transition of several that lead to the same state', async () => {
    const path = await order({ IsWarm: true });
    expect((await waiter.send('PATCH', path, { body: stage(2) })).status).toBe(204);
  });

  it('can require related entities, which the same request creates', async () => {
    const path = await order({ IsWarm: true });
    await waiter.send('PATCH', path, { body: stage(2) });
    const missing = await waiter.send('PATCH', path, { body: stage(3) });
    expect(rejected(missing).details[0]?.target).toBe('Guests');
    const body = { ...stage(3), Guests: [{ Id: last }] };
    const fed = await waiter.send('PATCH', path, { headers: V401, body });
    expect(fed.status, fed.text).toBe(204);
  });

  it('has transitions from any state, also from none', async () => {
    const path = await order({ IsWarm: true });
    await setModes(desk, 'off');
    expect((await waiter.send('PATCH', path, { body: { Stage: null } })).status).toBe(204);
    await setModes(desk);
    expect(rejected(await waiter.send('PATCH', path, { body: stage(2) })).message).toContain(
      'from null to Cooked (COOKED)',
    );
    expect((await waiter.send('PATCH', path, { body: stage(1) })).status).toBe(204);
  });

  it('applies to entities of derived types', async () => {
    const path = await order({ '@odata.type': '#Inn.Feast', Toast: 'To us' });
    expect(rejected(await waiter.send('PATCH', path, { body: stage(3) })).code).toBe(
      'workflow.transition',
    );
    const cast = await waiter.send('PATCH', `${path}/Inn.Feast`, {
      body: { Toast: 'To you', ...stage(3) },
    });
    expect(rejected(cast).code).toBe('workflow.transition');
  });

  it('rejects an initial state that it does not have', async () => {
    const body = { Id: 900, ...stage(3) };
    const { code, message } = rejected(await waiter.send('POST', '/Orders', { body }));
    expect([code, message]).toEqual([
      'workflow.initial',
      'A new Order cannot have the Stage Eaten (EATEN). Create it with one of Asked (ASKED), then change the Stage.',
    ]);
    const upsert = await waiter.send('PATCH', '/Orders(901)', { body: stage(3) });
    expect(rejected(upsert).code).toBe('workflow.initial');
    const none = await waiter.send('PUT', '/Orders(902)', { body: { Stage: null } });
    expect(rejected(none).code).toBe('workflow.initial');
  });
});

it('A transition of the service follows the states of related entities without effects, with workflows off', async () => {
  const { definition } = readCsdl(KITCHEN);
  const desk = await openForeignDesk(definition, {}, { settings: { workflows: ['off'] } });
  const send = async (method: string, path: string, body: object) => {
    const { status, text } = await desk.send(method, path, { body });
    expect(status, text).toBeLessThan(300);
  };
  const orders = [{ Id: 1 }, { Id: 2 }];
  await send('POST', '/Tables', { Id: 7, Orders: orders });
  await send('PATCH', '/Orders(1)', { Stage: { Value: 3 } });
  expect((await desk.get('/Tables(7)')).json.Stage.Value).toBe(1);
  await send('PATCH', '/Orders(2)', { Stage: { Value: 3 } });
  expect((await desk.get('/Tables(7)')).json.Stage.Value).toBe(3);
  await desk.close();
});
