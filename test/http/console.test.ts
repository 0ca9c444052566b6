// This file reads the page of the console and its files, as a browser and as an attacker would.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/base/observation.ts';
import { oddDefinition } from '../odd-model.ts';
import { startService, type TestService } from '../world.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))});`;
const STYLE = `body { color: red } /* ${'y'.repeat(20_000)} */`;
const HTML = `<!doctype html>
<html lang="en" data-console-root="__CONSOLE_ROOT__" data-odata-root="__ODATA_ROOT__">
<head><meta property="csp-nonce" nonce="__NONCE__"><link rel="icon" href="./icon.svg">
<script type="module" src="./assets/index-1a2b.js" nonce="__NONCE__"></script></head>
<body><a href="https://example.com/">./</a></body>
</html>
`;

let root: string;
let directory: string;
let zoo: TestService;
const seen: Observation[] = [];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'docket-console-'));
  directory = join(root, 'dist');
  mkdirSync(join(directory, 'assets'), { recursive: true });
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(directory, name), content);
  write('index.html', HTML);
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('assets/index-1a2b.js', SCRIPT);
  write('assets/index-1a2b.js.br', brotliCompressSync(SCRIPT));
  write('assets/index-1a2b.js.gz', gzipSync(SCRIPT));
  write('assets/index-3c4d.css', STYLE);
  write('assets/font-5e6f.woff2', Buffer.from([1, 2, 3]));
  write('assets/data-7a8b.unknown', 'x');
  writeFileSync(join(root, 'secret.txt'), 'secret');
  symlinkSync(join(root, 'secret.txt'), join(directory, 'assets/link.txt'));
  zoo = await open(directory);
  const { observe } = zoo.service;
  Object.assign(zoo.service, {
    observe: (event: Observation) => {
      seen.push(event);
      observe(event);
    },
  });
});
afterAll(async () => {
  await zoo?.close();
  rmSync(root, { recursive: true });
});

const open = async (consoleFiles: string, flags: Readonly<Record<string, unknown>> = {}) =>
  await startService({
    model: oddDefinition,
    consoleFiles,
    flags: { trustedProxies: ['127.0.0.1'], ...flags },
  });

async function get(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', from = zoo } = {},
) {
  const options = { method, url, headers: { host: 'desk.example', ...headers } };
  const answer = await from.app.server.inject(options as InjectOptions);
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.payload,
    bytes: answer.rawPayload,
  };
}

const ASSET = '/console/assets/index-1a2b.js';

