// This file serves a model of its own with clocks, under names that the service has never seen, and checks what `docket model check` reports
// about mistakes in `Docket.Clocks`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { fixedWorld } from '../world.ts';
import { repairModel } from './clock-models.ts';
import { type Desk, openForeignDesk } from './desk.ts';

describe('Clocks of a foreign model', () => {
  let shop: Desk;
  const world = fixedWorld(3, Date.parse('2026-06-01T07:00:00Z'));
  beforeAll(async () => {
    const days = [1, 2, 3, 4, 5];
    const Open = days.map((Day) => ({ Day, Starts: '08:00:00', Ends: '18:00:00' }));
    shop = await openForeignDesk(repairModel(), {}, { world });
    const hours = await create('AllHours', { Zone: 'Europe/Amsterdam', Open });
    const promise = (Damage: number, Rank: number, Within: string) => ({
      Damage: { Id: Damage },
      Rank: { Id: Rank },
      Within,
    });
    const plan = async (Basic: boolean, large: string, small: string) =>
      await create('Plans', {
        Basic,
        'Hours@odata.bind': hours,
        Promises: [promise(11, 21, large), promise(12, 22, small)],
      });
    await plan(true, 'PT8H', 'PT20H');
    fast = await plan(false, 'PT2H', 'PT4H');
    owner = await create('Owners', { Name: 'Ada' });
    subscription = await create('Subscriptions', {
      'Owner@odata.bind': owner,
      'Plan@odata.bind': fast,
    });
  });
  afterAll(async () => await shop?.close());

  let owner = '';
  let fast = '';
  let subscription = '';
  async function create(set: string, body: object): Promise<string> {
    const { status, json, text } = await shop.send('POST', `/${set}`, { body });
    expect(status, text).toBe(201);
    return `${set}(${json.No})`;
  }
  const read = async (path: string) => (await shop.get(`/${path}`)).json;
  const Brought = '2026-06-01T07:00:00Z';

  it('get the priority and the deadline of the default level, or of the agreement', async () => {
    const stranger = await read(await create('Repairs', { Brought, Damage: { Id: 12 } }));
    expect([stranger.Rank.Id, stranger.ReadyBy]).toEqual([22, '2026-06-03T07:00:00.000Z']);
    expect(stranger.ClockState.Id).toBe(31);
    const body = { Brought, Damage: { Id: 11 }, 'Owner@odata.bind': owner };
    const subscriber = await read(await create('Repairs', body));
    expect([subscriber.Rank.Id, subscriber.ReadyBy]).toEqual([21, '2026-06-01T09:00:00.000Z']);
  });

  it('pause and stop by the meanings of the status', async () => {
    const path = await create('Repairs', { Brought, Damage: { Id: 11 } });
    const body = (Id: number) => ({ body: { Stage: { Id } } });
    await shop.send('PATCH', `/${path}`, body(2));
    expect((await read(path)).ClockState.Id).toBe(32);
    world.advance(1_800_000);
    await shop.send('PATCH', `/${path}`, body(3));
    const { ReadyBy, ClockState, ClockOutcome } = await read(path);
    expect([ReadyBy, ClockState.Id, ClockOutcome.Id]).toEqual(['2026-06-01T15:30:00.000Z', 33, 34]);
  });

  it('have elapsed and remaining time, which only $select returns', async () => {
    const paths: string[] = [];
    for (const [Id, ahead] of [
      [12, 7],
      [11, 4],
      [11, 1],
    ] as const) {
      const start = new Date(world.now() - ahead * 3_600_000).toISOString();
      paths.push(await create('Repairs', { Brought: start, Damage: { Id } }));
    }
    const uids = paths.map((path) => Number(path.replace(/\D/g, '')));
    expect(Object.keys(await read(paths[0] ?? ''))).not.toContain('Left');
    const query = `$filter=No in (${uids})&$orderby=Left&$select=No,Left,Passed`;
    const { value } = await read(`Repairs?${query}`);
    for (const { No, Left, Passed } of value) {
      const [clock] = (await read(`Repairs(${No})/Explain()`)).Clocks;
      expect([Left, Passed]).toEqual([clock.Remaining, clock.Elapsed]);
    }
    expect(value.map(({ No }: { No: number }) => No)).toEqual([uids[1], uids[2], uids[0]]);
    const late = await read(
      `Repairs?$filter=No in (${uids}) and Left lt duration'PT8H'&$select=No`,
    );
    expect(late.value).toHaveLength(2);
  });

  it('stop by a condition, which holds for new repairs, too', async () => {
    const path = await create('Repairs', { Brought, Damage: { Id: 11 } });
    expect((await read(path)).ClockState.Id).toBe(31);
    await shop.send('PATCH', `/${path}`, { body: { Collected: true } });
    expect((await read(path)).ClockState.Id).toBe(33);
    await shop.send('PATCH', `/${path}`, { body: { Collected: false } });
    expect((await read(path)).ClockState.Id).toBe(33);
    const collected = await create('Repairs', { Brought, Damage: { Id: 11 }, Collected: true });
    expect((await read(collected)).ClockState.Id).toBe(33);
  });

  it('are explained, also before a repair is created', async () => {
    const body = { Brought, Damage: { Id: 11 }, 'Owner@odata.bind': owner };
    const path = await create('Repairs', body);
    const now = new Date(world.now()).toISOString();
    await shop.send('PATCH', `/${path}`, { body: { Stage: { Id: 2 } } });
    const found = await read(`${path}/Explain()`);
    expect(found).toMatchObject({
      Agreement: `${shop.root}${subscription}`,
      Level: `${shop.root}${fast}`,
      Schedule: `${shop.root}${fast}/Hours`,
      Priority: 21,
      PriorityReason: 'level',
      Candidates: [{ Rank: 1, Reason: 'the same Owner' }],
      Clocks: [{ Name: 'Repair', State: 'PAUSED', Target: 'PT2H', Marks: [{ Percent: 100 }] }],
    });
    const cause = { Kind: 'Paused', From: now, To: null, Cause: 'PARTS' };
    expect(found.Clocks[0].Intervals).toMatchObject([{ Kind: 'Counted' }, cause]);
    const values = encodeURIComponent(JSON.stringify({ Brought, Damage: { Id: 12 } }));
    const { Priority, Candidates } = await read(`Repairs/WhatIf(Values=@v)?@v=${values}`);
    expect([Priority, Candidates[0].Reason]).toEqual([22, 'for another Owner']);
  });

  it('do not show the record of the clocks', async () => {
    const { text } = await shop.get('/$metadata');
    expect(text).not.toContain('Name="ClockRecord"');
    expect((await shop.get('/Repairs')).text).not.toContain('ClockRecord');
  });
});

