// This file kills a service again and again while a thousand actions are due: each happens once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const CONTRACTS = 1000;
const ROUNDS = sampleSize(2, 4);

let service: Killable;
beforeAll(() => {
  service = makeKillable();
}, 120_000);
afterAll(() => service.close());

interface Answer {
  readonly '@odata.count': number;
}

async function send(
  { origin }: Serving,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${origin}/odata/${encodeURI(path)}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=minimal',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

/** Creates drafts of contracts that have ended. */
async function createContracts(serving: Serving, token: string): Promise<void> {
  for (let first = 0; first < CONTRACTS; first += 100) {
    const requests = Array.from({ length: 100 }, (_, index) => ({
      id: String(index),
      method: 'post',
      url: 'MaintenanceContracts',
      atomicityGroup: 'all',
      body: {
        Name: 'Due',
        ContractNumber: `DUE-${first + index}`,
        EndDate: '2025-12-31T23:00:00Z',
      },
    }));
    await send(serving, token, 'POST', '$batch', { requests });
  }
}

const CONTRACT = "Name eq 'Due'";
const countOf = async (serving: Serving, token: string, path: string) =>
  (await send(serving, token, 'GET', path))['@odata.count'];

// zammad/zammad#2191: a flag of the killed process stopped all others. #5257: actions were minutes late.
it('each of a thousand due actions happens once, whenever the service is killed', async () => {
  let serving = await service.serve();
  const token = await logIn(serving);
  await createContracts(serving, token);
  const all = `MaintenanceContracts/$filter(${CONTRACT})/$each`;
  await send(serving, token, 'PATCH', all, { Status: { Value: 210002 } });
  const expired = `MaintenanceContracts?$count=true&$top=0&$filter=${CONTRACT} and Status/Value eq 210004`;
  for (let round = 1; round <= ROUNDS; round++) {
    const enough = (CONTRACTS / 2 / ROUNDS) * round;
    await expect
      .poll(() => countOf(serving, token, expired), { interval: 5 })
      .toBeGreaterThan(enough);
    await kill(serving);
    serving = await service.serve();
  }
  await expect.poll(() => countOf(serving, token, expired)).toBe(CONTRACTS);
  const once = `${expired} and HistoryLines/$count($filter=NewValue eq 'Expired') eq 1`;
  expect(await countOf(serving, token, once)).toBe(CONTRACTS);
  await kill(serving);
}, 180_000);
