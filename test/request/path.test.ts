// This file tests the resource path: what each segment is read as, how often it is decoded, and what is refused.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { printPath } from '../../src/request/print/url.ts';
import type { Segment } from '../../src/request/tree.ts';
import { parsePath } from './pieces.ts';

/** name, text, $mark … with the arguments as text: "name ServiceRequests(1)". */
function kinds(raw: string): readonly string[] {
  return parsePath(raw).segments.map((segment: Segment) => {
    if (segment.kind === 'name' || segment.kind === 'text')
      return `${segment.kind} ${segment.text}`;
    return segment.kind;
  });
}

describe('OData 4.01 URL Conventions, "Resource Path"', () => {
  test.each([
    ['', []],
    ['ServiceRequests', ['name ServiceRequests']],
    ['ServiceRequests(201)', ['name ServiceRequests(201)']],
    ['Persons/1', ['name Persons', 'text 1']],
    ["People/O'Neil", ['name People', "text O'Neil"]],
    ['People/A1245', ['name People', 'name A1245']],
    ['Categories/Smartphone%2FTablet', ['name Categories', 'text Smartphone/Tablet']],
    ['Emails/-1', ['name Emails', 'text -1']],
    [
      'A(1)/B/NS.C/NS.F(x=1)/$value',
      ['name A(1)', 'name B', 'name NS.C', 'name NS.F(x=1)', 'value'],
    ],
    ['$metadata', ['metadata']],
    ['%24metadata', ['metadata']],
    ['$batch', ['batch']],
    ['$ping', ['ping']],
    ['$all/NS.Person', ['all', 'name NS.Person']],
    ['$entity/NS.Person', ['entity', 'name NS.Person']],
    ['$crossjoin(A,B)', ['crossjoin']],
    ['A/$filter(@f)/$each/NS.Close', ['name A', 'filter', 'each', 'name NS.Close']],
    ['A/$filter(B/C eq 1)/$count', ['name A', 'filter', 'count']],
    ["A/$filter(B eq ')' and C/D eq 'a%2Fb')", ['name A', 'filter']],
    ['A(1)/B/$ref', ['name A(1)', 'name B', 'ref']],
  ])('%s', (raw, expected) => {
    expect(kinds(raw)).toEqual(expected);
  });

  test('keys are positional or named, literals or aliases', () => {
    const [segment] = parsePath("A(Uid=201L,Name=@n,S='x%2Fy%25')").segments;
    expect(segment).toMatchObject({
      kind: 'name',
      name: 'A',
      arguments: {
        kind: 'named',
        pairs: [
          { name: 'Uid', value: { kind: 'literal', value: { kind: 'integer', value: 201n } } },
          { name: 'Name', value: { kind: 'alias', name: 'n' } },
          { name: 'S', value: { value: { kind: 'string', value: 'x/y%' } } },
        ],
      },
    });
  });

  test('parameters and a key may both follow a name', () => {
    expect(parsePath('F(p=2)(3)').segments[0]).toMatchObject({
      arguments: { kind: 'named' },
      key: { kind: 'positional', values: [{ value: { kind: 'integer', value: 3n } }] },
    });
  });

  test('a plus in the path is a plus, and text is decoded once', () => {
    const [segment] = parsePath("A('1+1%2B1%2525')").segments;
    expect(segment).toMatchObject({
      arguments: { values: [{ value: { kind: 'string', value: '1+1+1%25' } }] },
    });
  });

  test('positions count in the decoded path', () => {
    const path = parsePath('A%C3%A4/B(%27x%27)/$count');
    expect(path.text).toBe("Aä/B('x')/$count");
    expect(path.segments.map((segment) => segment.at)).toEqual([0, 3, 10]);
    expect(path.segments[1]).toMatchObject({ arguments: { values: [{ at: 5, end: 8 }] } });
  });

  test.each([
    "A('a%2Fb%3F%23')/B(x=1,y=@z)/NS.C/$count",
    "A/$filter(B%20eq%20'%2F'%20and%20C/D%20eq%201)/$each",
    '$crossjoin(A,B)',
    "A/x%20y/O'Neil",
    'F()(2)',
  ])('%s is written back', (raw) => {
    expect(parsePath(printPath(parsePath(raw)))).toEqual(parsePath(raw));
  });
});

function faultOf(raw: string): Fault {
  try {
    parsePath(raw);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error(`${raw} was read`);
}

describe('a path is refused', () => {
  test.each([
    ['A//B', 'request.syntax', 2],
    ['A/', 'request.syntax', 2],
    ['1', 'request.syntax', 0],
    ['NS.A', 'request.syntax', 2],
    ['A(1', 'request.syntax', 3],
    ['A(1)x', 'request.syntax', 4],
    ['A(1 add 2)', 'request.syntax', 4],
    ['A(abc)', 'request.syntax', 2],
    ['A(x=[1])', 'request.syntax', 4],
    ['A(1,x=2)', 'request.syntax', 4],
    ["A('x/y')", 'request.syntax', 4],
    ['A/$filter(1', 'request.syntax', 11],
    ['A/$filter(1)(2', 'request.syntax', 14],
    ['A/$filter(1)(2)(3)', 'request.syntax', 15],
    ['A/$filter', 'request.syntax', 9],
    ['$crossjoin(A;B)', 'request.syntax', 12],
    ['A/$links/B', 'request.unknown-segment', 2],
    ['A/$Count', 'request.unknown-segment', 2],
    ['$count', 'request.misplaced-segment', 0],
    ['A/$metadata', 'request.misplaced-segment', 2],
    ['$metadata/A', 'request.misplaced-segment', 9],
    ['A/$count/$value', 'request.misplaced-segment', 8],
    ['A/$ref/B', 'request.misplaced-segment', 6],
    ['A(1)/$value/B', 'request.misplaced-segment', 11],
    ['A/$query/B', 'request.misplaced-segment', 2],
    ['A/$query', 'request.misplaced-segment', 0],
    ['A/$each/$count', 'request.misplaced-segment', 8],
    ['$all/NS.A/B', 'request.misplaced-segment', 9],
    ['A%', 'request.encoding', undefined],
    ['A%FF', 'request.encoding', undefined],
    ['A%C0%80', 'request.encoding', undefined],
    ['A%ED%A0%80', 'request.encoding', undefined],
  ])('%s with %s', (raw, code, position) => {
    const fault = faultOf(raw);
    expect(fault.code).toBe(code);
    expect(fault.position).toBe(position);
    expect(fault.target).toBe('the path');
  });

  test('with the name that was probably meant', () => {
    expect(faultOf('A/$cuont').message).toContain('$count');
    expect(faultOf('A(1)/$links/B').message).toContain('$ref');
  });

  test('naming what cannot be decoded', () => {
    expect(faultOf('A%20%FF%20').message).toContain('%FF');
  });
});
