// This file sends points in time and times of day with as many fraction digits as clients have: seven from .NET, six from Python. The
// service keeps those of the property's precision and cuts off the others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NamedType, Operation } from '../../src/edm/model.ts';
import { binding, functionImport, timeOfDay } from '../define.ts';
import {
  actionOf,
  collectionOf,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  parameter,
  property,
  returning,
  text,
} from '../define-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const at = dateTime('At', { nullable: false });

const types: readonly NamedType[] = [
  entityType('Tick', [at, text('Name')], { key: ['At'] }),
  entityType('Tock', [timeOfDay('At', { nullable: false, precision: 3 }), text('Name')], {
    key: ['At'],
  }),
  entityType(
    'Sample',
    [
      property('Id', 'Edm.Int64', { nullable: false, generated: { by: 'key' } }),
      dateTime('Moment'),
      dateTime('Instant', { precision: 7 }),
      dateTime('Whole', { precision: 0 }),
      timeOfDay('Clock', { precision: 3 }),
      collectionOf(dateTime('Moments')),
    ],
    { key: ['Id'], open: true },
  ),
];

const operations: readonly Operation[] = [
  functionOf('Echo', [parameter(dateTime('at'))], {
    returns: returning('Edm.DateTimeOffset', { nullable: true, precision: 3 }),
    expression: '@at',
  }),
  functionOf('EchoTime', [parameter(timeOfDay('at', { precision: 3 }))], {
    returns: returning('Edm.TimeOfDay', { nullable: true, precision: 3 }),
    expression: '@at',
  }),
  actionOf('Stamp', [binding('Sample'), parameter(dateTime('at'))], {
    bound: true,
    effects: [{ kind: 'change', rows: '$it', values: { Moment: '@at' } }],
    returns: returning('Edm.DateTimeOffset', { nullable: true, precision: 3 }),
    expression: 'Moment',
  }),
];

const definition = defineModel({
  namespaces: [{ name: 'Clocks' }],
  types,
  sets: [entitySet('Ticks', 'Tick'), entitySet('Tocks', 'Tock'), entitySet('Samples', 'Sample')],
  operations,
  imports: [functionImport('Echo', 'Echo'), functionImport('EchoTime', 'EchoTime')],
  languages: ['en'],
});

const NET = '2026-01-31T12:00:00.1239999Z';
const PYTHON = '2026-01-31T13:00:00.123999+01:00';
const TWELVE = '2026-01-31T12:00:00.123999999999Z';
const KEPT = '2026-01-31T12:00:00.123Z';

let desk: Desk;
let sample: string;
beforeAll(async () => {
  desk = await openForeignDesk(definition, {});
  const { json } = await desk.send('POST', '/Samples', { body: {} });
  sample = `/Samples(${json.Id})`;
});
afterAll(async () => {
  await desk?.close();
});

