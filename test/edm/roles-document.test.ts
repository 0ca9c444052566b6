// This file reads the flag of roles that require a second factor, and checks it against models whose own roles lack the property.
import { describe, expect, it } from 'vitest';
import { withSystem } from '../../src/edm/account-sets.ts';
import { makeModel } from '../../src/edm/model.ts';
import type { Mistake } from '../../src/edm/model-error.ts';
import { readRoles, unknownRoleMembers } from '../../src/edm/roles-document.ts';
import { boolean, defineModel, entitySet, entityType, int64, text } from '../define-model.ts';

/** A model with a set of roles of its own. */
function modelOf(flags: readonly string[]) {
  const members = [
    int64('Uid', { nullable: false }),
    text('Name'),
    ...flags.map((one) => boolean(one)),
  ];
  return makeModel(
    defineModel({
      namespaces: [{ name: 'Office' }],
      types: [entityType('Role', members, { key: ['Uid'] })],
      sets: [entitySet('Roles', 'Role')],
      operations: [],
      imports: [],
      codeLists: [],
      languages: ['en'],
    }),
  );
}

function read(SecondFactorRequired: unknown) {
  const mistakes: Mistake[] = [];
  const roles = readRoles({ Roles: [{ Name: 'keeper', SecondFactorRequired }] } as never, mistakes);
  return { roles, mistakes };
}

describe('SecondFactorRequired of a role', () => {
  it.each([
    [true, true],
    [false, undefined],
  ])('%s is read as %s', (value, expected) => {
    const { roles, mistakes } = read(value);
    expect([roles[0]?.requiresFactor, mistakes]).toEqual([expected, []]);
  });

  it('must be true or false', () => {
    expect(read('yes').mistakes[0]?.path).toBe('$.Roles[0].SecondFactorRequired');
  });

  it('is a mistake where the roles of the model lack the property', () => {
    const check = (flags: readonly string[], value: boolean) =>
      read(value).roles.flatMap((role) => unknownRoleMembers(modelOf(flags), role, '$.Roles[0]'));
    expect(check([], true)).toMatchObject([{ path: '$.Roles[0].SecondFactorRequired' }]);
    expect([check([], false), check(['SecondFactorRequired'], true)]).toEqual([[], []]);
  });

  it('is known to the roles of the engine', () => {
    const { definition } = modelOf([]);
    const engine = makeModel(withSystem({ ...definition, types: [], sets: [] }));
    const [role] = read(true).roles;
    expect(role && unknownRoleMembers(engine, role, '$')).toEqual([]);
  });
});
