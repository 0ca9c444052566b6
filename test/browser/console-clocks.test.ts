// This file takes transitions of a request whose service level has clocks. The dialog tells what happens to them before it happens.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { RECORDS } from '../journeys/records.ts';
import { type LevelDesk, openLevelDesk } from '../journeys/service-levels.ts';
import { suiteModel } from '../service-desk.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: LevelDesk;
let origin: string;
beforeAll(async () => {
  const records = [...RECORDS, ...catalogRecords(suiteModel())];
  desk = await openLevelDesk('2026-06-01 07:00', { records });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const IN_PROGRESS = 101003;

/** A time as the console shows it. */
const shownIn = (language: string, time: string, timeZone: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
    .format(new Date(time))
    .replaceAll(/\s/g, ' ');

it.each([
  ['en', 'Resolved', 'The clock Resolution stops. Its deadline is then '],
  ['fr', 'Résolue', 'L’horloge Résolution s’arrête. Son échéance est alors le '],
])('shows the deadline after a transition (%s)', { timeout: 200_000 }, async (...row) => {
  const [language, label, effect] = row;
  const path = await desk.create('ServiceRequests', { Description: 'Printer' });
  await desk.change(path, { Status: { Value: IN_PROGRESS } });
  const { Transitions } = await desk.read(`${path}/AllowedTransitions()`);
  const [clock] = Transitions.find(({ State }: { State: string }) => State === 'RESOLVED').Clocks;
  expect(clock).toMatchObject({ Clock: 'Resolution', Effect: 'stop' });
  const key = path.replaceAll(/\D/g, '');
  const watched = await visit(browser, origin, { path: `/s/ServiceRequests/${key}`, language });
  const { page } = watched;
  await page.getByRole('button', { name: label, exact: true }).click();
  const dialog = page.getByRole('dialog');
  const line = dialog.getByText(effect);
  const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone');
  const text = ((await line.textContent()) ?? '').replaceAll(/\s/g, ' ');
  expect(text).toBe(`${effect}${shownIn(language, clock.Deadline, zone)}.`);
  expect(await violations(page)).toEqual([]);
  expect(unexpected(watched)).toEqual([]);
  await watched.close();
});

it('asks for what the next status prompts for', { timeout: 200_000 }, async () => {
  const path = await desk.create('ServiceRequests', { Description: 'Printer' });
  await desk.change(path, { Status: { Value: IN_PROGRESS } });
  const key = path.replaceAll(/\D/g, '');
  const watched = await visit(browser, origin, { path: `/s/ServiceRequests/${key}` });
  const { page } = watched;
  await page.getByRole('button', { name: 'Waiting for caller', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The clock Resolution pauses.').waitFor();
  await dialog.locator('select').selectOption({ label: 'Part on order' });
  await dialog.getByLabel('On hold until').fill('2026-06-02T10:00');
  await dialog.getByRole('button', { name: 'Waiting for caller' }).click();
  await page.getByText('The status is now Waiting for caller.').waitFor();
  expect((await desk.read(path)).OnHoldUntil).toMatch(/^2026-06-0[123]T/);
  expect(unexpected(watched)).toEqual([]);
  await watched.close();
});
