// This file reads what the service keeps when a status changes: when work began and ended, whatever the mode.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type FixedWorld, fixedWorld } from '../world.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';
import { FIRST_OF_MANY, MEMBER } from './records.ts';
import { joinWorker, setModes } from './workflow-table.ts';

const SECOND = 1000;
const status = (Text: string) => ({ Status: { Text } });
const PERSON = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
const SOLVED = { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } };

let desk: Desk;
let world: FixedWorld;
let worker: Pick<Desk, 'get' | 'send'>;
beforeAll(async () => {
  world = fixedWorld(7);
  desk = await openDesk({ world });
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

/** Changes the record a second later and returns the time of the change. */
async function change(path: string, body: object): Promise<string> {
  world.advance(SECOND);
  const answer = await worker.send('PATCH', path, { body });
  expect(answer.status, answer.text).toBe(204);
  return new Date(world.now()).toISOString();
}

const times = async (path: string) => {
  const { json } = await worker.get(path);
  const { ActualStart, ActualFinish, ClosedAt, OnHoldReason, Assignment } = json;
  return { ActualStart, ActualFinish, ClosedAt, OnHoldReason, AssignedAt: Assignment.AssignedAt };
};

describe.each(['off', 'advise', 'enforce'])('In the mode %s, the service', (mode) => {
  beforeAll(async () => await setModes(desk, mode));

  it('keeps when a request was assigned, begun, finished and closed, and forgets the end if it is reopened', async () => {
    const path = await request();
    expect(await times(path)).toMatchObject({ ActualStart: null, AssignedAt: null });
    const assigned = await change(path, { ...status('Assigned'), ...PERSON });
    const begun = await change(path, status('In progress'));
    expect(await times(path)).toMatchObject({ AssignedAt: assigned, ActualStart: begun });
    const finished = await change(path, { ...status('Resolved'), ...SOLVED });
    const closed = await change(path, status('Closed'));
    expect(await times(path)).toMatchObject({
      AssignedAt: assigned,
      ActualStart: begun,
      ActualFinish: finished,
      ClosedAt: closed,
    });
    const note = { 'HistoryLines@delta': [{ Information: 'Broken again' }] };
    await change(path, { ...status('In progress'), ...note });
    expect(await times(path)).toMatchObject({
      ActualStart: begun,
      ActualFinish: null,
      ClosedAt: null,
    });
  });

  it('clears the reason of a wait when it ends', async () => {
    const path = await request();
    await change(path, { ...status('In progress'), ...PERSON });
    const OnHoldReason = { Text: 'Supplier' };
    await change(path, { ...status('Waiting for supplier'), OnHoldReason });
    expect((await times(path)).OnHoldReason.Text).toBe('Supplier');
    await change(path, status('In progress'));
    expect((await times(path)).OnHoldReason).toBeNull();
  });
});

describe('What the service keeps', () => {
  beforeAll(async () => await setModes(desk));

  it('yields to what the request sends', async () => {
    const path = await request();
    const ActualStart = '2026-01-02T03:04:05.000Z';
    await change(path, { ...status('In progress'), ActualStart });
    expect((await times(path)).ActualStart).toBe(ActualStart);
    await change(path, { ...status('Resolved'), ...SOLVED, ActualFinish: null });
    expect((await times(path)).ActualFinish).toBeNull();
  });

  it('is set by PUT, too, and for records that are created with a status', async () => {
    const path = await request(status('In progress'));
    const created = new Date(world.now()).toISOString();
    expect((await times(path)).ActualStart).toBe(created);
    world.advance(SECOND);
    const body = { Description: 'Again', ...status('Resolved') };
    expect((await worker.send('PUT', path, { body })).status).toBe(204);
    const finished = new Date(world.now()).toISOString();
    expect((await times(path)).ActualFinish).toBe(finished);
  });

  it('stays while the status stays', async () => {
    const path = await request(status('Resolved'));
    const before = await times(path);
    await change(path, { ...status('Resolved'), Information: 'More' });
    expect(await times(path)).toEqual(before);
  });

  it('is in the history where it replaces a value, since the change of the status tells the rest', async () => {
    const path = await request();
    await change(path, status('In progress'));
    const finished = await change(path, { ...status('Resolved'), Solution: 'Done' });
    await change(path, status('In progress'));
    const { json } = await worker.get(`${path}/HistoryLines?$orderby=Uid`);
    const lines = json.value.map((one: Record<string, unknown>) => [one.Attribute, one.OldValue]);
    expect(lines).toEqual([
      ['Status', 'Registered'],
      ['Status', 'In progress'],
      ['Solution', null],
      ['Status', 'Resolved'],
      ['ActualFinish', finished],
    ]);
  });

  it('needs no right of the account to write it', async () => {
    const body = {
      Name: 'closer',
      EntityAccess: [{ Entity: 'ServiceRequest', Read: true, Change: true }],
      AttributeAccess: [{ Entity: 'ServiceRequest', Attribute: 'ActualFinish', Modify: false }],
    };
    expect((await desk.send('POST', '/Roles', { body })).status).toBe(201);
    const closer = await desk.join({ loginName: 'closer', roles: ['closer'] });
    const path = await request();
    const own = await closer.send('PATCH', path, { body: { ActualFinish: null } });
    expect(own.status).toBe(403);
    const change = await closer.send('PATCH', path, { body: status('Resolved') });
    expect(change.status, change.text).toBe(204);
    expect((await times(path)).ActualFinish).toBe(new Date(world.now()).toISOString());
  });

  it('is set for each record of $each', async () => {
    const filter = encodeURIComponent(`Uid le ${FIRST_OF_MANY + 2} and Uid ge ${FIRST_OF_MANY}`);
    const answer = await desk.send('PATCH', `/ServiceRequests/$filter(@f)/$each?@f=${filter}`, {
      headers: { 'OData-Version': '4.01' },
      body: status('Cancelled'),
    });
    expect(answer.status, answer.text).toBe(204);
    for (const key of [0, 1, 2])
      expect((await times(`/ServiceRequests(${FIRST_OF_MANY + key})`)).ClosedAt).toBe(
        new Date(world.now()).toISOString(),
      );
  });

  it('is undone with the request that fails afterwards, and with a dry run', async () => {
    const path = await request();
    const before = (await worker.get(path)).json;
    const dry = await worker.send('PATCH', path, {
      headers: { Prefer: 'dry-run' },
      body: status('In progress'),
    });
    expect(dry.status).toBe(204);
    expect((await worker.get(path)).json).toEqual(before);
  });
});

const DATE = { $Type: 'Edm.DateTimeOffset', $Nullable: true, $Precision: 3 };

const LAB: JsonObject = {
  $Version: '4.01',
  $EntityContainer: 'Lab.All',
  Lab: {
    Code: {
      $Kind: 'ComplexType',
      '@Docket.Coded': { Value: 'Value', Text: 'Text' },
      Text: { $Nullable: true },
      Value: { $Type: 'Edm.Int64', $Nullable: true },
    },
    Sample: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      $Abstract: true,
      '@Docket.Workflow': {
        Member: 'Stage',
        Mode: 'off',
        Initial: ['NEW'],
        States: [
          { Symbol: 'NEW', OnExit: [{ Member: 'Left', Expression: '@now' }] },
          {
            Symbol: 'TESTED',
            OnEnter: [
              { Member: 'Tests', Expression: 'Tests add 1' },
              { Member: 'Begun', Expression: '@now' },
            ],
          },
        ],
        Transitions: [{ Symbol: 'test', From: ['NEW'], To: 'TESTED' }],
      },
      '@Validation.Constraint': {
        FailureMessage: 'at most two tests',
        Condition: { $Le: [{ $Path: 'Tests' }, 2] },
      },
      Id: { $Type: 'Edm.Int32' },
      Stage: { $Type: 'Lab.Code', $Nullable: true, '@Docket.CodeList': 'Stages' },
      Tests: { $Type: 'Edm.Int32', $DefaultValue: 0 },
      Left: DATE,
      Begun: DATE,
    },
    Blood: { $Kind: 'EntityType', $BaseType: 'Lab.Sample' },
    Water: { $Kind: 'EntityType', $BaseType: 'Lab.Sample' },
    Box: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      Content: { $Kind: 'NavigationProperty', $Type: 'Lab.Sample', $Nullable: true },
    },
    All: {
      $Kind: 'EntityContainer',
      '@Docket.CodeLists': [
        {
          Name: 'Stages',
          Ordered: true,
          Hierarchical: false,
          Codes: [
            { Value: 1, Texts: [{ Language: 'en', Text: 'New' }], Meaning: 'NEW' },
            { Value: 2, Texts: [{ Language: 'en', Text: 'Tested' }], Meaning: 'TESTED' },
          ],
        },
      ],
      Bloods: { $Collection: true, $Type: 'Lab.Blood' },
      Waters: { $Collection: true, $Type: 'Lab.Water' },
      Boxes: { $Collection: true, $Type: 'Lab.Box' },
    },
  },
};

