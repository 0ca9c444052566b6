// This file checks how the login name is taken from the claims of a token.
import { expect, it } from 'vitest';
import type { Issuer } from '../../src/auth/issuers/issuer.ts';
import { loginNameIn } from '../../src/auth/issuers/token-claims.ts';

const issuer: Pick<Issuer, 'claim'> = { claim: 'email' };

const nameIn = (claims: object) => loginNameIn({ email: 'ann@example.com', ...claims }, issuer);

it.each([false, 'false'])(
  'an e-mail address whose email_verified is %j names no account',
  (verified) => {
    expect(() => nameIn({ email_verified: verified })).toThrow('has not been verified');
  },
);

it.each([true, 'true', undefined])('one whose email_verified is %j does', (verified) => {
  expect(nameIn({ email_verified: verified })).toBe('ann@example.com');
});
