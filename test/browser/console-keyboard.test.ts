// This file does an agent's work with the keyboard alone, in two languages. The focus is where the next key is expected, and each state of
// the screen is accessible.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { MEMBER, RECORDS } from '../journeys/records.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, tabTo, unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  const roles = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(roles), desk.service);
  await desk.join({ loginName: 'agent', roles: ['agent'], person: MEMBER });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const REPORT_POINTERS = `for (const name of ['pointerdown', 'mousedown', 'touchstart'])
  addEventListener(name, () => console.error('event of a pointer: ' + name), true);`;

const TEXTS = {
  en: {
    set: 'Service requests',
    status: 'Status',
    registered: 'Registered',
    notBlank: 'Expected text that is not blank.',
    saved: 'Saved.',
    inProgress: 'In progress',
    person: 'Assigned person',
    taken: 'The status is now In progress.',
    note: 'Internal note',
    history: 'History',
  },
  fr: {
    set: 'Demandes de service',
    status: 'Statut',
    registered: 'Enregistrée',
    notBlank: /^Attendu : /,
    saved: 'Enregistré.',
    inProgress: 'En cours',
    person: 'Personne affectée',
    taken: 'Le statut est maintenant En cours.',
    note: 'Note interne',
    history: 'Historique',
  },
} as const;

/** What screen readers add to the name of the input that has the focus. */
const describedBy = async (page: Page): Promise<string> =>
  await page.evaluate(
    `(document.activeElement.getAttribute('aria-describedby') ?? '').split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '').join(' ')`,
  );

const isFocused = async (target: Locator) =>
  (await target.and(target.page().locator(':focus')).count()) === 1;

/** Waits until an element has the focus, without moving it. */
async function getsFocus(target: Locator): Promise<void> {
  await expect
    .poll(async () => await isFocused(target), { message: `focus on ${String(target)}` })
    .toBe(true);
}

/** Replaces the text of the field that has the focus. */
async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+a');
  if (text === '') await page.keyboard.press('Delete');
  else await page.keyboard.type(text);
}

async function signInByKeys(page: Page): Promise<void> {
  await page.goto(`${origin}/console/account`);
  await tabTo(page.locator('[name=username]'));
  await page.keyboard.type('agent');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('[name=password]').waitFor({ state: 'detached' });
}

