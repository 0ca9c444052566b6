// This file checks $apply: what each transformation makes of the rows, and that later options see those rows and no others.
import { describe, expect, test } from 'vitest';
import { bindUrl, boundUrl, refusalOf } from './request.ts';

function applied(text: string, set = 'Animals'): string {
  const whole = boundUrl(`${set}?$apply=${text}`);
  return whole.replace(/^entities a1:\w+; /, '').replace(/; select \*$/, '');
}

/** Names and types of the columns of the rows that come out. */
function columns(text: string, set = 'Animals'): readonly string[] {
  const bound = bindUrl(`${set}?$apply=${text}`);
  if (bound.kind !== 'read' || bound.query.row.kind !== 'derived') return ['entities'];
  return [...bound.query.row.columns.values()].map(({ name, type }) => {
    const facets = type.kind === 'primitive' && type.facets.scale === 0 ? '/0' : '';
    return `${name}:${type.kind === 'primitive' ? type.name.slice(4) : type.kind}${facets}`;
  });
}

describe('transformations that keep the rows', () => {
  test.each([
    ['filter(Tame)', 'apply filter a1.Tame'],
    ['search(red)', 'apply search red'],
    ['orderby(Name desc)/skip(2)/top(3)', 'apply orderby a1.Name desc; apply skip 2; apply top 3'],
    ['identity', 'select *'],
    ['topcount(2,Weight)', 'apply topcount 2 by a1.Weight'],
    ['bottompercent(10.5,Weight)', 'apply bottompercent 10.5:Decimal by a1.Weight'],
    ['concat(filter(Tame),top(1))', 'apply concat(filter a1.Tame | top 1)'],
    ['Odd.Zoo.Grown(least=5)', 'apply filter (a1.Weight ge 5:Decimal)'],
    [
      'compute(Weight mul 2 as Twice)/filter(Twice gt 5)',
      'apply compute Twice=(a1.Weight mul 2:Decimal):Decimal; apply filter (Twice=(a1.Weight mul 2:Decimal):Decimal gt 5:Decimal); compute Twice=(a1.Weight mul 2:Decimal):Decimal',
    ],
  ])('%s', (text, expected) => {
    expect(applied(text)).toBe(expected);
    expect(columns(text)).toEqual(['entities']);
  });
});

describe('aggregate', () => {
  test.each([
    ['$count as N', 'N=count()', ['N:Decimal/0']],
    ['Weight with sum as W', 'W=sum(a1.Weight)', ['W:Decimal']],
    ['Number with average as A', 'A=average(a1.Number)', ['A:Decimal']],
    ['Number with sum as A', 'A=sum(a1.Number)', ['A:Int64']],
    ['Name with min as First', 'First=min(a1.Name)', ['First:String']],
    ['Id with countdistinct as N', 'N=countdistinct(a1.Id)', ['N:Decimal/0']],
    ['Weight mul 2 with sum as W', 'W=sum((a1.Weight mul 2:Decimal):Decimal)', ['W:Decimal']],
    ['Mother/Weight with max as W', 'W=max(a1.>Mother.Weight)', ['W:Decimal']],
    ['Keepers/Badge with sum as B', 'B=sum(a2.Badge) over a2:Keepers of a1.>Keepers', ['B:Int64']],
    ['Keepers/$count as N', 'N=count() over a2:Keepers of a1.>Keepers', ['N:Decimal/0']],
    [
      'Keepers with countdistinct as N',
      'N=countdistinct(a2) over a2:Keepers of a1.>Keepers',
      ['N:Decimal/0'],
    ],
    [
      'Keepers/Badge sub Keepers/Id with sum as B',
      'B=sum((a2.Badge sub a2.Id):Int64) over a2:Keepers of a1.>Keepers',
      ['B:Int64'],
    ],
    [
      'Weight with sum as W,$count as N',
      'W=sum(a1.Weight),N=count()',
      ['W:Decimal', 'N:Decimal/0'],
    ],
  ])('%s', (text, expected, shape) => {
    expect(applied(`aggregate(${text})`)).toBe(`apply aggregate ${expected}`);
    expect(columns(`aggregate(${text})`)).toEqual(shape);
  });

  test.each([
    ['Weight with sum as A,Number with sum as A', '400 bind.name-taken [$apply]'],
    ['Weight with Odd.Zoo.summ as A', '400 bind.unknown-function'],
    ['Name with sum as A', '400 bind.operand'],
    ['Mood with max as A', '400 bind.coded'],
    ['Weight as A', '400 bind.option-on'],
    ['Nmae with sum as A', '400 bind.unknown-property [$apply]'],
    ['Children/Weight mul Keepers/Badge with sum as A', '400 bind.operand'],
  ])('%s is refused', (text, status) => {
    expect(refusalOf(`Animals?$apply=aggregate(${text})`)).toContain(status);
  });
});

