// This file manages webhooks in the console: a subscription is created and changed, its receiver fails and recovers, and its secret is
// replaced, with a receiver that verifies signatures.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerWith, openWebhookDesk, type WebhookDesk } from '../journeys/webhook-desk.ts';
import { isSigned } from '../journeys/webhook-receiver.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let webhooks: WebhookDesk;
let origin: string;
beforeAll(async () => {
  webhooks = await openWebhookDesk();
  origin = await serveConsole(webhooks.desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await webhooks?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The secret that the page shows, which is then closed. */
async function takeSecret(page: Page): Promise<string> {
  const shown = page.getByRole('status').filter({ hasText: 'Copy the secret now' });
  const secret = await shown.locator('pre').textContent();
  await button(page, 'Close').click();
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain('whsec_');
  return secret ?? '';
}

describe('the screen for webhooks', { timeout: 200_000 }, () => {
  it('creates a subscription, and shows what its receiver does', async () => {
    const { receiver, arrived } = webhooks;
    const watched = await visit(browser, origin, { path: '/admin/webhooks' });
    const { page } = watched;
    await page.getByText('There are no subscriptions yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByLabel('What it is for').fill('To the warehouse');
    await page.getByLabel('URL', { exact: false }).first().fill('http://10.1.2.3/hook');
    await page.getByRole('combobox', { name: 'Set' }).click();
    await page.getByRole('option', { name: 'Persons', exact: true }).click();
    await page.getByLabel('Related records').fill('Nothing');
    await button(page, 'Create and make a secret').click();
    await page.getByText(/10\.1\.2\.3 is a private, local or reserved address/).waitFor();
    await page
      .getByText(/Nothing/)
      .last()
      .waitFor();
    await page.getByLabel('URL', { exact: false }).first().fill(receiver.url);
    await page.getByLabel('Related records').fill('');
    await button(page, 'Create and make a secret').click();
    const secret = await takeSecret(page);
    await page.getByText('Nothing has been sent yet.', { exact: false }).waitFor();

    await button(page, 'Send a test').click();
    await page.getByRole('dialog').getByText('Delivered').waitFor();
    await page.keyboard.press('Escape');
    expect(isSigned((await arrived(1))[0] ?? never(), secret)).toBe(true);

    // Edited while the receiver is away: what was typed stays, and the failure shows with the response.
    receiver.answer = answerWith(500, 'no space left');
    await page.getByLabel('What it is for').fill('To the store');
    // What somebody else changes meanwhile shows in the form, too.
    const key = new URL(page.url()).searchParams.get('subscription');
    const path = `/WebhookSubscriptions(${key})`;
    await webhooks.desk.send('PATCH', path, { body: { Kinds: ['created'] } });
    await page.getByRole('checkbox', { name: 'created', checked: true }).waitFor();
    const person = await webhooks.addPerson('Lovelace');
    await page.getByText('The receiver does not accept messages').waitFor();
    await page
      .getByText(/no space left/)
      .first()
      .waitFor();
    expect(await page.getByLabel('What it is for').inputValue()).toBe('To the store');
    // Pages that nobody sees are read again only after changes, also those that have failed.
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      dispatchEvent(new Event('visibilitychange'));`);
    await page.waitForTimeout(100);
    await webhooks.desk.send('PATCH', path, { body: { Kinds: ['created', 'updated'] } });
    await button(page, 'Save').click();
    await page.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    await page.getByRole('checkbox', { name: 'updated', checked: true }).waitFor();
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'To the store' }).waitFor();
    await page.evaluate(
      `delete document.visibilityState; dispatchEvent(new Event('visibilitychange'));`,
    );
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Waiting' }).click();
    // Until the deliveries in this state have been read, the one of the test is listed as well.
    const waiting = page.getByRole('row').filter({ hasText: person });
    await waiting.getByRole('button', { name: /^Open delivery/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"LastName": "Lovelace"', { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    receiver.answer = answerWith(204);
    await dialog.getByRole('button', { name: 'Try now' }).click();
    await dialog.getByText('Delivered').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('There are no such deliveries.').waitFor();
    expect(receiver.received.at(-1)?.json).toMatchObject({ subject: person });
    expect(
      unexpected(watched, ['400 /odata/WebhookSubscriptions', '412 /odata/WebhookSubscriptions']),
    ).toEqual([]);
    await watched.close();
  });

  it('replaces the secret, sends again from the beginning, and names why a subscription has ended', async () => {
    const { desk, receiver, subscribe, untilState } = webhooks;
    const report = async (Description: string) =>
      expect((await desk.send('POST', '/ServiceRequests', { body: { Description } })).status).toBe(
        201,
      );
    await report('Before the subscription');
    const subscribed = await subscribe({ Name: 'Zweite', EntitySet: 'ServiceRequests' });
    receiver.received.length = 0;
    const watched = await visit(browser, origin, { path: '/admin/webhooks', language: 'de' });
    const { page } = watched;
    await page.getByRole('link', { name: 'Zweite' }).click();
    await button(page, 'Neues Geheimnis').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Neues Geheimnis' }).click();
    const secret = await page.getByRole('status').locator('pre').textContent();
    expect(secret).not.toBe(subscribed.secret);
    expect(await violations(page)).toEqual([]);
    await button(page, 'Erneut senden').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Zeitpunkt', { exact: false }).last().fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Erneut senden' }).click();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const [first] = receiver.received;
    expect(first?.json.type).toMatch(/^docket\.ServiceRequests\./);
    for (const one of [secret ?? '', subscribed.secret])
      expect(isSigned(first ?? never(), one)).toBe(true);
    receiver.answer = answerWith(410);
    await report('After the receiver has gone');
    await untilState(subscribed, 'disabled');
    await page.getByText('Vom Dienst abgeschaltet').waitFor();
    await page
      .getByText(/410 \(Gone\)/)
      .first()
      .waitFor();
    receiver.answer = answerWith(204);
    await button(page, 'Aktivieren').click();
    await page.getByText('Vom Dienst abgeschaltet').waitFor({ state: 'detached' });
    expect((await webhooks.subscription(subscribed)).State).toBe('active');
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });
});

function never(): never {
  throw new Error('No message has arrived.');
}
