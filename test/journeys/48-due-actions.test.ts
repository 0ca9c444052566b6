// This file lets time pass, and reads what the service has done by itself: actions that are due at a time of their entity are performed
// once, as ordinary changes with history; what fails is tried again, and administrators can read it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type FixedWorld, fixedWorld } from '../world.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ACTIVE = 210002;
const EXPIRED = 210004;

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

/** Starts what performs due actions. */
const start = (desk: Desk) => void stops.push(startDueActions(desk.service));

const instant = (milliseconds: number) => new Date(milliseconds).toISOString();

describe('Contracts and agreements of the built-in model', () => {
  let desk: Desk;
  let world: FixedWorld;
  beforeAll(async () => {
    world = fixedWorld(7);
    desk = await openDesk({ world });
  });
  afterAll(async () => await desk?.close());

  let count = 0;
  async function contract(body: object): Promise<string> {
    const { status, json, text } = await desk.send('POST', '/MaintenanceContracts', {
      body: {
        Name: 'Printers',
        ContractNumber: `C-${count++}`,
        Status: { Value: ACTIVE },
        ...body,
      },
    });
    expect(status, text).toBe(201);
    return `/MaintenanceContracts(${json.Uid})`;
  }

  const statusOf = async (path: string) => (await desk.get(path)).json.Status.Value;

  it('expire when their time has come, and no earlier', async () => {
    const past = await contract({ EndDate: instant(world.now() - HOUR) });
    const next = await contract({ EndDate: instant(world.now() + MINUTE) });
    const never = await contract({});
    start(desk);
    await expect.poll(() => statusOf(past)).toBe(EXPIRED);
    expect(await statusOf(next)).toBe(ACTIVE);
    world.advance(MINUTE);
    await expect.poll(() => statusOf(next)).toBe(EXPIRED);
    expect(await statusOf(never)).toBe(ACTIVE);
  });

  it('stay as they are if the condition is false: contracts that renew themselves, drafts', async () => {
    const EndDate = instant(world.now() - HOUR);
    const renewing = await contract({ EndDate, AutoRenew: true });
    const draft = await contract({ EndDate, Status: { Value: 210001 } });
    const other = await contract({ EndDate });
    start(desk);
    await expect.poll(() => statusOf(other)).toBe(EXPIRED);
    expect([await statusOf(renewing), await statusOf(draft)]).toEqual([ACTIVE, 210001]);
  });

  it('have one history line for it, and the name of the service in their registration', async () => {
    const path = await contract({ EndDate: instant(world.now() - HOUR) });
    start(desk);
    await expect.poll(() => statusOf(path)).toBe(EXPIRED);
    const lines = (await desk.get(`${path}/HistoryLines?$filter=Attribute eq 'Status'`)).json.value;
    expect(lines.map(({ NewValue }: { NewValue: string }) => NewValue)).toEqual(['Expired']);
    const { Registration } = (await desk.get(path)).json;
    expect(Registration.ModifiedBy).toBe('docket schedule');
  });

  it('expire once, though two processes find them at the same time', async () => {
    const EndDate = instant(world.now() - HOUR);
    const paths: string[] = [];
    for (let index = 0; index < 45; index++) paths.push(await contract({ EndDate }));
    start(desk);
    start(desk);
    for (const path of paths) {
      await expect.poll(() => statusOf(path)).toBe(EXPIRED);
      const { json } = await desk.get(`${path}/HistoryLines?$filter=Attribute eq 'Status'`);
      expect(json.value).toHaveLength(1);
    }
    expect((await desk.as('admin').get('/FailedActions')).json.value).toEqual([]);
    const agent = await desk.join({ loginName: 'agent', roles: ['agent'] });
    expect((await agent.get('/FailedActions')).status).toBe(403);
  });

  it('can be ended by hand, too', async () => {
    const path = await contract({});
    const name = 'Service.Web.OData.Model.Expire';
    expect((await desk.send('POST', `${path}/${name}`)).status).toBe(204);
    expect(await statusOf(path)).toBe(EXPIRED);
    expect((await desk.send('POST', `${path}/${name}`)).json.error.code).toBe('bind.unavailable');
  });

  it('of services expire as contracts do', async () => {
    const body = {
      Name: 'Mail for all',
      Status: { Value: 219002 },
      ActualFinish: instant(world.now() - HOUR),
    };
    const { json } = await desk.send('POST', '/ServiceLevelAgreements', { body });
    start(desk);
    await expect.poll(() => statusOf(`/ServiceLevelAgreements(${json.Uid})`)).toBe(219004);
  });
});

const STRING = { $Nullable: true };
const DATE = { $Type: 'Edm.DateTimeOffset', $Nullable: true, $Precision: 3 };
const INT = { $Type: 'Edm.Int32' };

const action = (type: string, effects: readonly JsonObject[], due: JsonObject) => ({
  $Kind: 'Action',
  $IsBound: true,
  $Parameter: [{ $Name: 'it', $Type: type }],
  '@Docket.Effects': effects,
  '@Docket.Due': due,
});

const change = (Member: string, Expression: string) => ({
  Change: '$it',
  Values: [{ Member, Expression }],
});

