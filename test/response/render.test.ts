// This file renders answers out of outcomes that were made by hand.
import { describe, expect, it } from 'vitest';
import type { BoundRead } from '../../src/bind/bound.ts';
import {
  ask,
  bindText,
  one,
  plan as planOf,
  property,
  read,
  related,
  set,
} from '../plan/readings.ts';
import { answer, found, json, ROOT, rows } from './answers.ts';

const keeper = (id: number) => `{"@odata.etag":"W/\\"3\\"","Id":${id},"Name":"Ann"}`;
const ADDRESS = [{ name: 'Keepers', kind: 'set', key: '1', many: false }] as const;
const single: BoundRead = read(one('Keepers', 1n), {
  wanted: { kind: 'entity' },
  address: ADDRESS,
});

function value(path: string, parts: Partial<BoundRead> = {}): BoundRead {
  const from = one('Keepers', 1n);
  const wanted = {
    kind: 'property',
    value: bindText(from, path),
    path: [property('Keeper', path)],
  } as const;
  const address = [...ADDRESS, { name: path, kind: 'property', many: false } as const];
  return { ...read(from, { wanted, address }), ...parts };
}

function raw(path: string): BoundRead {
  const from = one('Keepers', 1n);
  const wanted = {
    kind: 'raw',
    value: bindText(from, path),
    path: [property('Keeper', path)],
  } as const;
  return read(from, { wanted, address: ADDRESS });
}

const NOT_FOUND = expect.objectContaining({ status: 404, code: 'response.not-found' });

describe('A collection', () => {
  const keepers = read(set('Keepers'));

  it('has its context and records, byte by byte as the database wrote them', () => {
    const given = answer(keepers, found(rows('{"Id":9223372036854775807}', '{"Id":2}')), 'Keepers');
    expect(given.status).toBe(200);
    expect(given.body).toBe(
      `{"@odata.context":"${ROOT}$metadata#Keepers","value":[{"Id":9223372036854775807},{"Id":2}]}`,
    );
    expect(given.headers).toMatchObject({
      'OData-Version': '4.0',
      'Content-Type': 'application/json; odata.metadata=minimal',
      'Content-Language': 'en',
      Vary: expect.stringContaining('Prefer'),
    });
  });

  it('that is empty is an empty list', () => {
    expect(json(answer(keepers, found([]), 'Keepers'))).toEqual({
      '@odata.context': `${ROOT}$metadata#Keepers`,
      value: [],
    });
  });

  it('tells the count of all, as a string where numbers may not be large', () => {
    const counting = read(set('Keepers'), { query: { count: true } });
    const outcome = found([], { count: 12345678901234567890n });
    expect(answer(counting, outcome, 'Keepers?$count=true').body).toContain(
      '"@odata.count":12345678901234567890,"value"',
    );
    const headers = { accept: 'application/json;IEEE754Compatible=true' };
    const given = answer(counting, outcome, 'Keepers?$count=true', headers);
    expect(given.body).toContain('"@odata.count":"12345678901234567890"');
    expect(given.headers['Content-Type']).toBe(
      'application/json; odata.metadata=minimal; IEEE754Compatible=true',
    );
  });

  it('of which more is there leads to the next page, which goes on behind the last row', () => {
    const records = Array.from({ length: 21 }, (_, index) => `{"Id":${index}}`);
    const url = "Keepers?$filter=Name ne 'a b'&$skip=3&$select=Id";
    const given = json(answer(keepers, found(rows(...records)), url)) as Record<string, unknown>;
    expect(given.value).toHaveLength(20);
    const link = String(given['@odata.nextLink']);
    expect(link).toMatch(
      /^http:\/\/zoo\.example\/odata\/Keepers\?\$filter=Name%20ne%20'a%20b'&\$select=Id&\$skiptoken=1\.[0-9a-f]{8}\.\./,
    );
    const next = planOf(read(set('Keepers')), ask(link.slice(ROOT.length)));
    expect(next.select.page).toMatchObject({ limit: 20, more: true, after: [{ value: 20n }] });
  });

  it('has no next link where the last row was wanted', () => {
    const limited = read(set('Keepers'), { query: { top: 2 } });
    const given = json(answer(limited, found(rows('{}', '{}')), 'Keepers?$top=2'));
    expect(given).not.toHaveProperty('@odata.nextLink');
  });

  it('without metadata has no context, but its count and next link', () => {
    const headers = { accept: 'application/json;odata.metadata=none', prefer: 'maxpagesize=1' };
    const counting = read(set('Keepers'), { query: { count: true } });
    const outcome = found(rows('{"Id":1}', '{"Id":2}'), { count: 2n });
    const given = answer(counting, outcome, 'Keepers?$count=true', headers);
    expect(json(given)).toEqual({
      '@odata.count': 2,
      value: [{ Id: 1 }],
      '@odata.nextLink': expect.stringContaining('$skiptoken='),
    });
    expect(given.headers['Preference-Applied']).toBe('maxpagesize=1');
  });

  it('in 4.01 has names without "odata."', () => {
    const given = answer(keepers, found([]), 'Keepers', {
      'odata-maxversion': '4.01',
      'accept-charset': 'utf-8',
    });
    expect(json(given)).toEqual({ '@context': `${ROOT}$metadata#Keepers`, value: [] });
    expect(given.headers).toMatchObject({
      'OData-Version': '4.01',
      'Content-Type': 'application/json; metadata=minimal; charset=utf-8',
    });
  });

  it('of a row that is not there is 404', () => {
    const animals = read(related(one('Keepers', 1n), 'Animals'), { parent: one('Keepers', 1n) });
    const url = 'Keepers(1)/Animals';
    expect(() => answer(animals, found([], { parentExists: false }), url)).toThrow(NOT_FOUND);
    expect(answer(animals, found([], { parentExists: true }), url).status).toBe(200);
  });
});