describe('With the keyboard alone', { timeout: 200_000 }, () => {
  it.each(['en', 'fr'] as const)('an agent works on a request (%s)', async (language) => {
    const texts = TEXTS[language];
    const name = `Printer ${language}`;
    const made = await desk.send('POST', '/ServiceRequests', { body: { Description: name } });
    const key: number = made.json.Uid;
    const watched = await openPage(browser, origin, { locale: language });
    const { page } = watched;
    await page.addInitScript({ content: REPORT_POINTERS });
    await signInByKeys(page);

    // The list is found in the palette, and the arrow keys move in it at once.
    await page.getByRole('navigation').getByRole('link').first().waitFor();
    await page.keyboard.press('Control+k');
    await getsFocus(page.getByRole('dialog').getByRole('combobox'));
    await page.keyboard.type(texts.set);
    await page.getByRole('option', { name: texts.set, exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await getsFocus(page.locator('[data-row="0"]'));

    // A letter leads to the filters, another to the search; each layer gives the focus back.
    await page.keyboard.press('f');
    const status = page.locator('main fieldset').getByRole('button').first();
    await getsFocus(status);
    await page.keyboard.press('Enter');
    const popover = page.getByRole('dialog', { name: texts.status });
    await getsFocus(popover.getByRole('textbox'));
    await page.keyboard.type(texts.registered);
    await tabTo(popover.getByRole('checkbox', { name: texts.registered, exact: true }));
    await page.keyboard.press('Space');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await getsFocus(status);
    expect(await status.textContent()).toContain(texts.registered);
    await page.keyboard.press('/');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    const cell = page.getByRole('gridcell', { name, exact: true });
    await expect.poll(async () => await page.locator('td[data-column="1"]').count()).toBe(1);
    await tabTo(page.locator('[data-row="0"][data-column="1"]'));
    await page.keyboard.press('ArrowRight');
    await getsFocus(cell);
    await page.keyboard.press('Enter');

    // A mistake is at its field, which has the focus.
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page.keyboard.press('e');
    const description = page.locator('[id$="_-Description"]');
    await getsFocus(description);
    await retype(page, ' ');
    await page.keyboard.press('Control+Enter');
    await page.getByText(texts.notBlank).first().waitFor();
    await getsFocus(description);
    expect(await describedBy(page)).toMatch(texts.notBlank);
    expect(await violations(page)).toEqual([]);
    await retype(page, `${name} on fire`);
    await page.keyboard.press('Control+Enter');
    await page.getByText(texts.saved).waitFor();
    await getsFocus(description);
    const path = `/ServiceRequests(${key})`;
    expect((await desk.get(path)).json.Description).toBe(`${name} on fire`);

    // The button of a transition disappears with it. The focus is on the next one.
    await tabTo(page.getByRole('button', { name: texts.inProgress, exact: true }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await getsFocus(dialog.getByRole('combobox', { name: texts.person }));
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await dialog.locator('[role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText(texts.taken).waitFor();
    await expect.poll(async () => await dialog.count()).toBe(0);
    await getsFocus(page.locator('main header').getByRole('button').first());

    await page.keyboard.press('m');
    await getsFocus(page.getByRole('textbox', { name: texts.note }));
    await page.keyboard.type('Extinguished');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('list', { name: texts.history }).getByText('Extinguished').waitFor();
    await getsFocus(page.getByRole('textbox', { name: texts.note }));

    // The list that people return to has its state, and the focus.
    await page.goBack();
    await page.getByRole('searchbox').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(name);
    await expect.poll(async () => await isFocused(page.locator('main'))).toBe(true);
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });
});

describe('After Ctrl-K', { timeout: 200_000 }, () => {
  it('each key belongs to the palette, before it is loaded, too', async () => {
    const watched = await visit(browser, origin, { name: 'agent', path: '/s/ServiceRequests' });
    const { page, close } = watched;
    await getsFocus(page.locator('[data-row="0"]'));
    let load = () => {};
    const asked = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/\/assets\/palette-[^/]*\.js/, async (route) => {
      await asked;
      await route.continue();
    });
    const { pathname } = new URL(page.url());
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cxa');
    const field = page.getByRole('dialog').getByRole('textbox');
    expect(await field.inputValue()).toBe('cxa');
    expect(await violations(page)).toEqual([]);
    load();
    const palette = page.getByRole('dialog').getByRole('combobox');
    await getsFocus(palette);
    await page.keyboard.type('9');
    expect(await palette.inputValue()).toBe('cxa9');
    expect(new URL(page.url()).pathname).toBe(pathname);
    expect(await page.locator('[data-row][aria-selected=true]').count()).toBe(0);

    // Once it is loaded, there is no moment without a field. What was typed is not kept.
    await page.keyboard.press('Escape');
    await getsFocus(page.locator('[data-row="0"]'));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cxa9');
    expect(await palette.inputValue()).toBe('cxa9');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('the palette finds records of all sets in one request', async () => {
    const { page, close } = await visit(browser, origin, { name: 'agent' });
    await page.getByRole('navigation').getByRole('link').first().waitFor();
    await page.keyboard.press('Control+k');
    const batches: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/$batch')) batches.push(request.postData() ?? '');
    });
    await page.keyboard.type('Zoë');
    await page.getByRole('option', { name: /Neil/ }).click();
    await page.waitForURL('**/s/Persons/*');
    expect(batches.filter((body) => body.includes('search='))).toHaveLength(1);
    await close();
  });

  it('Escape closes the palette before it is loaded', async () => {
    const { page, close } = await visit(browser, origin, {
      name: 'agent',
      path: '/s/ServiceRequests',
    });
    await getsFocus(page.locator('[data-row="0"]'));
    await page.route(/\/assets\/palette-[^/]*\.js/, () => undefined);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cx');
    await page.keyboard.press('Escape');
    await getsFocus(page.locator('[data-row="0"]'));
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });
});
