// This file guesses passwords with many requests at once: no more of them are tried than may fail one after another. How many were tried
// is told by the hashing itself.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { ADMIN, PASSWORD, startService, type TestService } from '../world.ts';

const { tried } = vi.hoisted(() => ({ tried: { count: 0 } }));
vi.mock('@node-rs/argon2', async (original) => {
  const argon = await original<typeof import('@node-rs/argon2')>();
  const verify: typeof argon.verify = async (...given) => {
    tried.count++;
    return await argon.verify(...given);
  };
  return { ...argon, verify };
});

const WRONG = 'wrong and long enough';
const HERE = '192.0.2.7';

let service: TestService;
beforeEach(async () => {
  service = await startService({
    model: oddDefinition,
    accounts: [{ name: 'second', roles: [] }],
  });
  tried.count = 0;
}, 60_000);
afterEach(async () => await service.close());

interface Guess {
  readonly password?: string;
  readonly username?: string;
  readonly address?: string;
}

async function guess({ password = WRONG, username = ADMIN, address = HERE }: Guess = {}) {
  const answer = await service.app.server.inject({
    method: 'POST',
    url: '/token',
    remoteAddress: address,
    headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ grant_type: 'password', username, password }).toString(),
  });
  const wait = answer.headers['retry-after'];
  return wait === undefined ? `${answer.statusCode}` : `${answer.statusCode}, wait ${wait}`;
}

/** How often each answer was given to so many guesses at once, by status and seconds to wait. */
async function atOnce(count: number, which: (index: number) => Guess) {
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => await guess(which(index))),
  );
  const tally: Record<string, number> = {};
  for (const answer of answers) tally[answer] = (tally[answer] ?? 0) + 1;
  return tally;
}

it.each([
  ['an account', ADMIN],
  ['a name that nobody has', 'nobody at all'],
])(
  'of 60 wrong guesses at once for %s five are tried, the others have to wait',
  async (_what, username) => {
    const answers = await atOnce(60, () => ({ username }));
    expect(answers).toEqual({ 400: 5, '429, wait 1': 55 });
    expect(tried.count).toBe(5);
    service.world.advance(1000);
    expect(await atOnce(20, () => ({ username }))).toEqual({
      400: 1,
      '429, wait 2': 19,
    });
    expect(tried.count).toBe(6);
  },
);

it('the right password among those that wait does not get past them', async () => {
  const password = (index: number) => (index === 59 ? PASSWORD : WRONG);
  const answers = await atOnce(60, (index) => ({ password: password(index) }));
  expect(answers).toEqual({ 400: 5, '429, wait 1': 55 });
});

it('of wrong guesses at once for many names from one address fifty are tried', async () => {
  const answers = await atOnce(80, (index) => ({ username: `name ${index}` }));
  expect(answers).toEqual({ 400: 50, '429, wait 1': 30 });
  expect(tried.count).toBe(50);
});

it('one person logs in 60 times at once, and nobody is held up by guesses from elsewhere', async () => {
  const [right, wrong] = await Promise.all([
    atOnce(60, () => ({ password: PASSWORD })),
    atOnce(20, () => ({ address: '192.0.2.8' })),
  ]);
  expect(right).toEqual({ 200: 60 });
  expect(wrong).toEqual({ 400: 5, '429, wait 1': 15 });
  expect(await guess()).toBe('400');
});

it('more than 64 attempts do not wait: they are refused as too many', async () => {
  const answers = await atOnce(80, () => ({ password: PASSWORD }));
  expect(answers).toEqual({ 200: 69, '503, wait 2': 11 });
});

it('ChangePassword tries no more at once than log-ins, and is counted with them', async () => {
  const clerk = await service.as('second');
  tried.count = 0;
  const change = async () => {
    const body = { CurrentPassword: WRONG, NewPassword: 'eleven brisk herons' };
    return (await clerk.send('POST', '/odata/ChangePassword', body)).status;
  };
  const [statuses, answers] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, change)),
    atOnce(20, () => ({ username: 'second', address: '127.0.0.1' })),
  ]);
  const refused = statuses.filter((status) => status === 403).length;
  expect(statuses.filter((status) => status === 429)).toHaveLength(20 - refused);
  expect(refused + (answers[400] ?? 0)).toBe(5);
  expect(tried.count).toBe(5);
});
