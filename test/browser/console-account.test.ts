// This file goes through the page of the own account: sessions on other devices end, and the password changes.
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, unexpected, violations, visit } from './console-service.ts';

const OTHER = 'eleven brisk herons';

let browser: Browser;
let desk: Desk;
let origin: string;
beforeAll(async () => {
  desk = await openDesk();
  await desk.join({ loginName: 'ada', roles: [] });
  origin = await serveConsole(desk);
  browser = await startBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

const rows = (page: Page) =>
  page.getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem');

it('Sessions are listed with this one marked, and end one by one and together', async () => {
  const { page, problems, close } = await visit(browser, origin, { path: '/', name: 'ada' });
  await page.getByRole('button', { name: 'Account of ada' }).click();
  await page.getByRole('menuitem', { name: 'My account' }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  expect(await rows(page).getByText('This session').count()).toBe(1);
  expect(await rows(page).filter({ hasText: 'This session' }).innerText()).toContain('Chrome');
  expect(await violations(page)).toEqual([]);
  await rows(page).getByRole('button').click();
  await expect.poll(() => rows(page).count()).toBe(1);
  const phone = await visit(browser, origin, { path: '/account', name: 'ada' });
  await page.reload();
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await phone.page.reload();
  await phone.page.locator('[name=username]').waitFor();
  expect(unexpected({ problems })).toEqual([]);
  await Promise.all([close(), phone.close()]);
}, 120_000);

it('The password changes with the current one, and mistakes say what to do', async () => {
  const { page, problems, close } = await visit(browser, origin, { path: '/account', name: 'ada' });
  const change = async (current: string, next: string, again = next) => {
    await page.fill('[name=current]', current);
    await page.fill('[name=new]', next);
    await page.fill('[name=again]', again);
    await page.getByRole('button', { name: 'Change password' }).click();
  };
  const alert = page.getByRole('alert');
  await change(PASSWORD, OTHER, 'eleven brisk heron');
  await expect.poll(() => alert.innerText()).toContain('not the same');
  await change(PASSWORD, 'leavemealone');
  await expect.poll(() => alert.innerText()).toContain('common password');
  await change('a wrong password', OTHER);
  await expect.poll(() => alert.innerText()).toContain('current password is not correct');
  await change(PASSWORD, OTHER);
  await page.getByText('The password is changed').waitFor();
  expect(await page.inputValue('[name=current]')).toBe('');
  expect(
    unexpected({ problems }, ['400 /odata/ChangePassword', '403 /odata/ChangePassword']),
  ).toEqual([]);
  await close();
  const again = await visit(browser, origin, { path: '/account', name: 'ada', password: OTHER });
  await again.close();
}, 120_000);

it('A password that somebody else has set is replaced before anything else', async () => {
  await desk.send('POST', '/Accounts', {
    body: { LoginName: 'grace', Password: PASSWORD, MustChangePassword: true },
  });
  const { page, problems, close } = await visit(browser, origin, { name: 'grace' });
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.fill('[name=current]', PASSWORD);
  await page.fill('[name=new]', OTHER);
  await page.fill('[name=again]', OTHER);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  expect(unexpected({ problems })).toEqual([]);
  await close();
}, 120_000);

describe('An administrator', () => {
  const dialog = (page: Page) => page.getByRole('dialog', { name: /^Set the password of/ });
  const save = async (page: Page) =>
    await dialog(page).getByRole('button', { name: 'Set password' }).click();
  const signInStep = async (name: string, password: string) => {
    const { page, close } = await visit(browser, origin, { name, password });
    const heading = page.getByRole('heading', { name: 'Choose a new password' });
    await heading.or(page.getByRole('navigation')).first().waitFor();
    const mustChange = (await heading.count()) > 0;
    await close();
    return mustChange;
  };

  it('gives a new account a password, which is shown once', async () => {
    const { page, problems, close } = await visit(browser, origin, { path: '/new/Accounts' });
    await page.getByLabel('Login name').fill('lise');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog(page).waitFor();
    expect(await dialog(page).getByLabel('Keep the password').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await save(page);
    const password = await dialog(page).locator('pre').innerText();
    expect(password).toMatch(/^[a-z2-9]{20}$/);
    await page.keyboard.press('Escape');
    expect(await dialog(page).locator('pre').innerText()).toBe(password);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await page.waitForURL(/\/s\/Accounts\/\d+$/);
    expect(await signInStep('lise', password)).toBe(true);
    expect(unexpected({ problems })).toEqual([]);
    await close();
  }, 120_000);

  it('sets the password of another account, with the rules for passwords', async () => {
    const { json } = await desk.send('POST', '/Accounts', { body: { LoginName: 'rosa' } });
    const path = `/s/Accounts/${json.Uid}`;
    const { page, problems, close } = await visit(browser, origin, { path });
    const open = async () => await page.getByRole('button', { name: 'Set password' }).click();
    await open();
    await dialog(page).getByLabel('Type a password').check();
    await dialog(page).getByLabel('New password').fill('leavemealone');
    await save(page);
    await dialog(page)
      .getByText(/^The password is not acceptable: it is a common password/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel('New password').fill(OTHER);
    await dialog(page).getByLabel('Must be changed').uncheck();
    await save(page);
    await page.getByText('The password of rosa is set.').waitFor();
    expect(await signInStep('rosa', OTHER)).toBe(false);
    await open();
    await dialog(page).getByLabel('Keep the password').check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('rosa must choose another password').waitFor();
    expect(await signInStep('rosa', OTHER)).toBe(true);
    expect(unexpected({ problems }, ['400 /odata/Accounts'])).toEqual([]);
    await close();
  }, 120_000);

  it('changes the own password on the page about the own account only', async () => {
    const { json } = await desk.get("/Accounts?$filter=LoginName eq 'admin'");
    const path = `/s/Accounts/${json.value[0].Uid}`;
    const { page, close } = await visit(browser, origin, { path });
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    expect(await page.getByRole('button', { name: 'Set password' }).count()).toBe(0);
    await close();
  }, 120_000);
});

it('A second factor is added with an app, asked for at the next sign-in, and removed', async () => {
  await desk.join({ loginName: 'emmy', roles: [] });
  const first = await visit(browser, origin, { path: '/account', name: 'emmy' });
  const factor = first.page.getByRole('region', { name: 'Second factor' });
  await factor.getByLabel('Current password').fill(PASSWORD);
  await factor.getByRole('button', { name: 'Add' }).click();
  await factor.getByRole('img', { name: 'QR code' }).waitFor();
  expect(await violations(first.page)).toEqual([]);
  const key = (await factor.getByText('Key: ').innerText()).replace('Key: ', '');
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  await factor.getByRole('textbox', { name: 'Code' }).fill(app.generate());
  await factor.getByRole('button', { name: 'Confirm' }).click();
  await factor.getByText('Keep these recovery codes').waitFor();
  const codes = (await factor.locator('pre').innerText()).split('\n');
  expect(codes).toHaveLength(10);
  await factor.getByRole('button', { name: 'Close' }).click();
  await factor.getByText('takes your password and a code').waitFor();
  expect(unexpected(first)).toEqual([]);
  await first.close();

  const { page, problems, close } = await openPage(browser, origin, { locale: 'en' });
  await page.goto(`${origin}/console/account`);
  await page.fill('[name=username]', 'emmy');
  await page.fill('[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('[name=code]:focus').fill('000 000');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByText('This code is not valid').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.fill('[name=code]', codes[0] ?? '');
  await page.keyboard.press('Enter');
  const again = page.getByRole('region', { name: 'Second factor' });
  await again.getByRole('textbox', { name: 'Code' }).fill(codes[1] ?? '');
  await again.getByRole('button', { name: 'Remove' }).click();
  await again.getByRole('button', { name: 'Add' }).waitFor();
  expect(unexpected({ problems }, ['401 /console/session'])).toEqual([]);
  await close();
}, 120_000);

it('A second factor that a role begins to require is added before anything else', async () => {
  await desk.join({ loginName: 'nina', roles: ['keeper'] });
  const { page, problems, close } = await visit(browser, origin, {
    path: '/account',
    name: 'nina',
  });
  await page.getByRole('navigation').waitFor();
  const { json } = await desk.get("/Roles?$filter=Name eq 'keeper'");
  const body = { SecondFactorRequired: true };
  await desk.send('PATCH', `/Roles(${json.value[0].Uid})`, { body });
  await page.fill('[name=current]', PASSWORD);
  await page.fill('[name=new]', OTHER);
  await page.fill('[name=again]', OTHER);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Add' }).click();
  const key = (await page.getByText('Key: ').innerText()).replace('Key: ', '');
  expect(await violations(page)).toEqual([]);
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  await page.getByRole('textbox', { name: 'Code' }).fill(app.generate());
  await page.keyboard.press('Enter');
  await page.getByText('Keep these recovery codes').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('navigation').waitFor();
  const factor = page.getByRole('region', { name: 'Second factor' });
  await factor.getByRole('button', { name: 'Remove' }).waitFor();
  expect(unexpected({ problems }, ['403 /odata/ChangePassword'])).toEqual([]);
  await close();
}, 120_000);
