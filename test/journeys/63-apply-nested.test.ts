// This file nests what $apply makes, and walks trees. OData Data Aggregation 4.0, "Transformation nest".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask, plain } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

async function read(path: string, query: string): Promise<unknown> {
  const { status, json } = await ask(zoo, path, query);
  return status === 200 ? plain(json.value) : [status, json?.error?.code];
}

const TREE = '$root/AllSpecies,Tree';

describe('nest', () => {
  it('makes one record of the results of its sequences', async () => {
    const query = "$apply=nest(filter(Latin eq 'Aves') as Birds,aggregate($count as N) as All)";
    const { json } = await ask(zoo, 'AllSpecies', query);
    const context = `${zoo.root}$metadata#AllSpecies`;
    expect(json['@odata.context']).toBe(`${context}(Birds(),All(N))`);
    expect(json.value).toHaveLength(1);
    expect(json.value[0]['Birds@odata.context']).toBe(context);
    expect(plain(json.value)).toEqual([
      { Birds: [{ Latin: 'Aves', Title: 'Birds' }], All: [{ N: 4 }] },
    ]);
  });

  it.each([
    [
      'groupby((Tame),nest(identity as All))',
      '&$expand=All($select=Name;$orderby=Name desc)',
      [
        { Tame: false, All: [{ Name: 'Rex' }, { Name: 'Nemo' }, { Name: 'Chick' }] },
        { Tame: true, All: [{ Name: 'Polly' }] },
      ],
    ],
    [
      'filter(Weight lt 50)/groupby((rollup(Tame,Diet)),nest(topcount(1,Weight) as Most,aggregate($count as N) as C))',
      '&$expand=Most($select=Name)&$filter=not Tame',
      [
        { Tame: false, Most: [{ Name: 'Chick' }], C: [{ N: 2 }] },
        { Tame: false, Diet: 'Plants', Most: [{ Name: 'Chick' }], C: [{ N: 1 }] },
        { Tame: false, Diet: 'Everything', Most: [{ Name: 'Nemo' }], C: [{ N: 1 }] },
      ],
    ],
    [
      'nest(groupby((Tame)) as T)/compute(1 as X)',
      '',
      [{ X: 1, T: [{ Tame: false }, { Tame: true }] }],
    ],
    ['nest(identity as All)/aggregate($count as N)', '', [{ N: 1 }]],
  ])('%s', async (apply, options, expected) => {
    expect(await read('Animals', `$apply=${apply}${options}`)).toEqual(expected);
  });
});

describe('addnested', () => {
  it.each([
    [
      'filter(Tame)/addnested(Keepers,groupby((Country),aggregate($count as N)) as C,identity as K)',
      '&$select=Name,C&$expand=K($orderby=Name desc;$top=1;$select=Name)',
      [{ Name: 'Polly', C: [{ Country: 'NL', N: 2 }], K: [{ Name: 'Bob' }] }],
    ],
    [
      'addnested(Mother,compute(Weight mul 2 as W) as M)/filter(Born ne null)/orderby(Name)',
      '&$select=Name&$expand=M($select=Name,W)',
      [
        { Name: 'Chick', M: { Name: 'Polly', W: 2.5 } },
        { Name: 'Polly', M: null },
        { Name: 'Rex', M: null },
      ],
    ],
    ['filter(Tame)/addnested(Keepers,identity as K)', '&$select=Name', [{ Name: 'Polly' }]],
    ['addnested(Keepers,identity as K)/aggregate($count as N)', '', [{ N: 4 }]],
  ])('%s', async (apply, options, expected) => {
    expect(await read('Animals', `$apply=${apply}${options}`)).toEqual(expected);
  });

  it('goes on inside itself, with options at every level', async () => {
    const query =
      '$apply=addnested(Animals,addnested(Enclosure,identity as E) as A)&$select=Name&$expand=A($select=Name;$expand=E($select=Name))&$top=1';
    expect(await read('Keepers', query)).toEqual([
      { Name: 'Ann', A: [{ Name: 'Polly', E: { Name: 'Aviary' } }] },
    ]);
  });

  it.each([
    ['addnested(Keepers,identity as Name)', 'bind.name-taken'],
    ['addnested(Keepers,identity as K,identity as K)', 'bind.name-taken'],
    ['addnested(Mother,filter(Tame) as M)', 'bind.option-on'],
    ['addnested(Nicknames,identity as K)', 'bind.operand'],
    ['addnested(Nothing,identity as K)', 'bind.unknown-property'],
  ])('refused: %s', async (apply, code) => {
    expect(await read('Animals', `$apply=${apply}`)).toEqual([400, code]);
  });
});

