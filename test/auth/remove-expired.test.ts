// This file tests which tokens and log-ins the service removes from its database when time has passed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountQuery } from '../../src/auth/accounts.ts';
import { tableRecords } from '../../src/auth/auth-store.ts';
import { rightsRevision } from '../../src/auth/policy-reader.ts';
import { startUpkeep } from '../../src/auth/remove-expired.ts';
import type { Observation } from '../../src/base/observation.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: [] });
});
afterAll(async () => await desk.close());

it('a token is removed a week after it has expired, a log-in with the last of its tokens', async () => {
  const { auth, layout, world, database } = desk.installation;
  const records = tableRecords(auth, accountQuery(layout), rightsRevision(layout));
  const account = (await records.findAccount('nobody'))?.uid ?? 0n;
  const start = world.now();
  const open = async (name: string, refreshes: boolean) =>
    await records.openLogin(
      { account, client: name, address: '192.0.2.7', method: 'password' },
      (login) => [
        { hash: `${name}, access`, login, kind: 'access', expires: start + MINUTE },
        ...(refreshes
          ? [{ hash: `${name}, refresh`, login, kind: 'refresh', expires: start + WEEK } as const]
          : []),
      ],
      start,
    );
  await open('short', false);
  await open('long', true);

  const left = async () => [
    (
      await database.read(
        `SELECT hash FROM docket_token_hash WHERE hash LIKE '%, %' ORDER BY hash`,
        [],
      )
    ).flat(),
    (
      await database.read(
        `SELECT l."Machine", count(t."Uid") FROM "docket:session" l
         LEFT JOIN "docket:token" t ON t."Session" = l."Uid"
         WHERE l."Machine" IN ('short', 'long') GROUP BY l."Uid" ORDER BY l."Uid"`,
        [],
      )
    ).flat(),
  ];
  const seen: Observation[] = [];
  const upkeepAt = async (now: number) => {
    const parts = { database: auth, records, world: { ...world, now: () => now } };
    const removeOthers = async () => undefined;
    const observe = (one: Observation) => seen.push(one);
    await startUpkeep({ ...parts, observe, auditDays: () => 365, removeOthers })();
  };

  await upkeepAt(start + WEEK + MINUTE);
  expect(await left()).toEqual([
    ['long, access', 'long, refresh', 'short, access'],
    ['short', 1n, 'long', 2n],
  ]);
  await upkeepAt(start + WEEK + MINUTE + 1);
  expect(await left()).toEqual([['long, refresh'], ['long', 1n]]);
  await upkeepAt(start + 2 * WEEK + 1);
  expect(await left()).toEqual([[], []]);
  expect(seen).toEqual([]);
});