describe('groupby', () => {
  test.each([
    [
      '(Tame),aggregate($count as N)',
      'Tame=a1.Tame [0] N=count()',
      ['Tame:Boolean', 'N:Decimal/0'],
    ],
    ['(Tame,Diet)', 'Tame=a1.Tame,Diet=a1.Diet [0 1]', ['Tame:Boolean', 'Diet:enum']],
    [
      '(Mood/Text),aggregate(Weight with sum as W)',
      'Mood/Text=a1.Mood.Text [0] W=sum(a1.Weight)',
      ['Mood/Text:String', 'W:Decimal'],
    ],
    [
      '(Mood)',
      'Mood?=(a1.Mood ne null),Mood/Text=a1.Mood.Text,Mood/Value=a1.Mood.Value [0 1 2]',
      ['Mood?:Boolean', 'Mood/Text:String', 'Mood/Value:Int64'],
    ],
    [
      '(Mother/Enclosure/Wing)',
      'Mother/Enclosure/Wing=a1.>Mother.>Enclosure.Wing [0]',
      ['Mother/Enclosure/Wing:String'],
    ],
    [
      '(Keepers/Name,Keepers/Country)',
      'Keepers/Name=a2.Name over a2:Keepers of a1.>Keepers,Keepers/Country=a2.Country over a2:Keepers of a1.>Keepers [0 1]',
      ['Keepers/Name:String', 'Keepers/Country:String'],
    ],
    [
      '(rollup(Diet,Tame),Name),aggregate($count as N)',
      'Diet=a1.Diet,Tame=a1.Tame,Name=a1.Name [0 1 2][0 2] N=count()',
      ['Diet:enum', 'Tame:Boolean', 'Name:String', 'Tame!:Boolean', 'N:Decimal/0'],
    ],
    [
      '(Tame),top(1)/aggregate($count as N)',
      'Tame=a1.Tame [0]  then top 1/aggregate N=count()',
      ['Tame:Boolean', 'N:Decimal/0'],
    ],
  ])('%s', (text, expected, shape) => {
    expect(applied(`groupby(${text})`)).toBe(`apply groupby ${expected}`);
    expect(columns(`groupby(${text})`)).toEqual(shape);
  });

  test('a leveled hierarchy of the model', () => {
    expect(applied('groupby((rollup(Places)))', 'Keepers')).toBe(
      'apply groupby Country=a1.Country,Name=a1.Name [0 1][0]',
    );
    expect(refusalOf('Keepers?$apply=groupby((rollup(Place)))')).toContain(
      'Did you mean "Places"?',
    );
  });

  test('what is left of whole entities is spread into columns', () => {
    const names = columns('groupby((Tame),topcount(1,Weight))');
    expect(names.slice(0, 3)).toEqual(['Tame:Boolean', 'Id:Int64', 'Name:String']);
    expect(names).toContain('Care/Room/Name:String');
    expect(names).toContain('Mood/Value:Int64');
  });

  test.each([
    ['(Nicknames)', '400 bind.operand'],
    ['(Keepers)', '400 bind.collection'],
    ['(Tame),aggregate($count as Tame)', '400 bind.name-taken'],
    ['(rolluprecursive($root/AllSpecies,Tree,Latin))', '400 bind.unknown-property'],
    ['(rolluprecursive($root/AllSpecies,Tree,Weight))', '400 bind.operand'],
    ['(rolluprecursive($root/AllSpecies,Tre,Name))', '400 bind.unknown-hierarchy'],
  ])('%s is refused', (text, status) => {
    expect(refusalOf(`Animals?$apply=groupby(${text})`)).toContain(status);
  });
});

