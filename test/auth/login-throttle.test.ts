// This file tests how log-in attempts are slowed down, on a clock of its own and without hashing a password.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Admission,
  createLoginThrottle,
  type LoginThrottle,
  type Outcome,
} from '../../src/auth/login-throttle.ts';

const MINUTE = 60_000;
const HERE = '192.0.2.7';
const ELSEWHERE = '192.0.2.8';

let now: number;
let throttle: LoginThrottle;
beforeEach(() => {
  now = Date.UTC(2026, 2, 31, 12);
  throttle = createLoginThrottle({
    now: () => now,
    elapsed: () => now,
    randomBytes: (count) => new Uint8Array(count),
  });
});

/** One attempt from start to end: `tried`, or the seconds to wait. */
async function attempt(outcome: Outcome, name = 'ada', machine = HERE): Promise<number | 'tried'> {
  const admission = await throttle.begin(name, machine);
  if (admission.kind === 'slowed') return admission.seconds;
  admission.end(outcome);
  return 'tried';
}

async function fail(times: number, name?: string, machine?: string): Promise<void> {
  for (let time = 0; time < times; time++) await attempt('failed', name, machine);
}

/** Starts attempts whose outcome is still open. */
async function begin(
  count: number,
  name = 'ada',
): Promise<readonly ((outcome: Outcome) => void)[]> {
  const admissions = await Promise.all(
    Array.from({ length: count }, async () => await throttle.begin(name, HERE)),
  );
  return admissions.map((admission) => {
    if (admission.kind === 'slowed') throw new Error('The attempt had to wait');
    return admission.end;
  });
}

describe('A name that fails again and again', () => {
  it('waits 1 second after 5 failures, then twice as long each time, and never more than 300 seconds', async () => {
    await fail(4);
    const waits: (number | 'tried')[] = [];
    for (let round = 0; round < 11; round++) {
      await fail(1);
      const wait = await attempt('failed');
      waits.push(wait);
      now += Number(wait) * 1000;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('is told the seconds that remain, and may try again when they have passed', async () => {
    await fail(5);
    await attempt('failed');
    now += 1000;
    await fail(1);
    now += 500;
    expect(await attempt('failed')).toBe(2);
    now += 1499;
    expect(await attempt('failed')).toBe(1);
    now += 1;
    expect(await attempt('succeeded')).toBe('tried');
  });

  it('is the same name in upper and lower case', async () => {
    await fail(5, 'ADA');
    expect(await attempt('failed', 'ada')).toBe(1);
  });

  it('slows down neither other names nor the same name on another machine', async () => {
    await fail(5);
    expect(await attempt('failed', 'grace')).toBe('tried');
    expect(await attempt('failed', 'ada', ELSEWHERE)).toBe('tried');
  });

  it('starts afresh after a success', async () => {
    await fail(4);
    await attempt('succeeded');
    await fail(4);
    expect(await attempt('failed')).toBe('tried');
    expect(await attempt('failed')).toBe(1);
  });

  it('starts afresh 15 minutes after the last failure, and not before', async () => {
    await fail(4);
    now += 15 * MINUTE - 1;
    await fail(1);
    expect(await attempt('failed')).toBe(1);
    now += 15 * MINUTE;
    await fail(4);
    expect(await attempt('failed')).toBe('tried');
  });

  it('is not charged for attempts whose password could not be checked', async () => {
    await fail(4);
    for (let time = 0; time < 10; time++) await attempt('undecided');
    expect(await attempt('failed')).toBe('tried');
    expect(await attempt('failed')).toBe(1);
  });
});

describe('A machine', () => {
  it('has to wait after 50 failures under any names, and a success does not clear them', async () => {
    for (let index = 0; index < 49; index++) await fail(1, `name ${index}`);
    expect(await attempt('succeeded', 'somebody')).toBe('tried');
    expect(await attempt('failed', 'the fiftieth')).toBe('tried');
    expect(await attempt('failed', 'somebody')).toBe(1);
    expect(await attempt('failed', 'somebody', ELSEWHERE)).toBe('tried');
  });
});

describe('Attempts at the same time', () => {
  it('begin as long as they may fail without a wait; the others follow when it is known that they may', async () => {
    await fail(2);
    const [first, second, third] = await begin(3);
    const order: string[] = [];
    const waiting = ['fourth', 'fifth'].map(async (which) => {
      const admission = await throttle.begin('ada', HERE);
      order.push(`${which} ${admission.kind}`);
      return admission;
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    first?.('succeeded');
    await Promise.all(waiting);
    expect(order).toEqual(['fourth begun', 'fifth begun']);
    second?.('undecided');
    third?.('undecided');
  });

  it('leave room for others when they have ended, those that had to wait included', async () => {
    const ends = await begin(5);
    const waiting = [throttle.begin('ada', HERE), throttle.begin('ada', HERE)];
    for (const end of ends) end('undecided');
    for (const admission of await Promise.all(waiting))
      if (admission.kind === 'begun') admission.end('undecided');
    expect(await begin(5)).toHaveLength(5);
  });

  it('are slowed down when those before them have failed', async () => {
    const ends = await begin(5);
    const waiting = throttle.begin('ada', HERE);
    for (const end of ends) end('failed');
    expect(await waiting).toEqual({ kind: 'slowed', seconds: 1 });
  });

  it('of which one at a time begins after a wait', async () => {
    await fail(5);
    now += 1000;
    const [end] = await begin(1);
    let isDecided = false;
    const waiting = throttle.begin('ada', HERE).then((admission: Admission) => {
      isDecided = true;
      return admission;
    });
    await Promise.resolve();
    expect(isDecided).toBe(false);
    end?.('failed');
    expect(await waiting).toEqual({ kind: 'slowed', seconds: 2 });
  });

  it('wait in a line of at most 64 for each machine; one more gets 503 with Retry-After', async () => {
    const ends = await begin(5);
    const line = Array.from({ length: 64 }, async () => await throttle.begin('ada', HERE));
    await expect(throttle.begin('ada', HERE)).rejects.toMatchObject({
      code: 'auth.busy',
      status: 503,
      headers: { 'Retry-After': '2' },
    });
    expect(await attempt('failed', 'ada', ELSEWHERE)).toBe('tried');
    for (const end of ends) end('failed');
    expect(new Set((await Promise.all(line)).map(({ kind }) => kind))).toEqual(new Set(['slowed']));
  });
});

it('failures of 10,000 names and machines are remembered; the oldest are forgotten first', async () => {
  await fail(5, 'ada');
  await fail(5, 'grace', ELSEWHERE);
  await fail(1, 'grace', ELSEWHERE);
  for (let index = 0; index < 4998; index++) await fail(1, 'one of many', `machine ${index}`);
  expect(await attempt('failed', 'ada')).toBe(1);
  await fail(1, 'one more', 'another machine');
  expect(await attempt('undecided', 'ada')).toBe('tried');
  expect(await attempt('undecided', 'grace', ELSEWHERE)).toBe(1);
});
