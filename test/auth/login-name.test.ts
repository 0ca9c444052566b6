// This file tests which login names are rejected because of other accounts. test/journeys/94-login-names.test.ts tests the same through
// requests, and which names are bad in themselves.
import { describe, expect, it } from 'vitest';
import { requireGoodLoginNames } from '../../src/auth/login-name.ts';

describe('An account that is renamed', () => {
  const before = new Map([
    [1n, 'ada'],
    [2n, 'grace'],
    [3n, 'emmy'],
  ]);
  const rename = (uid: bigint, name: string) => () =>
    requireGoodLoginNames([uid], before, new Map([...before, [uid, name]]));

  it.each([
    ['an older account', 2n, 'Ada', 'ada'],
    ['a younger account', 1n, 'GRACE', 'grace'],
  ])('cannot take the name of %s in other letters', (_what, uid, name, other) => {
    expect(rename(uid, name)).toThrow(
      expect.objectContaining({
        code: 'auth.account-exists',
        message: expect.stringContaining(`"${other}"`),
      }),
    );
  });

  it('can take its own name in other letters', () => {
    expect(rename(1n, 'ADA')).not.toThrow();
  });
});

describe('Accounts whose names are alike from earlier times', () => {
  const names = new Map([
    [1n, 'ada'],
    [2n, 'Ada'],
    [3n, ' grace'],
  ]);

  it('can be changed as long as they keep their names', () => {
    expect(() => requireGoodLoginNames([1n, 2n, 3n], names, names)).not.toThrow();
  });

  it('can be deleted', () => {
    expect(() => requireGoodLoginNames([1n], names, new Map([[2n, 'Ada']]))).not.toThrow();
  });
});
