// This file sends the requests of tiles to a service, and compares each number of a chart with the count of the list behind it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAxes, printAxes, type Tile } from '../../console/src/dashboards/tile.ts';
import { planTile } from '../../console/src/dashboards/tile-plan.ts';
import { resultOf, type TileResponse } from '../../console/src/dashboards/tile-results.ts';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { type Model, typeNamed } from '../../console/src/model/model.ts';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from '../journeys/desk.ts';

const NOW = new Date('2026-03-30T10:00:00Z');
const ZONE = 'Europe/Amsterdam';
const WORDS = { none: 'none', bucket: () => '' };

const { definition } = readCsdl({
  $Version: '4.01',
  $EntityContainer: 'Plan.Desk',
  Plan: {
    Task: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64' },
      Name: {},
      Start: { $Type: 'Edm.DateTimeOffset', $Precision: 3, $Nullable: true },
      Team: { $Kind: 'NavigationProperty', $Type: 'Plan.Team', $Nullable: true },
    },
    Team: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' }, Name: {} },
    Desk: {
      $Kind: 'EntityContainer',
      Tasks: {
        $Collection: true,
        $Type: 'Plan.Task',
        $NavigationPropertyBinding: { Team: 'Teams' },
      },
      Teams: { $Collection: true, $Type: 'Plan.Team' },
    },
  },
});

let desk: Desk;
let model: Model;
beforeAll(async () => {
  desk = await openForeignDesk(definition, { Teams: [{ Id: 1n, Name: 'A' }] });
  const { json } = await desk.get('/$metadata?$format=json');
  model = compileModel(json, 'en');
  // On each side of midnights in the zone, of a change of its clocks, and of a Monday.
  const times = [
    '2026-03-22T22:30:00Z',
    '2026-03-22T23:30:00Z',
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59.999Z',
    '2026-03-29T22:00:00Z',
    '2026-03-30T10:00:00Z',
    null,
  ];
  for (const [index, Start] of times.entries()) {
    const Name = index % 3 === 0 ? "it's" : `Task ${index}`;
    const team = index % 2 === 0 ? { Team: { '@id': 'Teams(1)' } } : {};
    const body = { Id: index, Name, Start, ...team };
    const { status, text } = await desk.send('POST', '/Tasks', { body });
    expect([status, text]).toEqual([201, text]);
  }
});
afterAll(async () => await desk?.close());

const BASE = { uid: undefined, title: 'T', set: 'Tasks', filter: '', apply: '', axes: {} };

async function read(tile: Tile, condition = '') {
  const plan = planTile(model, tile, { now: NOW, zone: ZONE }, condition);
  const responses: TileResponse[] = [];
  for (const request of plan.requests) {
    const { status, json } = await desk.get(`/${request}`);
    expect([status, request]).toEqual([200, request]);
    responses.push({ kind: 'value', value: json });
  }
  const type = typeNamed(model, model.sets.get(tile.set)?.type ?? '');
  return resultOf(type, model, tile, plan, responses, WORDS);
}

async function countOf(filter: string): Promise<number> {
  const { status, text } = await desk.get(`/Tasks/$count?$filter=${encodeURIComponent(filter)}`);
  expect([status, filter]).toEqual([200, filter]);
  return Number(text);
}

describe('each bar has as many entities as its list', () => {
  test.each<[string, Partial<Tile>, number]>([
    [
      'days',
      { axes: { time: { unit: 'day', count: 9, series: [{ path: 'Start', name: 'A' }] } } },
      7,
    ],
    [
      'weeks',
      { axes: { time: { unit: 'week', count: 2, series: [{ path: 'Start', name: 'A' }] } } },
      6,
    ],
    [
      'months',
      {
        axes: { time: { unit: 'month', count: 1, series: [{ path: 'Start', name: 'A' }] } },
      },
      7,
    ],
    ['ages', { axes: { age: { path: 'Start', days: [1, 2, 7] } } }, 7],
    ['groups', { apply: 'groupby((Name),aggregate($count as Count))' }, 8],
    ['groups with null', { apply: 'groupby((Start),aggregate($count as Count))' }, 8],
    [
      'groups of related entities',
      { apply: 'groupby((Team/Id,Team/Name),aggregate($count as Count))' },
      8,
    ],
    [
      'two groups',
      { kind: 'stacked', apply: 'groupby((Name,Team/Id),aggregate($count as Count))' },
      8,
    ],
    [
      'a filtered aggregation of a filtered tile',
      {
        filter: "Name ne 'A' or Name eq 'B'",
        apply: "filter(contains(Name,''''))/groupby((Name),aggregate($count as Count))",
      },
      3,
    ],
  ])('%s', async (_, changes, total) => {
    const result = await read({ ...BASE, kind: 'bar', ...changes });
    if (result.kind !== 'chart') throw new Error(`The tile has ${result.kind}.`);
    const { series } = result.data;
    let sum = 0;
    for (const [category, filters] of result.filters.entries())
      for (const [index, filter] of filters.entries()) {
        const value = series[index]?.values[category] ?? 0;
        if (filter === '') expect(value).toBe(0);
        else expect([filter, value]).toEqual([filter, await countOf(filter)]);
        sum += value;
      }
    expect(sum).toBe(total);
  });
});

describe('a number', () => {
  test('has the filters of tile and dashboard, and the same list', async () => {
    const tile: Tile = { ...BASE, kind: 'number', filter: 'Start ne null' };
    const result = await read(tile, "Name eq 'it''s'");
    expect(result).toMatchObject({ kind: 'number', value: 3, trend: undefined });
    if (result.kind === 'number') expect(await countOf(result.filter)).toBe(3);
  });

  test('can be a share, and nothing of nothing', async () => {
    const axes = { share: 'Start ge 2026-03-29T22:00:00Z' };
    expect(await read({ ...BASE, kind: 'number', axes })).toMatchObject({
      value: 2 / 8,
      isShare: true,
    });
    const none = { ...BASE, kind: 'number', filter: "Name eq 'none'", axes } as const;
    expect(await read(none)).toMatchObject({ value: undefined });
  });

  test('is compared with the unit before', async () => {
    const time = { unit: 'week', count: 2, series: [{ path: 'Start', name: 'A' }] } as const;
    expect(await read({ ...BASE, kind: 'number', axes: { time } })).toMatchObject({
      trend: { unit: 'week', now: 2, before: 4 },
    });
  });
});

describe('axes', () => {
  test('are stored as JSON and read back', () => {
    const axes = {
      time: { unit: 'day', count: 30, series: [{ path: 'A', name: 'B' }] },
      age: { path: 'A', days: [1, 7] },
      share: 'A eq 1',
      label: 'A/B',
      order: 'A desc',
    } as const;
    expect(parseAxes(printAxes(axes))).toEqual(axes);
  });

  test.each([
    [null, {}],
    ['', {}],
    ['[1]', {}],
    [
      '{"time":{"count":1e9,"unit":"year","series":[{"path":1},{"path":"A"}]}}',
      { time: { unit: 'week', count: 120, series: [{ path: 'A', name: 'A' }] } },
    ],
    ['{"age":{"path":"A","days":["7",-1,1]},"share":3}', { age: { path: 'A', days: [1, 7] } }],
  ])('that others have written are read as far as they are understood: %s', (text, axes) => {
    expect(parseAxes(text)).toEqual(axes);
  });
});
