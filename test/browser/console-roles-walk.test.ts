// This file walks through the console with an account of each role of a new installation. Nothing that the console shows may lead to a denied
// request, and nothing may be shown that the API withholds. `npm run test:all` opens all sets and presses the buttons of each.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { CALLER, MEMBER, RECORDS, REQUEST } from '../journeys/records.ts';
import { sampleSize } from '../sample-size.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, visit } from './console-service.ts';
import { fieldsOn, shownOn, storeNothing, type Walker, walkerOn } from './console-walker.ts';

const isAll = sampleSize(0, 1) === 1;

/** Content that some roles must not see; administrators see all of it. */
const SECRETS = {
  birthdate: '1911',
  workaround: 'Turn it off and on',
  internalNote: 'Only for colleagues',
  othersRequest: 'Nothing else is known',
} as const;
type Secret = keyof typeof SECRETS;

const HIDDEN: Readonly<Record<string, readonly Secret[]>> = {
  administrator: [],
  agent: ['birthdate'],
  approver: ['birthdate', 'othersRequest'],
  requester: ['birthdate', 'workaround', 'internalNote', 'othersRequest'],
  integration: ['birthdate'],
  auditor: [],
};

/** Where a usual run presses all buttons. */
const PRESSED: ReadonlySet<string> = new Set([
  'agent /s/Persons',
  'agent /s/ServiceRequests/1001',
  'approver /s/ServiceRequests/1001',
  'auditor /s/ServiceRequests/1001',
]);

let browser: Browser;
let desk: Desk;
let origin: string;
let before: readonly string[];
const clients = new Map<string, Pick<Desk, 'get' | 'send'>>();
beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  const others = suiteRoles.filter(({ name }) => name !== 'administrator');
  await importRecords(rolesDocument(others), desk.service);
  const persons: Readonly<Record<string, number>> = { requester: CALLER, approver: MEMBER };
  for (const { name } of suiteRoles) {
    const account = { loginName: `the-${name}`, roles: [name] };
    const person = persons[name];
    clients.set(name, await desk.join({ ...account, ...(person === undefined ? {} : { person }) }));
  }
  const path = `/ServiceRequests(${REQUEST})`;
  const Person = { '@odata.id': `Persons(${MEMBER})` };
  for (const [method, target, body] of [
    ['PATCH', `/Persons(${CALLER})`, { Birthdate: `${SECRETS.birthdate}-04-03T12:00:00Z` }],
    ['PATCH', path, { Workaround: SECRETS.workaround }],
    ['POST', `${path}/HistoryLines`, { Information: SECRETS.internalNote }],
    ['POST', `${path}/ApproverVotes`, { Person }],
  ] as const)
    expect((await desk.send(method, target, { body })).text, target).not.toContain('"error"');
  before = await stored();
  origin = await serveConsole(desk);
  storeNothing(desk);
  browser = await startBrowser();
}, 200_000);
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** The records that the pages could have changed. */
const stored = async () =>
  await Promise.all(
    ['ServiceRequests', 'Persons'].map(async (set) => (await desk.get(`/${set}?$expand=*`)).text),
  );

interface Visited extends Walker {
  readonly role: string;
  /** What the pages have shown. */
  readonly shown: string[];
}

const look = async ({ page, shown }: Visited) => void shown.push(await shownOn(page));

/** Compares the fields that can be filled in with what the role and the service permit. */
async function checkFields({ page, role }: Visited, type: string, path?: string): Promise<void> {
  const fields = await fieldsOn(page);
  const withheld = suiteRoles
    .find(({ name }) => name === role)
    ?.attributes?.filter(({ entity, modify }) => entity === type && !modify)
    .map(({ attribute }) => attribute);
  const names = fields.map((field) => field.split('/')[0] ?? field);
  expect(
    withheld?.filter((name) => names.includes(name)),
    `${page.url()} of ${role}`,
  ).toEqual([]);
  if (path === undefined || fields.length === 0) return;
  const stored = (await desk.get(path)).json;
  const given = names.filter(
    (name) => stored[name] !== undefined && stored[name]?.Elapsed === undefined,
  );
  const body = Object.fromEntries(given.map((name) => [name, stored[name]]));
  const headers = { Prefer: 'dry-run' };
  const answer = await clients.get(role)?.send('PATCH', path, { body, headers });
  expect([path, answer?.status === 403 ? answer.text : 'permitted']).toEqual([path, 'permitted']);
}

