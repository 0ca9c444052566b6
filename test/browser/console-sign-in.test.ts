// This file signs in to the console at an OpenID Connect issuer, as people do: with its button, on the page of the issuer, and back.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET, startTokenIssuer, type TokenIssuer } from '../contracts/token-issuer.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, unexpected, violations } from './console-service.ts';

/** The service and the issuer. */
const MACHINE = 'http://127.0.0.1:';
const BUTTON = { name: 'Sign in with Example login' };

let browser: Browser;
let issuer: TokenIssuer;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  const redirectUris: string[] = [];
  issuer = await startTokenIssuer(
    {},
    {
      browserClients: [{ id: 'console', redirectUris }],
      people: { joan: { preferred_username: 'joan' }, eve: { preferred_username: 'eve' } },
    },
  );
  const client = { name: 'Example login', clientId: 'console', clientSecret: SECRET };
  const issuers = [{ url: issuer.url, audience: 'x', console: client }];
  desk = await openDesk({ settings: { issuers } });
  await desk.join({ loginName: 'joan', roles: ['administrator'] });
  origin = await serveConsole(desk);
  redirectUris.push(`${origin}/console/session/callback`);
  await issuer.rotate();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
  await issuer?.close();
});

describe('The sign-in page', { timeout: 200_000 }, () => {
  it('signs in at the issuer, and returns to the list with its filter', async () => {
    const watched = await openPage(browser, MACHINE);
    const { page, close } = watched;
    await page.goto(`${origin}/console/s/Persons?q=Neil`);
    await page.getByRole('link', BUTTON).click();
    await page.getByLabel('Name').fill('joan');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('grid').waitFor();
    expect(page.url()).toBe(`${origin}/console/s/Persons?q=Neil`);
    await page.reload();
    await page.getByRole('grid').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('link', BUTTON).waitFor();
    await page.reload();
    await page.getByRole('link', BUTTON).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it.each([
    ['', 'The sign-in was cancelled.'],
    ['eve', 'there is no account of Docket for you'],
  ])('explains why signing in as "%s" has failed, once', async (name, reason) => {
    const watched = await openPage(browser, MACHINE);
    const { page, close } = watched;
    await page.goto(`${origin}/console/s/Persons?q=Neil`);
    await page.getByRole('link', BUTTON).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText(reason).waitFor();
    expect(page.url()).toBe(`${origin}/console/s/Persons?q=Neil`);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('link', BUTTON).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('ignores reasons that the service does not give', async () => {
    const { page, close } = await openPage(browser, MACHINE);
    await page.goto(`${origin}/console/?sign-in=<b>Call%20555</b>`);
    await page.getByRole('link', BUTTON).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await close();
  });
});

describe('A session that has ended', { timeout: 200_000 }, () => {
  it('goes on after signing in in another tab, with the page as it was', async () => {
    const watched = await openPage(browser, MACHINE);
    const { page, close } = watched;
    await page.goto(`${origin}/console/s/Persons`);
    await page.getByRole('link', BUTTON).click();
    await page.getByLabel('Name').fill('joan');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('grid').waitFor();
    await page.evaluate('window.isSamePage = true');
    const { json } = await desk.get(`/Sessions?$filter=Account/LoginName eq 'joan'`);
    for (const { Uid } of json.value)
      expect((await desk.send('DELETE', `/Sessions(${Uid})`)).status).toBe(204);
    await page.getByRole('searchbox').first().fill('A');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('link', BUTTON).click();
    const other = await opened;
    await other.getByRole('grid').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(unexpected(watched, ['401 /odata/'])).toEqual([]);
    await close();
  });
});
