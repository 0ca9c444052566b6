// This file tests what the web server adds to the service: addresses, tokens on the wire, limits, compression, other origins. The model
// is the zoo, since nothing here depends on what is served.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endingOf } from '../../src/http/server.ts';
import { oddDefinition } from '../odd-model.ts';
import { ADMIN, PASSWORD, startService, type TestService } from '../world.ts';

const KEEPERS = Array.from({ length: 120 }, (_, index) => ({
  set: 'Keepers',
  uid: index + 1,
  values: { Name: `Keeper ${index} `.padEnd(60, 'x'), Country: 'NL', Badge: index },
}));

let zoo: TestService;
beforeAll(async () => {
  zoo = await startService({
    model: oddDefinition,
    records: KEEPERS,
    flags: { corsOrigins: ['https://app.example'], trustedProxies: ['127.0.0.1'] },
  });
});
afterAll(async () => await zoo.close());

const form = (fields: Readonly<Record<string, string>> | string) => ({
  body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const askToken = (fields: Readonly<Record<string, string>> | string) => {
  const { body, headers } = form(fields);
  return zoo.stranger.send('POST', '/token', body, headers);
};

const LOG_IN = { grant_type: 'password', username: ADMIN, password: PASSWORD };

describe('the service root', () => {
  it.each(['/odata', '/odata/', 'http://localhost/odata/'])(
    '%s is the service document',
    async (url) => {
      const { status, json } = await zoo.client.get(url);
      expect(status).toBe(200);
      expect(json['@odata.context']).toBe(`${zoo.root}$metadata`);
    },
  );

  it('links name the host and protocol that the client used, as a trusted proxy tells it', async () => {
    const plain = await zoo.client.get('/odata/', { host: 'desk.example:5181' });
    expect(plain.json['@odata.context']).toBe('http://desk.example:5181/odata/$metadata');
    const behind = await zoo.client.get('/odata/', {
      'x-forwarded-host': 'public.example',
      'x-forwarded-proto': 'https',
    });
    expect(behind.json['@odata.context']).toBe('https://public.example/odata/$metadata');
  });

  it.each(['evil.example/path', 'a b', '"><script>'])('the Host "%s" is refused', async (host) => {
    expect((await zoo.client.get('/odata/', { host })).status).toBe(400);
  });

  it('every answer carries a request id, each its own', async () => {
    const ids = await Promise.all(
      ['/odata/Keepers(1)', '/odata/Nothing', '/healthz', '/elsewhere', '/token'].map(
        async (url) => (await zoo.client.get(url)).headers['x-request-id'],
      ),
    );
    expect(new Set(ids).size).toBe(5);
    expect(ids.every((id) => /^[\w-]{8,}$/.test(String(id)))).toBe(true);
  });

  it('other addresses are 404 and say where the service is', async () => {
    const { status, json } = await zoo.client.get('/elsewhere?x=1');
    expect([status, json.error.code]).toEqual([404, 'http.unknown-address']);
    expect(json.error.message).toContain('/odata');
  });

  it('HEAD is GET without a body, with the same headers', async () => {
    const get = await zoo.client.get('/odata/Keepers(1)');
    const head = await zoo.client.send('HEAD', '/odata/Keepers(1)');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers.etag).toBe(get.headers.etag);
  });
});

describe('what cannot be read', () => {
  it('a URL that is no percent-encoding is refused in the form of other errors', async () => {
    const { status, json, headers } = await zoo.client.get('/odata/Keepers?$filter=%zz');
    expect([status, json.error.code]).toEqual([400, 'request.encoding']);
    expect(headers['odata-version']).toBe('4.0');
    const path = await zoo.client.get('/odata/Keepers(%zz)');
    expect([path.status, path.json.error.code]).toEqual([400, 'request.encoding']);
  });

  it('a slash inside a key stays inside it', async () => {
    const { status, json } = await zoo.client.get(`/odata/AllSpecies('a%2Fb')`);
    expect(status).toBe(404);
    expect(json.error.message).not.toContain('segment');
  });

  it('a URL longer than 16 KiB is 414', async () => {
    const long = `/odata/Keepers?$filter=Name eq '${'x'.repeat(17_000)}'`;
    const { status, json } = await zoo.client.get(long.replaceAll(' ', '%20'));
    expect([status, json.error.code]).toEqual([414, 'request.url-too-long']);
  });

  it('an unknown method is 405 with Allow', async () => {
    const { status, headers } = await zoo.client.send('TRACE', '/odata/Keepers');
    expect(status).toBe(405);
    expect(headers.allow).toContain('GET');
  });

  it('a body in a coding that is not known is refused', async () => {
    const { status } = await zoo.client.send('POST', '/odata/Keepers', '{}', {
      'content-type': 'application/json',
      'content-encoding': 'br',
    });
    expect(status).toBe(415);
  });

  it('a Content-Type that is none is refused in the form of other errors', async () => {
    const { status, json } = await zoo.client.send('POST', '/odata/Keepers', '{}', {
      'content-type': 'json',
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(json.error.code).toMatch(/^request\./);
  });
});

describe('tokens', () => {
  it('without one everything under the root is 401, also what does not exist', async () => {
    for (const url of [
      '',
      '/',
      '/$metadata',
      '/$ping',
      '/Keepers',
      '/Nothing',
      '/Keepers?$top=x',
    ]) {
      const { status, headers, json } = await zoo.stranger.get(`/odata${url}`);
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="docket"']);
      expect(json.error.code).toBe('auth.token-missing');
    }
    expect((await zoo.stranger.get('/openapi.json')).status).toBe(401);
  });

  it('an unknown one is 401 and says that it is invalid', async () => {
    const headers = { authorization: 'Bearer abc' };
    const answer = await zoo.stranger.get('/odata/Keepers', headers);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="docket", error="invalid_token"');
  });

  it('are given for name and password, with the fields and headers of the contract', async () => {
    const { status, headers, json } = await askToken(LOG_IN);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      '.issued',
      '.expires',
    ]);
    expect(json).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      '.issued': 'Tue, 31 Mar 2026 12:00:00 GMT',
      '.expires': 'Tue, 31 Mar 2026 13:00:00 GMT',
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      'cache-control': 'no-cache, no-store',
      pragma: 'no-cache',
      expires: '-1',
      'access-control-allow-origin': '*',
    });
  });

  it.each([
    ['another grant', { ...LOG_IN, grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no grant', { username: ADMIN }, 'invalid_request'],
    ['a wrong password', { ...LOG_IN, password: 'wrong' }, 'invalid_grant'],
    ['an unknown user', { ...LOG_IN, username: 'nobody' }, 'invalid_grant'],
    ['no password', { grant_type: 'password', username: ADMIN }, 'invalid_request'],
    ['a repeated field', 'grant_type=password&grant_type=password', 'invalid_request'],
    [
      'a foreign refresh token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      'invalid_grant',
    ],
  ])('%s is 400 in the terms of RFC 6749', async (_, fields, error) => {
    const { status, json, headers } = await askToken(fields);
    expect([status, json.error]).toEqual([400, error]);
    expect(json.error_description).toEqual(expect.any(String));
    expect(headers['cache-control']).toBe('no-cache, no-store');
  });

  it('unknown fields are ignored', async () => {
    expect((await askToken({ ...LOG_IN, client_id: 'x', scope: 'y' })).status).toBe(200);
  });

  it('another Content-Type is 415, another method 405 with Allow', async () => {
    const json = await zoo.stranger.send('POST', '/token', LOG_IN);
    expect([json.status, json.json.error]).toEqual([415, 'invalid_request']);
    const get = await zoo.stranger.get('/token');
    expect([get.status, get.headers.allow]).toEqual([405, 'POST']);
  });

  it('a form that is far too long is 413', async () => {
    expect((await askToken({ ...LOG_IN, scope: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('a refresh token gives a new pair once', async () => {
    const first = (await askToken(LOG_IN)).json;
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const second = await askToken(refresh);
    expect(second.status).toBe(200);
    expect(second.json.refresh_token).not.toBe(first.refresh_token);
    expect((await askToken(refresh)).json.error).toBe('invalid_grant');
  });

  it('/connect/endsession ends the session at once: its tokens are dead', async () => {
    const { access_token: token, refresh_token } = (await askToken(LOG_IN)).json;
    const headers = { authorization: `Bearer ${token}` };
    expect((await zoo.stranger.get('/odata/Keepers(1)', headers)).status).toBe(200);
    const ended = await zoo.stranger.send('POST', '/connect/endsession', undefined, headers);
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect((await zoo.stranger.get('/odata/Keepers(1)', headers)).status).toBe(401);
    const refreshed = await askToken({ grant_type: 'refresh_token', refresh_token });
    expect(refreshed.json.error).toBe('invalid_grant');
    const again = await zoo.stranger.send('POST', '/connect/endsession', undefined, headers);
    expect(again.status).toBe(401);
    expect((await zoo.stranger.get('/connect/endsession')).status).toBe(405);
  });
});

describe('large answers', () => {
  const LARGE = '/odata/Keepers?$top=120';

  it.each(['gzip', 'deflate, gzip;q=0.5', '*'])('are compressed for "%s"', async (accepted) => {
    const plain = await zoo.client.get(LARGE);
    const raw = await zoo.app.server.inject({
      url: LARGE,
      headers: { authorization: `Bearer ${zoo.client.token}`, 'accept-encoding': accepted },
    });
    expect(raw.headers['content-encoding']).toBe('gzip');
    expect(raw.headers.vary).toContain('Accept-Encoding');
    expect(raw.rawPayload.length).toBeLessThan(plain.text.length / 2);
    const text = gunzipSync(raw.rawPayload).toString('utf8');
    expect(text).toBe(plain.text.replaceAll('http://localhost/', 'http://localhost:80/'));
  });

  it.each([undefined, 'identity', 'gzip;q=0', 'br'])('are not for "%s"', async (accepted) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    expect((await zoo.client.get(LARGE, headers)).headers).not.toHaveProperty('content-encoding');
  });

  it('small ones never are', async () => {
    const answer = await zoo.client.get('/odata/Keepers(1)', { 'accept-encoding': 'gzip' });
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });
});

describe('pages of other origins', () => {
  it('an allowed one may ask and read', async () => {
    const origin = 'https://app.example';
    const preflight = await zoo.stranger.send('OPTIONS', '/odata/Keepers', undefined, {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, if-match',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': 'authorization, if-match',
    });
    const answer = await zoo.client.get('/odata/Keepers(1)', { origin });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers.vary).toContain('Origin');
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    const readable = String(answer.headers['access-control-expose-headers']).split(', ');
    expect(readable).toEqual(
      expect.arrayContaining([
        ...['Content-Disposition', 'ETag', 'Server-Timing', 'WWW-Authenticate', 'X-Request-ID'],
        ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
      ]),
    );
  });

  it('another one may not', async () => {
    const origin = 'https://evil.example';
    const answer = await zoo.client.get('/odata/Keepers(1)', { origin });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = await zoo.stranger.send('OPTIONS', '/odata/Keepers', undefined, {
      origin,
      'access-control-request-method': 'GET',
    });
    expect(preflight.status).toBe(401);
  });

  it('every one may ask for tokens', async () => {
    const preflight = await zoo.stranger.send('OPTIONS', '/token', undefined, {
      origin: 'https://any.example',
      'access-control-request-method': 'POST',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
  });
});

describe('health', () => {
  it.each(['/healthz', '/readyz'])('%s needs no token', async (url) => {
    expect((await zoo.stranger.get(url)).status).toBe(200);
    expect((await zoo.stranger.send('HEAD', url)).status).toBe(200);
  });

  it('/openapi.json describes the service, and has an ETag', async () => {
    const { status, json, headers } = await zoo.client.get('/openapi.json');
    expect(status).toBe(200);
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://localhost/odata' }] });
    for (const tags of [String(headers.etag), `"x", ${headers.etag}`, '*']) {
      const again = await zoo.client.get('/openapi.json', { 'if-none-match': tags });
      expect([again.status, again.text, again.headers.vary]).toEqual([304, '', headers.vary]);
    }
  });
});

describe('a service that is not enabled', () => {
  it('answers 503 under the root and at /token, and lives', async () => {
    const disabled = await startService({ model: oddDefinition, enabled: false });
    try {
      for (const url of ['/odata/', '/odata/$ping', '/odata/Keepers']) {
        const { status, json, headers } = await disabled.stranger.get(url);
        expect([status, json.error.code]).toEqual([503, 'store.not-enabled']);
        expect(headers['retry-after']).toMatch(/^\d+$/);
      }
      const { body, headers } = form(LOG_IN);
      expect((await disabled.stranger.send('POST', '/token', body, headers)).status).toBe(503);
      expect((await disabled.stranger.get('/healthz')).status).toBe(200);
    } finally {
      await disabled.close();
    }
  });
});

describe('a service whose model is replaced', () => {
  it('answers 503 with that reason until another one takes over, and with another when it stops', async () => {
    const replaced = await startService({ model: oddDefinition });
    const { standBy } = endingOf(
      replaced.app,
      () => undefined,
      async () => undefined,
    );
    const answer = async () => {
      const { status, json, headers } = await replaced.stranger.get('/odata/Keepers');
      return [status, json.error.code, headers['retry-after']];
    };
    await standBy();
    expect(await answer()).toEqual([503, 'model.applying', '5']);
    replaced.app.drain('draining');
    expect(await answer()).toEqual([503, 'store.stopping', '5']);
    await replaced.close();
  });
});
