// This file transforms records with $apply. OData Data Aggregation 4.0.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask, plain } from './query.ts';
import { MANY } from './records.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let desk: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

async function apply(transformations: string, options = '', set = 'Animals'): Promise<unknown> {
  const { status, json } = await ask(zoo, set, `$apply=${transformations}${options}`);
  return status === 200 ? plain(json.value) : [status, json?.error?.message];
}

const refusal = expect.stringMatching(/./);

describe('aggregate', () => {
  it.each([
    ['aggregate($count as N)', [{ N: 4 }]],
    ['aggregate(Weight with sum as V)', [{ V: 82.1 }]],
    ['aggregate(Weight with min as V)', [{ V: 0.05 }]],
    ['aggregate(Weight with max as V)', [{ V: 80.5 }]],
    ['aggregate(Weight with average as V)', [{ V: 20.525 }]],
    ['aggregate(Diet with countdistinct as V)', [{ V: 2 }]],
    ['aggregate(Name with min as V)', [{ V: 'Chick' }]],
    ['aggregate(Born with max as V)', [{ V: '2024-06-01' }]],
    ['aggregate(Weight mul 2 with sum as V)', [{ V: 164.2 }]],
    ['aggregate(Species/Title with countdistinct as V)', [{ V: 3 }]],
    ['aggregate(Keepers/$count as V)', [{ V: 2 }]],
    ['aggregate(Weight with sum as S,$count as N)', [{ S: 82.1, N: 4 }]],
    ['aggregate(Mood/Value with average as V)', [{ V: 1001.5 }]],
  ])('%s; nulls are left out', async (transformations, expected) => {
    expect(await apply(transformations)).toEqual(expected);
  });

  it('of nothing: the sum is null, the count 0', async () => {
    expect(
      await apply('filter(false)/aggregate(Weight with sum as S,Weight with max as M,$count as N)'),
    ).toEqual([{ S: null, M: null, N: 0 }]);
  });

  it('from: by several properties, and in several steps', async () => {
    expect(await apply('aggregate(Weight with sum from Tame,Diet with min as V)')).toEqual([
      { V: 0.05 },
    ]);
    expect(
      await apply('aggregate(Weight with sum from Diet with max from Tame with min as V)'),
    ).toEqual([{ V: 1.25 }]);
    expect(
      await apply('groupby((Tame),aggregate(Weight with max from Diet,Name with sum as V))'),
    ).toEqual([
      { Tame: false, V: 80.85 },
      { Tame: true, V: 1.25 },
    ]);
  });

  it('from: by groups first, then over the groups', async () => {
    expect(await apply('aggregate(Weight with sum from Tame with max as V)')).toEqual([
      { V: 80.85 },
    ]);
  });

  it.each([
    'aggregate(Weight with sum)',
    'aggregate(Weight with median as V)',
    'aggregate(Weight as V)',
    'aggregate(Weight with sum as V,Weight with max as V)',
    'aggregate(Nothing with sum as V)',
    'aggregate(Name with sum as V)',
    'aggregate(Tame with average as V)',
    'aggregate()',
    'aggregate($count)',
    'aggregate($count as Name)',
    'groupby((Tame),aggregate($count as Weight))',
    'groupby((Tame),aggregate($count as Tame))',
    'nothing(Weight)',
    'aggregate($count as N)/',
    '',
  ])('refused: %s', async (transformations) => {
    expect(await apply(transformations)).toEqual([400, refusal]);
  });
});

