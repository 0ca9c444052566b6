// This file checks the order in which $apply leaves rows. OData Data Aggregation 4.0, "Hierarchical Transformations".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Desk } from './desk.ts';
import { ask, column, encodeQuery } from './query.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openZoo();
});
afterAll(async () => {
  await zoo?.close();
});

const TREE = '$root/AllSpecies,Tree,Latin';
const species = async (query: string) => await column(zoo, 'AllSpecies', query, 'Latin');
const names = async (query: string) => await column(zoo, 'Animals', query, 'Name');

/** The members of all pages, two records a page. */
async function pages(path: string, query: string, member: string): Promise<readonly unknown[]> {
  return (await rowsOf(path, query)).map((row) => row[member]);
}

type Row = Readonly<Record<string, unknown>>;

/** The records of all pages, two a page. */
async function rowsOf(path: string, query: string): Promise<readonly Row[]> {
  const found: Row[] = [];
  let next: string | undefined = `/${path}?${encodeQuery(query)}`;
  for (let page = 0; next !== undefined && page < 10; page++) {
    const { json } = await zoo.get(next, { prefer: 'odata.maxpagesize=2' });
    found.push(...json.value);
    expect(json.value.length).toBeLessThanOrEqual(2);
    next = json['@odata.nextLink'];
  }
  return found;
}

describe('the order of a tree', () => {
  it.each([
    [`traverse(${TREE},preorder)`, ['Animalia', 'Aves', 'Psittaciformes', 'Pisces']],
    [`traverse(${TREE},postorder)`, ['Psittaciformes', 'Aves', 'Pisces', 'Animalia']],
    [`traverse(${TREE},preorder,Latin desc)`, ['Animalia', 'Pisces', 'Aves', 'Psittaciformes']],
    [
      `descendants(${TREE},filter(Latin eq 'Aves'),keep start)/traverse(${TREE},preorder)`,
      ['Aves', 'Psittaciformes'],
    ],
    [
      `ancestors(${TREE},filter(Latin eq 'Psittaciformes'),keep start)/traverse(${TREE},postorder)`,
      ['Psittaciformes', 'Aves', 'Animalia'],
    ],
    [
      `traverse(${TREE},postorder)/filter(Latin ne 'Aves')`,
      ['Psittaciformes', 'Pisces', 'Animalia'],
    ],
    [`traverse(${TREE},postorder)/skip(1)/top(2)`, ['Aves', 'Pisces']],
    [
      `traverse(${TREE},preorder,Latin desc)/traverse(${TREE},postorder)`,
      ['Psittaciformes', 'Aves', 'Pisces', 'Animalia'],
    ],
  ])('%s is kept in the answer and over its pages', async (apply, expected) => {
    expect(await species(`$apply=${apply}`)).toEqual(expected);
    expect(await pages('AllSpecies', `$apply=${apply}`, 'Latin')).toEqual(expected);
  });

  it('is kept by $filter, $top and $skip', async () => {
    const apply = `$apply=traverse(${TREE},preorder)`;
    expect(await species(`${apply}&$filter=Latin ne 'Aves'&$skip=1&$top=1`)).toEqual([
      'Psittaciformes',
    ]);
  });

  it('gives way to $orderby and to orderby behind it', async () => {
    const expected = ['Psittaciformes', 'Pisces', 'Aves', 'Animalia'];
    const apply = `$apply=traverse(${TREE},preorder)`;
    expect(await species(`${apply}&$orderby=Latin desc`)).toEqual(expected);
    expect(await species(`${apply}/orderby(Latin desc)`)).toEqual(expected);
    expect(await pages('AllSpecies', `${apply}/orderby(Latin desc)`, 'Latin')).toEqual(expected);
  });

  it('holds for an expanded collection', async () => {
    const nested = `Parts($apply=traverse(${TREE},postorder);$select=Latin)`;
    const { json } = await ask(
      zoo,
      'AllSpecies',
      `$filter=Latin eq 'Animalia'&$expand=${nested}&$select=Latin`,
    );
    const [{ Parts: parts }] = json.value;
    expect(parts.map((part: { Latin: string }) => part.Latin)).toEqual(['Aves', 'Pisces']);
  });
});

