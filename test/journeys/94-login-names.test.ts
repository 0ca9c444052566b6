// This file gives accounts names that mislead, in every way in which an account can be made or renamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/auth/accounts.ts';
import { change } from '../../src/store/work.ts';
import { statement } from '../database.ts';
import { writeAll } from '../write-all.ts';
import { type Desk, openDesk, PASSWORD, postToken, principalNamed } from './desk.ts';
import { openZoo } from './zoo.ts';

const SECRET = 'seven tired otters';
const BAD: readonly (readonly [string, string, string])[] = [
  ['empty', '', 'it is empty'],
  ['a blank', ' ', 'begins or ends with a space'],
  ['a blank at the end', 'ada ', 'begins or ends with a space'],
  ['a wide blank at the beginning', '\u00a0ada', 'begins or ends with a space'],
  ['an author of the service', 'docket mail', 'reserved for the service'],
  ['an author of the service in another case', 'Docket Workflow', 'reserved for the service'],
  ['a line break inside', 'ada\nadmin', 'line break'],
  ['a line break at the end', 'ada\n', 'line break'],
  ['a separator of lines', 'ada\u2028admin', 'line break'],
  ['a character that rings', 'ada\u0007', 'control character'],
  ['a character of the second control set', 'ada\u0085x', 'control character'],
];

type Answer = Awaited<ReturnType<Desk['send']>>;

describe.each([
  ['the built-in model', async () => await openDesk()],
  ['a foreign model', openZoo],
] as const)('Login names in %s', (_what, open) => {
  let place: Desk;
  let grace: number;
  beforeAll(async () => {
    place = await open();
    grace = (await post('grace')).json.Uid;
  });
  afterAll(async () => await place?.close());

  const post = async (LoginName: unknown) =>
    await place.send('POST', '/Accounts', { body: { LoginName, Password: SECRET } });
  const batch = async (method: string, url: string, body: object): Promise<Answer> => {
    const requests = [{ id: '1', method, url, body }];
    const { json, ...rest } = await place.send('POST', '/$batch', { body: { requests } });
    const [{ status, body: answered }] = json.responses;
    return { ...rest, status, json: answered };
  };
  const names = async () => {
    const { json } = await place.get('/Accounts?$select=LoginName&$orderby=Uid');
    return json.value.map(({ LoginName }: { LoginName: string }) => LoginName);
  };

  const ways: Readonly<Record<string, (name: string) => Promise<Answer>>> = {
    POST: async (name) => await post(name),
    'POST in a batch': async (LoginName) => await batch('post', 'Accounts', { LoginName }),
    'POST below a role': async (LoginName) =>
      await place.send('POST', '/Roles', {
        body: { Name: 'with an account', Accounts: [{ LoginName }] },
      }),
    PATCH: async (LoginName) =>
      await place.send('PATCH', `/Accounts(${grace})`, { body: { LoginName } }),
    'PUT of the property': async (value) =>
      await place.send('PUT', `/Accounts(${grace})/LoginName`, { body: { value } }),
    'PUT of its $value': async (body) =>
      await place.send('PUT', `/Accounts(${grace})/LoginName/$value`, {
        headers: { 'content-type': 'text/plain;charset=utf-8' },
        body,
      }),
    'PATCH of the set': async (LoginName) =>
      await place.send('PATCH', '/Accounts', {
        body: { '@context': '#$delta', value: [{ Uid: grace, LoginName }] },
      }),
  };

  describe.each(Object.entries(ways))('%s', (way, send) => {
    // An empty body is refused before anybody asks what it would be.
    const bad = BAD.filter(([, name]) => name !== '' || !way.endsWith('$value'));
    it.each(bad)('%s is refused, and nothing is changed', async (_case, name, reason) => {
      const before = await names();
      const answer = await send(name);
      expect([answer.status, answer.json.error.code]).toEqual([400, 'auth.login-name']);
      expect(answer.json.error).toMatchObject({ message: expect.stringContaining(reason) });
      expect(await names()).toEqual(before);
    });

    it('what another account is called but for the case is refused', async () => {
      const before = await names();
      const answer = await send('ADMIN');
      expect([answer.status, answer.json.error.code]).toEqual([409, 'auth.account-exists']);
      expect(answer.json.error.message).toContain('"admin"');
      expect(await names()).toEqual(before);
    });

    it('what is too long is refused', async () => {
      const answer = await send('x'.repeat(129));
      expect([answer.status, answer.json.error.message]).toEqual([
        400,
        expect.stringContaining('at most 128'),
      ]);
    });
  });

  it('the own name in another case, and blanks inside, are taken', async () => {
    for (const name of ['Grace', 'Grace Brewster Hopper', 'Ґрейс', 'grace'])
      expect((await ways.PATCH?.(name))?.status, name).toBeLessThan(300);
  });

  it('two that differ by case alone cannot come with one request', async () => {
    const Accounts = [{ LoginName: 'émilie' }, { LoginName: 'Émilie' }];
    const answer = await place.send('POST', '/Roles', { body: { Name: 'both', Accounts } });
    expect([answer.status, answer.json.error.code]).toEqual([409, 'auth.account-exists']);
  });

  it('a name is free when its account is gone', async () => {
    const { json } = await post('barbara');
    await place.send('DELETE', `/Accounts(${json.Uid})`);
    expect((await post('BARBARA')).status).toBe(201);
  });
});

