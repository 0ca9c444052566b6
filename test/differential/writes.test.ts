// This file sends random sequences of writes to two services with the same records, one on SQLite and one on PostgreSQL. The responses, and
// after each sequence the rows of all tables, must be equal.
import { describe, expect, test } from 'vitest';
import { importRecords } from '../../src/service/import.ts';
import { missingServer } from '../postgres/binaries.ts';
import { describeRequest } from '../service/plan-cache/compare.ts';
import { DESK_ACCOUNTS, openVariedDesk } from '../service/plan-cache/desk.ts';
import { DESK_WRITES } from '../service/plan-cache/desk-writes.ts';
import { Random } from '../service/plan-cache/random.ts';
import { type Asked, ask, type Template } from '../service/plan-cache/template.ts';
import { openVariedZoo, ZOO_ACCOUNTS } from '../service/plan-cache/zoo.ts';
import { ZOO_WRITES } from '../service/plan-cache/zoo-writes.ts';
import { report, runs, SEED, TIMEOUT } from './budget.ts';
import { type AskedPair, askBoth, closePair, type Open, openPair, type Pair } from './pair.ts';
import { randomRecords } from './records.ts';
import { type ComparedTable, comparedTables, differentRows } from './rows.ts';
import { sequence } from './writes.ts';

/** Sequences after which new installations are opened: records would become more and more. */
const SEQUENCES = 500;
/** Links of earlier responses that are followed again after writes. */
const LINKS = 20;

const openRandomZoo: Open = async (database) => {
  const opened = await openVariedZoo(database);
  await importRecords(randomRecords(new Random(SEED), 12), opened.desk.service);
  return opened;
};

/** Draws the requests of a sequence. */
type Draw = (random: Random) => Iterable<Asked>;

class Comparison {
  asked = 0;
  readonly #statuses: Record<string, number>;
  readonly #pair: Pair;
  readonly #tables: readonly ComparedTable[];
  readonly #links: AskedPair[] = [];

  constructor(pair: Pair, tables: readonly ComparedTable[], statuses: Record<string, number>) {
    this.#pair = pair;
    this.#tables = tables;
    this.#statuses = statuses;
  }

  /** Sends a sequence to both. Returns what differs afterwards. */
  async run(random: Random, draw: Draw): Promise<string> {
    const differences: string[] = [];
    const requests: string[] = [];
    const send = async (request: Asked | AskedPair) => {
      const { shown, difference, next } = await askBoth(this.#pair, request);
      const asked = 'url' in request ? request : request[0];
      random.etag = shown.headers.ETag ?? random.etag;
      this.asked++;
      const status = `${asked.method} ${shown.status}`;
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      requests.push(`${describeRequest(asked)} → ${shown.status}`);
      if (difference !== undefined) differences.push(difference);
      if (next !== undefined) this.#links.push(next);
    };
    for (const asked of draw(random)) await send(asked);
    if (this.#links.length > LINKS) this.#links.splice(0, this.#links.length - LINKS);
    if (this.#links.length > 0 && random.has(0.3)) await send(random.pick(this.#links));
    const rows = await differentRows(this.#pair.desks, this.#tables);
    if (rows.length > 0) differences.push(...requests, ...rows.slice(0, 10));
    return differences.join('\n');
  }
}

/** A few requests of templates, some with wrong values. */
function ofTemplates(templates: readonly Template[], accounts: readonly string[]): Draw {
  return function* (random) {
    random.faultRate = random.has(0.2) ? 0.3 : 0;
    const account = random.pick(accounts);
    const count = random.integer(2, 6);
    for (let index = 0; index < count; index++)
      yield ask(random.pick(templates), 0, account, random);
  };
}

const CASES: readonly (readonly [what: string, open: Open, draw: Draw, share: number])[] = [
  ['random records of the zoo', openRandomZoo, (random) => sequence(random, ZOO_ACCOUNTS), 0.6],
  ['templates of the zoo', openVariedZoo, ofTemplates(ZOO_WRITES, ZOO_ACCOUNTS), 0.2],
  [
    'templates of the service desk',
    (database) => openVariedDesk(16, database),
    ofTemplates(DESK_WRITES, DESK_ACCOUNTS),
    0.2,
  ],
];

/** Writes after which rows once differed, by what differed. */
const MENDED: readonly (readonly [what: string, method: string, url: string, body: string])[] = [
  ['the version of a record that has NaN already', 'PATCH', 'Samples(24)', '{"Double":"NaN"}'],
  [
    'the same in a change of many records',
    'PATCH',
    'Samples/$filter(Double%20eq%20NaN)/$each',
    '{"Double":"NaN"}',
  ],
];

describe.skipIf(missingServer !== undefined)('writes have equal results on both databases', () => {
  test('that once differed', { timeout: TIMEOUT }, async () => {
    const pair = await openPair(openRandomZoo);
    const comparison = new Comparison(pair, await comparedTables(pair.desks), {});
    const headers = { 'content-type': 'application/json' };
    for (const [what, method, url, body] of MENDED) {
      const asked = { template: 0, account: 'admin', method, url, headers, body };
      expect([what, await comparison.run(new Random(SEED), () => [asked])]).toEqual([what, '']);
    }
    await closePair(pair);
  });

  test.each(CASES)('of %s', { timeout: TIMEOUT }, async (what, open, draw, share) => {
    const random = new Random(SEED);
    const figures = { sequences: 0, requests: 0 };
    const statuses: Record<string, number> = {};
    const remaining = runs(share / 4);
    let next = remaining.next();
    while (next.done !== true) {
      const pair = await openPair(open);
      try {
        const tables = await comparedTables(pair.desks);
        expect(tables.length).toBeGreaterThan(30);
        expect(await differentRows(pair.desks, tables)).toEqual([]);
        const comparison = new Comparison(pair, tables, statuses);
        for (let count = 0; count < SEQUENCES && next.done !== true; count++) {
          figures.sequences++;
          const place = `SEED=${SEED}, sequence ${figures.sequences}`;
          expect(await comparison.run(random, draw), place).toBe('');
          next = remaining.next();
        }
        figures.requests += comparison.asked;
      } finally {
        await closePair(pair);
      }
    }
    report(what, { ...figures, statuses });
  });
});
