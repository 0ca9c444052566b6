// This file tests what the server sends below /docs. test/browser/ uses the page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { startService, type TestService } from '../world.ts';

let zoo: TestService;
beforeAll(async () => {
  zoo = await startService({ model: oddDefinition, flags: { basePath: '/' }, enabled: false });
});
afterAll(async () => await zoo.close());

const FILES = ['', '/page.css', '/page.js', '/swagger-ui.css', '/swagger-ui-bundle.js'];

describe('/docs/api', () => {
  it.each([
    ['/docs', 'docs/api'],
    ['/docs/', 'api'],
    ['/docs/api/', '../api'],
  ])('%s leads to the page', async (from, location) => {
    const { status, headers } = await zoo.stranger.get(from);
    expect([status, headers.location]).toEqual([302, location]);
    expect(new URL(location, `http://desk.example${from}`).pathname).toBe('/docs/api');
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
    for (const path of ['/docs', '/docs/api', '/docs/api/page.js'])
      expect([path, (await other.stranger.get(path)).status]).toEqual([path, 404]);
    await other.close();
  });
});
