// This file proves that rights have no way round: every set, every method and every way to reach a record is tried in the name of accounts
// with different roles, and answers are compared with what the records themselves say. Then leaks are planted, and the walk must find them.
// Of what is tried in many places alike, a part is taken; WALK=all takes everything, 60,000 requests in a minute.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleSize } from '../sample-size.ts';
import { PLANTS } from './plants.ts';
import { callOf, openWalk, type Walk, walk } from './walk.ts';

let ground: Walk;
beforeAll(async () => {
  ground = await openWalk();
}, 60_000);
afterAll(async () => await ground?.desk.close());

describe('a walk over every set, method, account and way', () => {
  test('finds nothing that the rights do not allow', async () => {
    const isWhole = process.env.WALK === 'all';
    const report = await walk(ground, isWhole ? {} : { sampled: true });
    expect(report.failures).toEqual([]);
    expect(report.leaks.slice(0, 20)).toEqual([]);
    expect(report.asked).toBeGreaterThan(5000);
  }, 180_000);
});

test('answers that are kept are given to nobody else', async () => {
  const kept = new Set(['list', 'list of part', 'number', 'folder', 'search', 'lambda', 'key']);
  for (let round = 0; round < 3; round++) {
    const report = await walk(ground, {
      chosen: ({ way }, account) =>
        kept.has(way) && /^(requester|neighbour|group|colleague)$/.test(account),
    });
    expect([round, report.leaks.slice(0, 20)]).toEqual([round, []]);
  }
}, 60_000);

describe('a planted leak is found:', () => {
  const some = PLANTS.filter((_, index) => index % sampleSize(2, 1) === 0);
  test.each(some.map((plant) => [plant.name, plant] as const))(
    '%s',
    async (_, { plant, touches, account }) => {
      const { service } = ground.desk;
      const admin = ground.principals.get('admin');
      if (admin === undefined) throw new Error('there is no administrator');
      const report = await walk(ground, {
        perform: plant(service, admin),
        chosen: (step, name) =>
          (account === undefined || name === account) && touches(callOf(step)),
        enough: 1,
      });
      expect(report.asked).toBeGreaterThan(0);
      expect(report.leaks).not.toEqual([]);
    },
    60_000,
  );
});
