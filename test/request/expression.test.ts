// This file tests operators, calls and lists: how they group, and where a mistake in them is found.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import type { BinaryOperator } from '../../src/request/tree.ts';
import { parseFilter } from './pieces.ts';
import { show } from './show.ts';

/** From the loosest to the tightest; the operators of one line have the same precedence. */
const PRECEDENCE: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['eq', 'ne'],
  ['gt', 'ge', 'lt', 'le'],
  ['add', 'sub'],
  ['mul', 'div', 'divby', 'mod'],
  ['has', 'in'],
];

const rank = (operator: BinaryOperator) => PRECEDENCE.findIndex((line) => line.includes(operator));
const operators = PRECEDENCE.flat();
const pairs = operators.flatMap((first) => operators.map((second) => [first, second] as const));

describe('OData 4.01 URL Conventions, "Operator Precedence"', () => {
  test.each(pairs)(
    'a %s b %s c groups by precedence, and to the left among equals',
    (first, second) => {
      const expected =
        rank(first) >= rank(second)
          ? `((a ${first} b) ${second} c)`
          : `(a ${first} (b ${second} c))`;
      expect(show(parseExpression(`a ${first} b ${second} c`))).toBe(expected);
    },
  );

  test.each([
    ['10 sub 3 sub 2', '((10 sub 3) sub 2)'],
    ['2 mul 3 add 4', '((2 mul 3) add 4)'],
    ['2 add 3 mul 4', '(2 add (3 mul 4))'],
    ['a eq 1 or b eq 2 and c eq 3', '((a eq 1) or ((b eq 2) and (c eq 3)))'],
    ['not a eq b', '((not a) eq b)'],
    ['not (a eq b)', '(not (a eq b))'],
    ['not(a eq b)', '(not (a eq b))'],
    ['not not a', '(not (not a))'],
    ['not a in (1,2)', '(not (a in (1,2)))'],
    ['-a mul b', '((negate a) mul b)'],
    ['-a has b', '(negate (a has b))'],
    ['- 5', '(negate 5)'],
    ['-5', '-5'],
    ['--5', '(negate -5)'],
    ['2 sub -5', '(2 sub -5)'],
    ['a mul -b add c', '((a mul (negate b)) add c)'],
    ['a and not b or c', '((a and (not b)) or c)'],
    ['(((a)))', 'a'],
    ['( a or b ) and c', '((a or b) and c)'],
    ['a EQ 1 AnD b Ne 2', '((a eq 1) and (b ne 2))'],
    ['a  eq\t1', '(a eq 1)'],
  ])('%s is read as %s', (text, expected) => {
    expect(show(parseExpression(text))).toBe(expected);
  });
});

describe('names are no operators', () => {
  test.each([
    ['and eq or', '(and eq or)'],
    ['in in (1)', '(in in (1))'],
    ['eqx eq xeq', '(eqx eq xeq)'],
    ['nothing eq notnull', '(nothing eq notnull)'],
    ['INFO eq NaNo', '(INFO eq NaNo)'],
    ['nullable eq null', '(nullable eq null)'],
    ['year eq year(year)', '(year eq year(year))'],
    ['any eq all', '(any eq all)'],
    ['case eq cast', '(case eq cast)'],
    ['true/x eq null/y', '(true/x eq null/y)'],
    ['Größe eq 名前', '(Größe eq 名前)'],
    ['𠮷野 eq 1', '(𠮷野 eq 1)'],
  ])('%s is read as %s', (text, expected) => {
    expect(show(parseExpression(text))).toBe(expected);
  });

  test('not before a name and a blank is the operator', () => {
    expect(() => parseExpression('not eq 1')).toThrow(Fault);
  });
});

describe('calls, casts, cases', () => {
  test.each([
    ["contains(Name,'x')", "contains(Name, 'x')"],
    ["CONTAINS( Name , 'x' )", "CONTAINS(Name, 'x')"],
    ['substring(Name,1,2)', 'substring(Name, 1, 2)'],
    ['now()', 'now()'],
    ['geo.distance(A,B) lt 5', '(geo.distance(A, B) lt 5)'],
    ['concat(concat(a,b),c)', 'concat(concat(a, b), c)'],
    ['NS.F(p=1,q=@x)', 'NS.F(p=1,q=@x)'],
    ['cast(Edm.String)', 'cast(Edm.String)'],
    ['cast(A add 1,Edm.Int32)', 'cast(A add 1,Edm.Int32)'],
    ['cast(A,Collection(NS.T))', 'cast(A,Collection(NS.T))'],
    ['isof( NS.T )', 'isof(NS.T)'],
    ['isof(Caller, NS.T) eq true', '(isof(Caller,NS.T) eq true)'],
    ['case(X gt 0:1,X lt 0:-1,true:0)', 'case((X gt 0): 1, (X lt 0): -1, true: 0)'],
    ['case(X gt 10:20,true:0)', 'case((X gt 10): 20, true: 0)'],
    ['case(T eq 10:20:1,true:0)', 'case((T eq 10:20): 1, true: 0)'],
    ['case(T eq 10:20:30:1,true:0)', 'case((T eq 10:20:30): 1, true: 0)'],
    ['case(f(10:20) eq 1:11:30)', 'case((f(10:20) eq 1): 11:30)'],
    ['Products(1)', 'Products(1)'],
    ['Products(1)/Name', 'Products(1)/Name'],
    ['F(a=1)(2)/Name', 'F(a=1)(2)/Name'],
    ["a in (1,2, 3 ,'x')", "(a in (1,2,3,'x'))"],
    ['a in ()', '(a in ())'],
    ['a in (b)', '(a in b)'],
    ['a in (1 add 2)', '(a in (1 add 2))'],
    ['a in @list', '(a in @list)'],
    ['a in ["x",\'y\',1]', '(a in ["x","y",1])'],
    ['[a,b] in [[1,2],[3,4]]', '([a,b] in [[1,2],[3,4]])'],
    ['{"a":{"b":[1,null]},"@c":x add 1} eq y', '({"a":{"b":[1,null]},"@c":x add 1} eq y)'],
    ['["\\u00e4\\n\\"\\\\\\/"]', '["ä\\n\\"\\\\/"]'],
  ])('%s is read as %s', (text, expected) => {
    expect(show(parseExpression(text))).toBe(expected);
  });
});

