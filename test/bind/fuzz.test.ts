// This file throws random requests at binding: whatever is asked, it comes to a bound request or to a refusal with a message that
// has no gap in it, never to an error of ours.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { bindUrl } from './request.ts';

const names = fc.constantFrom(
  'Name',
  'Weight',
  'Born',
  'Tame',
  'Diet',
  'Skills',
  'Mood',
  'Mood/Value',
  'Care',
  'Care/Room/Name',
  'Care/Vet',
  'Care/Vet/Name',
  'Mother',
  'Mother/Mother/Weight',
  'Children',
  'Nicknames',
  'Habits',
  'Created',
  'Number',
  'Odd.Zoo.Bird/Wingspan',
  'Odd.Zoo.Bird',
  '$it',
  '$it/Name',
  '$this/Weight',
  '$root/Keepers(1)/Name',
  '$root/Keepers',
  '@a',
  'Nothing',
  'toString',
  'Children/$count',
  'Children/any()',
  'Children/aggregate($count)',
  '$these/$count',
  '$these/aggregate(Weight with max)',
  'Children/aggregate(Weight with sum)',
);
const literals = fc.constantFrom(
  'null',
  'true',
  '5',
  '0',
  '1.5',
  '1e3',
  'INF',
  "'x'",
  "'Meat'",
  '2026-01-31',
  '2026-01-31T12:00:00Z',
  '08:30:00',
  "duration'PT1H'",
  "Odd.Zoo.Diet'Meat'",
  "binary'AQID'",
  '01234567-89ab-cdef-0123-456789abcdef',
  "geography'SRID=4326;Point(1 2)'",
  '["a","b"]',
  '{"Name":"x"}',
);
const operators = fc.constantFrom(
  'eq',
  'ne',
  'gt',
  'le',
  'and',
  'or',
  'add',
  'sub',
  'mul',
  'div',
  'divby',
  'mod',
  'has',
  'in',
);
const functions = fc.constantFrom(
  'contains',
  'length',
  'concat',
  'substring',
  'year',
  'date',
  'round',
  'hassubset',
  'now',
  'geo.distance',
  'cast',
  'Odd.Zoo.Age',
  'unknown',
);
const types = fc.constantFrom(
  'Edm.String',
  'Edm.Int32',
  'Edm.Date',
  'Odd.Zoo.Diet',
  'Odd.Zoo.Bird',
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    names,
    literals,
    fc
      .tuple(tie('expression'), operators, tie('expression'))
      .map((parts) => `(${parts.join(' ')})`),
    fc
      .tuple(functions, fc.array(tie('expression'), { maxLength: 3 }))
      .map(([name, args]) => `${name}(${args.join(',')})`),
    fc.tuple(tie('expression'), types).map(([value, type]) => `isof(${value},${type})`),
    fc.tuple(tie('expression'), types).map(([value, type]) => `cast(${value},${type})`),
    tie('expression').map((value) => `not (${value})`),
    tie('expression').map((value) => `-(${value})`),
    tie('expression').map((value) => `Children/any(c:c/Tame or ${value})`),
    tie('expression').map((value) => `Nicknames/all(n:n eq ${value})`),
    tie('expression').map((value) => `Children/aggregate(${value} with max)`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([one, two]) => `([${one},1] eq [${two},{"a":${one}}])`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([when, then]) => `case(${when} : ${then},true : null)`),
  ),
}));

const options = fc.oneof(
  expression.map((text) => `$filter=${text}`),
  expression.map((text) => `$orderby=${text} desc`),
  expression.map((text) => `$compute=${text} as Made&$filter=Made eq null&$select=Made`),
  expression.map((text) => `$expand=Children($filter=${text};$orderby=${text})`),
  expression.map((text) => `$select=Care($compute=${text} as Made;$select=Made)`),
  expression.map((text) => `$select=Habits($compute=${text} as Made;$orderby=Made)`),
  expression.map((text) => `$apply=groupby((Diet),aggregate(${text} with max as M))`),
  fc
    .tuple(expression, names)
    .map(
      ([text, name]) =>
        `$apply=filter(${text})/groupby((${name}),aggregate(${name} with max as M))&$orderby=M`,
    ),
  fc
    .tuple(names, names)
    .map(([one, two]) => `$select=${one.replace(/^\$/, '')}&$expand=${two.replace(/^\$/, '')}`),
  expression.map((text) => `@a=${text}&$filter=@a eq Name`),
);

const paths = fc.constantFrom(
  'Animals',
  'Animals(1)',
  'Animals(1)/Children',
  'Animals/$count',
  'Mascot',
  'Animals(1)/Nicknames',
  'Animals(1)/Care',
  '$crossjoin(Animals,Keepers)',
  'Oddities',
);

test('every request is bound or refused with a whole message', () => {
  fc.assert(
    fc.property(paths, options, (path, option) => {
      try {
        expect(bindUrl(`${path}?${option}`).kind).not.toBe('');
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        expect(fault.message).not.toMatch(/\{\w+\}|undefined|\[object/);
        expect([400, 404, 405, 501]).toContain(fault.status);
      }
    }),
    { numRuns: 3000 },
  );
});
