// This file checks that `any` finds the same rows as a lookup and as a test of each row, and which of the two a condition gets.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { filterStatement, NO_METADATA, openZoo, run, scriptOf } from './zoo.ts';

const zoo = openZoo();
const found = (set: string, filter: string) => run(zoo, filterStatement(set, filter)).flat();

/** As a lookup, and with a part that makes it depend on the outer row, which must be tested row by row. */
function bothWays(set: string, path: string, inner: string): readonly [unknown[], unknown[]] {
  const lookup = `${path}/any(x:${inner})`;
  const tested = `${path}/any(x:(${inner}) and $it/${set === 'Enclosures' ? 'Number' : 'Id'} ne -1)`;
  expect(filterStatement(set, lookup).text).toContain(' IN (SELECT ');
  expect(filterStatement(set, tested).text).toContain('EXISTS');
  return [found(set, lookup), found(set, tested)];
}

describe('any with a selective condition', () => {
  it.each([
    ['of children', 'Animals', 'Notes', 'x/Id eq 502', [1n]],
    ['of targets that hold the reference', 'Enclosures', 'Animals', 'x/Id eq 2', [201n]],
    ['of linked rows', 'Animals', 'Keepers', 'x/Id eq 102', [1n, 2n]],
    ['of linked rows, from the other side', 'Keepers', 'Animals', "x/Name eq 'Leo'", [101n, 102n]],
    ['with a text', 'Animals', 'Notes', "contains(x/Text,'limps')", [1n]],
    ['with a list', 'Animals', 'Notes', 'x/Id in (501,503)', [1n, 2n]],
    ['with more conditions', 'Animals', 'Notes', "x/Id in (501,503) and x/Text ne 'sings'", [1n]],
    ['after a relation', 'Animals', 'Mother/Notes', 'x/Id eq 503', [3n]],
  ])('%s', (_, set, path, inner, expected) => {
    expect(found(set, `${path}/any(x:${inner})`)).toEqual(expected);
    expect(bothWays(set, path, inner)).toEqual([expected, expected]);
  });

  it('is never null, so that its negation holds elsewhere', () => {
    expect(found('Animals', 'not Notes/any(x:x/Id eq 502)')).toEqual([2n, 3n, 4n]);
    expect(found('Animals', 'not Mother/Notes/any(x:x/Id eq 503)')).toEqual([1n, 2n, 4n]);
    expect(found('Enclosures', 'not Animals/any(x:x/Id eq 3)')).toEqual([201n, 202n]);
  });

  it('reads few rows', () => {
    expect(scriptOf('Animals?$filter=Notes/any(n:n/Id eq 502)', NO_METADATA).scans).toBe(false);
  });
});

describe('any is tested row by row', () => {
  it.each([
    ['if a code or flag matches many', 'Enclosures', 'Animals/any(a:a/Mood/Value eq 1001)'],
    ['if no index finds the rows', 'Keepers', "Animals/any(a:a/Remark eq 'roars loudly')"],
    ['if it depends on the outer row', 'Animals', 'Notes/any(n:n/Id eq $it/Number)'],
    ['if a part of it does', 'Animals', 'Notes/any(n:n/Id eq 502 and n/Id gt $it/Id)'],
    ['for one of several', 'Enclosures', 'Animals/any(a:a/Id eq 1 or a/Tame)'],
  ])('%s', (_, set, filter) => {
    expect(filterStatement(set, filter).text).toContain('EXISTS');
  });
});

// PostgreSQL would test a subquery that finds the links of an outer row for every pair of rows.
it('joins the links of a many-to-many relation', () => {
  const { text } = filterStatement('Keepers', "Animals/any(a:a/Remark eq 'roars loudly')");
  expect(text).toMatch(
    /EXISTS \(SELECT 1 FROM \(\(SELECT .* AS "?n"?, .* AS "?f"? FROM .*\) "l\d+" CROSS JOIN "Animals"/,
  );
  expect(text).not.toContain(' IN (SELECT ');
});

const ids = fc.constantFrom(1, 2, 3, 4, 101, 102, 103, 501, 502, 503, 999);
const selective = fc.oneof(
  ids.map((id) => `x/Id eq ${id}`),
  fc.array(ids, { minLength: 1, maxLength: 3 }).map((list) => `x/Id in (${list})`),
);
const paths = fc.constantFrom(
  ['Animals', 'Notes', "x/Text ne 'limps'"],
  ['Animals', 'Keepers', 'x/Boss/Id eq 101'],
  ['Animals', 'Children', 'x/Tame'],
  ['Animals', 'Mother/Keepers', "x/Country eq 'NL'"],
  ['Keepers', 'Animals', 'x/Mood/Value ne 1001'],
  ['Keepers', 'Staff', 'x/Animals/any(y:y/Id eq 2)'],
  ['Keepers', 'Boss/Animals', 'x/Weight gt 1'],
  ['Enclosures', 'Animals', 'x/Number ne null'],
) satisfies fc.Arbitrary<readonly string[]>;

it('a lookup and a test of each row find the same', () => {
  fc.assert(
    fc.property(paths, selective, fc.boolean(), ([set = '', path = '', other = ''], one, both) => {
      const [lookup, tested] = bothWays(set, path, both ? `${one} and ${other}` : one);
      expect(lookup).toEqual(tested);
    }),
    { numRuns: sampleSize(150, 300) },
  );
});
