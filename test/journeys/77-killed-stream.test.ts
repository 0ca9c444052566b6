// This file kills the service without warning while a client follows a live stream and another one writes: the stream, continued after
// the restart from the last event, has every record in the end, and none twice.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Killable, kill, logIn, makeKillable, type Serving } from './killable.ts';
import { type LiveStream, openStream } from './live-client.ts';

let service: Killable;
beforeAll(() => {
  service = makeKillable();
}, 120_000);
afterAll(() => service.close());

/** Writes until the service has been killed. Returns the keys of the records whose creation was confirmed. */
async function write({ origin, child }: Serving, authorization: string): Promise<number[]> {
  const confirmed: number[] = [];
  while (child.signalCode === null) {
    try {
      const answer = await fetch(`${origin}/odata/ServiceRequests`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ Description: 'followed' }),
      });
      if (answer.status === 201) confirmed.push(((await answer.json()) as { Uid: number }).Uid);
    } catch {
      // The connection broke, so it is not known whether the record was created.
    }
  }
  return confirmed;
}

const idsOf = ({ messages }: LiveStream) =>
  messages.flatMap(({ event, id }) => (event === 'message' && id !== undefined ? [id] : []));

it('a stream that is continued after kill -9 loses nothing and repeats nothing', async () => {
  const path = '/odata/ServiceRequests?$select=Uid';
  const told: string[] = [];
  const ids: string[] = [];
  const confirmed: number[] = [];
  let last: string | undefined;
  let authorization = '';
  for (const events of [5, 12, 0]) {
    const serving = await service.serve();
    if (authorization === '') authorization = `Bearer ${await logIn(serving)}`;
    const live = await openStream(serving.origin + path, {
      authorization,
      ...(last === undefined ? {} : { 'last-event-id': last }),
    });
    expect(live.response.status).toBe(200);
    const isLast = events === 0;
    const writing = isLast ? Promise.resolve([]) : write(serving, authorization);
    await expect.poll(() => live.told().length >= events).toBe(true);
    if (isLast) {
      const expected = confirmed.map((uid) => `created ServiceRequests(${uid})`);
      await expect.poll(() => [...told, ...live.told()]).toEqual(expect.arrayContaining(expected));
    }
    await kill(serving);
    confirmed.push(...(await writing));
    await expect.poll(() => live.isEnded()).toBe(true);
    told.push(...live.told());
    ids.push(...idsOf(live));
    last = live.lastId();
  }
  expect(confirmed.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
});