describe('rolluprecursive', () => {
  it('of nodes themselves: each has what belongs to it and to all below', async () => {
    const apply = `groupby((rolluprecursive(${TREE},Latin)),aggregate($count as N)/compute(N sub 1 as Below))`;
    expect(await read('AllSpecies', `$apply=${apply}&$select=Latin,Below&$orderby=Latin`)).toEqual([
      { Latin: 'Animalia', Below: 3 },
      { Latin: 'Aves', Below: 1 },
      { Latin: 'Pisces', Below: 0 },
      { Latin: 'Psittaciformes', Below: 0 },
    ]);
  });

  it('of records that lead to nodes: the node is shown, in the order of the tree', async () => {
    const apply = `groupby((rolluprecursive(${TREE},Species/Latin)),aggregate($count as N,Weight with sum as W))/traverse(${TREE},Species/Latin,preorder)`;
    const { json } = await ask(zoo, 'Animals', `$apply=${apply}`);
    expect(json['@odata.context']).toBe(`${zoo.root}$metadata#Animals(Species(),N,W)`);
    expect(plain(json.value)).toEqual([
      { Species: { Latin: 'Animalia', Title: 'Animals' }, N: 3, W: 1.6 },
      { Species: { Latin: 'Aves', Title: 'Birds' }, N: 2, W: 1.55 },
      { Species: { Latin: 'Psittaciformes', Title: 'Parrots' }, N: 1, W: 1.25 },
      { Species: { Latin: 'Pisces', Title: 'Fish' }, N: 1, W: 0.05 },
    ]);
  });

  it.each([
    [
      `filter(Tame)/groupby((rolluprecursive(${TREE},Species/Latin)),aggregate($count as N))/groupby((Species/Latin,N))`,
      [
        { Species: { Latin: 'Animalia' }, N: 1 },
        { Species: { Latin: 'Aves' }, N: 1 },
        { Species: { Latin: 'Pisces' }, N: 0 },
        { Species: { Latin: 'Psittaciformes' }, N: 1 },
      ],
    ],
    [
      `groupby((rolluprecursive(${TREE},Species/Latin,filter(Latin ne 'Animalia')),Tame),aggregate($count as N))/groupby((Species/Latin,Tame,N))`,
      [
        { Species: { Latin: 'Aves' }, Tame: false, N: 1 },
        { Species: { Latin: 'Aves' }, Tame: true, N: 1 },
        { Species: { Latin: 'Pisces' }, Tame: false, N: 1 },
        { Species: { Latin: 'Psittaciformes' }, Tame: true, N: 1 },
      ],
    ],
    [
      `groupby((rolluprecursive(${TREE},Species/Latin)),topcount(1,Weight))/groupby((Species/Latin,Name))`,
      [
        { Species: { Latin: 'Animalia' }, Name: 'Polly' },
        { Species: { Latin: 'Aves' }, Name: 'Polly' },
        { Species: { Latin: 'Pisces' }, Name: 'Nemo' },
        { Species: { Latin: 'Psittaciformes' }, Name: 'Polly' },
      ],
    ],
    [
      `groupby((rolluprecursive(${TREE},Name)),aggregate($count as N))/filter(Name eq 'Aves')`,
      [{ Name: 'Aves', N: 0 }],
    ],
  ])('%s', async (apply, expected) => {
    expect(await read('Animals', `$apply=${apply}`)).toEqual(expected);
  });
});

describe('walks by records that lead to nodes', () => {
  it.each([
    [`descendants(${TREE},Species/Latin,filter(Name eq 'Chick'))`, ['Polly']],
    [`descendants(${TREE},Species/Latin,filter(Name eq 'Chick'),keep start)`, ['Chick', 'Polly']],
    [`ancestors(${TREE},Species/Latin,filter(Name eq 'Polly'))`, ['Chick']],
  ])('%s', async (apply, expected) => {
    const rows = expected.map((Name) => ({ Name }));
    expect(await read('Animals', `$apply=${apply}/orderby(Name)&$select=Name`)).toEqual(rows);
  });

  it('traverse goes through the nodes that are chosen', async () => {
    const chosen = `descendants(${TREE},Latin,filter(Latin eq 'Aves'),keep start)`;
    expect(
      await read('AllSpecies', `$apply=traverse(${TREE},Latin,postorder,${chosen})&$select=Latin`),
    ).toEqual([{ Latin: 'Psittaciformes' }, { Latin: 'Aves' }]);
    const others = "filter(Latin ne 'Aves')";
    expect(
      await read(
        'AllSpecies',
        `$apply=traverse(${TREE},Latin,preorder,${others},Latin desc)&$select=Latin`,
      ),
    ).toEqual([{ Latin: 'Psittaciformes' }, { Latin: 'Animalia' }, { Latin: 'Pisces' }]);
  });

  it.each([
    [
      `traverse(${TREE},Latin,preorder,filter(Parent ne null),Latin)`,
      ['Aves', 'Psittaciformes', 'Pisces'],
    ],
    [
      `traverse(${TREE},Latin,postorder,filter(Parent ne null),Latin)`,
      ['Psittaciformes', 'Aves', 'Pisces'],
    ],
    [
      `traverse($root/AllSpecies/$filter(Parent ne null),Tree,Latin,preorder,Latin)`,
      ['Aves', 'Psittaciformes', 'Pisces'],
    ],
  ])('trees whose parents are not chosen follow each other: %s', async (apply, expected) => {
    expect(await read('AllSpecies', `$apply=${apply}&$select=Latin`)).toEqual(
      expected.map((Latin) => ({ Latin })),
    );
  });

  it.each([
    ['AllSpecies', `groupby((Parent/Latin),descendants(${TREE},Latin,filter(true)))`, 0],
    ['AllSpecies', `groupby((Parent/Latin),descendants(${TREE},Latin,filter(true),keep start))`, 4],
    ['AllSpecies', `groupby((Parent),ancestors(${TREE},Latin,filter(true),1,keep start))`, 4],
    ['Animals', `groupby((Name),ancestors(${TREE},Species/Latin,filter(Name eq 'Polly')))`, 0],
    [
      'Animals',
      `groupby((Enclosure/Wing),ancestors(${TREE},Species/Latin,filter(Name eq 'Polly')))`,
      1,
    ],
    [
      'Animals',
      `groupby((Enclosure/Wing),ancestors(${TREE},Species/Latin,filter(Name in ('Polly','Rex')),keep start))`,
      2,
    ],
  ])('starts from the rows of each group: %s by %s', async (set, apply, N) => {
    expect(await read(set, `$apply=${apply}/aggregate($count as N)`)).toEqual([{ N }]);
  });

  it('what identifies no node is refused', async () => {
    expect(await read('Animals', `$apply=ancestors(${TREE},Weight,filter(Tame))`)).toEqual([
      400,
      'bind.operand',
    ]);
  });
});
