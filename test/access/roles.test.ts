// This file reads roles as they are written down: what they grant, and which mistakes in them are told.
import { describe, expect, it } from 'vitest';
import { resolveRights, rightsTo } from '../../src/access/policy.ts';
import type { Principal } from '../../src/access/principal.ts';
import { type CheckRule, readRole, readRule } from '../../src/access/read-roles.ts';
import { ruleCheck } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import type { AttributeAccess, EntityAccess } from '../../src/edm/account-sets.ts';
import { type Model, makeModel } from '../../src/edm/model.ts';
import { printExpression } from '../../src/request/print/expression.ts';
import { defineModel, entityType, int64 } from '../define-model.ts';
import { oddModel } from '../odd-model.ts';
import { zoo } from '../plan/readings.ts';

const check: CheckRule = ruleCheck({
  model: oddModel,
  rules: 'odata',
  limits: DEFAULT_BIND_LIMITS,
});

function read(
  entities: readonly EntityAccess[],
  attributes: readonly AttributeAccess[] = [],
  model: Model = oddModel,
) {
  return readRole(model, { name: 'guide', entities, attributes }, check);
}

function rights(entities: readonly EntityAccess[], attributes: readonly AttributeAccess[] = []) {
  const { role, mistakes } = read(entities, attributes);
  expect(mistakes).toEqual([]);
  const ann: Principal = {
    account: 1n,
    loginName: 'ann',
    person: 7n,
    roles: ['guide'],
    administrator: false,
  };
  return resolveRights({ roles: [role] }, ann, oddModel);
}

describe('A condition', () => {
  it.each([
    ['Tame', 'Tame'],
    ['Id eq $me', '(Id eq @me) and (@me ne null)'],
    ["Name eq $account or Name eq '$me'", "Name eq @account or Name eq '$me'"],
    ['Keepers/any(k:k/Id eq $me)', '(Keepers/any(k:k/Id eq @me)) and (@me ne null)'],
    ['Id eq @me', '(Id eq @me) and (@me ne null)'],
  ])('%s is read', (text, read) => {
    const bare = (one: string) => one.replaceAll(/[()]/g, '');
    expect(bare(printExpression(readRule(text).condition))).toBe(bare(read));
  });
});

describe('A role', () => {
  it('gives what its entries say, and for derived types what it says of them', () => {
    const found = rights([
      { entity: 'Animal', actions: ['Read'] },
      { entity: 'Animal', actions: ['Change'], filter: 'Tame' },
      { entity: 'Odd.Zoo.Bird', actions: [] },
    ]);
    const { read, change, create } = rightsTo(found, zoo('Animal')).actions;
    expect([read.kind, change.kind, create.kind]).toEqual(['all', 'some', 'none']);
    expect(rightsTo(found, zoo('Fish')).actions.read.kind).toBe('all');
    expect(rightsTo(found, zoo('Bird')).actions.read.kind).toBe('none');
    expect(rightsTo(found, zoo('Keeper')).actions.read.kind).toBe('none');
  });

  it('does not permit changing many entities by one request unless it says so', () => {
    expect(read([]).role.updatesAll).toBe(false);
  });

  it('withholds members of derived types too, and of derived types alone', () => {
    const found = rights(
      [
        { entity: 'Animal', actions: ['Read', 'Change'] },
        { entity: 'Fish', actions: ['Read'] },
      ],
      [
        { entity: 'Animal', attribute: 'Weight', read: false, modify: false },
        { entity: 'Bird', attribute: 'Name', read: true, modify: false },
      ],
    );
    const of = (type: string) => {
      const { reading, writing } = rightsTo(found, zoo(type));
      return [[...reading.keys()], [...writing.keys()]];
    };
    expect(of('Animal')).toEqual([['Weight'], ['Weight']]);
    expect(of('Fish')).toEqual([['Weight'], ['Weight']]);
    expect(of('Bird')).toEqual([['Weight'], ['Weight', 'Name']]);
  });

  it('grants to a derived type what its base type has, if it only withholds a member of it', () => {
    const found = rights(
      [{ entity: 'Animal', actions: ['Read', 'Create'] }],
      [{ entity: 'Bird', attribute: 'Name', read: true, modify: false }],
    );
    const { read, create, delete: remove } = rightsTo(found, zoo('Bird')).actions;
    expect([read.kind, create.kind, remove.kind]).toEqual(['all', 'all', 'none']);
  });

  it('withholds both sides of a relation from reading, and neither side from changing', () => {
    const found = rights(
      [
        { entity: 'Animal', actions: ['Read', 'Change'] },
        { entity: 'Keeper', actions: ['Read', 'Change'] },
      ],
      [{ entity: 'Animal', attribute: 'Keepers', read: false, modify: true }],
    );
    const [animal, keeper] = [rightsTo(found, zoo('Animal')), rightsTo(found, zoo('Keeper'))];
    expect([[...animal.reading.keys()], [...keeper.reading.keys()]]).toEqual([
      ['Keepers'],
      ['Animals'],
    ]);
    expect([[...animal.writing], [...keeper.writing]]).toEqual([[], []]);
  });

  it('leaves the other side of a relation readable if only changing is withheld', () => {
    const found = rights(
      [{ entity: 'Keeper', actions: ['Read', 'Change'] }],
      [{ entity: 'Animal', attribute: 'Keepers', read: true, modify: false }],
    );
    expect([...rightsTo(found, zoo('Keeper')).reading]).toEqual([]);
  });

  it('names a type of two namespaces by its qualified name', () => {
    const parts = { key: ['Id'] };
    const model = makeModel(
      defineModel({
        namespaces: [{ name: 'Zoo' }, { name: 'Archive' }],
        types: ['Animal', 'Archive.Animal', 'Keeper'].map((name) =>
          entityType(name, [int64('Id', { nullable: false })], parts),
        ),
      }),
    );
    const named = (entity: string) => read([{ entity, actions: ['Read'] }], [], model);
    expect(named('Animal').mistakes.map(({ fault }) => fault.message)).toEqual([
      expect.stringContaining('Write "Zoo.Animal" or "Archive.Animal".'),
    ]);
    expect(named('Archive.Animal').role.grants.map(({ type }) => type)).toEqual(['Archive.Animal']);
    expect(named('Keeper').role.grants.map(({ type }) => type)).toEqual(['Zoo.Keeper']);
    expect(named('Archive.Animl').mistakes.map(({ fault }) => fault.message)).toEqual([
      expect.stringContaining('Did you mean "Archive.Animal"?'),
    ]);
  });

  it('that cannot be understood grants nothing by what is wrong, and tells it', () => {
    const { role, mistakes } = read(
      [
        { entity: 'Animals', actions: ['Read'] },
        { entity: 'Keeper', actions: ['Read'], filter: 'Nmae eq null' },
        { entity: 'Animal', actions: ['Read'] },
      ],
      [{ entity: 'Animal', attribute: 'Wieght', read: false, modify: true }],
    );
    expect(role.grants.map(({ type }) => type)).toEqual(['Odd.Zoo.Animal']);
    expect(
      mistakes.map(({ part, index, fault }) => [part, index, fault.code, fault.target]),
    ).toEqual([
      ['entities', 0, 'access.rule-type', 'Entity'],
      ['entities', 1, 'access.rule', 'Filter'],
      ['attributes', 0, 'access.rule-member', 'Attribute'],
    ]);
    expect(mistakes.map(({ fault }) => /Did you mean "(\w+)"/.exec(fault.message)?.[1])).toEqual([
      'Animal',
      'Name',
      'Weight',
    ]);
  });
});
