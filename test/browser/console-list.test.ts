// This file works with lists in the console as people do: by mouse and by keyboard, in two languages, on the service desk and on a model
// that has nothing to do with one. Names that contain HTML are shown as text.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { REQUEST } from '../journeys/records.ts';
import { openZoo } from '../journeys/zoo.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, unexpected, violations, visit } from './console-service.ts';

const PAYLOAD = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>';

let browser: Browser;
let desk: Desk;
let zoo: Desk;
let origin: string;
let zooOrigin: string;
beforeAll(async () => {
  desk = await openDesk();
  for (let number = 1; number <= 150; number += 1)
    await desk.send('POST', '/Problems', { body: { Description: `Problem ${number}` } });
  await desk.send('POST', '/Problems', { body: { Description: PAYLOAD } });
  zoo = await openZoo();
  origin = await serveConsole(desk);
  zooOrigin = await serveConsole(zoo);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
  await zoo?.close();
});

/** Row, counted from 0, and text of the cell that has the focus. */
async function focused(page: Page): Promise<readonly [string | undefined, string]> {
  const cell = 'document.activeElement';
  return await page.evaluate<[string | undefined, string]>(
    `[${cell}?.dataset?.row, ${cell}?.textContent ?? '']`,
  );
}

/** The button in a heading that sorts by it. A filter may have a button of the same name. */
const sorterOf = (page: Page, name: string) =>
  page.getByRole('columnheader').getByRole('button', { name, exact: true });

const PROBLEMS = '/s/Problems?cols=Description,Status,Priority&orderby=Uid';

