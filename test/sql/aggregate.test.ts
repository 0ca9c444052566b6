// This file compiles and runs $apply.
import { describe, expect, it } from 'vitest';
import { POSTGRES } from '../../src/sql/dialect/postgres/postgres.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { get, NO_METADATA, openZoo, scriptOf } from './zoo.ts';

const zoo = openZoo();
const records = (url: string) => get(zoo, url, NO_METADATA).records;
const apply = (text: string, rest = '') => records(`Animals?$apply=${text}${rest}`);
const keepers = (text: string, rest = '') => records(`Keepers?$apply=${text}${rest}`);

describe('aggregate', () => {
  it('a count and methods over all rows', () => {
    expect(
      apply(
        'aggregate($count as N,Number with sum as Sum,Number with min as Least,Number with max as Most,Number with average as Mean,Mood/Value with countdistinct as Moods)',
      ),
    ).toEqual([{ N: 4, Sum: 6, Least: 1, Most: 3, Mean: 2, Moods: 2 }]);
  });

  it('decimals are added exactly, in columns of either form', () => {
    expect(apply('aggregate(Weight with sum as W,Weight with average as A)')).toEqual([
      { W: 192.05, A: 64.01666666666667 },
    ]);
    expect(
      records(
        'Samples?$apply=aggregate(Exact with sum as S,Free with max as M,Span with sum as T,Double with max as D,Day with min as First)',
      ),
    ).toEqual([{ S: 0, M: 1e21, T: 'PT1H29M59.999S', D: 'NaN', First: '1999-12-31' }]);
  });

  it('nothing but nulls gives null, no rows give null and 0', () => {
    expect(apply("filter(Name eq 'nobody')/aggregate(Number with sum as S,$count as N)")).toEqual([
      { S: null, N: 0 },
    ]);
  });

  it('expressions', () => {
    expect(
      apply('aggregate(Number mul 2 with sum as Twice,length(Name) with max as Longest)'),
    ).toEqual([{ Twice: 12, Longest: 5 }]);
  });

  it('values of related rows: each row once, however many lead to it', () => {
    expect(
      keepers(
        'aggregate(Animals/Number with sum as S,Animals/Number with average as A,Animals/$count as N)',
      ),
    ).toEqual([{ S: 3, A: 1.5, N: 2 }]);
    expect(keepers('aggregate(Animals/Name with countdistinct as N)')).toEqual([{ N: 2 }]);
    expect(keepers('aggregate(Boss/Name with countdistinct as N)')).toEqual([{ N: 2 }]);
  });

  // To find duplicates takes a database longer than everything else.
  it.each([
    ['contained entities', 'Animals', 'aggregate(Notes/$count as N)', 3],
    ['entities that refer to the row', 'Enclosures', 'aggregate(Animals/$count as N)', 3],
    ['entities of those', 'Enclosures', 'aggregate(Animals/Notes/$count as N)', 3],
    ['their values', 'Enclosures', 'aggregate(Animals/Number with sum as N)', 3],
    ['their items', 'Enclosures', 'aggregate(Animals/Habits/$count as N)', 2],
  ])('does not search for duplicates of %s', (_, set, text, expected) => {
    const url = `${set}?$apply=${text}`;
    expect(records(url)).toEqual([{ N: expected }]);
    expect(scriptOf(url, NO_METADATA).statement.text).not.toContain('DISTINCT');
  });

  it.each([
    ['linked to several rows', 'Animals', 'aggregate(Keepers/$count as N)', 2],
    ['of rows that repeat', 'Animals', 'concat(identity,identity)/aggregate(Notes/$count as N)', 3],
    ['of a row that several refer to', 'Animals', 'aggregate(Enclosure/Animals/$count as N)', 3],
  ])('counts entities once: %s', (_, set, text, expected) => {
    expect(records(`${set}?$apply=${text}`)).toEqual([{ N: expected }]);
  });

  it('counts entities once in groups of repeated rows', () => {
    const text = 'groupby((rollup(Tame,Notes/Text)),aggregate(Notes/$count as N))';
    expect(apply(text)).toContainEqual({ Tame: false, N: 2 });
  });

  it('a method after another one, by the values of a property', () => {
    expect(apply('aggregate(Number with sum from Tame with max as S)')).toEqual([{ S: 5 }]);
    expect(
      apply(
        'groupby((Size/Value),aggregate(Number with sum from Tame with average as S))',
        '&$orderby=Size/Value',
      ),
    ).toEqual([
      { Size: { Value: 1 }, S: 2 },
      { Size: { Value: 2 }, S: 2 },
    ]);
  });
});

