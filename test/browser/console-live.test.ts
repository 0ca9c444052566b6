// This file watches the console while others change records: lists and records follow by one live stream, without a look at intervals.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
let key: number;
beforeAll(async () => {
  desk = await openDesk();
  const { json } = await desk.send('POST', '/Problems', { body: { Description: 'Before' } });
  key = json.Uid;
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const describeAs = async (Description: string) =>
  await desk.send('PATCH', `/Problems(${key})`, { body: { Description } });

it('a list offers what others have changed, and a record shows it', {
  timeout: 300_000,
}, async () => {
  const { page, problems, close } = await visit(browser, origin, {
    path: '/s/Problems?cols=Description',
  });
  await page.getByRole('gridcell', { name: 'Before', exact: true }).waitFor();
  await describeAs('In the list');
  await page
    .getByRole('button', { name: /1/ })
    .and(page.locator('[class*=pill]'))
    .waitFor({ timeout: 30_000 });
  await page.goto(`${origin}/console/s/Problems/${key}`);
  const description = page.getByLabel('Description');
  await expect.poll(async () => await description.inputValue()).toBe('In the list');
  await describeAs('In the record');
  await expect
    .poll(async () => await description.inputValue(), { timeout: 30_000 })
    .toBe('In the record');
  // The first request for a session, before signing in, returns 401.
  expect(problems.filter((one) => !one.includes('401'))).toEqual([]);
  await close();
});
