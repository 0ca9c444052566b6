// This file sends random reads to two services with the same records, one on SQLite and one on PostgreSQL. The responses must be equal.
import { describe, expect, test } from 'vitest';
import { importRecords } from '../../src/service/import.ts';
import { missingServer } from '../postgres/binaries.ts';
import { DESK_ACCOUNTS, openVariedDesk } from '../service/plan-cache/desk.ts';
import { DESK_READS } from '../service/plan-cache/desk-reads.ts';
import { Random } from '../service/plan-cache/random.ts';
import { type Asked, ask } from '../service/plan-cache/template.ts';
import { openVariedZoo, ZOO_ACCOUNTS } from '../service/plan-cache/zoo.ts';
import { ZOO_READS } from '../service/plan-cache/zoo-reads.ts';
import { report, runs, SEED, TIMEOUT } from './budget.ts';
import { type AskedPair, askBoth, closePair, type Open, openPair, type Pair } from './pair.ts';
import { encode, read } from './queries.ts';
import { randomRecords } from './records.ts';

/** Differences after which the comparison ends. */
const ENOUGH = 5;
/** Pages of one result that are read. */
const PAGES = 40;

const openRandomZoo: Open = async (database) => {
  const opened = await openVariedZoo(database);
  await importRecords(randomRecords(new Random(SEED), 30), opened.desk.service);
  return opened;
};

/** Reads that once had different responses, by what differed. */
const MENDED: readonly (readonly [what: string, query: string])[] = [
  [
    'null among rows of a group that are equal otherwise',
    'Animals?$apply=groupby((Born),bottomcount(1,length(Nicknames)))/compute(Diet as C)/groupby((C),aggregate($count as N))',
  ],
  [
    'a group by a number that a cast limits from 0',
    'Animals?$apply=compute(cast(Id,Edm.Byte) as C)/groupby((C),aggregate($count as N))',
  ],
  [
    'null in grouping keys before concat',
    'Animals?$apply=concat(aggregate($count as A1),groupby((rollup(Born,Label))))',
  ],
  [
    'ties of topcount',
    'Samples?$apply=groupby((Exact,Diet),topcount(2,Whole))/bottomcount(5,ceiling(totalseconds(Span)))',
  ],
  [
    'ties of toppercent',
    'Samples?$apply=toppercent(5,Small)/compute(Day as C)/orderby((Day ge Day),Words asc)/top(3)',
  ],
  [
    'groups that differ in their entity only',
    'Animals?$apply=groupby((rolluprecursive($root/AllSpecies,Tree,Species/Latin)),aggregate($count as N))',
  ],
  [
    'groups that differ in a dynamic property only',
    'Oddities?$apply=groupby((Size,Colour),aggregate($count as N))',
  ],
  [
    'a literal in a grouping key',
    'Samples?$apply=compute(Id mod 4 as Part)/groupby((Part),aggregate($count as N))',
  ],
  ['negation of null', "AllSpecies?$filter=(-cast('#1',Edm.Duration) gt duration'PT1H')"],
  [
    'a date without a known distance',
    'Samples?$compute=(Day sub (null sub 0001-01-01)) as A&$select=A',
  ],
  [
    'a cast of a calculation with null',
    'Oddities?$filter=(cast((Id sub null),Edm.Int16) ge totaloffsetminutes(now()))',
  ],
  [
    'an order that is false for all rows',
    'Samples?$orderby=(Moment le Moment and Short eq 1234567890123456789.5)&$top=3',
  ],
  [
    'a group that is false for all rows',
    'Samples?$apply=compute((Moment le Moment and Short eq 1234567890123456789.5) as C)/groupby((C),aggregate($count as N))',
  ],
  ['calculation with null', 'Samples?$compute=null add 1 as A,-null as B&$select=A,B'],
  [
    'the average of null',
    'Animals?$apply=groupby((Tame),aggregate(cast(null,Edm.Int16) with average as A,cast(null,Edm.Date) with max as B))',
  ],
  [
    'a case of nulls',
    'Samples?$filter=(totalseconds(Span) lt case(true:null,false:null))&$select=Instant',
  ],
  [
    'groups of a constant',
    'AllSpecies?$apply=compute(mindatetime() as C)/groupby((C),aggregate($count as N))',
  ],
  [
    'an untyped value or text',
    "Oddities?$compute=case(Id gt 30:Colour,Id gt 25:'er',true:Name) as A,case(Id gt 30:Size,true:1) as B&$select=A,B",
  ],
  ['percentages of untyped values', 'Oddities?$apply=bottompercent(50,Size)'],
  ['an untyped value among numbers', 'Oddities?$orderby=case(true:Size,null:1e2,true:Size)'],
  [
    'groups of a folded constant',
    "Oddities?$apply=compute((cast('x',Edm.Int16) gt 1.5) as C)/groupby((C),aggregate($count as N))",
  ],
  [
    'aggregates of an unknown duration',
    "Animals?$apply=aggregate(totalseconds((duration'-P1D' add null)) with min as A)",
  ],
  ['sums of INF and NaN', 'Animals/Odd.Zoo.Bird?$apply=topsum(50,Wingspan)&$select=Id'],
  ['percentages of INF and NaN', 'Animals/Odd.Zoo.Bird?$apply=toppercent(50,Wingspan)&$select=Id'],
];

