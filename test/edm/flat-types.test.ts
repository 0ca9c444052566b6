// This file flattens small documents. test/journeys/16-flat-metadata.test.ts reads those of whole models.
import { describe, expect, it } from 'vitest';
import { flattenTypes } from '../../src/edm/csdl/flat-types.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';

const entity = (more: JsonObject): JsonObject => ({ $Kind: 'EntityType', ...more });
const navigation = (type: string, more: JsonObject = {}): JsonObject => ({
  $Kind: 'NavigationProperty',
  $Type: type,
  ...more,
});

function flat(schema: JsonObject): JsonObject {
  const { S } = flattenTypes({ $Version: '4.01', S: schema });
  return S as JsonObject;
}

describe('flattenTypes', () => {
  it('repeats keys, members and annotations; what a type states itself takes precedence', () => {
    const { C } = flat({
      A: entity({
        $Abstract: true,
        $Key: ['Id'],
        $OpenType: true,
        Id: {},
        Name: { $MaxLength: 9 },
      }),
      B: entity({ $BaseType: 'S.A', $HasStream: true, '@Core.LongDescription': 'b', '@X.Y': 1 }),
      C: entity({ $BaseType: 'S.B', Name: { $MaxLength: 5 }, '@Core.Description': 'c' }),
    });
    expect(C).toEqual({
      $Kind: 'EntityType',
      $Key: ['Id'],
      $OpenType: true,
      $HasStream: true,
      Id: {},
      Name: { $MaxLength: 5 },
      '@X.Y': 1,
      '@Core.Description': 'c',
    });
  });

  it('omits abstract types that no other element refers to', () => {
    const types = flat({
      A: entity({ $Abstract: true, Of: navigation('S.A') }),
      B: entity({ $Abstract: true, Of: navigation('S.A') }),
      C: entity({ $Abstract: true, $BaseType: 'S.A' }),
      D: entity({ $BaseType: 'S.C', Other: navigation('S.C') }),
    });
    expect(Object.keys(types)).toEqual(['A', 'C', 'D']);
  });

  it('omits partners of inherited navigations, and bindings after a cast', () => {
    const { A, B, Box } = flat({
      A: entity({ Of: navigation('S.A', { $Partner: 'Of' }) }),
      B: entity({ $BaseType: 'S.A', More: navigation('S.A') }),
      Box: {
        $Kind: 'EntityContainer',
        As: { $Type: 'S.A', $NavigationPropertyBinding: { Of: 'As', 'S.B/More': 'As' } },
      },
    });
    expect(A).toEqual(entity({ Of: navigation('S.A', { $Partner: 'Of' }) }));
    expect(B).toEqual(entity({ Of: navigation('S.A'), More: navigation('S.A') }));
    expect(Box).toMatchObject({ As: { $NavigationPropertyBinding: { Of: 'As' } } });
    expect(JSON.stringify(Box)).not.toContain('S.B');
  });

  it('binds operations to derived types, from the closest base type only', () => {
    const on = (type: string, more: JsonObject = {}) => ({
      $Kind: 'Action',
      $IsBound: true,
      $Parameter: [{ $Name: 'it', $Type: type, ...more }, { $Name: 'n' }],
    });
    const { Do } = flat({
      A: entity({}),
      B: entity({ $BaseType: 'S.A' }),
      C: entity({ $BaseType: 'S.B' }),
      Do: [on('S.A'), on('S.B'), on('S.A', { $Collection: true })],
    });
    const many = { $Collection: true };
    expect(Do).toEqual([
      ...[on('S.A'), on('S.B'), on('S.C')],
      ...[on('S.A', many), on('S.B', many), on('S.C', many)],
    ]);
  });
});