describe('groupby', () => {
  it.each([
    ['groupby((Tame))', [{ Tame: false }, { Tame: true }]],
    [
      'groupby((Tame,Diet),aggregate($count as N))',
      [
        { Tame: false, Diet: 'Everything', N: 1 },
        { Tame: false, Diet: 'Plants', N: 2 },
        { Tame: true, Diet: 'Plants', N: 1 },
      ],
    ],
    [
      'groupby((Enclosure/Name),aggregate(Weight with max as M))',
      [
        { Enclosure: { Name: 'Aviary' }, M: 1.25 },
        { Enclosure: { Name: 'Pond' }, M: 0.05 },
        { Enclosure: { Name: null }, M: 80.5 },
      ],
    ],
    [
      'groupby((rollup(Tame,Diet)),aggregate($count as N))',
      [
        { Tame: false, N: 3 },
        { Tame: true, N: 1 },
        { Tame: false, Diet: 'Everything', N: 1 },
        { Tame: false, Diet: 'Plants', N: 2 },
        { Tame: true, Diet: 'Plants', N: 1 },
      ],
    ],
    [
      'groupby((Tame),topcount(1,Weight)/aggregate(Weight with max as M))',
      [
        { Tame: false, M: 80.5 },
        { Tame: true, M: 1.25 },
      ],
    ],
  ])('%s', async (transformations, expected) => {
    const rows = await apply(transformations);
    const text = (list: unknown) =>
      (Array.isArray(list) ? list : [list]).map((row) => JSON.stringify(row)).toSorted();
    expect(text(rows)).toEqual(text(expected));
  });

  it('of codes and through relations on the built-in model', async () => {
    const { json } = await ask(
      desk,
      'ServiceRequests',
      '$apply=groupby((Status/Text,Caller/Organization/Name1),aggregate($count as N))&$orderby=N desc',
    );
    expect(json.value.map(plain)).toContainEqual(
      expect.objectContaining({ N: MANY, Caller: { Organization: { Name1: null } } }),
    );
    expect(json.value.map(plain)).toContainEqual(
      expect.objectContaining({ N: 1, Caller: { Organization: { Name1: 'Hillside' } } }),
    );
  });

  it.each([
    'groupby()',
    'groupby(())',
    'groupby((Nothing))',
    'groupby((Tame)',
    'groupby((Tame),)',
    'groupby((rollup(Nothing)))',
    'groupby((rollup(null,Tame)))',
  ])('refused: %s', async (transformations) => {
    expect(await apply(transformations)).toEqual([400, refusal]);
  });
});

