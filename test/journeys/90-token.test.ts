// This file obtains, uses and refreshes tokens. RFC 6749.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, PASSWORD } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => await desk.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function token(
  fields: Record<string, string> | string,
  headers: Record<string, string> = FORM,
) {
  return await desk
    .as('anonymous')
    .send('POST', '/token', { headers, body: new URLSearchParams(fields).toString() });
}

const password = { grant_type: 'password', username: 'admin', password: PASSWORD };

describe('Obtaining a token', () => {
  it('POST /token as a form: grant_type=password gives every field and header of the contract', async () => {
    const answer = await token(password);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=UTF-8',
      'cache-control': 'no-cache, no-store',
      pragma: 'no-cache',
      expires: '-1',
      'access-control-allow-origin': '*',
    });
    expect(Object.keys(answer.json)).toEqual([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      '.issued',
      '.expires',
    ]);
    expect(answer.json).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(Date.parse(answer.json['.expires']) - Date.parse(answer.json['.issued'])).toBe(3600_000);
    expect(answer.json['.issued']).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
  });

  it.each([
    ['no grant type', { username: 'admin' }, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['no password', { grant_type: 'password', username: 'admin' }, 400, 'invalid_request'],
    ['a wrong password', { ...password, password: 'wrong' }, 400, 'invalid_grant'],
    ['an unknown user', { ...password, username: 'somebody' }, 400, 'invalid_grant'],
    ['a field twice', `${new URLSearchParams(password)}&username=admin`, 400, 'invalid_request'],
    [
      'an unknown refresh token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      400,
      'invalid_grant',
    ],
  ])('%s is refused in the terms of RFC 6749', async (_what, fields, status, error) => {
    const answer = await token(fields);
    expect([answer.status, answer.json.error]).toEqual([status, error]);
  });

  it('unknown fields are ignored; another Content-Type: 415; GET: 405', async () => {
    expect((await token({ ...password, client_id: 'x', scope: 'y' })).status).toBe(200);
    expect((await token(password, { 'content-type': 'application/json' })).status).toBe(415);
    const answer = await desk.as('anonymous').send('GET', '/token');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });

  it('wrong user and wrong password look the same', async () => {
    const [left, right] = [
      await token({ ...password, username: 'admim' }),
      await token({ ...password, password: 'x' }),
    ];
    expect(left.json).toEqual(right.json);
  });
});

describe('Refreshing a token', () => {
  it('POST /token with grant_type=refresh_token gives a new pair, once', async () => {
    const first = (await token(password)).json;
    const second = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect(second.status).toBe(200);
    expect(second.json.refresh_token).not.toBe(first.refresh_token);
    const again = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant']);
    expect(
      (
        await desk
          .as('anonymous')
          .get('/Persons?$top=1', { authorization: `Bearer ${second.json.access_token}` })
      ).status,
    ).toBe(200);
  });

  it('of many uses at the same moment exactly one succeeds', async () => {
    const { refresh_token } = (await token(password)).json;
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        async () => await token({ grant_type: 'refresh_token', refresh_token }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.json.error === 'invalid_grant')).toHaveLength(19);
  });
});

describe('Using a token', () => {
  it.each(['', '/$metadata', '/$ping', '/Persons', '/Me', '/Nothing'])(
    'without a token GET "%s" gives 401',
    async (path) => {
      const answer = await desk.as('anonymous').get(path);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="docket"',
      ]);
      expect(answer.json.error).toMatchObject({
        code: expect.any(String),
        message: expect.any(String),
      });
    },
  );

  it.each(['Bearer nonsense', 'Basic YTpi', 'Bearer'])(
    'Authorization: %s gives 401 invalid_token',
    async (authorization) => {
      const answer = await desk.as('anonymous').get('/Persons', { authorization });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="docket", error="invalid_token"',
      ]);
    },
  );

  it('POST /connect/endsession with the token ends the session', async () => {
    const { access_token, refresh_token } = (await token(password)).json;
    const authorization = `Bearer ${access_token}`;
    const anonymous = desk.as('anonymous');
    expect((await anonymous.get('/Persons?$top=1', { authorization })).status).toBe(200);
    expect(
      (await anonymous.send('POST', '/connect/endsession', { headers: { authorization } })).status,
    ).toBe(204);
    expect((await anonymous.get('/Persons?$top=1', { authorization })).status).toBe(401);
    expect((await token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400);
    expect(
      (await anonymous.send('POST', '/connect/endsession', { headers: { authorization } })).status,
    ).toBe(401);
    expect((await anonymous.send('POST', '/connect/endsession')).status).toBe(401);
  });

  it('a service that is not enabled answers 503 everywhere', async () => {
    const closed = await openDesk({ enabled: false });
    try {
      for (const path of ['', '/$ping', '/Persons'])
        expect((await closed.get(path)).status).toBe(503);
      const answer = await closed.send('POST', '/token', {
        headers: FORM,
        body: new URLSearchParams(password).toString(),
      });
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('not enabled')]);
    } finally {
      await closed.close();
    }
  });

  it('over the maximum of concurrent users: 503 with Retry-After', async () => {
    const small = await openDesk({ settings: { maximumUsers: 1 } });
    try {
      expect((await small.get('/Persons?$top=1')).status).toBe(200);
      const second = await small.as('nobody').get('/Persons?$top=1');
      expect([second.status, second.headers['retry-after']]).toEqual([503, '60']);
      expect(second.json.error.message).toContain('concurrent users');
    } finally {
      await small.close();
    }
  });
});