describe('paths', () => {
  test.each([
    '$it/Name eq $this/Name',
    '$it',
    '$root/Persons(7)/Name',
    '$root/Persons',
    '@p/Name',
    '@Core.Messages/any(m:m/severity eq @s)',
    'Price/@Measures.Currency',
    'Price/@Currency#Reporting',
    'Workorders/any()',
    'Workorders/any(w:w/Status/Value eq 2)',
    'a/all(x:x/b/any(y:y/c eq x/d))',
    'Workorders/$count gt 2',
    'Workorders/$count($filter=a eq 1;$search=b OR c) gt 0',
    'Workorders/$filter(a eq 1)/$count',
    'Workorders/$filter(a eq 1)/any(w:w/b)',
    'NS.Derived/Name',
    'Caller/NS.F(x=1)/Name',
    'Emails/0',
    'Emails/-1',
    'Sales/aggregate(Amount with sum)',
    '$these/aggregate($count)',
    '$these/aggregate(Amount with sum from Time with average)',
  ])('%s is read and written back', (text) => {
    expect(show(parseExpression(text)).replace(/^\((.*)\)$/, '$1')).toBe(text);
  });

  test('a lambda named in capitals, with blanks around its colon, is a lambda', () => {
    expect(show(parseExpression('a/ANY( x : x eq 1 )'))).toBe('a/any(x:x eq 1)');
  });
});

describe('positions', () => {
  test('every node says where it starts, and a literal where it ends', () => {
    const text = "Name eq 'a''b' and Size in (1,22)";
    const tree = parseExpression(text);
    const spans: string[] = [];
    JSON.stringify(tree, (_, node) => {
      if (node?.kind === 'literal') spans.push(text.slice(node.at, node.end));
      return typeof node === 'bigint' ? String(node) : node;
    });
    expect(spans).toEqual(["'a''b'", '1', '22']);
    expect(tree.at).toBe(0);
    expect(tree.kind === 'binary' && tree.right.at).toBe(19);
  });

  test('positions count decoded UTF-16 code units', () => {
    const tree = parseExpression("'😀' eq Name");
    expect(tree.kind === 'binary' && tree.right.at).toBe(8);
  });
});

function faultOf(text: string): Fault {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error(`${text} was read`);
}

describe('mistakes', () => {
  test.each([
    ['', 0, 'an expression', 'the end'],
    ['Name eq', 7, 'a space after eq', 'the end'],
    ['Name eq ', 8, 'an expression', 'nothing after the space'],
    ['Name eqq 1', 5, 'the end of $filter', '"eqq"'],
    ['Name eq 1 foo', 10, 'the end of $filter', '"foo"'],
    ["Name eq 'x", 10, "a closing quote (')", 'the end'],
    ['Name eq "x"', 8, 'an expression', 'a double quote'],
    ['(a eq 1', 7, 'an operator or ")"', 'the end'],
    ['a eq 1)', 6, 'the end of $filter', '")"'],
    ['contains(a,)', 11, 'an expression', '")"'],
    ['contains(a b)', 11, '"," or ")"', '"b"'],
    ['F(a=1,2)', 6, 'the name of a parameter or key property', '"2"'],
    ['a/any(x)', 7, '":" after the lambda variable', '")"'],
    ['a/all()', 6, 'a lambda variable, such as x in x:x/Name', '")"'],
    ['any(x:true)', 3, 'a collection and "/" before any', '"("'],
    ['a//b', 2, 'a property, a cast, a function, any, all, $count or $filter', '"/"'],
    ['a/$value', 2, '$count or $filter', '"$value"'],
    [
      '$foo eq 1',
      0,
      'an expression, which can start with $it, $this, $these or $root, but no other name with $',
      '"$foo"',
    ],
    ['$root eq 1', 5, '"/" after $root', 'a space'],
    ['a in (1,b)', 8, 'a literal', '"b"'],
    ['a in (1 2)', 8, 'an operator or ")"', '"2"'],
    ['case(a)', 6, '":" and a value after the condition', '")"'],
    ['cast(a,1)', 7, 'the name of a type', '"1"'],
    ['[1,]', 3, 'an expression', '"]"'],
    ['{"a" 1}', 4, '":"', 'a space'],
    ['{a:1}', 1, 'a member name in double quotes', '"a"'],
    ['["\\x"]', 3, 'one of " \\ / b f n r t u after the backslash', '"x"'],
    ['a eq 2012-13-01', 11, 'a month from 01 to 12', '"3-01"'],
    ['a eq 2012-12-01T10:00', 21, '"Z" or an offset such as +01:00', 'the end'],
    ['a/$count($top=1)', 9, '', ''],
    [' a', 1, 'the expression without a space before it', '"a"'],
    ['a ', 2, 'the end of $filter', 'nothing after the space'],
  ])('%s is refused at %d', (text, position, expected, found) => {
    const fault = faultOf(text);
    expect(fault.status).toBe(400);
    expect(fault.position).toBe(position);
    if (expected === '') return;
    expect(fault.target).toBe('$filter');
    const message = `Expected ${expected} at position ${position} of $filter, but found ${found}.`;
    expect(fault.message.slice(0, message.length)).toBe(message);
  });
});
