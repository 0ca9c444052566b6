// This file tests the door: whole requests as clients send them, and the tolerances that they need.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { DEFAULT_LIMITS, parse, type RawRequest } from '../../src/request/parse.ts';
import { printPath, printQuery } from '../../src/request/print/url.ts';
import type { Tree } from '../../src/request/tree.ts';

function request(parts: Partial<RawRequest>): Tree {
  return parse({ method: 'GET', path: '', query: '', headers: {}, ...parts }, DEFAULT_LIMITS);
}

function faultOf(parts: Partial<RawRequest>): Fault {
  try {
    request(parts);
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('the request was read');
}

describe('requests of real clients', () => {
  test('a path, options and headers come out as one tree', () => {
    const tree = request({
      path: 'ServiceRequests(201L)/Workorders',
      query: '%24filter=Status%2FValue+eq+5&$top=20&$count=true&$orderby=Uid%20desc',
      headers: {
        accept: 'application/json;odata=verbose,text/plain,*/*',
        prefer: 'return=minimal',
      },
    });
    expect(tree.method).toBe('GET');
    expect(printPath(tree.path)).toBe('ServiceRequests(201)/Workorders');
    expect(printQuery(tree.options)).toBe(
      '$filter=Status/Value%20eq%205&$count=true&$orderby=Uid%20desc&$top=20',
    );
    expect(tree.negotiated.format.kind).toBe('json');
    expect(tree.negotiated.prefer.return).toBe('minimal');
  });

  test.each([
    'Uid gt 0L',
    'Members/any(members:members/Blocked eq false)',
    "contains(tolower(Name),'x') and not(startswith(Name,'y'))",
  ])('$filter=%s is read', (filter) => {
    expect(
      request({ path: 'Persons', query: `$filter=${encodeURIComponent(filter)}` }).options.filter,
    ).toBeDefined();
  });

  test.each(['GET', 'HEAD'])('%s overlooks a slash at the end of the path', (method) => {
    expect(request({ method, path: 'Persons/' }).path.segments).toHaveLength(1);
    expect(request({ method, path: '$metadata/' }).path.segments[0]?.kind).toBe('metadata');
  });

  test('other methods do not', () => {
    expect(faultOf({ method: 'POST', path: 'Persons/' }).code).toBe('request.syntax');
  });

  test('an empty path is the service document', () => {
    expect(request({}).path.segments).toEqual([]);
  });

  test('a method that nobody knows is refused with those that are', () => {
    const fault = faultOf({ method: 'MERGE', path: 'Persons' });
    expect(fault.status).toBe(405);
    expect(fault.headers.Allow).toContain('PATCH');
  });

  test('an entity by $id needs the $id', () => {
    expect(faultOf({ path: '$entity' }).code).toBe('request.missing-option');
    expect(request({ path: '$entity', query: '$id=Persons(7)' }).options.id).toBe('Persons(7)');
  });
});

describe('OData 4.01 URL Conventions, "Passing Query Options in the Request Body"', () => {
  const headers = { 'content-type': 'text/plain;charset=utf-8' };

  test('POST …/$query is the GET that it stands for, with the options of URL and body', () => {
    const tree = request({
      method: 'POST',
      path: 'Persons/$query',
      query: '$top=5',
      headers,
      body: '$filter=Name%20eq%20%27a%27&$skip=1\r\n',
    });
    expect(tree.method).toBe('GET');
    expect(tree.path.text).toBe('Persons');
    expect(printQuery(tree.options)).toBe("$filter=Name%20eq%20'a'&$skip=1&$top=5");
  });

  test('an option in both is given twice', () => {
    const parts = { method: 'POST', path: 'A/$query', query: '$top=5', headers, body: '$top=5' };
    expect(faultOf(parts).code).toBe('request.duplicate-option');
  });

  test('other methods and other content types are refused', () => {
    expect(faultOf({ path: 'A/$query', headers }).status).toBe(405);
    const json = { 'content-type': 'application/json' };
    expect(faultOf({ method: 'POST', path: 'A/$query', headers: json }).status).toBe(415);
    expect(faultOf({ method: 'POST', path: 'A/$query' }).status).toBe(415);
  });

  test('a body that is too long is refused', () => {
    const body = `$filter=${'a'.repeat(DEFAULT_LIMITS.queryLength)}`;
    expect(faultOf({ method: 'POST', path: 'A/$query', headers, body }).status).toBe(413);
  });

  test('the length of a body is that of its bytes', () => {
    const body = `$filter='${'€'.repeat(DEFAULT_LIMITS.queryLength / 3)}'`;
    expect(faultOf({ method: 'POST', path: 'A/$query', headers, body }).status).toBe(413);
  });
});

describe('limits', () => {
  test('a URL over the limit is refused with 414', () => {
    const query = `x=${'a'.repeat(DEFAULT_LIMITS.urlLength)}`;
    expect(faultOf({ path: 'A', query }).status).toBe(414);
  });

  test('path and options share one budget', () => {
    const limits = { ...DEFAULT_LIMITS, nodes: 12 };
    const raw = { method: 'GET', path: 'A(1)/B', query: '', headers: {} };
    expect(parse({ ...raw, query: '$filter=a eq 1' }, limits).options.filter).toBeDefined();
    const both = { ...raw, query: '$filter=a eq 1&$orderby=a,b,c,d,e,f' };
    expect(() => parse(both, limits)).toThrow(Fault);
  });
});

describe('options that a resource does not look at', () => {
  const unread = new Map([['Mine', new Set(['filter', 'top'] as const)]]);
  const read = (path: string, query: string) =>
    parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS, unread);

  test.each(['Mine', 'Mine()'])('%s overlooks them, even malformed and twice', (path) => {
    const { options } = read(path, '$filter=((&filter=%FF&$top=x&$select=Name');
    expect(options.filter).toBeUndefined();
    expect(options.select).toHaveLength(1);
  });

  test('elsewhere they are read', () => {
    expect(() => read('Mine/Things', '$filter=((')).toThrow(Fault);
    expect(() => read('Mine(1)', '$filter=((')).toThrow(Fault);
    expect(() => read('Other', '$top=x')).toThrow(Fault);
    expect(() => read('Mine', '$skip=x')).toThrow(Fault);
  });
});
