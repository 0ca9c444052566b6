// This file opens the screens of the console in English and in German, and finds texts that are the same in both: those that nobody has
// translated. Names are the same in all languages: those of data, and words that the sources declare in both.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { messages as german } from '../../console/src/i18n/messages/de/index.ts';
import { messages as english } from '../../console/src/i18n/messages/en/index.ts';
import { WORDS } from '../../console/src/i18n/words.ts';
import { AUDIT_KINDS } from '../../src/auth/audit.ts';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { CALLER, RECORDS } from '../journeys/records.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, unexpected, visit } from './console-service.ts';
import { type Walker, walkerOn } from './console-walker.ts';

let browser: Browser;
let desk: Desk;
let origin: string;
let request: number;
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  const requester = suiteRoles.filter(({ name }) => name === 'requester');
  await importRecords(rolesDocument(requester), desk.service);
  await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  const body = { Description: 'Data 1', Caller: { '@odata.id': `Persons(${CALLER})` } };
  request = (await desk.send('POST', '/ServiceRequests', { body })).json.Uid;
  const change = { Status: { Value: 101003 }, Information: 'Data 2' };
  await desk.send('PATCH', `/ServiceRequests(${request})`, { body: change });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** An expression for the texts of a page: those that are shown, and those that assistive technology reads. */
const TEXTS = `(() => {
  const texts = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const isText = node.nodeType === Node.TEXT_NODE;
    const element = isText ? node.parentElement : node;
    if (element.closest('[aria-hidden=true], noscript, script, style, [lang]:not(html)')) continue;
    const found = isText ? [node.data] : ${JSON.stringify([
      ...['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext'],
      ...['title', 'placeholder', 'alt'],
    ])}.map((name) => element.getAttribute(name) ?? '');
    const place = element.closest('option, [role=option], code, .cm-content, th[scope=row], [title]') ? ' (name)' : '';
    for (const text of found) if (/\\p{L}{2}/u.test(text)) texts.push(text.trim() + place);
  }
  return texts;
})()`;

/** The same texts in both languages because the sources say so: messages, labels and descriptions of the model, and texts of codes. */
async function declaredAlike(): Promise<ReadonlySet<string>> {
  const alike = new Set<string>();
  for (const [name, text] of Object.entries(english))
    if (german[name as keyof typeof german] === text) alike.add(text);
  const { json: codes } = await desk.get('/Codes?$select=Texts&$top=2000');
  for (const { Texts } of codes.value) {
    const [en, de] = ['en', 'de'].map(
      (language) => Texts.find(({ Language }: { Language: string }) => Language === language)?.Text,
    );
    if (en === de) alike.add(en);
  }
  const { json: metadata } = await desk.get('/$metadata?$format=json&engine=true');
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const terms = value as Readonly<Record<string, unknown>>;
    for (const term of ['@Core.Description', '@Core.LongDescription'])
      if (terms[term] !== undefined && terms[term] === terms[`${term}#de`])
        alike.add(String(terms[term]));
    Object.values(terms).forEach(walk);
  };
  walk(metadata);
  return alike;
}

