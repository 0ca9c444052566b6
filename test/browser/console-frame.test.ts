// This file opens the console as people do: signing in and out, the frame around the pages, its languages, and what happens without the
// service.
import { source as axeSource } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk();
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** The violations of WCAG 2.2 AA on the page. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })`;
  const { violations: found } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[];
  }>(run);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe('the console', { timeout: 200_000 }, () => {
  it('shows what is wrong with a sign-in, then the frame', async () => {
    const { page, problems, close } = await openPage(browser, origin);
    await page.goto(`${origin}/console/`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.title()).toBe('Sign in · Docket');
    await page.fill('[name=username]', 'admin');
    await page.fill('[name=password]', 'wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The user name or the password is wrong.').waitFor();
    expect(problems.filter((text) => !/status of 401/.test(text))).toEqual([]);
    await close();
  });

  it('opens with a session that survives a reload, in the language of the browser', async () => {
    const { page, problems, close } = await visit(browser, origin, { language: 'nl' });
    await page.getByRole('link', { name: 'Meldingen', exact: true }).waitFor();
    const before = problems.length;
    await page.reload();
    await page.getByRole('link', { name: 'Meldingen', exact: true }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('nl');
    expect(problems.slice(before)).toEqual([]);
    await close();
  });
});
