// This file opens the console as people do: signing in and out, the frame around the pages, its languages, and what happens without the
// service.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, signInAt, unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk();
  const EntityAccess = ['Person'].map((Entity) => ({
    Entity,
    Read: true,
  }));
  await desk.send('POST', '/Roles', { body: { Name: 'reader', EntityAccess } });
  await desk.join({ loginName: 'reader', roles: ['reader'] });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

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

  it('says that the service cannot be reached, until it can, where only a change has failed', async () => {
    const { page, close } = await visit(browser, origin, { path: '/new/Persons' });
    await page.getByLabel('Last name').fill('Kept');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Create' }).click();
    const banner = page.getByText(/^The service cannot be reached\. What you type is kept/);
    await banner.waitFor();
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Last name').inputValue()).toBe('Kept');
    // The message about the failure goes when the form is sent again.
    const failure = page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' });
    await failure.waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL('**/s/Persons/*');
    expect(await failure.count()).toBe(0);
    await close();
  });

  it('names each page in the title of the window', async () => {
    const { page, close } = await visit(browser, origin, { path: '/s/Persons' });
    await expect.poll(async () => await page.title()).toBe('Persons · Docket');
    const titles = {
      Dashboards: 'Dashboards',
      Overview: 'Overview · Dashboards',
      Explorer: 'Explorer',
      Administration: 'Administration',
      Health: 'Health',
    };
    for (const [link, title] of Object.entries(titles)) {
      await page.getByRole('link', { name: link, exact: true }).first().click();
      await expect.poll(async () => await page.title()).toBe(`${title} · Docket`);
    }
    await page.goto(`${origin}/console/nowhere`);
    await expect.poll(async () => await page.title()).toBe('This page does not exist. · Docket');
    await close();
  });

  it('says which rights are missing for a page', async () => {
    await desk.join({ loginName: 'newcomer', roles: [] });
    const newcomer = await visit(browser, origin, { name: 'newcomer' });
    await newcomer.page
      .getByRole('heading', { name: /^Your account has no rights yet\./ })
      .waitFor();
    await newcomer.close();
    const reader = await visit(browser, origin, { name: 'reader', path: '/new/Persons' });
    const missing = reader.page.getByRole('heading', { name: /^You may not create anything in/ });
    await missing.waitFor();
    await reader.close();
  });

  it('has a menu on small screens, whose links get the focus only while it is open', async () => {
    const { page, close } = await visit(browser, origin);
    const link = page.getByRole('link', { name: 'Problems', exact: true });
    const menu = page.getByRole('button', { name: 'Menu' });
    await link.waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await link.waitFor({ state: 'hidden' });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await menu.click();
    await link.waitFor();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await link.click();
    await link.waitFor({ state: 'hidden' });
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

it('The language is that of the account, or the one chosen in this browser, also after signing out', {
  timeout: 200_000,
}, async () => {
  await desk.join({ loginName: 'dutch', roles: ['reader'] });
  const { value } = (await desk.get("/Accounts?$filter=LoginName eq 'dutch'&$select=Uid")).json;
  await desk.send('PATCH', `/Accounts(${value[0].Uid})`, { body: { Language: 'nl' } });
  const { page, close } = await visit(browser, origin, { name: 'dutch' });
  const language = async () => await page.getAttribute('html', 'lang');
  await expect.poll(language).toBe('nl');
  await page.getByRole('button', { name: /^Account van/ }).click();
  expect(await violations(page, '[role=menu]')).toEqual([]);
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await expect.poll(language).toBe('de');
  await page.getByRole('button', { name: /dutch/ }).click();
  const chosen = page.getByRole('menuitemradio', { checked: true });
  expect(await chosen.allInnerTexts()).toEqual(['Wie das System', 'Deutsch']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /dutch/ }).click();
  await page.getByRole('menuitem', { name: 'Abmelden' }).click();
  await page.getByLabel('Benutzername').waitFor();
  await close();
});

describe('a session without input', { timeout: 200_000 }, () => {
  it('can be extended by one key, and ends; what was typed stays', async () => {
    const watched = await openPage(browser, origin);
    const { page, close } = watched;
    await page.clock.install();
    await signInAt(page, `${origin}/console/new/Persons`);
    const field = page.getByLabel('Last name', { exact: false }).first();
    await field.fill('Typed before');
    await page.clock.fastForward('28:30');
    await page.getByText(/^Your session ends in \d+ seconds because nothing happened\.$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.clock.fastForward('20:00');
    await page.mouse.move(20, 20);
    await page.clock.fastForward('20:00');
    await page.clock.runFor(2000);
    expect(await page.getByRole('dialog').count()).toBe(0);
    const [cookie] = await page.context().cookies(`${origin}/console/session`);
    await page.clock.fastForward('31:00');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).waitFor();
    await expect
      .poll(async () => await page.context().cookies(`${origin}/console/session`))
      .toEqual([]);
    const headers = {
      'x-docket-console': '1',
      'sec-fetch-site': 'same-origin',
      cookie: `${cookie?.name}=${cookie?.value}`,
    };
    const renewed = await desk.app.server.inject({
      method: 'POST',
      url: '/console/session/refresh',
      headers: { ...headers, host: '127.0.0.1', 'content-type': 'application/json' },
    });
    expect(renewed.statusCode).toBe(401);
    expect(await field.inputValue()).toBe('Typed before');
    expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(1);
    await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('Typed before');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/s/Persons/*');
    expect((await desk.get("/Persons/$count?$filter=LastName eq 'Typed before'")).text).toBe('1');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });
});

describe('the next account at the same machine', { timeout: 200_000 }, () => {
  it('sees nothing of the previous one, in no tab', async () => {
    const path = '/s/Workgroups';
    const secret = 'First line';
    const watched = await visit(browser, origin, { path });
    const { page, close } = watched;
    const other = await page.context().newPage();
    await other.goto(`${origin}/console${path}`);
    for (const tab of [page, other]) {
      await tab.getByText(secret).first().waitFor();
      await tab.getByRole('link', { name: 'Administration' }).waitFor();
    }
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.waitForURL(`${origin}/console/`);
      await tab.getByLabel('User name').waitFor();
    }
    await page.fill('[name=username]', 'reader');
    await page.fill('[name=password]', PASSWORD);
    await page.locator('form button[type=submit]').click();
    for (const tab of [page, other]) {
      await tab.getByRole('button', { name: 'Account of reader' }).waitFor();
      await tab.getByRole('link', { name: 'Persons', exact: true }).waitFor();
      expect(await tab.getByRole('link', { name: 'Administration' }).count()).toBe(0);
      expect(await tab.getByRole('link', { name: 'Workgroups' }).count()).toBe(0);
      expect(await tab.getByText(secret).count()).toBe(0);
    }
    expect(unexpected(watched)).toEqual([]);
    await close();
  });
});
