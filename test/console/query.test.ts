// This file tests how requests are read, printed and turned into URLs, and how forms edit filters and aggregations.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Aggregate,
  applyAfter,
  METHODS_OF_AGGREGATION,
  parseApply,
  printApply,
} from '../../console/src/query/apply-text.ts';
import {
  allOf,
  COMPARISONS,
  type Condition,
  parseConditions,
  printConditions,
  TEXT_FUNCTIONS,
} from '../../console/src/query/conditions.ts';
import {
  METHODS,
  optionOf,
  parseRequest,
  printRequest,
  requestUrl,
  withOption,
} from '../../console/src/query/request-text.ts';

const name = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,8}$/);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
/** A text literal: anything on one line, quotes doubled. */
const quoted = fc
  .string({ unit: fc.constantFrom(...`ab &=?#%+/;,:()"'éß€😀`) })
  .map((text) => `'${text.replaceAll("'", "''")}'`);
const word = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('null', 'true', '2026-11-01T00:00:00.000Z', "duration'PT1H'"),
);
const value = fc.oneof(quoted, word);

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    path,
    operator: fc.constantFrom(...COMPARISONS.filter((operator) => operator !== 'in')),
    value,
  }),
  fc.record({
    path,
    operator: fc.constant('in' as const),
    value: fc.array(value, { minLength: 1, maxLength: 3 }).map((items) => `(${items.join(',')})`),
  }),
  fc.record({ path, operator: fc.constantFrom(...TEXT_FUNCTIONS), value: quoted }),
);

const filter = fc.array(condition, { minLength: 1, maxLength: 3 }).map(printConditions);

const parts = fc.record({
  method: fc.constantFrom(...METHODS),
  path: fc.tuple(name, fc.option(quoted)).map(([set, key]) => (key ? `${set}(${key})` : set)),
  options: fc.uniqueArray(
    fc.tuple(fc.constantFrom('$filter', '$select', '$expand', '@p'), fc.oneof(filter, path)),
    { selector: ([option]) => option, maxLength: 4 },
  ),
  body: fc.constantFrom('', '{ "Name": "A" }', '{\n\n  "Text": "a\\n\\nb"\n}'),
});

describe('a request', () => {
  test('that is printed is read back as it was', () => {
    fc.assert(
      fc.property(parts, (request) => {
        expect(parseRequest(printRequest(request))).toEqual(request);
      }),
    );
  });

  test('has a URL that the standard parser of URLs reads back', () => {
    fc.assert(
      fc.property(parts, (request) => {
        const url = new URL(`http://host/odata/${requestUrl(request)}`);
        expect(decodeURIComponent(url.pathname)).toBe(`/odata/${request.path}`);
        expect([...url.searchParams]).toEqual(request.options);
        expect(url.hash).toBe('');
      }),
    );
  });

  test('that is pasted as a URL is decoded', () => {
    fc.assert(
      fc.property(parts, (request) => {
        const pasted = `http://host/odata/${requestUrl(request)}`;
        const read = parseRequest(pasted, '/odata');
        expect(read).toEqual({ ...request, method: 'GET', body: '' });
      }),
    );
  });

  test('keeps the number of segments of its path, whatever keys contain', () => {
    const url = requestUrl(parseRequest("Sets('a/b')/Name"));
    expect(url).toBe("Sets('a%2Fb')/Name");
  });

  test('may have its options on lines of their own, and literals with separators', () => {
    const text = "ServiceRequests\n  ?$filter=Name eq 'R&D?'\n    and ID gt 3\n  &$top=5";
    expect(parseRequest(text)).toEqual({
      method: 'GET',
      path: 'ServiceRequests',
      options: [
        ['$filter', "Name eq 'R&D?' and ID gt 3"],
        ['$top', '5'],
      ],
      body: '',
    });
  });

  test('keeps the place of an option that is changed, and loses one that is emptied', () => {
    const request = parseRequest('A?$top=1&$skip=2');
    expect(printRequest(withOption(request, '$top', '3'))).toBe('A\n  ?$top=3\n  &$skip=2');
    expect(optionOf(withOption(request, '$top', ''), '$top')).toBe('');
    expect(printRequest(withOption(request, '$count', 'true'))).toContain('&$count=true');
  });
});

describe('a filter', () => {
  test('of conditions is read back as it was', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), (conditions) => {
        expect(parseConditions(printConditions(conditions))).toEqual(conditions);
      }),
    );
  });

  test.each([
    "Name eq 'a' or ID eq 3",
    'not (ID eq 3)',
    'Lines/any(l:l/ID eq 3)',
    "Name eq 'a' and (ID eq 3 or ID eq 4)",
    "contains(tolower(Name),'a')",
    'ID eq 3 add 4',
    "Name eq 'it's'",
    'ID in Other',
  ])('that is more than a list of conditions is left as text: %s', (text) => {
    expect(parseConditions(text)).toBeUndefined();
  });

  test('composed with others keeps the meaning of each', () => {
    expect(allOf(['A eq 1 or B eq 2', undefined, '', 'C eq 3'])).toBe(
      '(A eq 1 or B eq 2) and C eq 3',
    );
    expect(allOf(["Name eq 'a or b'", 'C eq 3'])).toBe("Name eq 'a or b' and C eq 3");
    expect(allOf(['A eq 1 or B eq 2'])).toBe('A eq 1 or B eq 2');
    expect(allOf([])).toBe('');
  });
});

describe('an aggregation', () => {
  const aggregate: fc.Arbitrary<Aggregate> = fc.oneof(
    fc.record({ path: fc.constant('$count'), method: fc.constant(undefined), alias: name }),
    fc.record({ path, method: fc.constantFrom(...METHODS_OF_AGGREGATION), alias: name }),
  );
  const aggregation = fc
    .record({
      filter: fc.option(filter, { nil: undefined }),
      groups: fc.array(path, { maxLength: 3 }),
      aggregates: fc.array(aggregate, { maxLength: 3 }),
    })
    .filter(({ groups, aggregates }) => groups.length + aggregates.length > 0);

  test('that is printed is read back as it was', () => {
    fc.assert(
      fc.property(aggregation, (parsed) => {
        expect(parseApply(printApply(parsed))).toEqual(parsed);
      }),
    );
  });

  test.each([
    'compute(A add 1 as B)/groupby((B))',
    'groupby((rollup(A,B)))',
    'groupby((A),topcount(2,B))',
    'aggregate($count with sum as Count)',
    'groupby((A))/filter(A gt 1)',
    'aggregate()',
  ])('of another form is left as text: %s', (text) => {
    expect(parseApply(text)).toBeUndefined();
  });

  test('follows the filter of what it aggregates', () => {
    expect(applyAfter("A eq 'b'", 'groupby((C))')).toBe("filter(A eq 'b')/groupby((C))");
    expect(applyAfter('', 'groupby((C))')).toBe('groupby((C))');
    expect(applyAfter('A eq 1', '')).toBe('filter(A eq 1)');
  });
});