describe('The other transformations', () => {
  const counted = '/aggregate($count as N)';
  it.each([
    [`filter(Weight gt 1)${counted}`, [{ N: 2 }]],
    [`search(wild)${counted}`, [{ N: 1 }]],
    [`identity${counted}`, [{ N: 4 }]],
    [`top(3)${counted}`, [{ N: 3 }]],
    [`skip(3)${counted}`, [{ N: 1 }]],
    [`orderby(Weight desc)/top(2)/aggregate(Weight with min as V)`, [{ V: 1.25 }]],
    ['compute(Weight mul 2 as W)/aggregate(W with max as V)', [{ V: 161 }]],
    [`topcount(2,Weight)${counted}`, [{ N: 2 }]],
    [`bottomcount(3,Weight)${counted}`, [{ N: 3 }]],
    [`topcount(0.5 add 1,Weight)${counted}`, [{ N: 1 }]],
    [`topsum(81,Weight)${counted}`, [{ N: 2 }]],
    [`bottomsum(0.3,Weight)${counted}`, [{ N: 2 }]],
    [`toppercent(90,Weight)${counted}`, [{ N: 1 }]],
    [`bottompercent(1,Weight)${counted}`, [{ N: 3 }]],
    ['concat(aggregate($count as N),aggregate(Weight with max as M))', [{ N: 4 }, { M: 80.5 }]],
    [
      'concat(aggregate(Weight with max as M),aggregate($count as N),aggregate(Number with min as A))',
      [{ M: 80.5 }, { N: 4 }, { A: 1 }],
    ],
    [
      'concat(aggregate($count as N),aggregate(Weight with max as M),filter(Weight gt 80)/groupby((Tame)))',
      [{ N: 4 }, { M: 80.5 }, { Tame: false }],
    ],
    [
      'concat(aggregate(Number with max as N),aggregate($count as N))/groupby((N),aggregate($count as C))',
      [{ N: 4, C: 2 }],
    ],
    ['concat(aggregate(Weight with max as N),aggregate($count as N))', [{ N: 80.5 }, { N: 4 }]],
    ['join(Keepers as K)/aggregate($count as N)', [{ N: 2 }]],
    ['outerjoin(Keepers as K)/aggregate($count as N)', [{ N: 5 }]],
    ['join(Keepers as K)/groupby((K/Name))', [{ K: { Name: 'Ann' } }, { K: { Name: 'Bob' } }]],
    [
      'outerjoin(Keepers as K,aggregate($count as N))/groupby((Name),aggregate(K/N with sum as S))/filter(S gt 0)',
      [{ Name: 'Polly', S: 2 }],
    ],
    ['outerjoin(Keepers as K,aggregate($count as N))/aggregate(K/N with min as M)', [{ M: 0 }]],
    ['join(Keepers as K,topcount(1,Name))/groupby((K/Name))', [{ K: { Name: 'Bob' } }]],
    [
      'join(Keepers as K,orderby(Name desc)/skip(1))/groupby((Name,K/Name))',
      [{ Name: 'Polly', K: { Name: 'Ann' } }],
    ],
    [
      'groupby((Tame),groupby((Diet),aggregate($count as N)))',
      [
        { Tame: false, Diet: 'Plants', N: 2 },
        { Tame: false, Diet: 'Everything', N: 1 },
        { Tame: true, Diet: 'Plants', N: 1 },
      ],
    ],
    [
      'groupby((Tame),groupby((Diet),aggregate($count as N))/topcount(1,N))',
      [
        { Tame: false, Diet: 'Plants', N: 2 },
        { Tame: true, Diet: 'Plants', N: 1 },
      ],
    ],
    [`filter(Tame)/filter(Weight gt 1)/identity${counted}`, [{ N: 1 }]],
    [`Odd.Zoo.Grown(least=50)${counted}`, [{ N: 1 }]],
    [`groupby((Name,Weight))/Odd.Zoo.Grown(least=1)${counted}`, [{ N: 2 }]],
    [`concat(identity,aggregate($count as C))/Odd.Zoo.Grown(least=1)${counted}`, [{ N: 2 }]],
    [
      'groupby((Name,Weight),Odd.Zoo.Grown(least=50)/aggregate($count as N))/filter(N gt 0)',
      [{ Name: 'Rex', Weight: 80.5, N: 1 }],
    ],
    [
      'groupby((Tame),filter(Tame)/aggregate($count as N,Weight with sum as W))/orderby(Tame)',
      [
        { Tame: false, N: 0, W: null },
        { Tame: true, N: 1, W: 1.25 },
      ],
    ],
    [
      'groupby((Enclosure/Wing,Mother/Name),filter(Tame)/aggregate($count as N))/orderby(Enclosure/Wing,Mother/Name)',
      [
        { Enclosure: { Wing: null }, Mother: { Name: null }, N: 0 },
        { Enclosure: { Wing: 'A' }, Mother: { Name: null }, N: 1 },
        { Enclosure: { Wing: 'A' }, Mother: { Name: 'Polly' }, N: 0 },
        { Enclosure: { Wing: 'B' }, Mother: { Name: null }, N: 0 },
      ],
    ],
    [
      'groupby((Tame),filter(Tame)/groupby((Diet),aggregate($count as N))/aggregate($count as G))/orderby(Tame)',
      [
        { Tame: false, G: 0 },
        { Tame: true, G: 1 },
      ],
    ],
    [
      'groupby((Tame),aggregate($count as N)/filter(N gt 1)/aggregate($count as M))/orderby(Tame)',
      [
        { Tame: false, M: 1 },
        { Tame: true, M: 0 },
      ],
    ],
    [
      'join(Keepers as K,aggregate($count as N)/filter(N gt 0)/aggregate($count as M))/groupby((Name,K/M))/filter(K/M eq 0)/aggregate($count as C)',
      [{ C: 3 }],
    ],
    ['groupby((Tame),filter(Tame)/topcount(1,Weight))/aggregate($count as N)', [{ N: 1 }]],
    ['groupby((Tame),identity)/aggregate($count as N,Weight with max as W)', [{ N: 4, W: 80.5 }]],
    [
      'groupby((Tame),aggregate($count as N))/groupby((Tame),identity)/orderby(Tame)',
      [
        { Tame: false, N: 3 },
        { Tame: true, N: 1 },
      ],
    ],
    ['groupby((Tame),aggregate($count as N))/filter(N gt 1)', [{ Tame: false, N: 3 }]],
    ['groupby((Tame),aggregate($count as N))/aggregate(N with max as M)', [{ M: 3 }]],
  ])('%s', async (transformations, expected) => {
    expect(await apply(transformations)).toEqual(expected);
  });

  it('nest and addnested put collections into records', async () => {
    const { status, json } = await ask(
      zoo,
      'Animals',
      "$apply=filter(Tame)/addnested(Keepers,filter(Name eq 'Ann') as Best)&$select=Name,Best&$expand=Best($select=Name)",
    );
    expect(status).toBe(200);
    expect(plain(json.value)).toEqual([{ Name: 'Polly', Best: [{ Name: 'Ann' }] }]);
  });

  it('ancestors and descendants follow a tree', async () => {
    const tree = '$root/AllSpecies,Tree,Latin';
    const latin = async (transformations: string) => {
      const { json } = await ask(zoo, 'AllSpecies', `$apply=${transformations}`);
      return json.value.map((row: { Latin: string }) => row.Latin);
    };
    const parrots = "filter(Latin eq 'Psittaciformes')";
    expect((await latin(`ancestors(${tree},${parrots})`)).toSorted()).toEqual(['Animalia', 'Aves']);
    expect((await latin(`ancestors(${tree},${parrots},keep start)`)).toSorted()).toEqual([
      'Animalia',
      'Aves',
      'Psittaciformes',
    ]);
    expect(await latin(`descendants(${tree},filter(Latin eq 'Aves'))`)).toEqual(['Psittaciformes']);
  });

  it.each([
    'top(x)',
    'top(-1)',
    'skip()',
    'filter()',
    'filter(Nothing)',
    'compute(1 as Name)',
    'topcount(Weight)',
    'topcount(0.5,Weight)',
    "topcount(duration'PT2S',Weight)",
    "toppercent(duration'PT2S',Weight)",
    'toppercent(200,Weight)',
    'concat(identity)',
    'join(Nothing as N)',
    'join(Name as N)',
    'orderby()',
    'ancestors($root/AllSpecies,Nothing,Latin,identity)',
  ])('refused: %s', async (transformations) => {
    expect(await apply(transformations)).toEqual([400, refusal]);
  });
});

