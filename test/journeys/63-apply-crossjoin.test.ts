// This file aggregates combinations of entities: $apply behind $crossjoin. OData Data Aggregation 4.0, "Cross-Joins and Aggregation".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { encodeQuery, plain } from './query.ts';
import { joinGuide, openZoo } from './zoo.ts';

let zoo: Desk;
let guide: Pick<Desk, 'get'>;
beforeAll(async () => {
  zoo = await openZoo();
  guide = await joinGuide(
    zoo,
    [
      { Entity: 'Keeper', Filter: "Country eq 'NL'" },
      { Entity: 'Animal', Filter: 'Tame' },
    ],
    { Entity: 'Animal', Attribute: 'Remark' },
  );
});
afterAll(async () => await zoo?.close());

const BOTH = '/$crossjoin(Animals,Keepers)';

async function rows(apply: string, more = '', by: Pick<Desk, 'get'> = zoo): Promise<unknown> {
  const { status, json } = await by.get(`${BOTH}?${encodeQuery(`$apply=${apply}`)}${more}`);
  if (status !== 200) return [status, json.error.code];
  return plain(json.value);
}

describe('$apply behind $crossjoin', () => {
  it.each([
    ['aggregate($count as N)', [{ N: 12 }]],
    ['aggregate(Keepers/Badge with sum as S)', [{ S: 6 }]],
    ['aggregate(Animals/Habits/TimesADay with sum as S)', [{ S: 4 }]],
    [
      'filter(Animals/Enclosure/Number eq Keepers/Badge)/groupby((Keepers/Name),aggregate(Animals/Weight with sum as W,$count as N))',
      [
        { Keepers: { Name: 'Ann' }, W: 1.55, N: 2 },
        { Keepers: { Name: 'Bob' }, W: 0.05, N: 1 },
      ],
    ],
    [
      "filter(Animals/Name eq 'Polly')/compute(concat(Animals/Name,Keepers/Country) as C)/groupby((C),aggregate($count as N))",
      [
        { C: 'PollyDE', N: 1 },
        { C: 'PollyNL', N: 2 },
      ],
    ],
    [
      'groupby((rollup(Animals/Tame,Keepers/Country)),aggregate($count as N))/filter(N gt 5)',
      [
        { Animals: { Tame: false }, N: 9 },
        { Animals: { Tame: false }, Keepers: { Country: 'NL' }, N: 6 },
      ],
    ],
    // Ann and Bob keep Polly, who is tame, and Cy keeps no animal.
    [
      'groupby((Keepers/Animals/Tame),aggregate($count as N))',
      [
        { Keepers: { Animals: { Tame: null } }, N: 4 },
        { Keepers: { Animals: { Tame: true } }, N: 8 },
      ],
    ],
    [
      'groupby((rollup(Keepers/Country,Keepers/Animals/Name)),aggregate($count as N))',
      [
        { Keepers: { Country: 'DE' }, N: 4 },
        { Keepers: { Country: 'DE', Animals: { Name: null } }, N: 4 },
        { Keepers: { Country: 'NL' }, N: 8 },
        { Keepers: { Country: 'NL', Animals: { Name: 'Polly' } }, N: 8 },
      ],
    ],
    ['filter($these/$count eq 12)/aggregate($count as N)', [{ N: 12 }]],
    ['groupby((Keepers))/aggregate($count as N)', [{ N: 3 }]],
  ])('%s', async (apply, expected) => {
    expect(await rows(apply)).toEqual(expected);
  });

  it('is what the other options see, page by page', async () => {
    const groups = 'groupby((Keepers/Name),aggregate($count as N))';
    const all = await zoo.get(
      `${BOTH}?${encodeQuery(`$apply=${groups}&$filter=N gt 3&$orderby=Keepers/Name desc&$count=true`)}`,
      { prefer: 'maxpagesize=2' },
    );
    expect(all.json['@odata.count']).toBe(3);
    expect(all.json['@odata.context']).toMatch(/#Collection\(Edm.ComplexType\)$/);
    const rest = await zoo.get(all.json['@odata.nextLink']);
    expect([...all.json.value, ...rest.json.value].map((row) => row.Keepers.Name)).toEqual([
      "Cy O'Neil",
      'Bob',
      'Ann',
    ]);
    expect(all.text).not.toContain('"@odata.id":null');
  });

  it('leaves entities whole, which $select and $expand cut down', async () => {
    const apply = "filter(Animals/Name eq 'Polly' and Keepers/Badge eq 2)/top(1)";
    expect(await rows(apply)).toEqual([
      {
        Animals: expect.objectContaining({ Name: 'Polly' }),
        Keepers: expect.objectContaining({ Name: 'Bob' }),
      },
    ]);
    const cut = await rows(apply, '&$select=Keepers&$expand=Keepers($select=Name)');
    expect(cut).toEqual([{ Keepers: expect.not.objectContaining({ Badge: 2 }) }]);
  });

  it.each([
    ['groupby((Animals/Nope))', 400, 'bind.unknown-property'],
    ['groupby((Nope))', 400, 'bind.aggregated-away'],
    ['groupby((Animals/Name))/filter(Keepers/Badge eq 1)', 400, 'bind.aggregated-away'],
    ['nest(top(1) as X)', 501, 'not-built'],
  ])('%s is refused with %i', async (apply, status, code) => {
    expect(await rows(apply)).toEqual([status, code]);
  });

  it('sees what the account may see', async () => {
    expect(await rows('aggregate($count as N)', '', guide)).toEqual([{ N: 2 }]);
    expect(await rows('aggregate(Animals/Remark with max as M)', '', guide)).toEqual([
      403,
      'access.member',
    ]);
    const children = 'groupby((Animals/Children/Name),aggregate($count as N))';
    expect(await rows(children)).toEqual([
      { Animals: { Children: { Name: null } }, N: 9 },
      { Animals: { Children: { Name: 'Chick' } }, N: 3 },
    ]);
    expect(await rows(children, '', guide)).toEqual([
      { Animals: { Children: { Name: null } }, N: 2 },
    ]);
    expect(await rows('groupby((Animals/Children/Remark))', '', guide)).toEqual([
      403,
      'access.member',
    ]);
    const whole = await rows('filter(Keepers/Badge eq 1)', '', guide);
    expect(whole).toEqual([
      expect.objectContaining({ Animals: expect.not.objectContaining({ Remark: null }) }),
    ]);
  });
});
