// This file stores content that would run as script if a screen treated it as HTML, as a URL or as a template, and opens the screens that show
// it. The policy of the page would block most of it; then it reports a violation, which fails the test as well.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { catalogRecords, entityKeys } from '../../src/seed/catalog.ts';
import { importRecords } from '../../src/service/import.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { CALLER, RECORDS } from '../journeys/records.ts';
import { suiteModel, suiteRoles } from '../service-desk.ts';
import { startBrowser } from './chromium.ts';
import { serveConsole, unexpected, visit } from './console-service.ts';

const RUN = 'window.canary=1;alert(1)';

const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"></svg>`,
  `"><script>${RUN}</script>`,
  `' onmouseover='${RUN}' x='`,
  `javascript:${RUN}`,
  `<a href="javascript:${RUN}">link</a>`,
  `[link](javascript:${RUN})`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<style>*{background:url(//192.0.2.1/)}</style>`,
  `<base href="//192.0.2.1/">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></table></mtext></math>`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `</title><script>${RUN}</script>`,
] as const;
/** Names of things that have one: short ones, which no screen cuts off. */
const [SCRIPT, IMAGE, VECTOR, QUOTED, HANDLER, URL_TEXT] = PAYLOADS;

const DOCUMENT = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script></svg>`;

let browser: Browser;
let desk: Desk;
let origin: string;
let key: number;
let dashboard: number;

async function store(method: string, path: string, body: object): Promise<number> {
  const answer = await desk.send(method, path, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json?.Uid;
}

async function storeFiles(record: string): Promise<void> {
  for (const [type, name] of [
    ['image/svg+xml', `${IMAGE}.svg`],
    ['text/html', `${SCRIPT}.html`],
    ['text/plain', `${VECTOR}.txt`],
  ] as const) {
    const headers = { 'Content-Type': type, Slug: encodeURIComponent(name) };
    const body = Buffer.from(type === 'text/plain' ? PAYLOADS.join('\n') : DOCUMENT);
    const answer = await desk.send('POST', `${record}/Attachments`, { headers, body });
    expect(answer.status, answer.text).toBe(201);
  }
}

beforeAll(async () => {
  desk = await openDesk({ records: [...RECORDS, ...catalogRecords(suiteModel())] });
  await importRecords(
    rolesDocument(suiteRoles.filter(({ name }) => name === 'requester')),
    desk.service,
  );
  await desk.join({ loginName: 'caller', roles: ['requester'], person: CALLER });
  const Texts = ['en', 'nl', 'de', 'fr'].map((Language) => ({ Language, Text: QUOTED }));
  const medium = `/CodeLists(Name='Medium')/Codes`;
  await store('POST', medium, { Value: 120_100, Texts });
  await store('PATCH', `/Persons(${CALLER})`, { LastName: HANDLER, Name: HANDLER });
  key = await store('POST', '/ServiceRequests', {
    Description: IMAGE,
    Information: PAYLOADS.join('\n'),
    Medium: { Value: 120_100 },
    Caller: { '@odata.id': `Persons(${CALLER})` },
    HistoryLines: PAYLOADS.map((Information) => ({
      ...{ Information, Subject: Information },
      Visibility: { Value: 203002 },
    })),
  });
  await storeFiles(`/ServiceRequests(${key})`);
  await store('POST', '/Templates', {
    ...{ Name: SCRIPT, Description: URL_TEXT },
    Entity: { '@odata.id': `Entities(${entityKeys(suiteModel()).ServiceRequest})` },
  });
  await store('POST', '/ConsoleViews', {
    ...{ EntitySet: 'ServiceRequests', Name: VECTOR, Query: '$orderby=Uid desc' },
    Scope: 'everybody',
  });
  dashboard = await store('POST', '/ConsoleDashboards', {
    ...{ Name: SCRIPT, Scope: 'everybody' },
    Tiles: [
      {
        Position: 1,
        Title: QUOTED,
        Kind: 'number',
        EntitySet: 'ServiceRequests',
        Filter: `Uid eq ${key}`,
        Apply: 'aggregate($count as Count)',
      },
    ],
  });
  origin = await serveConsole(desk);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await desk?.close();
});

/** Waits for text on the page. It fails where markup was made of the text. */
const shows = async (page: Page, ...texts: readonly string[]) => {
  for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor();
};

async function watch(path: string, name = 'admin') {
  const watched = await visit(browser, origin, { path, name });
  const dialogs: string[] = [];
  watched.page.setDefaultTimeout(15_000);
  watched.page.on('dialog', async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  /** Nothing has run, not even in frames, and nothing was blocked. */
  const check = async () => {
    for (const frame of watched.page.frames())
      expect(await frame.evaluate('window.canary')).toBeUndefined();
    expect(dialogs).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
  };
  const open = async (to: string) => {
    await watched.page.evaluate(`history.pushState({}, '', '/console${to}')`);
  };
  return { ...watched, check, open };
}

it('shows stored content as text on every screen', { timeout: 200_000 }, async () => {
  const list = '/s/ServiceRequests?view=none&cols=Description,Medium,Caller&orderby=Uid%20desc';
  const { page, check, open, close } = await watch(list);
  await shows(page, IMAGE, QUOTED, HANDLER);
  await page.getByRole('button', { name: /^All: / }).click();
  await shows(page, VECTOR);
  await page.keyboard.press('Escape');
  await page.getByRole('gridcell', { name: IMAGE }).focus();
  await page.keyboard.press(' ');
  await page.getByRole('complementary').getByText(HANDLER).first().waitFor();
  await check();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('onerror');
  await page.getByRole('option').getByText(IMAGE).first().waitFor();
  await page.keyboard.press('Escape');

  await open(`/s/ServiceRequests/${key}`);
  await page.getByRole('heading', { level: 1, name: IMAGE }).waitFor();
  const history = page.getByRole('list', { name: 'History' });
  for (const payload of PAYLOADS) await history.getByText(payload).first().waitFor();
  await page.getByRole('tab', { name: 'Attachments' }).click();
  await shows(page, `${IMAGE}.svg`, `${SCRIPT}.html`);
  // Files with script have no preview.
  expect(await page.getByRole('button', { name: /^Preview/ }).count()).toBe(1);
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByRole('dialog').getByText(PAYLOADS[8]).waitFor();
  await page.keyboard.press('Escape');
  await check();

  await open('/d');
  await shows(page, SCRIPT);
  await open(`/d/${dashboard}`);
  await page.getByRole('heading', { level: 1, name: SCRIPT }).waitFor();
  await shows(page, QUOTED);
  const request = `ServiceRequests?$select=Description&$filter=Uid eq ${key}`;
  await open(`/explore?request=${encodeURIComponent(request)}`);
  await page.getByRole('button', { name: 'Send' }).click();
  await shows(page, IMAGE);
  await check();
  await close();
});

it('shows stored content as text in the portal', { timeout: 200_000 }, async () => {
  const { page, check, open, close } = await watch('/portal', 'caller');
  await shows(page, IMAGE);
  await open(`/portal/${key}`);
  await page.getByRole('heading', { level: 1, name: IMAGE }).waitFor();
  for (const payload of PAYLOADS) await shows(page, payload);
  await shows(page, `${VECTOR}.txt`);
  await open('/portal/new');
  await shows(page, SCRIPT, URL_TEXT);
  await check();
  await close();
});
