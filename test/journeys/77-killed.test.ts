// This file kills the whole service without warning while clients write: who sends again what was not answered finds everything done
// once, change sets whole, and accepted requests done after the restart.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';

const ROUNDS = [150, 60, 300, 20].slice(0, sampleSize(2, 4));

let service: Killable;
beforeAll(() => {
  service = makeKillable();
}, 120_000);
afterAll(() => service.close());

/** What one client wants to have done, and whether it knows that it was. */
interface Wish {
  readonly name: string;
  readonly kind: 'create' | 'change set' | 'later';
  isAnswered: boolean;
}

/** Sends the wish once; unanswered where the service is killed meanwhile. */
async function attempt(wish: Wish, origin: string, token: string): Promise<void> {
  const create = { Description: wish.name };
  const requests = ['1', '2', '3'].map((id) => ({
    id,
    method: 'post',
    url: 'ServiceRequests',
    atomicityGroup: 'g',
    body: create,
  }));
  const isSet = wish.kind === 'change set';
  const { status } = await fetch(`${origin}/odata/${isSet ? '$batch' : 'ServiceRequests'}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': wish.name,
      ...(wish.kind === 'later' ? { prefer: 'respond-async' } : {}),
    },
    body: JSON.stringify(isSet ? { requests } : create),
  });
  const expected = { create: 201, 'change set': 200, later: 202 }[wish.kind];
  if (status === expected) wish.isAnswered = true;
  else if (status !== 503) throw new Error(`${wish.kind} was answered with ${status}`);
}

/** A client that goes on until it is stopped, sending again what was not answered. */
async function write(negotiated: Wish[], serving: Serving, token: string, number: number) {
  const kinds = ['create', 'change set', 'later'] as const;
  // A service that was killed breaks the connection; every other failure is one.
  while (serving.child.signalCode === null) {
    const open = negotiated.find((wish) => !wish.isAnswered);
    const wish = open ?? {
      name: `wish-${number}-${negotiated.length}`,
      kind: kinds[negotiated.length % 3] ?? 'create',
      isAnswered: false,
    };
    if (open === undefined) negotiated.push(wish);
    try {
      await attempt(wish, serving.origin, token);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function countOf(name: string, origin: string, token: string): Promise<number> {
  const query = `$filter=Description eq '${name}'&$count=true&$top=0`;
  const answer = await fetch(`${origin}/odata/ServiceRequests?${encodeURI(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return Number(((await answer.json()) as Record<string, unknown>)['@odata.count']);
}

it('after kill -9 everything that was wished for is done, once and whole', async () => {
  const clients: Wish[][] = [[], [], [], []];
  let serving = await service.serve();
  const token = await logIn(serving);
  for (const milliseconds of ROUNDS) {
    const current = serving;
    const writing = Promise.all(
      clients.map(async (negotiated, number) => await write(negotiated, current, token, number)),
    );
    writing.catch(() => undefined);
    // On a busy machine the service needs a while to get going.
    const open = clients.flat().length + clients.length;
    for (let tries = 0; clients.flat().length < open && tries < 2000; tries++)
      await new Promise((passed) => setTimeout(passed, 5));
    await new Promise((passed) => setTimeout(passed, milliseconds));
    await kill(current);
    await writing;
    serving = await service.serve();
  }
  try {
    const negotiated = clients.flat();
    for (const wish of negotiated)
      while (!wish.isAnswered) await attempt(wish, serving.origin, token);
    const wrong: string[] = [];
    for (const { name, kind } of negotiated) {
      const expected = kind === 'change set' ? 3 : 1;
      let count = await countOf(name, serving.origin, token);
      for (let tries = 0; kind === 'later' && count === 0 && tries < 200; tries++) {
        await new Promise((passed) => setTimeout(passed, 20));
        count = await countOf(name, serving.origin, token);
      }
      if (count !== expected) wrong.push(`${name} (${kind}): ${count}`);
    }
    expect(wrong).toEqual([]);
    expect(negotiated.length).toBeGreaterThan(4);
    expect(new Set(negotiated.map(({ kind }) => kind)).size).toBe(3);
  } finally {
    await kill(serving);
  }
}, 120_000);