describe('groupby', () => {
  it('one row for each group', () => {
    expect(
      apply('groupby((Mood/Text),aggregate($count as N))', '&$orderby=N desc,Mood/Text'),
    ).toEqual([
      { Mood: { Text: 'Calm' }, N: 2 },
      { Mood: { Text: null }, N: 1 },
      { Mood: { Text: 'Angry' }, N: 1 },
    ]);
  });

  it('without an aggregate the different values', () => {
    expect(apply('groupby((Tame,Size))', '&$orderby=Tame,Size/Value')).toEqual([
      { Tame: false, Size: { Text: 'Small', Value: 1 } },
      { Tame: false, Size: { Text: 'Large', Value: 2 } },
      { Tame: true, Size: { Text: 'Small', Value: 1 } },
      { Tame: true, Size: { Text: 'Large', Value: 2 } },
    ]);
  });

  it('by properties of followed rows', () => {
    expect(apply('groupby((Mother/Name),aggregate($count as N))', '&$orderby=Mother/Name')).toEqual(
      [
        { Mother: { Name: null }, N: 3 },
        { Mother: { Name: 'Polly' }, N: 1 },
      ],
    );
  });

  it('one group without a species and with a species without a title', () => {
    const database = openZoo();
    database.exec('UPDATE "Animals" SET "Species" = 403 WHERE "Id" = 3');
    const aggregates =
      '$count as N,Number with sum as S,Number with average as A,Number with min as L,Number with max as M,Born with max as B';
    const url = `Animals?$apply=groupby((Species/Title),aggregate(${aggregates}))&$orderby=Species/Title`;
    const merged = get(database, url, NO_METADATA).records;
    expect(merged).toEqual([
      { Species: { Title: null }, N: 3, S: 4, A: 2, L: 1, M: 3, B: '2024-12-31' },
      { Species: { Title: 'Parrots' }, N: 1, S: 2, A: 2, L: 2, M: 2, B: '2020-02-29' },
    ]);
  });

  it('through a collection a row is in every group that it reaches, once', () => {
    expect(
      apply(
        'groupby((Keepers/Country),aggregate($count as N,Number with sum as S))',
        '&$orderby=N',
      ),
    ).toEqual([
      { Keepers: { Country: null }, N: 2, S: 3 },
      { Keepers: { Country: 'NL' }, N: 2, S: 3 },
    ]);
  });

  it('rollup adds the sums of sums', () => {
    expect(
      apply(
        'groupby((rollup(Tame,Size/Value)),aggregate($count as N))',
        '&$orderby=Tame,Size/Value',
      ),
    ).toEqual([
      { Tame: false, N: 2 },
      { Tame: false, Size: { Value: 1 }, N: 1 },
      { Tame: false, Size: { Value: 2 }, N: 1 },
      { Tame: true, N: 2 },
      { Tame: true, Size: { Value: 1 }, N: 1 },
      { Tame: true, Size: { Value: 2 }, N: 1 },
    ]);
  });

  it('other transformations inside each group', () => {
    expect(apply('groupby((Tame),topcount(1,Id))', '&$orderby=Id&$select=Tame,Name')).toEqual([
      { Tame: true, Name: 'Pip' },
      { Tame: false, Name: 'Wanda' },
    ]);
    expect(
      apply('groupby((Tame),filter(Number gt 1)/aggregate($count as N))', '&$orderby=Tame'),
    ).toEqual([
      { Tame: false, N: 0 },
      { Tame: true, N: 2 },
    ]);
  });

  it('the values of groups can be filtered, computed with and grouped again', () => {
    expect(
      apply('groupby((Mood/Value),aggregate($count as N))/filter(N gt 1)/compute(N mul 10 as Ten)'),
    ).toEqual([{ Mood: { Value: 1001 }, N: 2, Ten: 20 }]);
    expect(
      apply(
        'groupby((Mood/Value),aggregate($count as N))/groupby((N),aggregate($count as M))',
        '&$orderby=N',
      ),
    ).toEqual([
      { N: 1, M: 2 },
      { N: 2, M: 1 },
    ]);
  });
});

describe('rows chosen and ordered', () => {
  it.each<[string, string[]]>([
    ['filter(Tame eq true)', ['Polly', 'Pip']],
    ['search(roars)', ['Leo']],
    ['identity', ['Leo', 'Polly', 'Pip', 'Wanda']],
    ['orderby(Name desc)/top(2)', ['Wanda', 'Polly']],
    ['orderby(Name)/skip(1)/top(2)', ['Pip', 'Polly']],
    ['topcount(2,Number)', ['Polly', 'Pip'].toReversed()],
    ['bottomcount(1,Weight)/filter(Id gt 0)', ['Pip']],
    ['filter(Number ne null)/topsum(4,Number)', ['Polly', 'Pip']],
    ['filter(Number ne null)/bottomsum(3,Number)', ['Leo', 'Polly']],
    ['filter(Number ne null)/toppercent(50,Number)', ['Pip']],
    ['concat(filter(Id eq 4),filter(Id eq 1))', ['Leo', 'Wanda']],
  ])('%s', (text, expected) => {
    const found = apply(text, '&$select=Name') as { readonly Name: string }[];
    expect(found.map(({ Name }) => Name).toSorted()).toEqual(expected.toSorted());
  });

  it('what comes after sees what went before', () => {
    expect(
      apply('filter(Tame eq true)', "&$filter=Name eq 'Pip'&$count=true&$select=Name"),
    ).toEqual([{ Name: 'Pip' }]);
    expect(get(zoo, 'Animals/$count?$apply=groupby((Tame))').records).toEqual([2]);
  });

  it('computed properties stand beside the others', () => {
    expect(
      apply(
        'compute(Number mul 2 as Twice)/filter(Twice gt 2)',
        '&$select=Name,Twice&$orderby=Twice desc',
      ),
    ).toEqual([
      { Name: 'Pip', Twice: 6 },
      { Name: 'Polly', Twice: 4 },
    ]);
  });
});

