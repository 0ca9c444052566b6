// This file sends reads of the same templates with other literals to a service that caches plans, and compares each response with that of a
// service that plans the request from scratch.

import { expect, test } from 'vitest';
import { sampleSize } from '../../sample-size.ts';
import { type Difference, difference, isSame, Party, reduce } from './compare.ts';
import { DESK_ACCOUNTS, openVariedDesk } from './desk.ts';
import { DESK_READS } from './desk-reads.ts';
import { Random } from './random.ts';
import { type Asked, ask, mixed, type Template } from './template.ts';
import { openVariedZoo, ZOO_ACCOUNTS } from './zoo.ts';
import { ZOO_READS } from './zoo-reads.ts';

/** Requests of each template. PLANS=200 SEED=7 searches longer, with other literals, and reports what it has seen. */
const TIMES = Number(process.env.PLANS ?? sampleSize(4, 45));
const SEED = Number(process.env.SEED ?? 1);
/** Differences after which the comparison ends. */
const ENOUGH = 10;

interface Seen {
  readonly statuses: Map<number, number>;
  readonly differences: readonly Difference[];
  asked: number;
}

/** Asks the same of both, and follows the links in some responses. */
async function compareReads(
  party: Party,
  templates: readonly Template[],
  accounts: readonly string[],
  random: Random,
): Promise<Seen> {
  const earlier = new Map<number, Asked[]>();
  const differences: Difference[] = [];
  const seen: Seen = { statuses: new Map(), differences, asked: 0 };
  const send = async (asked: Asked, depth: number): Promise<void> => {
    const [cached, alone] = [await party.ask(asked), await party.askAlone(asked)];
    seen.asked++;
    seen.statuses.set(alone.status, (seen.statuses.get(alone.status) ?? 0) + 1);
    random.etag = alone.headers.ETag ?? random.etag;
    const same = earlier.get(asked.template) ?? [];
    earlier.set(asked.template, same);
    if (!isSame(cached, alone) && differences.length < ENOUGH)
      differences.push(difference(await reduce(party, same, asked), cached, alone));
    same.push(asked);
    const next = /"@(?:odata\.)?(?:next|delta)Link":"[^"]*?\/odata\/([^"]*)"/.exec(
      alone.body ?? '',
    );
    if (next?.[1] !== undefined && asked.method === 'GET' && depth < 3)
      await send({ ...asked, url: next[1] }, depth + 1);
  };
  for (const { template, number, account } of mixed(templates, accounts, random, TIMES)) {
    if (differences.length === ENOUGH) break;
    await send(ask(template, number, account, random), 0);
  }
  return seen;
}

function report(name: string, { asked, statuses }: Seen, party: Party): void {
  if (process.env.PLANS !== undefined)
    console.log(name, asked, Object.fromEntries(statuses), 'cached', party.cached);
}

test.each([0, 16])(
  'reads of the service desk, with %i MB of cached responses',
  { timeout: 300_000 },
  async (answerMegabytes) => {
    const { desk, principals } = await openVariedDesk(answerMegabytes);
    const party = new Party(desk.service, principals);
    const seen = await compareReads(
      party,
      DESK_READS,
      DESK_ACCOUNTS,
      new Random(SEED + answerMegabytes),
    );
    report('desk', seen, party);
    expect(seen.differences).toEqual([]);
    expect(party.failures).toEqual([]);
    expect(party.cached).toBeGreaterThan(seen.asked / 10);
    await desk.close();
  },
);

test('reads of the zoo', { timeout: 300_000 }, async () => {
  const { desk, principals } = await openVariedZoo();
  const party = new Party(desk.service, principals);
  const seen = await compareReads(party, ZOO_READS, ZOO_ACCOUNTS, new Random(SEED));
  report('zoo', seen, party);
  expect(seen.differences).toEqual([]);
  expect(party.failures).toEqual([]);
  expect(party.cached).toBeGreaterThan(seen.asked / 10);
  await desk.close();
});