describe('Fraction digits beyond the precision', () => {
  it.each([NET, PYTHON, TWELVE])('are cut off %s in a body', async (moment) => {
    const body = { Moment: moment, Whole: moment, Moments: [moment], Clock: '01:02:03.1239999' };
    const { status, json } = await desk.send('POST', '/Samples', { body });
    expect(status).toBe(201);
    expect(json).toMatchObject({ Moment: KEPT, Whole: '2026-01-31T12:00:00Z', Moments: [KEPT] });
    expect(json.Clock).toBe('01:02:03.123');
  });

  it('are kept as far as the precision goes', async () => {
    const { json } = await desk.send('POST', '/Samples', { body: { Instant: TWELVE } });
    expect(json.Instant).toBe('2026-01-31T12:00:00.1239999Z');
  });

  it('are cut off, never rounded', async () => {
    const Moment = '9999-12-31T23:59:59.9999999Z';
    const { json } = await desk.send('POST', '/Samples', { body: { Moment } });
    expect(json.Moment).toBe('9999-12-31T23:59:59.999Z');
  });

  it('are cut off in PATCH, in a property, in a raw value, and in a parameter of an action', async () => {
    const moment = async () => (await desk.get(sample)).json.Moment;
    const steps = [
      () => desk.send('PATCH', sample, { body: { Moment: NET } }),
      () => desk.send('PUT', `${sample}/Moment`, { body: { value: PYTHON } }),
      () => desk.send('POST', `${sample}/Clocks.Stamp`, { body: { at: NET } }),
      () =>
        desk.send('PUT', `${sample}/Moment/$value`, {
          headers: { 'content-type': 'text/plain' },
          body: TWELVE,
        }),
    ];
    for (const step of steps) {
      await desk.send('PATCH', sample, { body: { Moment: null } });
      expect((await step()).status).toBeLessThan(300);
      expect(await moment()).toBe(KEPT);
    }
  });

  it('are cut off in dynamic properties, which have milliseconds', async () => {
    const body = {
      'Seen@odata.type': '#DateTimeOffset',
      Seen: NET,
      'Hour@odata.type': '#TimeOfDay',
      Hour: '01:02:03.1239999',
    };
    const { json } = await desk.send('POST', '/Samples', { body });
    expect(json).toMatchObject({ Seen: KEPT, Hour: '01:02:03.123' });
  });

  it('are cut off in keys, so that what was stored is found', async () => {
    expect((await desk.send('POST', '/Ticks', { body: { At: NET, Name: 'a' } })).status).toBe(201);
    for (const key of [NET, KEPT, `At=${NET}`, encodeURIComponent(PYTHON)]) {
      const { status, json } = await desk.get(`/Ticks(${key})`);
      expect([status, json.At]).toEqual([200, KEPT]);
    }
    expect((await desk.get(`/$entity?$id=Ticks(${NET})`)).json.Name).toBe('a');
    expect((await desk.send('PATCH', `/Ticks(${NET})`, { body: { Name: 'b' } })).status).toBe(204);
    const tock = await desk.send('POST', '/Tocks', { body: { At: '01:02:03.1239999' } });
    expect(tock.json.At).toBe('01:02:03.123');
    expect((await desk.get('/Tocks(01:02:03.1239999)')).status).toBe(200);
  });

  it.each([
    [`/Echo(at=${NET})`, KEPT],
    [`/Echo(at=@p)?@p=${NET}`, KEPT],
    [`/Echo?at=${NET}`, KEPT],
    ['/EchoTime(at=01:02:03.1239999)', '01:02:03.123'],
  ])('are cut off in the parameter of %s', async (path, expected) => {
    expect((await desk.get(path)).json.value).toBe(expected);
  });

  it('count in a filter, which compares exactly', async () => {
    const names = async (filter: string) =>
      (await desk.get(`/Ticks?$filter=${encodeURIComponent(filter)}`)).json.value.length;
    await desk.send('PATCH', `/Ticks(${NET})`, { body: { Name: 'c' } });
    for (const [filter, count] of [
      [`At lt ${NET}`, 1],
      [`At ge ${NET}`, 0],
      [`At eq ${KEPT}`, 1],
      [`At eq ${NET}`, 0],
      [`At lt ${KEPT}`, 0],
      [`At lt ${TWELVE}`, 1],
      [`At in (${KEPT},${NET})`, 1],
    ] as const) {
      expect([filter, await names(filter)]).toEqual([filter, count]);
    }
  });

  it('are at most twelve', async () => {
    const Moment = '2026-01-31T12:00:00.1234567890123Z';
    expect((await desk.send('POST', '/Samples', { body: { Moment } })).status).toBe(400);
    expect((await desk.get(`/Ticks(${Moment})`)).status).toBe(400);
  });

  it('of a calculated time count in next links', async () => {
    const order = '$orderby=time(Instant)&$select=Instant&$filter=Words eq 1';
    for (const digits of ['1234561', '1234562', '1234563', '1234564']) {
      const Instant = `2026-01-31T12:00:00.${digits}Z`;
      await desk.send('POST', '/Samples', { body: { Instant, Words: 1 } });
    }
    const seen: string[] = [];
    let next: string | undefined = `/Samples?${order.replaceAll(' ', '%20')}`;
    while (next !== undefined) {
      const { status, json } = await desk.get(next, { prefer: 'maxpagesize=1' });
      expect(status).toBe(200);
      seen.push(...json.value.map((one: { Instant: string }) => one.Instant.slice(-8)));
      next = json['@odata.nextLink'];
    }
    expect(seen).toEqual(['1234561Z', '1234562Z', '1234563Z', '1234564Z']);
  });
});