const model = (operations: JsonObject) => ({
  $Version: '4.01',
  $EntityContainer: 'Lab.Desk',
  Lab: {
    When: { $Kind: 'ComplexType', At: DATE },
    Item: { $Kind: 'EntityType', $Key: ['Id'], Id: INT, State: STRING, At: DATE, Count: INT },
    Sample: { $Kind: 'EntityType', $BaseType: 'Lab.Item', Best: { $Type: 'Lab.When' } },
    Desk: { $Kind: 'EntityContainer', Items: { $Collection: true, $Type: 'Lab.Item' } },
    ...operations,
  },
});

async function openLab(operations: JsonObject, world: FixedWorld): Promise<Desk> {
  const { definition, mistakes } = readCsdl(model(operations));
  expect(mistakes).toEqual([]);
  return await openForeignDesk(definition, {}, { world });
}

const NEXT_HOUR = "now() add duration'PT1H'";
const PAST = instant(fixedWorld().now() - MINUTE);

describe('Due actions of other models', () => {
  let lab: Desk;
  let world: FixedWorld;
  beforeEach(() => {
    world = fixedWorld(3);
  });
  afterEach(async () => await lab?.close());

  const add = async (Id: number, body: object) =>
    expect((await lab.send('POST', '/Items', { body: { Id, Count: 0, ...body } })).status).toBe(
      201,
    );
  const countOf = async (Id: number) => (await lab.get(`/Items(${Id})`)).json.Count;
  const failed = async () =>
    (await lab.as('admin').get('/FailedActions?$top=50&$orderby=Uid', { Prefer: 'maxpagesize=50' }))
      .json.value;

  // zammad/zammad#5655: a timer acted once a day only.
  it('are performed anew when they move their time', async () => {
    const remind = action(
      'Lab.Item',
      [change('Count', '$it/Count add 1'), change('At', "$it/At add duration'PT1M'")],
      { At: 'At', Where: 'Count lt 5' },
    );
    lab = await openLab({ Remind: [remind] }, world);
    await add(1, { At: PAST });
    start(lab);
    // One for the minute that has passed, and one for now.
    await expect.poll(() => countOf(1)).toBe(2);
    world.advance(2 * MINUTE);
    await expect.poll(() => countOf(1)).toBe(4);
    world.advance(9 * MINUTE);
    await expect.poll(() => countOf(1)).toBe(5);
    expect(await failed()).toEqual([]);
  });

  // After a stop: everything, the latest, or nothing.
  it('are made up for, made up for once, or dropped, as their condition and effects say', async () => {
    const counted = change('Count', '$it/Count add 1');
    const done = { ...counted, Values: [...counted.Values, ...change('State', "'done'").Values] };
    const next = { ...counted, Values: [...counted.Values, ...change('At', NEXT_HOUR).Values] };
    const recent = "State eq 'reminder' and At gt now() sub duration'PT10M'";
    lab = await openLab(
      {
        Fire: [action('Lab.Item', [done], { At: 'At', Where: "State eq 'closing'" })],
        Latest: [action('Lab.Item', [next], { At: 'At', Where: "State eq 'report'" })],
        Remind: [action('Lab.Item', [done], { At: 'At', Where: recent })],
      },
      world,
    );
    await add(1, { At: PAST, State: 'closing' });
    await add(2, { At: PAST, State: 'report' });
    await add(3, { At: PAST, State: 'reminder' });
    await add(4, { At: instant(world.now() + 29 * MINUTE), State: 'reminder' });
    world.advance(30 * MINUTE);
    start(lab);
    const counts = async () => await Promise.all([1, 2, 3, 4].map(countOf));
    await expect.poll(counts).toEqual([1, 1, 0, 1]);
    expect((await lab.get('/Items(3)')).json.State).toBe('reminder');
    expect(await failed()).toEqual([]);
  });

  it('are found by a time in a complex value, in entities of a derived type only', async () => {
    const spoil = action('Lab.Sample', [change('State', "'spoilt'")], {
      At: 'Best/At',
      Where: "State ne 'spoilt'",
    });
    lab = await openLab({ Spoil: [spoil] }, world);
    await add(1, { '@odata.type': '#Lab.Sample', Best: { At: PAST } });
    await add(2, { At: PAST });
    start(lab);
    await expect.poll(async () => (await lab.get('/Items(1)')).json.State).toBe('spoilt');
    expect((await lab.get('/Items(2)')).json.State).toBeNull();
  });

  // graphile/worker#169, hexpm/hexpm#1825 and timgit/pg-boss#529: a rescue by elapsed time performed work twice.
  it('are performed once by two processes', async () => {
    const count = [change('Count', '$it/Count add 1'), change('At', 'null')];
    const end = action('Lab.Item', count, { At: 'At', Where: 'true' });
    lab = await openLab({ End: [end] }, world);
    for (let id = 1; id <= 30; id++) await add(id, { At: PAST });
    start(lab);
    start(lab);
    for (let id = 1; id <= 30; id++) await expect.poll(() => countOf(id)).toBe(1);
  });

  it('that fail are tried again, each time later, and hold up no others', async () => {
    const requireThenEnd = [
      { Require: "$it/State ne 'locked'", Message: 'The item is locked.' },
      change('At', 'null'),
    ];
    const end = action('Lab.Item', requireThenEnd, { At: 'At', Where: 'Count eq 0' });
    lab = await openLab({ End: [end] }, world);
    for (let id = 1; id <= 25; id++) await add(id, { At: PAST, State: 'locked' });
    await add(26, { At: instant(world.now() - 1) });
    start(lab);
    await expect.poll(async () => (await lab.get('/Items(26)')).json.At).toBeNull();
    await expect.poll(async () => (await failed()).length).toBe(25);
    expect((await failed())[0]).toMatchObject({
      Action: 'Lab.End',
      Entity: 'Items(1)',
      Due: PAST,
      Attempts: 1,
      NextAttempt: instant(world.now() + 1000),
      Error: 'The item is locked.',
    });
    await add(27, { At: PAST });
    await expect.poll(async () => (await lab.get('/Items(27)')).json.At).toBeNull();
    expect((await failed())[0].Attempts).toBe(1);
    world.advance(1000);
    await expect.poll(async () => (await failed())[0].Attempts).toBe(2);
    await lab.send('PATCH', '/Items(1)', { body: { State: 'open' } });
    world.advance(2000);
    await expect.poll(async () => (await lab.get('/Items(1)')).json.At).toBeNull();
    await expect.poll(async () => (await failed()).length).toBe(24);
  });

  it('are given up after eight attempts, and tried again when the administrator deletes the row', async () => {
    const refuse = [{ Require: "$it/State eq 'open'", Message: 'It is not open.' }];
    const end = action('Lab.Item', [...refuse, change('At', 'null')], {
      At: 'At',
      Where: 'Count eq 0',
    });
    lab = await openLab({ End: [end] }, world);
    await add(1, { At: PAST });
    start(lab);
    for (let attempts = 1; attempts <= 8; attempts++) {
      await expect.poll(async () => (await failed())[0]?.Attempts).toBe(attempts);
      world.advance(2 * MINUTE);
    }
    const [row] = await failed();
    expect(row).toMatchObject({ Attempts: 8, NextAttempt: null });
    await lab.send('PATCH', '/Items(1)', { body: { State: 'open' } });
    const { status } = await lab.as('admin').send('DELETE', `/FailedActions(${row.Uid})`);
    expect(status).toBe(204);
    await expect.poll(async () => (await lab.get('/Items(1)')).json.At).toBeNull();
  });

  it('that leave their condition true are not performed without end', async () => {
    const tick = action('Lab.Item', [change('Count', '$it/Count add 1')], {
      At: 'At',
      Where: 'Count lt 1000',
    });
    lab = await openLab({ Tick: [tick] }, world);
    await add(1, { At: PAST });
    start(lab);
    await expect
      .poll(async () => (await failed())[0]?.Error)
      .toContain('has left its condition true');
    expect(await countOf(1)).toBe(1);
    world.advance(1000);
    await expect.poll(async () => (await failed())[0]?.Attempts).toBe(2);
    expect(await countOf(1)).toBe(2);
  });
});

