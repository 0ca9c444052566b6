// This file uses what aggregation adds to expressions: the function aggregate of a collection in $filter, $orderby and $compute.
// OData Data Aggregation 4.0, "Expressions Evaluable on a Collection".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask, column, encodeQuery } from './query.ts';
import { joinGuide, openZoo } from './zoo.ts';

let zoo: Desk;
let guide: Pick<Desk, 'get'>;
beforeAll(async () => {
  zoo = await openZoo();
  guide = await joinGuide(
    zoo,
    [{ Entity: 'Keeper' }, { Entity: 'Animal', Filter: 'Tame' }, { Entity: 'Enclosure' }],
    { Entity: 'Animal', Attribute: 'Remark' },
  );
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

describe('$these', () => {
  it.each([
    ['$filter=Weight gt $these/aggregate(Weight with average)', ['Rex']],
    ['$filter=Weight lt 50 and $these/$count eq 4', ['Chick', 'Nemo', 'Polly']],
    ['$filter=Weight lt 50 and $these/any(a:a/Weight gt 50)', ['Chick', 'Nemo', 'Polly']],
    ['$filter=$these/$filter(Weight gt 1)/$count eq 2 and Tame', ['Polly']],
    ['$search=Polly&$filter=$these/$count eq 1', ['Polly']],
    ['$compute=Weight mul 2 as T&$filter=T gt $these/aggregate(T with average)', ['Rex']],
    ['$filter=Weight sub $these/aggregate(Weight sub $it/Weight with average) gt 100', ['Rex']],
    ['$apply=topcount($these/$count div 2,Weight)', ['Polly', 'Rex']],
    ['$apply=filter(Weight lt 50)/compute($these/$count as N)/filter(N eq 3 and Tame)', ['Polly']],
    [
      '$apply=groupby((Enclosure/Wing),filter(Weight ge $these/aggregate(Weight with max)))',
      ['Nemo', 'Polly', 'Rex'],
    ],
    ['$apply=groupby((Enclosure/Wing),topcount($these/$count sub 1,Weight))', ['Polly']],
  ])('%s', async (query, expected) => {
    expect(await column(zoo, 'Animals', `${query}&$orderby=Name`, 'Name')).toEqual(expected);
  });

  it('means what the filter has left in $orderby, and all in $compute', async () => {
    const query =
      '$compute=$these/$count as N&$filter=Weight lt 50&$orderby=$these/aggregate(Weight with sum) sub Weight&$select=Name,N';
    const { json } = await ask(zoo, 'Animals', query);
    expect(json.value.map((row: { Name: string; N: number }) => [row.Name, row.N])).toEqual([
      ['Polly', 4],
      ['Chick', 4],
      ['Nemo', 4],
    ]);
  });

  it('means the rows that $apply has made, and in it the group', async () => {
    const groups = '$apply=groupby((Tame),aggregate($count as N))';
    const share = `${groups}&$compute=N div $these/aggregate(N with sum) as P`;
    expect(await column(zoo, 'Animals', share, 'P')).toEqual([0.75, 0.25]);
    const more = `${groups}&$filter=N gt $these/aggregate(N with min)`;
    expect(await column(zoo, 'Animals', more, 'N')).toEqual([3]);
    const within =
      '$apply=groupby((Enclosure/Wing,Name),aggregate(Weight with sum as W))/groupby((Enclosure/Wing),compute(W div $these/aggregate(W with sum) as P))&$orderby=Name';
    expect(await column(zoo, 'Animals', within, 'P')).toEqual([
      expect.closeTo(0.1935, 4),
      1,
      expect.closeTo(0.8065, 4),
      1,
    ]);
    const plain =
      '$apply=groupby((Enclosure/Wing),aggregate(case(Weight ge $these/aggregate(Weight with max):1,true:0) with sum as N))';
    expect(await column(zoo, 'Animals', plain, 'N')).toEqual([1, 1, 1]);
  });

  it.each([
    ['Animals/$filter(Weight gt $these/aggregate(Weight with average))', '', ['Rex']],
    [
      'Animals/$filter(Weight lt 50)/$filter(Weight ge $these/aggregate(Weight with max))',
      '',
      ['Polly'],
    ],
    [
      'Animals',
      "$filter=Enclosure/Animals/$filter(Weight ge $these/aggregate(Weight with max))/any(a:a/Name eq 'Polly')&$orderby=Name",
      ['Chick', 'Polly'],
    ],
  ])('in %s?%s it means what the segment chooses from', async (path, query, expected) => {
    expect(await column(zoo, encodeURI(path), query, 'Name')).toEqual(expected);
  });

  it('means the items of a collection of values', async () => {
    const { json } = await ask(zoo, 'Animals', "$filter=Name eq 'Polly'&$select=Id");
    const habits = `Animals(${json.value[0].Id})/Habits`;
    const most = '$filter=TimesADay ge $these/aggregate(TimesADay with max)';
    expect(await column(zoo, habits, most, 'Name')).toEqual(['Sings']);
    const order = '$filter=TimesADay lt 3&$orderby=$these/$count sub TimesADay';
    expect(await column(zoo, habits, order, 'Name')).toEqual(['Sleeps']);
    const select = `$filter=Name eq 'Polly'&$select=Habits($compute=TimesADay divby $these/aggregate(TimesADay with sum) as P;${most};$select=P)`;
    const [polly] = (await ask(zoo, 'Animals', select)).json.value;
    expect(polly.Habits).toEqual([expect.objectContaining({ P: 0.75 })]);
  });

  it('is nothing but a collection', async () => {
    for (const filter of [
      '$these eq 1',
      '$these/Name eq 1',
      'Name in $these',
      '$these/Nothing()',
    ]) {
      const { status } = await ask(zoo, 'Animals', `$filter=${filter}`);
      expect([filter, status]).toEqual([filter, 400]);
    }
  });

  it('holds for pages, numbers and nested options, and is not tracked', async () => {
    const light = 'Weight lt $these/aggregate(Weight with average)';
    const first = await ask(zoo, 'Animals', `$filter=${light}&$top=1&$skip=1&$count=true`);
    expect([first.json['@odata.count'], first.json.value[0].Name]).toEqual([3, 'Chick']);
    expect((await ask(zoo, 'Animals/$count', `$filter=${light}`)).text).toBe('3');
    const nested = `$expand=Animals($filter=Weight ge $these/aggregate(Weight with max);$select=Name)&$select=Wing,Number`;
    const { json } = await ask(zoo, 'Enclosures', nested);
    expect(
      json.value.map((one: { Animals: { Name: string }[] }) => one.Animals.map((a) => a.Name)),
    ).toEqual([['Polly'], ['Nemo']]);
    const query = encodeQuery(`$filter=${light}`);
    const tracked = await zoo.get(`/Animals?${query}`, { prefer: 'track-changes' });
    expect(tracked.headers['preference-applied'] ?? '').not.toContain('track-changes');
  });

  it('is what the account may see', async () => {
    const all = await zoo.get('/Animals?$compute=$these/$count%20as%20N&$select=N&$top=1');
    const some = await guide.get('/Animals?$compute=$these/$count%20as%20N&$select=N&$top=1');
    expect([all.json.value[0].N, some.json.value[0].N]).toEqual([4, 1]);
  });
});
