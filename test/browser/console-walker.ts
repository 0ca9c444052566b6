// This file walks through the console: it follows what the pages ask for, presses everything that can be pressed, and reads what is shown.
// Changes are received with `Prefer: dry-run`, so that the service decides about them and stores nothing.
import type { IncomingMessage } from 'node:http';
import type { Locator, Page, Request, Response } from 'playwright-core';
import type { Desk } from '../journeys/desk.ts';
import { sampleSize } from '../sample-size.ts';

/** A page with what the service has denied to it. */
export interface Walker {
  readonly page: Page;
  /** Requests that were answered with 401 or 403, with what was done before. */
  readonly denied: readonly string[];
  /** What has been pressed. */
  readonly pressed: ReadonlySet<string>;
  /** Waits until all requests of the page have been answered. */
  readonly settle: () => Promise<void>;
  /** Opens a page of the console by a link on the page. */
  readonly follow: (link: Locator) => Promise<void>;
  /** Opens a page by its path below the console. */
  readonly open: (path: string) => Promise<void>;
  /** Presses each button of the page, each item of its menus, and the last button of each dialog, and returns to the page. */
  readonly pressAll: (within?: string) => Promise<void>;
}

const isDenied = (status: number) => status === 401 || status === 403;
const pathOf = (url: string) => url.replace(/^.*?\/odata\//, '');
/** A stream stays open. */
const isStream = (request: Request) => request.headers().accept === 'text/event-stream';
const isWaitedFor = (request: Request) =>
  /\/(?:odata|console\/(?:session|assets))/.test(request.url()) && !isStream(request);

/** The reads in a batch that were denied. */
async function deniedInBatch(response: Response): Promise<readonly string[]> {
  const { requests } = response.request().postDataJSON() as {
    readonly requests: readonly { readonly id: string; readonly url: string }[];
  };
  const { responses } = (await response.json()) as {
    readonly responses: readonly { readonly id: string; readonly status: number }[];
  };
  return responses
    .filter(({ status }) => isDenied(status))
    .map(({ id, status }) => `${status} ${requests.find((one) => one.id === id)?.url} in a batch`);
}

async function deniedBy(response: Response): Promise<readonly string[]> {
  const request = response.request();
  const path = pathOf(response.url());
  if (isDenied(response.status())) return [`${response.status()} ${request.method()} ${path}`];
  return path === '$batch' && response.ok() ? await deniedInBatch(response) : [];
}

/**
 * Lets the service decide about the changes that pages send, and store none of them. It adds the header as requests arrive, because a route
 * of Playwright would stop each of them, and turn off the cache of the browser.
 */
export function storeNothing({ app }: Desk): void {
  app.server.server.prependListener('request', ({ method, url = '', headers }: IncomingMessage) => {
    const isRead = method === 'GET' || url.includes('/$query') || /\/\$batch(?:\?|$)/.test(url);
    if (isRead || !url.includes('/odata/')) return;
    headers.prefer = [headers.prefer, 'dry-run'].filter(Boolean).join(', ');
  });
}

export function walkerOn(page: Page): Walker {
  const denied: string[] = [];
  const pressed = new Set<string>();
  const waiting = new Set<Request>();
  let reading = 0;
  let last = 'signed in';
  page.on('request', (request) => isWaitedFor(request) && waiting.add(request));
  page.on('requestfailed', (request) => waiting.delete(request));
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('response', async (response) => {
    if (!response.url().includes('/odata/')) return;
    reading += 1;
    const cause = last;
    // A page that is left has no bodies.
    const found = await deniedBy(response).catch(() => []);
    denied.push(...found.map((one) => `${one} (${cause})`));
    reading -= 1;
  });

  const settle = async () => {
    for (let quiet = 0; quiet < 2; ) {
      await page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 4)))',
      );
      quiet = waiting.size === 0 && reading === 0 ? quiet + 1 : 0;
    }
  };
  const act: Act = async (what, action) => {
    last = `${new URL(page.url()).pathname.replace('/console', '')}: ${what}`;
    const isDone = (await action()) !== false;
    if (isDone) pressed.add(what);
    await settle();
    return isDone;
  };
  const follow = async (link: Locator) =>
    void (await act((await link.innerText()).trim(), async () => await link.click()));
  const open = async (path: string) =>
    void (await act('open', async () => await goTo(page, `/console${path}`)));
  const pressAll = async (within = 'main') => await pressEverything(page, within, act);
  return { page, denied, pressed, settle, follow, open, pressAll };
}

