// This file works with saved views of lists: two colleagues save, share and change them, and open views with parts that they may not see.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { startBrowser, type WatchedPage } from './chromium.ts';
import { serveConsole, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk();
  for (const number of [1, 2, 3])
    await desk.send('POST', '/Problems', {
      body: { Description: `Problem ${number}`, Workaround: `Way ${number}` },
    });
  const people: number[] = [];
  for (const LastName of ['Ada', 'Bob']) {
    const { json } = await desk.send('POST', '/Persons', { body: { LastName } });
    people.push(json.Uid);
  }
  const Members = people.map((uid) => ({ '@id': `Persons(${uid})` }));
  await desk.send('POST', '/Workgroups', { body: { Name: 'Front', Members } });
  await desk.send('POST', '/Workgroups', { body: { Name: 'Back' } });
  const EntityAccess = ['Problem', 'Workgroup', 'Person'].map((Entity) => ({
    Entity,
    ...{ Read: true, Change: true, Create: true },
  }));
  const AttributeAccess = [
    { Entity: 'Problem', Attribute: 'Workaround', Read: false, Modify: false },
  ];
  await desk.send('POST', '/Roles', { body: { Name: 'agent', EntityAccess } });
  await desk.send('POST', '/Roles', { body: { Name: 'junior', EntityAccess, AttributeAccess } });
  await desk.join({ loginName: 'ada', roles: ['agent'], person: people[0] ?? 0 });
  await desk.join({ loginName: 'bob', roles: ['junior'], person: people[1] ?? 0 });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const unexpected = ({ problems }: WatchedPage) =>
  problems.filter((text) => !/the server responded with a status of 4\d\d/.test(text));

/** The button in a heading that sorts by it. A filter may have a button of the same name. */
const sorterOf = (page: Page, name: string) =>
  page.getByRole('columnheader').getByRole('button', { name, exact: true });

const rowNames = async (page: Page) =>
  await page.getByRole('gridcell', { name: /^Problem \d/ }).allTextContents();
const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const menu = (page: Page, name: RegExp) => page.getByRole('button', { name });
async function choose(page: Page, button: RegExp, item: string): Promise<void> {
  await menu(page, button).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function filterAs(page: Page, filter: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit as text' }).click();
  await page.getByLabel('Filter as OData expression').fill(filter);
  await page.keyboard.press('Enter');
}

describe('Views of a list', { timeout: 300_000 }, () => {
  it('are saved, opened unasked, changed and shared by one colleague, and used by another', async () => {
    const ada = await visit(browser, origin, { path: '/s/Problems', name: 'ada' });
    const { page } = ada;
    await menu(page, /^All: Problems/).waitFor();
    await filterAs(page, "Description ne 'Problem 2'");
    await expect.poll(async () => await rowNames(page)).toHaveLength(2);
    await choose(page, /^All: Problems/, 'Save as…');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Odd ones');
    await expect
      .poll(async () => await dialog.getByLabel('Visible to').locator('option').allTextContents())
      .toEqual(['Only me', 'Team Front']);
    await dialog.getByLabel(/^Open/).check();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await menu(page, /^Odd ones/).waitFor();
    const { view = '' } = search(page);
    expect(search(page)).toEqual({ view });

    // The list opens with it, and the difference from it is marked and in the URL.
    await page.goto(`${origin}/console/s/Problems`);
    await menu(page, /^Odd ones/).waitFor();
    expect(search(page)).toEqual({ view });
    await expect.poll(async () => await rowNames(page)).toHaveLength(2);
    await sorterOf(page, 'Description').click();
    await menu(page, /^Odd ones ?modified/).waitFor();
    expect(search(page)).toEqual({ view, orderby: 'Description' });
    await choose(page, /^Odd ones/, 'Discard changes');
    await expect.poll(() => search(page)).toEqual({ view });
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect.poll(() => search(page)).toEqual({ view, filter: '' });
    await expect.poll(async () => await rowNames(page)).toContain('Problem 2');
    await page.goBack();
    await expect.poll(async () => await rowNames(page)).not.toContain('Problem 2');

    await sorterOf(page, 'Description').click();
    await choose(page, /^Odd ones/, 'Save');
    await expect.poll(() => search(page)).toEqual({ view });
    const stored = (await desk.get(`/ConsoleViews(${view})`)).json;
    expect(stored).toMatchObject({ EntitySet: 'Problems', Owner: 'ada', IsDefault: true });
    const asList = await desk.get(`/Problems?${stored.Query}`);
    expect(asList.json.value.map((row: { Description: string }) => row.Description)).toEqual(
      await rowNames(page),
    );

    // A link to it shows nothing of it to others.
    const bob = await visit(browser, origin, { path: `/s/Problems?view=${view}`, name: 'bob' });
    await bob.page.getByText('This view does not exist, or it is not shared with you.').waitFor();
    await choose(page, /^Odd ones/, 'Name and sharing…');
    await dialog.getByLabel('Name').fill('Team odd');
    await dialog.getByLabel('Visible to').selectOption('Team Front');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await menu(page, /^Team odd/).waitFor();
    await bob.page.goto(`${origin}/console/s/Problems`);
    await menu(bob.page, /^Team odd/).click();
    await bob.page.getByText('Shared views').waitFor();
    expect(await bob.page.getByRole('menuitem').allTextContents()).toEqual([
      'All: Problems',
      'Team odddefault',
      'Save as…',
    ]);
    expect(await violations(bob.page, '[role=menu]')).toEqual([]);
    await bob.page.getByRole('menuitem', { name: 'All: Problems' }).click();
    await expect.poll(() => search(bob.page)).toEqual({ view: 'none' });
    await expect.poll(async () => await rowNames(bob.page)).toContain('Problem 2');

    await choose(page, /^Team odd/, 'Delete view…');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await menu(page, /^All: Problems/).waitFor();
    expect((await desk.get(`/ConsoleViews(${view})`)).status).toBe(404);
    expect([...unexpected(ada), ...unexpected(bob)]).toEqual([]);
    await ada.close();
    await bob.close();
  });

  it('are read again where others have changed them, so that saving and deleting can be repeated', async () => {
    const { json } = await desk.send('POST', '/ConsoleViews', {
      body: { EntitySet: 'Problems', Name: 'Moving', Scope: 'everybody', Query: '' },
    });
    const theirs = async (body: object) =>
      expect((await desk.send('PATCH', `/ConsoleViews(${json.Uid})`, { body })).status).toBe(204);
    const changed = /^Somebody else has changed this in the meantime/;
    const watched = await visit(browser, origin, { path: `/s/Problems?view=${json.Uid}` });
    const { page } = watched;
    const dialog = page.getByRole('dialog');
    const confirm = async (name: string) => await dialog.getByRole('button', { name }).click();
    await menu(page, /^Moving/).waitFor();
    await theirs({ Name: 'Moved' });
    await sorterOf(page, 'Description').click();
    await choose(page, /^Moving/, 'Save');
    await page.getByText(changed).waitFor();
    await choose(page, /^Moved ?modified/, 'Save');
    await page.getByText('Moved', { exact: false }).last().waitFor();
    await expect
      .poll(async () => (await desk.get(`/ConsoleViews(${json.Uid})`)).json.Query)
      .toContain('$orderby=Description');
    await choose(page, /^Moved/, 'Name and sharing…');
    await theirs({ Name: 'Theirs' });
    await dialog.getByLabel('Name').fill('Mine');
    await confirm('Save');
    await dialog.getByText(changed).waitFor();
    await confirm('Save');
    await menu(page, /^Mine/).waitFor();
    await theirs({ Name: 'Theirs' });
    await choose(page, /^Mine/, 'Delete view…');
    await confirm('Delete');
    await dialog.getByText(changed).waitFor();
    await confirm('Delete');
    await menu(page, /^All: Problems/).waitFor();
    expect((await desk.get(`/ConsoleViews(${json.Uid})`)).status).toBe(404);
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });

  it('open without what an account may not see, and say so', async () => {
    const Query = `$filter=${encodeURIComponent("contains(Workaround,'Way') and Description ne 'Problem 1'")}&$orderby=Workaround,Description desc`;
    const Layout = JSON.stringify({ columns: ['Description:300', 'Workaround', 'Gone'] });
    const body = { EntitySet: 'Problems', Name: 'Ways', Query, Layout, Scope: 'everybody' };
    const { json } = await desk.send('POST', '/ConsoleViews', { body });
    const path = `/s/Problems?view=${json.Uid}`;
    const watched = await visit(browser, origin, { path, name: 'bob', language: 'de' });
    const { page, close } = watched;
    const notice = page.getByText(/^Diese Teile der Ansicht/);
    await notice.waitFor();
    expect(await notice.textContent()).toContain("contains(Workaround,'Way'), Workaround");
    await page.getByText(/: Workaround, Gone\./).waitFor();
    await expect.poll(async () => await rowNames(page)).toEqual(['Problem 3', 'Problem 2']);
    expect(await page.getByRole('columnheader').allTextContents()).toHaveLength(2);
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 700 });
      expect(await violations(page)).toEqual([]);
    }
    expect(unexpected(watched)).toEqual([]);
    await close();
    // An account that may see everything gets the whole view.
    const ada = await visit(browser, origin, { path, name: 'ada' });
    await ada.page.getByText(/: Gone\./).waitFor();
    await expect.poll(async () => await rowNames(ada.page)).toEqual(['Problem 2', 'Problem 3']);
    await ada.close();
  });

  it('open unasked for the accounts of a role for which an administrator has chosen one', async () => {
    const admin = await visit(browser, origin, { path: '/s/Problems?orderby=Description desc' });
    await choose(admin.page, /^All: Problems/, 'Save as…');
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('For juniors');
    await dialog.getByLabel('Visible to').selectOption({ label: 'Role junior' });
    await dialog.getByLabel(/^Open/).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await menu(admin.page, /^For juniors/).waitFor();
    const { view = '' } = search(admin.page);
    const [bob, ada] = [
      await visit(browser, origin, { path: '/s/Problems', name: 'bob' }),
      await visit(browser, origin, { path: '/s/Problems', name: 'ada' }),
    ];
    await menu(bob.page, /^For juniors/).waitFor();
    expect(search(bob.page)).toEqual({ view });
    await expect
      .poll(async () => await rowNames(bob.page))
      .toEqual(['Problem 3', 'Problem 2', 'Problem 1']);
    // Only administrators change what a role has.
    await menu(bob.page, /^For juniors/).click();
    expect(await bob.page.getByRole('menuitem', { name: 'Name and sharing…' }).count()).toBe(0);
    await menu(ada.page, /^All: Problems/).waitFor();
    expect(search(ada.page)).toEqual({});
    // The view of the workgroup counts more than that of the role.
    const body = { EntitySet: 'Problems', Name: 'For the front', Query: '$orderby=Description' };
    const { json: groups } = await desk.get("/Workgroups?$filter=Name eq 'Front'");
    const Workgroup = { '@id': `Workgroups(${groups.value[0].Uid})` };
    const team = { ...body, Scope: 'workgroup', Workgroup, IsDefault: true };
    const { json } = await desk.send('POST', '/ConsoleViews', { body: team });
    await bob.page.goto(`${origin}/console/s/Problems`);
    await menu(bob.page, /^For the front/).waitFor();
    for (const uid of [view, json.Uid]) await desk.send('DELETE', `/ConsoleViews(${uid})`);
    expect([...unexpected(admin), ...unexpected(bob), ...unexpected(ada)]).toEqual([]);
    for (const { close } of [admin, bob, ada]) await close();
  });

  it('keep a filter that is too long for a URL, whose requests are sent in bodies', async () => {
    const watched = await visit(browser, origin, { path: '/s/Problems', name: 'ada' });
    const { page, close } = watched;
    const sent: string[] = [];
    page.on('request', (one) => sent.push(`${one.method()} ${new URL(one.url()).pathname}`));
    const many = Array.from({ length: 120 }, (_, index) => `'Nothing of the sort ${index}'`);
    await filterAs(page, `Description in ('Problem 3',${many.join(',')})`);
    await expect.poll(async () => await rowNames(page)).toEqual(['Problem 3']);
    expect(page.url().length).toBeLessThan(200);
    await page.reload();
    await expect.poll(async () => await rowNames(page)).toEqual(['Problem 3']);
    await menu(page, /^Unnamed view/).waitFor();
    expect(sent).toContain('POST /odata/Problems/$query');
    expect(sent).toContain('POST /odata/Problems/$count/$query');
    // The same filter again is the same view, and one that nobody needed for long is gone.
    const unnamed = "/ConsoleViews?$filter=Name eq null and Owner eq 'ada'&$select=Uid";
    const stored = (await desk.get(unnamed)).json.value;
    expect(stored).toHaveLength(1);
    const { view } = search(page);
    await sorterOf(page, 'Description').click();
    await expect.poll(() => search(page).orderby).toBe('Description');
    await sorterOf(page, 'Description').click();
    await expect.poll(() => search(page).orderby).toBe('Description desc');
    await page.goto(`${origin}/console/s/Problems`);
    await filterAs(page, `Description in ('Problem 3',${many.join(',')})`);
    await expect.poll(() => search(page).view).toBe(view);
    expect((await desk.get(unnamed)).json.value).toEqual(stored);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });
});
