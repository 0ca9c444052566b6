// This file starts Chromium from the npm package and opens pages that report everything that goes wrong in them: errors of scripts,
// messages in the console, violations of the Content-Security-Policy, and requests to other servers.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { lastingFolder } from '../temporary-folder.ts';

const { devDependencies } = createRequire(import.meta.url)('../../package.json');
const version: string = devDependencies['@sparticuz/chromium'];
const UNPACK = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));
/** Without it, the package leaves out the libraries that few machines have. */
const WITH_LIBRARIES = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
/**
 * Tests run as root, and in machines without a graphics card. No name is resolved, so that nothing leaves the machine; routes of Playwright
 * would do that too, but they stop each request, and turn off the cache of the browser.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Milliseconds for an action or for an element to appear, on a machine that is ten times slower. */
const PATIENCE = 100_000;

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** Starts the browser. Rejects with the reason if it does not start: tests that need it fail. */
export async function startBrowser(): Promise<Browser> {
  const folder = await unpacked();
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: FLAGS,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: await fontSettings(folder),
    },
  });
}

/** Unpacks once for each version. Processes that do so together do not see each other's half. */
async function unpacked(): Promise<string> {
  const folder = join(lastingFolder(), `docket-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const fresh = await mkdtemp(`${folder}-`);
  const env = { ...process.env, ...WITH_LIBRARIES, TMPDIR: fresh };
  await promisify(execFile)(process.execPath, [UNPACK], { env });
  await rename(fresh, folder).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

/** The settings of the package expect its fonts in a fixed directory, and Chromium ends if it finds none. */
async function fontSettings(folder: string): Promise<string> {
  const file = join(folder, 'fonts.conf');
  const directory = `<dir>${join(folder, 'fonts')}</dir>`;
  const cache = `<cachedir>${join(folder, 'fonts-cache')}</cachedir>`;
  await writeFile(file, `<fontconfig>${directory}${cache}</fontconfig>`);
  return file;
}

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong so far. */
  readonly problems: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens an empty page in a context of its own. It reaches only servers whose URL starts with `origin`. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (!/^(?:error|warning)$/.test(message.type())) return;
    const { url } = message.location();
    problems.push(
      `console: ${message.text()} ${url.startsWith(origin) ? new URL(url).pathname : url}`,
    );
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && /^(?:http|ws)/.test(url)) problems.push(`request to ${url}`);
  });
  await context.addInitScript({ content: REPORT_VIOLATIONS });
  return { page, problems, close: async () => await context.close() };
}