describe('concat and join', () => {
  it('details and totals together', () => {
    expect(
      apply(
        'concat(groupby((Tame),aggregate(Number with sum as S)),aggregate(Number with sum as S))',
        '&$orderby=S',
      ),
    ).toEqual([{ Tame: false, S: 1 }, { Tame: true, S: 5 }, { S: 6 }]);
  });

  it('rows with their related rows', () => {
    const text = 'join(Keepers as K)/groupby((K/Name),aggregate($count as N))';
    expect(apply(text, '&$orderby=K/Name')).toEqual([
      { K: { Name: 'Ada Lovelace' }, N: 1 },
      { K: { Name: 'Bob' }, N: 2 },
    ]);
    expect(
      apply(
        'outerjoin(Keepers as K)/groupby((K/Name),aggregate($count as N))',
        '&$orderby=N,K/Name',
      ),
    ).toEqual([
      { K: { Name: 'Ada Lovelace' }, N: 1 },
      { K: { Name: null }, N: 2 },
      { K: { Name: 'Bob' }, N: 2 },
    ]);
  });

  // PostgreSQL would test a subquery in ON for each pair of rows.
  it.each([
    'outerjoin(Keepers as K)/aggregate($count as N)',
    'groupby((Keepers/Name),aggregate($count as N))',
  ])('joins the links of a many-to-many relation: %s', (text) => {
    const { statement } = scriptOf(`Animals?$apply=${text}`, NO_METADATA);
    expect(statement.text).toContain('LEFT JOIN ((SELECT "source" AS n, "target" AS f FROM');
    expect(statement.text).not.toContain(' IN (SELECT ');
  });
});

describe('one statement', () => {
  it('is a table inside a table', () => {
    const { statement, scans } = scriptOf(
      'Animals?$apply=groupby((Tame),aggregate($count as N))/filter(N gt 1)',
      NO_METADATA,
    );
    expect(statement.text).toContain(
      'FROM (SELECT "t1"."Tame" AS "c1", CAST(count(*) AS text) AS "c2" FROM "Animals" "t1" GROUP BY "t1"."Tame") "t2"',
    );
    expect(scans).toBe(true);
  });

  it('groups by what rows refer to, before it looks up the values', () => {
    const [key] = textsOf('groupby((Mother/Name),aggregate($count as N))');
    expect(key).toContain(
      'FROM (SELECT "t1"."Mother" AS "Mother", count(*) AS "$a1" FROM "Animals" "t1" GROUP BY "t1"."Mother") "t1" GROUP BY (SELECT "t2"."Name" FROM "Animals" "t2" WHERE "t2"."Id" = "t1"."Mother")',
    );
    const [sqlite, postgres] = textsOf(
      'groupby((Mother/Species/Title,Mood/Text,Tame),aggregate(Number with average as A))',
    );
    const parts =
      '"t1"."Tame" AS "$g1", count("t1"."Number") AS "$a1", sum("t1"."Number") AS "$a2"';
    expect(sqlite).toContain(
      `(SELECT +"t1"."Mother" AS "Mother", "t1"."Mood" AS "Mood", ${parts} FROM "Animals" "t1" GROUP BY +"t1"."Mother", "t1"."Mood", "t1"."Tame") "t1"`,
    );
    expect(postgres).toContain(
      `(SELECT "t1"."Mother" AS "Mother", "t1"."Mood" AS "Mood", ${parts} FROM "Animals" "t1" GROUP BY "t1"."Mother", "t1"."Mood", "t1"."Tame") "t1"`,
    );
  });

  it('looks values up in every row if groups cannot be merged', () => {
    for (const apply of [
      'groupby((Mother/Name),aggregate(Name with countdistinct as N))',
      'groupby((Mother/Name),aggregate(cast(Number,Edm.Double) with sum as N))',
      'groupby((Mother/Name),aggregate(Number mul 0.5 with sum as N))',
      'groupby((Mother/Name),aggregate(Mother/Number with sum as N))',
      'groupby((Mother/Id),aggregate($count as N))',
      'groupby((Chip/Serial),aggregate($count as N))',
      'groupby((Name),aggregate($count as N))',
      'groupby((Tame),groupby((Mother/Name),aggregate($count as N)))',
    ])
      for (const text of textsOf(apply)) expect(text, apply).not.toContain('"$a1"');
  });
});

/** On SQLite and PostgreSQL. */
function textsOf(apply: string): readonly [string, string] {
  const of = (dialect: typeof POSTGRES) =>
    scriptOf(`Animals?$apply=${apply}`, NO_METADATA, dialect).statement.text;
  return [of(SQLITE), of(POSTGRES)];
}
