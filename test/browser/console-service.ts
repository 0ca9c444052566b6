// This file serves the console for tests in a browser: a service desk or another service on a real port, and signed-in pages. The console
// must have been built; `npm test` does so first.
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { source as axeSource } from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Desk, PASSWORD } from '../journeys/desk.ts';
import { openPage, type WatchedPage } from './chromium.ts';

const PAGE = new URL('../../console/dist/index.html', import.meta.url);

/** Makes a desk reachable for browsers. Returns its origin. Throws if the console has not been built. */
export async function serveConsole(desk: Desk): Promise<string> {
  if (!existsSync(PAGE))
    throw new Error('The console has not been built: node scripts/setup.mjs --console');
  await desk.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = desk.app.server.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

export interface Visit {
  /** Path below the console with its query: `/s/Persons?q=Ada`. */
  readonly path?: string;
  readonly name?: string;
  readonly password?: string;
  /** Language of the browser. */
  readonly language?: string;
}

/** Opens a page of the console and signs in by the form. */
export async function visit(
  browser: Browser,
  origin: string,
  { path = '/', name = 'admin', password = PASSWORD, language = 'en' }: Visit = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, origin, { locale: language });
  await signInAt(watched.page, `${origin}/console${path}`, { name, password });
  return watched;
}

/** Opens a page of the console in an empty one, and signs in by the form. */
export async function signInAt(
  page: Page,
  url: string,
  { name = 'admin', password = PASSWORD }: Pick<Visit, 'name' | 'password'> = {},
): Promise<void> {
  await page.goto(url);
  await page.fill('[name=username]', name);
  await page.fill('[name=password]', password);
  await page.locator('form button[type=submit]').click();
  await page.locator('[name=password]').waitFor({ state: 'detached' });
}

/** A page of the console asks for its session before anybody has signed in. */
const SIGNED_OUT = /status of 401 \(Unauthorized\) \/console\/session\/refresh$/;

/**
 * What went wrong on a page, other than what every visit and this test expect.
 * @param expected the failed requests of this test: `400 /odata/Persons`
 */
export function unexpected(
  { problems }: Pick<WatchedPage, 'problems'>,
  expected: readonly string[] = [],
): readonly string[] {
  const isExpected = (problem: string) =>
    expected.some((one) => {
      const [status = '', path = ''] = one.split(' ');
      return problem.includes(`status of ${status}`) && problem.includes(` ${path}`);
    });
  return problems.filter((problem) => !SIGNED_OUT.test(problem) && !isExpected(problem));
}

/**
 * The violations of WCAG 2.2 AA on the page.
 * @param within where to look. What an open menu covers in part would count as too small.
 */
export async function violations(page: Page, within = 'html'): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  const run = `axe.run('${within}', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`;
  const { violations: found } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[];
  }>(run);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Presses Tab until an element has the focus. Fails if it never gets it. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = target.page();
  await target.waitFor();
  for (let step = 0; step < 60; step += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${String(target)}.`);
}

const DRAFTS = `new Promise((done) => {
  indexedDB.open('docket-drafts').onsuccess = ({ target: { result: database } }) => {
    database.transaction('drafts').objectStore('drafts').getAll().onsuccess = ({ target }) => {
      database.close();
      done(target.result.map(({ values }) => values));
    };
  };
})`;

/** The values of the drafts in the browser. */
export async function drafts(page: Page): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return await page.evaluate(DRAFTS);
}