describe('What comes after $apply', () => {
  it('sees its output: $filter, $orderby, $top, $skip, $count, $compute, $select', async () => {
    const grouped = 'groupby((Diet),aggregate($count as N))';
    expect(await apply(grouped, '&$filter=N gt 1')).toEqual([{ Diet: 'Plants', N: 3 }]);
    expect(await apply(grouped, '&$orderby=N&$top=1')).toEqual([{ Diet: 'Everything', N: 1 }]);
    expect(await apply(grouped, '&$orderby=N&$skip=1')).toEqual([{ Diet: 'Plants', N: 3 }]);
    expect(await apply(grouped, '&$select=N&$orderby=N')).toEqual([{ N: 1 }, { N: 3 }]);
    expect(await apply(grouped, '&$compute=N mul 2 as M&$select=M&$orderby=M')).toEqual([
      { M: 2 },
      { M: 6 },
    ]);
    const { json } = await ask(zoo, 'Animals', `$apply=${grouped}&$count=true&$top=1`);
    expect(json['@odata.count']).toBe(2);
  });

  it.each([
    '&$select=Name',
    '&$filter=Weight gt 1',
    '&$orderby=Name',
    '&$expand=Species',
    '&$compute=Weight mul 2 as W',
  ])('what is aggregated away is refused: %s', async (options) => {
    expect(await apply('groupby((Diet),aggregate($count as N))', options)).toEqual([400, refusal]);
  });

  it('the number of groups is R/$count?$apply=', async () => {
    expect((await ask(zoo, 'Animals/$count', '$apply=groupby((Diet))')).text).toBe('2');
  });

  it('one entity cannot be aggregated, the related ones can', async () => {
    expect((await ask(zoo, 'Animals(Number=1)', '$apply=aggregate($count as N)')).status).toBe(400);
    const { json } = await ask(
      zoo,
      "Enclosures(Wing='A',Number=1)/Animals",
      '$apply=aggregate(Weight with sum as S)',
    );
    expect(plain(json.value)).toEqual([{ S: 1.55 }]);
  });
});

