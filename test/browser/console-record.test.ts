// This file works on records as people do: changing, undoing, conflicts with others, transitions, notes and files, drafts, and HTML of
// mails.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk, PASSWORD } from '../journeys/desk.ts';
import { suiteRoles } from '../service-desk.ts';
import { openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { drafts, serveConsole, signInAt, violations, visit } from './console-service.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
let agent: Pick<Desk, 'send'>;
beforeAll(async () => {
  desk = await openDesk();
  const roles = suiteRoles.filter(({ name }) => name === 'agent' || name === 'auditor');
  await importRecords(rolesDocument(roles), desk.service);
  agent = await desk.join({ loginName: 'agent', roles: ['agent'] });
  await desk.join({ loginName: 'auditor', roles: ['auditor'] });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** Creates a service request and returns its key. */
async function request(body: object = {}): Promise<number> {
  const created = await desk.send('POST', '/ServiceRequests', {
    body: { Description: 'Printer', ...body },
  });
  expect(created.status, created.text).toBe(201);
  return created.json.Uid;
}

async function noteWithFile(key: number, note: object): Promise<void> {
  const path = `/ServiceRequests(${key})/HistoryLines`;
  const { json } = await desk.send('POST', path, { body: note });
  const added = await desk.send('POST', `${path}(${json.Uid})/Attachments`, {
    headers: {
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename=note.txt',
    },
    body: 'content',
  });
  expect(added.status, added.text).toBe(201);
}

const read = async (key: number, path = '') =>
  (await desk.get(`/ServiceRequests(${key})${path}`)).json;

async function open(key: number, { language = 'en', name = 'admin' } = {}): Promise<WatchedPage> {
  const path = `/s/ServiceRequests/${key}`;
  const watched = await visit(browser, origin, { path, language, name });
  await watched.page.locator('main h1').waitFor();
  return watched;
}

async function isFocused(input: Locator): Promise<boolean> {
  const focused = await input.page().evaluate<string>('document.activeElement.id');
  return focused !== '' && focused === (await input.getAttribute('id'));
}

const save = async (page: Page) => await page.keyboard.press('Control+Enter');

/** What went wrong apart from answers with a status that the test causes. */
const unexpected = ({ problems }: WatchedPage) =>
  problems.filter((text) => !/the server responded with a status of 4\d\d/.test(text));

describe('A record', { timeout: 300_000 }, () => {
  it('says why a local time cannot be saved that clocks never show', async () => {
    const options = { locale: 'en', timezoneId: 'Europe/Amsterdam' };
    const { page, close } = await openPage(browser, origin, options);
    await signInAt(page, `${origin}/console/s/ServiceRequests/${await request()}`);
    const time = page.locator('input[type=datetime-local]:not([readonly])').first();
    await time.fill('2026-03-29T02:30');
    await save(page);
    await page.getByText(/^This time does not exist in Europe\/Amsterdam/).waitFor();
    // Saving checks the form, whose message must not replace the reason.
    await page.waitForTimeout(500);
    expect(await page.getByText(/^This time does not exist/).count()).toBeGreaterThan(0);
    await close();
  });

  it('shows long texts to the end where they cannot be changed', async () => {
    const text = `${'long '.repeat(100)}end`;
    const watched = await open(await request({ Information: text }), { name: 'auditor' });
    await watched.page.getByText(text, { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });

  it('names to an agent who has written a line, if the person may be read', async () => {
    const key = await request();
    const note = { Visibility: { Value: 203002 }, Kind: { Value: 202003 } };
    const path = `/ServiceRequests(${key})/HistoryLines`;
    await desk.send('POST', path, { body: { Information: 'From a person', ...note } });
    const robot = await desk.join({ loginName: 'robot', roles: ['agent'] });
    await robot.send('POST', path, { body: { Information: 'From a program', ...note } });
    const watched = await open(key, { name: 'agent' });
    const entry = (text: string) => watched.page.getByRole('listitem').filter({ hasText: text });
    await entry('From a person').getByText('The admin', { exact: true }).waitFor();
    await entry('From a program').getByText('Unknown author', { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });

  it('is changed, checked, saved by the keyboard, and the change undone', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    const description = page.getByLabel('Description', { exact: false }).first();
    await description.fill(' ');
    await save(page);
    await page.getByText('Expected text that is not blank.').waitFor();
    expect(await isFocused(description)).toBe(true);
    expect((await read(key)).Description).toBe('Printer');
    await description.fill('Printer on fire');
    await page.getByLabel('Solution').fill('Water');
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await read(key)).toMatchObject({ Description: 'Printer on fire', Solution: 'Water' });
    await page.getByRole('heading', { level: 1, name: 'Printer on fire' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change was undone.').waitFor();
    expect(await read(key)).toMatchObject({ Description: 'Printer', Solution: null });
    expect(await description.inputValue()).toBe('Printer');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('merges changes of others to other fields, and names who made them', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    await page.getByLabel('Solution').fill('Mine');
    await desk.send('PATCH', `/ServiceRequests(${key})`, { body: { Workaround: 'Theirs' } });
    await save(page);
    await page.getByText('Changed by The admin in the meantime: Workaround.').waitFor();
    await expect
      .poll(async () => await read(key))
      .toMatchObject({
        Solution: 'Mine',
        Workaround: 'Theirs',
      });
    expect(await page.getByLabel('Workaround').inputValue()).toBe('Theirs');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('asks which value counts where two people have changed the same field', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    await page.getByLabel('Solution').fill('Mine');
    await page.getByLabel('Workaround').fill('Mine, too');
    const theirs = { Solution: 'Theirs', Workaround: 'Theirs, too' };
    await desk.send('PATCH', `/ServiceRequests(${key})`, { body: theirs });
    await save(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Mine, too').first().waitFor();
    expect(await read(key)).toMatchObject(theirs);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('radiogroup', { name: 'Workaround' }).getByRole('radio').nth(1).check();
    await dialog.getByRole('button', { name: 'Save the result' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await read(key)).toMatchObject({ Solution: 'Mine', Workaround: 'Theirs, too' });
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('asks as well if it was read again, or closed, between the changes of the two', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    const dialog = page.getByRole('dialog');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const theirs = async (Solution: string) =>
      await desk.send('PATCH', `/ServiceRequests(${key})`, { body: { Solution } });
    await page.getByLabel('Solution').fill('Mine');
    await theirs('Theirs');
    await page.getByRole('textbox', { name: 'Internal note' }).fill('A note');
    await button('Add note').click();
    await page.getByRole('listitem').getByText('A note', { exact: true }).waitFor();
    await button('Save').click();
    await dialog.getByText('By The admin').waitFor();
    await dialog.getByRole('button', { name: 'Back to the form' }).click();
    await expect.poll(async () => await drafts(page)).toMatchObject([{ Solution: 'Mine' }]);
    await theirs('Theirs again');
    page.on('dialog', async (question) => await question.accept());
    await page.reload();
    await page.getByText(/^Restored from/).waitFor();
    await button('Save').click();
    await dialog.getByText('Theirs again').waitFor();
    expect(await read(key)).toMatchObject({ Solution: 'Theirs again' });
    await dialog.getByRole('button', { name: 'Save the result' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await read(key)).toMatchObject({ Solution: 'Mine' });
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('shows all mistakes of one answer at their fields', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    const targets = [
      ...['Description', 'Information', 'Solution', 'Workaround', 'SourceID', 'Priority/Value'],
      ...['Urgency/Text', 'Classification/Value', 'Deadline', 'ActualStart', 'ActualFinish'],
      ...['PlanStart', 'PlanFinish', 'LateFinish', 'PlanDuration', 'ActualDuration'],
      ...['Assignment/AssigneePerson@odata.bind', 'Caller@odata.bind', 'FeedbackRating', 'Impact'],
    ];
    const details = targets.map((target) => ({ code: 'x', target, message: `Wrong: ${target}` }));
    await page.route(/\/odata\/ServiceRequests\(/, async (route) => {
      if (route.request().method() !== 'PATCH') await route.fallback();
      else
        await route.fulfill({
          status: 400,
          json: { error: { code: 'write.body', message: 'The body is not valid.', details } },
        });
    });
    await page.getByLabel('Solution').fill('x');
    await save(page);
    await page.getByRole('alert').getByText('20 mistakes').waitFor();
    // Each is beside its input, which names it as its description.
    const described = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-invalid="true"]')].map((input) =>
        (input.getAttribute('aria-describedby') ?? '').split(' ')
          .map((id) => document.getElementById(id)?.textContent ?? '').join(' '))`,
    );
    expect(described.filter((text) => text.includes('Wrong: '))).toHaveLength(20);
    await page.getByRole('alert').getByRole('button', { name: 'Rating' }).click();
    expect(await isFocused(page.getByLabel('Rating'))).toBe(true);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('takes a transition, and asks only for what is missing', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    await page.getByRole('button', { name: 'In progress' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'In progress' }).click();
    await dialog.getByText('Enter a value.').waitFor();
    const person = dialog.getByRole('combobox', { name: /Assigned person/ });
    const { value } = (await desk.get('/Persons?$top=1&$select=Uid,Name&$orderby=Name')).json;
    await person.fill(String(value[0].Name).slice(0, 4));
    await page.getByRole('option', { name: value[0].Name }).first().click();
    await dialog.getByLabel('Comment').fill('On my way');
    await dialog.getByRole('button', { name: 'In progress' }).click();
    await page.getByText('The status is now In progress.').waitFor();
    const after = await read(key, '?$expand=Assignment/AssigneePerson,HistoryLines');
    expect(after.Status.Text).toBe('In progress');
    expect(after.Assignment.AssigneePerson.Name).toBe(value[0].Name);
    expect(JSON.stringify(after.HistoryLines)).toContain('On my way');
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('is read again where others have changed it, so that a transition and deleting can be repeated', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    const confirm = async (name: string) =>
      await dialog.getByRole('button', { name, exact: true }).click();
    const theirs = async (body: object) =>
      await desk.send('PATCH', `/ServiceRequests(${key})`, { body });
    await page.getByLabel('Workaround').fill('Mine');
    await button('Cancelled').click();
    await dialog.getByLabel('Closure code').selectOption({ index: 1 });
    await theirs({ Solution: 'Theirs' });
    await confirm('Cancelled');
    await dialog.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    await expect.poll(async () => await page.getByLabel('Solution').inputValue()).toBe('Theirs');
    await confirm('Cancelled');
    await page.getByText('The status is now Cancelled.').waitFor();
    expect(await read(key)).toMatchObject({ Status: { Text: 'Cancelled' }, Solution: 'Theirs' });
    expect(await page.getByLabel('Workaround').inputValue()).toBe('Mine');
    await theirs({ Solution: 'Theirs again' });
    await button('Delete').click();
    await confirm('Delete');
    await dialog.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    await confirm('Delete');
    await page.getByRole('grid').waitFor();
    expect((await desk.get(`/ServiceRequests(${key})`)).status).toBe(404);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it.each(['abc', '0'])('says that there is none with the key %s', async (key) => {
    const { page, close } = await visit(browser, origin, { path: `/s/ServiceRequests/${key}` });
    const none = /^There is no such record in “Service requests”/;
    await page.getByRole('heading', { level: 1, name: none }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  it('offers no actions that the service performs when they are due', async () => {
    const key = await request();
    const watched = await open(key, { name: 'agent' });
    const { page, close } = watched;
    await page.getByRole('button', { name: 'Actions' }).click();
    const items = page.getByRole('menuitem');
    await items.first().waitFor();
    const names = await items.allInnerTexts();
    for (const name of ['Recalculate', 'Apply rules', 'Auto close', 'Continue work'])
      expect(names.filter((one) => one.startsWith(name))).toEqual([]);
    await close();
  });

  it('gets notes and files; a name that exists already is kept beside the new one', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    await page.locator('label', { hasText: 'Public note' }).first().click();
    await page.getByRole('textbox', { name: 'Public note' }).fill('Hello\n> quoted');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('list', { name: 'History' }).getByText('Hello').waitFor();
    const { value } = await read(key, '/HistoryLines?$filter=Information ne null');
    expect(value).toHaveLength(1);
    expect(value[0].Visibility.Text).toBe('Visible to the caller');
    await page.getByRole('tab', { name: 'Attachments' }).click();
    const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('content') };
    await page.setInputFiles('input[type=file]', file);
    await page.getByRole('button', { name: 'Download note.txt' }).waitFor();
    await page.getByRole('status').filter({ hasText: '1 file uploaded' }).waitFor();
    await page.setInputFiles('input[type=file]', file);
    await page.getByRole('button', { name: 'Keep both' }).click();
    await expect.poll(async () => (await read(key, '/Attachments')).value.length).toBe(2);
    const others = ['one', 'two', 'three', 'four'].map((name) => ({ ...file, name }));
    await page.setInputFiles('input[type=file]', others);
    await page.getByRole('status').filter({ hasText: '4 files uploaded' }).waitFor();
    await page.getByRole('button', { name: 'Preview note.txt' }).first().click();
    await page.getByRole('dialog').getByText('content').waitFor();
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('offers to change own notes as long as the service permits it', async () => {
    const key = await request();
    const note = async ({ send }: Pick<Desk, 'send'>, Information: string) =>
      await send('POST', `/ServiceRequests(${key})/HistoryLines`, { body: { Information } });
    await note(agent, 'A first note');
    await note(agent, 'A second note');
    await note(desk, 'By another');
    const watched = await open(key, { name: 'agent' });
    const { page, close } = watched;
    const history = page.getByRole('list', { name: 'History' });
    const edit = history.getByRole('button', { name: 'Edit' });
    await expect.poll(async () => await edit.count()).toBe(2);
    const second = history.getByRole('listitem').filter({ hasText: 'A second note' });
    await second.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Edit note' }).fill('A better note');
    await history.getByRole('button', { name: 'Save' }).click();
    await history.getByText('A better note', { exact: true }).waitFor();
    const { value } = await read(key, '/HistoryLines?$filter=Information ne null&$orderby=Uid');
    expect(value.map(({ Information }: { Information: string }) => Information)).toEqual([
      'A first note',
      'A better note',
      'By another',
    ]);
    const first = history.getByRole('listitem').filter({ hasText: 'A first note' });
    await first.getByRole('button', { name: 'Edit' }).click();
    const line = `/HistoryLines(${value[0].Uid})`;
    // Nothing is read again while the form has changes.
    await page.getByLabel('Workaround').fill('Mine');
    await agent.send('PATCH', `/ServiceRequests(${key})${line}`, {
      body: { Information: 'Theirs' },
    });
    await page.getByRole('textbox', { name: 'Edit note' }).fill('Mine');
    await history.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Somebody else has changed this in the meantime/).waitFor();
    await history.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('textbox', { name: 'Edit note' }).waitFor({ state: 'detached' });
    expect((await read(key, line)).Information).toBe('Mine');
    await page.getByRole('button', { name: 'Discard' }).click();
    const limitChanges = async (Value: string | null) =>
      await desk.send('PATCH', "/Settings('noteMinutes')", { body: { Value } });
    expect((await limitChanges('0')).status).toBe(204);
    await page.reload();
    await history.getByText('A better note', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Internal note' }).waitFor();
    await expect.poll(async () => await edit.count()).toBe(0);
    expect((await limitChanges(null)).status).toBe(204);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('that others refer to is not deleted, and the reason is named', async () => {
    const person = await desk.send('POST', '/Persons', { body: { LastName: 'Referenced' } });
    await request({ Caller: { '@odata.id': `Persons(${person.json.Uid})` } });
    const refused = await desk.send('DELETE', `/Persons(${person.json.Uid})`);
    expect(refused.status, refused.text).toBe(409);
    const path = `/s/Persons/${person.json.Uid}`;
    const watched = await visit(browser, origin, { path });
    const { page, close } = watched;
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText(refused.json.error.message).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { level: 1, name: /Referenced/ }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await close();
  });

  it('keeps what was typed when the tab is killed, until it is discarded', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    await page.getByLabel('Solution').fill('Half a sente');
    await page.getByText('1 change').waitFor();
    await expect.poll(() => drafts(page)).toMatchObject([{ Solution: 'Half a sente' }]);
    const again = await page.context().newPage();
    await page.close({ runBeforeUnload: false });
    await again.goto(`${origin}/console/s/ServiceRequests/${key}`);
    await again.getByText('Restored from').waitFor();
    expect(await again.getByLabel('Solution').inputValue()).toBe('Half a sente');
    await again.getByRole('button', { name: 'Discard' }).first().click();
    expect(await again.getByLabel('Solution').inputValue()).toBe('');
    await close();
  });

  it('stays as it is when the session ends in the middle of a form', async () => {
    const key = await request();
    const watched = await open(key);
    const { page, close } = watched;
    // The page has not seen the name being typed.
    await page.reload();
    await page.getByLabel('Solution').fill('Not lost');
    await page.context().clearCookies();
    let isOver = true;
    await page.route('**/odata/**', async (route) => {
      if (!isOver) await route.fallback();
      else await route.fulfill({ status: 401, json: { error: { code: 'x', message: 'x' } } });
    });
    await save(page);
    await page.getByText('Your session has ended.').waitFor();
    isOver = false;
    expect(await page.inputValue('[name=username]')).toBe('admin');
    await page.fill('[name=password]', PASSWORD);
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByText('Saved.').waitFor();
    expect((await read(key)).Solution).toBe('Not lost');
    await close();
  });

  it('can be left only after a question while there are changes', async () => {
    const key = await request();
    const { page, close } = await open(key);
    await page.getByLabel('Solution').fill('x');
    await page.getByRole('link', { name: 'Problems', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    expect(page.url()).toContain(`/s/ServiceRequests/${key}`);
    await page.getByRole('link', { name: 'Problems', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL('**/s/Problems');
    await close();
  });

  it.each(['light', 'dark'] as const)(
    'is accessible on small and large screens (%s)',
    async (colorScheme) => {
      const Visibility = { Text: 'Visible to the caller' };
      const key = await request();
      for (const note of [{ Information: 'For us' }, { Information: 'For the caller', Visibility }])
        await noteWithFile(key, note);
      const watched = await open(key, { language: 'nl' });
      const { page, close } = watched;
      await page.emulateMedia({ colorScheme });
      // The service is asked which notes may be changed, and answers after the page is there.
      const history = page.getByRole('list', { name: 'Historie' });
      for (const name of ['Bewerken', 'note.txt downloaden', 'Voorbeeld van note.txt'])
        await expect
          .poll(async () => await history.getByRole('button', { name }).count(), { message: name })
          .toBe(2);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await page.getByRole('tab', { name: 'Gegevens' }).waitFor();
        expect(await violations(page)).toEqual([]);
        const overflow =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      }
      await page.getByRole('tab', { name: 'Bijlagen' }).click();
      expect(await violations(page)).toEqual([]);
      expect(unexpected(watched)).toEqual([]);
      await close();
    },
  );

  it('shows the HTML of mails in a frame that runs and loads nothing', async () => {
    const BodyHtml = [
      '<p onclick="parent.canary=1">Hello <b>there</b></p><script>parent.canary=1</script>',
      '<img src="http://192.0.2.1/pixel.png" onerror="parent.canary=1">',
      '<svg><a xlink:href="javascript:parent.canary=1"><text>x</text></a></svg>',
      '<form action="http://192.0.2.1/"><input name=a autofocus onfocus="parent.canary=1"></form>',
      '<a href="javascript:parent.canary=1">bad</a><a href="https://example.com/">good</a>',
      '<math><mtext><table><mglyph><style><img src onerror="parent.canary=1"></style></table></mtext></math>',
      '<div style="position:fixed;inset:0;background:url(http://192.0.2.1/)">over</div>',
    ].join('');
    const mail = await desk.send('POST', '/EmailServiceRequests', {
      body: { Subject: 'A mail', BodyHtml },
    });
    expect(mail.status, mail.text).toBe(201);
    const watched = await visit(browser, origin, {
      path: `/s/EmailServiceRequests/${mail.json.Uid}`,
    });
    const { page, close } = watched;
    page.setDefaultTimeout(20000);
    const frame = page.locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox');
    const html = (await frame.getAttribute('srcdoc')) ?? '';
    expect(html).toContain('<b>there</b>');
    expect(html).toContain('rel="noopener noreferrer nofollow"');
    expect(html).not.toMatch(
      /script|onerror|onclick|192\.0\.2|javascript|<form|<svg|<style|style=/,
    );
    expect(await page.evaluate('window.canary')).toBeUndefined();
    expect(
      unexpected(watched).filter((text) => !/policy|Content Security Policy/.test(text)),
    ).toEqual([]);
    await close();
  });
});
