// This file stores points in time and times of day in properties without $Precision, which accept any number of fraction digits up to 12
// and return those that were sent, without zeros at the end. OData CSDL JSON 4.01, "Precision".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from './desk.ts';

const MOMENT = { $Type: 'Edm.DateTimeOffset' };
const CLOCK = { $Type: 'Edm.TimeOfDay' };
const OPTIONAL = { $Nullable: true };

const model = {
  $Version: '4.01',
  $EntityContainer: 'Lab.Desk',
  Lab: {
    Instant: { $Kind: 'TypeDefinition', $UnderlyingType: 'Edm.DateTimeOffset' },
    Span: { $Kind: 'ComplexType', From: { ...CLOCK, ...OPTIONAL }, To: { ...CLOCK, ...OPTIONAL } },
    Tick: {
      $Kind: 'EntityType',
      $Key: ['At'],
      At: MOMENT,
      Clock: { ...CLOCK, ...OPTIONAL },
      Seen: { $Type: 'Lab.Instant', ...OPTIONAL },
      Rough: { $Type: 'Lab.Instant', $Precision: 1, ...OPTIONAL },
      Whole: { ...CLOCK, $Precision: 0, ...OPTIONAL },
      Took: { $Type: 'Edm.Duration', ...OPTIONAL },
      Moments: { ...MOMENT, $Collection: true },
      Spans: { $Type: 'Lab.Span', $Collection: true },
      Hours: { $Type: 'Lab.Span' },
      Alarm: { ...CLOCK, $DefaultValue: '06:30:00.25' },
      Created: {
        ...MOMENT,
        ...OPTIONAL,
        '@Core.Computed': true,
        '@Docket.Generated': { By: 'created' },
      },
      Changed: {
        ...MOMENT,
        $Precision: 7,
        ...OPTIONAL,
        '@Core.Computed': true,
        '@Docket.Generated': { By: 'modified' },
      },
    },
    Later: [
      {
        $Kind: 'Function',
        $Parameter: [{ $Name: 'at', ...MOMENT }],
        $ReturnType: MOMENT,
        '@Docket.Expression': "@at add duration'PT0.5S'",
      },
    ],
    Desk: {
      $Kind: 'EntityContainer',
      Ticks: { $Collection: true, $Type: 'Lab.Tick' },
      Later: { $Function: 'Lab.Later' },
    },
  },
};

const DAY = '2026-01-31T';
const SENT = ['12:00:00.5', '12:00:00.123456789012', '12:00:00', '12:00:00.0000001'] as const;

