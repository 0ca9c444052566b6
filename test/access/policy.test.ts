// This file adds up what the roles of an account may do, and tells what that comes to for each type.
import { describe, expect, it } from 'vitest';
import {
  ADMINISTRATORS_ONLY,
  type Grant,
  type Reach,
  readReachOf,
  resolveRights,
  rightsTo,
} from '../../src/access/policy.ts';
import type { Principal } from '../../src/access/principal.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { oddModel } from '../odd-model.ts';
import { zoo } from '../plan/readings.ts';

const ALL: Reach = { kind: 'all' };
const rule = (text: string): Reach => ({
  kind: 'some',
  rules: [{ text, condition: parseExpression(text) }],
});

const ann: Principal = {
  account: 1n,
  loginName: 'ann',
  person: 7n,
  roles: ['guide', 'vet'],
  administrator: false,
};

function grant(type: string, read: Reach, more: Partial<Grant> = {}): Grant {
  return { type: `Odd.Zoo.${type}`, actions: { read }, ...more };
}

function rights(guide: readonly Grant[], vet: readonly Grant[] = []) {
  const roles = [
    { name: 'guide', grants: guide },
    { name: 'vet', grants: vet },
    { name: 'director', grants: [grant('Creature', ALL), grant('Keeper', ALL)] },
  ];
  return resolveRights({ roles }, ann, oddModel);
}

describe('Rights', () => {
  it('an administrator may do everything', () => {
    const root = { ...ann, administrator: true };
    expect(resolveRights(ADMINISTRATORS_ONLY, root, oddModel).everything).toBe(true);
  });

  it('nobody else may do anything in a new installation', () => {
    const found = resolveRights(ADMINISTRATORS_ONLY, ann, oddModel);
    expect(found.everything).toBe(false);
    expect(rightsTo(found, zoo('Keeper')).actions.read).toEqual({ kind: 'none' });
  });

  it('only roles of the account count', () => {
    expect(rightsTo(rights([]), zoo('Keeper')).actions.read).toEqual({ kind: 'none' });
  });

  it('a grant holds for derived types, until one of them has its own', () => {
    const found = rights([grant('Creature', ALL), grant('Bird', rule('Tame'))]);
    expect(rightsTo(found, zoo('Fish')).actions.read).toEqual(ALL);
    expect(rightsTo(found, zoo('Parrot')).actions.read).toMatchObject({ kind: 'some' });
    expect(rightsTo(found, zoo('Fish'))).toBe(rightsTo(found, zoo('Creature')));
    expect(rightsTo(found, zoo('Parrot'))).toBe(rightsTo(found, zoo('Bird')));
  });

  it('rights of several roles add up', () => {
    const both = rights([grant('Animal', rule('Tame'))], [grant('Animal', rule("Name eq 'x'"))]);
    const { read, change } = rightsTo(both, zoo('Animal')).actions;
    expect(read.kind === 'some' && read.rules).toHaveLength(2);
    expect(change).toEqual({ kind: 'none' });
    const wide = rights([grant('Animal', rule('Tame'))], [grant('Animal', ALL)]);
    expect(rightsTo(wide, zoo('Animal')).actions.read).toEqual(ALL);
  });

  it('a member that one role withholds is readable where another role gives it', () => {
    const found = rights(
      [grant('Animal', ALL, { unreadable: ['Remark', 'Weight'] })],
      [grant('Animal', rule('Tame'), { unreadable: ['Weight'] })],
    );
    const animal = rightsTo(found, zoo('Animal'));
    expect(readReachOf(animal, 'Remark')).toMatchObject({ kind: 'some' });
    expect(readReachOf(animal, 'Weight')).toEqual({ kind: 'none' });
    expect(readReachOf(animal, 'Name')).toEqual(ALL);
  });

  it('a member that one role withholds is not restricted if another role grants it in all entities', () => {
    const found = rights(
      [grant('Animal', ALL, { unreadable: ['Keepers'] })],
      [grant('Animal', ALL)],
    );
    expect([...rightsTo(found, zoo('Animal')).reading]).toEqual([]);
  });

  it('one role is enough to change many entities by one request', () => {
    const roles = [
      { name: 'guide', grants: [] },
      { name: 'vet', grants: [], updatesAll: true },
    ];
    expect(resolveRights({ roles }, ann, oddModel).updatesAll).toBe(true);
    expect(rights([]).updatesAll).toBe(false);
  });

  it('keys cannot be withheld', () => {
    const found = rights([grant('Animal', ALL, { unreadable: ['Id'] })]);
    expect(readReachOf(rightsTo(found, zoo('Animal')), 'Id')).toEqual(ALL);
  });
});
