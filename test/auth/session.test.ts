// This file tests when a session trusts what it remembers of a token, with records of its own in place of a database.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuthRecords } from '../../src/auth/auth-records.ts';
import { Sessions } from '../../src/auth/session.ts';

const HERE = '192.0.2.7';
const HEADER = 'Bearer a-token';
const MINUTE = 60_000;

let now: number;
/** Whether the token still counts. */
let isAlive: boolean;
let lookups: number;
let revision: () => Promise<string>;
/** Runs between the lookup of a token and the end of it. */
let beforeSlot: () => Promise<void>;
let endings: bigint[];
let sessions: Sessions;

const account = {
  uid: 1n,
  loginName: 'ada',
  blocked: false,
  passwordHash: undefined,
  person: undefined,
  displayName: 'Ada',
  language: undefined,
  roles: [],
};

const unused = async () => {
  throw new Error('Sessions do not ask for this here');
};
const records: AuthRecords = {
  findAccount: unused,
  needsCode: unused,
  spendCode: unused,
  openLogin: unused,
  sharedLogin: unused,
  spendRefresh: unused,
  addAccess: unused,
  findAccess: async () => {
    lookups++;
    const found = { id: 2n, client: '', expires: now + 60 * MINUTE, account };
    return isAlive ? found : undefined;
  },
  findOwner: async () => {
    lookups++;
    return isAlive ? account : undefined;
  },
  takeSlot: async () => {
    await beforeSlot();
    return 'taken';
  },
  touch: async () => undefined,
  endLogin: async (ended) => void endings.push(ended),
  endLoginOf: unused,
  revision: async () => await revision(),
  prune: unused,
};

beforeEach(() => {
  now = Date.UTC(2026, 2, 31, 12);
  isAlive = true;
  lookups = 0;
  revision = async () => 'first';
  beforeSlot = async () => undefined;
  endings = [];
  sessions = new Sessions({
    anonymousPrincipal: () => undefined,
    records,
    world: {
      now: () => now,
      elapsed: () => now,
      randomBytes: (count) => new Uint8Array(count),
    },
    bound: true,
    throttle: { begin: unused },
    basicKeys: () => true,
    idleTimeout: () => 20 * MINUTE,
    slots: () => ({ total: 10, account: 10, reserved: 0 }),
    reload: async () => undefined,
    atEnd: async () => undefined,
  });
});

const ask = async () => await sessions.authenticate(HEADER, HERE);
const settle = async () => await new Promise((resolve) => setImmediate(resolve));

/** From now on each revision is known when the test says so, in the order in which they are read. */
function pendingRevisions(): readonly ((revision: string) => void)[] {
  const pending: ((revision: string) => void)[] = [];
  revision = async () => await new Promise((resolve) => pending.push(resolve));
  return pending;
}

describe('A token that is used again', () => {
  it('is known without a wait and without a lookup', async () => {
    await ask();
    await settle();
    const again = sessions.authenticate(HEADER, HERE);
    expect(again).not.toBeInstanceOf(Promise);
    expect(again).toMatchObject({ loginName: 'ada' });
    expect(lookups).toBe(1);
  });

  it('is looked up again when anything has changed', async () => {
    await ask();
    revision = async () => 'second';
    isAlive = false;
    now += 501;
    await expect(ask()).rejects.toMatchObject({ code: 'auth.token-invalid', status: 401 });
    expect(lookups).toBe(2);
  });

  it('waits for the newest check, even if an older one ends first', async () => {
    await ask();
    now += 501;
    const checks = pendingRevisions();
    const older = ask();
    await settle();
    sessions.recheck();
    const newer = ask();
    checks[0]?.('first');
    await older;
    await settle();
    isAlive = false;
    const latest = ask();
    checks[1]?.('second');
    await expect(newer).rejects.toMatchObject({ code: 'auth.token-invalid' });
    await expect(latest).rejects.toMatchObject({ code: 'auth.token-invalid' });
  });
});

describe('A token that is looked up while something changes', () => {
  beforeEach(async () => {
    await sessions.authenticate(HEADER, HERE);
    now += 501;
    revision = async () => 'second';
    beforeSlot = async () => {
      beforeSlot = async () => undefined;
      now += 501;
      revision = async () => 'third';
      await sessions.current({ account: 1n, session: 2n });
    };
  });

  it('is looked up again for the next request', async () => {
    await ask();
    isAlive = false;
    await expect(ask()).rejects.toMatchObject({ code: 'auth.token-invalid' });
  });

  it('ends its session', async () => {
    await sessions.end(HEADER, HERE);
    expect(endings).toEqual([2n]);
  });
});

it('after a failed check, the next request checks again', async () => {
  await ask();
  now += 501;
  revision = async () => {
    throw new Error('The database is busy');
  };
  await expect(ask()).rejects.toThrow('The database is busy');
  revision = async () => 'second';
  isAlive = false;
  await expect(ask()).rejects.toMatchObject({ code: 'auth.token-invalid' });
});

it('the account of a request that waits is looked up once for each revision', async () => {
  const owner = { account: 1n, session: 2n };
  expect(await sessions.current(owner)).toMatchObject({ loginName: 'ada', session: 2n });
  expect(await sessions.current(owner)).toMatchObject({ loginName: 'ada', session: 2n });
  expect(lookups).toBe(1);
  revision = async () => 'second';
  isAlive = false;
  now += 501;
  await expect(sessions.current(owner)).rejects.toMatchObject({ code: 'auth.token-invalid' });
});
