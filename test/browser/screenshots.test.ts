// This file makes the screenshots of README.md and docs/console.md from the demo data, light and dark: `npm run docs` writes them. Each run
// checks that the pages show them; `npm run test:all` takes them again and compares.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_NOW } from '../../src/cli/command/installation.ts';
import { type Desk, openDemoDesk } from '../journeys/desk.ts';
import { openPage, startBrowser } from './chromium.ts';
import { serveConsole, signInAt, unexpected } from './console-service.ts';

const ROOT = new URL('../../', import.meta.url);
const IMAGES = new URL('docs/images/', ROOT);
const SIZE = { width: 1280, height: 760 };
const MOST_BYTES = 200_000;

/** The part of the pixels that may differ: times since an event, and edges of letters. */
const TOLERANCE = 0.02;

interface Screen {
  readonly name: string;
  readonly path: string;
  /** Resolves when the page shows everything. */
  readonly ready: (page: Page) => Promise<void>;
}

const SCREENS: readonly Screen[] = [
  {
    name: 'list',
    path: '/s/ServiceRequests?cols=Description,Status,Priority,Deadline,Category&orderby=Uid desc',
    ready: async (page) => await page.getByRole('gridcell').nth(40).waitFor(),
  },
  {
    name: 'record',
    path: '/s/ServiceRequests/OPEN',
    ready: async (page) => await page.locator('main h1').waitFor(),
  },
  {
    name: 'dashboard',
    path: '/d/default',
    ready: async (page) => await page.locator('.recharts-surface').nth(1).waitFor(),
  },
];

/** The clocks of the page and of the service, as the page knows it from responses, stand at the end of the demo. */
const AT_DEMO_NOW = `globalThis.Date = class extends Date {
  constructor(...parts) { parts.length === 0 ? super(${DEMO_NOW}) : super(...parts); }
  static now() { return ${DEMO_NOW}; }
};
const { get } = Headers.prototype;
Headers.prototype.get = function (name) {
  return name === 'Date' ? new Date().toUTCString() : get.call(this, name);
};`;

const SCHEMES = ['light', 'dark'] as const;

const fileOf = (name: string, scheme: string) => `console-${name}-${scheme}.png`;

it('The screenshots are those that the pages show, and small', async () => {
  const [readme, page] = await Promise.all(
    ['README.md', 'docs/console.md'].map(
      async (file) => await readFile(new URL(file, ROOT), 'utf8'),
    ),
  );
  const files = SCREENS.flatMap(({ name }) => SCHEMES.map((scheme) => fileOf(name, scheme)));
  expect((await readdir(IMAGES)).sort()).toEqual([...files].sort());
  expect(readme).toContain(`](docs/images/${fileOf('record', 'light')})`);
  for (const file of files) {
    expect(page).toContain(`](images/${file})`);
    const bytes = await readFile(new URL(file, IMAGES));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([SIZE.width, SIZE.height]);
    expect(bytes.length).toBeLessThan(MOST_BYTES);
  }
});

const IS_UPDATE = process.env.UPDATES_FILES === 'true';

describe.runIf(IS_UPDATE || process.env.TEST_ALL)(
  'The screenshots, taken again,',
  { timeout: 300_000 },
  () => {
    let desk: Desk;
    let origin: string;
    let browser: Browser;
    let open: string;
    beforeAll(async () => {
      desk = await openDemoDesk({ requests: 1500, seed: 1 });
      const query =
        "$filter=Deadline gt 2026-10-01T00:00:00Z and Status/Value eq 101003 and Caller/LastName lt 'z'&$orderby=Uid desc";
      const { json } = await desk.get(`/ServiceRequests?${query}&$top=1&$select=Uid`);
      open = String(json.value[0].Uid);
      origin = await serveConsole(desk);
      browser = await startBrowser();
      await mkdir(IMAGES, { recursive: true });
    });
    afterAll(async () => {
      await browser?.close();
      await desk?.close();
    });

    async function take({ path, ready }: Screen, colorScheme: 'light' | 'dark'): Promise<Buffer> {
      const options: BrowserContextOptions = {
        ...{ colorScheme, viewport: SIZE, reducedMotion: 'reduce' },
        ...{ locale: 'en', timezoneId: 'Europe/Amsterdam' },
      };
      const watched = await openPage(browser, origin, options);
      const { page } = watched;
      await page.addInitScript({ content: AT_DEMO_NOW });
      await signInAt(page, `${origin}/console${path.replace('OPEN', open)}`);
      await ready(page);
      await page.evaluate('document.fonts.ready');
      await page.mouse.move(SIZE.width - 1, 0);
      const image = await steady(page);
      expect(unexpected(watched)).toEqual([]);
      await watched.close();
      return image;
    }

    /** The image of the page once two in a row are equal. */
    async function steady(page: Page): Promise<Buffer> {
      let last: Buffer = Buffer.alloc(0);
      for (;;) {
        const image = await page.screenshot({ animations: 'disabled', caret: 'hide' });
        if (image.equals(last)) return image;
        last = image;
        await page.waitForTimeout(500);
      }
    }

    for (const screen of SCREENS)
      it.each(SCHEMES)(`are as before: ${screen.name}, %s`, async (scheme) => {
        const image = await take(screen, scheme);
        const file = new URL(fileOf(screen.name, scheme), IMAGES);
        if (IS_UPDATE) await writeFile(file, image);
        else expect(await difference(await readFile(file), image)).toBeLessThan(TOLERANCE);
      });

    /** The part of the pixels in which two images differ. */
    async function difference(before: Buffer, after: Buffer): Promise<number> {
      const { page, close } = await openPage(browser, origin);
      const urls = [before, after].map(
        (bytes) => `data:image/png;base64,${bytes.toString('base64')}`,
      );
      const part = await page.evaluate<number>(`(async (urls) => {
      const [left, right] = await Promise.all(urls.map(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      }));
      return left.filter((pixel, at) => pixel !== right[at]).length / left.length;
    })(${JSON.stringify(urls)})`);
      await close();
      return part;
    }
  },
);
