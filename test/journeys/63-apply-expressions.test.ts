// This file uses what aggregation adds to expressions: the function aggregate of a collection in $filter, $orderby and $compute.
// OData Data Aggregation 4.0, "Expressions Evaluable on a Collection".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { ask, column, encodeQuery } from './query.ts';
import { ZOO } from './zoo-records.ts';

let zoo: Desk;
let guide: Pick<Desk, 'get'>;
beforeAll(async () => {
  zoo = await openForeignDesk(oddDefinition, ZOO);
  const role = {
    Name: 'guide',
    EntityAccess: [
      { Entity: 'Odd.Zoo.Keeper', Read: true },
      { Entity: 'Odd.Zoo.Animal', Read: true, Filter: 'Tame' },
      { Entity: 'Odd.Zoo.Enclosure', Read: true },
    ],
    AttributeAccess: [{ Entity: 'Odd.Zoo.Animal', Attribute: 'Remark', Read: false }],
  };
  expect((await zoo.send('POST', '/Roles', { body: role })).status).toBe(201);
  guide = await zoo.join({ loginName: 'guide', roles: ['guide'] });
});
afterAll(async () => await zoo?.close());

/** What an expression comes to for each record, in the order of the names. */
async function values(
  set: string,
  expression: string,
  by: Pick<Desk, 'get'> = zoo,
): Promise<unknown> {
  const order = set === 'Samples' ? 'Id' : 'Name';
  const query = `$compute=${expression} as V&$select=V&$orderby=${order}`;
  const { status, json } = await by.get(`/${set}?${encodeQuery(query)}`);
  if (status !== 200) return [status, json.error.code, json.error.message];
  return json.value.map((row: { V: unknown }) => row.V);
}

describe('the function aggregate', () => {
  it.each([
    ['Animals', 'Children/aggregate(Weight with sum)', [null, null, 0.3, null]],
    ['Animals', 'Keepers/aggregate($count)', [0, 0, 2, 0]],
    ['Animals', 'Keepers/aggregate(Badge with average)', [null, null, 1.5, null]],
    ['Animals', 'Keepers/$filter(Badge gt 1)/aggregate(Name with min)', [null, null, 'Bob', null]],
    ['Animals', 'Enclosure/Animals/aggregate(Weight with max)', [1.25, 0.05, 1.25, null]],
    ['Animals', 'Habits/aggregate(TimesADay with sum)', [null, null, 4, null]],
    ['Animals', 'Nicknames/aggregate($this with max)', [null, null, 'Queen', null]],
    ['Keepers', 'Animals/aggregate(Habits/TimesADay with sum)', [4, 4, null]],
    ['Keepers', 'Animals/aggregate(Keepers/$count)', [2, 2, 0]],
    ['Keepers', 'Animals/aggregate(Enclosure/Number with sum)', [1, 1, null]],
    ['Keepers', 'Animals/aggregate(Weight mul $it/Badge with sum)', [1.25, 2.5, null]],
    [
      'Keepers',
      '$root/Animals/aggregate(Weight with sum from Tame with max)',
      [80.85, 80.85, 80.85],
    ],
    ['Samples', 'Numbers/aggregate($this mul $it/Whole with sum)', [42, null]],
    ['Samples', 'Numbers/aggregate($this with sum) add 1', [7, null]],
  ])('%s: %s', async (set, expression, expected) => {
    expect(await values(set, expression)).toEqual(expected);
  });

  it.each([
    ['Animals', '$filter=Children/aggregate(Weight with sum) gt 0.1', ['Polly']],
    ['Animals', '$filter=Keepers/aggregate($count) eq 0&$orderby=Name', ['Chick', 'Nemo', 'Rex']],
    [
      'Animals',
      '$filter=Enclosure/Animals/any(a:a/Weight gt Enclosure/Animals/aggregate(Weight with average) mul 1.5)&$orderby=Name',
      ['Chick', 'Polly'],
    ],
    ['Keepers', '$orderby=Animals/aggregate(Habits/$count) desc,Name', ['Ann', 'Bob', "Cy O'Neil"]],
  ])('%s?%s', async (set, query, expected) => {
    expect(await column(zoo, set, query, 'Name')).toEqual(expected);
  });

  it('stands in nested options and in $apply', async () => {
    const nested = '$expand=Children($filter=Notes/aggregate($count) eq 0;$select=Name)&$select=Id';
    const { json } = await ask(zoo, 'Animals', `${nested}&$filter=Name eq 'Polly'`);
    expect(json.value[0].Children).toEqual([expect.objectContaining({ Name: 'Chick' })]);
    const applied = '$apply=compute(Keepers/aggregate($count) as N)/aggregate(N with sum as V)';
    expect(await column(zoo, 'Animals', applied, 'V')).toEqual([2]);
  });

  it.each([
    ['Name/aggregate($count) gt 1', 'bind.operand'],
    ['Children/aggregate(Nothing with sum) gt 1', 'bind.unknown-property'],
    ['Children/aggregate(Weight) gt 1', 'bind.option-on'],
    ['Children/aggregate(Name with sum) gt 1', 'bind.operand'],
    ['Children/aggregate(Weight with sum as X) gt 1', 'request.syntax'],
  ])('%s is refused', async (filter, code) => {
    const { status, json } = await ask(zoo, 'Animals', `$filter=${filter}`);
    expect([status, json.error.code]).toEqual([400, code]);
  });

  it('speaks of nothing that the account may not see', async () => {
    const text = 'Enclosure/Animals/aggregate(Weight with sum)';
    expect(await values('Animals', text)).toEqual([1.55, 0.05, 1.55, null]);
    expect(await values('Animals', text, guide)).toEqual([1.25]);
    expect(await values('Animals', 'Children/aggregate(Remark with max)', guide)).toEqual([
      403,
      'access.member',
      expect.stringContaining('Remark'),
    ]);
  });

  it('is followed by delta links', async () => {
    const query = encodeQuery('$filter=Keepers/aggregate(Badge with sum) ge 3&$select=Name');
    const first = await zoo.get(`/Animals?${query}`, { prefer: 'track-changes' });
    expect(first.headers['preference-applied']).toContain('track-changes');
    const [rex] = (await ask(zoo, 'Animals', "$filter=Name eq 'Rex'")).json.value;
    const [cy] = (await ask(zoo, 'Keepers', '$filter=Badge eq 3')).json.value;
    const bound = { '@odata.id': `Keepers(${cy.Id})` };
    const made = await zoo.send('POST', `/Animals(${rex.Id})/Keepers/$ref`, { body: bound });
    expect(made.status).toBe(204);
    const { json } = await zoo.get(first.json['@odata.deltaLink']);
    expect(json.value).toEqual([expect.objectContaining({ Name: 'Rex' })]);
  });
});
