// This file compiles and runs reads of those who may not see everything.
import { describe, expect, it } from 'vitest';
import type { Expression, RowExpression, Rows } from '../../src/bind/bound.ts';
import { BOOLEAN, primitive } from '../../src/bind/expression/types.ts';
import type { Property } from '../../src/edm/model.ts';
import { entityType } from '../../src/edm/model.ts';
import { setSource } from '../../src/edm/source.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeScope } from '../../src/sql/expression/expression.ts';
import { column, name, sql } from '../../src/sql/fragment.ts';
import { finish } from '../../src/sql/read/read.ts';
import { originOf, selectFrom } from '../../src/sql/read/row-source.ts';
import { oddModel } from '../odd-model.ts';
import { layout, openZoo, run } from './zoo.ts';

const zoo = openZoo();
const keeper = entityType(oddModel, 'Odd.Zoo.Keeper');
const source = setSource(oddModel, 'Keepers');
const row = { kind: 'entity', id: 1, source, type: keeper } as const;
const boss = { kind: 'entity', id: 2, source, type: keeper } as const;

function member(called: string): Property {
  const found = oddModel.members(keeper).get(called);
  if (found?.kind !== 'property') throw new Error(`no property ${called}`);
  return found;
}

const textOf = (of: RowExpression): Expression => ({
  kind: 'property',
  row: of,
  path: [member('Name')],
  type: primitive('Edm.String'),
});

const equals = (left: Expression, text: string): Expression => ({
  kind: 'compare',
  operator: 'eq',
  left,
  right: { kind: 'literal', type: left.type, value: text },
  operandType: left.type,
  type: BOOLEAN,
});

/** The row's boss, who may be seen only when he is called Bob. */
function visibleBoss(): RowExpression {
  const navigation = oddModel.members(keeper).get('Boss');
  if (navigation?.kind !== 'navigation') throw new Error('no navigation Boss');
  return {
    kind: 'follow',
    from: { kind: 'variable', row },
    path: [],
    navigation,
    target: boss,
    visible: equals(textOf({ kind: 'variable', row: boss }), 'Bob'),
  };
}

function found(condition: Expression): number[] {
  const rows: Rows = { row, origin: { kind: 'source' }, where: [condition] };
  const scope = makeScope(layout, SQLITE);
  const origin = originOf(scope, rows);
  const selected = selectFrom(origin, column(name('t1'), 'Id'));
  return run(zoo, finish(scope, sql`${selected} ORDER BY 1`)).map(([id]) => Number(id));
}

const isNull = (operand: Expression): Expression => ({
  kind: 'compare',
  operator: 'eq',
  left: operand,
  right: { kind: 'literal', type: { kind: 'null' }, value: null },
  operandType: operand.type,
  type: BOOLEAN,
});

describe('a row that the asker may not see', () => {
  it('cannot be found by its properties', () => {
    expect(found(equals(textOf(visibleBoss()), 'Bob'))).toEqual([103]);
    expect(found(equals(textOf(visibleBoss()), 'Ada Lovelace'))).toEqual([]);
  });

  it('is null, as if there were none', () => {
    expect(found(isNull(textOf(visibleBoss())))).toEqual([101, 102]);
    const itself: Expression = {
      kind: 'row',
      row: visibleBoss(),
      type: { kind: 'entity', type: keeper, collection: false },
    };
    expect(found(isNull(itself))).toEqual([101, 102]);
  });

  it('does not show its key either', () => {
    const key: Expression = {
      kind: 'property',
      row: visibleBoss(),
      path: [member('Id')],
      type: primitive('Edm.Int64'),
    };
    expect(found(isNull(key))).toEqual([101, 102]);
  });
});