describe('A list', { timeout: 300_000 }, () => {
  it('is worked with by keyboard alone', async () => {
    const { page, close } = await visit(browser, origin, { path: PROBLEMS });
    // The list that a URL opens has the focus.
    await expect.poll(async () => await focused(page)).toEqual(['0', 'Problem 1']);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toEqual(['1', 'Problem 2']);
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await focused(page)).toEqual(['1', 'Problem 2']);
    await page.keyboard.press('Control+End');
    await expect.poll(async () => (await focused(page))[1]).toBe(PAYLOAD);
    await page.keyboard.press('Control+Home');
    await expect.poll(async () => (await focused(page))[1]).toBe('Problem 1');

    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('151 selected', { exact: true }).waitFor();

    await page.keyboard.press('Space');
    await page
      .getByRole('complementary', { name: 'Preview' })
      .getByText('Problem 2')
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(async () => await focused(page)).toEqual(['1', 'Problem 2']);

    await page.keyboard.press('p');
    await page.getByRole('dialog').getByLabel('Priority').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(async () => await focused(page)).toEqual(['1', 'Problem 2']);

    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Problem 2', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/s\/Problems\/\d+$/);
    for (const [key, name] of [
      ['j', 'Problem 3'],
      ['k', 'Problem 2'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    }
    for (const _ of ['j', 'k', 'Enter']) await page.goBack();
    await page.getByRole('grid', { name: 'Problems' }).waitFor();
    expect(new URL(page.url()).searchParams.get('cols')).toBe('Description,Status,Priority');
    await close();
  });

  it('saves a value of a row that others have changed, and reports a change of the same value', async () => {
    const { json } = await desk.send('POST', '/Problems', { body: { Description: 'Shared' } });
    const problem = `/Problems(${json.Uid})`;
    const path = `/s/Problems?cols=Description,Priority&q=Shared`;
    const { page, close } = await visit(browser, origin, { path });
    await page.getByRole('grid').getByText('Shared').waitFor();
    const edit = async (label: string) => {
      await page.keyboard.press('p');
      await page.getByRole('dialog').getByLabel('Priority').selectOption({ label });
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    };
    const theirs = async (body: object) => await desk.send('PATCH', problem, { body });
    const priority = async () => (await desk.get(problem)).json.Priority?.Text;
    await theirs({ Description: 'Shared, and renamed' });
    await edit('High');
    await page.getByText('Priority saved').waitFor();
    await page.getByRole('grid').getByText('Shared, and renamed').waitFor();
    expect(await priority()).toBe('High');
    await theirs({ Priority: { Text: 'Low' } });
    await edit('Critical');
    await page.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    await page.getByRole('grid').getByText('Low').waitFor();
    expect(await priority()).toBe('Low');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('grid').getByText('Critical').waitFor();
    await expect.poll(priority).toBe('Critical');
    await desk.send('DELETE', problem);
    await close();
  });

  it('is no longer searched when its search field is emptied', async () => {
    const { page, close } = await visit(browser, origin, { path: PROBLEMS });
    await page.getByRole('grid').getByText('Problem 1', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('99');
    await page.keyboard.press('Enter');
    await page
      .getByRole('grid')
      .getByText('Problem 1', { exact: true })
      .waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    await page.getByRole('grid').getByText('Problem 1', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.has('q')).toBe(false);
    const focus = page.getByRole('searchbox').and(page.locator(':focus'));
    expect(await focus.count()).toBe(1);
    await close();
  });

  it('is sorted, searched, filtered and grouped by mouse, all of it in the URL', async () => {
    const { page, close } = await visit(browser, origin, { path: PROBLEMS });
    await sorterOf(page, 'Description').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('orderby')).toBe('Description');
    const heading = page.getByRole('columnheader', { name: /^Description/ });
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');

    await page.getByRole('searchbox').fill('Problem 77');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => await page.getByRole('gridcell', { name: /^Problem/ }).count())
      .toBe(1);
    expect(await violations(page)).toEqual([]);

    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit as text' }).click();
    const field = page.getByLabel('Filter as OData expression');
    await field.fill("Descriptio eq 'x'");
    await page.keyboard.press('Enter');
    await page.getByText(/has no property "Descriptio"/).waitFor();
    await field.fill("startswith(Description,'Problem 14')");
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => await page.getByRole('gridcell', { name: /^Problem/ }).count())
      .toBe(11);
    await page.reload();
    await page.getByRole('button', { name: /Description: starts with Problem 14/ }).waitFor();

    await page.goto(`${origin}/console/s/Problems?group=Status`);
    await page.getByRole('button', { name: /151$/ }).click();
    await page
      .getByRole('gridcell', { name: /^Problem \d+/ })
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('names what it cannot be sorted or grouped by, and goes on without it', async () => {
    const { page, close } = await visit(browser, origin, {
      path: '/s/Problems?orderby=Uid,nope+desc',
    });
    const alert = page.getByRole('alert');
    const param = (name: string) => new URL(page.url()).searchParams.get(name);
    await alert.getByText('The list cannot be sorted by “nope”.').waitFor();
    expect(await violations(page)).toEqual([]);
    await alert.getByRole('button', { name: 'Sort without it' }).click();
    await page.getByRole('gridcell', { name: 'Problem 1', exact: true }).waitFor();
    expect(param('orderby')).toBe('Uid');
    await page.goto(`${origin}/console/s/Problems?group=Nope`);
    await alert.getByText('The list cannot be grouped by “Nope”.').waitFor();
    await alert.getByRole('button', { name: 'No groups' }).click();
    await page.getByRole('grid').waitFor();
    expect(param('group')).toBe(null);
    await page.goto(`${origin}/console/s/Problems?filter=Status/Text eq 'Registered'`);
    await page.getByRole('button', { name: 'Status: Registered' }).waitFor();
    await close();
  });

  it('says that there is no such set as the heading of the page', async () => {
    const { page, close } = await visit(browser, origin, { path: '/s/Nope' });
    await page.getByRole('heading', { level: 1, name: 'There is no set “Nope”' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('changes all that match after trying it, and reports the outcome', async () => {
    const { page, close } = await visit(browser, origin, { path: PROBLEMS });
    await page.getByLabel('Select all rows').click();
    await page.getByRole('button', { name: 'Edit selection' }).click();
    await page.getByLabel('Property').selectOption('Priority');
    await page.getByRole('dialog').getByLabel('Priority').selectOption({ label: 'Low' });
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('151 records can be changed, 0 cannot.').waitFor();
    const before = await desk.get("/Problems/$count?$filter=Priority/Text eq 'Low'");
    expect(before.text).toBe('0');
    await page.getByRole('button', { name: 'Change 151 records' }).click();
    await page.getByText(/^151 changed, 0 failed/).waitFor();
    const after = await desk.get("/Problems/$count?$filter=Priority/Text eq 'Low'");
    expect(after.text).toBe('151');
    await close();
  });

  it('deletes a selection, can be cancelled, and keeps what failed selected with the reason', async () => {
    const path = `/s/Organizations?${new URLSearchParams({ filter: "startswith(Name1,'Gone')", cols: 'Name1', orderby: 'Uid' })}`;
    const keys: number[] = [];
    for (let number = 1; number <= 70; number += 1) {
      const body = { Name1: `Gone ${number}` };
      keys.push((await desk.send('POST', '/Organizations', { body })).json.Uid);
    }
    const body = { LastName: 'Stays', Organization: { '@odata.id': `Organizations(${keys[1]})` } };
    const person = (await desk.send('POST', '/Persons', { body })).json.Uid;
    const watched = await visit(browser, origin, { path });
    const { page, close } = watched;
    const dialog = page.getByRole('dialog');
    const count = async () =>
      (await desk.get("/Organizations/$count?$filter=startswith(Name1,'Gone')")).text;
    await page.getByLabel('Select all rows').click();
    await page.getByRole('button', { name: 'Delete selection' }).click();
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('69 records can be deleted, 1 cannot.').waitFor();
    expect(await violations(page, '[role=dialog]')).toEqual([]);
    expect(await count()).toBe('70');

    // The second of the requests that delete row by row is not sent after Cancel.
    const batches: (() => void)[] = [];
    await page.route('**/odata/$batch', async (route) => {
      await new Promise<void>((go) => batches.push(go));
      await route.fallback();
    });
    await dialog.getByRole('button', { name: 'Delete 69 records' }).click();
    await expect.poll(() => batches.length).toBe(1);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText(/^Cancelling/).waitFor();
    batches[0]?.();
    await dialog.getByText('49 deleted, 1 failed, 20 not tried.').waitFor();
    expect(await count()).toBe('21');
    await page.unroute('**/odata/$batch');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('21 selected', { exact: true }).waitFor();
    const failed = page.getByRole('row').filter({ hasText: /Gone 2$/ });
    expect(await failed.getAttribute('title')).toMatch(/while other records refer to it/);
    expect(await failed.getByRole('checkbox').isChecked()).toBe(true);
    expect(await page.locator('tr[data-failed]').count()).toBe(1);
    expect(await violations(page)).toEqual([]);

    let release: (() => void) | undefined;
    await page.route(/format=csv/, async (route) => {
      await new Promise<void>((go) => {
        release = go;
      });
      await route.abort();
    });
    const region = page.getByRole('region', { name: 'Selection' });
    await region.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV, visible columns' }).click();
    await region.getByRole('button', { name: /Cancel$/ }).click();
    // The button that exports and cancels keeps the focus.
    await expect
      .poll(async () => await page.evaluate('document.activeElement.textContent'))
      .toBe('Export');
    release?.();
    expect(await page.getByRole('alert').count()).toBe(0);

    // What was in the way is gone: the selection is tried again.
    await desk.send('PATCH', `/Persons(${person})`, { body: { Organization: null } });
    await page.getByRole('button', { name: 'Delete selection' }).click();
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByRole('button', { name: 'Delete 21 records' }).click();
    await dialog.getByText('21 deleted, 0 failed, 0 not tried.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Selection' }).count()).toBe(0);
    expect(await count()).toBe('0');
    expect(unexpected(watched, ['409 /odata/Organizations'])).toEqual([]);
    await close();
  });

  it('shows stored HTML as text, on wide and narrow screens, in another language', async () => {
    const path = `${PROBLEMS} desc`;
    const { page, problems, close } = await visit(browser, origin, { path, language: 'nl' });
    await page.getByRole('gridcell', { name: PAYLOAD, exact: true }).waitFor();
    await page.goto(`${origin}/console/s/Problems?orderby=Uid desc`);
    const headings = page.getByRole('columnheader');
    await expect.poll(async () => await headings.count()).toBeGreaterThan(5);
    await page.setViewportSize({ width: 700, height: 700 });
    await expect.poll(async () => await headings.count()).toBe(4);
    await page.setViewportSize({ width: 360, height: 700 });
    await page.getByRole('heading', { name: PAYLOAD, exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('onerror');
    await page.getByRole('option', { name: /img src=x/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(problems.filter((text) => /policy|request to|error:/.test(text))).toEqual([]);
    await close();
  });

  it('shows badges whole beside long texts on narrow screens', async () => {
    const name = 'Wolfeschlegelsteinhausenbergerdorff-Nachtigaller, Maximiliane Alexandra';
    const { json } = await desk.send('POST', '/Persons', {
      body: { LastName: 'Long', Name: name },
    });
    await desk.send('PATCH', `/ServiceRequests(${REQUEST})`, {
      body: { 'Caller@odata.bind': `Persons(${json.Uid})` },
    });
    const path = `/s/ServiceRequests?cols=Description,Caller,Priority&filter=Uid eq ${REQUEST}`;
    const { page, close } = await visit(browser, origin, { path });
    await page.setViewportSize({ width: 390, height: 700 });
    const badge = page.locator('li .mantine-Badge-label');
    await badge.first().waitFor();
    const hidden = await badge.evaluateAll((labels) =>
      labels.filter((label) => label.scrollWidth > label.clientWidth).map((one) => one.textContent),
    );
    expect(hidden).toEqual([]);
    const style = `getComputedStyle([...document.querySelectorAll('li bdi')].find((one) => one.textContent === '${name}'))`;
    expect(await page.evaluate(`${style}.textOverflow`)).toBe('ellipsis');
    await close();
  });

  it('works for a model of other things', async () => {
    const { page, close } = await visit(browser, zooOrigin, { path: '/' });
    const links = page.getByRole('navigation').getByRole('link');
    await links.first().waitFor();
    const sets = await links.evaluateAll((list) =>
      list.flatMap((link) => link.getAttribute('href') ?? []).filter((href) => /\/s\//.test(href)),
    );
    expect(sets.length).toBeGreaterThan(5);
    for (const href of sets) {
      await page.goto(zooOrigin + href);
      await page.locator('[role=grid] td, [role=status]').first().waitFor();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([href, await page.getByRole('alert').allTextContents()]).toEqual([href, []]);
    }
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
