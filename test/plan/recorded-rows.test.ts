// This file tests on which condition a row counts as recorded by the service, so that clients cannot write it.

import { describe, expect, it } from 'vitest';
import { variable } from '../../src/bind/expression/constructors.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { entityType, makeModel } from '../../src/edm/model.ts';
import { setSource } from '../../src/edm/source.ts';
import { isOwnUnrecorded } from '../../src/plan/rights/row-conditions.ts';
import { oddDefinition } from '../odd-model.ts';
import { everything } from './readings.ts';
import { showExpression } from './show.ts';

const RECORDED = new Map([
  ['Odd.Zoo.Animal', "Remark eq 'by machine'"],
  ['Odd.Zoo.Bird', 'Tame'],
]);
const model = makeModel({
  ...oddDefinition,
  types: oddDefinition.types.map((type) => {
    const recorded = RECORDED.get(type.name);
    return type.kind === 'entity' && recorded !== undefined ? { ...type, recorded } : type;
  }),
});

function unrecorded(name: string): string {
  const guard = {
    model,
    rights: everything,
    bindRule: ruleBinder({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS }),
  };
  const type = entityType(model, `Odd.Zoo.${name}`);
  const row = { kind: 'entity', id: 1, source: setSource(model, 'Animals'), type } as const;
  const condition = isOwnUnrecorded(guard, variable(row), type);
  return typeof condition === 'boolean' ? String(condition) : showExpression(condition);
}

describe('A row can be written', () => {
  it('if it is not recorded by its type, nor by a derived type that it is of', () => {
    expect(unrecorded('Animal')).toBe(
      "(not(Animal.Remark eq 'by machine' eq true) and not((Animal isof Bird and Animal.Tame) eq true))",
    );
  });

  it('if it is recorded neither by its type nor by a base type', () => {
    expect(unrecorded('Parrot')).toBe(
      "(not(Parrot.Remark eq 'by machine' eq true) and not(Parrot.Tame eq true))",
    );
  });

  it('always, if the types have no such condition', () => {
    expect(unrecorded('Keeper')).toBe('true');
  });
});
