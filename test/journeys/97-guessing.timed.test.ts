// This file measures how long log-ins are refused: whoever guesses must not learn from it which names there are.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { ADMIN, startService, type TestService } from '../world.ts';

const ROUNDS = 15;
const QUARTER = 16 * 60_000;

let service: TestService;
beforeAll(async () => {
  service = await startService({
    model: oddDefinition,
    accounts: [{ name: 'blocked', roles: [] }],
  });
  const { json } = await service.client.get("/odata/Accounts?$filter=LoginName eq 'blocked'");
  const path = `/odata/Accounts(${json.value[0].Uid})`;
  const answer = await service.client.send('PATCH', path, { Blocked: true });
  expect(answer.status).toBeLessThan(300);
}, 60_000);
afterAll(async () => await service.close());

/** Milliseconds until the log-in is refused. */
async function refusal(username: string): Promise<number> {
  const fields = { grant_type: 'password', username, password: 'wrong and long enough' };
  const start = performance.now();
  const answer = await service.stranger.send(
    'POST',
    '/token',
    new URLSearchParams(fields).toString(),
    {
      'content-type': 'application/x-www-form-urlencoded',
    },
  );
  const time = performance.now() - start;
  expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant']);
  return time;
}

function median(times: readonly number[]): number {
  return [...times].sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0;
}

it('an unknown name, a blocked account and a wrong password are refused after the same time', async () => {
  const times = { wrong: [] as number[], unknown: [] as number[], blocked: [] as number[] };
  await refusal('warming up');
  for (let round = 0; round < ROUNDS; round++) {
    times.wrong.push(await refusal(ADMIN));
    times.unknown.push(await refusal('nobody at all'));
    times.blocked.push(await refusal('blocked'));
    service.world.advance(QUARTER);
  }
  const [wrong, unknown, blocked] = [times.wrong, times.unknown, times.blocked].map(median);
  expect(wrong).toBeGreaterThan(5);
  for (const other of [unknown, blocked])
    expect((other ?? 0) / (wrong ?? 1), `${other} beside ${wrong} ms`).toBeCloseTo(1, 0);
}, 60_000);
