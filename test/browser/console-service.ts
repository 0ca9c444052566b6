// This file serves the console for tests in a browser: a service desk or another service on a real port, and signed-in pages. The console
// must have been built; `npm test` does so first.
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
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
  const { page } = watched;
  await page.goto(`${origin}/console${path}`);
  await page.fill('[name=username]', name);
  await page.fill('[name=password]', password);
  await page.locator('form button[type=submit]').click();
  await page.locator('[name=password]').waitFor({ state: 'detached' });
  return watched;
}