describe('An entity', () => {
  it('has its context before all else, and its ETag in the header too', () => {
    const given = answer(single, found(rows(keeper(1))), 'Keepers(1)');
    expect(given.body).toBe(
      `{"@odata.context":"${ROOT}$metadata#Keepers/$entity","@odata.etag":"W/\\"3\\"","Id":1,"Name":"Ann"}`,
    );
    expect(given.headers.ETag).toBe('W/"3"');
  });

  it('behind its type and id the ETag is found as well', () => {
    const record = `{"@odata.type":"#Odd.Zoo.Bird","@odata.id":"${ROOT}Animals(1)","@odata.etag":"W/\\"12\\"","Id":1}`;
    expect(answer(single, found(rows(record)), 'Keepers(1)').headers.ETag).toBe('W/"12"');
  });

  it('an ETag in the text of a property is none', () => {
    const record = '{"Name":"\\"@odata.etag\\":\\"W/9\\""}';
    expect(answer(single, found(rows(record)), 'Keepers(1)').headers).not.toHaveProperty('ETag');
  });

  it('without metadata shows the ETag in the header only', () => {
    const headers = { accept: 'application/json;odata.metadata=none' };
    const given = answer(single, found(rows(keeper(1))), 'Keepers(1)', headers);
    expect(given.body).toBe('{"Id":1,"Name":"Ann"}');
    expect(given.headers.ETag).toBe('W/"3"');
    const bare = answer(single, found(rows('{"@odata.etag":"W/\\"3\\""}')), 'Keepers(1)', headers);
    expect(bare.body).toBe('{}');
  });

  it('that is not there is 404; 204 where the last step of the path may be empty', () => {
    expect(() => answer(single, found([]), 'Keepers(1)')).toThrow(NOT_FOUND);
    const boss = read(related(one('Keepers', 1n), 'Boss'), {
      wanted: { kind: 'entity' },
      nullable: true,
      parent: one('Keepers', 1n),
    });
    const url = 'Keepers(1)/Boss';
    const given = answer(boss, found([], { parentExists: true }), url);
    expect([given.status, given.body]).toEqual([204, undefined]);
    expect(given.headers).not.toHaveProperty('Content-Type');
    expect(() => answer(boss, found([], { parentExists: false }), url)).toThrow(NOT_FOUND);
  });

  it('by reference is its id', () => {
    const reference = read(one('Keepers', 1n), { wanted: { kind: 'reference' } });
    const given = answer(
      reference,
      found(rows(`{"@odata.id":"${ROOT}Keepers(1)"}`)),
      'Keepers(1)/$ref',
    );
    expect(json(given)).toEqual({
      '@odata.context': `${ROOT}$metadata#$ref`,
      '@odata.id': `${ROOT}Keepers(1)`,
    });
  });
});

describe('A property', () => {
  it('is given in a wrapper', () => {
    const given = answer(value('Name'), found(rows('"Ann"')), 'Keepers(1)/Name');
    expect(json(given)).toEqual({
      '@odata.context': `${ROOT}$metadata#Keepers(1)/Name`,
      value: 'Ann',
    });
  });

  it('that is complex is an object itself', () => {
    const from = one('Animals', 5n);
    const wanted = {
      kind: 'property',
      value: bindText(from, 'Care'),
      path: [property('Animal', 'Care')],
    } as const;
    const address = [
      { name: 'Animals', kind: 'set', key: '5', many: false } as const,
      { name: 'Care', kind: 'property', many: false } as const,
    ];
    const given = answer(
      read(from, { wanted, address }),
      found(rows('{"Since":null}')),
      'Animals(5)/Care',
    );
    expect(json(given)).toEqual({
      '@odata.context': `${ROOT}$metadata#Animals(5)/Care`,
      Since: null,
    });
  });

  it.each([[null], ['null']])('that is null (%j) is 204', (text) => {
    expect(answer(value('Name'), found(rows(text)), 'Keepers(1)/Name').status).toBe(204);
  });

  it('of nothing is 404', () => {
    expect(() => answer(value('Name'), found([]), 'Keepers(1)/Name')).toThrow(NOT_FOUND);
  });

  it('an item that the collection does not have is 404', () => {
    const from = one('Animals', 5n);
    const wanted = {
      kind: 'property',
      value: bindText(from, 'Nicknames'),
      path: [property('Animal', 'Nicknames')],
      index: 3,
    } as const;
    const bound = read(from, { wanted });
    expect(() => answer(bound, found(rows(null)), 'Animals(5)/Nicknames/3')).toThrow(NOT_FOUND);
    const given = answer(bound, found(rows('"Kim"')), 'Animals(5)/Nicknames/3');
    expect(json(given)).toEqual({ '@odata.context': `${ROOT}$metadata#Edm.String`, value: 'Kim' });
  });
});

