// This file checks pages, skip tokens and signatures.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderItem } from '../../src/bind/bound.ts';
import { constant } from '../../src/bind/expression/literal.ts';
import { primitive, STRING } from '../../src/bind/expression/types.ts';
import type { PrimitiveName } from '../../src/edm/value/primitives.ts';
import type { Value } from '../../src/edm/value/read-result.ts';
import { decideNestedPage, decidePage, signatureOf } from '../../src/plan/read/page.ts';
import { readToken, tokenHead, writeToken } from '../../src/plan/read/tokens.ts';
import { bindText, set } from './readings.ts';

const LIMITS = { pageSize: 20, maximum: 250, maximumPage: 5000 };

function orderOf(...types: readonly PrimitiveName[]): readonly OrderItem[] {
  return types.map((name) => ({
    expression: { kind: 'literal', type: primitive(name), value: null },
    descending: false,
  }));
}

/** A token of the query 0123abcd, with plain values. */
function readPlain(token: string, order: readonly OrderItem[]): unknown {
  const read = readToken(token, { signature: '0123abcd', order });
  return read.kind === 'values' ? { ...read, after: read.after.map(({ value }) => value) } : read;
}

describe('Pages', () => {
  it.each([
    ['nothing said: 20, and more behind', {}, { limit: 20, more: true, skip: 0 }, undefined],
    ['$top=3: three, and no more', { top: 3 }, { limit: 3, more: false, skip: 0 }, 0],
    ['$top=250: one page', { top: 250 }, { limit: 250, more: false, skip: 0 }, 0],
    ['$top=1000: 250 now, 750 later', { top: 1000 }, { limit: 250, more: true, skip: 0 }, 750],
    ['$top=0: none', { top: 0 }, { limit: 0, more: false, skip: 0 }, 0],
    ['$skip=5', { skip: 5 }, { limit: 20, more: true, skip: 5 }, undefined],
    ['maxpagesize=7', { preferred: 7 }, { limit: 7, more: true, skip: 0 }, undefined],
    ['maxpagesize=7 and $top=3', { preferred: 7, top: 3 }, { limit: 3, more: false, skip: 0 }, 0],
    ['maxpagesize=400', { preferred: 400 }, { limit: 400, more: true, skip: 0 }, undefined],
    [
      'maxpagesize=9999: 5000',
      { preferred: 9999 },
      { limit: 5000, more: true, skip: 0 },
      undefined,
    ],
    [
      'maxpagesize=400 and $top=1000: 400 now, 600 later',
      { preferred: 400, top: 1000 },
      { limit: 400, more: true, skip: 0 },
      600,
    ],
  ])('%s', (_, request, page, remaining) => {
    const decided = decidePage(LIMITS, request);
    expect([decided.page, decided.remaining]).toEqual([page, remaining]);
  });

  it('a token goes on behind the last row and leaves $skip and $top to the first page', () => {
    const after = ['b', 12n].map((value) => constant(STRING, value));
    const token = { kind: 'values', after, remaining: 30 } as const;
    expect(decidePage(LIMITS, { token, skip: 5, top: 1000 })).toEqual({
      page: { limit: 30, more: false, skip: 0, after },
      remaining: 0,
    });
  });

  it('a token keeps the page size, unless the request prefers another one', () => {
    const token = { kind: 'offset', offset: 7, size: 7 } as const;
    expect(decidePage(LIMITS, { token })).toEqual({
      page: { limit: 7, more: true, skip: 7 },
      size: 7,
    });
    expect(decidePage(LIMITS, { token, preferred: 3 })).toMatchObject({
      page: { limit: 3 },
      size: 3,
    });
    const forged = { ...token, size: 999_999 };
    expect(decidePage(LIMITS, { token: forged })).toMatchObject({ page: { limit: 5000 } });
  });

  it('expanded collections are given whole up to the maximum', () => {
    expect(decideNestedPage(LIMITS, { preferred: 3 }).page.limit).toBe(3);
    expect(decideNestedPage(LIMITS, { preferred: 4000 }).page.limit).toBe(250);
    expect(decideNestedPage(LIMITS, {}).page).toEqual({ limit: 250, more: true, skip: 0 });
    expect(decideNestedPage(LIMITS, { top: 4 }).page.more).toBe(false);
  });
});

