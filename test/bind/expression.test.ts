// This file checks what expressions come to mean: names, types, promotion, overloads, and what is refused with which words.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { Expression } from '../../src/bind/bound.ts';
import { bindExpression, startSession } from '../../src/bind/expression/expression.ts';
import { bindCondition } from '../../src/bind/expression/promotion.ts';
import {
  allRows,
  DEFAULT_BIND_LIMITS,
  type Frame,
  resolvedVariable,
  startFrame,
  subjectOf,
} from '../../src/bind/scope.ts';
import { setSource } from '../../src/edm/source.ts';
import { DEFAULT_TREE_LIMITS } from '../../src/request/cursor.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import type * as Tree from '../../src/request/tree.ts';
import { oddModel } from '../odd-model.ts';
import { print, printType } from './print.ts';

function parse(text: string): Tree.Expression {
  return parseExpression(text, '$filter', { ...DEFAULT_TREE_LIMITS, nodes: 100_000 });
}

function frameOf(set: string, aliases: Readonly<Record<string, string>> = {}): Frame {
  const session = startSession({ model: oddModel, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const subject = subjectOf(resolvedVariable(allRows(session, setSource(oddModel, set)).row));
  return {
    ...startFrame(session, { name: 'filter', target: '$filter' }, subject),
    aliases: new Map(Object.entries(aliases).map(([name, text]) => [name, parse(text)])),
  };
}

function bind(
  text: string,
  set = 'Animals',
  aliases: Readonly<Record<string, string>> = {},
): Expression {
  return bindExpression(frameOf(set, aliases), parse(text));
}

function bound(
  text: string,
  set = 'Animals',
  aliases: Readonly<Record<string, string>> = {},
): string {
  return print(bind(text, set, aliases));
}

function refusal(text: string, set = 'Animals'): string {
  try {
    bindCondition(frameOf(set), parse(text));
  } catch (fault) {
    if (fault instanceof Fault) return `${fault.status} ${fault.code}: ${fault.message}`;
    throw fault;
  }
  return 'no fault';
}

describe('paths', () => {
  test.each([
    ['a property', "Name eq 'x'", "(a1.Name eq 'x')"],
    ['a property of a complex value', "Care/Room/Name eq 'x'", "(a1.Care.Room.Name eq 'x')"],
    ['a part of a coded value', 'Mood/Value eq 5', '(a1.Mood.Value eq 5)'],
    ['a single navigation', "Mother/Name eq 'x'", "(a1.>Mother.Name eq 'x')"],
    [
      'navigations one behind the other',
      "Mother/Mother/Enclosure/Wing eq 'x'",
      "(a1.>Mother.>Mother.>Enclosure.Wing eq 'x')",
    ],
    ['a navigation inside a complex value', "Care/Vet/Name eq 'x'", "(a1.Care.>Vet.Name eq 'x')"],
    ['a navigation against null', 'Mother eq null', '(a1.>Mother eq null)'],
    ['a coded value against null', 'Mood ne null', '(a1.Mood.Value ne null)'],
    ['two coded values', 'Mood eq Care/Mood', '(a1.Mood.Value eq a1.Care.Mood.Value)'],
    ['$it', "$it/Name eq 'x'", "(a1.Name eq 'x')"],
    ['$root', '$root/Keepers(7)/Name eq Name', '({a2:Keepers where (a2.Id eq 7)}.Name eq a1.Name)'],
    ['a singleton', '$root/Director/Name eq Name', '({a2:Director}.Name eq a1.Name)'],
    [
      'one entity against another',
      'Mother eq $root/Animals(7)',
      '(a1.>Mother eq {a3:Animals where (a3.Id eq 7)})',
    ],
    [
      'a member of a collection by its key',
      "Children(5)/Name eq 'x'",
      "({a2:Animals of a1.>Children where (a2.Id eq 5)}.Name eq 'x')",
    ],
    [
      'a member by an alternate key',
      "Children(Number=5)/Name eq 'x'",
      "({a2:Animals of a1.>Children where (a2.Number eq 5:Int64)}.Name eq 'x')".replace(
        ':Int64',
        '',
      ),
    ],
  ])('%s', (_, text, expected) => {
    expect(bound(text)).toBe(expected);
  });

  test('the same navigation is the same row wherever it is mentioned', () => {
    const both = bind("Mother/Name eq 'x' and Mother/Remark eq 'y'");
    const rows = JSON.stringify(both, (key, value) =>
      key === 'target'
        ? value.id
        : key === 'source' || typeof value === 'bigint'
          ? undefined
          : value,
    ).match(/"target":\d+/g);
    expect(new Set(rows)).toEqual(new Set(['"target":2']));
  });

  test('a name that does not exist is refused with its type, its place and the nearest name', () => {
    expect(refusal("Nmae eq 'x'")).toBe(
      '400 bind.unknown-property: The type Odd.Zoo.Animal has no property "Nmae" (at position 0 of $filter). Did you mean "Name"?',
    );
    expect(refusal("Care/Rom/Name eq 'x'")).toContain('Odd.Zoo.Care has no property "Rom"');
    expect(refusal('__proto__ eq 1')).toContain('400 bind.unknown-property');
    expect(refusal('constructor eq 1')).toContain('400 bind.unknown-property');
  });

  test('a property of a derived type is refused with the cast to write', () => {
    expect(refusal('Wingspan gt 1')).toContain(
      'Write Odd.Zoo.Bird/Wingspan, because only that derived type has it.',
    );
  });

  test('a path through a collection is refused', () => {
    expect(refusal("Children/Name eq 'x'")).toContain('400 bind.collection');
    expect(refusal("Children/Name eq 'x'")).toContain('any(x:x/Name …)');
    expect(refusal('Children eq null')).toContain('400 bind.collection');
  });

  test('a path behind a primitive value is refused', () => {
    expect(refusal("Name/First eq 'x'")).toContain('400 bind.not-a-path');
  });
});

describe('casts in paths', () => {
  test.each([
    [
      'a property only the derived type has needs no guard',
      'Odd.Zoo.Bird/Wingspan gt 1',
      '(a1.Wingspan gt 1:Double)',
    ],
    [
      'an inherited property is null on rows of other types',
      "Odd.Zoo.Bird/Name eq 'x'",
      "(case(isof(a1,Bird):a1.Name) eq 'x')",
    ],
    ['the alias of the namespace', 'Zoo.Bird/Wingspan gt 1', '(a1.Wingspan gt 1:Double)'],
    ['a bare name', 'Bird/Wingspan gt 1', '(a1.Wingspan gt 1:Double)'],
    [
      'a collection',
      'Children/Odd.Zoo.Bird/any(b:b/Wingspan gt 1)',
      'any(a2:Animals(Bird) of a1.>Children where isof(a2,Bird) | (a2.Wingspan gt 1:Double))',
    ],
    [
      'a complex value',
      'Care/Room/Odd.Zoo.ColdRoom/Temperature lt 0',
      '(a1.Care.Room.Temperature lt 0:Double)',
    ],
    [
      'one cast behind another',
      "Odd.Zoo.Bird/Odd.Zoo.Parrot/Name eq 'x'",
      "(case(isof(a1,Parrot):a1.Name) eq 'x')",
    ],
    ['a cast at the end', 'Mother/Odd.Zoo.Bird ne null', '(cast(a1.>Mother,Bird) ne null)'],
    ['a cast to the type itself', "Odd.Zoo.Animal/Name eq 'x'", "(a1.Name eq 'x')"],
  ])('%s', (_, text, expected) => {
    expect(bound(text)).toBe(expected);
  });

  test('a type outside the hierarchy is refused', () => {
    expect(refusal("Odd.Zoo.Keeper/Name eq 'x'")).toContain(
      '400 bind.unrelated-type: The type Odd.Zoo.Keeper is not derived from Odd.Zoo.Animal',
    );
  });

  test('a type that nothing suggests a path to may have been meant as a property', () => {
    expect(refusal("Chip/Serial eq 'x'", 'Keepers')).toMatch(
      / Keeper has no property "Chip" either\.$/,
    );
  });
});

describe('literals beside properties', () => {
  test.each([
    ['an integer', 'Whole eq 5', '(a1.Whole eq 5:Int32)'],
    ['the greatest Int64', 'Big eq 9223372036854775807', '(a1.Big eq 9223372036854775807)'],
    [
      'an integer beyond Int64',
      'Big lt 9223372036854775808',
      '(cast(a1.Big,Decimal) lt 9223372036854775808:Decimal)',
    ],
    ['an integer too great for the type', 'Small lt 300', '(a1.Small lt 300)'],
    [
      'a decimal, exact',
      'Exact eq 1234567890123456.7891',
      '(a1.Exact eq 1234567890123456.7891:Decimal)',
    ],
    ['an integer beside a decimal', 'Exact eq 5', '(a1.Exact eq 5:Decimal)'],
    ['a decimal beside an integer', 'Whole gt 5.5', '(cast(a1.Whole,Decimal) gt 5.5:Decimal)'],
    ['a decimal beside a double', 'Double gt 5.5', '(a1.Double gt 5.5:Double)'],
    ['infinity', 'Double lt INF', '(a1.Double lt INF:Double)'],
    ['a member of an enumeration as text', "Diet eq 'Meat'", "(a1.Diet eq Diet'1')"],
    ['a member with its type', "Diet eq Odd.Zoo.Diet'Meat'", "(a1.Diet eq Diet'1')"],
    ['a member by its number', "Diet eq Odd.Zoo.Diet'2'", "(a1.Diet eq Diet'2')"],
    ['a duration as text', "Span gt 'PT1H'", "(a1.Span gt duration'PT1H')"],
    ['a duration with its prefix', "Span gt duration'PT1H'", "(a1.Span gt duration'PT1H')"],
    ['a date', 'Day ge 2026-01-31', '(a1.Day ge 2026-01-31:Date)'],
    [
      'a point in time brought to UTC and the precision',
      'Moment ge 2026-01-31T13:00:00+01:00',
      '(a1.Moment ge 2026-01-31T12:00:00.000Z:DateTimeOffset)',
    ],
    ['a time of day', 'Clock lt 08:30', '(a1.Clock lt 08:30:00.000:TimeOfDay)'],
    [
      'a guid',
      'Tag eq 01234567-89AB-cdef-0123-456789abcdef',
      '(a1.Tag eq 01234567-89ab-cdef-0123-456789abcdef:Guid)',
    ],
    ['the side does not matter', "'Meat' eq Diet", "(Diet'1' eq a1.Diet)"],
    ['more digits than are stored: equal to none', 'Moment eq 2026-01-31T12:00:00.0001Z', 'false'],
    [
      'more digits than are stored: before',
      'Moment lt 2026-01-31T12:00:00.0001Z',
      '(a1.Moment le 2026-01-31T12:00:00.000Z:DateTimeOffset)',
    ],
    [
      'more digits than are stored: after',
      'Moment ge 2026-01-31T12:00:00.0001Z',
      '(a1.Moment gt 2026-01-31T12:00:00.000Z:DateTimeOffset)',
    ],
    [
      'more digits than are stored, on the left',
      '2026-01-31T12:00:00.0001Z lt Moment',
      '(a1.Moment gt 2026-01-31T12:00:00.000Z:DateTimeOffset)',
    ],
    [
      'properties of different precision',
      'Moment lt Instant',
      '(cast(a1.Moment,DateTimeOffset) lt a1.Instant)',
    ],
    ['properties of different width', 'Whole lt Big', '(a1.Whole lt a1.Big)'],
    ['null', 'Scan eq null', '(a1.Scan eq null)'],
    ['a place against null', 'Spot ne null', '(a1.Spot ne null)'],
  ])('%s', (_, text, expected) => {
    expect(bound(text, 'Samples')).toBe(expected);
  });

  test.each([
    ['text beside a number', "Whole eq 'x'", "'x' of type Edm.String", 'without quotes'],
    ['a number beside text', 'Words eq 5', 'Words of type Edm.String', "Write '5' with quotes"],
    [
      'a date beside a point in time',
      'Moment ge 2026-01-31',
      'Edm.Date',
      'Write 2026-01-31T00:00:00Z',
    ],
    ['binary data', "Bytes eq binary'AQID'", 'Edm.Binary', 'cannot compare'],
    ['a place', "Spot eq geography'SRID=4326;Point(1 2)'", 'Edm.GeographyPoint', 'cannot compare'],
    ['a collection', 'Numbers eq 5', 'Collection(Edm.Int32)', 'Numbers/any(x:x eq 5)'],
    [
      'a member that the enumeration does not have',
      "Diet eq 'Meta'",
      '400 bind.unknown-member',
      'Did you mean "Meat"?',
    ],
    ['a number beside an enumeration', 'Diet eq 1', 'Odd.Zoo.Diet', 'cannot compare'],
  ])('%s is refused', (_, text, ...parts) => {
    const message = refusal(text, 'Samples');
    for (const part of parts) expect(message).toContain(part);
  });

  test('a coded value beside a number is refused with the parts to write', () => {
    expect(refusal('Mood eq 5')).toBe(
      '400 bind.coded: Mood is a coded value (at position 0 of $filter); write Mood/Value or Mood/Text instead.',
    );
    expect(refusal("Mood eq 'Calm'")).toContain('write Mood/Value or Mood/Text');
    expect(refusal("contains(Mood,'x')")).toContain('write Mood/Value or Mood/Text');
  });
});

describe('logic', () => {
  test('chains are flat', () => {
    expect(bound('Tame or Tame or Tame and Tame')).toBe(
      '(a1.Tame or a1.Tame or (a1.Tame and a1.Tame))',
    );
    expect(bound('Tame and (Tame and not Tame)')).toBe('(a1.Tame and a1.Tame and not a1.Tame)');
  });

  test('a chain of ten thousand is bound', () => {
    const many = bind(
      Array.from({ length: 10_000 }, (_, index) => `Number eq ${index}`).join(' or '),
    );
    expect(many).toMatchObject({ kind: 'or', operands: { length: 10_000 } });
    const sum = bind(Array.from({ length: 200 }, () => 'Number').join(' add '));
    expect(sum.kind).toBe('arithmetic');
  });

  test('only conditions can be joined', () => {
    expect(refusal('Tame and Name')).toBe(
      '400 bind.condition: Expected a condition at position 9 of $filter, but Name is of type Edm.String; compare it with a value.',
    );
    expect(refusal('not Number')).toContain('400 bind.condition');
    expect(refusal('Name')).toContain('400 bind.condition');
  });
});

describe('in and has', () => {
  test.each([
    ["Name in ('a','b')", "(a1.Name in ('a','b'))"],
    ['Mood/Value in (1,2)', '(a1.Mood.Value in (1,2))'],
    ["Diet in ('Meat','Plants')", "(a1.Diet in (Diet'1',Diet'0'))"],
    ["Name in ('a',null)", "((a1.Name in ('a')) or (a1.Name eq null))"],
    ['Weight in (1,2.5)', '(a1.Weight in (1:Decimal,2.5:Decimal))'],
    ['Name in Nicknames', '(a1.Name in e2 in a1.Nicknames)'],
    ['Mother in $root/Animals', '(a1.>Mother in a3:Animals)'],
    ['Name in ["a","b"]', "(a1.Name in ('a','b'))"],
    ['Name in @names', "(a1.Name in ('a','b'))"],
    ["Skills has Odd.Zoo.Skills'Runs,Flies'", "(a1.Skills has Skills'5')"],
    ["Skills has 'Dives'", "(a1.Skills has Skills'6')"],
  ])('%s', (text, expected) => {
    expect(bound(text, 'Animals', { names: '["a","b"]' })).toBe(expected);
  });

  test('an empty list and mixed types are refused', () => {
    expect(refusal('Name in ()')).toContain('400 bind.list');
    expect(refusal("Number in (1,'x')")).toContain('400 bind.comparison');
    expect(refusal("Name has 'x'")).toContain('400 bind.operand');
  });
});

describe('arithmetic', () => {
  test.each([
    ['Whole add 1', '(a1.Whole add 1):Int64', 'Int64'],
    ['Whole add Short', '(a1.Whole add a1.Short):Int32', 'Int32'],
    ['Whole mul 1.5', '(cast(a1.Whole,Decimal) mul 1.5:Decimal):Decimal', 'Decimal'],
    ['Exact mul 2', '(a1.Exact mul 2:Decimal):Decimal', 'Decimal'],
    ['Exact add Double', '(cast(a1.Exact,Double) add a1.Double):Double', 'Double'],
    ['Whole div 2', '(a1.Whole div 2):Int64', 'Int64'],
    ['Whole divby 2', '(cast(a1.Whole,Decimal) divby 2:Decimal):Decimal', 'Decimal'],
    ['10 sub 3 sub 2', '((10 sub 3):Int64 sub 2):Int64', 'Int64'],
    [
      "Moment add duration'PT1H'",
      "(a1.Moment add duration'PT1H'):DateTimeOffset",
      'DateTimeOffset',
    ],
    ['Moment sub Span', '(a1.Moment sub a1.Span):DateTimeOffset', 'DateTimeOffset'],
    ['Moment sub now()', '(a1.Moment sub @now):Duration', 'Duration'],
    ['Day sub Day', '(a1.Day sub a1.Day):Duration', 'Duration'],
    ['Day add Span', '(a1.Day add a1.Span):Date', 'Date'],
    ['Span mul 2', '(a1.Span mul 2):Duration', 'Duration'],
    ['2 mul Span', '(2 mul a1.Span):Duration', 'Duration'],
    ['Span div 2.5', '(a1.Span div 2.5:Decimal):Duration', 'Duration'],
    ['-Span', '-a1.Span', 'Duration'],
    ['-(Whole)', '-a1.Whole', 'Int32'],
    ['-(Small)', '-a1.Small', 'Int16'],
  ])('%s', (text, expected, type) => {
    const result = bind(text, 'Samples');
    expect(print(result)).toBe(expected);
    expect(printType(result.type)).toBe(type);
  });

  test('a division by a constant zero is refused, that of a double is not', () => {
    expect(refusal('Whole div 0 eq 1', 'Samples')).toContain('400 bind.division-by-zero');
    expect(refusal('Whole mod 0 eq 1', 'Samples')).toContain('400 bind.division-by-zero');
    expect(refusal('Exact div 0.0 eq 1', 'Samples')).toContain('400 bind.division-by-zero');
    expect(refusal('Double divby 0e0 eq INF', 'Samples')).toBe('no fault');
  });

  test('what cannot be calculated with is refused', () => {
    expect(refusal("Words add 'x' eq 'y'", 'Samples')).toContain('Use concat(…) to join text');
    expect(refusal('Span add Moment eq null', 'Samples')).toContain(
      'Write the duration on the right.',
    );
    expect(refusal('Moment add Moment eq null', 'Samples')).toContain('400 bind.operand');
    expect(refusal('Mood add 1 eq 2')).toContain('400 bind.coded');
  });
});

describe('functions', () => {
  test.each([
    ["contains(Name,'x')", "contains(a1.Name,'x')"],
    ["CONTAINS(Name,'x')", "contains(a1.Name,'x')"],
    ["matchesPattern(Name,'^x')", "matchespattern(a1.Name,'^x')"],
    ["substring(Name,1,2) eq 'x'", "(substring(a1.Name,1,2) eq 'x')"],
    ['length(Name) gt 3', '(length(a1.Name) gt 3:Int32)'],
    ['length(Nicknames) gt 3', '(length(a1.Nicknames) gt 3:Int32)'],
    ['year(Born) eq 2020', '(year(a1.Born) eq 2020:Int32)'],
    ['round(Weight) eq 5', '(round(a1.Weight) eq 5:Decimal)'],
    ['round(Number) eq 5', '(round(cast(a1.Number,Decimal)) eq 5:Decimal)'],
    ['Created lt now()', '(a1.Created lt @now)'],
    ['contains(Name,null)', 'contains(a1.Name,null)'],
    ['hassubset(Nicknames,["a"])', 'hassubset(a1.Nicknames,["a"]:[String])'],
    ["concat(concat(Name,' '),Remark) eq 'x'", "(concat(concat(a1.Name,' '),a1.Remark) eq 'x')"],
    [
      "case(Weight gt 5:'heavy',true:'light') eq 'heavy'",
      "(case((a1.Weight gt 5:Decimal):'heavy',true:'light') eq 'heavy')",
    ],
    ['case(Tame:1,true:2.5) eq 1', '(case(a1.Tame:1:Decimal,true:2.5:Decimal) eq 1:Decimal)'],
    ["cast(Number,Edm.String) eq '5'", "(cast(a1.Number,String) eq '5')"],
    ["Born gt cast('2020-01-01',Edm.Date)", '(a1.Born gt 2020-01-01:Date)'],
    ["Born gt cast('soon',Edm.Date)", '(a1.Born gt null)'],
    ['isof(Mother,Odd.Zoo.Bird)', 'isof(a1.>Mother,Bird)'],
    ['isof(Odd.Zoo.Bird)', 'isof(a1,Bird)'],
    ['cast(Odd.Zoo.Bird) ne null', '(cast(a1,Bird) ne null)'],
    ['isof(Name,Edm.String)', '(a1.Name ne null)'],
    [
      "geo.distance(Enclosure/Place,geography'SRID=4326;Point(1 2)') lt 5",
      "(geo.distance(a1.>Enclosure.Place,geography'SRID=4326;Point(1 2)':GeographyPoint) lt 5:Double)",
    ],
  ])('%s', (text, expected) => {
    expect(bound(text)).toBe(expected);
  });

  test.each([
    ["contain(Name,'x')", '400 bind.unknown-function', 'Did you mean "contains"?'],
    ['contains(Name)', '400 bind.argument', 'contains(string,string)'],
    ["contains(Number,'x')", '400 bind.argument', 'Edm.Int64,Edm.String'],
    ["substring(Name,1,-1) eq ''", '400 bind.literal', 'a length of 0 or more'],
    ['year(2020-01-01T00:00:00+01:00) eq 2019', '400 bind.literal', 'in UTC'],
    ["contains(Nicknames,'x')", '400 bind.argument', 'contains(collection,collection)'],
    ['cast(Tame,Edm.Date) eq null', '400 bind.cast', 'Edm.Boolean'],
    ['cast(Name,Odd.Zoo.Nothing) eq null', '400 bind.unknown-type', 'Odd.Zoo.Nothing'],
    ["case(Tame:1,true:'x') eq 1", '400 bind.operand', 'the same type'],
  ])('%s is refused', (text, ...parts) => {
    for (const part of parts) expect(refusal(text)).toContain(part);
  });
});

describe('functions of the model', () => {
  test.each([
    [
      "Odd.Zoo.Age(on=2020-01-01) gt duration'P1D'",
      "((2020-01-01:Date sub a1.Born):Duration gt duration'P1D')",
    ],
    [
      "Age(on=2020-01-01) gt duration'P1D'",
      "((2020-01-01:Date sub a1.Born):Duration gt duration'P1D')",
    ],
    ["$it/Odd.Zoo.Grandmother()/Name eq 'x'", "(a1.>Mother.>Mother.Name eq 'x')"],
    ['Odd.Zoo.Mates()/any(m:m/Tame)', 'any(a3:Animals of a1.>Enclosure.>Animals | a3.Tame)'],
    [
      'Children/Odd.Zoo.Grown(least=5)/$count gt 1',
      '(count(a2:Animals of a1.>Children where (a2.Weight ge 5:Decimal)) gt 1)',
    ],
    [
      '$root/Sum(a=1,b=2) eq 3',
      '((1:Decimal add case((2:Decimal eq null):0:Decimal,true:2:Decimal)):Decimal eq 3:Decimal)',
    ],
    ['$root/Self()/Name eq Name', '({a2:Keepers where (a2.Id eq @me)}.Name eq a1.Name)'],
  ])('%s', (text, expected) => {
    expect(bound(text)).toBe(expected);
  });

  test('wrong parameters are refused with those that exist', () => {
    expect(refusal('Odd.Zoo.Age(of=2020-01-01) eq null')).toContain('write Age(on=…)');
    expect(refusal('Odd.Zoo.Age() eq null')).toContain('400 bind.unknown-parameter');
    expect(refusal("Odd.Zoo.Age(on='x') eq null")).toContain('400 bind.argument');
  });

  test.each([
    ['Odd.Zoo.Agee(on=2020-01-01) eq null', ' Did you mean "Odd.Zoo.Age"?'],
    ['agee(on=2020-01-01) eq null', ' Did you mean "Odd.Zoo.Age"?'],
    ['Zoo.Old.Age(on=2020-01-01) eq null', ' Did you mean "Odd.Zoo.Age"?'],
    ['Mother/Agee(on=2020-01-01) eq null', ' Did you mean "Odd.Zoo.Age"?'],
    ['summ(a=1) eq null', ' Did you mean "Odd.Zoo.Sum"?'],
    ['Keepers/any(k:k/Odd.Zoo.Agee(on=2020-01-01) eq null)', ''],
  ])('%s is refused with a function that can be called there', (text, hint) => {
    const shown = refusal(text);
    expect(shown).toContain('400 bind.unknown-function');
    expect(shown.slice(shown.indexOf(').') + 2)).toBe(hint);
  });
});

describe('collections', () => {
  test.each([
    ['Children/any()', 'any(a2:Animals of a1.>Children)'],
    [
      'Children/any(c:c/Name eq Name)',
      '(any(a2:Animals of a1.>Children | (a2.Name eq a1.Name)))'.slice(1, -1),
    ],
    ['Children/all(c:c/Tame)', 'all(a2:Animals of a1.>Children | a2.Tame)'],
    [
      'Children/any(c:c/Children/any(d:d/Name eq c/Name))',
      'any(a2:Animals of a1.>Children | any(a3:Animals of a2.>Children | (a3.Name eq a2.Name)))',
    ],
    [
      "Children/any(Animals:Animals/Name eq 'x')",
      "any(a2:Animals of a1.>Children | (a2.Name eq 'x'))",
    ],
    ["Nicknames/any(n:n eq 'x')", "any(e2 in a1.Nicknames | (e2 eq 'x'))"],
    ['Habits/any(h:h/TimesADay gt 2)', 'any(e2 in a1.Habits | (e2.TimesADay gt 2:Int32))'],
    ['Children/$count gt 2', '(count(a2:Animals of a1.>Children) gt 2)'],
    [
      'Children/$count($filter=Tame) gt 0',
      '(count(a2:Animals of a1.>Children where a2.Tame) gt 0)',
    ],
    [
      'Children/$count($filter=Name eq $it/Name) gt 0',
      '(count(a2:Animals of a1.>Children where (a2.Name eq a1.Name)) gt 0)',
    ],
    [
      'Children/$count($search=red OR blue) gt 0',
      '(count(a2:Animals of a1.>Children where search(a2,(red OR blue))) gt 0)',
    ],
    [
      'Children/$filter(Tame)/$count gt 0',
      '(count(a2:Animals of a1.>Children where a2.Tame) gt 0)',
    ],
    [
      'Children/$filter(Tame)/any(c:c/Number gt 1)',
      'any(a2:Animals of a1.>Children where a2.Tame | (a2.Number gt 1))',
    ],
    [
      'Notes/any(n:n/Files/any())',
      'any(a2:Odd.Zoo.Creature/Notes of a1.>Notes | any(a3:Odd.Zoo.Note/Files of a2.>Files))',
    ],
  ])('%s', (text, expected) => {
    expect(bound(text)).toBe(expected);
  });

  test('a single value is no collection', () => {
    expect(refusal('Name/any(n:n eq 1)')).toContain(
      'The operator any cannot be used with a single Edm.String',
    );
    expect(refusal('Mother/$count gt 1')).toContain('It requires a collection.');
  });
});

describe('aliases', () => {
  test('an alias is typed by its use, one that is not given is null', () => {
    expect(bound('Diet eq @d', 'Animals', { d: "'Meat'" })).toBe("(a1.Diet eq Diet'1')");
    expect(bound('Weight eq @w', 'Animals', { w: '5' })).toBe('(a1.Weight eq 5:Decimal)');
    expect(bound('Weight eq @w')).toBe('(a1.Weight eq null)');
    expect(bound('@cond', 'Animals', { cond: 'Name eq @n', n: "'x'" })).toBe("(a1.Name eq 'x')");
    expect(bound('@m/Name eq Name', 'Animals', { m: 'Mother' })).toBe(
      '(a1.>Mother.Name eq a1.Name)',
    );
  });

  test('an alias that leads back to itself is refused', () => {
    expect(() => bound('Name eq @a', 'Animals', { a: '@b', b: '@a' })).toThrow('refers to itself');
  });
});

describe('open types', () => {
  test('a dynamic property takes the type of what it is compared with', () => {
    expect(bound('Colour eq 5', 'Oddities')).toBe('(a1.?Colour:Decimal eq 5:Decimal)');
    expect(bound("Colour eq 'red'", 'Oddities')).toBe("(a1.?Colour:String eq 'red')");
    expect(bound('Colour eq null', 'Oddities')).toBe('(a1.?Colour:untyped eq null)');
    expect(bound("contains(Colour,'e')", 'Oddities')).toBe("contains(a1.?Colour:String,'e')");
    expect(bound('First/Mood gt 5', 'Oddities')).toBe('(a1.First.?Mood:Decimal gt 5:Decimal)');
  });

  test('annotations are constants of the model, null where there is none', () => {
    expect(bound('@Core.Description eq null')).toContain('null');
    expect(refusal('@Core.Description/x eq null')).not.toBe('no fault');
  });
});