describe('docket model check rejects', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-due-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const GOOD = { At: 'At', Where: 'Count lt 5' };
  const effects = [change('At', 'null')];
  const withParameter = (parameter: JsonObject) => {
    const one = action('Lab.Item', effects, GOOD);
    return { ...one, $Parameter: [...one.$Parameter, parameter] };
  };
  const mistakes = (one: JsonObject) => {
    const file = join(folder, 'model.json');
    writeFileSync(file, JSON.stringify(model({ End: [one] })));
    return checkModelFile(file).mistakes.map(({ path, message }) => `${path} ${message}`);
  };

  it.each<[string, JsonObject, readonly string[]]>([
    ['nothing wrong', action('Lab.Item', effects, GOOD), []],
    [
      'nothing wrong with an optional parameter',
      withParameter({ $Name: 'To', '@Core.OptionalParameter': {} }),
      [],
    ],
    [
      'an unknown property',
      action('Lab.Item', effects, { ...GOOD, At: 'Att' }),
      ['The model does not have the property Item/Att.'],
    ],
    [
      'no time',
      action('Lab.Item', effects, { ...GOOD, At: 'Count' }),
      ['Count is not a point in time.'],
    ],
    ['no effects', action('Lab.Item', [], GOOD), ['Lab.End cannot be due.']],
    [
      'a required parameter',
      withParameter({ $Name: 'To' }),
      ['Lab.End is called without the parameter To.'],
    ],
    [
      'an unknown property in the condition',
      action('Lab.Item', effects, { ...GOOD, Where: 'Coun lt 5' }),
      ['Coun'],
    ],
    ['an unknown member', action('Lab.Item', effects, { ...GOOD, When: 'now' }), ['When']],
    ['no condition', action('Lab.Item', effects, { At: 'At' }), ['Where']],
  ])('%s', (_, one, expected) => {
    const found = mistakes(one).filter((line) => line.includes('Due'));
    expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});
