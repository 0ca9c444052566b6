// This file uses the API reference at /docs/api as a reader does: in Chromium, with its Content-Security-Policy.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, openForeignDesk, PASSWORD } from '../journeys/desk.ts';
import { ZOO } from '../journeys/zoo-records.ts';
import { oddDefinition } from '../odd-model.ts';
import { openPage, startBrowser } from './chromium.ts';

const LISTEN = { host: '127.0.0.1', port: 0 };
/** Milliseconds. On a quiet machine it takes about one second; without the cut of cycles, the page never responds. */
const SLOW = 60_000;

let browser: Browser;
let desk: Desk;
let origin: string;
let zoo: Desk;
beforeAll(async () => {
  const settings = {
    basePath: '/data/v4',
    anonymous: ['metadata'],
    trustedProxies: ['127.0.0.1'],
  };
  desk = await openDesk();
  origin = await desk.app.server.listen(LISTEN);
  zoo = await openForeignDesk(oddDefinition, ZOO, { settings });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
  await zoo?.close();
});

/** Opens the operation that reads a set, and sends it. Returns the milliseconds until it was open, and what the page shows of the response. */
async function readSet(page: Page, set: string) {
  await page.locator(`#operations-tag-${set}`).click();
  const operation = page.locator(`#operations-${set}-list${set}`);
  await operation.waitFor();
  const start = performance.now();
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('button.execute').waitFor();
  const opened = performance.now() - start;
  await operation.locator('button.execute').click();
  const live = operation.locator('.live-responses-table');
  const status = await live.locator('.response-col_status').nth(1).innerText();
  return { opened, status, body: await live.locator('.microlight').first().innerText() };
}

/** A proxy that removes the prefix /tools from paths. */
async function startProxy(target: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-prefix': '/tools' };
    const url = new URL((incoming.url ?? '').replace(/^\/tools/, ''), target);
    const forwarded = request(url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, LISTEN.host, resolve);
  });
  return proxy;
}

describe('the API reference', { timeout: 200_000 }, () => {
  it('asks to sign in, shows the operations, and sends them with the token', async () => {
    const { page, problems, close } = await openPage(browser, origin);
    await page.goto(`${origin}/docs`);
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL(`${origin}/docs/api`);
    expect(await page.locator('#status').innerText()).toBe('Sign in to see the reference.');
    expect(await page.locator('.opblock-tag').count()).toBe(0);
    expect(problems).toEqual([]);

    await page.fill('[name=username]', 'admin');
    await page.fill('[name=password]', 'wrong');
    await page.click('#sign-in button');
    await page.getByText('The user name or the password is wrong.').waitFor();
    const refusals = problems.length;

    await page.fill('[name=password]', PASSWORD);
    await page.click('#sign-in button');
    const { opened, status, body } = await readSet(page, 'ServiceRequests');
    expect([status, body]).toEqual(['200', expect.stringContaining('"@odata.context"')]);
    expect(opened).toBeLessThan(SLOW);
    expect(await page.locator('#status').innerText()).toBe('Signed in as admin.');

    await page.click('#sign-out');
    await page.getByText('Sign in to see the reference.').waitFor();
    expect(await page.locator('.opblock-tag').count()).toBe(0);
    expect(problems.slice(refusals)).toEqual([]);
    await close();
  });

  it('refreshes a token that has expired', async () => {
    const { page, problems, close } = await openPage(browser, origin);
    const grants: string[] = [];
    const tokens: string[] = [];
    await page.route('**/token', async (route) => {
      grants.push(String(new URLSearchParams(route.request().postData() ?? '').get('grant_type')));
      const response = await route.fetch();
      tokens.push((await response.json()).access_token);
      await route.fulfill({ response });
    });
    const sent: unknown[] = [];
    page.on('request', (one) => {
      if (one.url().includes('/odata/')) sent.push(one.headers().authorization);
    });
    await page.goto(`${origin}/docs/api?compact=true&sets=ServiceRequests`);
    await page.fill('[name=username]', 'admin');
    await page.fill('[name=password]', PASSWORD);
    await page.click('#sign-in button');
    await page.locator('#operations-tag-ServiceRequests').waitFor();
    expect(grants).toEqual(['password']);
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 86_400_000; }');
    expect((await readSet(page, 'ServiceRequests')).status).toBe('200');
    expect(grants).toEqual(['password', 'refresh_token']);
    expect(sent).toEqual([`Bearer ${tokens[1]}`]);
    await page.click('#sign-out');
    await page.getByText('Sign in to see the reference.').waitFor();
    expect([grants.length, problems]).toEqual([2, []]);
    await close();
  });

  it('works below another path, with the sign-in of Swagger UI', async () => {
    const proxy = await startProxy(await zoo.app.server.listen(LISTEN));
    const above = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { page, problems, close } = await openPage(browser, `${above}/tools/`);
    await page.goto(`${above}/tools/docs/api`);
    await page.locator('.scheme-container .authorize').click();
    await page.fill('#oauth_username', 'admin');
    await page.fill('#oauth_password', PASSWORD);
    await page.locator('.auth-container button.authorize').click();
    await page.locator('.auth-btn-wrapper').getByText('Logout').waitFor();
    await page.locator('.btn-done').click();
    const { status, body } = await readSet(page, 'Keepers');
    expect([status, body]).toEqual(['200', expect.stringContaining(`${above}/tools/data/v4/`)]);
    expect(problems).toEqual([]);
    await close();
    proxy.close();
  });
});
