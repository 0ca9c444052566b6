// This file watches the console while others change records: lists and records follow by one live stream, without a look at intervals.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { MEMBER } from '../journeys/records.ts';
import { suiteRoles } from '../service-desk.ts';
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
  const roles = suiteRoles.filter(({ name }) => name === 'approver');
  await importRecords(rolesDocument(roles), desk.service);
  await desk.join({ loginName: 'approver', roles: ['approver'], person: MEMBER });
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

it('a set whose changes an account cannot follow is tried once', { timeout: 300_000 }, async () => {
  const watched = await visit(browser, origin, { path: '/account', name: 'approver' });
  const { page, close } = watched;
  const tried: string[] = [];
  page.on('response', (response) => {
    const isStream = response.request().headers().accept === 'text/event-stream';
    if (isStream && response.url().includes('/odata/ServiceRequests')) tried.push(response.url());
  });
  for (let time = 0; time < 2; time += 1) {
    await page.locator('a[href="/console/s/ServiceRequests"]').first().click({ timeout: 15_000 });
    await page.waitForURL('**/console/s/ServiceRequests*');
    await expect.poll(() => tried.length).toBe(1);
    await page.waitForTimeout(1000);
    await page.goBack();
    await page.waitForURL('**/console/account');
  }
  expect(tried).toHaveLength(1);
  await close();
});