describe('The page of the console', () => {
  it.each([
    '/console',
    '/console/',
    '/console?filter=x',
    '/console/s/Incidents?view=12&filter=Name%20eq%20%27x%27',
    '/console/s/Products/(Product=1,Language=%27en%27)',
    '/console/new/Set.With.Dots',
    '/console/index.html',
    '/console/sessions',
    `/console/${'long/'.repeat(400)}`,
  ])('is at %s', async (url) => {
    const { status, headers, text } = await get(url);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<link rel="icon" href="/console/icon.svg">');
  });

  it('has a fresh nonce each time, in the policy and in place of __NONCE__', async () => {
    const pages = [await get('/console'), await get('/console')];
    const nonces = pages.map(({ headers, text }) => {
      const [, nonce = ''] =
        /'nonce-([\w+/=]{22,})'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(text.split(`nonce="${nonce}"`)).toHaveLength(3);
      expect(text).not.toContain('__');
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('permits its own files and nothing else, and is never stored', async () => {
    const { headers } = await get('/console');
    const policy = String(headers['content-security-policy']).replace(/'nonce-[^']+'/, "'nonce-…'");
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; style-src-attr 'none'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers.etag).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('names the paths that the browser knows', async () => {
    const plain = await get('/console/s/Keepers');
    expect(plain.text).toContain(
      '<html lang="en" data-console-root="/console" data-odata-root="/odata">',
    );
    expect(plain.text).toContain('src="/console/assets/index-1a2b.js"');
    const behind = await get('/console/s/Keepers', { 'x-forwarded-prefix': '/tools' });
    expect(behind.text).toContain(
      'data-console-root="/tools/console" data-odata-root="/tools/odata"',
    );
    expect(behind.text).toContain('src="/tools/console/assets/index-1a2b.js"');
    expect(behind.text).toContain('<a href="https://example.com/">./</a>');
  });

  it.each([
    [{ basePath: '/' }, '/console', ''],
    [{ basePath: '/api/v4' }, '/console', '/api/v4'],
    [{ publicUrl: 'https://www.example.com/desk' }, '/desk/console', '/desk/odata'],
  ])('follows the settings %o', async (flags, consoleRoot, odataRoot) => {
    const other = await open(directory, flags);
    const { text } = await get('/console/s/Keepers', {}, { from: other });
    expect(text).toContain(
      `<html lang="en" data-console-root="${consoleRoot}" data-odata-root="${odataRoot}">`,
    );
    await other.close();
  });

  it('answers HEAD without a body, and other methods with 405', async () => {
    const head = await get('/console', {}, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/html; charset=utf-8',
    ]);
    const post = await get('/console', {}, { method: 'POST' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('is logged without its query', async () => {
    seen.length = 0;
    await get('/console/s/Keepers?q=illness');
    expect(seen).toEqual([
      expect.objectContaining({ kind: 'request', path: '/console/s/Keepers', status: 200 }),
    ]);
    await get('/console/assets/none.js?q=illness');
    expect(JSON.stringify(seen)).not.toContain('illness');
  });
});

describe('The files of the console', () => {
  it('are sent in the compression that the client accepts', async () => {
    const br = await get(ASSET, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.bytes).toString()).toBe(SCRIPT);
    const gzip = await get(ASSET, { 'accept-encoding': 'gzip, br;q=0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).toString()).toBe(SCRIPT);
    for (const accepted of ['identity', 'br;q=0, gzip;q=0.0', '']) {
      const plain = await get(ASSET, { 'accept-encoding': accepted });
      expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, SCRIPT]);
    }
    // Without a compressed copy, a large text is compressed for the client.
    const style = await get('/console/assets/index-3c4d.css', { 'accept-encoding': 'br, gzip' });
    expect(style.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(style.bytes).toString()).toBe(STYLE);
    for (const { headers } of [br, gzip, style]) expect(headers.vary).toBe('Accept-Encoding');
  });

  it.each([
    [ASSET, 'text/javascript; charset=utf-8'],
    ['/console/assets/index-3c4d.css', 'text/css; charset=utf-8'],
    ['/console/assets/font-5e6f.woff2', 'font/woff2'],
    ['/console/assets/data-7a8b.unknown', 'application/octet-stream'],
  ])('%s has the type %s, and is kept for a year', async (url, type) => {
    const { status, headers } = await get(url);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
    const again = await get(url, { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await get(url, {}, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      headers['content-length'],
    ]);
  });

  it('that are scripts may call the service from a worker; others may do nothing', async () => {
    const policy = async (url: string) =>
      String((await get(url)).headers['content-security-policy']);
    expect(await policy(ASSET)).toContain("connect-src 'self'");
    expect(await policy('/console/icon.svg')).toBe(
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    );
  });

  it('without a hash in the name are checked each time', async () => {
    const { headers } = await get('/console/icon.svg');
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'image/svg+xml',
      'no-cache',
    ]);
  });

  it.each([
    '/console/assets/none.js',
    '/console/assets/',
    '/console/assets/index-1a2b.js/x',
    '/console/assets/index-1a2b.js.br',
    '/console/assets/link.txt',
    '/console/assets/../../secret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console/assets/..\\..\\secret.txt',
    '/console/assets//etc/passwd',
    '/console/assets/index-1a2b.js%00.css',
  ])('do not include %s', async (url) => {
    const { status, text } = await get(url);
    expect(status).toBe(404);
    expect(text).toContain('http.unknown-address');
    expect(text).not.toContain('secret"');
  });

  it.each(['/console/../secret.txt', '/console/%2e%2e/secret.txt', '/console//etc/passwd'])(
    'are not left by %s',
    async (url) => {
      const { text } = await get(url);
      expect(text).not.toMatch(/^secret|root:/);
    },
  );

  it('are those of the latest build', async () => {
    writeFileSync(join(directory, 'assets/index-9f9f.js'), 'later();');
    expect((await get('/console/assets/index-9f9f.js')).status).toBe(404);
    const page = join(directory, 'index.html');
    writeFileSync(page, HTML.replace('1a2b', '9f9f'));
    utimesSync(page, new Date(), new Date(Date.now() + 1000));
    expect((await get('/console')).text).toContain('/console/assets/index-9f9f.js');
    expect((await get('/console/assets/index-9f9f.js')).text).toBe('later();');
  });
});

describe('A console that has not been built', () => {
  it('is a page that names the command', async () => {
    const bare = await open(join(root, 'nowhere'));
    for (const url of ['/console', '/console/s/Keepers', ASSET]) {
      const { status, headers, text } = await get(url, {}, { from: bare });
      expect([status, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
      expect(text).toContain('npm run build');
      expect(headers['cache-control']).toBe('no-store');
    }
    expect((await get('/console/session/options', {}, { from: bare })).status).toBe(200);
    await bare.close();
  });
});

describe('The setting console', () => {
  it('turns the page and its files off', async () => {
    const closed = await open(directory, { console: false });
    for (const url of ['/console', '/console/s/Keepers', ASSET]) {
      const { status, text } = await get(url, {}, { from: closed });
      expect([status, JSON.parse(text).error.code]).toEqual([404, 'http.unknown-address']);
    }
    await closed.close();
  });
});