describe('Results', () => {
  it('are transient: id null, with context and types', async () => {
    const answer = await ask(
      zoo,
      'Animals',
      '$apply=groupby((Diet,Species/Title),aggregate($count as N))',
    );
    expect(answer.json['@odata.context']).toMatch(/#Animals\(Diet,Species\(Title\),N\)$/);
    expect(answer.json.value[0]).toMatchObject({ '@odata.id': null, 'N@odata.type': '#Decimal' });
  });
});

describe('names of derived rows', () => {
  it('a navigation that is called like a type is no cast', async () => {
    const grouped = 'groupby((Enclosure/Name))';
    expect(await apply(grouped, '&$orderby=Enclosure/Name desc')).toEqual([
      { Enclosure: { Name: 'Pond' } },
      { Enclosure: { Name: 'Aviary' } },
      { Enclosure: { Name: null } },
    ]);
    expect(await apply(grouped, "&$filter=Enclosure/Name eq 'Pond'")).toEqual([
      { Enclosure: { Name: 'Pond' } },
    ]);
    expect(await apply(`${grouped}/filter(Enclosure/Name ne null)/aggregate($count as N)`)).toEqual(
      [{ N: 2 }],
    );
  });

  it('one that is given twice in groupby or $select is there once', async () => {
    expect(await apply('groupby((Tame,Tame))')).toEqual([{ Tame: false }, { Tame: true }]);
    const { json } = await ask(zoo, 'Animals', '$select=Name,Name&$top=1');
    expect(json['@odata.context']).toBe(`${zoo.root}$metadata#Animals(Name)`);
    expect(plain(json.value)).toEqual([{ Name: 'Polly' }]);
  });
});

describe('$apply inside $expand', () => {
  it.each([
    ['Odd.Zoo.Grown(least=1)/aggregate($count as N)', [[{ N: 1 }], [{ N: 1 }], [{ N: 0 }]]],
    [
      "filter(Odd.Zoo.Age(on=2024-01-01) gt duration'P1D')/aggregate($count as N)",
      [[{ N: 1 }], [{ N: 1 }], [{ N: 0 }]],
    ],
    [
      'groupby((Tame),aggregate($count as N))',
      [[{ Tame: true, N: 1 }], [{ Tame: true, N: 1 }], []],
    ],
    [
      'concat(aggregate($count as N),aggregate(Weight with max as M))/aggregate($count as L)',
      [[{ L: 2 }], [{ L: 2 }], [{ L: 2 }]],
    ],
  ])('%s is done for each collection', async (transformations, expected) => {
    const { status, json } = await ask(
      zoo,
      'Keepers',
      `$expand=Animals($apply=${transformations})`,
    );
    expect(status).toBe(200);
    expect(json.value.map((keeper: { Animals: unknown }) => plain(keeper.Animals))).toEqual(
      expected,
    );
  });
});

describe('aggregates of what records lead to', () => {
  it.each([
    ['Keepers', 'aggregate(Animals/$count as N,Animals/Weight with sum as S)', [{ N: 1, S: 1.25 }]],
    [
      'Keepers',
      'groupby((Country),aggregate(Animals/$count as N,Animals/Weight with average as A))',
      [
        { Country: 'DE', N: 0, A: null },
        { Country: 'NL', N: 1, A: 1.25 },
      ],
    ],
    [
      'Animals',
      'aggregate(Enclosure/Number with sum as S,Enclosure/$count as N)',
      [{ S: 3, N: 2 }],
    ],
    ['Animals', 'aggregate(Nicknames/$count as N,Habits/$count as H)', [{ N: 2, H: 2 }]],
    [
      'Animals',
      'filter(false)/aggregate(Keepers/$count as N,Keepers/Badge with sum as S,Nicknames/$count as K)',
      [{ N: 0, S: null, K: 0 }],
    ],
    ['Animals', 'aggregate(Keepers/Badge with sum from Tame with max as S)', [{ S: 3 }]],
  ])('%s: %s counts each of them once', async (set, transformations, expected) => {
    expect(await apply(transformations, '', set)).toEqual(expected);
  });

  it('a single value is not counted like this', async () => {
    expect(await apply('aggregate(Name/$count as N)')).toEqual([400, refusal]);
  });
});

describe('members that not every row has', () => {
  it('rollup leaves out what it has rolled up, which is not the same as null', async () => {
    expect(await apply('groupby((rollup(Tame,Enclosure/Name)),aggregate($count as N))')).toEqual([
      { Tame: false, N: 3 },
      { Tame: false, Enclosure: { Name: null }, N: 1 },
      { Tame: false, Enclosure: { Name: 'Aviary' }, N: 1 },
      { Tame: false, Enclosure: { Name: 'Pond' }, N: 1 },
      { Tame: true, N: 1 },
      { Tame: true, Enclosure: { Name: 'Aviary' }, N: 1 },
    ]);
  });

  it('isdefined tells them apart', async () => {
    const rolled = 'groupby((rollup(Tame,Enclosure/Name)),aggregate($count as N))';
    const totals = [
      { Tame: false, N: 3 },
      { Tame: true, N: 1 },
    ];
    expect(await apply(`${rolled}/filter(not isdefined(Enclosure/Name))`)).toEqual(totals);
    expect(await apply(rolled, '&$filter=not isdefined(Enclosure)')).toEqual(totals);
    expect(
      await apply(`${rolled}/filter(isdefined(Enclosure/Name))/aggregate($count as L)`),
    ).toEqual([{ L: 4 }]);
    expect(await apply('filter(isdefined(Name))/aggregate($count as N)')).toEqual([{ N: 4 }]);
    expect(await apply('filter(isdefined(Nothing))')).toEqual([400, refusal]);
    expect(await apply(`${rolled}/filter(isdefined(Name))`)).toEqual([400, refusal]);
  });

  it('entities beside totals have their own members each', async () => {
    const rows = await apply('concat(topcount(1,Weight),aggregate(Weight with sum as S))');
    expect(rows).toEqual([expect.objectContaining({ Name: 'Rex', Mood: null }), { S: 82.1 }]);
    expect(rows).toEqual([expect.not.objectContaining({ S: null }), expect.anything()]);
  });

  it('a complex value that is null stays null', async () => {
    expect(await apply('groupby((Mood),aggregate($count as N))')).toEqual([
      { Mood: null, N: 2 },
      { Mood: { Text: 'Angry', Value: 1002 }, N: 1 },
      { Mood: { Text: 'Calm', Value: 1001 }, N: 1 },
    ]);
  });

  it('outerjoin gives null where there is nothing to join', async () => {
    expect(await apply('outerjoin(Keepers as K)/orderby(Name)', '&$select=Name,K')).toEqual([
      { Name: 'Chick', K: null },
      { Name: 'Nemo', K: null },
      { Name: 'Polly', K: expect.objectContaining({ Name: 'Ann' }) },
      { Name: 'Polly', K: expect.objectContaining({ Name: 'Bob' }) },
      { Name: 'Rex', K: null },
    ]);
  });
});

describe('whole entities in groups', () => {
  it('are shown as if they had been expanded', async () => {
    const { json } = await ask(
      zoo,
      'Animals',
      '$apply=groupby((Enclosure),aggregate($count as N))&$orderby=N desc,Enclosure/Name',
    );
    expect(json['@odata.context']).toBe(`${zoo.root}$metadata#Animals(Enclosure(),N)`);
    expect(plain(json.value)).toEqual([
      { Enclosure: expect.objectContaining({ Wing: 'A', Number: 1, Name: 'Aviary' }), N: 2 },
      { Enclosure: null, N: 1 },
      { Enclosure: expect.objectContaining({ Wing: 'B', Number: 2, Name: 'Pond' }), N: 1 },
    ]);
  });

  it('take the options of $expand', async () => {
    const grouped = '$apply=groupby((Enclosure),aggregate($count as N))&$orderby=N desc&$top=1';
    const { json } = await ask(
      zoo,
      'Animals',
      `${grouped}&$select=N&$expand=Enclosure($select=Name;$expand=Animals($select=Name;$orderby=Name))`,
    );
    expect(json['@odata.context']).toContain('#Animals(N,Enclosure(Name,Animals(Name)))');
    expect(plain(json.value)).toEqual([
      { N: 2, Enclosure: { Name: 'Aviary', Animals: [{ Name: 'Chick' }, { Name: 'Polly' }] } },
    ]);
    expect(await apply('groupby((Enclosure))', '&$expand=Keepers')).toEqual([400, refusal]);
  });

  it('joined rows are expanded, too', async () => {
    const joined = 'join(Keepers as K)/orderby(K/Name)';
    expect(await apply(joined, '&$select=Name&$expand=K($select=Name)')).toEqual([
      { Name: 'Polly', K: { Name: 'Ann' } },
      { Name: 'Polly', K: { Name: 'Bob' } },
    ]);
    expect(await apply(joined, '&$select=Name&$expand=K&$top=1')).toEqual([
      { Name: 'Polly', K: expect.objectContaining({ Name: 'Ann', Country: 'NL', Badge: 1 }) },
    ]);
    const narrow = 'groupby((Name,K/Name,K/Badge))';
    expect(await apply(`${joined}/${narrow}`, '&$expand=K($select=Badge)&$orderby=K/Name')).toEqual(
      [
        { Name: 'Polly', K: { Badge: 1 } },
        { Name: 'Polly', K: { Badge: 2 } },
      ],
    );
  });

  it('lead on to their properties', async () => {
    expect(
      await apply(
        "groupby((Enclosure,Tame),aggregate($count as N))/filter(Enclosure/Name eq 'Aviary')/groupby((Enclosure/Wing),aggregate(N with sum as S))",
      ),
    ).toEqual([{ Enclosure: { Wing: 'A' }, S: 2 }]);
  });
});

describe('computed properties', () => {
  it.each([
    [
      'compute(Weight mul 2 as W)/groupby((Tame),topcount(1,W))',
      '&$select=Name,W',
      [
        { Name: 'Rex', W: 161 },
        { Name: 'Polly', W: 2.5 },
      ],
    ],
    [
      'compute(Weight mul 2 as W)/concat(filter(Tame),aggregate(W with sum as S))',
      '&$select=Name,W,S',
      [{ Name: 'Polly', W: 2.5 }, { S: 164.2 }],
    ],
    [
      'compute(Weight mul 2 as W)/join(Keepers as K,compute(Badge add 1 as B))',
      '&$select=W,K/B',
      [
        { W: 2.5, K: { B: 2 } },
        { W: 2.5, K: { B: 3 } },
      ],
    ],
    [
      'groupby((rollup(Tame,Diet)),topcount(1,Weight)/compute(1 as One))',
      '&$filter=Tame&$select=Tame,Diet,One',
      [
        { Tame: true, Diet: 'Plants', One: 1 },
        { Tame: true, Diet: 'Plants', One: 1 },
      ],
    ],
    [
      'groupby((Keepers/Name),topcount(1,Weight))',
      '&$select=Keepers,Name',
      [
        { Keepers: { Name: null }, Name: 'Rex' },
        { Keepers: { Name: 'Ann' }, Name: 'Polly' },
        { Keepers: { Name: 'Bob' }, Name: 'Polly' },
      ],
    ],
    ['groupby((Tame,Name))/search(polly)', '', [{ Tame: true, Name: 'Polly' }]],
  ])('%s', async (transformations, options, expected) => {
    expect(await apply(transformations, options)).toEqual(expected);
  });
});

describe('names of results are distinguished', () => {
  it.each([
    ['aggregate(Weight with sum as total,$count as Total)', [{ total: 82.1, Total: 4 }]],
    [
      'groupby((Tame),aggregate($count as n,Weight with max as N))',
      [
        { Tame: false, n: 3, N: 80.5 },
        { Tame: true, n: 1, N: 1.25 },
      ],
    ],
    [
      'groupby((Tame))/compute(1 as total,2 as Total)/aggregate(Total with max as A,total with max as a)',
      [{ A: 2, a: 1 }],
    ],
    [
      'compute(Weight as w,1 as W)/aggregate(w with max as V,Keepers/Badge with sum as v,W with max as N)',
      [{ V: 80.5, v: 3, N: 1 }],
    ],
  ])('by case: %s', async (transformations, expected) => {
    expect(await apply(transformations)).toEqual(expected);
  });

  it('to the end, however long they are', async () => {
    const [first, second] = [`${'A'.repeat(100)}1`, `${'A'.repeat(100)}2`];
    const made = `groupby((Diet))/compute(1 as ${first},2 as ${second})`;
    expect(
      await apply(`${made}/aggregate(${first} with sum as V,${second} with sum as W)`),
    ).toEqual([{ V: 2, W: 4 }]);
  });

  it('however long their paths are', async () => {
    const steps = Array.from(
      { length: 19 },
      (_, index) => `Caller/${'Manager/'.repeat(index)}Name`,
    );
    const query = `$apply=groupby((${steps.join()}),aggregate($count as N))/aggregate(N with sum as N)`;
    const { json } = await ask(desk, 'ServiceRequests', query);
    const { text } = await desk.get('/ServiceRequests/$count');
    expect(plain(json.value)).toEqual([{ N: Number(text) }]);
  });
});

describe('grouping sets', () => {
  const rollups = (count: number) => {
    const owner = (index: number) => `Caller/${'Manager/'.repeat(index)}`;
    const all = Array.from(
      { length: count },
      (_, index) => `rollup(${owner(index)}Name,${owner(index)}FirstName)`,
    );
    return `$apply=groupby((${all.join()}),aggregate($count as N))&$count=true&$top=0`;
  };

  it('are all combinations of the levels', async () => {
    const { json } = await ask(
      desk,
      'Persons',
      '$apply=groupby((rollup(Uid,Name)))/aggregate($count as N)',
    );
    const { text } = await desk.get('/Persons/$count');
    expect(plain(json.value)).toEqual([{ N: 2 * Number(text) }]);
  });

  it('count as parts of the query, before they are made', async () => {
    const started = performance.now();
    const { status, json } = await ask(desk, 'ServiceRequests', rollups(19));
    expect([status, json.error.code]).toEqual([400, 'bind.too-large']);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