/** Names that are not translated: of the product and its data, of what the API calls so, and of programs. */
const NAMES = [
  /^(?:Docket( \d.*)?|UTC|Chrome, Linux|Mozilla\/.*)$/,
  /^(?:admin|caller|nobody|The (?:admin|nobody)|O'Neil, Zoë|Hillside|First line|Printer "Laser 4" is on fire|Data \d|Request \d+|Esc)$/,
];
/** Where a name may be shown: options, code and tooltips name members as the API does. */
const TECHNICAL = /^[\w./–]+(?: – .*| desc)? \(name\)$/;

const isName = (text: string) => NAMES.some((name) => name.test(text.replace(/ \(name\)$/, '')));

async function textsOf(
  { page, open, follow, settle }: Walker,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const read = async () => await page.evaluate<string[]>(TEXTS);
  const texts = new Map<string, ReadonlySet<string>>();
  for (const path of paths) {
    await open(path);
    const found = new Set(await read());
    for (const tab of await page.getByRole('tab').all()) {
      await follow(tab);
      for (const text of await read()) found.add(text);
    }
    texts.set(path, found);
  }
  await page.keyboard.press('?');
  await settle();
  texts.set('?', new Set(await read()));
  return texts;
}

it.each([
  [
    'admin',
    [
      ...['/d/default', '/s/ServiceRequests', '/s/ServiceRequests/KEY?tab=history', '/account'],
      ...['/new/ServiceRequests', '/explore?request=Persons', '/admin/rights'],
      ...['/admin/workflows', '/admin/schedules', '/admin/webhooks', '/admin/key'],
      ...[
        '/admin/model',
        '/admin/health',
        '/s/Accounts',
        '/s/AuditEntries?cols=Time,Kind',
        '/s/Settings?cols=Kind,Applies',
        '/new/Roles',
        '/new/MailRules',
      ],
      ...['/new/ConsoleViews'],
    ],
  ],
  ['caller', ['/portal', '/portal/new', '/portal/KEY', '/account']],
] as const)('%s sees no text that is not translated', { timeout: 300_000 }, async (name, paths) => {
  const watched = await visit(browser, origin, { name, language: 'en' });
  const { page } = watched;
  const walker = await walkerOn(page);
  const places = paths.map((path) => path.replace('KEY', String(request)));
  const before = await textsOf(walker, places);
  await page.evaluate("localStorage.setItem('docket.language', 'de')");
  await page.reload();
  await page.getByRole('navigation').getByRole('link').first().waitFor();
  const after = await textsOf(walker, places);
  const alike = await declaredAlike();
  const inEnglish = new Set([...before.values()].flatMap((texts) => [...texts]));
  const untranslated = [...after.keys()].flatMap((path) =>
    [...(after.get(path) ?? [])]
      .filter((text) => inEnglish.has(text))
      .filter((text) => !alike.has(text.replace(/ \(name\)$/, '')))
      .filter((text) => !isName(text) && !TECHNICAL.test(text))
      .map((text) => `${path}: ${text}`),
  );
  expect(untranslated).toEqual([]);
  expect(Math.min(...[...after.values()].map(({ size }) => size))).toBeGreaterThan(10);
  expect(unexpected(watched)).toEqual([]);
  await watched.close();
});

it('has a text for each word that properties of the engine can have', async () => {
  const words = (property: string) => Object.keys(WORDS[`Docket.System.${property}`] ?? {}).sort();
  expect(words('AuditEntry/Kind')).toEqual([...AUDIT_KINDS].sort());
  const { json: settings } = await desk.get('/Settings?$top=250');
  for (const name of ['Kind', 'Applies']) {
    const values = settings.value.map((one: Readonly<Record<string, string>>) => one[name]);
    expect(words(`Setting/${name}`)).toEqual([...new Set(values)].sort());
  }
  // Descriptions of other properties name their words: "queued", "sent" or "failed".
  const { json: metadata } = await desk.get('/$metadata?$format=json&engine=true');
  for (const property of Object.keys(WORDS)) {
    const [type = '', member = ''] = property.replace('Docket.System.', '').split('/');
    const described = metadata['Docket.System'][type]?.[member];
    expect(described, property).toBeDefined();
    const description = String(described['@Core.LongDescription'] ?? '');
    const named = [...description.matchAll(/"([^"]+)"/g)].map(([, word]) => word);
    if (named.length > 0) expect(words(`${type}/${member}`)).toEqual(named.sort());
  }
});

it('names what is missing in the language of the console, not of the browser', async () => {
  const { page, close } = await openPage(browser, origin, { locale: 'de' });
  await page.goto(`${origin}/console/`);
  const field = page.locator('[name=username]');
  await page.locator('form button[type=submit]').click();
  const message = async () =>
    await page.evaluate<string>("document.querySelector('[name=username]').validationMessage");
  await expect.poll(message).toBe(german['inputs.required']);
  await field.fill('admin');
  expect(await message()).toBe('');
  await close();
});
