// This file asks the whole service random questions, made of all that the language of queries has: whatever is asked, it is answered or
// refused, never with an error of ours.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Desk, openForeignDesk } from '../journeys/desk.ts';
import { encodeQuery } from '../journeys/query.ts';
import { ZOO } from '../journeys/zoo-records.ts';
import { oddDefinition } from '../odd-model.ts';
import { cases, timeLimit } from './cases.ts';

let zoo: Desk;
beforeAll(async () => {
  zoo = await openForeignDesk(oddDefinition, ZOO);
});
afterAll(async () => await zoo?.close());

const values = fc.constantFrom(
  'Name',
  'Weight',
  'Born',
  'Tame',
  'Diet',
  'Mood/Value',
  'Mood/Text',
  'Care/Since',
  'Care/Room/Name',
  'Care/Vet/Name',
  'Mother/Weight',
  'Species/Title',
  'Enclosure/Number',
  'Odd.Zoo.Bird/Wingspan',
  '$it/Name',
  '$this/Weight',
  'null',
  'true',
  '5',
  '1.5',
  "'x'",
  '2020-02-29',
);
const collections = fc.constantFrom(
  'Children',
  'Keepers',
  'Nicknames',
  'Habits',
  'Notes',
  'Keepers/$filter(Badge gt 1)',
  'Enclosure/Animals',
  'Odd.Zoo.Parrot/Words',
  '$these',
  '$it/Children',
  '["a","b"]',
);
const paths = fc.constantFrom(
  'Weight',
  'Name',
  'TimesADay',
  'Badge',
  'Text',
  '$this',
  'Keepers/Badge',
  'Animals/Weight',
  'Children/Keepers/Badge',
  'Habits/TimesADay',
  'Nicknames',
  'Enclosure/Animals/Weight',
  'Mother/Weight',
);
const methods = fc.constantFrom('sum', 'min', 'max', 'average', 'countdistinct');

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    values,
    fc
      .tuple(collections, paths, methods)
      .map(([of, path, method]) => `${of}/aggregate(${path} with ${method})`),
    collections.map((of) => `${of}/$count`),
    collections.map((of) => `${of}/aggregate($count)`),
    fc.tuple(collections, tie('expression')).map(([of, one]) => `${of}/any(x:x eq ${one})`),
    fc.tuple(collections, tie('expression')).map(([of, one]) => `${of}/any(x:${one} eq 1)`),
    fc
      .tuple(
        fc.constantFrom('contains', 'startswith', 'endswith', 'indexof', 'hassubset', 'concat'),
        collections,
        tie('expression'),
      )
      .map(([name, of, one]) => `${name}(${of},[${one}])`),
    fc.tuple(collections, tie('expression')).map(([of, one]) => `substring(${of},${one})`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([one, two]) => `([${one},{"a":${two}}] eq [${two},null])`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('eq', 'ne', 'gt', 'add', 'mul', 'and', 'or'),
        tie('expression'),
      )
      .map((parts) => `(${parts.join(' ')})`),
  ),
}));

/** Numbers of an animal: what is made of them is mostly right. */
const { number } = fc.letrec<{ number: string }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('Weight', 'Number', 'Mother/Weight', 'Care/Room/Floor', '2', '0.5'),
    fc.constantFrom('Children/$count', '$these/$count', 'length(Nicknames)', 'year(Born)'),
    fc
      .tuple(
        fc.constantFrom('Children', '$these', 'Enclosure/Animals', 'Children/$filter(Tame)'),
        fc.constantFrom('Weight', 'Mother/Weight', 'Children/Weight', 'Keepers/Badge'),
        methods,
      )
      .map(([of, path, method]) => `${of}/aggregate(${path} with ${method})`),
    fc.constantFrom(
      'Habits/aggregate(TimesADay with sum)',
      'indexof(Nicknames,[Name])',
      'Keepers/aggregate(Badge mul $it/Weight with sum)',
      '$these/aggregate($it/Weight sub Weight with max)',
    ),
    fc
      .tuple(tie('number'), fc.constantFrom('add', 'sub', 'mul'), tie('number'))
      .map((parts) => `(${parts.join(' ')})`),
    fc
      .tuple(tie('number'), tie('number'))
      .map(([one, two]) => `case(${one} gt ${two}:${one},true:${two})`),
  ),
}));
const condition = fc
  .tuple(number, fc.constantFrom('eq', 'ne', 'gt', 'le'), number)
  .map((parts) => parts.join(' '));