class Comparison {
  readonly differences: string[] = [];
  readonly statuses: Record<number, number> = {};
  asked = 0;
  /** Calculations that only one of the databases carried out, because it looked at more rows. */
  failedOnce = 0;
  readonly #pair: Pair;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  /** Reads a result page by page. */
  async readAll(first: Asked): Promise<void> {
    let request: Asked | AskedPair | undefined = first;
    for (let page = 0; page < PAGES && request !== undefined; page++) {
      const { shown, difference, next, failedOnce } = await askBoth(this.#pair, request);
      this.asked++;
      this.statuses[shown.status] = (this.statuses[shown.status] ?? 0) + 1;
      if (failedOnce) this.failedOnce++;
      else if (difference !== undefined) this.differences.push(difference);
      request = difference === undefined && !isDelta(next) ? next : undefined;
    }
  }

  check(what: string): void {
    report(what, { asked: this.asked, failedOnce: this.failedOnce, statuses: this.statuses });
    expect(this.differences.join('\n\n'), `SEED=${SEED}`).toBe('');
    expect(this.failedOnce).toBeLessThanOrEqual(this.asked * 0.01 + 1);
    expect(this.statuses[200] ?? 0).toBeGreaterThan(this.asked * 0.6);
  }
}

/** A delta link leads to another delta link, without an end. */
function isDelta(next: AskedPair | undefined): boolean {
  return next?.[0].url.includes('deltatoken') === true;
}

async function compare(open: Open, what: string, work: (comparison: Comparison) => Promise<void>) {
  const pair = await openPair(open);
  try {
    const comparison = new Comparison(pair);
    await work(comparison);
    comparison.check(what);
  } finally {
    await closePair(pair);
  }
}

describe.skipIf(missingServer !== undefined)('reads have equal responses on both databases', () => {
  test('that once differed', { timeout: TIMEOUT }, async () => {
    const pair = await openPair(openRandomZoo);
    for (const [what, query] of MENDED) {
      const comparison = new Comparison(pair);
      const request = { template: 0, account: 'admin', method: 'GET', headers: {} };
      await comparison.readAll({ ...request, url: encode(query) });
      expect([what, comparison.differences, comparison.statuses[200]]).toEqual([
        what,
        [],
        comparison.asked,
      ]);
    }
    await closePair(pair);
  });

  test('of random expressions and query options', { timeout: TIMEOUT }, async () => {
    const random = new Random(SEED);
    await compare(openRandomZoo, 'expressions', async (comparison) => {
      for (const _ of runs(0.6)) {
        if (comparison.differences.length >= ENOUGH) break;
        await comparison.readAll(read(random, ZOO_ACCOUNTS));
      }
    });
  });

  test.each([
    ['the zoo', openVariedZoo, ZOO_READS, ZOO_ACCOUNTS],
    [
      'the service desk',
      (database?: string) => openVariedDesk(16, database),
      DESK_READS,
      DESK_ACCOUNTS,
    ],
  ] as const)(
    'of templates of %s',
    { timeout: TIMEOUT },
    async (what, open, templates, accounts) => {
      const random = new Random(SEED);
      await compare(open, what, async (comparison) => {
        for (const run of runs(0.2)) {
          if (comparison.differences.length >= ENOUGH) break;
          random.faultRate = run % 10 === 0 ? 0.5 : 0;
          await comparison.readAll(ask(random.pick(templates), 0, random.pick(accounts), random));
        }
      });
    },
  );
});
