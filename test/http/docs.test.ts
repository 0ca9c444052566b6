// This file tests what the server sends below /docs. test/browser/ uses the page.
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMarkdown } from '../../src/http/docs/read-markdown.ts';
import { oddDefinition } from '../odd-model.ts';
import { startService, type TestService } from '../world.ts';

let zoo: TestService;
beforeAll(async () => {
  zoo = await startService({ model: oddDefinition, flags: { basePath: '/' }, enabled: false });
});
afterAll(async () => await zoo.close());

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

const FILES = ['', '/page.css', '/page.js', '/swagger-ui.css', '/swagger-ui-bundle.js'];

describe('/docs/api', () => {
  it.each([
    ['/docs', 'docs/', '/docs/'],
    ['/docs/api/', '../api', '/docs/api'],
  ])('%s leads to the page', async (from, location, page) => {
    const { status, headers } = await zoo.stranger.get(from);
    expect([status, headers.location]).toEqual([302, location]);
    expect(new URL(location, `http://desk.example${from}`).pathname).toBe(page);
  });

  it.each(FILES)(
    '%s needs no token, allows no inline scripts and no other servers',
    async (name) => {
      const { status, headers } = await zoo.stranger.get(`/docs/api${name}`);
      expect(status).toBe(200);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|http|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );

  it.each(FILES)('%s is not sent again to browsers that have it', async (name) => {
    const { headers } = await zoo.stranger.get(`/docs/api${name}`);
    const again = await zoo.stranger.get(`/docs/api${name}`, {
      'if-none-match': String(headers.etag),
    });
    expect([again.status, again.text]).toEqual([304, '']);
    // A browser applies them to the page that it has stored.
    for (const name of ['content-security-policy', 'cache-control', 'cross-origin-resource-policy'])
      expect(again.headers[name], name).toBe(headers[name]);
  });

  it('compresses scripts', async () => {
    const { headers } = await zoo.stranger.get('/docs/api/swagger-ui-bundle.js', {
      'accept-encoding': 'gzip',
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBeLessThan(800_000);
  });

  it('names only files and scripts of this server', async () => {
    const { text } = await zoo.stranger.get('/docs/api');
    const links = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.filter((link) => link !== 'data:,').toSorted()).toEqual(
      FILES.slice(1)
        .map((name) => `api${name}`)
        .toSorted(),
    );
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  it('other methods are 405, other files 404', async () => {
    const { status, headers } = await zoo.stranger.send('POST', '/docs/api');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/docs/other', '/docs/api/package.json', '/docs/api/..%2fREADME.md'])
      expect([path, (await zoo.stranger.get(path)).status]).toEqual([path, 404]);
  });

  it('apiReference: false turns it off', async () => {
    const flags = { apiReference: false };
    const other = await startService({ model: oddDefinition, flags, enabled: false });
    for (const path of ['/docs', '/docs/', '/docs/reading', '/docs/api', '/docs/api/page.js'])
      expect([path, (await other.stranger.get(path)).status]).toEqual([path, 404]);
    await other.close();
  });
});

describe('the documentation at /docs/', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replaceAll(sep, '/'));
  const urlOf = (name: string) => `/docs/${name === 'README.md' ? '' : name.slice(0, -3)}`;
  const linksIn = (html: string) =>
    [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    );

  it('lists each page once', async () => {
    const { text } = await zoo.stranger.get('/docs/');
    const listed = linksIn(
      text.slice(text.indexOf('<main'), text.indexOf('<nav class="neighbours')),
    )
      .map((link) => new URL(link, 'http://desk.example/docs/').pathname)
      .filter((path) => !path.startsWith('/docs/project/'));
    expect(listed.toSorted()).toEqual(
      pages
        .map(urlOf)
        .filter((url) => url !== '/docs/')
        .toSorted(),
    );
  });

  it('shows each page, whose links lead to pages, headings and files', async () => {
    const bodies = new Map<string, string>();
    const bodyOf = async (url: string) => {
      const known = bodies.get(url) ?? (await zoo.stranger.get(url)).text;
      bodies.set(url, known);
      return known;
    };
    const dead: string[] = [];
    for (const url of pages.map(urlOf)) {
      const links = linksIn(await bodyOf(url)).map(
        (link) => new URL(link, `http://desk.example${url}`),
      );
      for (const { origin, protocol, pathname, hash } of links) {
        if (origin !== 'http://desk.example' || protocol === 'data:') continue;
        const body = await bodyOf(pathname);
        const isThere = hash === '' || body.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
        if (body.startsWith('{') || !isThere) dead.push(`${url}: ${pathname}${hash}`);
      }
    }
    expect(dead).toEqual([]);
    expect(bodies.size).toBeGreaterThan(pages.length);
  });

  it.each(['/docs/', '/docs/reading', '/docs/page.css', '/docs/performance.svg'])(
    '%s needs no token, allows no inline scripts, and is not sent again',
    async (url) => {
      const { status, headers, text } = await zoo.stranger.get(url);
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
      expect(text).not.toMatch(/<script|<style| style=| on\w+="/);
      const again = await zoo.stranger.get(url, { 'if-none-match': String(headers.etag) });
      expect(again.status).toBe(304);
    },
  );

  it('shows which page is open, and what is before and after it', async () => {
    const { text } = await zoo.stranger.get('/docs/writing');
    expect(text).toContain('<title>Writing · Docket</title>');
    expect(text).toContain('<a href="writing" aria-current="page">');
    const contents = linksIn(text.slice(text.indexOf('<nav class="contents"')));
    const place = contents.indexOf('writing');
    const neighbours = text.slice(text.indexOf('<nav class="neighbours"')).split('</nav>')[0] ?? '';
    expect(place).toBeGreaterThan(0);
    expect(linksIn(neighbours)).toEqual([contents[place - 1], contents[place + 1]]);
  });

  it('writes relative links on pages of directories', async () => {
    const { text } = await zoo.stranger.get('/docs/decisions/outbox');
    expect(text).toContain('<link rel="stylesheet" href="../page.css">');
    expect(text).toContain('<a href="../decisions/outbox" aria-current="page">');
  });

  it('tells the nearest page of one that does not exist', async () => {
    const { status, json } = await zoo.stranger.get('/docs/readng');
    expect(status).toBe(404);
    expect(json.error).toMatchObject({
      code: 'docs.unknown',
      message:
        'The documentation has no page "readng". Did you mean "reading"? /docs/ lists all pages.',
    });
  });
});

describe('Markdown', () => {
  const html = (text: string) => readMarkdown(text, (target) => target).html;

  it('cannot contain HTML other than line breaks', () => {
    const written = html('a<br>b <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>');
    expect(written).toContain('a<br>b &lt;img src=x onerror=alert(1)&gt;');
    expect(written).not.toMatch(/<script|<img/);
  });

  it('loses links that lead nowhere, and keeps their text', () => {
    const { html: written } = readMarkdown('[`x` y](../src/x.ts)', () => undefined);
    expect(written).toBe('<p><code>x</code> y</p>\n');
  });

  it('has headings with the anchors of code hosting sites', () => {
    const text = '# `docket.yaml`: [keys](x.md) & "values"\n## Time - and *order*';
    expect(readMarkdown(text, (target) => target).headings.map(({ id }) => id)).toEqual([
      'docketyaml-keys--values',
      'time---and-order',
    ]);
  });
});
