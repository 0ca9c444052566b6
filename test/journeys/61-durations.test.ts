// This file calculates with durations and points in time at the ends of what a duration can hold, 2^63 nanoseconds or 106,751 days.
// OData 4.01 URL Conventions, "Arithmetic Operators".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask, column } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  const oldest = {
    Words: 'oldest',
    Moment: '0001-01-01T00:00:00Z',
    Day: '0001-01-01',
    Span: 'P106751D',
  };
  expect((await zoo.send('POST', '/Samples', { body: oldest })).status).toBe(201);
});
afterAll(async () => {
  await zoo?.close();
});

const samples = async (filter: string) =>
  await column(zoo, 'Samples', `$filter=${filter}`, 'Words');

describe('A record with a date in the year 1', () => {
  it.each([
    "$filter=now() sub Moment gt duration'P1D'",
    "$filter=Moment sub now() lt duration'P1D'",
    "$filter=maxdatetime() sub Moment gt duration'P1D'",
    "$filter=2026-01-01 sub Day gt duration'P1D'",
    "$filter=mindatetime() sub maxdatetime() lt duration'PT0S'",
    '$filter=totalseconds(maxdatetime() sub mindatetime()) gt 1',
    "$filter=cast(now() sub Moment,Edm.String) eq 'P1D'",
    '$compute=now() sub Moment as Age&$select=Age',
    '$orderby=now() sub Moment',
    '$apply=compute(now() sub Moment as Age)/aggregate(Age with sum as Total)',
    '$apply=compute(now() sub Moment as Age)/aggregate(Age with average as Mean)',
    '$apply=groupby((Words),aggregate(Moment with max as Last))/compute(now() sub Last as Age)',
    '$filter=Span mul 2 gt Span',
    '$filter=Span mul -2.5 lt Span',
    '$filter=Span mul INF gt Span',
    '$filter=Span div 0.001 gt Span',
    '$filter=Span divby 0 gt Span',
    '$filter=Span divby 0.0 gt Span',
    '$filter=Span add Span gt Span',
    "$filter=Span sub duration'-P106751D' gt Span",
    "$filter=-(duration'-P106751DT23H47M16.854775807S' sub duration'PT0.000000001S') gt Span",
    "$filter=Moment sub (duration'-P106751DT23H47M16.854775807S' sub duration'PT0.000000001S') gt Moment",
    '$filter=Moment sub Span lt Moment',
    '$filter=Day sub Span lt Day',
    '$apply=aggregate(Span with sum as Total)',
  ])('makes %s an overflow, 400', async (query) => {
    const twice = query.includes('aggregate(Span')
      ? query.replace('$apply=', '$apply=concat(identity,identity)/')
      : query;
    const answer = await ask(zoo, 'Samples', twice);
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'sql.overflow']);
  });

  it.each([
    ['aggregate(Span with average as Mean)', 'P53376DT1H1M32.25S'],
    [
      'concat(identity,identity,identity)/aggregate(Span with average as Mean)',
      'P53376DT1H1M32.25S',
    ],
    [
      "compute(Span sub duration'P90000D' as Rest)/aggregate(Rest with average as Mean)",
      '-P36623DT22H58M27.75S',
    ],
    ['filter(Span eq null)/aggregate(Span with average as Mean)', null],
  ])('has an average duration although sums may be out of range: %s', async (apply, mean) => {
    const { status, json } = await ask(zoo, 'Samples', `$apply=${apply}`);
    expect([status, json.value]).toMatchObject([200, [{ Mean: mean }]]);
  });

  it('is left out by a condition before the calculation, as the message says', async () => {
    const filter = "Moment gt 1900-01-01T00:00:00Z and now() sub Moment gt duration'-P36500D'";
    expect(await samples(filter)).toEqual(['Grüße 🦜']);
  });

  it.each([
    ["2026-01-01 sub 1734-01-01 eq duration'P106651D'", 3],
    ["Span eq duration'P106751D'", 1],
    ["Span sub Span eq duration'PT0S'", 2],
    ['year(Moment add Span) eq 293', 1],
    ['year(Day add Span) eq 293', 1],
    ["Moment lt 0002-01-01T00:00:00Z and Moment sub mindatetime() eq duration'PT0S'", 1],
    ['totaloffsetminutes(mindatetime()) eq 0 and totaloffsetminutes(maxdatetime()) eq 0', 3],
  ])('%s is calculated', async (filter, count) => {
    expect(await samples(filter)).toHaveLength(count);
  });
});