describe('Plain text', () => {
  it('a raw value is its text, the word null included', () => {
    const given = answer(raw('Name'), found(rows('null')), 'Keepers(1)/Name/$value');
    expect([given.status, given.body, given.headers['Content-Type']]).toEqual([
      200,
      'null',
      'text/plain',
    ]);
    expect(answer(raw('Name'), found(rows(null)), 'Keepers(1)/Name/$value').status).toBe(204);
    expect(() => answer(raw('Name'), found([]), 'Keepers(1)/Name/$value')).toThrow(NOT_FOUND);
  });

  it('a raw value is not given as JSON: 406', () => {
    const headers = { accept: 'application/json' };
    expect(() =>
      answer(raw('Name'), found(rows('Ann')), 'Keepers(1)/Name/$value', headers),
    ).toThrow(expect.objectContaining({ status: 406 }));
  });

  it('binary values are bytes', () => {
    const from = one('Samples', 1n);
    const wanted = {
      kind: 'raw',
      value: bindText(from, 'Bytes'),
      path: [property('Sample', 'Bytes')],
    } as const;
    const given = answer(read(from, { wanted }), found(rows('-_8A')), 'Samples(1)/Bytes/$value');
    expect(given.body).toEqual(Uint8Array.of(0xfb, 0xff, 0x00));
    expect(given.headers['Content-Type']).toBe('application/octet-stream');
  });

  it('a count is a number, and 404 where the path leads nowhere', () => {
    const counted = read(related(one('Keepers', 1n), 'Animals'), {
      wanted: { kind: 'count' },
      parent: one('Keepers', 1n),
    });
    const url = 'Keepers(1)/Animals/$count';
    const given = answer(counted, found(rows('12')), url);
    expect([given.body, given.headers['Content-Type']]).toEqual(['12', 'text/plain']);
    expect(answer(counted, found([], { count: 0n }), url).body).toBe('0');
    expect(() => answer(counted, found([], { parentExists: false }), url)).toThrow(NOT_FOUND);
  });
});

describe('$all and $crossjoin', () => {
  it('$all lays the sets end to end and goes on by offset', () => {
    const reads = ['Keepers', 'Pictures'].map((name) => read(set(name)));
    const bound = { kind: 'all', reads, count: true } as const;
    const many = Array.from({ length: 15 }, (_, index) => `{"Id":${index}}`);
    const parts = [found(rows(...many), { count: 15n }), found(rows(...many), { count: 30n })];
    const given = json(answer(bound, { kind: 'chain', parts }, '$all')) as Record<string, unknown>;
    expect(given).toMatchObject({
      '@odata.context': `${ROOT}$metadata#Collection(Edm.EntityType)`,
      '@odata.count': 45,
      '@odata.nextLink': expect.stringMatching(/\$all\?\$skiptoken=1\.[0-9a-f]{8}\.\.o20$/),
    });
    expect(given.value).toHaveLength(20);
  });
});

describe('A function', () => {
  const sum = (type: 'Edm.Decimal', isRaw = false) => {
    const from = set('Samples');
    const operation = {
      kind: 'function',
      name: 'Odd.Zoo.Sum',
      bound: false,
      parameters: [],
    } as const;
    const { type: valueType } = bindText(from, 'Free');
    const literal = { kind: 'literal', type: valueType, value: null } as const;
    return {
      kind: 'evaluate',
      operation,
      value: literal,
      nullable: true,
      raw: isRaw,
      type,
    } as const;
  };

  it('gives its result in a wrapper that tells the type', () => {
    expect(json(answer(sum('Edm.Decimal'), found(rows('3.5')), 'Sum(a=1,b=2.5)'))).toEqual({
      '@odata.context': `${ROOT}$metadata#Edm.Decimal`,
      value: 3.5,
    });
  });

  it('that gives null is 204', () => {
    expect(answer(sum('Edm.Decimal'), found(rows(null)), 'Sum(a=1)').status).toBe(204);
  });
});