describe('Effects of another model', () => {
  let lab: Desk;
  const clock = fixedWorld(9);
  beforeAll(async () => {
    const { definition, mistakes } = readCsdl(LAB);
    expect(mistakes).toEqual([]);
    lab = await openForeignDesk(definition, {}, { world: clock });
  });
  afterAll(async () => await lab?.close());

  const stage = (Value: number) => ({ Stage: { Value } });

  it('reach a row that can be in several tables', async () => {
    await lab.send('POST', '/Waters', { body: { Id: 1, ...stage(1) } });
    await lab.send('POST', '/Boxes', { body: { Id: 1, Content: { '@id': 'Waters(1)' } } });
    const answer = await lab.send('PATCH', '/Boxes(1)/Content', { body: stage(2) });
    expect(answer.status, answer.text).toBe(204);
    const { json } = await lab.get('/Waters(1)');
    const now = new Date(clock.now()).toISOString();
    expect(json).toMatchObject({ Tests: 1, Left: now, Begun: now });
  });

  it('obey the constraints of the model', async () => {
    await lab.send('POST', '/Bloods', { body: { Id: 1, Tests: 2, ...stage(1) } });

    const answer = await lab.send('PATCH', '/Bloods(1)', { body: stage(2) });
    expect([answer.status, answer.json?.error?.code]).toEqual([400, 'write.condition']);
    expect((await lab.get('/Bloods(1)')).json.Stage.Value).toBe(1);
  });
});