const nested = fc.constantFrom(
  'K/$count',
  'K/aggregate(Badge with sum)',
  'K/aggregate(T with max)',
  'K/$filter(T gt 1)/$count',
);
const groups = fc.constantFrom('Tame', 'Name', 'Species/Title', 'Keepers/Name', 'Enclosure/Wing');
const right = fc.oneof(
  fc
    .tuple(nested, number, methods)
    .map(
      ([one, two, method]) =>
        `Animals?$apply=addnested(Keepers,filter(Badge gt 0)/compute(Badge mul 2 as T) as K)/filter(${one} le ${two})/aggregate(K/T with ${method} as N)`,
    ),
  fc
    .tuple(nested, number)
    .map(
      ([one, two]) =>
        `Animals?$apply=addnested(Keepers,compute(Badge mul 2 as T) as K)&$filter=${one} ne ${two}&$orderby=${one}`,
    ),
  condition.map((one) => `Animals?$filter=${one}&$count=true`),
  fc.tuple(number, number).map(([one, two]) => `Animals?$compute=${one} as C&$orderby=${two}`),
  condition.map((one) => `Animals?$expand=Children($filter=${one};$orderby=Name;$top=1)`),
  condition.map((one) => `Animals/$filter(${one})?$select=Name`),
  fc
    .tuple(groups, number, methods, condition)
    .map(
      ([by, one, method, when]) =>
        `Animals?$apply=filter(${when})/groupby((${by}),aggregate(${one} with ${method} as N))&$orderby=N`,
    ),
  fc
    .tuple(groups, number, condition)
    .map(
      ([by, one, when]) =>
        `Animals?$apply=groupby((${by}),compute(${one} as C)/filter(${when})/aggregate(C with sum as S,$count as N))`,
    ),
  fc
    .tuple(groups, number)
    .map(
      ([by, one]) => `Animals?$apply=groupby((${by}),topcount($these/$count,${one}))&$select=Name`,
    ),
);

const groupings = fc.constantFrom(
  'Name',
  'Tame',
  'Mood/Text',
  'Species/Title',
  'Keepers/Name',
  'Keepers/Animals/Tame',
  'Habits/Name',
  'Species',
  'rollup(Tame,Diet)',
);
const aggregates = fc.oneof(
  fc.constantFrom('$count as N', 'Keepers/$count as N', 'Keepers/Animals/Habits/$count as N'),
  fc.tuple(paths, methods).map(([path, method]) => `${path} with ${method} as N`),
  fc.tuple(expression, methods).map(([one, method]) => `${one} with ${method} as N`),
);
const { chain } = fc.letrec<{ chain: string }>((tie) => ({
  chain: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    aggregates.map((one) => `aggregate(${one})`),
    expression.map((one) => `filter(${one} eq ${one})`),
    expression.map((one) => `compute(${one} as C)`),
    fc.constantFrom('top(2)', 'skip(1)', 'identity', 'topcount($these/$count div 2,Weight)'),
    fc.tuple(groupings, tie('chain')).map(([by, then]) => `groupby((${by}),${then})`),
    fc.tuple(tie('chain'), tie('chain')).map(([one, two]) => `${one}/${two}`),
    fc.tuple(tie('chain'), tie('chain')).map(([one, two]) => `concat(${one},${two})`),
    tie('chain').map((one) => `addnested(Keepers,${one} as K)`),
    tie('chain').map((one) => `join(Keepers as K,${one})`),
  ),
}));

const queries = fc.oneof(
  { weight: 12, arbitrary: right },
  expression.map((one) => `Animals?$filter=${one}`),
  expression.map((one) => `Animals?$filter=${one} eq ${one}&$count=true&$top=1`),
  expression.map((one) => `Animals?$orderby=${one} desc&$top=2`),
  expression.map((one) => `Animals?$compute=${one} as C&$filter=C ne null&$orderby=C&$select=C`),
  expression.map((one) => `Animals?$select=Care($compute=${one} as C;$select=C)`),
  expression.map(
    (one) => `Animals?$select=Habits($compute=${one} as C;$filter=C ne null;$orderby=C)`,
  ),
  expression.map((one) => `Animals?$select=Nicknames($filter=${one} eq $this;$orderby=${one})`),
  expression.map((one) => `Animals?$expand=Children($filter=${one} ne null;$orderby=${one})`),
  expression.map((one) => `Animals/$filter(${one} ne null)`),
  chain.map((one) => `Animals?$apply=${one}`),
  fc.tuple(chain, expression).map(([one, two]) => `Animals?$apply=${one}&$filter=${two} ne null`),
  chain.map((one) => `Animals?$apply=${one}&$orderby=N,C&$top=1&$count=true`),
  chain.map((one) => `$crossjoin(Animals,Keepers)?$apply=${one}`),
  expression.map((one) => `$crossjoin(Animals,Keepers)?$apply=filter(Animals/Name eq ${one})`),
  fc
    .tuple(expression, methods)
    .map(
      ([one, method]) =>
        `$crossjoin(Animals,Keepers)?$apply=groupby((Keepers/Name),aggregate(Animals/Weight with ${method} as N))/filter(N eq ${one})`,
    ),
);

test('every question is answered or refused', { timeout: timeLimit(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const [path = '', ...rest] = query.split('?');
      const answer = await zoo.get(`/${encodeURI(path)}?${encodeQuery(rest.join('?'))}`);
      expect([answer.status, query]).not.toEqual([500, query]);
      expect([200, 400, 404, 501]).toContain(answer.status);
      if (answer.status === 200) JSON.parse(answer.text);
    }),
    cases(400),
  );
});