describe('Names that are there already', () => {
  let place: Desk;
  beforeAll(async () => {
    place = await openDesk();
  });
  afterAll(async () => await place?.close());

  /** An account as former versions have let it be made. */
  const older = async (made: string, loginName: string, roles: readonly string[]) => {
    await place.join({ loginName: made, roles });
    const { database } = place.installation;
    const text = statement('UPDATE "Accounts" SET "LoginName" = ? WHERE "LoginName" = ?');
    await writeAll(database, change(text, [loginName, made]));
    const { json } = await place.get('/Accounts?$orderby=Uid desc&$top=1');
    expect(json.value[0].LoginName).toBe(loginName);
    return `/Accounts(${json.value[0].Uid})`;
  };
  const logIn = async (username: string) =>
    await postToken(place, { grant_type: 'password', username, password: PASSWORD });

  it('stay, can log in and be changed otherwise; another name must be a good one', async () => {
    const path = await older('to be blank', ' blank ', []);
    expect((await logIn(' blank ')).status).toBe(200);
    const changed = await place.send('PATCH', path, { body: { Name: 'Blank' } });
    expect(changed.status).toBeLessThan(300);
    const kept = await place.send('PATCH', path, { body: { LoginName: ' blank ' } });
    expect(kept.status).toBeLessThan(300);
    const worse = await place.send('PATCH', path, { body: { LoginName: ' blank' } });
    expect(worse.json.error.code).toBe('auth.login-name');
    const better = await place.send('PATCH', path, { body: { LoginName: 'blank' } });
    expect(better.status).toBeLessThan(300);
  });

  it('of two that differ by case alone each logs in as itself, with its own roles', async () => {
    await place.join({ loginName: 'anna', roles: ['administrator'] });
    const path = await older('other', 'ANNA', ['clerk']);
    const tokens = await Promise.all(['anna', 'ANNA', 'Anna'].map(async (one) => await logIn(one)));
    expect(tokens.map(({ status }) => status)).toEqual([200, 200, 200]);
    const statuses = await Promise.all(
      tokens.map(async ({ json }) => {
        const headers = { authorization: `Bearer ${json.access_token}` };
        return (await place.as('anonymous').send('GET', '/Accounts', { headers })).status;
      }),
    );
    expect(statuses).toEqual([200, 403, 200]);
    const changed = await place.send('PATCH', path, { body: { Blocked: true } });
    expect(changed.status).toBeLessThan(300);
    expect((await logIn('ANNA')).status).toBe(400);
    expect((await logIn('anna')).status).toBe(200);
    const { service } = place;
    const former = await principalNamed(service, 'anna');
    expect(former.roles).toEqual(['administrator']);
  });

  it('no account is made beside the service either', async () => {
    const { auth, layout } = place.installation;
    const make = async (loginName: string) =>
      await createAccount(auth, layout, {
        loginName,
        displayName: 'x',
        roles: [],
        person: undefined,
      });
    await expect(make('')).rejects.toMatchObject({ code: 'auth.login-name' });
    await expect(make('x'.repeat(129))).rejects.toThrow('more than 128 characters');
    await expect(make('ADMIN')).rejects.toMatchObject({ code: 'auth.account-exists' });
  });
});