describe('Skip tokens', () => {
  const values: readonly [PrimitiveName, fc.Arbitrary<Value>][] = [
    ['Edm.String', fc.string({ unit: 'grapheme' })],
    ['Edm.Int64', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
    ['Edm.Boolean', fc.boolean()],
    // -0 and 0 stand at the same place of an order.
    ['Edm.Double', fc.double().map((number) => (number === 0 ? 0 : number))],
    ['Edm.Decimal', fc.constantFrom('0.1', '-12345678901234567890.5', '7')],
    ['Edm.DateTimeOffset', fc.constant('2026-03-30T14:30:00.000Z')],
    ['Edm.Duration', fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n })],
    ['Edm.Guid', fc.uuid()],
  ];

  it.each(values)('carry %s without loss, and null', (type, value) => {
    fc.assert(
      fc.property(fc.option(value), fc.option(fc.nat({ max: 999_999_999 })), (at, remaining) => {
        const order = orderOf(type, 'Edm.Int64');
        const left = remaining === null ? {} : { remaining };
        const token = writeToken('0123abcd', { kind: 'values', after: [at, 5n], ...left });
        expect(token).toMatch(/^[\w.~-]+$/);
        const read = readPlain(token, order);
        expect(read).toEqual({ kind: 'values', after: [at, 5n], ...left });
        const sized = writeToken('0123abcd', {
          kind: 'values',
          after: [at, 5n],
          ...left,
          size: 40,
        });
        expect(readPlain(sized, order)).toEqual({ ...(read as object), size: 40 });
      }),
    );
  });

  it('are read as a database writes them: upper-case digits, booleans as 0 and 1', () => {
    const hex = Buffer.from('[1,"Zoë",null]').toString('hex').toUpperCase();
    const order = orderOf('Edm.Boolean', 'Edm.String', 'Edm.Date');
    expect(readPlain(`${tokenHead('0123abcd', { remaining: 5 })}.${hex}`, order)).toEqual({
      kind: 'values',
      after: [true, 'Zoë', null],
      remaining: 5,
    });
  });

  it('by offset', () => {
    const token = writeToken('0123abcd', { kind: 'offset', offset: 40 });
    expect(readPlain(token, [])).toEqual({ kind: 'offset', offset: 40 });
  });

  it.each([
    ['nonsense', 'nonsense'],
    ['empty', ''],
    ['of another version', `2.0123abcd..${Buffer.from('["a"]').toString('hex')}`],
    ['of another query', `1.ffffffff..${Buffer.from('["a"]').toString('hex')}`],
    ['with a value too many', `1.0123abcd..${Buffer.from('["a","b"]').toString('hex')}`],
    ['with a value of another type', `1.0123abcd..${Buffer.from('[true]').toString('hex')}`],
    ['with a list in it', `1.0123abcd..${Buffer.from('[["a"]]').toString('hex')}`],
    ['cut off', `1.0123abcd..${Buffer.from('["a"').toString('hex')}`],
    ['that is no UTF-8', '1.0123abcd..5bff5d'],
    ['with odd digits', '1.0123abcd..5b2'],
    ['with a page of no rows', `1.0123abcd.p0.${Buffer.from('["a"]').toString('hex')}`],
    ['without end', `1.0123abcd..${'5b'.repeat(3000)}`],
  ])('%s are refused with 400', (_, token) => {
    expect(() => readPlain(token, orderOf('Edm.String'))).toThrow(
      expect.objectContaining({ status: 400, code: 'plan.skiptoken', target: '$skiptoken' }),
    );
  });
});

describe('Signatures', () => {
  const signature = (name: string, text: string, descending = false) => {
    const rows = set(name);
    const order = [{ expression: bindText(rows, text), descending }];
    return signatureOf([rows.row.source], [], order);
  };

  it('are the same for the same order, whatever the numbers of variables', () => {
    expect(signature('Animals', 'Species/Title')).toBe(signature('Animals', 'Species/Title'));
    expect(signature('Animals', 'Children/$count')).toBe(signature('Animals', 'Children/$count'));
  });

  it.each([
    ['another property', signature('Animals', 'Remark')],
    ['another direction', signature('Animals', 'Name', true)],
    ['another path', signature('Animals', 'Species/Title')],
    ['another literal', signature('Animals', "concat(Name,'b')")],
    ['another set', signature('Keepers', 'Name')],
  ])('differ for %s', (_, other) => {
    expect(other).not.toBe(signature('Animals', 'Name'));
    expect(other).not.toBe(signature('Animals', "concat(Name,'a')"));
    expect(other).toMatch(/^[0-9a-f]{8}$/);
  });
});
