// This file makes, blocks and changes accounts, and the settings of the running service.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/auth/token.ts';
import { usesPostgres } from '../database.ts';
import { type Desk, openDesk, PASSWORD, postToken } from './desk.ts';
import { openZoo } from './zoo.ts';

const SECRET = 'seven tired otters';
const OTHER = 'eleven brisk herons';

async function logIn(place: Desk, username: string, password: string) {
  return await postToken(place, { grant_type: 'password', username, password });
}

async function ask(place: Desk, token: string, path = '/$metadata') {
  return await place.as('anonymous').get(path, { authorization: `Bearer ${token}` });
}

describe.each([
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const)('Accounts of %s', (_what, open) => {
  let place: Desk;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(async () => await place?.close());

  it('POST with a password makes an account that can log in; the password is never answered', async () => {
    const made = await place.send('POST', '/Accounts', {
      body: { LoginName: 'ada', Name: 'Ada', Password: SECRET },
    });
    expect([made.status, made.json.LoginName]).toEqual([201, 'ada']);
    expect(made.text).not.toContain('otters');
    expect(made.json).not.toHaveProperty('Password');
    expect((await logIn(place, 'ada', SECRET)).status).toBe(200);
    expect((await logIn(place, 'ada', OTHER)).status).toBe(400);
  });

  it('a new account may be put into roles at once', async () => {
    const role = await place.send('POST', '/Roles', { body: { Name: 'clerk' } });
    const made = await place.send('POST', '/Accounts', {
      body: {
        LoginName: 'grace',
        Password: SECRET,
        'Roles@odata.bind': [`Roles(${role.json.Uid})`],
      },
    });
    expect(made.status).toBe(201);
    const { json } = await place.get(`/Accounts(${made.json.Uid})?$expand=Roles($select=Name)`);
    expect(json.Roles).toMatchObject([{ Name: 'clerk' }]);
  });

  it.each([
    ['too short', 'short one', '12 to 256 characters'],
    ['too long', 'ab cd ef '.repeat(40), '12 to 256 characters'],
    ['the name of the account', 'bertrand russell 1872', 'name of the account'],
    ['a common word in disguise', 'P@ssw0rd123456!', 'common password'],
    ['a common word again and again', 'sunshinesunshine', 'common password'],
    ['a row of keys', 'qwertyuiop123456', 'common password'],
    ['in lists of leaked passwords', 'leavemealone', 'common password'],
    ['few different characters', 'abababababab', 'fewer than 4 different'],
    ['a number instead of text', 123_456_789_012, 'must be a string'],
  ])(
    'a password that is %s is refused, and no account is made',
    async (_what, password, reason) => {
      const answer = await place.send('POST', '/Accounts', {
        body: { LoginName: 'bertrand', Password: password },
      });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.password']);
      expect(answer.json.error.message).toContain(reason);
      expect(answer.text).not.toContain(String(password));
      const found = await place.get("/Accounts?$filter=LoginName eq 'bertrand'");
      expect(found.json.value).toEqual([]);
    },
  );

  it('any kind of characters is welcome, also only small letters, blanks and other scripts', async () => {
    for (const [index, password] of [
      'violets and thunder',
      'пять зелёных слонов',
      '🦉🦊🐢🦜🐝🦔🐙🦈🐌🦇🐳🦩',
    ].entries()) {
      const name = `person ${index}`;
      const made = await place.send('POST', '/Accounts', {
        body: { LoginName: name, Password: password },
      });
      expect([password, made.status]).toEqual([password, 201]);
      expect((await logIn(place, name, password)).status).toBe(200);
    }
  });

  it('PATCH of the password ends the sessions, and only the new one is good', async () => {
    const made = await place.send('POST', '/Accounts', {
      body: { LoginName: 'emmy', Password: SECRET },
    });
    const { json: pair } = await logIn(place, 'emmy', SECRET);
    expect((await ask(place, pair.access_token)).status).toBe(200);
    const path = `/Accounts(${made.json.Uid})`;
    const weak = await place.send('PATCH', path, { body: { Password: 'emmy' } });
    expect(weak.status).toBe(400);
    const named = await place.send('PATCH', path, { body: { Password: 'emmy and others' } });
    expect([named.status, named.json.error.message]).toEqual([
      400,
      expect.stringContaining('name'),
    ]);
    expect((await ask(place, pair.access_token)).status).toBe(200);
    const changed = await place.send('PATCH', path, { body: { Password: OTHER } });
    expect(changed.status).toBeLessThan(300);
    expect(changed.text).not.toContain('herons');
    expect((await ask(place, pair.access_token)).status).toBe(401);
    expect((await logIn(place, 'emmy', SECRET)).status).toBe(400);
    expect((await logIn(place, 'emmy', OTHER)).status).toBe(200);
  });

  it('a blocked account loses its sessions for good', async () => {
    const made = await place.send('POST', '/Accounts', {
      body: { LoginName: 'kurt', Password: SECRET },
    });
    const { json: pair } = await logIn(place, 'kurt', SECRET);
    expect((await ask(place, pair.access_token)).status).toBe(200);
    const path = `/Accounts(${made.json.Uid})`;
    await place.send('PATCH', path, { body: { Blocked: true } });
    expect((await ask(place, pair.access_token)).status).toBe(401);
    expect((await logIn(place, 'kurt', SECRET)).json.error).toBe('invalid_grant');
    await place.send('PATCH', path, { body: { Blocked: false } });
    expect((await ask(place, pair.access_token)).status).toBe(401);
    const again = await postToken(place, {
      grant_type: 'refresh_token',
      refresh_token: pair.refresh_token,
    });
    expect(again.json.error).toBe('invalid_grant');
    expect((await logIn(place, 'kurt', SECRET)).status).toBe(200);
  });

  it('an account that is deleted takes its sessions and its password along', async () => {
    const made = await place.send('POST', '/Accounts', {
      body: { LoginName: 'sofia', Password: SECRET },
    });
    const { json: pair } = await logIn(place, 'sofia', SECRET);
    expect((await ask(place, pair.access_token)).status).toBe(200);
    expect((await place.send('DELETE', `/Accounts(${made.json.Uid})`)).status).toBe(204);
    expect((await ask(place, pair.access_token)).status).toBe(401);
    const again = await place.send('POST', '/Accounts', { body: { LoginName: 'sofia' } });
    expect(again.status).toBe(201);
    expect((await logIn(place, 'sofia', SECRET)).status).toBe(400);
  });

  it('in a batch, and when asked for later or repeatably, a password is taken at once and kept nowhere', async () => {
    const account = (LoginName: string, Password: string) => ({ LoginName, Password });
    const batch = await place.send('POST', '/$batch', {
      headers: { prefer: 'respond-async' },
      body: {
        requests: [
          {
            id: '1',
            method: 'post',
            url: 'Accounts',
            atomicityGroup: 'g',
            body: account('alan', SECRET),
          },
        ],
      },
    });
    expect([batch.status, batch.json.responses[0].status]).toEqual([200, 201]);
    const later = await place.send('POST', '/Accounts', {
      headers: { prefer: 'respond-async', 'idempotency-key': 'one' },
      body: account('joan', SECRET),
    });
    expect(later.status).toBe(201);
    const repeated = await place.send('POST', '/Accounts', {
      headers: { 'idempotency-key': 'one' },
      body: account('joan', SECRET),
    });
    expect([repeated.status, repeated.json.Uid]).toEqual([201, later.json.Uid]);
    for (const name of ['alan', 'joan'])
      expect((await logIn(place, name, SECRET)).status).toBe(200);
  });

  it('Password is a member of accounts only, and others may not give it', async () => {
    const elsewhere = await place.send('POST', '/Roles', {
      body: { Name: 'strange', Password: SECRET },
    });
    expect(elsewhere.status).toBe(400);
    const clerk = await place.join({ loginName: 'a clerk', roles: ['clerk'] });
    const answer = await clerk.send('POST', '/Accounts', {
      body: { LoginName: 'mallory', Password: SECRET },
    });
    expect(answer.status).toBe(403);
  });

  it.skipIf(usesPostgres)('no password and no token stands on the disk', async () => {
    const { json } = await logIn(place, 'ada', SECRET);
    expect((await ask(place, json.access_token)).status).toBe(200);
    const { data } = place.installation.config;
    const files = readdirSync(data).filter((file) => file.startsWith('docket.db'));
    expect(files).toContain('docket.db');
    for (const file of files) {
      const bytes = readFileSync(join(data, file));
      for (const secret of [SECRET, OTHER, PASSWORD, json.access_token, json.refresh_token])
        expect([file, bytes.includes(secret)]).toEqual([file, false]);
    }
    const stored = files.some((file) =>
      readFileSync(join(data, file)).includes(hashToken(json.access_token)),
    );
    expect(stored).toBe(true);
  });
});

describe('Settings', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk({ settings: { idleMinutes: 20 } });
  });
  afterAll(async () => await desk.close());

  const set = async (name: string, value: unknown) =>
    await desk.send('PATCH', `/Settings('${name}')`, {
      body: { Value: value === null ? null : JSON.stringify(value) },
    });

  it('tell what they are for, what they take, what the configuration says, and when they apply', async () => {
    const { json } = await desk.get('/Settings?$orderby=Name&$top=100');
    const names = json.value.map(({ Name }: { Name: string }) => Name);
    expect(names).toEqual(expect.arrayContaining(['idleMinutes', 'maximumUsers', 'auditDays']));
    expect(names).not.toContain('data');
    expect((await desk.get("/Settings('idleMinutes')")).json).toMatchObject({
      Value: null,
      Configured: '20',
      Kind: 'number',
      Range: 'a number above 0',
      Applies: 'at once',
      Description: expect.stringContaining('minutes'),
    });
    expect((await desk.get("/Settings('logLevel')")).json).toMatchObject({
      Kind: 'choice',
      Range: 'one of "debug", "info", "warn", "error", "silent"',
    });
  });

  it.each([
    ['idleMinutes', '0', 'expected a number above 0, not 0.'],
    ['idleMinutes', '"thirty"', 'expected a number above 0, not "thirty".'],
    ['maximumUsers', '1.5', 'expected a whole number from 1, not 1.5.'],
    ['limits.pageSize', '251', 'expected a whole number from 1 to 250, not 251.'],
    [
      'logLevel',
      '"loud"',
      'expected one of "debug", "info", "warn", "error", "silent", not "loud".',
    ],
    ['logLevel', 'debug', '"silent". Values are JSON, such as 30, "debug" or ["a","b"].'],
    ['serverTiming', '"true"', 'expected true or false, not "true".'],
    ['anonymous', '["everything"]', 'expected one of "ping", "metadata", not "everything".'],
    ['corsOrigins', '"*"', 'expected a list of strings, not "*".'],
    ['corsOrigins', '[5]', 'expected a string, not 5.'],
    ['trustedProxies', '["proxy"]', 'such as 10.0.0.7, 10.0.0.0/8'],
    ['auditDays', 'null', 'expected a number above 0 and at most 36500, not null.'],
  ])('%s does not take %s', async (name, value, words) => {
    const answer = await desk.send('PATCH', `/Settings('${name}')`, { body: { Value: value } });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.setting']);
    expect(answer.json.error).toMatchObject({ target: 'Value' });
    expect(answer.json.error.message).toContain(words);
    expect((await desk.get(`/Settings('${name}')`)).json.Value).toBeNull();
  });

  it('cannot be made, removed or renamed', async () => {
    expect((await desk.send('POST', '/Settings', { body: { Name: 'x' } })).status).toBe(405);
    expect((await desk.send('DELETE', "/Settings('idleMinutes')")).status).toBe(405);
    expect((await desk.send('PATCH', "/Settings('idle')", { body: { Value: '1' } })).status).toBe(
      404,
    );
  });

  it('anonymous: counts with the next request, and null is what the configuration says', async () => {
    const stranger = desk.as('anonymous');
    expect((await stranger.get('/$ping')).status).toBe(401);
    expect((await set('anonymous', ['ping'])).status).toBeLessThan(300);
    expect((await stranger.get('/$ping')).status).toBeLessThan(300);
    await set('anonymous', null);
    expect((await stranger.get('/$ping')).status).toBe(401);
  });

  it('corsOrigins: counts with the next request', async () => {
    const origin = 'https://console.example';
    const allowed = async () =>
      (await desk.get('/$ping', { origin })).headers['access-control-allow-origin'];
    expect(await allowed()).toBeUndefined();
    await set('corsOrigins', [origin]);
    expect(await allowed()).toBe(origin);
    await set('corsOrigins', null);
    expect(await allowed()).toBeUndefined();
  });

  it('maximumUsers: counts with the next session', async () => {
    await set('maximumUsers', 1);
    const { json } = await logIn(desk, 'nobody', PASSWORD);
    const refused = await ask(desk, json.access_token);
    expect([refused.status, refused.text.includes('limit of 1 concurrent')]).toEqual([503, true]);
    await set('maximumUsers', null);
    expect((await ask(desk, json.access_token)).status).toBe(200);
  });

  it('what applies at the next start does so, and values stay', async () => {
    expect((await desk.get("/Settings('limits.pageSize')")).json.Applies).toBe('at the next start');
    await set('limits.pageSize', 3);
    await set('idleMinutes', 45);
    expect((await desk.get('/Accounts')).json.value.length).toBeLessThanOrEqual(20);
    desk = await desk.restart();
    expect((await desk.get('/Settings')).json.value).toHaveLength(3);
    expect((await desk.get("/Settings('idleMinutes')")).json).toMatchObject({
      Value: '45',
      Configured: '20',
    });
  });
});