describe('the order of branches', () => {
  it('concat gives one branch after the other, each in its own order', async () => {
    const apply = `concat(filter(Latin eq 'Pisces'),traverse(${TREE},postorder))`;
    const expected = ['Pisces', 'Psittaciformes', 'Aves', 'Pisces', 'Animalia'];
    expect(await species(`$apply=${apply}`)).toEqual(expected);
    expect(await pages('AllSpecies', `$apply=${apply}`, 'Latin')).toEqual(expected);
  });

  it('orderby behind it sorts all of them', async () => {
    expect(
      await names('$apply=concat(topcount(1,Weight),bottomcount(2,Weight))/orderby(Name desc)'),
    ).toEqual(['Rex', 'Nemo', 'Chick']);
  });

  it('of derived rows, too', async () => {
    const heaviest = 'groupby((Name),aggregate(Weight with max as M))/topcount(1,M)';
    const lightest = 'groupby((Name),aggregate(Weight with max as M))/orderby(M)';
    const expected = ['Rex', 'Nemo', 'Chick', 'Polly', 'Rex'];
    expect(await names(`$apply=concat(${heaviest},${lightest})`)).toEqual(expected);
  });

  it.each([
    [
      'groupby((Tame),concat(aggregate($count as N),aggregate(Weight with max as M)))',
      ['false N', 'false M', 'true N', 'true M'],
    ],
    [
      'groupby((Tame),concat(aggregate(Weight with max as M),aggregate($count as N),aggregate(Number with min as A)))',
      ['false M', 'false N', 'false A', 'true M', 'true N', 'true A'],
    ],
    [
      'groupby((rollup(Tame,Born)),concat(aggregate($count as N),aggregate(Weight with max as M)))',
      ['false', 'false', 'false', 'true', 'false', 'true'].flatMap((tame) => [
        `${tame} N`,
        `${tame} M`,
      ]),
    ],
    [
      'groupby((Tame),groupby((Born),concat(aggregate($count as N),aggregate(Weight with max as M))))/filter(Tame)',
      ['true N', 'true M'],
    ],
    [
      'orderby(Name desc)/groupby((Tame),concat(aggregate($count as N),aggregate(Weight with max as M)))/skip(1)/top(2)',
      ['false M', 'true N'],
    ],
  ])('of a group: %s', async (apply, expected) => {
    const rows = await rowsOf('Animals', `$apply=${apply}`);
    const named = ({ Tame, ...row }: Row) =>
      `${Tame} ${['N', 'M', 'A'].find((name) => name in row)}`;
    expect(rows.map(named)).toEqual(expected);
  });

  it('the rows of a group keep the order of orderby', async () => {
    const apply = 'groupby((Tame),orderby(Weight desc)/top(2))';
    expect(await pages('Animals', `$apply=${apply}`, 'Weight')).toEqual([80.5, 0.3, 1.25]);
    expect(await names(`$apply=${apply}&$orderby=Name`)).toEqual(['Chick', 'Polly', 'Rex']);
  });
});

describe('other transformations', () => {
  it('one choice behind another looks at what the first has left', async () => {
    expect(await names('$apply=topcount(3,Weight)/bottomcount(1,Weight)')).toEqual(['Chick']);
    expect(
      await names('$apply=topcount(3,Weight)/bottomcount(2,Weight)/topcount(1,Weight)'),
    ).toEqual(['Polly']);
  });

  it('compute keeps the order of derived rows', async () => {
    const rows = 'groupby((Name),aggregate(Weight with max as M))/orderby(M desc)';
    const expected = ['Rex', 'Polly', 'Chick', 'Nemo'];
    expect(await names(`$apply=${rows}/compute(M mul 2 as D)`)).toEqual(expected);
    expect(await pages('Animals', `$apply=${rows}/compute(M mul 2 as D)`, 'Name')).toEqual(
      expected,
    );
  });

  it('orderby keeps the order before it where its own values are equal', async () => {
    expect(await names('$apply=orderby(Name desc)/orderby(Tame)')).toEqual([
      'Rex',
      'Nemo',
      'Chick',
      'Polly',
    ]);
  });

  it('join keeps the order of its rows', async () => {
    expect(await names('$apply=orderby(Name desc)/outerjoin(Keepers as K)')).toEqual([
      'Rex',
      'Polly',
      'Polly',
      'Nemo',
      'Chick',
    ]);
  });
});
