// This file calculates with doubles that are no numbers, casts them to decimals, and puts objects where numbers belong.
// OData 4.01 URL Conventions, "Arithmetic Operators", "cast"; OData ABNF, "doubleValue".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

/** The value of an expression for the sample whose Double is NaN. */
const computed = async (expression: string) => {
  const query = `$filter=Words eq 'empty'&$compute=${expression} as X&$select=X`;
  return (await ask(zoo, 'Samples', query)).json.value[0].X;
};

describe('NaN and INF', () => {
  it.each([
    ['Double add 1', 'NaN'],
    ['1 sub Double', 'NaN'],
    ['Double mul 0', 'NaN'],
    ['-Double', 'NaN'],
    ['INF sub INF', 'NaN'],
    ['INF mul 0', 'NaN'],
    ['-INF', '-INF'],
    ['floor(Double)', 'NaN'],
    ['ceiling(NaN)', 'NaN'],
    ['round(NaN)', 'NaN'],
    ['ceiling(-INF)', '-INF'],
    ['floor(1.5e0)', 1],
    ['-1.5e0 add 2', 0.5],
  ])('%s is %s', async (expression, expected) => {
    expect(await computed(expression)).toBe(expected);
  });
});

describe('A double as a decimal', () => {
  it.each([
    ['cast(1.5e0,Edm.Decimal)', 1.5],
    ['floor(cast(2.5e0,Edm.Decimal))', 2],
    ['cast(Double,Edm.Decimal)', 'NaN'],
    ['cast(cast(5,Edm.Double),Edm.Decimal)', 5],
  ])('%s is %s', async (expression, expected) => {
    expect(await computed(expression)).toBe(expected);
  });
});

describe('An object in the place of a number', () => {
  it.each(['({"a":1} div 1) eq 1', '({"a":1} add 1) eq 1', '{"a":1} mod 2 eq 0'])(
    'is rejected with 400: %s',
    async (filter) => {
      const { status, json } = await ask(zoo, 'Samples', `$filter=${filter}`);
      expect([status, json.error.code]).toEqual([400, 'bind.object']);
    },
  );
});

describe('numbers of dynamic properties', () => {
  beforeAll(async () => {
    for (const Size of [2.5, 'big']) {
      const { status } = await zoo.send('POST', '/Oddities', {
        body: { Name: String(Size), Size },
      });
      expect(status).toBe(201);
    }
  });

  it.each([
    ['Size gt 2', ['Thing', '2.5']],
    ['2 lt Size', ['Thing', '2.5']],
    ['Size in (1,2.5)', ['2.5']],
    ['Size in (3,4)', ['Thing']],
    ['Size eq 3', ['Thing']],
    ['Size lt Id', ['Thing', '2.5']],
    ['Size add 1 eq 3.5', ['2.5']],
    ['2 sub Size lt 0', ['Thing', '2.5']],
  ])('are compared as they are: %s', async (filter, expected) => {
    const { json } = await ask(zoo, 'Oddities', `$filter=${filter}&$orderby=Id`);
    expect(json.value.map(({ Name }: { Name: string }) => Name)).toEqual(expected);
  });

  it('are added to integers', async () => {
    const query = '$compute=Size add 1 as Next&$select=Next&$orderby=Id';
    const { json } = await ask(zoo, 'Oddities', query);
    expect(json.value.map(({ Next }: { Next: unknown }) => Next)).toEqual([4, 3.5, null]);
  });
});
