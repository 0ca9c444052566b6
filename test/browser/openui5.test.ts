// This file works with a table of OpenUI5 as a user does: more rows, another order, a filter, and changes that are saved together.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { makeReachable, type Reachable } from '../journeys/listening.ts';
import { openPage, startBrowser } from './chromium.ts';

const require = createRequire(import.meta.url);
const scope = join(require.resolve('@openui5/sap.m/package.json'), '../..');
const FOLDERS = [
  join(import.meta.dirname, 'openui5'),
  ...['sap.m', 'sap.ui.core', 'sap.ui.layout', 'sap.ui.unified'].map((name) =>
    join(scope, name, 'src'),
  ),
];

/** The content types of files, and what is in files that only a build of OpenUI5 makes. */
const FILES: Readonly<Record<string, { readonly contentType: string; readonly empty?: string }>> = {
  '.js': { contentType: 'text/javascript' },
  '.html': { contentType: 'text/html' },
  '.properties': { contentType: 'text/plain' },
  '.css': { contentType: 'text/css', empty: '' },
  '.json': { contentType: 'application/json', empty: '{"libraries":[]}' },
};

/** The packages contain no built themes. */
const OF_THEMES = /theming\.Parameters|Rem\.toPx/;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => await browser?.close());

async function sendFile(route: Route): Promise<void> {
  const path = new URL(route.request().url()).pathname.replace('/openui5/', '');
  const { contentType, empty } = FILES[extname(path)] ?? { contentType: 'text/plain' };
  for (const folder of FOLDERS) {
    const body = await readFile(join(folder, path)).catch(() => undefined);
    if (body !== undefined) return await route.fulfill({ body, contentType });
  }
  if (empty === undefined) return await route.fulfill({ status: 404 });
  return await route.fulfill({ body: empty, contentType });
}

/** `GET Persons?$top=1`, the requests in the body of a batch. */
function requestsIn(batch: Request): readonly string[] {
  const lines = (batch.postData() ?? '').matchAll(/^([A-Z]+ \S+) HTTP\/1\.1\r$/gm);
  return [...lines].map(([, line = '']) => decodeURIComponent(line));
}

/** Opens the table and waits for its first rows. */
async function openTable(
  { origin, token }: Reachable,
  parameters: Readonly<Record<string, string>>,
) {
  const watched = await openPage(browser, origin);
  const { page, problems } = watched;
  await page.route(`${origin}/openui5/**`, sendFile);
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/odata/$batch') requests.push(...requestsIn(request));
    else if (pathname.startsWith('/odata'))
      requests.push(`${request.method()} ${pathname}${search}`);
  });
  await page.goto(`${origin}/openui5/page.html?${new URLSearchParams({ token, ...parameters })}`);
  await rowsOf(page).first().waitFor();
  return {
    ...watched,
    /** The requests since the last call. */
    takeRequests: () => requests.splice(0),
    found: () => problems.filter((problem) => !OF_THEMES.test(problem)),
  };
}

const rowsOf = (page: Page) => page.locator('tr.sapMListTblRow');

/** The texts of the cells of a row. */
async function cellsOf(page: Page, row: number): Promise<readonly string[]> {
  const cells = rowsOf(page).nth(row).locator('.sapMListTblCell');
  const texts = await cells.allInnerTexts();
  return [...texts.filter((text) => text !== ''), await cells.locator('input').inputValue()];
}

/** Calls a function of the page. */
async function call(page: Page, name: string, ...values: readonly string[]): Promise<unknown> {
  return await page.evaluate(`window.table[${JSON.stringify(name)}](...${JSON.stringify(values)})`);
}

async function edit(page: Page, row: number, text: string): Promise<void> {
  const input = rowsOf(page).nth(row).locator('input');
  await input.fill(text);
  await input.press('Enter');
}

describe.each([
  ['$metadata?flat=true', { flat: 'true' }, {}],
  ['the setting flatMetadata', {}, { flatMetadata: true }],
])('A table of OpenUI5 with %s', { timeout: 200_000 }, (_, parameters, settings) => {
  let desk: Desk;
  let reachable: Reachable;
  beforeAll(async () => {
    desk = await openDesk({ settings });
    reachable = await makeReachable(desk);
  });
  afterAll(async () => {
    await reachable?.stop();
    await desk?.close();
  });

  it('shows, grows, sorts, filters and saves records whose keys are inherited', async () => {
    const { page, takeRequests, found, close } = await openTable(reachable, parameters);
    const list = (options: string) =>
      `GET ServiceRequests?$count=true&$select=Description,Status/Text,Uid&$expand=Caller($select=Name,Uid)${options}`;
    const burning = ['1,001', 'In progress', "O'Neil, Zoë", 'Printer "Laser 4" is on fire'];
    await expect.poll(async () => await cellsOf(page, 0)).toEqual(burning);
    const query = new URLSearchParams(parameters).toString();
    const metadata = `GET /odata/$metadata${query === '' ? '' : `?${query}`}`;
    expect(takeRequests()).toEqual([metadata, list('&$skip=0&$top=10')]);

    await page.getByText('[ 10 / 302 ]').click();
    await page.getByText('[ 20 / 302 ]').waitFor();
    await expect.poll(async () => await rowsOf(page).count()).toBe(20);
    expect(takeRequests()).toEqual([list('&$skip=10&$top=10')]);

    await call(page, 'sortDescending', 'Uid');
    await page.getByText('4,299').waitFor();
    await expect
      .poll(async () => await cellsOf(page, 0))
      .toEqual(['4,299', 'Closed', 'Request 299']);
    expect(takeRequests()).toEqual([list('&$orderby=Uid desc&$skip=0&$top=10')]);

    await call(page, 'filter', 'Caller/Name', 'Contains', "O'Neil");
    await page.getByRole('gridcell', { name: "O'Neil, Zoë" }).first().waitFor();
    await expect.poll(async () => await rowsOf(page).count()).toBe(1);
    await expect.poll(async () => await cellsOf(page, 0)).toEqual(burning);
    const filter = "&$orderby=Uid desc&$filter=contains(Caller/Name,'O''Neil')";
    expect(takeRequests()).toEqual([list(`${filter}&$skip=0&$top=10`)]);

    await edit(page, 0, 'Put out');
    expect([takeRequests(), await call(page, 'isChanged')]).toEqual([[], true]);
    await call(page, 'save');
    expect(takeRequests()).toEqual(['PATCH ServiceRequests(1001)']);
    expect(await call(page, 'isChanged')).toBe(false);
    const { json } = await desk.get('/ServiceRequests(1001)?$select=Description');
    expect(json).toMatchObject({ Description: 'Put out' });
    expect(found()).toEqual([]);
    await close();
  });

  it('keeps a change that conflicts with one of another user', async () => {
    const { page, takeRequests, found, close } = await openTable(reachable, parameters);
    await edit(page, 1, 'My text');
    const other = await desk.send('PATCH', '/ServiceRequests(1002)', {
      body: { Description: 'Other' },
    });
    expect(other.status).toBe(204);
    takeRequests();
    await call(page, 'save');
    expect(takeRequests()).toEqual(['PATCH ServiceRequests(1002)']);
    expect([await call(page, 'isChanged'), (await cellsOf(page, 1)).at(-1)]).toEqual([
      true,
      'My text',
    ]);
    expect(found()).toEqual([expect.stringContaining('412 Precondition Failed')]);
    const { json } = await desk.get('/ServiceRequests(1002)?$select=Description');
    expect(json).toMatchObject({ Description: 'Other' });
    await close();
  });
});
