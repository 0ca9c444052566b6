// This file opens records of a model that has nothing to do with a service desk, changes values of unusual types in their forms, and reads
// what is stored. Another model has nothing that names its records but keys, which people give.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openForeignDesk } from '../journeys/desk.ts';
import { joinGuide, openZoo } from '../journeys/zoo.ts';
import { startBrowser } from './chromium.ts';
import { drafts, serveConsole, unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let zoo: Desk;
let origin: string;
beforeAll(async () => {
  zoo = await openZoo();
  origin = await serveConsole(zoo);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await zoo?.close();
});

/** Opens the record of a list whose row contains a text, and waits for its form. */
async function openRow(page: Page, set: string, text: string): Promise<void> {
  await page.goto(`${origin}/console/s/${set}`);
  await page.getByRole('row').filter({ hasText: text }).getByRole('link').first().click();
  await page.getByRole('tab').first().waitFor();
}

async function focused(target: Locator): Promise<void> {
  const focus = target.and(target.page().locator(':focus'));
  await expect.poll(async () => await focus.count()).toBe(1);
}

/** Saves the form, which must be accessible with its changes, and the toast of another save must have gone. */
async function save(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  const saved = page.getByRole('status').filter({ hasText: 'Saved.' });
  await saved.getByRole('button', { name: 'Close' }).click();
  await saved.waitFor({ state: 'detached' });
}

describe('Records of another model', { timeout: 200_000 }, () => {
  it('have forms for values of all types, and keep what the forms do not show', async () => {
    const watched = await visit(browser, origin, { path: '/s/Animals' });
    const { page } = watched;
    await openRow(page, 'Animals', 'Polly');
    await page.getByLabel('Weight').fill('1.375');
    await page.getByRole('checkbox', { name: 'Runs' }).uncheck();
    await page.getByRole('group', { name: 'Habits' }).getByLabel('Times A day').first().fill('4');
    // A new item takes the focus with its first field.
    await page.getByRole('button', { name: 'Add to Habits' }).click();
    const habit = page.getByRole('group', { name: 'Habits, item 3' });
    await focused(habit.getByLabel('Name'));
    await page.getByRole('button', { name: 'Remove item 3 of Habits' }).click();
    await page.getByRole('button', { name: 'Add to Words' }).click();
    await focused(page.getByLabel('Words, item 3'));
    await page.keyboard.type('nuts');
    await page.getByLabel('Floor').fill('-1');
    await save(page);
    const [polly] = (await zoo.get("/Animals?$filter=Name eq 'Polly'")).json.value;
    expect(polly).toMatchObject({
      Weight: 1.375,
      Skills: 'Flies',
      Habits: [
        { Name: 'Sings', TimesADay: 4, Loud: true },
        { Name: 'Sleeps', TimesADay: 1 },
      ],
      Words: ['hello', 'cracker', 'nuts'],
      Care: { Room: { Name: 'Cage', Floor: -1 } },
    });

    await openRow(page, 'Enclosures', 'Aviary');
    await page.getByLabel('Name').fill('Large aviary');
    await save(page);
    expect((await zoo.get("/Enclosures(Wing='A',Number=1)")).json).toMatchObject({
      Name: 'Large aviary',
      Place: { type: 'Point', coordinates: [4.9, 52.37] },
    });
    // A record whose key has several parts can be linked.
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(
      "/console/s/Enclosures/Wing='A',Number=1",
    );
    await page.goto(page.url());
    await page.getByRole('heading', { level: 1, name: 'Large aviary' }).waitFor();

    await openRow(page, 'Samples', '255');
    const words = page.getByLabel('Words');
    const height = async () => (await words.boundingBox())?.height ?? 0;
    const few = await height();
    await words.fill('Line\n'.repeat(9));
    // A field of a long text grows with it, up to a limit.
    expect(await height()).toBeGreaterThan(2 * few);
    await words.fill('Line\n'.repeat(99));
    expect(await height()).toBeLessThan(8 * few);
    await page.getByLabel('Big').fill('9223372036854775806');
    await page.getByLabel('Exact').fill('12345678901234.5679');
    await page.getByLabel('Span').fill('2h 30m');
    await page.getByLabel('Diet', { exact: true }).selectOption('Everything');
    await page.getByRole('button', { name: 'Remove item 1 of Numbers' }).click();
    await save(page);
    const headers = { Accept: 'application/json;IEEE754Compatible=true' };
    const [sample] = (await zoo.get('/Samples?$filter=Small eq 255', headers)).json.value;
    expect(sample).toMatchObject({
      Big: '9223372036854775806',
      Exact: '12345678901234.5679',
      Span: 'PT2H30M',
      Diet: 'Everything',
      Numbers: [1, 2],
      Bytes: 'AAEC',
      Clock: '12:34:56.789',
    });
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });

  it('of an open type show dynamic properties, which are changed, added and removed', async () => {
    const watched = await visit(browser, origin, { path: '/s/Oddities' });
    const { page } = watched;
    await openRow(page, 'Oddities', 'Thing');
    const group = page.getByRole('group', { name: 'Further properties' });
    await group.getByLabel('Size').fill('3.5');
    await group.getByLabel('Colour').fill('');
    const name = page.getByLabel('New property');
    await name.fill('Name');
    await page.getByText('This property is there already.').waitFor();
    await name.press('Enter');
    expect(await name.inputValue()).toBe('Name');
    await name.fill('2nd');
    await page.getByText(/^Expected a name of letters/).waitFor();
    await name.fill('Rare');
    await page.getByLabel('Kind').selectOption('Yes or no');
    await page.getByRole('button', { name: 'Add property' }).click();
    await group.getByLabel('Rare').selectOption('Yes');
    await name.fill('Note');
    await page.getByLabel('Kind').selectOption('Text');
    await name.press('Enter');
    await expect
      .poll(
        async () =>
          await group
            .getByLabel('Note')
            .evaluate((one) => one.id === one.ownerDocument.activeElement?.id),
      )
      .toBe(true);
    await page.keyboard.type('Kept');
    await expect.poll(() => drafts(page)).toMatchObject([{ Note: 'Kept', Size: '3.5' }]);
    await page.reload();
    await expect.poll(async () => await group.getByLabel('Note').inputValue()).toBe('Kept');
    expect(await group.getByLabel('Size').inputValue()).toBe('3.5');
    expect(await group.getByLabel('Rare').inputValue()).toBe('true');
    await group.getByLabel('Note').focus();
    await save(page);
    const stored = (await zoo.get('/Oddities(30)')).json;
    expect(stored).toMatchObject({ Name: 'Thing', Size: 3.5, Rare: true, Note: 'Kept' });
    expect(stored.Colour).toBeUndefined();
    await expect.poll(async () => await group.getByLabel('Colour').count()).toBe(0);

    await page.goto(`${origin}/console/new/Oddities`);
    await page.getByLabel('Name', { exact: true }).first().fill('Second');
    await name.fill('Legs');
    await page.getByLabel('Kind').selectOption('Number');
    await page.getByRole('button', { name: 'Add property' }).click();
    await page.getByLabel('Legs').fill('6');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/s/Oddities/*');
    const [second] = (await zoo.get("/Oddities?$filter=Name eq 'Second'")).json.value;
    expect(second).toMatchObject({ Legs: 6 });
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });
});

const picture = { name: 'dawn.png', mimeType: 'image/png', buffer: Buffer.from('dawn') };
const other = { name: 'dusk.gif', mimeType: 'image/gif', buffer: Buffer.from('dusk') };

describe('Contents and streams', { timeout: 200_000 }, () => {
  it('are created, shown, downloaded, replaced and removed', async () => {
    const watched = await visit(browser, origin, { path: '/new/Pictures' });
    const { page } = watched;
    const id = '01234567-89ab-cdef-0123-000000000007';
    const content = page.getByRole('group', { name: 'Content' });
    await page.getByLabel(/^Id/).fill(id);
    await page.getByLabel('Title').fill('Dawn');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await content.getByRole('alert').getByText('Choose a file first.').waitFor();
    const choose = content.getByLabel('Choose a file: Content');
    await focused(choose);
    expect(await violations(page)).toEqual([]);
    await choose.setInputFiles(picture);
    await content.getByText('dawn.png').waitFor();
    await create.click();
    await page.waitForURL(`**/s/Pictures/${id}`);
    await content.getByText('image/png, 1 kB').waitFor();
    const stored = async () => (await zoo.get(`/Pictures(${id})/$value`)).text;
    expect([(await zoo.get(`/Pictures(${id})`)).json.Title, await stored()]).toEqual([
      'Dawn',
      'dawn',
    ]);
    const downloaded = page.waitForEvent('download');
    await content.getByRole('button', { name: 'Download Content.png' }).click();
    expect((await downloaded).suggestedFilename()).toBe('Content.png');
    expect(await violations(page)).toEqual([]);

    // What is typed stays while the content is replaced, and can be saved afterwards.
    await page.getByLabel('Title').fill('Dusk');
    await content.getByLabel('Replace: Content').setInputFiles(other);
    await content.getByText('image/gif, 1 kB').waitFor();
    expect(await stored()).toBe('dusk');
    await save(page);
    expect((await zoo.get(`/Pictures(${id})`)).json.Title).toBe('Dusk');

    // What somebody else has stored in the meantime is replaced only after it was shown.
    const headers = { 'content-type': 'text/plain' };
    await zoo.send('PUT', `/Pictures(${id})/$value`, { headers, body: 'theirs' });
    await content.getByLabel('Replace: Content').setInputFiles(picture);
    await content.getByRole('alert').waitFor();
    await content.getByText('text/plain, 1 kB').waitFor();
    expect(await stored()).toBe('theirs');
    await content.getByRole('button', { name: 'Try again' }).click();
    await content.getByText('image/png, 1 kB').waitFor();
    expect(await stored()).toBe('dawn');

    await openRow(page, 'Keepers', 'Ann');
    const portrait = page.getByRole('group', { name: 'Portrait' });
    await portrait.getByLabel('Choose a file: Portrait').setInputFiles(picture);
    await portrait.getByText('image/png, 1 kB').waitFor();
    const [ann] = (await zoo.get("/Keepers?$filter=Name eq 'Ann'")).json.value;
    expect((await zoo.get(`/Keepers(${ann.Id})/Portrait`)).text).toBe('dawn');
    await portrait.getByRole('button', { name: 'Remove Portrait' }).click();
    await portrait.getByRole('button', { name: 'Really remove Portrait' }).click();
    await portrait.getByLabel('Choose a file: Portrait').waitFor({ state: 'attached' });
    expect((await zoo.get(`/Keepers(${ann.Id})/Portrait`)).status).toBe(204);
    await page.getByLabel('Country').fill('BE');
    await save(page);
    expect(unexpected(watched, [`412 /odata/Pictures(${id})`])).toEqual([]);
    await watched.close();
  });

  it('are shown without what the account may not do', async () => {
    const id = '01234567-89ab-cdef-0123-000000000008';
    const headers = { 'content-type': 'text/plain' };
    await zoo.send('PUT', `/Pictures(${id})/$value`, { headers, body: 'seen' });
    const hidden = { Entity: 'Keeper', Attribute: 'Email' };
    await joinGuide(zoo, [{ Entity: 'Picture' }, { Entity: 'Keeper' }], hidden);
    const watched = await visit(browser, origin, { path: `/s/Pictures/${id}`, name: 'guide' });
    const { page } = watched;
    await page.getByRole('button', { name: 'Download Content.txt' }).waitFor();
    await openRow(page, 'Keepers', 'Ann');
    await page.getByRole('group', { name: 'Portrait' }).getByText('–').waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });
});

const GENERATED = { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } };

const { definition: yards } = readCsdl({
  $Version: '4.01',
  $EntityContainer: 'Yard.Desk',
  Yard: {
    Site: {
      ...{ $Kind: 'EntityType', $Key: ['Country', 'No'] },
      ...{ Country: { $MaxLength: 20 }, No: { $Type: 'Edm.Int32' } },
    },
    Visit: {
      ...{ $Kind: 'EntityType', $Key: ['Id'], Id: GENERATED },
      At: { $Kind: 'NavigationProperty', $Type: 'Yard.Site' },
      Steps: {
        ...{ $Kind: 'NavigationProperty', $Type: 'Yard.Step' },
        ...{ $Collection: true, $ContainsTarget: true },
      },
    },
    Photo: {
      ...{ $Kind: 'EntityType', $HasStream: true, $Key: ['Id'], Id: GENERATED },
      ...{ Stars: { $Type: 'Edm.Byte', $Nullable: true, '@Validation.Maximum': 5 } },
    },
    Step: { $Kind: 'EntityType', $Key: ['Id'], Id: GENERATED, Text: { $MaxLength: 20 } },
    Desk: {
      $Kind: 'EntityContainer',
      Sites: { $Collection: true, $Type: 'Yard.Site' },
      Photos: { $Collection: true, $Type: 'Yard.Photo' },
      Visits: {
        ...{ $Collection: true, $Type: 'Yard.Visit' },
        $NavigationPropertyBinding: { At: 'Sites' },
      },
    },
  },
});

describe('Records that only their keys name', { timeout: 200_000 }, () => {
  let desk: Desk;
  let at: string;
  beforeAll(async () => {
    const Sites = Array.from({ length: 40 }, (_, index) => ({ Country: 'NL', No: index + 1 }));
    desk = await openForeignDesk(yards, { Sites: [...Sites, { Country: '', No: 99 }] });
    at = await serveConsole(desk);
  });
  afterAll(async () => await desk?.close());

  it('are created with the parts of their keys that the service does not generate', async () => {
    const watched = await visit(browser, at, { path: '/new/Sites' });
    const { page } = watched;
    await page.getByLabel('Country').fill('DE');
    await page.getByLabel('No').fill('5');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/s/Sites/*');
    expect((await desk.get("/Sites(Country='DE',No=5)")).status).toBe(200);

    await page.goto(`${at}/console/new/Visits`);
    const site = page.getByRole('combobox', { name: 'At' });
    await site.fill('37');
    await page.getByRole('option').filter({ hasText: "Country='NL',No=37" }).click();
    expect(await page.getByLabel('Id').count()).toBe(0);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.getByRole('button', { name: 'Add Step' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Text').fill('Open the gate');
    expect(await dialog.getByRole('textbox').count()).toBe(1);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: 'Open the gate' }).waitFor();
    expect((await desk.get('/Visits?$expand=At,Steps')).json.value).toMatchObject([
      { At: { Country: 'NL', No: 37 }, Steps: [{ Text: 'Open the gate' }] },
    ]);
    expect(unexpected(watched)).toEqual([]);
    await watched.close();
  });

  it('are created with their content, whose values can be corrected without sending it again', async () => {
    const watched = await visit(browser, at, { path: '/new/Photos' });
    const { page } = watched;
    await page.getByLabel('Choose a file: Content').setInputFiles(picture);
    await page.getByLabel('Stars').fill('7');
    const create = page.getByRole('button', { name: 'Create', exact: true });
    await create.click();
    await page.locator('main').getByText(/5/).first().waitFor();
    await page.getByLabel('Choose a file: Content').waitFor({ state: 'detached' });
    await page.getByLabel('Stars').fill('4');
    await create.click();
    await page.waitForURL('**/s/Photos/*');
    const { value } = (await desk.get('/Photos')).json;
    expect(value).toMatchObject([{ Stars: 4, '@odata.mediaContentType': 'image/png' }]);
    expect((await desk.get(`/Photos(${value[0].Id})/$value`)).text).toBe('dawn');
    expect(unexpected(watched, ['400 /odata/Photos'])).toEqual([]);
    await watched.close();
  });

  it('are told apart in lists, and can be opened where the key is empty', async () => {
    const { page, close } = await visit(browser, at, { path: '/s/Sites' });
    const heads = page.getByRole('columnheader').getByText(/^(?:Country|No)$/);
    await expect.poll(async () => await heads.allInnerTexts()).toEqual(['Country', 'No']);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('link', { name: 'Untitled' }).click();
    await page.waitForURL('**/s/Sites/*');
    expect(decodeURIComponent(new URL(page.url()).pathname)).toContain("Country='',No=99");
    await close();
  });
});
