// This file moves the business time of a demo installation: what becomes due on the way happens in order and at its own time, whereas tokens
// and the audit trail keep the real time. Other installations have no such clock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { usesPostgres } from '../database.ts';
import { fixedWorld } from '../world.ts';
import { type Desk, type DeskAnswer, openDesk, openForeignDesk } from './desk.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

const instant = (milliseconds: number) => new Date(milliseconds).toISOString();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('An ordinary installation', () => {
  let desk: Desk;
  beforeAll(async () => {
    // Opened again, because only an installation that has been created before can have a clock.
    desk = await (await openDesk()).restart();
  });
  afterAll(async () => await desk?.close());

  it.each([
    ['AdvanceClock', { By: 'PT1H' }],
    ['SetClock', { To: '2099-01-01T00:00:00Z' }],
  ])('has no action %s', async (name, body) => {
    expect((await desk.send('POST', `/${name}`, { body })).status).toBe(404);
  });

  it.each(['json', 'xml'])('has none in its metadata as %s', async (format) => {
    const { status, text } = await desk.get(`/$metadata?$format=${format}`);
    expect([status, text.includes('CreateApiKey'), text.includes('SetClock')]).toEqual([
      200,
      true,
      false,
    ]);
  });
});

describe('A demo installation', () => {
  let desk: LevelDesk;
  /** The desk after a restart, which closes the first one. */
  let again: Desk | undefined;
  /** Business time according to the service. */
  let now: number;
  beforeAll(async () => {
    desk = await openLevelDesk('2026-06-01 07:00', { hasClock: true });
    now = desk.world.now();
  });
  afterAll(async () => await (again ?? desk)?.close());
  beforeEach(() => {
    now = desk.service.businessTime();
  });

  const move = async (name: string, body: Body, headers: Record<string, string> = {}) =>
    await desk.send('POST', `/${name}`, { body, headers });

  /** Moves the clock to a time, which is in UTC. */
  async function moveTo(text: string): Promise<void> {
    const answer = await move('SetClock', { To: shown(text) });
    expect([answer.status, answer.json?.value], answer.text).toEqual([200, shown(text)]);
  }

  const create = async (body: Body = {}) =>
    await desk.create('ServiceRequests', { Description: 'Printer', ...body });

  /** Attribute, new value and time of the lines of a record's history. */
  async function linesOf(path: string, attribute: string): Promise<readonly unknown[]> {
    const filter = `$filter=contains(Attribute,'${attribute}')&$orderby=Uid`;
    const { value } = await desk.read(`${path}/HistoryLines?${filter}`);
    return value.map((line: Record<string, string>) => [
      line.Attribute,
      line.NewValue,
      line.CreatedAt,
    ]);
  }

  function expectRange({ status, json }: DeskAnswer, name: string, expected: string): void {
    expect([status, json.error.code, json.error.target]).toEqual([400, 'clock.range', name]);
    expect(json.error.message).toBe(`${name} must be ${expected}: the clock only moves forward.`);
  }

  it('has both actions in its metadata', async () => {
    const { text } = await desk.get('/$metadata?$format=json');
    const { 'Docket.System': system } = JSON.parse(text);
    expect(system.AdvanceClock[0].$Parameter[0]).toMatchObject({ $Type: 'Edm.Duration' });
    expect(system.SetClock[0].$Kind).toBe('Action');
  });

  it('moves by a duration: now(), new records and the functions of schedules follow', async () => {
    const { json } = await move('AdvanceClock', { By: 'P1DT2H' });
    expect(json).toMatchObject({ value: instant(now + 26 * HOUR) });
    const path = await create();
    const { Registration } = await desk.read(path);
    expect(Registration.DateCreated).toBe(instant(now + 26 * HOUR));
    const found = await desk.read('/ServiceRequests?$filter=Registration/DateCreated eq now()');
    expect(found.value).toHaveLength(1);
    expect((await desk.read(`${path}/Explain()`)).At).toBe(instant(now + 26 * HOUR));
  });

  it('moves to a time, whatever offset it is written with', async () => {
    const To = new Date(now + 3 * HOUR).toISOString().replace('Z', '+00:00');
    expect((await move('SetClock', { To })).json.value).toBe(instant(now + 3 * HOUR));
    expect(desk.service.businessTime()).toBe(now + 3 * HOUR);
  });

  it.each(['PT0S', '-PT1S', 'P367D'])('does not move by %s', async (By) => {
    expectRange(await move('AdvanceClock', { By }), 'By', 'a duration of PT0.001S to P366D');
    expect(desk.service.businessTime()).toBe(now);
  });

  it.each([0, -1, -DAY, 366 * DAY + 1])(
    'is not set to a time that is %i ms away',
    async (distance) => {
      const expected = `a time after ${instant(now)}, and no later than ${instant(now + 366 * DAY)}`;
      expectRange(await move('SetClock', { To: instant(now + distance) }), 'To', expected);
      expect(desk.service.businessTime()).toBe(now);
    },
  );

  it('rejects calls without a parameter, and with one of the wrong type', async () => {
    for (const body of [{}, { By: null }, { By: 5 }, { By: 'tomorrow' }, { To: instant(now + 1) }])
      expect((await move('AdvanceClock', body)).status).toBe(400);
    expect(desk.service.businessTime()).toBe(now);
  });

  it('is for administrators', async () => {
    const agent = await desk.join({ loginName: 'agent', roles: ['agent'] });
    const body = { By: 'PT1H' };
    const denied = await agent.send('POST', '/AdvanceClock', { body });
    expect([denied.status, denied.json.error.code]).toEqual([403, 'access.clock']);
    const stranger = await desk.as('anonymous').send('POST', '/AdvanceClock', { body });
    expect(stranger.status).toBe(401);
    const { json, text } = await desk.as('admin').send('POST', '/CreateApiKey', {
      body: { Name: 'reader', ReadOnly: true, Expires: instant(now + DAY) },
    });
    expect(json.value, text).toBeTypeOf('string');
    const reader = await move('AdvanceClock', body, { authorization: `Bearer ${json.value}` });
    expect(reader.status).toBe(403);
    expect(desk.service.businessTime()).toBe(now);
  });

  it('moves in a batch, but neither in a change set nor for a repeatable request', async () => {
    const request = { id: '1', method: 'post', url: 'AdvanceClock', body: { By: 'PT1H' } };
    const send = async (one: object) =>
      (await desk.send('POST', '/$batch', { body: { requests: [one] } })).json.responses[0];
    const grouped = await send({ ...request, atomicityGroup: 'all' });
    expect([grouped.status, grouped.body.error.code]).toEqual([400, 'clock.alone']);
    const repeatable = await move('AdvanceClock', request.body, {
      'repeatability-request-id': 'move-1',
      'repeatability-first-sent': new Date(desk.world.now()).toUTCString(),
    });
    expect([repeatable.status, repeatable.json.error.code]).toEqual([400, 'clock.alone']);
    expect(desk.service.businessTime()).toBe(now);
    expect(await send(request)).toMatchObject({
      status: 200,
      body: { value: instant(now + HOUR) },
    });
  });

  it('stands still in a dry run', async () => {
    const answer = await move('AdvanceClock', { By: 'PT1H' }, { prefer: 'dry-run' });
    expect([answer.status, answer.json?.value], answer.text).toEqual([200, instant(now + HOUR)]);
    expect(desk.service.businessTime()).toBe(now);
  });

  it('performs what becomes due in the order and at the time that it is due', async () => {
    await moveTo('2026-07-03 07:00');
    const path = await create({ Priority: { Value: 110002 } });
    const done = await create({ Status: { Text: 'Resolved' }, Priority: { Value: 110001 } });
    const { AutoCloseAt } = await desk.read(done);
    const { Uid } = (
      await desk.send('POST', '/MaintenanceContracts', {
        body: {
          Name: 'Printers',
          ContractNumber: 'C-1',
          Status: { Value: 210002 },
          EndDate: shown('2026-07-04 10:30'),
        },
      })
    ).json;
    await moveTo('2026-07-30 07:00');
    expect(AutoCloseAt).toBe(shown('2026-07-10 07:00'));
    // Silver, 1 h until the response and 10 h until the resolution, of which 9 are on Friday.
    expect(await linesOf(path, '/Mark')).toEqual([
      ['Sla/Response/Mark', '50', shown('2026-07-03 07:30')],
      ['Sla/Response/Mark', '75', shown('2026-07-03 07:45')],
      ['Sla/Response/Mark', '100', shown('2026-07-03 08:00')],
      ['Sla/Resolution/Mark', '50', shown('2026-07-03 12:00')],
      ['Sla/Resolution/Mark', '75', shown('2026-07-03 14:30')],
      ['Sla/Resolution/Mark', '100', shown('2026-07-06 07:00')],
    ]);
    expect(await desk.read(done)).toMatchObject({
      Status: { Text: 'Closed' },
      ClosedAt: AutoCloseAt,
      Registration: { DateModified: AutoCloseAt, ModifiedBy: 'docket schedule' },
    });
    const contract = await linesOf(`/MaintenanceContracts(${Uid})`, 'Status');
    expect(contract).toEqual([['Status', 'Expired', shown('2026-07-04 10:30')]]);
  });

  it('performs each action once at its time while the service also looks for due ones', async () => {
    const stops = [startDueActions(desk.service), startDueActions(desk.service)];
    await moveTo('2026-09-04 07:00');
    const paths = await Promise.all(
      Array.from({ length: 12 }, () => create({ Priority: { Value: 110002 } })),
    );
    const steps = ['07:30', '08:00', '09:00', '13:00'].map((time) => `2026-09-04 ${time}`);
    for (const step of [...steps, '2026-09-10 07:00']) await moveTo(step);
    for (const path of paths) {
      const lines = await linesOf(path, 'Resolution/Mark');
      expect(lines.map((line) => Object(line)[2])).toEqual([
        shown('2026-09-04 12:00'),
        shown('2026-09-04 14:30'),
        shown('2026-09-07 07:00'),
      ]);
    }
    await Promise.all(stops.map((stop) => stop()));
  });

  it('adds up two moves that are requested at the same time', async () => {
    const answers = await Promise.all([
      move('AdvanceClock', { By: 'PT1H' }),
      move('AdvanceClock', { By: 'PT2H' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(desk.service.businessTime()).toBe(now + 3 * HOUR);
  });

  it.runIf(usesPostgres)('is the same for another node of the installation', async () => {
    const other = await desk.another();
    const before = now;
    expect(other.service.businessTime()).toBe(before);
    expect((await move('AdvanceClock', { By: 'P2D' })).status).toBe(200);
    // It has not noticed the move yet, and adds to it all the same.
    expect(other.service.businessTime()).toBe(before);
    const further = await other.send('POST', '/AdvanceClock', { body: { By: 'PT1H' } });
    expect(further.json?.value, further.text).toBe(instant(before + 2 * DAY + HOUR));
    await desk.service.clock?.load();
    expect(desk.service.businessTime()).toBe(before + 2 * DAY + HOUR);
    await other.close();
  });

  it('leaves tokens and the audit trail in the real time', async () => {
    await moveTo('2026-12-01 07:00');
    await moveTo('2027-02-01 07:00');
    const admin = desk.as('admin');
    expect((await admin.get('/Me')).status).toBe(200);
    await expect
      .poll(async () =>
        (
          await admin.get(`/AuditEntries?$orderby=Uid&$filter=contains(Detail,'clock moved')`)
        ).json.value.at(-1),
      )
      .toMatchObject({
        Kind: 'administration',
        Account: 'admin',
        Time: instant(desk.world.now()),
        Detail: `clock moved from ${shown('2026-12-01 07:00')} to ${shown('2027-02-01 07:00')}`,
      });
    desk.world.advance(400 * DAY);
    expect((await admin.get('/Me')).status).toBe(401);
  });

  it('keeps its time when the service starts again', async () => {
    const ahead = now - desk.world.now();
    again = await desk.restart();
    const { businessTime, world } = again.service;
    expect(Math.abs(businessTime() - world.now() - ahead)).toBeLessThan(1);
  });
});

const INSTANT = { $Type: 'Edm.DateTimeOffset', $Nullable: true, $Precision: 3 };

const due = (effects: readonly JsonObject[], where: string) => ({
  $Kind: 'Action',
  $IsBound: true,
  $Parameter: [{ $Name: 'it', $Type: 'Lab.Item' }],
  '@Docket.Effects': effects,
  '@Docket.Due': { At: 'At', Where: where },
});

const change = (Change: string, values: Readonly<Record<string, string>>) => ({
  Change,
  Values: Object.entries(values).map(([Member, Expression]) => ({ Member, Expression })),
});

/** Adds to the log of item 9. */
const log = change('$root/Items(9)', { Log: "concat($root/Items(9)/Log,concat($it/Log,','))" });

const LAB = {
  $Version: '4.01',
  $EntityContainer: 'Lab.Desk',
  Lab: {
    Item: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int32' },
      At: INSTANT,
      Performed: INSTANT,
      Count: { $Type: 'Edm.Int32' },
      Log: {},
    },
    Desk: { $Kind: 'EntityContainer', Items: { $Collection: true, $Type: 'Lab.Item' } },
    Remind: [
      due(
        [
          log,
          change('$it', {
            Count: '$it/Count add 1',
            At: "$it/At add duration'P1D'",
            Performed: 'now()',
          }),
        ],
        'Count lt 3',
      ),
    ],
    End: [
      due(
        [
          { Require: "$it/Log ne 'locked'", Message: 'The item is locked.' },
          log,
          change('$it', { At: 'null' }),
        ],
        'Count eq 100',
      ),
    ],
    Stay: [due([change('$it', { Performed: 'now()' })], 'Count eq 200')],
  },
};

describe('Actions that a move makes due', () => {
  let lab: Desk;
  const world = fixedWorld(4);
  const start = world.now();
  beforeAll(async () => {
    const { definition, mistakes } = readCsdl(LAB);
    expect(mistakes).toEqual([]);
    lab = await openForeignDesk(definition, {}, { world, hasClock: true });
  });
  afterAll(async () => await lab?.close());

  const add = async (Id: number, hours: number, body: Body) => {
    const At = instant(start + hours * HOUR);
    const { status, text } = await lab.send('POST', '/Items', { body: { Id, At, ...body } });
    expect(status, text).toBe(201);
  };

  it('alternate with those of other entities and actions, and follow from each other', async () => {
    await add(9, 999, { Count: 9, Log: '' });
    await add(1, 10, { Count: 0, Log: 'a' });
    await add(2, 5, { Count: 1, Log: 'b' });
    await add(3, 40, { Count: 100, Log: 'end' });
    await add(4, 39, { Count: 100, Log: 'locked' });
    await add(5, 8, { Count: 200, Log: '' });
    const { status, json } = await lab.send('POST', '/AdvanceClock', { body: { By: 'P4D' } });
    expect([status, json.value]).toEqual([200, instant(start + 4 * DAY)]);
    const { Log } = (await lab.get('/Items(9)')).json;
    // Item 1 at 10, 34 and 58 hours, item 2 at 5 and 29.
    expect(Log).toBe('b,a,b,a,end,a,');
    const performed = async (id: number) => (await lab.get(`/Items(${id})`)).json.Performed;
    expect(await performed(1)).toBe(instant(start + 58 * HOUR));
    expect(await performed(2)).toBe(instant(start + 29 * HOUR));
  });

  it('are listed if they fail, with the time at which they were due', async () => {
    const { value } = (await lab.as('admin').get('/FailedActions?$orderby=Entity')).json;
    expect(value).toMatchObject([
      {
        Action: 'Lab.End',
        Entity: 'Items(4)',
        Due: instant(start + 39 * HOUR),
        LastAttempt: instant(start + 39 * HOUR),
        Attempts: 1,
        Error: 'The item is locked.',
      },
      { Action: 'Lab.Stay', Entity: 'Items(5)', Due: instant(start + 8 * HOUR), Attempts: 1 },
    ]);
  });
});