/** The list of a set, its first record with all tabs, and a new record. */
async function walkSet(visited: Visited): Promise<void> {
  const { page, role, follow, open, pressAll } = visited;
  const place = () => new URL(page.url()).pathname.replace('/console', '');
  const isPressed = () => isAll || PRESSED.has(`${role} ${place()}`);
  const list = place();
  const set = list.replace('/s/', '');
  const type = suiteModel().sets.get(set)?.type ?? '';
  await page.locator('main :is(td[data-row] a, [class*=_empty_])').first().waitFor();
  await look(visited);
  if (isPressed()) await pressAll();
  const row = page.locator('main td a').first();
  if ((await row.count()) > 0) {
    await follow(row);
    await page.getByRole('tab').first().waitFor();
    await look(visited);
    await checkFields(visited, type, `/${set}(${place().split('/').at(-1)})`);
    if (isPressed()) {
      await pressAll();
      for (const tab of await page.getByRole('tab').all()) {
        await follow(tab);
        await look(visited);
        await pressAll('main [role=tabpanel]');
      }
    }
  }
  await open(list);
  const create = page.locator('main a[href*="/new/"]').first();
  if ((await create.count()) === 0) return;
  await follow(create);
  await checkFields(visited, type);
}

async function walkPortal(visited: Visited): Promise<void> {
  const { page, follow, open, pressAll } = visited;
  await look(visited);
  await follow(page.locator('main li a').first());
  await look(visited);
  await pressAll();
  await open('/portal/new');
  await look(visited);
  await follow(page.locator('main a[href*="/new/"]').last());
  await checkFields(visited, 'ServiceRequest');
  await pressAll();
  await open('/portal');
}

async function walkAdministration(visited: Visited): Promise<void> {
  const { page, follow, open, pressAll } = visited;
  const links = page.locator('main nav a');
  const paths = await links.evaluateAll((all) =>
    all.map((link) => link.getAttribute('href') ?? ''),
  );
  for (const path of isAll ? paths : paths.filter((one) => one.includes('/admin/'))) {
    await open(path.replace('/console', ''));
    if (isAll) await pressAll();
  }
  await open('/admin');
  await follow(links.first());
}

/** Searches in the palette, which asks several sets together. */
async function searchEverywhere({ page, settle, ...visited }: Visited): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  const searched = page.waitForResponse(/\$batch/);
  await page.keyboard.type('Nothing');
  await searched;
  await settle();
  await look({ page, settle, ...visited });
  await page.keyboard.press('Escape');
}

/** Sets that a usual run opens with each role. Together, the roles open all of them. */
const EVERY = sampleSize(12, 1);

async function walk(visited: Visited, offset: number): Promise<void> {
  const { page, follow, pressAll } = visited;
  const links = page.getByRole('navigation').first().getByRole('link');
  for (const [index, link] of (await links.all()).entries()) {
    const path = (await link.getAttribute('href')) ?? '';
    const isSet = path.includes('/s/');
    const isChosen = /\/(?:ServiceRequests|Persons)$/.test(path) || (index - offset) % EVERY === 0;
    if (isSet && !isChosen) continue;
    await follow(link);
    if (isSet) await walkSet(visited);
    else if (path.endsWith('/portal')) await walkPortal(visited);
    else if (path.endsWith('/admin')) await walkAdministration(visited);
    else {
      const overview = page.locator('main a[href*="/d/default"]');
      if ((await overview.count()) > 0) await follow(overview);
      await pressAll();
      await look(visited);
    }
  }
}

/** Those whose screens differ most: all sets, own records and a few, and nothing that can be changed. */
const USUAL: ReadonlySet<string> = new Set(['agent', 'requester', 'auditor']);
/** The roles with their numbers, the usual ones first. */
const ROLES = suiteRoles
  .map(({ name }, index) => [name, index] as const)
  .sort(([one], [other]) => Number(USUAL.has(other)) - Number(USUAL.has(one)));

describe('the console of each role', { timeout: 400_000 }, () => {
  it.each(ROLES.slice(0, sampleSize(USUAL.size, ROLES.length)))(
    'leads %s to nothing that is denied, and shows nothing that is withheld',
    async (role, index) => {
      const watched = await visit(browser, origin, { name: `the-${role}` });
      const { page, problems, close } = watched;
      page.setDefaultTimeout(10_000);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const visited = { ...walkerOn(page), role, shown: [] };
      await page.getByRole('navigation').getByRole('link').first().waitFor();
      await visited.settle();
      await searchEverywhere(visited);
      await walk(visited, index);
      const shown = visited.shown.join('\n');
      const names = Object.keys(SECRETS) as Secret[];
      const seen = names.filter((name) => shown.includes(SECRETS[name]));
      expect(visited.denied).toEqual([]);
      expect(seen.filter((name) => HIDDEN[role]?.includes(name))).toEqual([]);
      if (role === 'administrator') expect(seen).toEqual(names);
      if (role === 'agent')
        expect([...visited.pressed]).toEqual(
          expect.arrayContaining(['Excel, all columns', 'Actions']),
        );
      expect(problems.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
      await close();
    },
  );

  it('leaves all records as they were', async () => {
    expect(await stored()).toEqual(before);
  });
});
