// This file measures the console: what the first page loads and how much work it is on a slow processor, scrolling to any place of a long
// list, and opening a long form. Work is the processor time of the main thread, without the time in which other processes run. docs/console.md
// has the goals. `npm run test:all` uses 200,000 records, and prints the figures.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SeedRecord } from '../../src/seed/demo-plan.ts';
import { defineModel, entitySet, entityType, int64, text } from '../define-model.ts';
import { type Desk, openDesk, openForeignDesk } from '../journeys/desk.ts';
import { sampleSize } from '../sample-size.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, visit } from './console-service.ts';

const ROWS = sampleSize(3000, 200_000);
const PLACES = sampleSize(8, 20);
const FIELDS = 120;
/** Bytes. */
const FIRST_LOAD = 250_000;
/** How many times slower the processor is. */
const SLOWER = 4;
/** Attempts, of which the best counts: the others met a busy machine. */
const ATTEMPTS = 3;
/** Other processes take their part of the caches, which makes the same work slower. */
const TOLERANCE = 2;

/** Milliseconds. */
const GOALS = { firstLoad: 1000, task: 50, form: 150 } as const;

function report(what: string, figure: number): void {
  if (process.env.TEST_ALL !== undefined) process.stderr.write(`${what}: ${Math.round(figure)}\n`);
}

const sum = (tasks: readonly number[]) => tasks.reduce((total, task) => total + task, 0);

interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

function* rows(): Iterable<SeedRecord> {
  for (let uid = 1; uid <= ROWS; uid += 1)
    yield {
      set: 'ServiceRequests',
      uid,
      values: {
        ID: uid,
        Description: `Request ${uid}`,
        Status: 101001,
        Priority: 110001 + (uid % 5),
        'Registration/DateModified': new Date(uid * 60_000).toISOString(),
      },
    };
}

/** A set with a long form. */
function longForm() {
  const fields = Array.from({ length: FIELDS }, (_, index) => text(`Field${index + 1}`));
  const members = [int64('Uid', { nullable: false, generated: { by: 'key' } }), ...fields];
  return defineModel({
    namespaces: [{ name: 'Long', alias: 'L' }],
    types: [entityType('Survey', members, { key: ['Uid'] })],
    sets: [entitySet('Surveys', 'Survey')],
  });
}

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk({ records: rows() });
  origin = await serveConsole(desk);
  browser = await startBrowser();
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** Rows in view have their content. The row with the focus stays in the page when it is out of view, and may have lost it. */
const FILLED = `new Promise((done) => {
  const look = () => {
    const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => {
      const { bottom, top } = row.getBoundingClientRect();
      return bottom > 200 && top < innerHeight;
    });
    if (rows.length > 5 && rows.every((row) => row.getAttribute('aria-busy') === 'false')) done();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    /** Microseconds of processor time. */
    readonly tdur?: number;
    readonly args?: { readonly name?: string };
  }[];
}

/** Milliseconds of processor time of each task of the page's main thread while something happens. */
async function tasksOf(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  const categories = ['toplevel', 'disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as Trace;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && main.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}

/** The best of some attempts. A usual run stops at the first that reaches the goal. */
async function best(goal: number, measure: () => Promise<number>): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    found = Math.min(found, await measure());
    if (found < goal * TOLERANCE && process.env.TEST_ALL === undefined) break;
  }
  return found;
}

describe('the console', { timeout: 400_000 }, () => {
  it('loads little first, and can soon be used on a slow processor', async () => {
    let bytes = 0;
    const figure = await best(GOALS.firstLoad, async () => {
      const { page, close } = await openPage(browser, origin);
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      bytes = 0;
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      const tasks = await tasksOf(page, async () => {
        await page.goto(`${origin}/console/`, { waitUntil: 'commit' });
        await page.getByLabel('User name').waitFor();
      });
      await close();
      return sum(tasks);
    });
    report('first load, bytes', bytes);
    report('first load, ms', figure);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(FIRST_LOAD);
    expect(figure).toBeLessThan(GOALS.firstLoad * TOLERANCE);
  });

  it(`scrolls to any place of ${ROWS} records without a long task`, async () => {
    const path = '/s/ServiceRequests?view=none';
    const { page, close } = await visit(browser, origin, { path });
    await page.getByText(`Request ${ROWS}`, { exact: true }).waitFor();
    // Found once, because looking for it is work as well.
    const scroller = await page.evaluateHandle<Scroller>(
      `[...document.querySelectorAll('main *')]
        .find((one) => one.scrollHeight > one.clientHeight + 1000)`,
    );
    const figure = await best(GOALS.task, async () => {
      let place = 12_345;
      const tasks = await tasksOf(page, async () => {
        for (let step = 0; step < PLACES; step += 1) {
          place = (place * 48_271) % 2_147_483_647;
          await scroller.evaluate((one, share) => {
            one.scrollTop = (one.scrollHeight - one.clientHeight) * share;
          }, place / 2_147_483_647);
          await page.evaluate(FILLED);
        }
      });
      expect(tasks.length).toBeGreaterThan(PLACES);
      return Math.max(...tasks);
    });
    report(`longest task with ${ROWS} records, ms`, figure);
    expect(figure).toBeLessThan(GOALS.task * TOLERANCE);
    await close();
  });

  it(`opens a form of ${FIELDS} fields at once`, async () => {
    const survey = await openForeignDesk(longForm(), { Surveys: [{ Field1: 'One' }] });
    const address = await serveConsole(survey);
    const { page, close } = await visit(browser, address, { path: '/s/Surveys' });
    const link = page.getByRole('gridcell').getByRole('link').first();
    await link.waitFor();
    const inputs = page.locator('[data-part=form-fields] :is(input, textarea)');
    const figure = await best(GOALS.form, async () => {
      await link.waitFor();
      const tasks = await tasksOf(page, async () => {
        await page.evaluate("document.querySelector('main td a').click()");
        await page.waitForURL('**/s/Surveys/*');
        await expect.poll(async () => await inputs.count()).toBe(FIELDS);
      });
      await page.evaluate('history.back()');
      return sum(tasks);
    });
    report(`form of ${FIELDS} fields, ms`, figure);
    expect(figure).toBeLessThan(GOALS.form * TOLERANCE);
    await close();
    await survey.close();
  });
});