describe('The annotation', () => {
  it('is written as it was read', () => {
    const written = readCsdl(toCsdl(repairModel(), { complete: true }));
    expect(written.mistakes).toEqual([]);
    expect(written.definition).toEqual(repairModel());
  });

  it.each([
    [{ clocks: { Status: 'Stag' } }, /member Stag of Shop\.Repair\. .*Did you mean "Stage"/],
    [{ clocks: { Status: 'Brought' } }, /Brought is not a coded property/],
    [{ clocks: { NextMark: 'Rank' } }, /Rank is not an Edm\.DateTimeOffset property with/],
    [{ clocks: { Clocks: [] } }, /There are no clocks/],
    [{ clock: { StoppedIn: ['REDY'] } }, /status with the meaning REDY\. .*Did you mean "READY"/],
    [{ clock: { State: 'Stage' } }, /codes of Stage lack the meanings RUNNING, PAUSED/],
    [{ clock: { Target: 'Without' } }, /member Without of Shop\.Promise/],
    [{ clock: { Remaining: 'ReadyBy' } }, /ReadyBy is not a nullable Edm\.Duration property/],
    [
      { repair: { Left: { $Type: 'Edm.Duration', '@Core.Computed': true } } },
      /Left is not a nullable Edm\.Duration property/,
    ],
    [{ repair: { Left: { $Type: 'Edm.Duration', $Nullable: true } } }, /Clients may set Left/],
    [{ clock: { Elapsed: 'Left' } }, /Left has the times of two clocks, or two times of one/],
    [{ repair: { '@Docket.Indexes': [{ Members: ['Left'] }] } }, /Left changes without a write/],
    [
      { repair: { NextMark: { $Type: 'Edm.DateTimeOffset', $Precision: 3, $Nullable: true } } },
      /Clients may set NextMark/,
    ],
  ])('is rejected with a mistake: %j', (changes, message) => {
    const mistakes = lintModel(repairModel(changes));
    const texts = mistakes.map(({ message: text, remedy }) => `${text} ${remedy}`);
    expect(texts.join('\n')).toMatch(message);
  });

  it('is rejected with an unknown or missing member', () => {
    expect(() => repairModel({ clock: { Stops: ['READY'] } })).toThrow(/Stops is not allowed here/);
    expect(() => repairModel({ clocks: { Level: {} } })).toThrow(/From is missing/);
    expect(() => repairModel({ clock: { StoppedIn: 'READY' } })).toThrow(
      /Write an array of strings/,
    );
  });
});
