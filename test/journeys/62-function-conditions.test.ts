// This file calls functions of the model that return rows chosen by the row they are bound to: `$it` inside the `$filter` of another
// path. OData 4.01 URL Conventions, "$it"; "Addressing Operations".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/edm/model.ts';
import { binding } from '../define.ts';
import { functionOf, parameter, property, returning } from '../define-model.ts';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { column } from './query.ts';
import { ZOO } from './zoo-records.ts';

const zooType = <Type extends { readonly type: string }>(named: Type): Type => ({
  ...named,
  type: named.type.startsWith('Edm.') ? named.type : `Odd.Zoo.${named.type}`,
});

const animals = zooType(returning('Animal', { collection: true }));

const bound = (
  name: string,
  expression: string,
  on: Partial<Operation> & { readonly to?: string; readonly many?: boolean } = {},
): Operation => {
  const { to = 'Animal', many = false, ...others } = on;
  return functionOf(`Odd.Zoo.${name}`, [zooType(binding(to, { collection: many }))], {
    bound: true,
    composable: true,
    returns: animals,
    expression,
    ...others,
  });
};

const heavier = bound('HeavierBy', '$root/Animals/$filter(Weight gt $it/Weight add @by)');

const functions: readonly Operation[] = [
  bound('Siblings', '$it/Mother/Children/$filter(Id ne $it/Id)'),
  bound('Fellows', '$it/Enclosure/Animals/$filter(Id ne $it/Id)'),
  bound(
    'Elders',
    '$it/Enclosure/Animals/$filter(Weight gt $it/Mother/Weight or $it/Mother eq null)',
  ),
  bound('Above', '$it/$filter(Weight ge $it/aggregate(Weight with average))', { many: true }),
  bound('BornBefore', '$root/Animals/$filter(Born lt date($it/Since))', { to: 'Care' }),
  { ...heavier, parameters: [...heavier.parameters, parameter(property('by', 'Edm.Decimal'))] },
  bound('FellowCount', '$it/Enclosure/Animals/$filter(Id ne $it/Id)/$count', {
    composable: false,
    returns: returning('Edm.Int64'),
  }),
];

let zoo: Desk;
const keys = new Map<string, number>();
beforeAll(async () => {
  const { operations } = oddDefinition;
  zoo = await openForeignDesk({ ...oddDefinition, operations: [...operations, ...functions] }, ZOO);
  const all = await zoo.get('/Animals?$select=Id,Name');
  for (const { Id, Name } of all.json.value) keys.set(Name, Id);
  const egg = { Name: 'Egg', Weight: 0.1, 'Mother@odata.bind': `Animals(${keys.get('Polly')})` };
  expect((await zoo.send('POST', '/Animals', { body: egg })).status).toBe(201);
});
afterAll(async () => {
  await zoo?.close();
});

const named = async (path: string, query = '') => await column(zoo, path, query, 'Name');

describe('A function whose $filter refers to $it', () => {
  it.each([
    ['Chick', 'Siblings', ['Egg']],
    ['Rex', 'Siblings', []],
    ['Polly', 'Fellows', ['Chick']],
    ['Chick', 'Fellows', ['Polly']],
    ['Polly', 'Elders', ['Polly', 'Chick']],
    ['Chick', 'Elders', []],
  ])('bound to %s, %s() returns %s', async (name, called, expected) => {
    expect(await named(`Animals(${keys.get(name)})/Odd.Zoo.${called}()`)).toEqual(expected);
  });

  it.each([
    ['Animals(Number=2)/Mother/Odd.Zoo.Fellows()', '', ['Chick']],
    ["Enclosures(Wing='A',Number=1)/Animals(Number=1)/Odd.Zoo.Fellows()", '', ['Chick']],
    ['Animals(Number=2)/Odd.Zoo.Bird/Odd.Zoo.Fellows()', '$filter=Weight gt 1', ['Polly']],
    ['Animals(Number=1)/Odd.Zoo.HeavierBy(by=1)', '$orderby=Name', ['Rex']],
    ['Animals(Number=1)/Care/Odd.Zoo.BornBefore()', '$orderby=Name', ['Polly', 'Rex']],
    ['Animals(Number=2)/Odd.Zoo.Fellows()/Odd.Zoo.Above()', '', ['Polly']],
    ["Enclosures(Wing='A',Number=1)/Animals/Odd.Zoo.Above()", '', ['Polly']],
    ['Animals', '$filter=Odd.Zoo.Fellows()/any(f:f/Weight gt 1)', ['Chick']],
    [
      'Animals',
      '$filter=Mother/Odd.Zoo.Siblings()/any() or Odd.Zoo.FellowCount() eq 1',
      ['Polly', 'Chick'],
    ],
  ])('works as %s?%s', async (path, query, expected) => {
    expect(await named(path, query)).toEqual(expected);
  });

  it('is counted, aggregated, paged and expanded', async () => {
    const path = '/Animals(Number=1)/Odd.Zoo.Fellows()';
    expect((await zoo.get(`${path}/$count`)).text).toBe('1');
    expect((await zoo.get(`${path}?$apply=aggregate($count as N)`)).json.value[0].N).toBe(1);
    const page = await zoo.get(`${path}?$top=1&$count=true&$expand=Mother($select=Name)`);
    expect([page.json['@odata.count'], page.json.value[0].Mother.Name]).toEqual([1, 'Polly']);
    expect((await zoo.get('/Animals(Number=1)/Odd.Zoo.FellowCount()')).json.value).toBe(1);
  });

  it('is 404 for a row that is not there', async () => {
    expect((await zoo.get('/Animals(999999)/Odd.Zoo.Fellows()')).status).toBe(404);
  });
});
