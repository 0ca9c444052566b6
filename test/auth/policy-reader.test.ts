// This file tests what becomes of stored roles that the model no longer understands. What requests do to roles is tested by
// test/journeys/91-rights.test.ts.
import { expect, it } from 'vitest';
import { Roles } from '../../src/auth/policy-reader.ts';
import { Fault } from '../../src/base/fault.ts';
import type { Observation } from '../../src/base/observation.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import { withSystem } from '../../src/edm/account-sets.ts';
import { makeModel } from '../../src/edm/model.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import type { Row } from '../../src/store/database.ts';
import { oddDefinition } from '../odd-model.ts';

const layout = makeLayout(makeModel(withSystem(oddDefinition)));

it('a stored role that has become invalid grants the rest, and its mistakes are reported', async () => {
  const tables: (readonly Row[])[] = [
    [[1n, 'guide', 1n]],
    [
      [2n, 1n, 'Animal', null, 1n, 0n, 0n, 0n, 0n],
      [3n, 1n, 'Dinosaur', null, 1n, 0n, 0n, 0n, 0n],
      [4n, 1n, 'Keeper', 'Height gt 5', 1n, 0n, 0n, 0n, 0n],
    ],
    [[5n, 1n, 'Animal', 'Feathers', 0n, 1n]],
  ];
  const seen: Observation[] = [];
  const roles = new Roles({
    database: {
      read: async () => tables.shift() ?? [],
      write: async () => {
        throw new Error('Loading roles writes nothing');
      },
    },
    layout,
    limits: DEFAULT_BIND_LIMITS,
    observe: (one) => seen.push(one),
  });
  await roles.load();
  expect(roles.policy.roles).toMatchObject([
    { name: 'guide', updatesAll: true, grants: [{ type: 'Odd.Zoo.Animal' }] },
  ]);
  const codes = seen.map((one) =>
    one.kind === 'failure' && one.error instanceof Fault ? one.error.code : one.kind,
  );
  expect(codes).toEqual(['access.rule-type', 'access.rule', 'access.rule-member']);
});
