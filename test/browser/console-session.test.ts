// This file signs in with Chromium, as a page of the console does, to see what the browser makes of the cookie and the headers.
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';

let browser: Browser;
let desk: Desk;
let port: number;
beforeAll(async () => {
  desk = await openDesk();
  await desk.app.server.listen({ host: '127.0.0.1', port: 0 });
  port = (desk.app.server.server.address() as AddressInfo).port;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const HEADERS = { 'Content-Type': 'application/json', 'X-Docket-Console': '1' };
const CREDENTIALS = { UserName: 'admin', Password: PASSWORD };

/** Sends a request from the page. Returns its status and body. */
async function send(page: Page, method: string, url: string, headers: object, body?: unknown) {
  const options = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return await page.evaluate<{ status: number; json: Record<string, unknown> }>(
    `fetch(${JSON.stringify(url)}, ${JSON.stringify(options)}).then(async (answer) => {
      const text = await answer.text();
      return { status: answer.status, json: text === '' ? {} : JSON.parse(text) };
    })`,
  );
}

describe('A browser', { timeout: 200_000 }, () => {
  it.each(['127.0.0.1', 'localhost'])(
    'at http://%s keeps the cookie from scripts and from other paths, and refreshes with it',
    async (host) => {
      const origin = `http://${host}:${port}`;
      const { page, problems, close } = await openPage(browser, origin);
      const session = `${origin}/console/session`;
      // A page of the server whose policy permits scripts.
      await page.goto(`${origin}/docs/api`);
      const asked = problems.length;
      expect((await send(page, 'POST', session, HEADERS, CREDENTIALS)).status).toBe(200);
      const [cookie] = await page.context().cookies(session);
      expect(cookie).toMatchObject({
        name: '__Secure-docket',
        path: '/console/session',
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
      });
      expect(await page.evaluate('document.cookie')).toBe('');
      const sent: (string | null)[] = [];
      page.on('request', async (request) => {
        sent.push(await request.headerValue('cookie'));
      });
      await page.reload();
      const again = await send(page, 'POST', `${session}/refresh`, HEADERS);
      expect([again.status, again.json.ExpiresIn]).toEqual([200, 600]);
      await expect.poll(() => sent.filter((one) => one !== null)).toHaveLength(1);
      const [next] = await page.context().cookies(session);
      expect(next?.value).not.toBe(cookie?.value);
      await page.evaluate(`localStorage.setItem('draft', 'x')`);
      expect((await send(page, 'DELETE', session, HEADERS)).status).toBe(204);
      expect(await page.context().cookies(session)).toEqual([]);
      expect(await page.evaluate('localStorage.length')).toBe(0);
      expect(problems.slice(asked)).toEqual([]);
      await close();
    },
  );

  it('that shows a page of another site cannot use the session', async () => {
    const { page, close } = await openPage(browser, 'http://');
    const session = `http://127.0.0.1:${port}/console/session`;
    await page.goto(`http://127.0.0.1:${port}/docs/api`);
    await send(page, 'POST', session, HEADERS, CREDENTIALS);
    await page.goto(`http://localhost:${port}/healthz`);
    const [before] = await page.context().cookies(session);
    for (const headers of [HEADERS, { 'Content-Type': 'text/plain' }])
      await expect(send(page, 'POST', `${session}/refresh`, headers)).rejects.toThrow(
        'Failed to fetch',
      );
    expect((await page.context().cookies(session))[0]?.value).toBe(before?.value);
    await close();
  });
});
