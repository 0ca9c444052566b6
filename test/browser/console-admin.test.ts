// This file uses the screens for developers, team leads and administrators: explorer, dashboards and rights.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { RECORDS } from '../journeys/records.ts';
import { suiteModel } from '../service-desk.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** Problems besides failed requests, which each test checks by what the page shows. */
const unexpected = (problems: readonly string[]) =>
  problems.filter((text) => !/Failed to load resource/.test(text));

async function countOf(path: string): Promise<number> {
  const { status, text } = await desk.get(path);
  expect([status, path]).toEqual([200, path]);
  return Number(text);
}

/** Replaces the text of the request. */
async function write(page: Page, request: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Request as text' });
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(request);
  await page.keyboard.press('Escape');
}

describe('the explorer', { timeout: 200_000 }, () => {
  it('sends a request by keyboard, and marks the place of an error', async () => {
    const { page, problems, close } = await visit(browser, origin, { path: '/explore' });
    await write(page, 'Persons?$top=1&$select=Uid,Foo');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('bind.unknown-property').waitFor();
    expect(await page.locator('.request-error').textContent()).toBe('Foo');
    expect(await violations(page)).toEqual([]);
    await write(page, 'Persons?$top=1&$select=Uid');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 row', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('request')).toBe('Persons?$top=1&$select=Uid');
    expect(await violations(page)).toEqual([]);
    expect(unexpected(problems)).toEqual([]);
    await close();
  });

  it('offers the codes of a list by their texts', async () => {
    const { page, close } = await visit(browser, origin, { path: '/explore' });
    await write(page, 'ServiceRequests?$filter=');
    await page.keyboard.type('Status/Value eq ');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /Resolved/ }).click();
    const text = await page.getByRole('textbox', { name: 'Request as text' }).textContent();
    expect(text).toBe('ServiceRequests?$filter=Status/Value eq 101008');
    await close();
  });

  it('copies code with a placeholder for the token', async () => {
    const { page, close } = await visit(browser, origin, { path: '/explore' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await write(page, "Persons?$filter=Name eq 'a&b'");
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`'${origin}/odata/Persons?$filter=Name%20eq%20%27a%26b%27'`);
    expect(copied.match(/Bearer .*/)?.[0]).toBe("Bearer YOUR_TOKEN' \\");
    await close();
  });

  it('asks before a request that writes', async () => {
    const { page, close } = await visit(browser, origin, { path: '/explore' });
    const before = await countOf('/ServiceRequests/$count');
    await write(page, 'POST ServiceRequests\n\n{ "Description": "By the explorer" }');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('POST changes data').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await countOf('/ServiceRequests/$count')).toBe(before);
    await page.getByRole('button', { name: 'Send POST' }).click();
    await dialog.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('201', { exact: true }).waitFor();
    expect(await countOf('/ServiceRequests/$count')).toBe(before + 1);
    expect(page.url()).not.toContain('POST');
    await close();
  });
});