let lab: Desk;
beforeAll(async () => {
  lab = await openForeignDesk(readCsdl(model).definition, {});
  for (const clock of SENT) {
    const At = `${DAY}${clock}Z`;
    const body = {
      At,
      Clock: clock,
      Seen: At,
      Rough: At,
      Whole: clock,
      Moments: [At],
      Hours: { From: clock },
    };
    const { status } = await lab.send('POST', '/Ticks', {
      body: { ...body, Spans: [{ To: clock }] },
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => await lab?.close());

const ask = async (query: string) => (await lab.get(encodeURI(query))).json;
const clocksOf = async (query: string) =>
  (await ask(query)).value.map(({ Clock }: { Clock: string }) => Clock);

describe('A time without a precision', () => {
  it.each(SENT)('keeps %s, on every path and in every format', async (clock) => {
    const At = `${DAY}${clock}Z`;
    const { json, text } = await lab.get(
      `/Ticks(${At})?$format=application/json;odata.metadata=full`,
    );
    expect(json).toMatchObject({
      At,
      Clock: clock,
      Seen: At,
      Moments: [At],
      Spans: [{ To: clock }],
    });
    expect(json).toMatchObject({ Hours: { From: clock }, Whole: '12:00:00', Alarm: '06:30:00.25' });
    expect(json.Rough).toMatch(/^2026-01-31T12:00:00\.[015]Z$/);
    expect(text).toContain(`Ticks(${At.replaceAll(':', '%3A')})`);
    expect((await lab.get(`/Ticks(${At})/Clock/$value`)).text).toBe(clock);
    expect((await lab.get(`/Ticks(${At})?$format=atom`)).text).toContain(`>${clock}</d:Clock>`);
    const cast = `cast(Clock,Edm.String) as A,cast(At,Edm.DateTimeOffset) as B,time(At) as C,concat(cast(At,Edm.String),'!') as D`;
    expect(await ask(`/Ticks(${At})?$compute=${cast}&$select=A,B,C,D`)).toMatchObject({
      A: clock,
      B: At,
      C: clock,
      D: `${At}!`,
    });
  });

  it('equals the same time with other digits, also in keys, lists and documents', async () => {
    for (const filter of [
      'Clock eq 12:00:00.500000',
      'Clock in (12:00:00.50)',
      `At eq ${DAY}13:00:00.5000%2B01:00`.replace('%2B', '+'),
      'Spans/any(s:s/To eq 12:00:00.500)',
      `Moments/any(m:m eq ${DAY}12:00:00.50Z)`,
      'Hours/From eq 12:00:00.500',
      `time(At) eq 12:00:00.5`,
      'fractionalseconds(Clock) eq 0.5',
    ]) {
      const found = await lab.get(`/Ticks?$filter=${encodeURIComponent(filter)}`);
      expect([filter, found.json.value?.length]).toEqual([filter, 1]);
    }
    expect((await lab.get(`/Ticks(${DAY}12:00:00.500000Z)`)).json.Clock).toBe('12:00:00.5');
    const At = `${DAY}12:00:00.50Z`;
    expect((await lab.send('POST', '/Ticks', { body: { At, Hours: {} } })).status).toBe(409);
  });

  it('is ordered and aggregated by its value', async () => {
    const ordered = [SENT[2], SENT[3], SENT[1], SENT[0]];
    expect(await clocksOf('/Ticks?$orderby=Clock&$select=Clock')).toEqual(ordered);
    expect(await clocksOf('/Ticks?$orderby=At desc&$select=Clock')).toEqual([...ordered].reverse());
    expect(await clocksOf('/Ticks?$apply=groupby((Clock))&$orderby=Clock')).toEqual(ordered);
    expect(
      await ask('/Ticks?$apply=aggregate(At with max as A,Clock with min as B)'),
    ).toMatchObject({
      value: [{ A: `${DAY}12:00:00.5Z`, B: '12:00:00' }],
    });
    const { json } = await lab.get('/Ticks?$orderby=Clock&$select=Clock', {
      prefer: 'maxpagesize=3',
    });
    expect((await lab.get(json['@odata.nextLink'])).json.value).toMatchObject([{ Clock: SENT[0] }]);
  });

  it('is calculated with', async () => {
    const compute =
      "At add duration'PT0.25S' as A,(At sub 2026-01-31T12:00:00Z) as B,case(Clock ne null:Clock,true:Whole) as C";
    const [found] = (
      await ask(`/Ticks?$filter=Clock eq 12:00:00.5&$compute=${compute}&$select=A,B,C`)
    ).value;
    expect(found).toMatchObject({ A: `${DAY}12:00:00.75Z`, B: 'PT0.5S', C: '12:00:00.5' });
    expect(await ask(`/Later(at=${DAY}12:00:00.25Z)`)).toMatchObject({
      value: `${DAY}12:00:00.75Z`,
    });
  });

  it('changes to what clients send', async () => {
    const key = `/Ticks(${DAY}12:00:00Z)`;
    expect((await lab.send('PATCH', key, { body: { Clock: '01:02:03.040' } })).status).toBe(204);
    expect((await lab.get(`${key}/Clock`)).json.value).toBe('01:02:03.04');
    expect((await lab.send('PUT', `${key}/Clock`, { body: { value: '12:00:00' } })).status).toBe(
      204,
    );
    const excess = { Clock: '01:02:03.1234567890123' };
    expect((await lab.send('PATCH', key, { body: excess })).status).toBe(400);
  });

  it('can be generated', async () => {
    const since = `Created lt now() and Created gt 2020-01-01T00:00:00Z and Changed ge Created`;
    const all = (await ask('/Ticks?$select=Created,Changed')).value;
    expect(all[0].Created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/);
    expect(all[0].Changed).toMatch(/\.\d{3}0000Z$/);
    expect((await ask(`/Ticks?$filter=${since}`)).value).toHaveLength(SENT.length);
  });

  it('is described without a precision, and with 12 digits in XML', async () => {
    const { Lab: schema } = (await lab.get('/$metadata?$format=json')).json;
    expect(schema.Tick.Clock).toMatchObject({ $Type: 'Edm.TimeOfDay', $Nullable: true });
    expect(schema.Tick.Clock).not.toHaveProperty('$Precision');
    expect(schema.Instant).not.toHaveProperty('$Precision');
    expect(schema.Tick.Whole.$Precision).toBe(0);
    const { text } = await lab.get('/$metadata?$format=xml');
    expect(text).toContain('<Property Name="Clock" Type="Edm.TimeOfDay" Precision="12"');
    expect(text).toContain('Name="Whole" Type="Edm.TimeOfDay" Precision="0"');
  });
});