/** Does something, unless it turns out to be impossible, and waits for its consequences. Returns whether it was possible. */
type Act = (what: string, action: () => Promise<unknown>) => Promise<boolean>;

/** Items pressed at each end of a menu. */
const MOST_ITEMS = sampleSize(2, 1000);

const BUTTONS = 'button:not([role=tab])';
const ITEMS = '[role=menu] [role=menuitem]';
const DIALOG = '[role=dialog]';

/** An expression for the elements that can be pressed. */
const pressable = (selector: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }))`;
const NAME = `(one) => (one.getAttribute('aria-label') ?? one.textContent).trim()`;

const namesOf = async (page: Page, selector: string): Promise<readonly string[]> =>
  (await page.evaluate<string[]>(`${pressable(selector)}.map(${NAME})`)).filter(Boolean);

/** Presses the first element with a name. A script does it, because moving the mouse takes longer than what happens then. */
const press = async (page: Page, selector: string, name: string): Promise<boolean> =>
  await page.evaluate<boolean>(
    `(() => {
      const found = ${pressable(selector)}.find((one) => (${NAME})(one) === ${JSON.stringify(name)});
      found?.click();
      return found !== undefined;
    })()`,
  );

/** Buttons are found by their names, since pressing one changes the others. */
async function pressEverything(page: Page, within: string, act: Act): Promise<void> {
  const url = page.url();
  const buttons = `${within} ${BUTTONS}`;
  const done = new Set<string>();
  for (;;) {
    const name = (await namesOf(page, buttons)).find((one) => !done.has(one));
    if (name === undefined) return;
    done.add(name);
    const open = async () => await press(page, buttons, name);
    await act(name, open);
    await pressItems(page, open, done, act);
    await leaveDialogs(page, act);
    await returnTo(page, url, act);
  }
}

async function returnTo(page: Page, url: string, act: Act): Promise<void> {
  if (page.url() !== url) await act('back', async () => await goTo(page, url));
}

/** The router follows the address without loading the page again. */
const goTo = async (page: Page, url: string) =>
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`);

/** The items of an open menu. Those with the same name, such as the commands of each column, are pressed once. */
async function pressItems(
  page: Page,
  open: () => Promise<boolean>,
  done: Set<string>,
  act: Act,
): Promise<void> {
  const url = page.url();
  const items = (await namesOf(page, ITEMS)).filter((name) => !done.has(name));
  // Some menus have an item for each property. The last items are those that change something.
  const sample = [...items.slice(0, MOST_ITEMS), ...items.slice(MOST_ITEMS).slice(-MOST_ITEMS)];
  for (const name of sample) {
    done.add(name);
    if ((await namesOf(page, ITEMS)).length === 0) await act('menu', open);
    await act(name, async () => await press(page, ITEMS, name));
    await leaveDialogs(page, act);
    await returnTo(page, url, act);
  }
  if ((await namesOf(page, ITEMS)).length > 0) await page.keyboard.press('Escape');
}

/** Presses what a dialog is for, its last button, then leaves it. */
async function leaveDialogs(page: Page, act: Act): Promise<void> {
  for (let tries = 0; tries < 4; tries += 1) {
    const name = (await namesOf(page, `${DIALOG} button`)).at(-1);
    if (name === undefined) return;
    if (tries === 0)
      await act(`${name} in the dialog`, async () => await press(page, `${DIALOG} button`, name));
    await page.keyboard.press('Escape');
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
}

/** The paths of the members whose inputs can be changed. */
export async function fieldsOn(page: Page): Promise<readonly string[]> {
  const inputs = page.locator('[data-part=form-fields] :is(input, textarea, select):enabled');
  const ids = await inputs.evaluateAll((all) => all.map(({ id }) => id));
  // The id of a form, then the path.
  return ids.flatMap((id) => /^_r_\w+_-(.+)$/.exec(id)?.[1] ?? []);
}

/** All that a page shows, with the values of its inputs. */
export async function shownOn(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `[document.body.innerText, ...[...document.querySelectorAll('input, textarea, select')]
      .map((input) => input.value)].join('\\n')`,
  );
}