describe('chains', () => {
  test('each transformation sees the rows of the one before', () => {
    expect(
      applied(
        'groupby((Diet),aggregate(Weight with sum as W))/filter(W gt 5)/aggregate(W with average as A)',
      ),
    ).toBe(
      'apply groupby Diet=a1.Diet [0] W=sum(a1.Weight); apply filter (d2["W"] gt 5:Decimal); apply aggregate A=average(d2["W"])',
    );
    expect(applied('groupby((Mood/Value,Mood/Text))/groupby((Mood))')).toContain(
      'Mood/Value=d2["Mood/Value"]',
    );
    expect(applied('aggregate($count as N)/compute(N mul 2 as M)/orderby(M)')).toBe(
      'apply aggregate N=count(); apply compute M=(d2["N"] mul 2:Decimal):Decimal; apply orderby d3["M"]',
    );
    expect(columns('aggregate($count as N)/compute(N mul 2 as M)')).toEqual([
      'N:Decimal/0',
      'M:Decimal',
    ]);
  });

  test('concat has the columns of all its branches', () => {
    const text =
      'concat(groupby((Diet),aggregate($count as N)),aggregate($count as N,Weight with sum as W))';
    expect(columns(text)).toEqual([
      'Diet:enum',
      'N:Decimal/0',
      'W:Decimal',
      'Diet!:Boolean',
      'W!:Boolean',
    ]);
    expect(columns('concat(identity,aggregate($count as N))')).toContain('N:Decimal/0');
    expect(
      refusalOf(
        'Animals?$apply=concat(aggregate(Name with min as A),aggregate(Weight with min as A))',
      ),
    ).toContain('400 bind.operand');
  });

  test('join puts related rows beside each row', () => {
    expect(
      applied('join(Keepers as K)/groupby((Diet,K/Country),aggregate(K/Badge with max as B))'),
    ).toBe(
      'apply join a2:Keepers of a1.>Keepers as K(); apply groupby Diet=d3["Diet"],K/Country=d3["K/Country"] [0 1] B=max(d3["K/Badge"])',
    );
    expect(refusalOf('Animals?$apply=join(Mother as M)')).toContain('400 bind.operand');
    expect(refusalOf('Animals?$apply=join(Keepers as Mood)')).toContain('400 bind.name-taken');
  });

  test('hierarchies are those that the model defines', () => {
    const tree = '$root/AllSpecies,Tree,Latin';
    expect(applied(`descendants(${tree},filter(Title eq 'Cats'),2,keep start)`, 'AllSpecies')).toBe(
      "apply descendants Parent of a2:AllSpecies start(filter (a1.Title eq 'Cats'))",
    );
    expect(applied(`traverse(${tree},preorder,Title)`, 'AllSpecies')).toBe(
      'apply traverse Parent of a2:AllSpecies start()',
    );
    expect(refusalOf('AllSpecies?$apply=traverse($root/AllSpecies,Tre,Latin,preorder)')).toContain(
      'Did you mean "Tree"?',
    );
    expect(refusalOf(`Animals?$apply=ancestors(${tree},filter(Tame))`)).toContain(
      '400 bind.unknown-property',
    );
  });

  test.each([
    ['nest(aggregate($count as N) as Name)', '400 bind.name-taken'],
    ['addnested(Mother,filter(Tame) as M)', '400 bind.option-on'],
    ['addnested(Nicknames,identity as K)', '400 bind.operand'],
    ['topcount(Weight,Weight)', '400 bind.no-row'],
    ['topsum(2,Name)', '400 bind.operand'],
    ['topcount(2,Mood)', '400 bind.coded'],
  ])('%s is refused', (text, status) => {
    expect(refusalOf(`Animals?$apply=${text}`)).toContain(status);
  });
});

describe('options behind $apply', () => {
  const group = 'Animals?$apply=groupby((Mood/Value,Diet),aggregate($count as N))';

  test('they see its rows', () => {
    expect(
      boundUrl(`${group}&$filter=N gt 5 and Mood/Value eq 1&$orderby=N desc&$top=3&$select=N,Mood`),
    ).toBe(
      'entities a1:Animals; apply groupby Mood/Value=a1.Mood.Value,Diet=a1.Diet [0 1] N=count(); ' +
        'filter ((d2["N"] gt 5:Decimal) and (d2["Mood/Value"] eq 1)); orderby d2["N"] desc; top 3; select ?N,?Mood',
    );
    expect(boundUrl('Animals/$count?$apply=groupby((Diet))')).toBe(
      'count a1:Animals; apply groupby Diet=a1.Diet [0]; select *',
    );
  });

  test.each([
    [
      '$filter=Name eq 1',
      '"Name" is not available after $apply (at position 0 of $filter); the rows have Mood/Value, Diet, N.',
    ],
    ['$filter=Mood/Text eq 1', 'the rows have Mood/Value, Diet, N.'],
    ['$select=Name', '"Name" is not available after $apply'],
    ['$orderby=Weight', 'bind.aggregated-away [$orderby]'],
    ['$expand=Mother', 'bind.aggregated-away [$expand]'],
    ['$compute=1 as N', '400 bind.name-taken [$compute]'],
  ])('%s is refused', (option, message) => {
    expect(refusalOf(`${group}&${option}`)).toContain(message);
  });
});
