// This file tests the query: splitting, decoding, names with and without $, nested options, and what is refused.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { printExpression, printSearch } from '../../src/request/print/expression.ts';
import { printQuery } from '../../src/request/print/url.ts';
import type { Expression } from '../../src/request/tree.ts';
import { parseOptions } from './pieces.ts';

function filterOf(raw: string): string {
  const { filter } = parseOptions(raw);
  return filter === undefined ? 'nothing' : printExpression(filter);
}

function faultOf(raw: string): Fault {
  try {
    parseOptions(raw);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error(`${raw} was read`);
}

describe('splitting and decoding', () => {
  test.each([
    ["$filter=Name%20eq%20'a%26b%3Dc'", "Name eq 'a&b=c'"],
    ["$filter=Name+eq+'a%2Bb'", "Name eq 'a+b'"],
    ["%24filter=Name eq 'x'", "Name eq 'x'"],
    ["$filter=Name eq '%2541'", "Name eq '%41'"],
    ['$filter=Name%20eq%20%27O%27%27Neil%27', "Name eq 'O''Neil'"],
    ["$filter=Name eq '😀%F0%9F%98%80'", "Name eq '😀😀'"],
    ["$filter=contains(Name%2C'%2F')", "contains(Name,'/')"],
    ['&&$filter=a&', 'a'],
    ['$filter=A eq 2020-01-01T00:00:00+02:00', 'A eq 2020-01-01T00:00:00+02:00'],
  ])('%s', (raw, expected) => {
    expect(filterOf(raw)).toBe(expected);
  });

  test.each(['$filter', 'filter', '$FILTER', 'Filter', '%24Filter'])('%s is $filter', (name) => {
    expect(filterOf(`${name}=a eq 1`)).toBe('a eq 1');
  });

  test('a value may hold further equals signs', () => {
    expect(parseOptions('$skiptoken=a=b%26c').skiptoken).toBe('a=b&c');
  });

  test('options without $ and @ that are no system options are kept aside, each value of them', () => {
    expect(parseOptions('_=1&x=%20&x=b&flag').custom).toEqual(
      new Map([
        ['_', ['1']],
        ['x', [' ', 'b']],
        ['flag', ['']],
      ]),
    );
  });

  test('names like those of objects are names like others', () => {
    expect(parseOptions('__proto__=1&constructor=2').custom.get('__proto__')).toEqual(['1']);
    expect(faultOf('$__proto__=1').code).toBe('request.unknown-option');
    expect(faultOf('$constructor=1').code).toBe('request.unknown-option');
    expect(faultOf('$apply=constructor(1)').code).toBe('request.syntax');
  });
});

describe('values', () => {
  test('numbers, switches and texts', () => {
    const options = parseOptions(
      '$top=0&$skip=10&$count=TRUE&$index=-1&$schemaversion=*&$id=Persons(7)&$deltatoken=x&$format=json',
    );
    expect(options).toMatchObject({
      top: 0,
      skip: 10,
      count: true,
      index: -1,
      schemaversion: '*',
      id: 'Persons(7)',
      deltatoken: 'x',
      format: 'json',
    });
  });

  test('a number beyond all bounds is the greatest exact one', () => {
    expect(parseOptions('$top=99999999999999999999').top).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('aliases are read wherever they stand', () => {
    const { aliases, expand, select } = parseOptions(
      '@a=1 add 2&@b=[1,{"x":null}]&@c=@a&$expand=X(@d=$this;$filter=@d/Y)&$select=Z(@e=5;$top=1)',
    );
    expect(
      [...aliases].map(
        ([name, value]: [string, Expression]) => `${name}=${printExpression(value)}`,
      ),
    ).toEqual(['a=1 add 2', 'b=[1,{"x":null}]', 'c=@a']);
    expect(expand?.[0]?.kind === 'path' && expand[0].options?.aliases.has('d')).toBe(true);
    expect(select?.[0]?.kind === 'path' && select[0].options?.aliases.has('e')).toBe(true);
  });

  test.each([
    'Caller',
    'Caller,Workorders($select=Uid,Name;$filter=a eq 1;$orderby=b desc,c;$top=5;$skip=1;$count=true;$search=x AND y;$levels=max)',
    'Workorders($expand=Caller($expand=Organization($select=Name)))',
    '*',
    '*($levels=2)',
    '*/$ref',
    'Assignment/*/$ref',
    'Workorders/$ref($filter=a)',
    'Workorders/$count($search="a b")',
    'NS.Derived/Attachments',
    'Workorders/NS.Derived($compute=a mul 2 as b;$apply=aggregate(c with sum as D))',
    '@NS.Term/X',
    '$value',
    'Caller($levels=3;@x=1)',
  ])('$expand=%s is read and written back', (text) => {
    expect(
      decodeURIComponent(printQuery(parseOptions(`$expand=${encodeURIComponent(reorder(text))}`))),
    ).toBe(`$expand=${reorder(text)}`);
  });

  test.each([
    '*',
    'Uid,Name',
    'Status/Value',
    'NS.*',
    'NS.Derived/Name',
    'NS.Function(p,q)',
    "Address($filter=endswith($this/Street,'x');$top=2)",
    'Status($select=Value,Text)',
    '@Core.Messages($top=5)',
    'A/B/NS.C/D',
  ])('$select=%s is read and written back', (text) => {
    expect(
      decodeURIComponent(printQuery(parseOptions(`$select=${encodeURIComponent(text)}`))),
    ).toBe(`$select=${text}`);
  });

  test('blanks around commas and semicolons of lists are overlooked', () => {
    const options = parseOptions(
      '$select=Uid, Name ,X&$orderby=a asc, b desc&$expand=C( $top=1 ; $skip=2 ), D',
    );
    expect(printQuery(options)).toBe(
      '$orderby=a,b%20desc&$expand=C($skip=2;$top=1),D&$select=Uid,Name,X',
    );
  });

  /** Nested options are written in the order in which the service evaluates them. */
  function reorder(text: string): string {
    return text
      .replace(
        '($select=Uid,Name;$filter=a eq 1;$orderby=b desc,c;$top=5;$skip=1;$count=true;$search=x AND y;$levels=max)',
        '($search=x AND y;$filter=a eq 1;$count=true;$orderby=b desc,c;$skip=1;$top=5;$select=Uid,Name;$levels=max)',
      )
      .replace(
        '($compute=a mul 2 as b;$apply=aggregate(c with sum as D))',
        '($apply=aggregate(c with sum as D);$compute=a mul 2 as b)',
      );
  }
});

describe('OData 4.01 URL Conventions, "System Query Option $search"', () => {
  test.each([
    ['blue', 'blue'],
    ['blue green', 'blue AND green'],
    ['a OR b c', 'a OR b AND c'],
    ['a b OR c', 'a AND b OR c'],
    ['(a OR b) c', '(a OR b) AND c'],
    ['NOT a b', 'NOT a AND b'],
    ['NOT (a b)', 'NOT (a AND b)'],
    ['a NOT b', 'a AND NOT b'],
    ['NOT NOT', 'NOT (NOT)'],
    ['NOT NOT a', 'NOT NOT a'],
    ['OR', '(OR)'],
    ['a OR', 'a AND (OR)'],
    ['OR AND', '(OR) AND (AND)'],
    ['a AND AND', 'a AND (AND)'],
    ['not a or b', 'not AND a AND or AND b'],
    ['"a OR b" c', '"a OR b" AND c'],
    ["O'Neil a,b", "O'Neil AND a,b"],
    ["'\"blue\" ''gr'", "'\"blue\" ''gr'"],
    ['ANDROID ORACLE NOTE', 'ANDROID AND ORACLE AND NOTE'],
  ])('%s is %s', (text, expected) => {
    const { search } = parseOptions(`$search=${encodeURIComponent(text)}`);
    expect(search === undefined ? '' : printSearch(search)).toBe(expected);
  });

  test('blanks may stand before and behind a search', () => {
    expect(parseOptions('$search=%20a%20').search).toMatchObject({
      kind: 'word',
      text: 'a',
      at: 1,
    });
  });

  test('a raw semicolon ends a nested search, and an encoded one belongs to the word', () => {
    const [item] = parseOptions('$expand=A($search=a%3Bb;$top=1)').expand ?? [];
    expect(item).toMatchObject({ options: { search: { text: 'a;b' }, top: 1 } });
    expect(faultOf('$expand=A($search=x;y)')).toMatchObject({ code: 'request.unknown-option' });
  });

  test('an encoded semicolon ends a nested search where an option follows, known or not', () => {
    const [item] =
      parseOptions(`$expand=${encodeURIComponent('A($search=a;$top=1)')}`).expand ?? [];
    expect(item).toMatchObject({ options: { search: { text: 'a' }, top: 1 } });
    const query = `$expand=${encodeURIComponent('A($search=a;tpo=1)')}`;
    expect(faultOf(query)).toMatchObject({ code: 'request.unknown-option', target: 'tpo' });
  });

  test.each([
    ['"a\\"b"', 'a"b'],
    ['"a\\\\"', 'a\\'],
    ['"\\\\\\""', '\\"'],
    ['"C:\\temp"', 'C:\\temp'],
    ['"a;b"', 'a;b'],
  ])('%s is the phrase %s', (text, phrase) => {
    const { search } = parseOptions(`$search=${encodeURIComponent(text)}`);
    expect(search).toMatchObject({ kind: 'phrase', text: phrase });
  });

  test.each(['', '"a', '"a\\"', '""', '(a', 'a)', '()', 'a "b', "'a", "'a' b"])(
    '%s is refused',
    (text) => {
      expect(faultOf(`$search=${encodeURIComponent(text)}`).status).toBe(400);
    },
  );
});

describe('a query is refused', () => {
  test.each([
    ['$foo=1', 'request.unknown-option', '$foo'],
    ['$fitler=a', 'request.unknown-option', '$fitler'],
    ['$inlinecount=allpages', 'request.unknown-option', '$inlinecount'],
    ['$top=1&$top=1', 'request.duplicate-option', '$top'],
    ['$top=1&TOP=2', 'request.duplicate-option', '$top'],
    ['@a=1&@a=2', 'request.duplicate-option', '@a'],
    ['$expand=A($top=1;TOP=2)', 'request.duplicate-option', '$top'],
    ['$expand=A(@a=1;@a=2)', 'request.duplicate-option', '@a'],
    ['$levels=2', 'request.misplaced-option', '$levels'],
    ['$expand=A($format=json)', 'request.misplaced-option', '$format'],
    ['$expand=A/$ref($select=B)', 'request.misplaced-option', '$select'],
    ['$expand=A/$count($top=1)', 'request.misplaced-option', '$top'],
    ['$expand=*($top=1)', 'request.misplaced-option', '$top'],
    ['$select=A($expand=B)', 'request.misplaced-option', '$expand'],
    ['$expand=A($foo=1)', 'request.unknown-option', '$foo'],
    ['$expand=A(foo=1)', 'request.unknown-option', 'foo'],
    ['$expand=A()', 'request.syntax', '$expand'],
    ['$expand=A($top=1', 'request.syntax', '$expand'],
    ['$expand=A($top=-1)', 'request.syntax', '$expand'],
    ['$expand=A($levels=0)', 'request.syntax', '$expand'],
    ['$expand=A($levels=x)', 'request.syntax', '$expand'],
    ['$expand=*/A', 'request.syntax', '$expand'],
    ['$expand=', 'request.syntax', '$expand'],
    ['$select=', 'request.syntax', '$select'],
    ['$select=A,', 'request.syntax', '$select'],
    ['$select=A/*', 'request.syntax', '$select'],
    ['$orderby=a up', 'request.syntax', '$orderby'],
    ['$orderby=a desc b', 'request.syntax', '$orderby'],
    ['$compute=a', 'request.syntax', '$compute'],
    ['$compute=a as', 'request.syntax', '$compute'],
    ['$top=-1', 'request.syntax', '$top'],
    ['$top=1.5', 'request.syntax', '$top'],
    ['$top=', 'request.syntax', '$top'],
    ['$top', 'request.syntax', '$top'],
    ['$skip=x', 'request.syntax', '$skip'],
    ['$count=1', 'request.syntax', '$count'],
    ['$count=trueish', 'request.syntax', '$count'],
    ['$skiptoken=', 'request.syntax', '$skiptoken'],
    ['$schemaversion=a b', 'request.option-value', '$schemaversion'],
    ['@=1', 'request.syntax', 'the query'],
    ['@a.b=1', 'request.syntax', 'the query'],
    ['@a', 'request.syntax', 'the query'],
    ['@a=', 'request.syntax', '@a'],
    ['$filter=%FF', 'request.encoding', '$filter'],
    ['%FF=1', 'request.encoding', 'the query'],
    ['$filter=a%', 'request.encoding', '$filter'],
  ])('%s with %s', (raw, code, target) => {
    const fault = faultOf(raw);
    expect(fault.code).toBe(code);
    expect(fault.target).toBe(target);
  });

  test('with the name that was probably meant', () => {
    expect(faultOf('$fitler=a').message).toContain('"$filter"');
    expect(faultOf('$expand=A($selct=b)').message).toContain('"$select"');
  });

  test('with 501 where the standard knows the option and the service does not', () => {
    expect(faultOf('$at=2020-01-01').status).toBe(501);
    expect(faultOf('$expand=A($from=2020-01-01)').status).toBe(501);
  });
});
