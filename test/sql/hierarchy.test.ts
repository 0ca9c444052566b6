// This file compiles and runs walks through trees.
import { describe, expect, it } from 'vitest';
import type { Transformation } from '../../src/bind/bound.ts';
import { BOOLEAN, primitive } from '../../src/bind/expression/types.ts';
import { entityType } from '../../src/edm/model.ts';
import { setSource } from '../../src/edm/source.ts';
import { applyToRows } from '../../src/sql/apply/apply.ts';
import type { Stage } from '../../src/sql/apply/transformation-rows.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeScope } from '../../src/sql/expression/expression.ts';
import { sql, where } from '../../src/sql/fragment.ts';
import { orderBy } from '../../src/sql/read/order-by.ts';
import { finish } from '../../src/sql/read/read.ts';
import { oddModel } from '../odd-model.ts';
import { layout, openZoo, run } from './zoo.ts';

const zoo = openZoo();
// Aves has Psittaciformes and a gull below it; below the parrots come two more, one of them with a circle.
zoo.exec(`INSERT INTO "AllSpecies" ("$id", "Latin", "Parent") VALUES (404, 'Ara', 402), (405, 'Nestor', 402);
  INSERT INTO "AllSpecies" ("$id", "Latin", "Parent") VALUES (406, 'Ouro', NULL), (407, 'Boros', 406);
  UPDATE "AllSpecies" SET "Parent" = 407 WHERE "$id" = 406`);

const species = entityType(oddModel, 'Odd.Zoo.Species');
const source = setSource(oddModel, 'AllSpecies');
const row = { kind: 'entity', id: 1, source, type: species } as const;
const node = { kind: 'entity', id: 2, source, type: species } as const;

function latin(of: typeof row | typeof node, value: string): Transformation {
  const property = oddModel.members(species).get('Latin');
  if (property?.kind !== 'property') throw new Error('no property Latin');
  const type = primitive('Edm.String');
  const left = {
    kind: 'property',
    row: { kind: 'variable', row: of },
    path: [property],
    type,
  } as const;
  const right = { kind: 'literal', type, value } as const;
  return {
    kind: 'filter',
    input: of,
    output: of,
    predicate: { kind: 'compare', operator: 'eq', left, right, operandType: type, type: BOOLEAN },
  };
}

type Hierarchy = Transformation & { readonly kind: 'hierarchy' };

function walked(walk: Partial<Hierarchy>): string[] {
  const parent = oddModel.members(species).get('Parent');
  if (parent?.kind !== 'navigation') throw new Error('no navigation Parent');
  const hierarchy: Hierarchy = {
    kind: 'hierarchy',
    input: row,
    output: row,
    walk: 'descendants',
    tree: { parent, nodes: { row: node, origin: { kind: 'source' }, where: [] }, start: [] },
    start: [],
    keepStart: false,
    orderby: [],
    ...walk,
  };
  const scope = makeScope(layout, SQLITE);
  const rows = { row, origin: { kind: 'source' }, where: [] } as const;
  const stage = applyToRows(scope, rows, [hierarchy]) as Stage;
  const order = stage.keys.length === 0 ? sql` ORDER BY t1."$id"` : orderBy(scope, stage.keys);
  const query = sql`SELECT t1."Latin" FROM ${stage.from}${where(stage.conditions)}${order}`;
  return run(zoo, finish(scope, query)).map(([name]) => String(name));
}

describe('trees', () => {
  it('descendants, near and far', () => {
    expect(walked({ start: [latin(row, 'Aves')] })).toEqual([
      'Psittaciformes',
      "O'Brien's / gull",
      'Ara',
      'Nestor',
    ]);
    expect(walked({ start: [latin(row, 'Aves')], distance: 1 })).toEqual([
      'Psittaciformes',
      "O'Brien's / gull",
    ]);
    expect(walked({ start: [latin(row, 'Psittaciformes')], keepStart: true })).toEqual([
      'Psittaciformes',
      'Ara',
      'Nestor',
    ]);
  });

  it('ancestors', () => {
    expect(walked({ walk: 'ancestors', start: [latin(row, 'Ara')] })).toEqual([
      'Aves',
      'Psittaciformes',
    ]);
    expect(
      walked({ walk: 'ancestors', start: [latin(row, 'Ara')], distance: 1, keepStart: true }),
    ).toEqual(['Psittaciformes', 'Ara']);
  });

  it('a circle is walked once', () => {
    expect(walked({ start: [latin(row, 'Ouro')] })).toEqual(['Ouro', 'Boros']);
  });

  it('the whole tree in order, parents before or behind their children', () => {
    expect(walked({ walk: 'traverse', order: 'preorder' })).toEqual([
      'Aves',
      'Psittaciformes',
      'Ara',
      'Nestor',
      "O'Brien's / gull",
    ]);
    expect(walked({ walk: 'traverse', order: 'postorder' })).toEqual([
      'Ara',
      'Nestor',
      'Psittaciformes',
      "O'Brien's / gull",
      'Aves',
    ]);
  });
});
