// This file checks on random expressions that a filter keeps just the rows for which the expression is true, and its negation those for
// which it is false: conditions are compiled in ways of their own (indexes, look-ups), values are not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterStatement, openZoo, run, valueStatement } from './zoo.ts';

const zoo = openZoo();

const numbers = fc.constantFrom(
  'Id',
  'Number',
  'Weight',
  'Mood/Value',
  'Care/Mood/Value',
  'Mother/Number',
  'Mother/Mother/Id',
  'Enclosure/Number',
  'length(Name)',
  'Keepers/$count',
  'Nicknames/$count',
  '(Number add 1)',
  'Odd.Zoo.Bird/Wingspan',
  'null',
);
const constants = fc.constantFrom(
  '0',
  '1',
  '2.5',
  '3',
  '1001',
  '1250',
  '-1',
  'null',
  '1.25',
  '0.3',
);
const texts = fc.constantFrom(
  'Name',
  'Remark',
  'Mood/Text',
  'Care/Mood/Text',
  'Mother/Name',
  'Enclosure/Name',
  'Care/Vet/Name',
  'Passport/Country',
  'Chip/Serial',
  'tolower(Remark)',
  "concat(Name,'x')",
  'Care/Room/Name',
);
const words = fc.constantFrom(
  "'Calm'",
  "'P'",
  "'roar'",
  "'Leo'",
  "''",
  "'Aviary'",
  "'printer'",
  "'NL'",
  'null',
);
const operators = fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le');

const { expression } = fc.letrec<{ expression: string; leaf: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    tie('leaf'),
    fc
      .tuple(tie('expression'), fc.constantFrom('and', 'or'), tie('expression'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('expression').map((inner) => `not (${inner})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('eq false', 'eq true', 'ne true', 'in (false)', 'in (true,null)'),
      )
      .map(([inner, compared]) => `(${inner}) ${compared}`),
    tie('expression').map((inner) => `cast((${inner}),Edm.String) eq 'false'`),
  ),
  leaf: fc.oneof(
    fc.tuple(numbers, operators, fc.oneof(constants, numbers)).map((all) => all.join(' ')),
    fc.tuple(texts, operators, fc.oneof(words, texts)).map((all) => all.join(' ')),
    fc
      .tuple(fc.constantFrom('contains', 'startswith', 'endswith'), texts, words)
      .map(([f, a, b]) => `${f}(${a},${b})`),
    fc
      .tuple(texts, fc.constantFrom("('Calm','Leo')", "('x')", "('Polly',null)"))
      .map((all) => all.join(' in ')),
    fc
      .tuple(numbers, fc.constantFrom('(1,2)', '(1001,1.25)', '(3,null)'))
      .map((all) => all.join(' in ')),
    fc.constantFrom(
      'Tame',
      'Tame eq null',
      'Odd.Zoo.Fish/SaltWater',
      'Mother/Tame',
      'Care eq null',
      'Enclosure ne null',
      'isof(Odd.Zoo.Bird)',
      'isof(Mother,Odd.Zoo.Parrot)',
      "Keepers/any(k:k/Name eq 'Bob')",
      'Keepers/all(k:k/Boss ne null)',
      'Children/any()',
      "Nicknames/any(n:startswith(n,'S'))",
      'Habits/all(h:h/TimesADay gt 1)',
      "Skills has Odd.Zoo.Skills'Runs'",
      "Diet eq 'Meat'",
      'Born lt 2020-01-01',
      'null',
    ),
  ),
}));

const identities = (text: string) =>
  run(zoo, filterStatement('Animals', text)).map(([identity]) => Number(identity));
const values = (text: string) =>
  run(zoo, valueStatement('Animals', text)).map(([value]) => String(value));
const where = (all: readonly string[], wanted: string) =>
  all.flatMap((value, index) => (value === wanted ? [index + 1] : []));

describe('three-valued logic', () => {
  it('a filter keeps the rows for which its expression is true, its negation those for which it is false', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const all = values(text);
        expect(identities(text)).toEqual(where(all, 'true'));
        expect(identities(`not (${text})`)).toEqual(where(all, 'false'));
      }),
      { numRuns: 300 },
    );
  });

  it('the order of operands does not matter', () => {
    fc.assert(
      fc.property(expression, expression, (left, right) => {
        expect(values(`${left} and ${right}`)).toEqual(values(`${right} and ${left}`));
        expect(values(`(${left}) or (${right})`)).toEqual(
          values(`not (not (${left}) and not (${right}))`),
        );
      }),
      { numRuns: 100 },
    );
  });
});
