// This file asks geo functions of values of every form: those that a function is not defined for are a mistake of the client.
// OData 4.01 URL Conventions, "Geo Functions", "cast", "isof".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask, column } from './query.ts';
import { openZoo } from './zoo.ts';

const point = { type: 'Point', coordinates: [1, 2] };
const line = {
  type: 'LineString',
  coordinates: [
    [0, 0],
    [0, 1],
  ],
};
const area = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 0],
    ],
  ],
};

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  const records = [
    { Words: 'point', Spot: point, Route: line, Area: area, Plan: point, Shape: point },
    { Words: 'line', Shape: line, Anything: line },
    { Words: 'no line', Anything: { type: 'LineString', coordinates: 'x' } },
    { Words: 'no place', Anything: { a: 1 } },
  ];
  for (const body of records) {
    expect((await zoo.send('POST', '/Samples', { body })).status).toBe(201);
  }
});
afterAll(async () => {
  await zoo?.close();
});

const samples = async (filter: string) =>
  await column(zoo, 'Samples', `$filter=${filter}`, 'Words');

describe('A geo function', () => {
  const square = "geography'SRID=4326;Polygon((0 0,2 0,2 2,0 2,0 0))'";
  it.each([
    'geo.length(Spot) gt 1',
    'geo.length(Area) gt 1',
    'geo.length(Shape) gt 1',
    "geo.length(geography'SRID=4326;Point(0 0)') gt 1",
    "geo.length('a') gt 1",
    'geo.length(1) gt 1',
    'geo.length(Route,Route) gt 1',
    'geo.distance(Spot,Area) gt 1',
    'geo.distance(Spot,Shape) gt 1',
    'geo.distance(Spot,Plan) gt 1',
    "geo.distance(Spot,geometry'SRID=0;Point(0 0)') gt 1",
    `geo.distance(Spot,${square}) gt 1`,
    'geo.distance(Route,Spot) gt 1',
    'geo.intersects(Area,Spot)',
    'geo.intersects(Spot,Shape)',
    'geo.intersects(Route,Area)',
    'geo.intersects(Plan,Area)',
  ])('is rejected in %s, which is none of its signatures', async (filter) => {
    const answer = await ask(zoo, 'Samples', `$filter=${filter}`);
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'bind.argument']);
  });

  it.each([
    ['geo.length(Route) gt 111000', ['point']],
    ['geo.distance(Spot,Spot) eq 0', ['point']],
    ['geo.distance(Plan,Plan) eq 0', ['point']],
    ['geo.intersects(Spot,Area)', []],
    ['geo.intersects(Plan,null)', []],
    ['geo.length(null) eq null', ['Grüße 🦜', 'empty', 'point', 'line', 'no line', 'no place']],
    ['geo.distance(cast(Shape,Edm.GeographyPoint),Spot) eq 0', ['point']],
    ['geo.length(cast(Shape,Edm.GeographyLineString)) gt 111000', ['line']],
    ['geo.length(Anything) gt 111000', ['line']],
  ])('%s is calculated', async (filter, expected) => {
    expect(await samples(filter)).toEqual(expected);
  });

  it('recommends a cast that is accepted', async () => {
    const answer = await ask(zoo, 'Samples', '$filter=geo.distance(Shape,Spot) eq 0');
    expect(answer.json.error.message).toContain('cast(…,Edm.GeographyPoint)');
  });
});

describe('A place', () => {
  it.each([
    ['isof(Shape,Edm.GeographyPoint)', ['point']],
    ['isof(Shape,Edm.GeographyLineString)', ['line']],
    ['isof(Spot,Edm.Geography)', ['point']],
    ['isof(Spot,Edm.Geometry)', []],
    ["cast(Spot,Edm.String) eq 'SRID=4326;Point(1 2)'", ['point']],
    ['geo.distance(cast(cast(Spot,Edm.String),Edm.GeographyPoint),Spot) eq 0', ['point']],
  ])('is what it is in %s', async (filter, expected) => {
    expect(await samples(filter)).toEqual(expected);
  });

  it('of the plane cannot be cast to one of the earth', async () => {
    const answer = await ask(zoo, 'Samples', '$filter=cast(Plan,Edm.GeographyPoint) ne null');
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'bind.cast']);
  });
});
