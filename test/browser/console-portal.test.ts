// This file goes through the portal as somebody who asks for something: a request from a template, a reply, a file, and what becomes of it.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { CALLER, MEMBER, RECORDS } from '../journeys/records.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { startBrowser, type WatchedPage } from './chromium.ts';
import { serveConsole, tabTo, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
let heating: number;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  const body = {
    Name: 'Leak',
    Entity: { '@odata.id': `Entities(${entityKeys(suiteModel()).ServiceRequest})` },
    Values: [{ AttributeName: 'Information', Value: 'Which floor?' }],
  };
  const template = await desk.send('POST', '/Templates', { body });
  expect(template.status, template.text).toBe(201);
  const complete = {
    ...body,
    Name: 'Heating',
    Values: [{ AttributeName: 'Description', Value: 'The heating is off' }],
  };
  const { json } = await desk.send('POST', '/Templates', { body: complete });
  heating = json.Uid;
  await desk.join({ loginName: 'agent', roles: ['agent'], person: MEMBER });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const unexpected = ({ problems }: WatchedPage) =>
  problems.filter((text) => !/the server responded with a status of 4\d\d/.test(text));

/** A request of the caller, which an agent has brought to the statuses. */
async function request(...statuses: readonly string[]): Promise<number> {
  const Caller = { '@odata.id': `Persons(${CALLER})` };
  const made = await desk.send('POST', '/ServiceRequests', {
    body: { Description: 'Printer', Caller },
  });
  for (const To of statuses) await advance(made.json.Uid, To);
  return made.json.Uid;
}

async function advance(key: number, To: string): Promise<void> {
  const Values =
    To === 'RESOLVED'
      ? { Solution: 'Restarted it', ClosureCode: { Text: 'Solved first line' } }
      : { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };
  const path = `/ServiceRequests(${key})/Transition`;
  const answer = await desk.send('POST', path, { body: { To, Values, Comment: 'By an agent' } });
  expect(answer.status, answer.text).toBe(204);
}

const read = async (key: number, path = '') =>
  (await desk.get(`/ServiceRequests(${key})${path}`)).json;

describe('The portal', { timeout: 300_000 }, () => {
  it('takes a request from a template, a reply and a file, by keyboard alone', async () => {
    const watched = await visit(browser, origin, { path: '/portal', name: 'caller' });
    const { page, close } = watched;
    page.setDefaultTimeout(15_000);
    await tabTo(page.getByRole('link', { name: 'New request' }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('searchbox'));
    await page.keyboard.type('Lea');
    await tabTo(page.getByRole('link', { name: /^Leak/ }));
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const description = page.getByLabel('Description', { exact: false }).first();
    await tabTo(description);
    // Only what requesters give is asked for.
    for (const label of ['Priority', 'Solution', 'Rating', 'Assigned person'])
      expect(await page.getByLabel(label, { exact: false }).count(), label).toBe(0);
    await page.keyboard.type('Water in the cellar');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'Water in the cellar' }).waitFor();
    const key = Number(/\/portal\/(\d+)$/.exec(page.url())?.[1]);
    const stored = await read(key, '?$expand=Caller');
    expect(stored).toMatchObject({ Information: 'Which floor?', Caller: { Uid: CALLER } });

    await tabTo(page.getByRole('textbox', { name: 'Reply' }));
    await page.keyboard.type('The second floor');
    await tabTo(page.getByRole('button', { name: 'Send' }));
    await page.keyboard.press('Enter');
    await page.getByText('The second floor').last().waitFor();
    expect((await read(key, '/HistoryLines')).value).toMatchObject([
      { Kind: { Text: 'Note public' }, Visibility: { Text: 'Visible to the caller' } },
    ]);
    const file = { name: 'leak.txt', mimeType: 'text/plain', buffer: Buffer.from('wet') };
    await page.setInputFiles('input[type=file]', file);
    await page.getByRole('button', { name: 'Download leak.txt' }).waitFor();
    expect((await read(key, '/Attachments')).value).toMatchObject([{ FileName: 'leak.txt' }]);
    await desk.send('POST', `/ServiceRequests(${key})/HistoryLines`, {
      body: { Information: 'For agents only', Visibility: { Value: 203001 } },
    });
    await page.reload();
    await page.getByText('The second floor').waitFor();
    expect(await page.getByText('For agents only').count()).toBe(0);

    await tabTo(page.getByRole('button', { name: 'Cancelled' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Closure code').selectOption({ label: 'Withdrawn by caller' });
    expect(await violations(page)).toEqual([]);
    await tabTo(dialog.getByRole('button', { name: 'Cancelled' }));
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await read(key)).Status.Text).toBe('Cancelled');
    await expect
      .poll(async () => await page.getByRole('button', { name: 'Cancelled' }).count())
      .toBe(0);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it.each(['caller', 'agent'])('creates from a template what it supplies, for %s', async (name) => {
    const path = `/new/ServiceRequests?template=${heating}&Caller=${CALLER}`;
    const { page, close } = await visit(browser, origin, { path, name });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'The heating is off' }).waitFor();
    await close();
  });

  it('folds very long texts, so that the conversation is near on small screens', async () => {
    const path = `/new/ServiceRequests?Caller=${CALLER}`;
    const { page, close } = await visit(browser, origin, { path, name: 'caller' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('textbox', { name: 'Description' }).fill('Long story');
    const lines = Array.from({ length: 80 }, (_, index) => `Line ${index} of the story`);
    await page.getByRole('textbox', { name: 'Information' }).fill(lines.join('\n'));
    await page.getByRole('button', { name: 'Create' }).click();
    const conversation = page.getByRole('heading', { name: 'Conversation' });
    const more = page.getByRole('button', { name: 'Show more: Information' });
    await more.waitFor();
    const top = async () => (await conversation.boundingBox())?.y ?? 0;
    expect(await top()).toBeLessThan(740);
    expect(await violations(page)).toEqual([]);
    await more.click();
    await page.getByText('Line 79 of the story').waitFor();
    await page.getByRole('button', { name: 'Show less: Information' }).click();
    await expect.poll(top).toBeLessThan(740);
    await close();
  });

  it('shows long texts to the end, and a message in its own direction beside any name', async () => {
    const path = `/new/ServiceRequests?Caller=${CALLER}`;
    const { page, close } = await visit(browser, origin, { path, name: 'caller' });
    const text = `${'long '.repeat(100)}end`;
    await page.getByRole('textbox', { name: 'Description' }).fill('Printer \u202e\u05d0');
    await page.getByRole('textbox', { name: 'Information' }).fill(text);
    await page.getByRole('button', { name: 'Create' }).click();
    const isolated = '“\u2068Printer \u202e\u05d0\u2069” was created.';
    await page.getByText(isolated, { exact: true }).waitFor();
    await page.getByText(text, { exact: true }).waitFor();
    await close();
  });

  it('is where the palette opens requests', async () => {
    await request();
    const { page, close } = await visit(browser, origin, { path: '/portal', name: 'caller' });
    await page.getByRole('link', { name: 'New request' }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or command' });
    await palette.getByRole('combobox').fill('Printer');
    await page
      .getByRole('option', { name: /^Printer/ })
      .first()
      .click();
    await page.waitForURL('**/console/portal/*');
    await expect.poll(async () => await page.title()).toMatch(/^Printer.* · Portal · Docket$/);
    await close();
  });

  it('offers to reopen what is not solved, and to rate what is, in another language', async () => {
    const key = await request('IN_PROGRESS', 'RESOLVED');
    const path = `/portal/${key}`;
    const watched = await visit(browser, origin, { path, name: 'caller', language: 'nl' });
    const { page, close } = watched;
    page.setDefaultTimeout(15_000);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'In behandeling' }).click();
    await dialog.getByLabel('Opmerking', { exact: false }).fill('Nog steeds kapot');
    await dialog.getByRole('button', { name: 'In behandeling' }).click();
    await expect.poll(async () => (await read(key)).Status.Value).toBe(101003);
    await page.getByText('Nog steeds kapot').waitFor();
    // What only agents may do is not offered.
    expect(await page.getByRole('main').getByRole('button', { name: 'Opgelost' }).count()).toBe(0);

    await advance(key, 'RESOLVED');
    await page.reload();
    await page.getByRole('button', { name: 'Gesloten' }).click();
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await violations(page)).toEqual([]);
    }
    await dialog.getByLabel('Waardering').fill('5');
    await dialog.getByRole('button', { name: 'Gesloten' }).click();
    await expect.poll(async () => (await read(key)).FeedbackRating).toBe(5);
    expect((await read(key)).Status.Text).toBe('Closed');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });
});