describe('a dashboard', { timeout: 200_000 }, () => {
  it('leads from each number of a chart to as many records', async () => {
    const body = { Description: 'For the dashboard', Status: { Value: 101003 } };
    expect((await desk.send('POST', '/ServiceRequests', { body })).status).toBe(201);
    const { page, problems, close } = await visit(browser, origin, {
      path: '/d/default',
      language: 'nl',
    });
    // The labels of charts have the colour of all texts, in the dark as well: axe does not look at them.
    await page.emulateMedia({ colorScheme: 'dark' });
    const label = page.locator('.recharts-cartesian-axis-tick-value').first();
    const [fill, colour] = await label.evaluate((one) => {
      const style = one.ownerDocument.defaultView?.getComputedStyle(one);
      return [style?.fill, style?.color];
    });
    expect(fill).toBe(colour);
    expect(colour).not.toMatch(/^rgb\((?:0, 0, 0|102, 102, 102)\)$/);
    const tile = page.getByRole('region', { name: 'Meldingen: Status' });
    await tile.getByRole('button', { name: 'Getallen tonen' }).click();
    const numbers = tile.getByRole('cell').getByRole('button');
    await numbers.first().waitFor();
    expect(await violations(page)).toEqual([]);
    const shown = Number(await numbers.first().textContent());
    expect(shown).toBeGreaterThan(0);
    await numbers.first().click();
    await page.waitForURL('**/s/ServiceRequests?**');
    const filter = new URL(page.url()).searchParams.get('filter') ?? '';
    expect(filter).toContain('ClosedAt eq null and Status/Value eq');
    const path = `/ServiceRequests/$count?$filter=${encodeURIComponent(filter)}`;
    expect(await countOf(path)).toBe(shown);
    expect(unexpected(problems)).toEqual([]);
    await close();
  });

  it('is copied, stored and found again', async () => {
    const { page, close } = await visit(browser, origin, { path: '/d/default' });
    await page.getByRole('button', { name: 'Make my own copy' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('button', { name: 'Add tile' }).click();
    // A dialog begins with its first field.
    const title = page.getByRole('dialog').getByRole('textbox', { name: 'Title' });
    await expect.poll(async () => await title.and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    const { json } = await desk.get('/ConsoleDashboards?$expand=Tiles($orderby=Position)');
    expect(json.value).toHaveLength(1);
    expect(json.value[0]).toMatchObject({ Name: 'Mine', Scope: 'own' });
    expect(json.value[0].Tiles[0]).toMatchObject({ Kind: 'number', EntitySet: 'ServiceRequests' });
    await page.getByRole('link', { name: 'Dashboards' }).click();
    await page.getByRole('link', { name: 'Mine' }).waitFor();
    await page.mouse.move(0, 0);
    expect(await violations(page)).toEqual([]);
    await close();
  });
});

it('A dashboard is read again where others have changed it, with what they have changed', async () => {
  const tile = { Title: 'One', Kind: 'number', EntitySet: 'Problems' };
  const { json } = await desk.send('POST', '/ConsoleDashboards', {
    body: { Name: 'Both', Scope: 'everybody', Tiles: [tile] },
  });
  const path = `/ConsoleDashboards(${json.Uid})`;
  const theirs = async (body: object) =>
    expect((await desk.send('PATCH', path, { body })).status).toBe(204);
  const { page, close } = await visit(browser, origin, { path: `/d/${json.Uid}?edit=1` });
  const name = page.getByLabel('Name');
  const save = async () => await page.getByRole('button', { name: 'Save' }).click();
  await name.fill('Mine');
  await theirs({ IsDefault: true, Tiles: [{ ...tile, Title: 'Two' }] });
  await save();
  await page.getByText(/^Somebody else has changed this in the meantime/).waitFor();
  await page.getByRole('region', { name: 'Two' }).waitFor();
  expect(await name.inputValue()).toBe('Mine');
  await save();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  const stored = (await desk.get(`${path}?$expand=Tiles`)).json;
  expect(stored).toMatchObject({ Name: 'Mine', IsDefault: true, Tiles: [{ Title: 'Two' }] });
  await close();
}, 200_000);

describe('the administration', { timeout: 200_000 }, () => {
  it('shows what two accounts may do with a record', async () => {
    const account = { LoginName: 'ada' };
    expect((await desk.send('POST', '/Accounts', { body: account })).status).toBe(201);
    const created = await desk.send('POST', '/ServiceRequests', { body: { Description: 'R' } });
    const path = `/admin/rights?set=ServiceRequests&key=${created.json.Uid}&account=admin&other=ada`;
    const { page, problems, close } = await visit(browser, origin, { path });
    const read = page.getByRole('row', { name: /^Read/ });
    await read.waitFor();
    expect(await read.getByRole('cell').allTextContents()).toEqual(['Yes', 'No']);
    const key = page.getByRole('row', { name: /^Key/ });
    expect(await key.getByRole('cell').allTextContents()).toEqual(['can be read', 'hidden']);
    expect(await violations(page)).toEqual([]);
    expect(unexpected(problems)).toEqual([]);
    await close();
  });

  it.each(['key', 'model', 'health', 'schedules'])('opens %s without violations', async (name) => {
    const { page, problems, close } = await visit(browser, origin, {
      path: `/admin/${name}`,
      language: 'de',
    });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('table, form, input').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(unexpected(problems)).toEqual([]);
    await close();
  });
});

describe('the workflow editor', { timeout: 200_000 }, () => {
  it('adds a transition that the service then offers, and reports a broken guard', async () => {
    const { page, problems, close } = await visit(browser, origin, { path: '/admin/workflows' });
    const cell = page.getByRole('button', { name: /^Registered to Resolved: / });
    await cell.click();
    await page.getByRole('button', { name: 'Add transition' }).click();
    const panel = page.getByRole('region', { name: 'Registered to Resolved' });
    await panel.getByLabel('Guard').fill('Nothing eq 1');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel
      .getByText(/Nothing/)
      .last()
      .waitFor();
    expect((await desk.get('/Transitions/$count')).text).toBe('0');
    await panel.getByLabel('Guard').fill('Solution ne null');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Registered to Resolved: added or replaced' }).waitFor();
    const { json } = await desk.get('/Transitions?$select=Uid,Symbol,Guard');
    expect(json.value).toMatchObject([{ Guard: 'Solution ne null' }]);
    const { Uid } = (
      await desk.send('POST', '/ServiceRequests', { body: { Description: 'Printer' } })
    ).json;
    const { Transitions } = (await desk.get(`/ServiceRequests(${Uid})/AllowedTransitions()`)).json;
    const symbols = Transitions.map(({ Symbol: symbol }: { Symbol: string }) => symbol);
    expect(symbols).toContain(json.value[0].Symbol);

    // What others have stored in the meantime is taken over; what was typed stays.
    const body = { CommentRequired: true };
    const stored = `/Transitions(${json.value[0].Uid})`;
    await panel.getByLabel('Guard').fill('Workaround ne null');
    expect((await desk.send('PATCH', stored, { body })).status).toBe(204);
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    expect(await panel.getByLabel('Guard').inputValue()).toBe('Workaround ne null');
    expect(await panel.getByLabel('Comment required').isChecked()).toBe(true);
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await desk.get(stored)).json)
      .toMatchObject({ ...body, Guard: 'Workaround ne null' });
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(unexpected(problems)).toEqual([]);
    await close();
  });
});
